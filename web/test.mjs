// test.mjs PAGE MANYWORLDS [NAME]: the page in a real Chromium, whose WebGPU is its software adapter: pictures, numbers, controls, errors.
// PAGE is the folder that web/build.sh made, MANYWORLDS the program, whose numbers are compared; NAME: only tests whose
// name has these letters.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

// a page, in a browser that has been changed so
async function visit(browser, url, change = () => {}) {
  const page = await browser.newPage({ viewport: { width: 960, height: 540 } });
  await page.addInitScript(counts);
  await page.addInitScript(change);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  await page.goto(url);
  await page.evaluate(() => self.page.ready);
  return page;
}

const message = (page) => page.evaluate(() => document.getElementById('message').textContent);

// lets a page count the pictures that it draws, and decode others: four bytes a pixel of those to the right of the panel
const counts = () => {
  self.pictures = 0;
  const context = self.GPUCanvasContext?.prototype;
  const { getCurrentTexture } = context ?? {};
  if (context) context.getCurrentTexture = function () {
    self.pictures += 1;
    return getCurrentTexture.call(this);
  };
  self.pixels = async (png) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const [left, width] = [Math.round(bitmap.width / 3), bitmap.width - Math.round(bitmap.width / 3)];
    const canvas = new OffscreenCanvas(width, bitmap.height);
    // not on the adapter, which has enough to draw
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, -left, 0);
    return context.getImageData(0, 0, width, bitmap.height).data;
  };
};

// the page as it is once it has drawn what it has now; where nothing can be waited for that is one picture behind
async function picture(page) {
  const drawn = await page.evaluate(() => self.pictures);
  await page.waitForFunction((n) => self.pictures > n, drawn + 2);
  return (await page.screenshot()).toString('base64');
}

// shares of a picture that have a colour, of 8 shades a channel
const shares = (page, png) => page.evaluate(async (png) => {
  const data = await self.pixels(png);
  const counts = new Array(512).fill(0);
  for (let k = 0; k < data.length; k += 4) {
    counts[data[k] >> 5 << 6 | data[k + 1] >> 5 << 3 | data[k + 2] >> 5] += 4 / data.length;
  }
  return counts.filter((share) => share > 0);
}, png);
const colors = async (page) => shares(page, await picture(page));

// the share of the pixels of two pictures of which a channel differs by more than 16 of 255
const apart = (page, one, other) => page.evaluate(async ([one, other]) => {
  const [a, b] = [await self.pixels(one), await self.pixels(other)];
  let differ = 0;
  for (let k = 0; k < a.length; k += 4) differ += [0, 1, 2].some((i) => Math.abs(a[k + i] - b[k + i]) > 16);
  return 4 * differ / a.length;
}, [one, other]);

// what a visitor sees while something goes on: every picture that the browser composes
async function film(page, run) {
  const session = await page.context().newCDPSession(page);
  const frames = [];
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push(data);
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  });
  await session.send('Page.startScreencast', { format: 'png' });
  await run();
  await picture(page);
  await session.send('Page.stopScreencast');
  await session.detach();
  return frames;
}

// the canvas is never empty meanwhile
async function isNeverEmpty(page, run, share = 0.05) {
  const frames = await film(page, run);
  for (const [k, png] of frames.entries()) {
    const all = await shares(page, png);
    const large = all.filter((x) => x > share);
    assert.ok(large.length >= 3, `frame ${k} of ${frames.length} is a picture, not ${JSON.stringify(all)}`);
  }
  return frames.length;
}

async function isPicture(page, share = 0.05) {
  const all = await colors(page);
  const large = all.filter((x) => x > share);
  assert.ok(large.length >= 3, `a picture has several colours, not ${JSON.stringify(all)}`);
}

const device = (page) => page.evaluate(() => document.getElementById('device').textContent);
const loaded = (page) => page.evaluate(() => self.page.state.loading);
// chooses from a menu of the page
const choose = async (page, menu, value) => {
  await page.selectOption(menu, value);
  await loaded(page);
};
const steps = (page) => page.waitForFunction(() => self.page.state.backend === 'simd' && self.page.state.sim.read('time')[0] > 0);
// lets a page tell how many seconds after it was opened the adapter was done with the first picture, how many bytes were brought to the host
const watch = () => {
  const { mapAsync } = GPUBuffer.prototype;
  self.mapped = 0;
  GPUBuffer.prototype.mapAsync = function (...said) {
    self.mapped += this.size;
    return mapAsync.apply(this, said);
  };
  const [{ getCurrentTexture }, { submit }] = [GPUCanvasContext.prototype, GPUQueue.prototype];
  let begun = false;
  self.drawn = new Promise((done) => {
    GPUCanvasContext.prototype.getCurrentTexture = function () {
      begun = true;
      return getCurrentTexture.call(this);
    };
    GPUQueue.prototype.submit = function (commands) {
      submit.call(this, commands);
      if (begun) this.onSubmittedWorkDone().then(() => done(performance.now() / 1000));
    };
  });
};
const drawn = async (page) => (await page.evaluate(() => self.drawn)).toFixed(1);
const brought = (page) => page.evaluate(() => [self.mapped, self.pictures]);
const now = (page) => page.evaluate(() => performance.now() / 1000);
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

