"""Batches: live arrays, steps, resets, errors."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds.task import View


def test_live_arrays_are_read_and_written(humanoid, backend):
    batch = mw.Batch(humanoid, 5, backend=backend)
    qpos, ctrl, xpos = batch.bind("qpos"), batch.bind("ctrl"), batch.bind("xpos")
    assert qpos.shape == (5, humanoid.nq) and xpos.shape == (5, humanoid.nbody, 3)
    assert qpos.dtype == batch.dtype == (np.float64 if backend == "cpu" else np.float32)
    assert batch.bind("qpos") is qpos
    qpos[1, 2] += 1
    ctrl[:] = 0.3
    before = qpos.copy()
    batch.step(nstep=3)
    assert (qpos != before).any(axis=1).all() and qpos[1, 2] > qpos[0, 2] + 0.9
    assert np.array_equal(batch.read("ctrl"), ctrl)
    with pytest.raises(ValueError, match="read-only"):
        xpos[:] = 0


def test_worlds_are_those_of_the_program(humanoid, backend):
    """Results have the same bits if steps are split over calls, for any number of worlds, and with one thread or two."""
    rng = np.random.default_rng(1)
    force = rng.uniform(-1, 1, (40, humanoid.nu)).astype(np.float32)
    ends = []
    for nsim, nthread, pieces in [(40, 1, [50]), (40, 2, [20, 1, 29]), (7, 1, [50])]:
        batch = mw.Batch(humanoid, nsim, nthread, backend=backend)
        batch.ctrl = force[:nsim].astype(batch.dtype)
        for n in pieces:
            batch.step(nstep=n)
        ends.append(batch.read("qpos"))
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0][:7], ends[2])


def test_the_step_is_mujocos(humanoid):
    mujoco = pytest.importorskip("mujoco")
    m = mujoco.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    d = mujoco.MjData(m)
    batch = mw.Batch(humanoid, 1, backend="cpu")
    ctrl = np.random.default_rng(2).uniform(-1, 1, (200, m.nu))
    for u in ctrl:
        d.ctrl[:] = u
        mujoco.mj_step(m, d)
    out = batch.rollout(200, ctrl[None], record=("qpos", "time", int(mujoco.mjtState.mjSTATE_PHYSICS)))
    assert out["qpos"].shape == (1, 200, m.nq)
    assert np.allclose(out["qpos"][0, -1], d.qpos, rtol=0, atol=1e-8)
    row = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_PHYSICS))
    mujoco.mj_getState(m, d, row, mujoco.mjtState.mjSTATE_PHYSICS)
    assert np.allclose(out[int(mujoco.mjtState.mjSTATE_PHYSICS)][0, -1], row, rtol=0, atol=1e-7)
    batch.get_data(0, d2 := mujoco.MjData(m))
    assert np.allclose(d2.qpos, d.qpos, atol=1e-8) and d2.time == pytest.approx(d.time)


def test_a_spec_becomes_a_model():
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
    body.add_freejoint()
    body.add_geom(size=[0.1, 0, 0])
    model = mw.Model.from_spec(spec)
    assert model.nq == 7 and model.names("body") == ["world", "ball"]
    assert np.allclose(model.body_mass, spec.compile().body_mass)


def test_some_worlds_step_and_reset(humanoid, backend):
    batch = mw.Batch(humanoid, 6, backend=backend)
    batch.step([1, 4], nstep=2)
    assert np.array_equal(batch.read("time") > 0, [False, True, False, False, True, False])
    batch.step()
    batch.reset(np.array([True, False, False, False, True, False]))
    assert np.array_equal(batch.read("time") > 0, [False, True, True, True, False, True])
    saved = batch.save()
    batch.step(nstep=3)
    batch.restore(saved, [2])
    times = batch.read("time")
    assert times[2] < times[3]
    batch.copy(3, [0, 1])
    assert np.array_equal(batch.read("qpos")[0], batch.read("qpos")[3])


def test_elements_have_views(humanoid):
    batch = mw.Batch(humanoid, 3)
    name = humanoid.names("joint")[-1]
    joint = batch.joint(name)
    assert joint.qpos.shape == (3, 1) and joint.name == name
    joint.qpos = 0.25
    batch.forward()
    assert np.allclose(batch.read("qpos")[:, humanoid.jnt_qposadr[-1]], 0.25)
    chest = batch.body("chest")
    assert np.array_equal(chest.xpos, batch.read("xpos")[:, chest.id])
    with pytest.raises(KeyError, match="no joint called 'kneee'"):
        batch.joint("kneee")


def test_a_model_is_read_and_edited(humanoid):
    assert humanoid.nu == len(humanoid.names("actuator")) and humanoid.opt.timestep > 0
    assert humanoid.body_mass.shape == (humanoid.nbody,) and humanoid.geom_size.shape == (humanoid.ngeom, 3)
    heavy = humanoid.edited(body_mass=2 * humanoid.body_mass, options={"timestep": 0.001})
    assert heavy.body_subtreemass[0] == pytest.approx(2 * humanoid.body_subtreemass[0])
    assert heavy.opt.timestep == 0.001 and humanoid.opt.timestep != 0.001
    again = pickle.loads(pickle.dumps(heavy))
    assert np.array_equal(again.body_mass, heavy.body_mass)
    with pytest.raises(ValueError, match="dof_parentid"):
        humanoid.edited(dof_parentid=humanoid.dof_parentid + 100)


def test_robots_and_their_packages_are_read(tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    path = tmp_path / "ws" / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry><mesh filename="package://hand/m.obj"/></geometry>'
        '</collision></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>'
    )
    with pytest.raises(mw.ModelError, match="--package hand=DIR"):
        mw.Model.from_xml_path(path)
    model = mw.Model.from_xml_path(path, packages={"hand": tmp_path / "arm"})
    assert model.nv == 1 and model.nmesh == 1


def test_mistakes_are_told(humanoid, tmp_path):
    with pytest.raises(mw.ModelError, match=r"model.xml:1:\d+ <geom>"):
        mw.Model.from_xml_string('<mujoco><worldbody><geom siez="1"/></worldbody></mujoco>')
    with pytest.raises(OSError):
        mw.Model.from_xml_path(tmp_path / "none.xml")
    batch = mw.Batch(humanoid, 2, backend="simd")
    with pytest.raises(KeyError, match="did you mean qpos"):
        batch.bind("qpso")
    with pytest.raises(TypeError, match="float32 is needed, float64 was given"):
        batch.ctrl = np.zeros((2, humanoid.nu))
    with pytest.raises(ValueError):
        batch.ctrl = np.zeros((3, humanoid.nu), np.float32)
    with pytest.raises(AttributeError):
        batch.qqpos = 1
    with pytest.raises(IndexError):
        batch.reset([2])
    with pytest.raises(ValueError, match="auto, cpu, simd, gpu"):
        mw.Batch(humanoid, 2, backend="cuda")
    with pytest.raises(TypeError, match="from_xml_path"):
        mw.Batch("humanoid.xml", 2)


def test_worlds_that_need_more_room_are_named(humanoid):
    for call in (lambda batch: batch.step(nstep=5), lambda batch: batch.transition()):
        batch = mw.Batch(humanoid, 4, backend="cpu", overflow="error", nconmax=1, njmax=4)
        batch.qpos[2, 2] = 0.1
        with pytest.raises(mw.CapacityError) as e:
            call(batch)
        assert 2 in e.value.ids


def test_a_bad_world_is_flagged(humanoid, backend):
    batch = mw.Batch(humanoid, 4, backend=backend)
    batch.qvel[3, 0] = np.nan
    batch.step()
    assert [flag.world for flag in batch.flags()] == [3] and batch.flags()[0].diverged
    assert np.isfinite(batch.read("qpos")).all()


def test_arrays_go_to_torch_and_jax_without_a_copy(humanoid):
    batch = mw.Batch(humanoid, 3)
    qpos = batch.bind("qpos")
    again = np.from_dlpack(qpos)
    batch.step(nstep=5)
    assert np.shares_memory(again, qpos) and np.array_equal(again, qpos)


@pytest.mark.parametrize("nsim", [1, 3])
def test_live_arrays_begin_where_jax_can_share_them(humanoid, backend, nsim):
    # JAX copies arrays that do not begin at a multiple of 64 bytes
    batch = mw.Batch(humanoid, nsim, backend=backend)
    batch.step()
    for name in ("qpos", "qvel", "ctrl", "xpos", "contact_dist", "efc_state", "time"):
        assert batch.bind(name).ctypes.data % 64 == 0, name


def test_an_interrupt_is_heard(humanoid):
    # a process started in the background may ignore SIGINT
    signal.signal(signal.SIGINT, signal.default_int_handler)
    batch = mw.Batch(humanoid, 64, backend="cpu")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        batch.step(nstep=10**7)
    assert time.monotonic() - start < 1.5
    batch.step()


def test_the_interpreter_is_free_meanwhile(humanoid):
    batch = mw.Batch(humanoid, 512, 1, backend="cpu")
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    batch.step(nstep=30)
    stop.set()
    counter.join()
    assert counted[0] > 20


def test_two_threads_do_not_race(humanoid):
    batch = mw.Batch(humanoid, 256, backend="cpu")
    errors = []

    def run():
        try:
            for _ in range(20):
                batch.step(nstep=2)
        except RuntimeError as e:
            errors.append(str(e))

    threads = [threading.Thread(target=run) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all("borrowed" in e for e in errors)
    batch.step()


def test_the_program_comes_along(tmp_path):
    import subprocess
    import sys

    run = subprocess.run(
        [sys.executable, "-m", "manyworlds", "info", str(MODELS / "cartpole.xml")], capture_output=True, text=True
    )
    assert run.returncode == 0 and "nq" in run.stdout
    run = subprocess.run([sys.executable, "-m", "manyworlds", "info", "none.xml"], capture_output=True, text=True)
    assert run.returncode != 0 and "none.xml" in run.stderr


def test_tasks_see_contacts_for_which_room_was_made(humanoid, backend):
    batch = mw.Batch(humanoid, 2, 1, backend=backend, nconmax=1)
    s = View(batch, 0.005)
    few = s.contact_dist
    assert s.qpos is s.qpos and few.shape == (2, 1)
    batch.step(nstep=200)
    assert s.ncon.max() > 1 and s.contact_dist.shape == (2, batch.read("contact_dist").shape[1])
    assert np.array_equal(s.contact_dist, batch.read("contact_dist"))


def test_errors_name_what_python_has(humanoid):
    """Messages have Python's names, not those of the library (`Batch::expand`, `Settings::rne_post`)."""
    batch = mw.Batch(humanoid, nsim=2, backend="cpu")
    deep = "<mujoco><worldbody>" + "<body>" * 2000 + "</body>" * 2000 + "</worldbody></mujoco>"
    for call, what in [
        (lambda: batch.expand("body_subtreemass"), "Batch.set_const derives it"),
        (lambda: batch.write("body_mass", 1.0), "Batch.expand"),
        (lambda: batch.object_acceleration(1, 1), "rne_post=True"),
        (lambda: mw.Batch(humanoid.with_wgsl(control="fn control() { set_ctrl(0, 1.0); }"), 2, backend="cpu"), r"with_functions\(control=...\)"),
        (lambda: mw.Model.from_xml_string(deep), "nested"),
    ]:
        with pytest.raises(Exception, match=what) as told:
            call()
        assert "::" not in str(told.value), told.value


