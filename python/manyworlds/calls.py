"""Queries, which do not change the worlds: Jacobians, inertia, motion of objects, contact forces, rays, distances.

Quantities that depend on positions and velocities are of the current state, as in `mujoco.batch`, also after a step, which leaves arrays
such as `xpos` at the state where it began. Contact forces and accelerations are those of the last call. Results are float64 on every
backend. An argument with a row for every simulation of the call may also be one row for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from manyworlds import _core

# groups of geoms of MuJoCo
NGROUP = 6


class Transition(NamedTuple):
    """The linearised step: dx' = A dx + B du, ds = C dx + D du, with x = (qpos in the tangent space, qvel, act) of size ndx = 2 nv + na."""

    A: np.ndarray
    """Derivative of the next state by the state, (n, ndx, ndx)."""
    B: np.ndarray
    """Derivative of the next state by the controls, (n, ndx, nu)."""
    C: np.ndarray
    """Derivative of the sensors by the state, (n, nsensordata, ndx)."""
    D: np.ndarray
    """Derivative of the sensors by the controls, (n, nsensordata, nu)."""
    bad: np.ndarray
    """Ids of the worlds whose matrices are unreliable: a perturbed world diverged or overflowed."""


class Gradient(NamedTuple):
    """The gradient of one number with respect to the start and the controls of a rollout."""

    qpos: np.ndarray
    """By positions, (nsim, nq); zero along the length of a quaternion, which does not count."""
    qvel: np.ndarray
    """By velocities, (nsim, nv)."""
    act: np.ndarray
    """By activations, (nsim, na)."""
    ctrl: np.ndarray
    """By controls, (nstep, nsim, nu)."""


class Tape:
    """The steps of a rollout, linearised on the way (`Batch.record`)."""

    qpos: np.ndarray
    """Positions after every step, (nstep, nsim, nq)."""
    qvel: np.ndarray
    """Velocities after every step, (nstep, nsim, nv)."""
    act: np.ndarray
    """Activations after every step, (nstep, nsim, na)."""
    sensordata: np.ndarray
    """What the sensors read during every step, at the state before it, (nstep, nsim, nsensordata)."""
    bad: np.ndarray
    """Steps and worlds, (n, 2), whose slopes are unreliable: a perturbed world diverged or overflowed. Gradients end there."""

    def __init__(self, batch: Any, nstep: int, core: _core.Tape):
        m, nsim = batch.model, batch.nsim
        self._batch, self._core, self._widths = batch, core, (m.nq, m.nv, m.na)
        *state, sensordata = core.arrays()
        # the first rows of a state are those before the first step
        rows = (x.reshape(nstep + 1, nsim, width)[1:] for x, width in zip(state, self._widths, strict=True))
        self.qpos, self.qvel, self.act = rows
        self.sensordata = sensordata.reshape(nstep, nsim, m.nsensordata)
        self.bad = np.array(core.bad(), int).reshape(-1, 2)

    def pull_back(self, qpos: Any = 0.0, qvel: Any = 0.0, act: Any = 0.0, sensordata: Any = 0.0) -> Gradient:
        """Pulls a gradient back through all steps (a vector-Jacobian product): from that by the states after the steps and by the sensors, an
        array of the shape of `self.qpos` or one that broadcasts to it and so on, to that by the start and the controls."""
        of = (qpos, qvel, act, sensordata), (self.qpos, self.qvel, self.act, self.sensordata)
        rows = [np.broadcast_to(np.asarray(x, np.float64), like.shape).ravel() for x, like in zip(*of, strict=True)]
        found = self._core.pull_back(self._batch._core, rows)
        nsim, nu = self._batch.nsim, self._batch.model.nu
        qpos, qvel, act = (x.reshape(nsim, width) for x, width in zip(found[:3], self._widths, strict=True))
        return Gradient(qpos, qvel, act, found[3].reshape(len(self.sensordata), nsim, nu))


class InverseSlopes(NamedTuple):
    """Linearised inverse dynamics: a row for each output number, a column for each dof (MuJoCo's matrices, transposed)."""

    DfDq: np.ndarray
    """Derivative of qfrc_inverse by positions, (n, nv, nv)."""
    DfDv: np.ndarray
    """Derivative of qfrc_inverse by velocities, (n, nv, nv)."""
    DfDa: np.ndarray
    """Derivative of qfrc_inverse by accelerations, (n, nv, nv)."""
    DsDq: np.ndarray
    """Derivative of the sensors by positions, (n, nsensordata, nv)."""
    DsDv: np.ndarray
    """Derivative of the sensors by velocities, (n, nsensordata, nv)."""
    DsDa: np.ndarray
    """Derivative of the sensors by accelerations, (n, nsensordata, nv)."""
    DmDq: np.ndarray
    """Derivative of the inertia matrix M by positions, (n, nC, nv)."""
    bad: np.ndarray
    """Ids of the worlds whose matrices are unreliable: a perturbed world overflowed."""