// fields of world 0 after so many steps from these positions, the actuators at rest: on the page, and the program's
const here = (page, qpos, steps) => page.evaluate(async ([qpos, steps]) => {
  const { state, read } = self.page;
  await state.loading;
  const { sim } = state;
  sim.begin(new Float64Array(qpos));
  sim.step(steps);
  const of = async (name) => {
    const all = await read(name);
    return [...all].slice(0, all.length / sim.nworld);
  };
  return { qpos: await of('qpos'), qvel: await of('qvel'), ncon: (await of('ncon'))[0] };
}, [qpos, steps]);
// worlds at a keyframe, each turned a little further than the one before and in a pose of its own; those that are seen are a step behind
const different = (qpos) => [0, 1, 2].flatMap((w) => qpos.map((x, i) => {
  if (i === 2) return x + 0.1 * w;
  return i < 7 ? x : x + 0.3 * w * Math.sin(i);
}));
const place = (page, qpos) => page.evaluate((qpos) => {
  const { sim } = self.page.state;
  sim.begin(new Float64Array(qpos));
  sim.step(1);
}, qpos);
function native(model, qpos, steps, backend) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const [states, out] = [join(folder, 'states.json'), join(folder, 'out.json')];
  writeFileSync(states, JSON.stringify({ states: [{ qpos }] }));
  const said = ['--states', states, '--steps', String(steps), '--backend', backend, '--out', out];
  execFileSync(program, ['forward', `models/${model}`, ...said], { stdio: 'ignore' });
  const { arrays } = JSON.parse(readFileSync(out));
  rmSync(folder, { recursive: true });
  return { qpos: arrays[`s0/step${steps}/qpos`].data, qvel: arrays[`s0/step${steps}/qvel`].data };
}
// an array of a compiled model
function compiled(model, name) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const out = join(folder, 'out.json');
  execFileSync(program, ['forward', `models/${model}`, '--steps', '1', '--backend', 'cpu', '--out', out], { stdio: 'ignore' });
  const { data } = JSON.parse(readFileSync(out)).arrays[`model/${name}`];
  rmSync(folder, { recursive: true });
  return data;
}
async function compare(page, model, qpos, steps, backend, bound) {
  const [mine, its] = [await here(page, qpos, steps), native(model, qpos, steps, backend)];
  assert.equal(mine.qpos.length, its.qpos.length, model);
  const off = (name) => Math.max(...mine[name].map((x, i) => Math.abs(x - its[name][i])));
  const what = `${model}, ${steps} steps, ${mine.ncon} contacts: qpos of world 0 is off by ${off('qpos').toExponential(1)}, qvel by ${off('qvel').toExponential(1)}`;
  console.log(`  ${what}`);
  assert.ok(off('qpos') < bound && off('qvel') < 10 * bound, `${what}: ${mine.qpos} and ${its.qpos}`);
  assert.notDeepEqual(mine.qpos, qpos, 'it has moved');
  return mine;
}

