"""Python functions called in the middle of a step, against MuJoCo's callbacks."""

import pathlib
import pickle
import signal
import threading
import time
import traceback

import numpy as np
import pytest

import manyworlds as mw

mujoco = pytest.importorskip("mujoco")

PATH = str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "hooks.xml")
SETTERS = [mujoco.set_mjcb_control, mujoco.set_mjcb_passive, mujoco.set_mjcb_contactfilter, mujoco.set_mjcb_sensor]
NSIM, STEPS = 3, 20


# the same functions serve as MuJoCo's callbacks and here, since a world has the attribute names of MjData
def control(d):
    d.ctrl[0] = 2 * np.sin(5 * d.time) - 3 * d.qpos[21]
    d.ctrl[1] = d.xpos[4, 2] - 0.5 * d.qvel[19]
    d.qfrc_applied[19] = 0.2 * d.qvel[18]
    d.xfrc_applied[3, 0] = 0.3 * np.cos(d.time)
    d.userdata[0] += d.qpos[21]


def passive(d):
    d.qfrc_passive[18:] += 0.1 * d.qfrc_passive[18:] - 0.3 * d.qvel[18:] * np.abs(d.qvel[18:]) + 0.05 * d.xpos[5, 0]


def leaves_out(d, geom1, geom2):
    if (geom1, geom2) == (0, 1):
        return d.time < 0.05
    return (geom1, geom2) == (1, 4) and d.geom_xpos[4, 0] > d.geom_xpos[1, 0] + 0.02


def sense(m, d, stage):
    if stage == mujoco.mjtStage.mjSTAGE_POS:
        d.sensordata[3:5] = 10 * d.xpos[5, 2], d.ncon - 1
    elif stage == mujoco.mjtStage.mjSTAGE_ACC:
        d.sensordata[0:3] = d.cacc[5, 5], d.sensordata[6] * d.time, d.actuator_force[0]


SENSORS = {
    "pos": lambda d: [10 * d.xpos[5, 2], d.ncon - 1],
    "acc": lambda d: [d.cacc[5, 5], d.sensordata[6] * d.time, d.actuator_force[0]],
}
READS = ["xpos", "geom_xpos", "ncon", "cacc", "actuator_force"]


def bound():
    model = mw.Model.from_xml_path(PATH)
    return model.with_functions(control=control, passive=passive, contact_filter=leaves_out, sensors=SENSORS, reads=READS)


def start(qpos, qvel, w):
    qpos[21:23] = 0.2 * w, -0.3
    qvel[18:20] = 1, -0.5 * w
    qvel[0] = 0.1 * w
    qpos[16] += 0.0001 + 0.02 * w


@pytest.fixture
def callbacks():
    """MuJoCo's model, with these functions installed as its callbacks."""
    for put in SETTERS:
        put(None)
    m = mujoco.MjModel.from_xml_path(PATH)
    own = [lambda m, d: control(d), lambda m, d: passive(d), lambda m, d, *geoms: int(leaves_out(d, *geoms)), sense]
    for put, callback in zip(SETTERS, own, strict=True):
        put(callback)
    yield m
    for put in SETTERS:
        put(None)


@pytest.mark.parametrize("nthread", [1, 2])
def test_steps_are_those_of_mujoco_with_callbacks(callbacks, backend, nthread):
    batch = mw.Batch(bound(), NSIM, nthread, backend=backend)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    for w in range(NSIM):
        start(qpos[w], qvel[w], w)
    data = [mujoco.MjData(callbacks) for _ in range(NSIM)]
    for w, d in enumerate(data):
        start(d.qpos, d.qvel, w)
    most = 1e-10 if backend == "cpu" else 1e-3
    for _ in range(STEPS):
        batch.step()
        for w, d in enumerate(data):
            mujoco.mj_step(callbacks, d)
            for name in "qpos qvel ctrl qfrc_applied xfrc_applied userdata".split():
                want = getattr(d, name)
                off = np.abs(batch.read(name)[w] - want).max() / (1 + np.abs(want).max())
                assert off < most, (name, w, off)
    if backend == "cpu":
        for w, d in enumerate(data):
            np.testing.assert_allclose(batch.sensordata[w], d.sensordata, rtol=1e-8, atol=1e-8)


