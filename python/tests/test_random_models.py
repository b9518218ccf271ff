"""Models with random contents are MuJoCo's: their arrays, what a forward pass finds, and where a step ends."""

import numpy as np
import pytest
import random_models

import manyworlds as mw
from manyworlds.model import TABLE

mujoco = pytest.importorskip("mujoco")

# solved until nothing changes: how far an iteration goes is another test's subject
SOLVED = {"iterations": 200, "ls_iterations": 100, "ls_tolerance": 1e-6, "tolerance": 1e-15}
INPUTS = "qpos qvel act ctrl qacc_warmstart".split()
FOUND = "xpos cinert qfrc_bias qfrc_passive actuator_force qacc_smooth qacc qfrc_constraint sensordata".split()
# the share of the largest number by which numbers may differ, and the rounding of a state
NEAR = {"cpu": (1e-6, 1e-13), "simd": (3e-3, 1e-7)}
# and how many times as much as MuJoCo's own numbers if its state is rounded so
TIMES = 10


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("seeds")))


def moving(m, seed):
    """A world in motion."""
    rng = np.random.default_rng(seed)
    d = mujoco.MjData(m)
    mujoco.mj_integratePos(m, d.qpos, rng.uniform(-0.3, 0.3, m.nv), 1)
    d.qvel[:] = rng.uniform(-0.3, 0.3, m.nv)
    d.ctrl[:] = rng.uniform(-1, 1, m.nu)
    mujoco.mj_step(m, d, 5)
    d.qacc_warmstart[:] = 0
    return d


def results(m, state):
    """What MuJoCo finds from a state: the fields of a forward pass, then the state after a step."""
    d = mujoco.MjData(m)
    for name, value in state.items():
        getattr(d, name)[:] = value
    mujoco.mj_forward(m, d)
    found = {name: getattr(d, name).copy() for name in FOUND}
    mujoco.mj_step(m, d)
    return found | {"qpos": d.qpos, "qvel": d.qvel}


def apart(ours, theirs):
    """The largest difference, as a share of the largest number, or of one."""
    return np.abs(ours - theirs).max(initial=0) / np.abs(theirs).max(initial=1)


def test_a_random_model_is_mujocos(seed, backend):
    # sums of conjugate gradients in single precision take another way
    text = random_models.text(seed, **SOLVED, **({"solver": "Newton"} if backend == "simd" else {}))
    try:
        m = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        with pytest.raises(ValueError):
            mw.Model.from_xml_string(text)
        return
    model, theirs = mw.Model.from_xml_string(text), mw.Model.from_mujoco(m)
    for field, (room, *_) in TABLE.items():
        if room == "Model":
            assert apart(*(np.asarray(getattr(of, field), float) for of in (model, theirs))) < 1e-8, field

    d, batch = moving(m, seed), mw.Batch(model, 2, backend=backend)
    # accelerations by a singular inertia matrix are roundings
    if d.warning[mujoco.mjtWarning.mjWARN_INERTIA].number:
        return
    state = {name: getattr(d, name).copy() for name in INPUTS if getattr(d, name).size}
    for name, value in state.items():
        batch.write(name, np.array([value, value], batch.dtype))
    batch.forward()
    ours = {name: batch.read(name)[1] for name in FOUND}
    batch.step()
    ours |= {name: batch.read(name)[1] for name in ("qpos", "qvel")}

    near, rounding = NEAR[backend]
    signs = np.random.default_rng(seed).choice([-1, 1], m.nq + m.nv + m.nu + m.na)
    rounded = {name: value * (1 + rounding * signs[: value.size]) for name, value in state.items()}
    exact, other = results(m, state), results(m, rounded)
    for field, value in ours.items():
        value = value.reshape(exact[field].shape)
        assert apart(value, exact[field]) < near + TIMES * apart(other[field], exact[field]), field