const tests = {
  async 'pictures and numbers, served'(browser) {
    const page = await visit(browser, `${served}#model=humanoid.xml&worlds=100&play=0`, watch);
    console.log(`  first picture of 100 humanoids ${await drawn(page)} s after opening`);
    await isPicture(page);
    const frames = await isNeverEmpty(page, () => choose(page, '#model', 'own:quadruped.xml'));
    console.log(`  ${frames} frames to another model, none of them empty`);
    await page.evaluate(() => { self.page.said.worlds = 16; });
    for (const model of ['humanoid.xml', 'boxes.xml', 'spatial_tendons.xml']) {
      await page.selectOption('#model', `own:${model}`);
      await compare(page, model, compiled(model, 'qpos0'), 100, 'simd', 1e-3);
    }
    assert.equal(await message(page), '');
    return page;
  },

  async 'the kernels in the WebGPU of the browser'(browser) {
    const page = await visit(browser, `${served}#model=cartpole.xml&backend=gpu&worlds=3&play=0`, watch);
    const [first, ready] = [await drawn(page), await now(page)];
    console.log(`  first picture of cartpoles ${first} s after opening, their kernels after ${ready.toFixed(1)} s`);
    assert.ok(first < ready, 'worlds are seen before their kernels are compiled');
    assert.equal(await message(page), '');
    assert.match(await device(page), /webgpu.* f32/);
    await compare(page, 'cartpole.xml', [0.25, 0.5], 20, 'cpu', 1e-5);
    await isPicture(page, 0.001);
    const then = performance.now();
    await choose(page, '#model', 'own:humanoid.xml');
    console.log(`  kernels of the humanoid are compiled after ${seconds(then)} s`);
    // worlds in different poses are drawn from where they are: less comes to the host than their poses are
    const poses = different(compiled('humanoid.xml', 'key_qpos').slice(0, 28));
    await place(page, poses);
    const before = await brought(page);
    const inPlace = await picture(page);
    const [mapped, pictures] = (await brought(page)).map((x, i) => (x - before[i]));
    const bytes = 3 * compiled('humanoid.xml', 'geom_bodyid').length * 12 * 4;
    console.log(`  ${mapped} bytes came to the host for ${pictures} pictures of ${bytes} bytes of poses`);
    assert.ok(mapped < pictures * bytes / 2);
    const [stand, went] = [compiled('humanoid.xml', 'key_qpos').slice(0, 28), performance.now()];
    const { ncon } = await compare(page, 'humanoid.xml', stand, 20, 'cpu', 1e-5);
    console.log(`  20 steps of three humanoids after ${seconds(went)} s`);
    assert.ok(ncon > 0);
    await isPicture(page);
    // worlds go on, and say nothing of what is read while they do
    const time = () => page.evaluate(async () => (await self.page.read('time'))[0]);
    const paused = await time();
    await page.click('#play');
    await page.waitForFunction(() => document.getElementById('rate').textContent !== '–');
    assert.ok(await time() > paused);
    await page.click('#play');
    // a hand takes what is seen
    await page.evaluate(() => self.page.state.sim.reset());
    await page.mouse.move(480, 270);
    await page.mouse.down();
    await page.mouse.up();
    // the processor takes over; in the same poses its worlds look the same
    const frames = await isNeverEmpty(page, () => choose(page, '#backend', 'simd'));
    assert.match(await device(page), /^CPU/);
    assert.equal(await message(page), '');
    await place(page, poses);
    const differ = await apart(page, inPlace, await picture(page));
    console.log(`  ${frames} frames to the processor; of the picture in place ${(100 * differ).toFixed(2)} % of the pixels differ`);
    assert.ok(differ < 0.005);
    return page;
  },

  async 'kernels in the place of the processor'(browser) {
    const page = await visit(browser, `${onDisk}#model=cartpole.xml&worlds=2&play=0`);
    await isPicture(page, 0.001);
    // as if the first wasm had no kernels, as that of visitors: another one opens a device of its own
    await page.evaluate(() => { delete manyworlds.Sim.on_gpu; });
    const frames = await isNeverEmpty(page, () => choose(page, '#backend', 'gpu'), 0.001);
    console.log(`  ${frames} frames from the processor to the kernels, none of them empty`);
    assert.equal(await message(page), '');
    assert.match(await device(page), /webgpu/);
    assert.ok((await page.evaluate(() => location.hash)).includes('backend=gpu'));
    await isPicture(page, 0.001);
    // what does not run is said, and what ran goes on
    await page.setInputFiles('#files', [{
      name: 'ipc.xml', mimeType: 'text/plain',
      buffer: Buffer.from(`<mujoco><option><flag ipc="enable"/></option><worldbody><body><joint/><geom size="1"/></body>
        </worldbody></mujoco>`),
    }]);
    await page.waitForFunction(() => /ipc/.test(document.getElementById('message').textContent));
    assert.equal(await page.evaluate(async () => (await self.page.read('qpos')).length), 2 * 2);
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

  async 'a policy walks'(browser) {
    const page = await visit(browser, `${served}#model=quadruped.xml&policy=quadruped_walk.npz&worlds=4&play=0`);
    assert.equal(await message(page), '');
    const walked = (control) => page.evaluate(async (control) => {
      const { state, read } = self.page;
      await state.loading;
      for (let k = 0; k < control; k += 1) {
        state.sim.decide();
        state.sim.step(state.sim.held);
      }
      const qpos = await read('qpos');
      return [0, 1, 2, 3].map((w) => [...qpos.slice(15 * w, 15 * w + 3)]);
    }, control);
    // two seconds at half a metre per second
    for (const [x, y, z] of await walked(100)) assert.ok(x > 0.6 && x < 1.4 && Math.abs(y) < 0.4 && z > 0.2, `${x} ${y} ${z}`);
    await isPicture(page);
    await page.selectOption('#policy', '');
    assert.ok(!(await page.evaluate(() => location.hash)).includes('policy'));
    const time = () => page.evaluate(() => self.page.state.sim.read('time')[0]);
    assert.equal(await time(), 0);
    // of another model it is refused, and what runs goes on
    await page.selectOption('#model', 'own:cartpole.xml');
    await loaded(page);
    const bytes = await page.evaluate(() => [...self.page.state.own.bytes('quadruped_walk.npz')]);
    await page.setInputFiles('#files', [{ name: 'walk.npz', mimeType: 'application/zip', buffer: Buffer.from(bytes) }]);
    await page.waitForFunction(() => document.getElementById('message').textContent !== '');
    assert.match(await message(page), /walk\.npz: /);
    await page.click('#play');
    await page.waitForFunction(() => self.page.state.sim.read('time')[0] > 0);
    return page;
  },

  async 'a policy drives the kernels'(browser) {
    const page = await visit(browser, `${served}#model=quadruped.xml&policy=quadruped_walk.npz&worlds=2&backend=gpu&play=1`);
    await page.waitForFunction(async () => (await self.page.read('ctrl')).some((x) => x !== 0));
    assert.equal(await message(page), '');
    assert.match(await device(page), /webgpu/);
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
    await page.waitForFunction(() => document.getElementById('message').textContent.includes('contain no model'));
    // a stack of this size is there
    const nested = (n) => `<mujoco><worldbody>${'<body>'.repeat(n)}<geom size="1"/>${'</body>'.repeat(n)}</worldbody></mujoco>`;
    await drop(['deeper.xml', nested(300)]);
    await page.waitForFunction(() => document.getElementById('message').textContent.includes('deeper.xml:1:'));
    await drop(['deep.xml', nested(90)]);
    await page.waitForFunction(() => document.getElementById('message').textContent === '');
    return page;
  },
};

let [failed, count] = [0, 0];
// tests in a browser of their own, opened with these arguments
async function run(tests, args) {
  const chosen = Object.entries(tests).filter(([name]) => name.includes(process.argv[4] ?? ''));
  if (chosen.length === 0) return;
  const browser = await launch(args);
  for (const [name, test] of chosen) {
    const begun = performance.now();
    count += 1;
    try {
      const page = await test(browser);
      assert.deepEqual(page.faults, []);
      console.log(`ok: ${name} (${seconds(begun)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}: ${error.stack}`);
    }
    for (const page of browser.contexts().flatMap((context) => context.pages())) await page.close();
  }
  await browser.close();
}

await run(tests, GPU);
const crash = async (browser) => (await browser.newBrowserCDPSession()).send('Browser.crashGpuProcess');
await run({
  async 'a picture whose GPU is lost'(browser) {
    const page = await visit(browser, `${served}#model=cartpole.xml&worlds=4`);
    await crash(browser);
    await page.waitForFunction(() => document.getElementById('message').textContent !== '');
    assert.match(await message(page), /The picture was restarted: .* lost/);
    const time = () => page.evaluate(() => self.page.state.sim.read('time')[0]);
    const before = await time();
    await page.waitForFunction((t) => self.page.state.sim.read('time')[0] > t, before);
    await isPicture(page, 0.001);
    return page;
  },

  async 'kernels whose GPU is lost'(browser) {
    const page = await visit(browser, `${served}#model=cartpole.xml&backend=gpu&worlds=4&play=0`);
    assert.equal(await page.evaluate(() => self.page.state.backend), 'gpu');
    await crash(browser);
    await page.click('#play');
    await steps(page);
    assert.match(await message(page), /The worlds restarted on the processor.* lost/);
    assert.match(await device(page), /^CPU/);
    await isPicture(page, 0.001);
    return page;
  },
}, GPU);
const without = () => { delete Navigator.prototype.gpu; };
await run({
  async 'a browser without WebGPU'(browser) {
    const page = await visit(browser, `${served}#worlds=4`, without);
    assert.match(await message(page), /^No picture: this browser has no WebGPU/);
    await steps(page);
    return page;
  },

  async 'kernels in a browser without WebGPU'(browser) {
    const page = await visit(browser, `${served}#backend=gpu&worlds=4`, without);
    assert.match(await message(page), /^The kernels need WebGPU.*\nNo picture/);
    await steps(page);
    return page;
  },

  async 'kernels in a browser without an adapter'(browser) {
    const page = await visit(browser, `${served}#backend=gpu&worlds=4`);
    assert.match(await message(page), /no adapter; .*\nno picture/);
    await steps(page);
    return page;
  },
}, []);
server.close();
console.log(`${count - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
