// browser.mjs FOLDER: compiles every .wgsl there with Dawn, Chrome's WebGPU, and prints its errors (npm install webgpu).
import { readdirSync, readFileSync } from 'node:fs';
import { create } from 'webgpu';

const folder = process.argv[2];
// compiles and runs nothing; must outlive its devices
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
const files = readdirSync(folder).filter((file) => file.endsWith('.wgsl'));
let refused = 0;
for (const file of files) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: readFileSync(`${folder}/${file}`, 'utf8') });
  const { messages } = await module.getCompilationInfo();
  await device.popErrorScope();
  const error = messages.find((message) => message.type === 'error');
  if (error) {
    refused += 1;
    console.log(`${file}:${error.lineNum}: ${error.message}`);
  }
}
console.log(`${files.length} kernels, ${refused} refused`);
process.exit(refused || !files.length ? 1 : 0);
