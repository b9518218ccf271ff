"""The examples of `mujoco.batch` and `mujoco.rollout` in MuJoCo's documentation run with both packages; only the import differs."""

import numpy as np
import pytest

import manyworlds.batch
import manyworlds.rollout

mujoco = pytest.importorskip("mujoco")
import mujoco.batch  # noqa: E402
import mujoco.rollout  # noqa: E402


@pytest.fixture
def model(models):
    return mujoco.MjModel.from_xml_path(str(models / "humanoid.xml"))


def both(example, model, *args):
    """The results of an example with MuJoCo's module, and with manyworlds in double precision."""

    class Cpu(manyworlds.batch.Batch):
        def __init__(self, *a, **k):
            super().__init__(*a, backend="cpu", **k)

    class ours:
        Batch = Cpu

    return example(mujoco.batch, model, *args), example(ours, model, *args)


def same(theirs, own, tolerance=1e-9):
    assert np.shape(theirs) == np.shape(own)
    assert np.allclose(theirs, own, rtol=0, atol=tolerance)


def test_a_policy_in_a_loop(model):
    def example(batch, model):
        b = batch.Batch(model, nsim=6, nthread=2)
        qpos, ctrl, xpos = b.bind("qpos"), b.bind("ctrl"), b.bind("xpos")
        for _ in range(30):
            ctrl[:] = np.sin(5 * qpos[:, 7 : 7 + model.nu]) + 0.1 * xpos[:, 1, :1] + 0.05 * np.arange(6)[:, None]
            b.step()
        return qpos.copy(), xpos.copy()

    for theirs, own in zip(*both(example, model)):
        same(theirs, own)


def test_named_views_and_masses_of_each(model):
    def example(batch, model):
        b = batch.Batch(model, nsim=3)
        b.bind("xpos")
        body = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, 1)
        joint = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, 3)
        b.body(body).mass = np.array([[3.0], [6.0], [9.0]])
        b.joint(joint).qpos = np.array([[0.1], [0.2], [0.3]])
        b.expand("opt.gravity")[:, 2] = [-9.0, -7.0, -5.0]
        b.set_const()
        b.step(nstep=25)
        assert b.expanded("body_mass").shape == (3, model.nbody)
        shapes = [b.actuator(0).ctrl.shape, b.geom(2).xpos.shape, b.joint(joint).qvel.shape, b.body(body).inertia.shape]
        return b.joint(joint).qpos.copy(), b.body(body).xpos.copy(), b.bind("qvel").copy(), np.array([len(x) for x in shapes])

    for theirs, own in zip(*both(example, model)):
        same(theirs, own, 1e-7)


def test_some_worlds_alone(model):
    def example(batch, model):
        b = batch.Batch(model, nsim=5)
        b.bind("qvel")[:] = 0.1 * np.arange(5)[:, None]
        b.step(ids=[1, 3], nstep=10)
        b.reset(ids=np.array([False, False, False, True, False]))
        b.step(nstep=3)
        return b.bind("qpos").copy(), b.bind("time").copy()

    for theirs, own in zip(*both(example, model)):
        same(theirs, own)


def test_recorded_trajectories(model):
    control = 0.3 * np.random.default_rng(0).normal(size=(4, 20, model.nu))

    def example(batch, model):
        b = batch.Batch(model, nsim=4)
        out = b.rollout(20, control, record=("qpos", "qvel"))
        return out["qpos"], out["qvel"]

    for theirs, own in zip(*both(example, model)):
        same(theirs, own)


def test_rollouts_from_states(model):
    data = mujoco.MjData(model)
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros((3, mujoco.mj_stateSize(model, spec)))
    for row in state:
        data.qvel[:] = np.random.default_rng(1).normal(size=model.nv)
        mujoco.mj_getState(model, data, row, spec)
    control = 0.3 * np.random.default_rng(2).normal(size=(3, 15, model.nu))
    theirs = mujoco.rollout.rollout(model, data, state, control)
    own = manyworlds.rollout.rollout(model, data, state, control, backend="cpu")
    for a, b in zip(theirs, own):
        same(a, b)
    with manyworlds.rollout.Rollout(nthread=2) as pool:
        states, _ = pool.rollout(model, data, state[:1], nstep=4, backend="cpu")
    assert states.shape == (1, 4, state.shape[1])
