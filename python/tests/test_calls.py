"""Queries of the worlds, against MuJoCo's functions and mujoco.batch, on several backends."""

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw

mujoco = pytest.importorskip("mujoco")
import mujoco.batch  # noqa: E402

NSIM = 4
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@pytest.fixture
def worlds(humanoid, backend):
    """Worlds after a fall under different controls, and MuJoCo's model and the MjData of each."""
    batch = mw.Batch(humanoid, NSIM, backend=backend, rne_post=True)
    ctrl = np.random.default_rng(1).uniform(-1, 1, (NSIM, humanoid.nu))
    batch.ctrl = ctrl.astype(batch.dtype)
    batch.step(nstep=150)
    m = mujoco.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    return batch, m, [known(batch, m, sim) for sim in range(NSIM)]


def known(batch, m, sim):
    data = mujoco.MjData(m)
    batch.get_data(sim, data)
    mujoco.mj_forward(m, data)
    mujoco.mj_rnePostConstraint(m, data)
    return data


def close(have, want, batch):
    """Compares to 1e-10 (double precision) or 1e-4 (single precision) of the largest number."""
    want = np.asarray(want)
    assert have.shape == want.shape and have.dtype in (np.float64, np.int32)
    most = 1e-10 if batch.dtype == np.float64 else 1e-4
    assert np.abs(have - want).max(initial=0) <= most * (1 + np.abs(want).max(initial=0))


def each(data, call, *shapes):
    """The arrays of these shapes that a function of MuJoCo fills, for every world."""
    rows = []
    for d in data:
        out = [np.zeros(shape) for shape in shapes]
        call(d, *out)
        rows.append(out)
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_jacobians_are_mujocos(worlds):
    batch, m, data = worlds
    points = np.random.default_rng(2).uniform(-1, 1, (NSIM, 3))
    bodies = np.array([3, 5, 1, 7])
    shape = (3, m.nv)
    jacp, jacr = batch.jac(bodies, points)
    for sim, d in enumerate(data):
        wantp, wantr = np.zeros(shape), np.zeros(shape)
        mujoco.mj_jac(m, d, wantp, wantr, points[sim], bodies[sim])
        close(jacp[sim], wantp, batch)
        close(jacr[sim], wantr, batch)
    for have, call in [
        (batch.jac_body(5), lambda d, p, r: mujoco.mj_jacBody(m, d, p, r, 5)),
        (batch.jac_body_com(5), lambda d, p, r: mujoco.mj_jacBodyCom(m, d, p, r, 5)),
        (batch.jac_site(0), lambda d, p, r: mujoco.mj_jacSite(m, d, p, r, 0)),
        (batch.jac_geom(4), lambda d, p, r: mujoco.mj_jacGeom(m, d, p, r, 4)),
    ]:
        want = each(data, call, shape, shape)
        close(have[0], want[0], batch)
        close(have[1], want[1], batch)
    (want,) = each(data, lambda d, p: mujoco.mj_jacSubtreeCom(m, d, p, 2), shape)
    close(batch.jac_subtree_com(2), want, batch)


def test_inertia_and_forces_are_mujocos(worlds):
    batch, m, data = worlds
    rng = np.random.default_rng(3)
    vec = rng.uniform(-1, 1, (NSIM, m.nv))
    (full,) = each(data, lambda d, x: mujoco.mj_fullM(m, d, x), (m.nv, m.nv))
    close(batch.full_m(), full, batch)
    close(batch.mul_m(vec), np.einsum("nij,nj->ni", full, vec), batch)
    close(batch.solve_m(vec), np.linalg.solve(full, vec[..., None])[..., 0], batch)
    assert np.array_equal(batch.mul_m(vec[0])[1], batch.mul_m(np.tile(vec[0], (NSIM, 1)))[1])
    force, torque, point = rng.uniform(-1, 1, (3, 3))
    (want,) = each(data, lambda d, x: mujoco.mj_applyFT(m, d, force, torque, point, 4, x), (m.nv,))
    close(batch.apply_ft(force, torque, point, 4), want, batch)


def slope(batch):
    """Tolerance of derivatives by finite differences, relative to the largest."""
    return 1e-5 if batch.dtype == np.float64 else 5e-3