def test_an_actuator_is_what_its_functions_say(backend):
    model = mw.Model.from_xml_string(
        """<mujoco><worldbody><body><joint name="j" damping="1"/><geom size=".1"/></body></worldbody>
        <actuator><general name="a" joint="j" gaintype="user" biastype="user" gainprm="3"/></actuator></mujoco>"""
    )
    parts = {"gain": lambda a: a.prm[0] * a.ctrl, "bias": lambda a: -2 * a.velocity - a.length}
    batch = mw.Batch(model.with_functions(actuators={"a": parts}), 2, backend=backend)
    batch.ctrl = np.array([[0.5], [1.0]], batch.dtype)
    batch.qvel = np.array([[0.0], [0.25]], batch.dtype)
    batch.forward()
    np.testing.assert_allclose(batch.actuator_force[:, 0], [0.75, 2.5], rtol=1e-6)


def test_an_exception_comes_back_with_the_world(backend):
    def fails(d):
        if d.number == 1 and d.time > 0.01:
            raise ZeroDivisionError("no farther")

    batch = mw.Batch(mw.Model.from_xml_path(PATH).with_functions(control=fails), NSIM, backend=backend)
    with pytest.raises(ZeroDivisionError, match="no farther") as e:
        batch.step(nstep=10)
    assert e.value.__notes__ == ["in world 1"]
    assert traceback.extract_tb(e.value.__traceback__)[-1].name == "fails"
    # worlds stand within a step until all are reset
    with pytest.raises(ValueError, match="reset or restore all"):
        batch.step()
    batch.ctrl = np.ones((), batch.dtype)
    batch.reset(stage=0)
    batch.step(nstep=2)
    fresh = mw.Batch(batch.model, NSIM, backend=backend)
    fresh.step(nstep=2)
    assert np.array_equal(batch.read("qpos"), fresh.read("qpos")) and np.all(batch.read("time") > 0)


@pytest.mark.parametrize("where", ["passive", "contact_filter", "sensors", "actuators"])
def test_every_function_may_raise(backend, where):
    def fails(*_):
        raise LookupError(where)

    model = mw.Model.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .09"><joint name="j" type="slide" axis="0 0 1" damping="1"/>
        <geom size=".1"/></body></worldbody>
        <actuator><general name="f" joint="j" gaintype="user"/></actuator> <sensor><user name="f" dim="1" needstage="pos"/></sensor></mujoco>"""
    )
    functions = {"sensors": {"f": fails}, "actuators": {"f": {"gain": fails}}}
    batch = mw.Batch(model.with_functions(**{where: functions.get(where, fails)}), 2, 1, backend=backend)
    for call in (batch.step, batch.forward, batch.transition):
        with pytest.raises(LookupError, match=where) as e:
            call()
        assert e.value.__notes__[0].startswith("in world ")
        batch.reset(stage=0)
    assert np.all(batch.read("qpos") == 0)


def test_functions_and_what_is_set_between_steps_give_the_same_bits(humanoid, backend):
    """Both are rounded once, when the worlds take the control."""

    def stiffen(d):
        d.ctrl[:] = -0.3 * np.asarray(d.qpos[7:], np.float64)[: d.ctrl.size]

    within = mw.Batch(humanoid.with_functions(control=stiffen), 20, backend=backend)
    between = mw.Batch(humanoid, 20, backend=backend)
    start = within.read("qvel") + np.linspace(0, 1, 20, dtype=within.dtype)[:, None]
    within.qvel = between.qvel = start
    for _ in range(30):
        within.step()
        qpos = between.read("qpos").astype(np.float64)
        between.ctrl = (-0.3 * qpos[:, 7 : 7 + humanoid.nu]).astype(between.dtype)
        between.step()
    for name in ("qpos", "qvel", "ctrl", "qacc"):
        assert np.array_equal(within.read(name), between.read(name)), name


def test_batches_on_several_threads_and_within_functions(backend):
    """No deadlock: each thread takes the interpreter's lock for a call and releases it."""
    plain = mw.Model.from_xml_path(PATH)

    def looks_ahead(d):
        ahead = mw.Batch(plain, 9, backend=backend)
        ahead.qvel = np.broadcast_to(d.qvel, (9, plain.nv)).astype(ahead.dtype)
        ahead.step(nstep=2)
        d.userdata[0] = ahead.read("qpos")[8, 21]
        d.userdata[1] = d.number

    model = plain.with_functions(control=looks_ahead)
    found = {}

    def run(k):
        batch = mw.Batch(model, 9, k % 2, backend=backend)
        batch.qvel = np.ones((), batch.dtype)
        batch.step(nstep=3)
        found[k] = batch.read("userdata")

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [0, 1, 2, 3], "somebody waits for ever"
    assert np.array_equal(found[0][:, 1], np.arange(9)) and np.all(found[0][:, 0] != 0)
    assert all(np.array_equal(found[0], x) for x in found.values())


