"""Worlds that differ, against mujoco.batch and MuJoCo's own models."""

import numpy as np
import pytest

import manyworlds as mw

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def path(models):
    return str(models / "humanoid.xml")


@pytest.mark.parametrize(("backend", "tolerance"), [("cpu", 1e-8), ("simd", 1e-4)])
def test_worlds_that_differ_are_those_of_mujoco(path, backend, tolerance):
    n, rng = 4, np.random.default_rng(0)
    batch = mw.Batch(mw.Model.from_xml_path(path), nsim=n, backend=backend)
    own = mujoco.MjModel.from_xml_path(path)
    factors = {name: rng.uniform(0.7, 1.4, (n, *getattr(own, name).shape)) for name in ("body_mass", "dof_damping", "geom_friction")}
    for name, factor in factors.items():
        batch.expand(name)[...] *= factor
    batch.expand("opt.gravity")[:, 2] = np.linspace(-9, -3, n)
    assert batch.expanded("body_inertia") is None
    assert batch.expanded("opt.gravity")[0, 2] == -9
    batch.reset()
    batch.step(nstep=50)
    qpos = batch.read("qpos")
    for k in range(n):
        m = mujoco.MjModel.from_xml_path(path)
        for name, factor in factors.items():
            getattr(m, name)[...] *= factor[k]
        m.opt.gravity[2] = np.linspace(-9, -3, n)[k]
        d = mujoco.MjData(m)
        mujoco.mj_setConst(m, d)
        mujoco.mj_resetData(m, d)
        mujoco.mj_step(m, d, 50)
        assert np.abs(qpos[k] - d.qpos).max() < tolerance, k


def test_elements_have_their_own_numbers(path):
    batch = mw.Batch(mw.Model.from_xml_path(path), nsim=3, backend="cpu")
    name = batch.model.names("body")[1]
    assert batch.body(name).mass.tolist() == [[batch.model.body_mass[1]]] * 3
    batch.body(name).mass = [[1.0], [2.0], [3.0]]
    assert batch.expanded("body_mass")[:, 1].tolist() == [1.0, 2.0, 3.0]
    assert batch.body(name).mass.tolist() == [[1.0], [2.0], [3.0]]
    batch.set_const()
    batch.step()


def test_what_cannot_differ_is_refused(path):
    model = mw.Model.from_xml_path(path)
    batch = mw.Batch(model, nsim=2, backend="cpu")
    with pytest.raises(ValueError, match="geom_type"):
        batch.expand("geom_type")
    with pytest.raises(ValueError, match="ccd_tolerance"):
        mw.Batch(model, nsim=2, backend="simd").expand("ccd_tolerance")
