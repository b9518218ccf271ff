// The page: controls, and the loop that steps the worlds and draws them. A classic script, so that it runs from a folder too.
'use strict';

// the wasm that a backend needs: its name, and what its script calls it; those who use no kernels need not load them
const wasms = { simd: ['manyworlds', () => manyworlds], gpu: ['kernels', () => kernels] };
// what the wasm gives
let api;
const get = (id) => document.getElementById(id);
// milliseconds of a picture that steps may take: half of what lies between two pictures, but no less and no more
const BUDGET = [12, 250];
// what can be drawn over the worlds
const OVERLAYS = ['contacts', 'joints', 'com', 'frames'];
// milliseconds in which a picture that failed is not begun again a second time
const PATIENCE = 10000;

const said = {
  model: 'humanoid.xml', policy: '', backend: 'simd', worlds: 100, speed: 1, noise: 0, gravity: null, play: true,
  contacts: false, joints: false, com: false, frames: false,
};
// sim: the worlds that run; still: those that are seen in their place while their kernels are compiled, posed on the processor
// moved: what is seen of the still ones is no longer what was drawn; drawn: the device is done with the last picture
// opening: the last canvas, and those before it; loading: the last load, and those before it
// dropped: the files of the visitor's folder; policies: those that were dropped alone
// reopened: when the picture began again
const state = {
  sim: null, still: null, moved: false, drawn: Promise.resolve(), backend: null, canvas: null, size: [0, 0], folder: null, own: null, dropped: null, policies: [],
  opening: Promise.resolve(), loading: Promise.resolve(), reopened: -PATIENCE, dead: false,
};

// the worlds that are seen
const seen = () => state.still ?? state.sim;
const lives = (sim) => sim !== null && (sim === state.sim || sim === state.still);

const words = () => get('message').textContent;

function complain(error) {
  const text = error === null ? '' : String(error?.message ?? error);
  get('message').textContent = text;
  get('message').hidden = text === '';
}

// beside what is said already
function add(error) {
  complain([words(), error.message ?? error].filter(Boolean).join('\n'));
}

// called by the wasm: nothing in there can be relied on any more
self.panicked = (message) => {
  state.dead = true;
  complain(`The page has failed because of a bug in manyworlds: ${message}\nReload the page to continue.`);
};

// what may fail, and is said
function attempt(run) {
  if (state.dead) return undefined;
  try {
    return run();
  } catch (error) {
    if (!state.dead) complain(error);
    return undefined;
  }
}

// the same for what reads worlds: where they are on a GPU, what it lacks is brought first. Undefined if it failed or they are gone
async function reading(sim, run) {
  while (!state.dead && lives(sim)) {
    try {
      try {
        return run();
      } catch (error) {
        if (state.dead || !sim.lacks?.()) throw error;
      }
      await bring(sim);
    } catch (error) {
      if (!state.dead && lives(sim)) complain(error);
      return undefined;
    }
  }
  return undefined;
}

// brings what was read last from the GPU
async function bring(sim) {
  const brought = await sim.ask().brought();
  if (lives(sim)) sim.give(brought);
  else brought.free();
}

// ---- the address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (key, least, most) => {
    const x = Number(given.get(key));
    if (given.has(key) && x >= least && x <= most) said[key] = x;
  };
  number('worlds', 1, 4096);
  said.worlds = Math.round(said.worlds);
  number('speed', 1 / 32, 8);
  number('noise', 0, 1);
  number('gravity', -20, 5);
  if (given.has('model')) said.model = given.get('model');
  if (given.has('policy')) said.policy = given.get('policy');
  if (given.get('backend') in wasms) said.backend = given.get('backend');
  for (const word of OVERLAYS) if (given.has(word)) said[word] = given.get(word) === '1';
  if (given.has('play')) said.play = given.get('play') === '1';
}

function writeAddress() {
  const { model, policy, backend, worlds, speed, noise, gravity, play } = said;
  const all = new URLSearchParams({ model, worlds, speed, noise });
  if (policy) all.set('policy', policy);
  if (backend !== 'simd') all.set('backend', backend);
  if (gravity !== null) all.set('gravity', gravity);
  for (const word of OVERLAYS) if (said[word]) all.set(word, 1);
  if (!play) all.set('play', 0);
  history.replaceState(null, '', `#${all}`);
}

// ---- the worlds