def test_a_function_cannot_call_its_own_batch(backend):
    batch = mw.Batch(mw.Model.from_xml_path(PATH).with_functions(control=lambda d: batch.step()), 2, backend=backend)
    with pytest.raises(RuntimeError, match="borrowed"):
        batch.step()


def test_what_is_written_is_of_the_world_or_refused(backend):
    model = mw.Model.from_xml_path(PATH)

    def assigns(d):
        d.ctrl = 0.25
        d.qfrc_applied = np.zeros_like(d.qfrc_applied)

    batch = mw.Batch(model.with_functions(control=assigns), 2, backend=backend)
    batch.step()
    assert np.all(batch.ctrl == 0.25)

    def moves(d):
        d.qpos[0] = 1

    def stops(d):
        d.qvel = 0

    def long(d):
        d.ctrl = np.zeros(d.ctrl.size + 1)

    def other(d):
        d.xfrc = 0

    for function, raised in [(moves, ValueError), (stops, ValueError), (long, ValueError), (other, AttributeError)]:
        with pytest.raises(raised):
            mw.Batch(model.with_functions(control=function), 2, backend=backend).step()
    with pytest.raises(ValueError, match="read-only"):
        mw.Batch(model.with_functions(passive=lambda d: d.ctrl.fill(1)), 2, backend=backend).step()


def test_what_does_not_fit_is_told(humanoid, backend):
    model = mw.Model.from_xml_path(PATH)
    with pytest.raises(ValueError, match="none of that name"):
        model.with_functions(sensors={"nose": lambda d: 0})
    with pytest.raises(TypeError, match="is not callable"):
        model.with_functions(control=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="xposs"):
        model.with_functions(reads=["xposs"])
    with pytest.raises(AttributeError, match="reads"):
        mw.Batch(model.with_functions(control=lambda d: d.xpos), 1, backend=backend).step()
    with pytest.raises(ValueError, match="2 numbers are needed"):
        mw.Batch(model.with_functions(sensors={"pos": lambda d: 0}), 1, backend=backend).step()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(bound())
    # an edited copy keeps the functions
    edited = humanoid.with_functions(control=lambda d: d.ctrl.fill(0.5)).edited({"timestep": 0.001})
    batch = mw.Batch(edited, 1, backend=backend)
    batch.step()
    assert np.all(batch.ctrl == 0.5)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals are sent to threads elsewhere")
def test_an_interruption_ends_a_long_step(backend):
    # a process started in the background may ignore SIGINT
    signal.signal(signal.SIGINT, signal.default_int_handler)
    slow = mw.Model.from_xml_path(PATH).with_functions(control=lambda d: time.sleep(0.02))
    batch = mw.Batch(slow, 256, backend=backend)
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        batch.step(nstep=10)
    assert time.monotonic() - began < 3


def test_a_device_refuses_functions():
    with pytest.raises((mw.UnsupportedError, mw.DeviceError)):
        mw.Batch(bound(), 1, backend="gpu")