def test_the_step_is_linearised_as_by_mujoco(thrown):
    batch, m, data = thrown
    found = batch.transition()
    nx, nu = 2 * m.nv, m.nu
    assert len(found.bad) == 0 and found.C.shape == (NSIM, m.nsensordata, nx)
    for sim, d in enumerate(data):
        A, B = np.zeros((nx, nx)), np.zeros((nx, nu))
        mujoco.mjd_transitionFD(m, d, 1e-6, True, A, B, None, None)
        assert np.abs(found.A[sim] - A).max() < slope(batch) * np.abs(A).max()
        assert np.abs(found.B[sim] - B).max() < slope(batch) * np.abs(B).max()
    assert np.array_equal(batch.transition(ids=[2]).A, found.A[2:3])
    with pytest.raises(ValueError, match="give eps too"):
        batch.transition(centered=True)


def test_gradients_are_pulled_back_through_rollouts(thrown):
    batch, m, data = thrown
    rng = np.random.default_rng(7)
    ctrl = rng.uniform(-0.5, 0.5, (2, NSIM, m.nu))
    by = [rng.normal(size=(2, NSIM, width)) for width in (m.nq, m.nv)]
    tape = batch.record(ctrl)
    assert np.array_equal(tape.qpos[-1].astype(batch.dtype), batch.qpos) and tape.bad.shape == (0, 2)
    found = tape.pull_back(*by)
    assert [x.shape for x in found] == [(NSIM, m.nq), (NSIM, m.nv), (NSIM, 0), (2, NSIM, m.nu)]

    def value(name, place, eps):
        """What the rollout of world 2 amounts to, with one of its numbers moved."""
        d, u = mujoco.MjData(m), ctrl[:, 2].copy()
        for field in ("qpos", "qvel"):
            getattr(d, field)[:] = getattr(data[2], field)
        (u if name == "ctrl" else getattr(d, name))[place] += eps
        total = 0.0
        for k in range(2):
            d.ctrl[:] = u[k]
            mujoco.mj_step(m, d)
            total += by[0][k, 2] @ d.qpos + by[1][k, 2] @ d.qvel
        return total

    for name, places in (("qpos", [0, 3, 5, 12]), ("qvel", [1, 4, 15]), ("ctrl", [(0, 0), (0, 7), (1, 3)])):
        have = found.ctrl[:, 2] if name == "ctrl" else getattr(found, name)[2]
        for place in places:
            want = (value(name, place, 1e-6) - value(name, place, -1e-6)) / 2e-6
            assert abs(have[place] - want) < slope(batch) * np.abs(have).max()
    # one row for all, and nothing for the positions
    speed = tape.pull_back(qvel=by[1][0, 0])
    assert np.allclose(speed.ctrl, tape.pull_back(0.0, np.broadcast_to(by[1][0, 0], tape.qvel.shape)).ctrl, rtol=0, atol=0)
    with pytest.raises(ValueError, match="an array .nstep, 4, 21. is needed"):
        batch.record(ctrl[0])


def test_inverse_dynamics_are_linearised_as_by_mujoco(thrown):
    batch, m, data = thrown
    found = batch.inverse_slopes()
    for sim, d in enumerate(data):
        d.qacc[:] = batch.qacc[sim]
        want = [np.zeros((m.nv, m.nv)) for _ in range(3)]
        mujoco.mjd_inverseFD(m, d, 1e-6, False, *want, None, None, None, None)
        for name, w in zip(("DfDq", "DfDv", "DfDa"), want, strict=True):
            assert np.abs(getattr(found, name)[sim] - w.T).max() < slope(batch) * np.abs(w).max(), name


def test_controls_come_back_from_their_force(thrown):
    batch, _, _ = thrown
    close(batch.recover_ctrl(batch.qfrc_actuator), batch.ctrl, batch)
    close(batch.recover_force(batch.qfrc_actuator), batch.actuator_force, batch)