def test_forward_of_some_worlds_leaves_the_arrays_of_the_others(backend):
    batch = mw.Batch(mw.Model.from_xml_path(MODELS / "humanoid.xml"), 18, backend=backend)
    xpos, qpos = batch.xpos, batch.qpos
    batch.forward()
    before = xpos.copy()
    qpos[:, 2] += np.arange(18, dtype=qpos.dtype) / 16
    batch.forward([2, 17])
    rows = np.isin(np.arange(18), [2, 17])
    np.testing.assert_array_equal(xpos[~rows], before[~rows])
    np.testing.assert_allclose(xpos[rows, 1, 2], before[rows, 1, 2] + np.array([2, 17]) / 16, rtol=1e-6)
    batch.forward()
    np.testing.assert_allclose(xpos[:, 1, 2], before[:, 1, 2] + np.arange(18) / 16, rtol=1e-6)


def test_a_reset_of_some_worlds_leaves_the_arrays_of_the_others(backend):
    batch = mw.Batch(mw.Model.from_xml_path(MODELS / "humanoid.xml"), 18, backend=backend)
    xpos = batch.xpos
    batch.step(nstep=3)
    before = xpos.copy()
    batch.reset([4])
    rows = np.arange(18) == 4
    # arrays derived from positions are those of the state before the last step
    np.testing.assert_array_equal(xpos[~rows], before[~rows])
    assert batch.qpos[4, 2] == batch.model.qpos0[2].astype(batch.dtype)
    assert not np.array_equal(xpos[4], before[4])
