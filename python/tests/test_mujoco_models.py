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


def test_a_plugin_is_refused():
    text = (
        '<mujoco><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><worldbody><body><geom size=".1"/><site name="s"/></body></worldbody>'
        '<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="2 2"/><config key="fov" value="30 30"/>'
        '<config key="gamma" value="0"/><config key="nchannel" value="1"/></plugin></sensor></mujoco>'
    )
    with pytest.raises(mw.UnsupportedError, match="plugins .1., whose settings are in its text"):
        mw.Model.from_mujoco(mujoco.MjModel.from_xml_string(text))


ELASTIC = '<elasticity young="1e4" poisson=".2" damping=".01" {}/><contact selfcollide="none"/>'
SOFT = {
    "cells": ('dim="3" count="3 3 3" dof="trilinear"', ELASTIC.format("")),
    "quadratic cells": ('dim="3" count="3 3 3" dof="quadratic"', ELASTIC.format("")),
    "strains": ('dim="3" count="3 3 3" dof="trilinear"', '<edge equality="strain"/><contact selfcollide="none"/>'),
    "rod": ('dim="1" count="6 1 1"', ELASTIC.format("")),
    "yields": ('dim="2" count="4 3 1"', ELASTIC.format('thickness=".01" elastic2d="both" yield="1e-3 1"')),
}


@pytest.mark.parametrize("kind", SOFT)
def test_soft_bodies_of_every_kind_are_copied_from_mujoco(kind):
    attributes, inside = SOFT[kind]
    text = (
        '<mujoco><option timestep=".0005"/><worldbody><geom type="plane" size="1 1 .1"/>'
        f'<flexcomp name="f" spacing=".1 .08 .06" pos="0 0 .15" radius=".01" mass=".3" {attributes}>{inside}</flexcomp></worldbody></mujoco>'
    )
    m = mujoco.MjModel.from_xml_string(text)
    d, batch = mujoco.MjData(m), mw.Batch(mw.Model.from_mujoco(m), nsim=2, backend="cpu")
    mujoco.mj_step(m, d, 360)
    batch.step(nstep=360)
    assert d.ncon > 0
    assert np.abs(batch.read("qpos") - d.qpos).max() < 1e-9


def test_a_soft_body_that_mujoco_compiled_moves_as_there(models):
    m = mujoco.MjModel.from_xml_path(str(models / "flexes.xml"))
    ours = mw.Model.from_mujoco(m)
    d = mujoco.MjData(m)
    batch = mw.Batch(ours, nsim=2, backend="cpu")
    mujoco.mj_step(m, d, 20)
    batch.step(nstep=20)
    assert np.abs(batch.read("qpos") - d.qpos).max() < 1e-6