@pytest.fixture
def thrown(humanoid, backend):
    """Humanoids in the air with no joint at its limit, and MuJoCo's model and the MjData of each."""
    batch = mw.Batch(humanoid, NSIM, backend=backend)
    rng = np.random.default_rng(5)
    batch.ctrl = rng.uniform(-1, 1, (NSIM, humanoid.nu)).astype(batch.dtype)
    batch.qvel = rng.normal(0, 1, (NSIM, humanoid.nv)).astype(batch.dtype)
    m = mujoco.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    qpos = batch.qpos.copy()
    qpos[:, 2] += 1
    qpos[:, 7:] = m.jnt_range[1:].mean(axis=1)
    batch.qpos = qpos
    batch.forward()
    return batch, m, [known(batch, m, sim) for sim in range(NSIM)]


def objects():
    """Types of moving objects, with an id of each."""
    kinds = mujoco.mjtObj
    return [(kinds.mjOBJ_BODY, 6), (kinds.mjOBJ_XBODY, 6), (kinds.mjOBJ_GEOM, 9), (kinds.mjOBJ_SITE, 0), (kinds.mjOBJ_CAMERA, 1)]


@pytest.mark.parametrize("local", [False, True])
def test_velocities_of_objects_are_mujocos(worlds, local):
    batch, m, data = worlds
    for kind, number in objects():
        (want,) = each(data, lambda d, x, k=kind, n=number: mujoco.mj_objectVelocity(m, d, k, n, x, local), (6,))
        close(batch.object_velocity(kind, number, local), want, batch)


@pytest.mark.parametrize("local", [False, True])
def test_accelerations_of_objects_are_those_behind_the_step(worlds, local):
    batch, m, data = worlds
    batch.step()
    for d in data:
        mujoco.mj_step(m, d)
        mujoco.mj_rnePostConstraint(m, d)
    for kind, number in objects():
        (want,) = each(data, lambda d, x, k=kind, n=number: mujoco.mj_objectAcceleration(m, d, k, n, x, local), (6,))
        close_to_the_solver(batch.object_acceleration(kind, number, local), want, batch)


def close_to_the_solver(have, want, batch):
    """Compares to the accuracy of solver forces, which the solver's tolerance limits."""
    most = 1e-7 if batch.dtype == np.float64 else 1e-3
    assert np.abs(have - want).max() <= most * (1 + np.abs(want).max())


def test_contact_forces_are_mujocos(worlds):
    batch, m, data = worlds
    batch.forward()
    ncon, force = batch.contact_force()
    assert ncon.tolist() == [d.ncon for d in data] and ncon.max() > 0
    for sim, d in enumerate(data):
        want = np.zeros(force.shape[1:])
        for k in range(d.ncon):
            mujoco.mj_contactForce(m, d, k, want[k])
        close_to_the_solver(force[sim], want, batch)
    some = batch.contact_force(ids=[2])
    assert np.array_equal(some[0], ncon[2:3]) and np.array_equal(some[1], force[2:3])


def test_distances_are_mujocos(worlds):
    batch, m, data = worlds
    for first, second in [(5, 0), (8, 11)]:
        dist, fromto = batch.geom_distance(first, second, 5.0)
        (want,) = each(data, lambda d, x, a=first, b=second: mujoco.mj_geomDistance(m, d, a, b, 5.0, x), (6,))
        close(fromto, want, batch)
        close(dist, [mujoco.mj_geomDistance(m, d, first, second, 5.0, None) for d in data], batch)


def test_jac_and_ray_are_those_of_mujoco_batch(worlds):
    """Same arguments, shapes and numbers, for the state after the step."""
    batch, m, _ = worlds
    theirs = mujoco.batch.Batch(m, NSIM)
    theirs.qpos[:], theirs.qvel[:] = batch.read("qpos"), batch.read("qvel")
    rng = np.random.default_rng(4)
    points, vec = rng.uniform(-1, 1, (NSIM, 3)), rng.uniform(-1, 1, (6, 3)) - [0, 0, 0.5]
    start = np.array([0, 0, 2.5])
    for ids in (None, [1, 3], np.array([True, False, True, False])):
        n = NSIM if ids is None else 2
        for have, want in zip(batch.jac(5, points[:n], ids), theirs.jac(5, points[:n], ids), strict=True):
            close(have, want, batch)
        for how in (
            dict(normal=True),
            dict(geomgroup=[0, 1, 1, 1, 1, 1]),
            dict(flg_static=False, bodyexclude=np.arange(6), normal=True),
        ):
            for pnt, directions in ((start, vec), (start + points[:n, None], vec), (start, vec[0])):
                if "bodyexclude" in how and directions.ndim == 1:
                    continue
                have, want = batch.ray(pnt, directions, ids=ids, **how), theirs.ray(pnt, directions, ids=ids, **how)
                assert len(have) == len(want) and have[1].dtype == want[1].dtype
                assert np.array_equal(have[1], want[1])
                for x, y in zip(have, want, strict=True):
                    close(x, y, batch)


