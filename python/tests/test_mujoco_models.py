"""Models that MuJoCo compiled."""

import numpy as np
import pytest

import manyworlds as mw
from manyworlds.model import INPUTS, TABLE

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", "boxes cartpole flexes hand humanoid quadruped servos".split())
def test_a_model_of_mujoco_is_the_one_of_its_file(models, name):
    path = str(models / f"{name}.xml")
    theirs, own = mw.Model.from_mujoco(mujoco.MjModel.from_xml_path(path)), mw.Model.from_xml_path(path)
    for size in mw._core.Model.sizes():
        assert getattr(theirs, size) == getattr(own, size), size
    for field, (room, *_) in TABLE.items():
        if room == "Model":
            a, b = getattr(theirs, field), getattr(own, field)
            assert np.allclose(a, b, rtol=1e-9, atol=1e-9), field
    for kind in ("body", "joint", "flex", "actuator", "keyframe"):
        assert theirs.names(kind) == own.names(kind)


def test_an_edited_model_steps_as_mujoco(models):
    m = mujoco.MjModel.from_xml_path(str(models / "humanoid.xml"))
    m.body_mass[1] *= 2
    m.opt.gravity[2] = -7
    m.opt.timestep = 0.004
    d = mujoco.MjData(m)
    mujoco.mj_setConst(m, d)
    mujoco.mj_resetData(m, d)
    batch = mw.Batch(m, nsim=2, backend="cpu")
    mujoco.mj_step(m, d, 40)
    batch.step(nstep=40)
    assert np.abs(batch.read("qpos") - d.qpos).max() < 1e-9


@pytest.mark.parametrize("name", ["delays", "plastic"])
def test_a_world_is_handed_to_mujoco_with_all_that_its_future_hangs_on(models, name):
    m = mujoco.MjModel.from_xml_path(str(models / f"{name}.xml"))
    d, batch = mujoco.MjData(m), mw.Batch(m, nsim=2, backend="cpu")
    mujoco.mj_step(m, d, 25)
    batch.step(nstep=25)
    data = batch.get_data(1, mujoco.MjData(m))
    assert d.history.size + d.plastic.size > 0
    for field in INPUTS:
        assert np.allclose(getattr(data, field), getattr(d, field), rtol=0, atol=1e-6), field


def test_what_no_backend_has_is_refused():
    solid = '<mujoco><worldbody><flexcomp name="f" count="3 3 3" spacing=".1 .1 .1" dim="3" dof="trilinear"/></worldbody></mujoco>'
    with pytest.raises(mw.UnsupportedError, match="flexes with interpolated"):
        mw.Model.from_mujoco(mujoco.MjModel.from_xml_string(solid))
    rod = '<mujoco><worldbody><flexcomp name="f" count="4 1 1" spacing=".1 .1 .1" dim="1"><elasticity young="1"/></flexcomp></worldbody></mujoco>'
    with pytest.raises(mw.UnsupportedError, match="flexes with a plastic state"):
        mw.Model.from_mujoco(mujoco.MjModel.from_xml_string(rod))


def test_a_soft_body_that_mujoco_compiled_moves_as_there(models):
    m = mujoco.MjModel.from_xml_path(str(models / "flexes.xml"))
    ours = mw.Model.from_mujoco(m)
    d = mujoco.MjData(m)
    batch = mw.Batch(ours, nsim=2, backend="cpu")
    mujoco.mj_step(m, d, 20)
    batch.step(nstep=20)
    assert np.abs(batch.read("qpos") - d.qpos).max() < 1e-6