// one after the other, since kernels take a while
function load() {
  state.loading = state.loading.then(async () => {
    if (state.dead) return;
    try {
      await begin();
    } catch (error) {
      // of what runs, if another model was refused; the processor's, if nothing does
      const refused = said.backend;
      said.backend = state.backend ?? 'simd';
      if (state.sim === null && refused === 'gpu') await begin().catch(() => {});
      if (!state.dead) complain(error);
    }
    show();
  });
  return state.loading;
}

async function begin() {
  const { backend, model, worlds, gravity } = said;
  let sim;
  if (backend === 'gpu') {
    get('device').textContent = 'the kernels are being compiled …';
    try {
      sim = await onGpu(model, worlds, gravity);
      if (state.still) sim.look_as(state.still);
    } catch (error) {
      goBack();
      throw error;
    }
  } else {
    sim = api.Sim.load(state.folder, model, worlds);
  }
  for (const old of [state.sim, state.still]) old?.free();
  [state.sim, state.still, state.backend] = [sim, null, backend];
  complain(null);
  if (said.policy) follow();
  sim.noise(said.noise);
  for (const word of OVERLAYS) sim.overlay(word, said[word]);
  if (gravity !== null && backend !== 'gpu') sim.gravity(0, 0, gravity);
  state.canvas?.show(sim);
  get('device').textContent = sim.device;
  meter.restart();
}

// draws worlds where they will begin, before anything is compiled
async function pose(model, worlds) {
  const { canvas } = state;
  if (!canvas) return;
  let still;
  try {
    still = api.Sim.load(state.folder, model, worlds);
  } catch {
    // what the processor refuses the kernels may take: they have the word
    return;
  }
  for (const word of OVERLAYS) still.overlay(word, said[word]);
  state.still = still;
  canvas.show(still);
  resize();
  draw(still);
  await state.drawn;
}

// what ran before is seen again, and goes on
function goBack() {
  get('device').textContent = state.sim?.device ?? '–';
  state.still?.free();
  state.still = null;
  if (state.sim) attempt(() => state.canvas?.show(state.sim));
}

// gives the controls to a policy, if one is chosen
function follow() {
  const { sim, folder } = state;
  try {
    const dropped = state.policies.findLast(({ path }) => path === said.policy);
    if (said.policy) sim.follow(said.policy, dropped?.bytes ?? folder.bytes(said.policy));
    else sim.rest();
  } catch (error) {
    said.policy = '';
    complain(error);
  }
}

// those that may be for the model: of the page's own, the ones that are named after it
function policies() {
  const all = state.folder.policies();
  const stem = said.model.replace(/\.\w+$/, '');
  const there = state.folder === state.own ? all.filter((path) => path.startsWith(stem)) : all;
  return [...new Set([...there, ...state.policies.map(({ path }) => path)])];
}

async function onGpu(model, worlds, gravity) {
  if (!navigator.gpu) {
    throw new Error('The kernels need WebGPU, which this browser does not have: choose the processor.');
  }
  if (!api.Sim.on_gpu) await use(wasms.gpu);
  await state.opening;
  await pose(model, worlds);
  return api.Sim.on_gpu(state.folder, model, worlds, gravity ?? undefined, state.canvas?.graphics());
}

// goes on with another wasm: nothing of the one before can be given to it
async function use(wasm) {
  const next = await instance(wasm);
  await state.opening;
  for (const old of [state.sim, state.canvas]) old?.free();
  [state.sim, state.backend, state.canvas, api] = [null, null, null, next];
  state.own = api.models();
  state.folder = state.dropped === null ? state.own : folderOf(state.dropped);
  await openCanvas().catch(add);
}

function folderOf(files) {
  const folder = new api.Folder();
  for (const { path, bytes } of files) folder.add(path, bytes);
  return folder;
}

function show() {
  get('worlds').value = Math.log2(said.worlds);
  get('worlds-said').textContent = said.worlds;
  get('speed').value = Math.log2(said.speed);
  get('speed-said').textContent = `${said.speed} ×`;
  get('noise').value = said.noise;
  get('noise-said').textContent = `${Math.round(100 * said.noise)} %`;
  const gravity = said.gravity ?? state.sim?.gravity_z ?? 0;
  get('gravity').value = gravity;
  get('gravity-said').textContent = `${gravity.toFixed(2)} m/s²`;
  for (const word of OVERLAYS) get(word).checked = said[word];
  get('play').textContent = said.play ? 'Pause' : 'Play';
  get('backend').value = said.backend;
  const chosen = [new Option('at rest or random', ''), ...policies().map((path) => new Option(`by ${path}`, path))];
  get('policy').replaceChildren(...chosen);
  get('policy').value = said.policy;
  get('policy').parentElement.hidden = chosen.length === 1;
  get('noise-row').hidden = said.policy !== '';
  const menu = get('model');
  const names = api.names();
  const paths = [...names, ...(state.folder === state.own ? [] : state.folder.models())];
  menu.replaceChildren(...paths.map((path, k) => new Option(path, `${k < names.length ? 'own' : 'dropped'}:${path}`)));
  menu.value = `${state.folder === state.own ? 'own' : 'dropped'}:${said.model}`;
}