class Calls:
    """The queries of `Batch`."""

    _core: Any
    model: Any

    if TYPE_CHECKING:

        @property
        def nsim(self) -> int: ...
        def _ids(self, ids: Any) -> np.ndarray: ...
        def _give_own(self) -> None: ...

    def jac(self, body: Any, point: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Translational and rotational Jacobians of a world point on a body (mj_jac): jacp, jacr, (n, 3, nv) each.

        `body` is a body id, or one per simulation of the call, (n,); `point` world-frame points (m), (3,) or (n, 3).
        """
        ids = self._ids(ids)
        bodies = self._spread(np.broadcast_to(np.asarray(body), ids.shape), ids, 0)
        return self._pair(self._look("jac", self._rows(point, ids, 3), _whole(bodies, "body")), ids)

    def jac_body(self, body: int, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of the origin of a body (mj_jacBody): jacp, jacr, (n, 3, nv) each."""
        return self._pair(self._look("jac_of", "body", body), self._ids(ids))

    def jac_body_com(self, body: int, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a body's center of mass (mj_jacBodyCom): jacp, jacr, (n, 3, nv) each."""
        return self._pair(self._look("jac_of", "com", body), self._ids(ids))

    def jac_site(self, site: int, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a site (mj_jacSite): jacp, jacr, (n, 3, nv) each."""
        return self._pair(self._look("jac_of", "site", site), self._ids(ids))

    def jac_geom(self, geom: int, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a geom's center (mj_jacGeom): jacp, jacr, (n, 3, nv) each."""
        return self._pair(self._look("jac_of", "geom", geom), self._ids(ids))

    def jac_subtree_com(self, body: int, ids: Any = None) -> np.ndarray:
        """Jacobian of the center of mass of a body's subtree (mj_jacSubtreeCom), (n, 3, nv)."""
        return self._look("jac_subtree_com", body).reshape(self.nsim, 3, self.model.nv)[self._ids(ids)]

    def full_m(self, ids: Any = None) -> np.ndarray:
        """The inertia matrix (mj_fullM), (n, nv, nv)."""
        return self._look("full_m").reshape(self.nsim, self.model.nv, self.model.nv)[self._ids(ids)]

    def mul_m(self, vec: Any, ids: Any = None) -> np.ndarray:
        """The inertia matrix times `vec` (mj_mulM), (n, nv)."""
        ids = self._ids(ids)
        return self._look("mul_m", self._rows(vec, ids, self.model.nv)).reshape(self.nsim, -1)[ids]

    def solve_m(self, vec: Any, ids: Any = None) -> np.ndarray:
        """The inverse of the inertia matrix times `vec` (mj_solveM), (n, nv)."""
        ids = self._ids(ids)
        return self._look("solve_m", self._rows(vec, ids, self.model.nv)).reshape(self.nsim, -1)[ids]

    def apply_ft(self, force: Any, torque: Any, point: Any, body: int, ids: Any = None) -> np.ndarray:
        """Generalized force of a force (N) and a torque (N m) on a body at a world point (m) (mj_applyFT), (n, nv)."""
        ids = self._ids(ids)
        force, torque, point = (self._rows(x, ids, 3) for x in (force, torque, point))
        return self._look("apply_ft", force, torque, point, body).reshape(self.nsim, -1)[ids]

    def object_velocity(self, objtype: int, objid: int, flg_local: bool = False, ids: Any = None) -> np.ndarray:
        """Velocity of an object at its position, angular (rad/s) before linear (m/s) (mj_objectVelocity), (n, 6).

        `objtype` is an mjtObj: mjOBJ_BODY (the inertial frame), mjOBJ_XBODY, mjOBJ_GEOM, mjOBJ_SITE or mjOBJ_CAMERA. The vectors are in
        the world's axes, with `flg_local` in the object's own.
        """
        return self._look("object_velocity", int(objtype), objid, bool(flg_local)).reshape(self.nsim, 6)[self._ids(ids)]

    def object_acceleration(self, objtype: int, objid: int, flg_local: bool = False, ids: Any = None) -> np.ndarray:
        """Acceleration of an object, with gravity as an accelerometer measures it (mj_objectAcceleration), (n, 6), like `object_velocity`.

        It is of the last call that computed accelerations of bodies: any call if a sensor needs them, else a step with `rne_post`.
        """
        return self._look("object_acceleration", int(objtype), objid, bool(flg_local)).reshape(self.nsim, 6)[self._ids(ids)]

    def contact_force(self, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Number of contacts, (n,), and the force (N) and torque (N m) of each in its frame (mj_contactForce), (n, nconmax, 6).

        Contacts of the last call, in the order of `contact_pos` and `contact_frame`; rows after the last contact are zero.
        """
        ids = self._ids(ids)
        ncon, force = self._look("contact_force")
        return ncon[ids], force.reshape(self.nsim, self._core.room[0], 6)[ids]

    def geom_distance(self, geom1: int, geom2: int, distmax: float, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Signed distance of two geoms up to `distmax` (m), (n,), and their nearest points in the world frame (m), (n, 6)
        (mj_geomDistance); `distmax` and zeros if they are farther apart."""
        ids = self._ids(ids)
        dist, fromto = self._look("geom_distance", geom1, geom2, distmax)
        return dist[ids], fromto.reshape(self.nsim, 6)[ids]

    def ray(
        self,
        pnt: Any,
        vec: Any,
        geomgroup: Any = None,
        flg_static: bool = True,
        bodyexclude: Any = -1,
        ids: Any = None,
        normal: bool = False,
    ) -> tuple[np.ndarray, ...]:
        """Intersects rays with the geoms of each simulation (mj_ray): dist, geomid, (n, nray) each, -1 for a miss; with `normal`,
        also the surface normals, (n, nray, 3), zero for a miss.

        `pnt` and `vec` are broadcast to (n, nray, 3): (3,) is one ray, (nray, 3) the same rays in every simulation. `geomgroup`
        includes groups of geoms, (6,), `flg_static` includes static geoms, `bodyexclude` is a body whose geoms a ray
        ignores, or -1, broadcast to (n, nray).
        """
        return self._rays(pnt, vec, geomgroup, flg_static, bodyexclude, ids, normal, None)

    def multi_ray(
        self,
        pnt: Any,
        vec: Any,
        geomgroup: Any = None,
        flg_static: bool = True,
        bodyexclude: Any = -1,
        cutoff: float = np.inf,
        ids: Any = None,
        normal: bool = False,
    ) -> tuple[np.ndarray, ...]:
        """Intersects rays from one point, (3,) or (n, 3), along `vec`, (nray, 3) or (n, nray, 3), with the geoms of each simulation
        (mj_multiRay), like `ray`; geoms whose bounding sphere is farther from the point than `cutoff` (m) are ignored."""
        return self._rays(pnt, vec, geomgroup, flg_static, bodyexclude, ids, normal, float(cutoff))

    def integrate_pos(self, qpos: Any, qvel: Any, dt: float) -> np.ndarray:
        """Positions integrated with velocities over a time (s) (mj_integratePos): a new array, (nsim, nq)."""
        ids = self._ids(None)
        qpos, qvel = self._rows(qpos, ids, self.model.nq), self._rows(qvel, ids, self.model.nv)
        return _core.integrate_pos(self._core, qpos, qvel, float(dt)).reshape(self.nsim, -1)

    def differentiate_pos(self, dt: float, qpos1: Any, qpos2: Any) -> np.ndarray:
        """Velocities that take one position to another in a time (s) (mj_differentiatePos), (nsim, nv)."""
        ids = self._ids(None)
        qpos1, qpos2 = self._rows(qpos1, ids, self.model.nq), self._rows(qpos2, ids, self.model.nq)
        return _core.differentiate_pos(self._core, float(dt), qpos1, qpos2).reshape(self.nsim, -1)

    def transition(self, eps: float | None = None, centered: bool = False, ids: Any = None) -> Transition:
        """Linearises the step at the state of every world (mjd_transitionFD), by finite differences over worlds perturbed by `eps` in one
        number each; with `centered` in both directions. Without `eps` the differences suit the precision of the backend."""
        slopes, bad = self._look("transition", self._differences(eps, centered))
        nu, ns, ndx = self.model.nu, self.model.nsensordata, 2 * self.model.nv + self.model.na
        shapes = [(ndx, ndx), (ndx, nu), (ns, ndx), (ns, nu)]
        return Transition._make([*self._matrices(slopes, shapes, ids), np.array(bad, int)])

    def inverse_slopes(
        self, eps: float | None = None, centered: bool = False, actuation: bool = False, ids: Any = None
    ) -> InverseSlopes:
        """Linearises inverse dynamics at the state and the accelerations `qacc` of every world (mjd_inverseFD); with `actuation` the
        force of the actuators is subtracted first. `eps` and `centered` are as in `transition`."""
        slopes, bad = self._look("inverse_slopes", self._differences(eps, centered), bool(actuation))
        nv, ns, nC = self.model.nv, self.model.nsensordata, self.model.nC
        shapes = [(nv, nv)] * 3 + [(ns, nv)] * 3 + [(nC, nv)]
        return InverseSlopes._make([*self._matrices(slopes, shapes, ids), np.array(bad, int)])

    def recover_force(self, qfrc: Any, ids: Any = None) -> np.ndarray:
        """The actuator forces of least norm whose generalized force is nearest to `qfrc`, (nv,) or (n, nv), by the
        pseudo-inverse of the moments of the last call: (n, nout)."""
        ids = self._ids(ids)
        return self._look("recover", self._rows(qfrc, ids, self.model.nv), False).reshape(self.nsim, -1)[ids]

    def recover_ctrl(self, qfrc: Any, ids: Any = None) -> np.ndarray:
        """The controls that produce the actuator forces of `recover_force`, (n, nu); an actuator whose force is not a gain
        times its control, plus a bias, is an error."""
        ids = self._ids(ids)
        return self._look("recover", self._rows(qfrc, ids, self.model.nv), True).reshape(self.nsim, -1)[ids]

    @staticmethod
    def _differences(eps: float | None, centered: bool) -> tuple[float, bool] | None:
        if eps is None and centered:
            raise ValueError("centered: give eps too; without eps the backend chooses how differences are taken")
        return None if eps is None else (float(eps), bool(centered))

    def _matrices(self, flat, shapes, ids):
        ids = self._ids(ids)
        return (x.reshape(self.nsim, *shape)[ids] for x, shape in zip(flat, shapes, strict=True))

    def _rays(self, pnt, vec, geomgroup, flg_static, bodyexclude, ids, normal, cutoff):
        ids, one_point = self._ids(ids), cutoff is not None
        pnt, vec = np.asarray(pnt, np.float64), np.atleast_2d(np.asarray(vec, np.float64))
        nray = vec.shape[-2]
        if one_point:
            points = self._rows(pnt, ids, 3)
        else:
            pnt = np.atleast_2d(pnt)
            nray = np.broadcast_shapes(pnt.shape[:-1], vec.shape[:-1])[-1]
            points = self._spread(np.broadcast_to(pnt, (len(ids), nray, 3)), ids, 0.0).ravel()
        # worlds that are not in the call get dummy rays
        directions = self._spread(np.broadcast_to(vec, (len(ids), nray, 3)), ids, 1.0).ravel()
        exclude = self._spread(np.broadcast_to(np.asarray(bodyexclude), (len(ids), nray)), ids, -1)
        groups = None if geomgroup is None else [bool(x) for x in np.asarray(geomgroup).ravel()]
        if groups is not None and len(groups) != NGROUP:
            raise ValueError(f"geomgroup: {NGROUP} numbers are needed, {len(groups)} were given")
        out = self._look("ray", nray, points, directions, groups, bool(flg_static), _whole(exclude, "bodyexclude"), cutoff)
        shapes = [(nray,), (nray,), (nray, 3)]
        arrays = tuple(x.reshape(self.nsim, *shape)[ids] for x, shape in zip(out, shapes, strict=True))
        return arrays if normal else arrays[:2]

    def _look(self, name: str, *args):
        self._give_own()
        return getattr(_core, name)(self._core, *args)

    # expands the rows of the worlds `ids` to rows of all worlds; the others get `other`
    def _spread(self, rows: np.ndarray, ids: np.ndarray, other: float) -> np.ndarray:
        if len(ids) == self.nsim and np.array_equal(ids, np.arange(self.nsim)):
            return np.ascontiguousarray(rows)
        whole = np.full((self.nsim, *rows.shape[1:]), other, rows.dtype)
        whole[ids] = rows
        return whole

    def _rows(self, values: Any, ids: np.ndarray, width: int) -> np.ndarray:
        rows = np.broadcast_to(np.asarray(values, np.float64), (len(ids), width))
        return self._spread(rows, ids, 0.0).ravel()

    def _pair(self, pair, ids: np.ndarray):
        first, second = (x.reshape(self.nsim, 3, self.model.nv)[ids] for x in pair)
        return first, second


def _whole(values: np.ndarray, name: str) -> list[int]:
    """Integers as a list."""
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name}: integers are needed, not {values.dtype}")
    return values.ravel().tolist()
