"""Randomised fields, drawn for each world when its episode begins."""

import numpy as np
import pytest

import manyworlds as mw
from manyworlds.task import Worlds

mujoco = pytest.importorskip("mujoco")


class Fall(mw.Task):
    frame_skip, limit = 3, 5

    def __init__(self, model, **randomize):
        self.model, self.randomize = model, randomize

    def observe(self, s):
        return s.qpos

    def reward(self, s, before, action):
        return s.qpos[:, 2]


@pytest.fixture
def path(models):
    return str(models / "humanoid.xml")


def worlds(path, n, backend, seed=1, **randomize):
    w = Worlds(Fall(path, **randomize), n, backend=backend, nthread=1)
    w.seed = seed
    w.reset(np.ones(n, bool))
    return w


def test_draws_are_in_their_ranges_and_of_each_world(path, backend):
    w = worlds(path, 16, backend, body_mass=mw.scaled(0.8, 1.2), dof_damping=mw.shifted(0.0, 2.0, each=True))
    model = w.batch.model
    factor = w.s.own("body_mass")[:, 1:] / model.body_mass[1:]
    assert np.allclose(factor, factor[:, :1], rtol=1e-5), "one factor a world"
    assert (0.8 <= factor).all() and (factor <= 1.2001).all() and np.ptp(factor[:, 0]) > 0.2
    more = w.s.own("dof_damping") - model.dof_damping
    assert (more > -1e-5).all() and (more < 2.00001).all()
    assert np.ptp(more, axis=1).min() > 1 and np.ptp(more, axis=0).min() > 1, "a number a joint and a world"
    assert np.array_equal(w.s.own("geom_size")[3], model.geom_size.astype(w.batch.dtype))


def test_every_episode_draws_anew_and_others_keep_theirs(path, backend):
    w = worlds(path, 4, backend, body_mass=mw.scaled(0.8, 1.2))
    first = w.s.own("body_mass").copy()
    w.reset(np.array([False, True, False, False]))
    changed = (w.s.own("body_mass") != first).any(axis=1)
    assert changed.tolist() == [False, True, False, False]


def test_draws_do_not_depend_on_how_many_worlds_there_are(path, backend):
    few, many = (worlds(path, n, backend, geom_friction=mw.scaled(0.5, 2, log=True, each=True)) for n in (3, 20))
    assert np.array_equal(few.s.own("geom_friction"), many.s.own("geom_friction")[:3])
    other = worlds(path, 3, backend, seed=2, geom_friction=mw.scaled(0.5, 2, log=True, each=True))
    assert not np.array_equal(few.s.own("geom_friction"), other.s.own("geom_friction"))


def test_beginnings_are_the_same_with_and_without(path):
    class Shaken(Fall):
        def reset(self, s, draws):
            return s.qpos0 + draws.uniform(-0.1, 0.1, s.nq), draws.standard_normal(s.nv)

    states = []
    for randomize in ({}, {"body_mass": mw.scaled(0.8, 1.2)}):
        w = Worlds(Shaken(path, **randomize), 3, backend="cpu", nthread=1)
        w.reset(np.ones(3, bool))
        states.append(w.batch.read("qpos"))
    assert np.array_equal(*states)


@pytest.mark.parametrize("together", [True, False])
def test_fields_that_belong_together_share_their_draws(path, backend, together):
    fields = {("body_mass", "body_inertia"): mw.scaled(0.5, 2, each=True)} if together else {}
    fields = fields or {"body_mass": mw.scaled(0.5, 2, each=True), "body_inertia": mw.scaled(0.5, 2, each=True)}
    task = Fall(path)
    task.randomize = fields
    w = Worlds(task, 3, backend=backend, nthread=1)
    w.reset(np.ones(3, bool))
    model = w.batch.model
    mass = w.s.own("body_mass")[:, 1:] / model.body_mass[1:]
    inertia = w.s.own("body_inertia")[:, 1:] / model.body_inertia[1:]
    assert np.allclose(mass[:, :, None], inertia, rtol=1e-4) == together


def test_named_elements_options_and_ranges_one_behind_the_other(path, backend):
    w = worlds(
        path,
        8,
        backend,
        geom_friction=mw.uniform([0.4, 0.005, 1e-4], [1.2, 0.01, 2e-4], of=["floor"]),
        dof_armature=[mw.scaled(2, 2), mw.shifted(1, 1, of=["spine_y"])],
        **{"opt.gravity": mw.shifted([0, 0, -0.2], [0, 0, 0.2])},
    )
    model, s = w.batch.model, w.s
    floor = model.id("geom", "floor")
    friction = s.own("geom_friction")
    assert (friction[:, floor] >= np.float32([0.4, 0.005, 1e-4])).all() and (friction[:, floor] <= np.float32([1.2, 0.01, 2e-4])).all()
    assert len(np.unique(friction[:, floor])) == 24
    others = np.arange(model.ngeom) != floor
    assert np.allclose(friction[:, others], model.geom_friction[others])
    dof = model.jnt_dofadr[model.id("joint", "spine_y")]
    assert np.allclose(s.own("dof_armature") - 2 * model.dof_armature, np.arange(model.nv) == dof, atol=1e-6)
    gravity = s.own("opt.gravity")
    assert s.own("opt.timestep").tolist() == [[w.batch.dtype.type(model.opt.timestep)]] * 8
    assert np.ptp(gravity[:, 2]) > 0.05 and np.allclose(gravity[:, 2], -9.81, atol=0.2001) and (gravity[:, :2] == 0).all()


@pytest.mark.parametrize(("backend", "tolerance"), [("cpu", 1e-9), ("simd", 1e-4)])
def test_steps_are_those_of_models_with_the_drawn_numbers(path, backend, tolerance):
    w = worlds(path, 2, backend, body_mass=mw.scaled(0.7, 1.4, each=True), dof_damping=mw.scaled(0.5, 2))
    for _ in range(4):
        w.step(np.zeros((2, w.batch.model.nu)))
    for k in range(2):
        m = mujoco.MjModel.from_xml_path(path)
        m.body_mass[:], m.dof_damping[:] = w.s.own("body_mass")[k], w.s.own("dof_damping")[k]
        d = mujoco.MjData(m)
        mujoco.mj_setConst(m, d)
        mujoco.mj_resetData(m, d)
        mujoco.mj_step(m, d, 12)
        assert np.abs(w.s.qpos[k] - d.qpos).max() < tolerance, k


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: mw.scaled(2, 1), "from the lower to the higher"),
        (lambda: mw.scaled(0, 1, log=True), "begins above 0"),
        (lambda: {"body_mas": mw.scaled(1, 2)}, "body_mass"),
        (lambda: {"geom_type": mw.scaled(1, 2)}, "geom_type"),
        (lambda: {"body_mass": mw.scaled(1, 2, of=["nobody"])}, "nobody"),
        (lambda: {"body_mass": mw.scaled([1, 1], [2, 2])}, "do not fit"),
        (lambda: {"gravity": mw.scaled(1, 2, of=["floor"])}, "leave out `of`"),
        (lambda: {("body_mass", "dof_damping"): mw.scaled(1, 2, each=True)}, "different numbers of elements"),
    ],
)
def test_what_cannot_be_drawn_is_refused(path, given, message):
    with pytest.raises((ValueError, KeyError), match=message):
        task = Fall(path)
        task.randomize = given()
        Worlds(task, 2, backend="cpu", nthread=1)