function set(key, value) {
  said[key] = value;
  writeAddress();
  show();
}

function change(id, event, run) {
  get(id).addEventListener(event, () => run(get(id)));
}

change('model', 'change', ({ value }) => {
  const own = value.startsWith('own:');
  if (own) [state.folder, state.dropped] = [state.own, null];
  said.gravity = null;
  said.policy = '';
  set('model', value.slice(value.indexOf(':') + 1));
  load();
});
change('policy', 'change', ({ value }) => { set('policy', value); if (state.sim) follow(); show(); });
change('backend', 'change', ({ value }) => { set('backend', value); load(); });
change('worlds', 'input', ({ value }) => { get('worlds-said').textContent = Math.round(2 ** value); });
change('worlds', 'change', ({ value }) => { set('worlds', Math.round(2 ** value)); load(); });
change('speed', 'input', ({ value }) => set('speed', 2 ** value));
change('noise', 'input', ({ value }) => { set('noise', Number(value)); attempt(() => state.sim?.noise(said.noise)); });
change('gravity', 'input', ({ value }) => {
  set('gravity', Number(value));
  if (said.backend !== 'gpu') attempt(() => state.sim?.gravity(0, 0, said.gravity));
});
// it is written into the kernels: worlds begin again
change('gravity', 'change', () => { if (said.backend === 'gpu') load(); });
for (const word of OVERLAYS) {
  change(word, 'change', ({ checked }) => {
    set(word, checked);
    attempt(() => { for (const sim of [state.sim, state.still]) sim?.overlay(word, checked); });
    state.moved = true;
  });
}
change('play', 'click', () => set('play', !said.play));
change('step', 'click', () => { set('play', false); attempt(() => state.sim?.step(1)); });
change('reset', 'click', () => attempt(() => state.sim?.reset()));

// ---- files

async function open(files) {
  const dropped = await Promise.all(files.map(async ({ path, file }) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) })));
  const folder = folderOf(dropped);
  const [first] = folder.models();
  const [policy] = folder.policies();
  if (first === undefined && policy !== undefined) {
    folder.free();
    await state.loading;
    state.policies.push(...dropped);
    set('policy', policy);
    follow();
    show();
    return;
  }
  if (first === undefined) {
    const what = files.map(({ path }) => path).slice(0, 5).join(', ') || 'nothing';
    complain(`The dropped files (${what}) contain no model: drop an .xml file with the element <mujoco>, a URDF, or an archive of either.`);
    return;
  }
  await state.loading;
  if (state.folder !== state.own) state.folder.free();
  [state.folder, state.dropped] = [folder, dropped];
  said.gravity = null;
  said.policy = '';
  set('model', first);
  load();
}