def test_known_stages_are_left_out(humanoid, backend):
    batch = mw.Batch(humanoid, 2, backend=backend)
    with pytest.raises(ValueError, match="nothing is computed yet"):
        batch.forward_skip(2)
    batch.step(nstep=0)
    with pytest.raises(ValueError, match="nothing is computed yet"):
        batch.forward_skip(1)
    batch.forward()
    qacc, xpos = batch.read("qacc"), batch.read("xpos")
    batch.qpos = batch.read("qpos") + np.ones((), batch.dtype)
    batch.qfrc_applied = np.ones((2, humanoid.nv), batch.dtype)
    batch.forward_skip(2, skipsensor=True)
    assert np.array_equal(batch.read("xpos"), xpos) and not np.array_equal(batch.read("qacc"), qacc)
    batch.inverse_skip(1)
    assert np.array_equal(batch.read("xpos"), xpos)
    batch.forward_skip()
    assert not np.array_equal(batch.read("xpos"), xpos)


def test_iterations_say_what_they_did(humanoid, backend):
    assert mw.Batch(humanoid, 1, backend=backend).read("solver_improvement").size == 0
    batch = mw.Batch(humanoid, 2, backend=backend, solver_stat=True)
    batch.step(nstep=200)
    niter, neval = batch.read("solver_niter"), batch.read("solver_neval")
    assert neval.shape[:2] == (2, humanoid.ntree)
    assert np.array_equal(np.count_nonzero(neval, axis=(1, 2)), niter.ravel()) and niter.min() > 0


# the functions above as WGSL texts, for a device
TEXTS = {
    "control": """
        fn control() {
            set_ctrl(0, 2.0 * sin(5.0 * time()) - 3.0 * qpos(21));
            set_ctrl(1, xpos(4).z - 0.5 * qvel(19));
            set_qfrc_applied(19, 0.2 * qvel(18));
            set_xfrc_applied_at(3, 0, 0.3 * cos(time()));
            set_userdata(0, userdata(0) + qpos(21));
        }""",
    "passive": """
        fn passive() {
            for (var i = 18; i < i32(SIZE); i++) {
                set_qfrc_passive(i, 1.1 * qfrc_passive(i) - 0.3 * qvel(i) * abs(qvel(i)) + 0.05 * xpos(5).x);
            }
        }""",
    "contact_filter": """
        fn contact_filter(a: i32, b: i32) -> bool {
            if (a == 0 && b == 1) { return time() < 0.05; }
            return a == 1 && b == 4 && geom_xpos(4).x > geom_xpos(1).x + 0.02;
        }""",
    "sensors": {
        "pos": "fn sensor(k: i32) -> f32 { if (k == 0) { return 10.0 * xpos(5).z; } return f32(ncon() - 1); }",
    },
}


def test_texts_do_on_a_device_what_functions_do_on_the_cores():
    model = mw.Model.from_xml_path(PATH)
    texts = dict(TEXTS, passive=TEXTS["passive"].replace("SIZE", str(model.nv)))
    functions = {"control": control, "passive": passive, "contact_filter": leaves_out, "sensors": {"pos": SENSORS["pos"]}, "reads": READS}
    both = model.with_functions(**functions).with_wgsl(**texts)
    batches = [mw.Batch(both, NSIM, backend=backend) for backend in ("cpu", "gpu")]
    for batch in batches:
        qpos, qvel = batch.read("qpos"), batch.read("qvel")
        for w in range(NSIM):
            start(qpos[w], qvel[w], w)
        batch.qpos, batch.qvel = qpos.astype(batch.dtype), qvel.astype(batch.dtype)
        batch.step(nstep=STEPS)
    for name in "qpos qvel ctrl qfrc_applied xfrc_applied userdata sensordata".split():
        want, have = (batch.read(name) for batch in batches)
        assert np.abs(have - want).max() < 1e-3 * (1 + np.abs(want).max()), name
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(model.with_wgsl(control=TEXTS["control"]))


