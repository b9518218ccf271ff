// test.mjs PAGE MANYWORLDS: the page in a real Chromium, whose WebGPU is its software adapter: pictures, numbers, controls, errors.
// PAGE is the folder that web/build.sh made, MANYWORLDS the program, whose numbers are compared.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [folder, program] = process.argv.slice(2).map((path) => resolve(path));
const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
  const name = new URL(request.url, 'http://page').pathname.slice(1) || 'index.html';
  try {
    response.setHeader('content-type', kinds[extname(name)] ?? 'application/octet-stream');
    response.end(readFileSync(join(folder, name)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const served = `http://127.0.0.1:${server.address().port}/`;
const onDisk = pathToFileURL(join(folder, 'index.html')).href;

const GPU = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-unsafe-webgpu', '--ignore-gpu-blocklist', '--enable-gpu',
  '--enable-features=Vulkan', '--use-vulkan=swiftshader'];
const launch = (args) => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', ...args],
});

async function visit(browser, url) {
  const page = await browser.newPage({ viewport: { width: 960, height: 540 } });
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  await page.goto(url);
  await page.evaluate(() => self.page.ready);
  return page;
}

const message = (page) => page.evaluate(() => document.getElementById('message').textContent);

// shares of the picture that have a colour, of 8 shades a channel; nothing is drawn over it
async function colors(page) {
  await page.addStyleTag({ content: 'main { visibility: hidden; }' });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const png = (await page.screenshot()).toString('base64');
  await page.addStyleTag({ content: 'main { visibility: visible !important; }' });
  return page.evaluate(async (png) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const counts = new Map();
    for (let k = 0; k < data.length; k += 4) {
      const color = data.slice(k, k + 3).map((x) => x >> 5).join();
      counts.set(color, (counts.get(color) ?? 0) + 4 / data.length);
    }
    return [...counts.values()];
  }, png);
}

async function isPicture(page) {
  const shares = await colors(page);
  const large = shares.filter((share) => share > 0.05);
  assert.ok(large.length >= 3, `a picture has several colours, not ${JSON.stringify(shares)}`);
}

// world 0 after 100 steps from qpos0, the actuators at rest
const here = (page) => page.evaluate(() => {
  const { sim } = self.page.state;
  sim.restart();
  sim.step(100);
  return [...sim.read('qpos')].slice(0, sim.read('qpos').length / sim.nworld);
});
function native(model) {
  const out = join(mkdtempSync(join(tmpdir(), 'page-')), 'state.json');
  execFileSync(program, ['forward', `models/${model}`, '--steps', '100', '--backend', 'simd', '--out', out], { stdio: 'ignore' });
  return JSON.parse(readFileSync(out)).arrays['s0/step100/qpos'].data;
}