def test_rays_from_a_point_are_mujocos(worlds):
    batch, m, data = worlds
    vec = np.random.default_rng(5).uniform(-0.3, 0.3, (8, 3)) - [0, 0, 1]
    pnt = np.array([0.1, 0, 2.5])
    for cutoff in (1.0, 10.0):
        dist, geomid, normal = batch.multi_ray(pnt, vec, cutoff=cutoff, normal=True)
        for sim, d in enumerate(data):
            want = np.zeros(8), np.zeros(8, np.int32), np.zeros((8, 3))
            mujoco.mj_multiRay(m, d, pnt, vec.ravel(), None, 1, -1, want[1], want[0], want[2].ravel(), 8, cutoff)
            assert np.array_equal(geomid[sim], want[1])
            close(dist[sim], want[0], batch)
            close(normal[sim], want[2], batch)


def test_positions_are_integrated_and_differentiated(worlds):
    batch, m, data = worlds
    start = np.array([d.qpos for d in data])
    vel = np.random.default_rng(6).uniform(-1, 1, (NSIM, m.nv))
    moved = batch.integrate_pos(start, vel, 0.3)
    for sim in range(NSIM):
        want, rate = start[sim].copy(), np.zeros(m.nv)
        mujoco.mj_integratePos(m, want, vel[sim], 0.3)
        mujoco.mj_differentiatePos(m, rate, 0.5, start[sim], want)
        assert np.allclose(moved[sim], want, rtol=0, atol=1e-12)
        assert np.allclose(batch.differentiate_pos(0.5, start, moved)[sim], rate, rtol=0, atol=1e-12)


def test_live_arrays_are_seen_and_worlds_stay(humanoid, backend):
    batch = mw.Batch(humanoid, 2, backend=backend)
    qpos = batch.bind("qpos")
    before = batch.jac_body(3)[0]
    qpos[1, 7:] += 0.4
    after = batch.jac_body(3)[0]
    assert np.array_equal(before[0], after[0]) and np.abs(before[1] - after[1]).max() > 0.01
    state = batch.get_state(STATE)
    batch.full_m(), batch.contact_force(), batch.ray([0, 0, 3], [0, 0, -1])
    assert np.array_equal(batch.get_state(STATE), state)


def test_expanded_fields_are_seen():
    model = mw.Model.from_xml_path(MODELS / "humanoid.xml")
    batch = mw.Batch(model, 2, backend="cpu")
    mass, inertia = batch.expand("body_mass"), batch.expand("body_inertia")
    mass[1] *= 2
    inertia[1] *= 2
    full = batch.full_m()
    assert np.allclose(full[1, :3, :3], 2 * full[0, :3, :3])


def test_bad_arguments_say_what_is_wrong(humanoid, backend):
    batch = mw.Batch(humanoid, 2, backend=backend)
    with pytest.raises(ValueError, match="body 99: the model has"):
        batch.jac(99, [0, 0, 0])
    with pytest.raises(TypeError, match="body: integers are needed"):
        batch.jac(1.5, [0, 0, 0])
    with pytest.raises(ValueError, match="has no length"):
        batch.ray([0, 0, 1], [0, 0, 0])
    with pytest.raises(ValueError, match="geomgroup: 6 numbers"):
        batch.ray([0, 0, 1], [0, 0, 1], geomgroup=[1, 0])
    with pytest.raises(ValueError, match="broadcast"):
        batch.mul_m(np.zeros(3))
    with pytest.raises(ValueError, match="is not a value of mjtObj"):
        batch.object_velocity(-5, 0)
    with pytest.raises(ValueError, match="rne_post"):
        batch.object_acceleration(1, 1)