def test_what_is_no_text_is_told(humanoid):
    with pytest.raises(mw.DeviceError, match="text for controls:1:31"):
        humanoid.with_wgsl(control="fn control() { set_ctrl(0,    qpso(0)); }")
    with pytest.raises(ValueError, match="none of that name"):
        humanoid.with_wgsl(sensors={"nose": "fn sensor(k: i32) -> f32 { return 0.0; }"})
    with pytest.raises(ValueError, match="gain, bias or dyn"):
        humanoid.with_wgsl(actuators={"knee": {"rate": ""}})
    with pytest.raises(mw.UnsupportedError, match="with_functions"):
        mw.Batch(humanoid.with_wgsl(control="fn control() { set_ctrl(0, 1.0); }"), 2, backend="cpu")


@pytest.mark.parametrize("backend", ["cpu", "simd", "gpu"])
def test_contacts_of_two_types_are_a_functions(backend):
    """A floor that swells: the ball rests higher by that."""
    xml = """<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 0.2"><freejoint/><geom size="0.1" gap="0.1"/></body></worldbody></mujoco>"""
    plain, swell = mw.Model.from_xml_string(xml), 0.05

    def meet(world, plane, ball, distance):
        x, y, z = world.geom_xpos[ball]
        dist = z - 0.1 - swell
        return [(dist, (x, y, swell + dist / 2), (0, 0, 1))] if dist < distance else []

    text = """fn collide(plane: i32, ball: i32, distance: f32) {
        let dist = geom_xpos(ball).z - 0.1 - 0.05;
        add_contact(dist, vec3f(geom_xpos(ball).xy, 0.05 + 0.5 * dist), vec3f(0.0, 0.0, 1.0));
    }"""
    model = plain.with_functions(collisions={("sphere", "plane"): meet}).with_wgsl(collisions={("plane", "sphere"): text})
    heights = []
    for m in (plain, model):
        batch = mw.Batch(m, 2, backend=backend)
        batch.step(nstep=200)
        heights.append(batch.qpos[0, 2])
    assert abs(heights[1] - heights[0] - swell) < 1e-4
    with pytest.raises(ValueError, match='one of plane, hfield, .* not "ball"'):
        plain.with_functions(collisions={("plane", "ball"): meet})
    with pytest.raises(TypeError, match="not callable"):
        plain.with_functions(collisions={("plane", "sphere"): 3})


@pytest.mark.parametrize("backend", ["cpu", "simd", "gpu"])
def test_a_shape_is_a_function(backend):
    """A ray that meets a ball of a coarse mesh, whose distance is that of a smaller ball."""
    xml = """<mujoco><option timestep="0.005"/><asset><mesh name="blob" builtin="sphere" params="1" scale="0.1 0.1 0.1"/></asset><worldbody>
      <geom type="sdf" mesh="blob"/><body pos="0 0 1"><site name="eye" zaxis="0 0 -1"/></body>
      <body pos="1 0 0"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody><sensor><rangefinder site="eye"/></sensor></mujoco>"""
    plain = mw.Model.from_xml_string(xml)
    text = "fn distance(point: vec3f) -> vec4f { return vec4f(normalize(point), length(point) - 0.095); }"
    model = plain.with_functions(distances={"blob": lambda point: np.linalg.norm(point) - 0.095}).with_wgsl(distances={"blob": text})
    batch = mw.Batch(model, 2, backend=backend)
    batch.forward()
    assert np.abs(batch.sensordata - 0.905).max() < 1e-5
    with pytest.raises(ValueError, match="none of that name"):
        plain.with_functions(distances={"bolb": lambda point: 1.0})
    with pytest.raises(TypeError, match="not callable"):
        plain.with_functions(distances={"blob": 3})
    with pytest.raises(mw.DeviceError, match="only its arguments"):
        plain.with_wgsl(distances={"blob": "fn distance(point: vec3f) -> vec4f { return vec4f(qpos(0)); }"})

    def fails(point):
        raise ArithmeticError("no distance")

    batch = mw.Batch(plain.with_functions(distances={"blob": fails}), 2, backend="cpu")
    with pytest.raises(ArithmeticError, match="no distance"):
        batch.forward()