const tests = {
  async 'pictures and numbers, served'(browser) {
    const begun = performance.now();
    const page = await visit(browser, `${served}#model=humanoid.xml&worlds=16&play=0`);
    await isPicture(page);
    console.log(`  first picture after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    for (const model of ['humanoid.xml', 'boxes.xml', 'spatial_tendons.xml']) {
      await page.selectOption('#model', `own:${model}`);
      const [mine, qpos] = [await here(page), native(model)];
      assert.equal(mine.length, qpos.length, model);
      const off = Math.max(...mine.map((x, i) => Math.abs(x - qpos[i])));
      console.log(`  ${model}: qpos of world 0 after 100 steps is off by ${off.toExponential(1)}`);
      assert.ok(off < 1e-3, `${model}: ${mine} and ${qpos}`);
    }
    assert.equal(await message(page), '');
    return page;
  },

  async 'from disk'(browser) {
    const page = await visit(browser, `${onDisk}#model=quadruped.xml&worlds=9&noise=0.5&play=1`);
    await page.waitForFunction(() => document.getElementById('rate').textContent !== '–');
    await isPicture(page);
    const time = () => page.evaluate(() => self.page.state.sim.read('time')[0]);
    const before = await time();
    await page.waitForFunction((t) => self.page.state.sim.read('time')[0] > t, before);
    await page.click('#play');
    const paused = await time();
    await page.click('#step');
    assert.ok(await time() > paused);
    assert.ok((await page.evaluate(() => location.hash)).includes('play=0'));
    return page;
  },

  async 'a pull'(browser) {
    const page = await visit(browser, `${served}#model=humanoid.xml&worlds=1&play=0`);
    const pulls = () => page.evaluate(() => Math.max(...self.page.state.sim.read('xfrc_applied').map(Math.abs)));
    await page.mouse.move(480, 270);
    await page.mouse.down();
    await page.mouse.move(600, 200);
    await page.evaluate(() => { self.page.said.play = true; });
    await page.waitForFunction(() => self.page.state.sim.read('xfrc_applied').some((x) => x !== 0));
    await isPicture(page);
    await page.mouse.up();
    assert.equal(await pulls(), 0);
    // beside it the hand turns the camera
    await page.mouse.move(900, 60);
    await page.mouse.down();
    await page.mouse.move(800, 100);
    assert.equal(await pulls(), 0);
    return page;
  },

  async 'models that are dropped, and refused'(browser) {
    const page = await visit(browser, `${served}#worlds=4&play=0`);
    const drop = (...files) => page.setInputFiles('#files', files.map(([name, text]) => ({
      name, mimeType: 'text/plain', buffer: Buffer.from(text),
    })));
    const rock = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
    await drop(['rock.xml', `<mujoco><asset><mesh file="meshes/rock.obj"/></asset><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 1"><freejoint/><geom type="mesh" mesh="rock" rgba="0.8 0.2 0.1 1"/></body></worldbody></mujoco>`], ['rock.obj', rock]);
    await page.waitForFunction(() => self.page.said.model === 'rock.xml');
    assert.equal(await message(page), '');
    assert.equal((await page.evaluate(() => self.page.state.sim.read('qpos').length)), 4 * 7);
    await isPicture(page);
    await drop(['bad.xml', '<mujoco><worldbody>\n<body><geom typ="sphere" size="1"/></body></worldbody></mujoco>']);
    await page.waitForFunction(() => document.getElementById('message').textContent !== '');
    assert.match(await message(page), /bad\.xml:2:\d+ <geom>: .*typ/);
    // what ran before goes on
    assert.equal((await page.evaluate(() => self.page.state.sim.read('qpos').length)), 4 * 7);
    await isPicture(page);
    await page.evaluate(() => { self.page.said.worlds = 4096; });
    await drop(['large.xml', '<mujoco><size nconmax="20000" njmax="80000"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>']);
    await page.waitForFunction(() => /worlds \(at most \d+ fit\)/.test(document.getElementById('message').textContent));
    await page.evaluate(() => { self.page.said.worlds = 4; });
    await drop(['notes.txt', 'no model']);
    await page.waitForFunction(() => document.getElementById('message').textContent.includes('no MJCF model'));
    // a stack of this size is there
    const nested = (n) => `<mujoco><worldbody>${'<body>'.repeat(n)}<geom size="1"/>${'</body>'.repeat(n)}</worldbody></mujoco>`;
    await drop(['deeper.xml', nested(300)]);
    await page.waitForFunction(() => document.getElementById('message').textContent.includes('deeper.xml:1:'));
    await drop(['deep.xml', nested(90)]);
    await page.waitForFunction(() => document.getElementById('message').textContent === '');
    return page;
  },
};

let failed = 0;
async function run(name, test, browser) {
  try {
    const page = await test(browser);
    assert.deepEqual(page.faults, []);
    await page.close();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}: ${error.stack}`);
  }
}

const browser = await launch(GPU);
for (const [name, test] of Object.entries(tests)) await run(name, test, browser);
await browser.close();
const bare = await launch(['--disable-features=WebGPU']);
await run('a browser without WebGPU', async () => {
  const page = await visit(bare, `${served}#worlds=4`);
  assert.match(await message(page), /^no picture/i);
  await page.waitForFunction(() => self.page.state.sim.read('time')[0] > 0);
  return page;
}, bare);
await bare.close();
server.close();
const count = Object.keys(tests).length + 1;
console.log(`${count - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
