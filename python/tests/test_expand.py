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


def varied(path, k):
    """The model with other values in fields of every kind, edited as a caller would."""
    m = mujoco.MjModel.from_xml_path(path)
    m.body_mass[1:] *= 1 + 0.1 * k
    m.geom_friction[:, 0] = 0.5 + 0.2 * k
    m.actuator_gear[:, 0] *= 1 - 0.1 * k
    m.opt.gravity[2] = -9 + k
    mujoco.mj_setConst(m, mujoco.MjData(m))
    return m


@pytest.mark.parametrize(("backend", "tolerance"), [("cpu", 1e-8), ("simd", 1e-4)])
def test_models_of_the_caller_are_the_worlds(path, backend, tolerance):
    models = [varied(path, k) for k in range(3)]
    batch = mw.Batch(mw.Model.from_xml_path(path), nsim=3, backend=backend)
    batch.set_models(models)
    assert batch.models == tuple(models)
    batch.reset()
    batch.step(nstep=40)
    for k, m in enumerate(models):
        d = mujoco.MjData(m)
        mujoco.mj_step(m, d, 40)
        assert np.abs(batch.read("qpos")[k] - d.qpos).max() < tolerance, k
    name = batch.model.names("body")[1]
    assert np.allclose(batch.body(name).mass[:, 0], [m.body_mass[1] for m in models])
    assert np.allclose(batch.body(name).subtreemass[:, 0], [m.body_subtreemass[1] for m in models])
    with pytest.raises(ValueError, match="set_models"):
        batch.body(name).mass = 1.0
    with pytest.raises(ValueError, match="set_models"):
        batch.set_const()

    # one model for all worlds, then the batch's own again
    batch.set_models(models[2])
    assert batch.models is models[2]
    batch.set_models(None)
    assert batch.models is None
    batch.reset()
    batch.step(nstep=40)
    shared = mw.Batch(mw.Model.from_xml_path(path), nsim=3, backend=backend)
    shared.reset()
    shared.step(nstep=40)
    assert np.abs(batch.read("qpos") - shared.read("qpos")).max() < tolerance


def test_models_that_cannot_be_the_worlds_are_refused(path, models):
    batch = mw.Batch(mw.Model.from_xml_path(path), nsim=2, backend="cpu")
    other = mujoco.MjModel.from_xml_path(path)
    other.geom_type[1] = mujoco.mjtGeom.mjGEOM_SPHERE
    for given, what in [
        ([varied(path, 1)], "2 worlds need as many models"),
        (mw.Model.from_xml_path(str(models / "cartpole.xml")), "has the shape"),
        ([varied(path, 0), other], "geom_type"),
    ]:
        with pytest.raises(ValueError, match=what):
            batch.set_models(given)
    stale = mujoco.MjModel.from_xml_path(path)
    stale.body_mass[1:] *= 2
    with pytest.raises(ValueError, match="model 0 does not follow"):
        batch.set_models([stale, stale])
    with pytest.raises(TypeError, match="not int"):
        batch.set_models([1, 2])
    assert batch.models is None
    batch.expand("body_mass")
    with pytest.raises(ValueError, match="body_mass are expanded"):
        batch.set_models(varied(path, 1))