// all files of what was dropped, folders too
async function walk(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    found.push({ path: entry.fullPath.replace(/^\//, ''), file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const inner of some) await walk(inner, found);
  }
}

addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
addEventListener('dragleave', () => document.body.classList.remove('dropping'));
addEventListener('drop', async (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  try {
    const found = [];
    for (const item of items) await walk(item, found);
    await open(found);
  } catch (error) {
    complain(error);
  }
});
for (const id of ['files', 'folder']) {
  change(id, 'change', ({ files }) => {
    const list = [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    open(list).catch(complain);
  });
}

// ---- the hand

const picture = get('picture');
const hand = { pulls: false, drags: false, x: 0, y: 0 };

function at(event) {
  const { width, height } = picture.getBoundingClientRect();
  return [2 * event.clientX / width - 1, 1 - 2 * event.clientY / height, width / height];
}
picture.addEventListener('contextmenu', (event) => event.preventDefault());
picture.addEventListener('pointerdown', async (event) => {
  picture.setPointerCapture(event.pointerId);
  const place = at(event);
  [hand.x, hand.y] = place;
  const press = hand.press = {};
  const takes = event.button === 0 && !event.shiftKey;
  const sim = seen();
  const taken = takes && await reading(sim, () => sim.take(...place));
  // let go of, or pressed again, meanwhile
  if (hand.press !== press) return;
  hand.pulls = Boolean(taken);
  hand.drags = !hand.pulls;
  hand.moves = !takes;
});
picture.addEventListener('pointermove', (event) => attempt(() => {
  const [x, y, aspect] = at(event);
  const [dx, dy] = [x - hand.x, y - hand.y];
  [hand.x, hand.y] = [x, y];
  if (!hand.drags || !seen()) return;
  state.moved = true;
  if (hand.moves) seen().pan(-0.5 * dx * aspect, -0.5 * dy);
  else seen().orbit(-90 * dx, 60 * dy);
}));
for (const end of ['pointerup', 'pointercancel']) {
  picture.addEventListener(end, () => attempt(() => {
    if (hand.pulls) state.sim?.release();
    hand.press = null;
    hand.pulls = hand.drags = false;
  }));
}
picture.addEventListener('wheel', (event) => {
  event.preventDefault();
  state.moved = true;
  attempt(() => seen()?.zoom(2 ** (event.deltaY / 400)));
}, { passive: false });
addEventListener('keydown', (event) => {
  if (event.target !== picture && event.target !== document.body) return;
  if (event.key === ' ') set('play', !said.play);
  if (event.key === '.') get('step').click();
  if (event.key === 'r') get('reset').click();
});

// ---- the loop

// what is shown of how fast it is, twice a second
const meter = {
  restart() { this.since = performance.now(); this.steps = this.spent = this.frames = 0; },
  say(sim) {
    const wall = performance.now() - this.since;
    if (wall < 500) return;
    const rate = this.spent > 0 ? 1000 * this.steps * sim.nworld / this.spent : 0;
    get('rate').textContent = rate ? Math.round(rate).toLocaleString('en') : '–';
    get('pace').textContent = this.steps ? `${(1000 * this.steps * sim.timestep / wall).toPrecision(2)} ×` : '–';
    get('frames').textContent = Math.round(1000 * this.frames / wall);
    const flags = sim.flags();
    get('flags-said').textContent = flags.length ? `${flags.length} of ${sim.nworld} worlds diverged or overflowed` : 'No world has diverged';
    get('flags').replaceChildren(...flags.slice(0, 50).map((text) => {
      const line = document.createElement('li');
      line.textContent = text;
      return line;
    }));
    this.restart();
  },
};

let last = performance.now();
// steps that are due, and milliseconds that one takes
let due = 0;
let each = 1;

async function advance(sim, elapsed) {
  due += elapsed / 1000 * said.speed / sim.timestep;
  const budget = Math.min(Math.max(elapsed / 2, BUDGET[0]), BUDGET[1]);
  const begun = performance.now();
  let spent = 0;
  while (due >= 1 && spent < budget) {
    const n = Math.max(1, Math.min(Math.floor(due), Math.floor((budget - spent) / each), sim.held));
    if (hand.pulls) await reading(sim, () => sim.pull(hand.x, hand.y, state.size[0] / state.size[1]));
    if (sim !== state.sim) return;
    if (await reading(sim, () => { sim.decide(); return true; }) === undefined) return;
    sim.step(n);
    // waits for the GPU, so that no steps pile up there, and brings what the picture needs
    if (state.backend === 'gpu') await bring(sim);
    const now = performance.now() - begun;
    each = Math.max((now - spent) / n, 1e-3);
    spent = now;
    due -= n;
    meter.steps += n;
    if (state.backend === 'gpu') break;
  }
  meter.spent += spent;
  // what cannot be kept up with is let go
  due = Math.min(due, 1);
}

// pixels of the picture
function size() {
  const scale = Math.min(devicePixelRatio, 2);
  return [picture.clientWidth, picture.clientHeight].map((x) => Math.round(x * scale));
}

function resize() {
  const now = size();
  if (now.every((x, i) => x === state.size[i])) return;
  [state.size, state.moved] = [now, true];
  state.canvas?.resize(...now);
}

function draw(sim) {
  if (!state.canvas) return;
  state.canvas.draw(sim);
  state.drawn = state.canvas.graphics().done();
}

async function frame(now) {
  if (state.dead) return;
  const elapsed = Math.min(now - last, 500);
  last = now;
  const sim = seen();
  if (sim && !await shown(sim, elapsed) && sim === seen()) await giveUp();
  requestAnimationFrame(frame);
}

// steps and draws; false if any of it failed
async function shown(sim, elapsed) {
  const runs = sim === state.sim;
  // steps that are submitted before the last picture is done would outrun what others read of the worlds
  if (state.backend === 'gpu') await state.drawn;
  if (!lives(sim)) return false;
  try {
    if (runs && said.play) await advance(sim, elapsed);
  } catch (error) {
    if (!state.dead && sim === state.sim) complain(error);
    return false;
  }
  resize();
  // a picture that nobody needs would make the kernels wait
  if (!runs && !state.moved) return true;
  state.moved = false;
  // none piles up on the GPU
  await state.drawn;
  return await reading(sim, () => {
    draw(sim);
    meter.frames += 1;
    if (runs) meter.say(sim);
    return true;
  });
}

// what failed would fail again: goes on with another picture, with the processor in the place of the GPU, or without
async function giveUp() {
  if (state.dead) return;
  const { canvas } = state;
  const fault = canvas?.fault;
  if (fault) {
    state.canvas = null;
    canvas.free();
  }
  if (fault && performance.now() - state.reopened > PATIENCE) {
    state.reopened = performance.now();
    complain(`The picture was restarted: ${fault}`);
    await openCanvas().catch(add);
  } else if (fault) {
    complain(`No picture: ${fault}. The worlds run nevertheless.`);
  } else if (state.backend === 'gpu') {
    const why = words();
    set('backend', 'simd');
    await load();
    add(`The worlds restarted on the processor instead of the GPU: ${why}`);
  } else if (said.play) {
    set('play', false);
  } else {
    state.canvas = null;
  }
}

// ---- the start

function script(src) {
  return new Promise((done, failed) => {
    const element = document.createElement('script');
    [element.src, element.onload, element.onerror] = [src, done, () => failed(new Error(`${src} is missing in the folder of the page`))];
    document.head.append(element);
  });
}

// what a wasm gives
async function instance([name, exported]) {
  const [wasm] = await Promise.all([bytes(name), script(`${name}.js`)]);
  await exported()({ module_or_path: wasm });
  return exported();
}

async function bytes(name) {
  if (location.protocol !== 'file:') return fetch(`${name}_bg.wasm`);
  await script(`${name}_wasm.js`);
  return Uint8Array.from(atob(self[`${name}Wasm`]), (letter) => letter.charCodeAt(0));
}

// a picture, or an error that says why there is none
function openCanvas() {
  const opened = state.opening.then(async () => {
    try {
      if (!navigator.gpu) {
        throw new Error('No picture: this browser has no WebGPU. The worlds run nevertheless. Chrome, Edge and Safari 26 have it; on Linux '
          + 'Chrome has it behind chrome://flags/#enable-unsafe-webgpu.');
      }
      state.size = size();
      state.canvas = await api.Canvas.open(picture, ...state.size);
      if (seen()) state.canvas.show(seen());
      state.moved = true;
      navigator.gpu.requestAdapter().then((adapter) => {
        const { vendor, architecture } = adapter?.info ?? {};
        get('adapter').textContent = ['WebGPU', vendor, architecture].filter(Boolean).join(', ');
      });
    } catch (error) {
      state.canvas = null;
      get('adapter').textContent = 'nothing';
      throw error;
    }
  });
  state.opening = opened.catch(() => {});
  return opened;
}

async function start() {
  readAddress();
  // wakes the browser's graphics while the wasm comes
  navigator.gpu?.requestAdapter();
  // the kernels are no use without WebGPU
  const first = navigator.gpu ? said.backend : 'simd';
  api = await instance(wasms[first]);
  state.own = state.folder = api.models();
  if (!api.names().includes(said.model)) {
    complain(`The page has no model ${said.model}: drop it here.`);
    said.model = api.names()[0];
  }
  const before = words();
  // the device opens while worlds are made
  const opened = openCanvas();
  const noPicture = opened.then(() => null, (error) => error);
  const loaded = load();
  requestAnimationFrame(frame);
  await loaded;
  if (before) add(before);
  const error = await noPicture;
  if (error) add(error);
}

// a field of all worlds as they are now, for tests
async function read(name) {
  return reading(state.sim, () => state.sim.read(name));
}

self.page = { state, said, load, open, read };
self.page.ready = start().catch(complain);
