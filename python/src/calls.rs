//! Queries of the worlds for Python, which change nothing, and rollouts that are linearised, which step them: numbers in and out in
//! float64, row after row. Shapes, defaults and the choice of worlds are handled in Python.

use manyworlds::batch::{Among, Differences, Gradient};
use manyworlds::types::ObjType;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::error::raised;

type Reals<'py> = Bound<'py, PyArray1<f64>>;
type Ints<'py> = Bound<'py, PyArray1<i32>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

/// Jacobians of a point of a body, (nsim, 3, nv) each.
#[pyfunction]
pub fn jac<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    points: Given<'py>,
    bodies: Vec<usize>,
) -> PyResult<(Reals<'py>, Reals<'py>)> {
    let points = points.as_slice()?;
    let jac = batch.looked(py, |batch| batch.jac(points, &bodies))?;
    Ok((jac.jacp.to_pyarray(py), jac.jacr.to_pyarray(py)))
}

/// Jacobians of the origin of a body, its centre of mass, a site or a geom, (nsim, 3, nv) each.
#[pyfunction]
pub fn jac_of<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    what: &str,
    id: usize,
) -> PyResult<(Reals<'py>, Reals<'py>)> {
    let jac = batch.looked(py, |batch| match what {
        "body" => batch.jac_body(id),
        "com" => batch.jac_body_com(id),
        "site" => batch.jac_site(id),
        _ => batch.jac_geom(id),
    })?;
    Ok((jac.jacp.to_pyarray(py), jac.jacr.to_pyarray(py)))
}

/// Jacobian of the centre of mass of a body's subtree, (nsim, 3, nv).
#[pyfunction]
pub fn jac_subtree_com<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    body: usize,
) -> PyResult<Reals<'py>> {
    let jac = batch.looked(py, |batch| batch.jac_subtree_com(body))?;
    Ok(jac.to_pyarray(py))
}

/// The inertia matrix, (nsim, nv, nv).
#[pyfunction]
pub fn full_m<'py>(batch: &mut Batch, py: Python<'py>) -> PyResult<Reals<'py>> {
    Ok(batch.looked(py, manyworlds::Batch::full_m)?.to_pyarray(py))
}

/// The inertia matrix times a vector, (nsim, nv).
#[pyfunction]
pub fn mul_m<'py>(batch: &mut Batch, py: Python<'py>, vec: Given<'py>) -> PyResult<Reals<'py>> {
    let vec = vec.as_slice()?;
    Ok(batch.looked(py, |batch| batch.mul_m(vec))?.to_pyarray(py))
}

/// The inverse of the inertia matrix times a vector, (nsim, nv).
#[pyfunction]
pub fn solve_m<'py>(batch: &mut Batch, py: Python<'py>, vec: Given<'py>) -> PyResult<Reals<'py>> {
    let vec = vec.as_slice()?;
    Ok(batch.looked(py, |batch| batch.solve_m(vec))?.to_pyarray(py))
}

/// Generalized force of a force and a torque on a body at a point, (nsim, nv).
#[pyfunction]
pub fn apply_ft<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    force: Given<'py>,
    torque: Given<'py>,
    point: Given<'py>,
    body: usize,
) -> PyResult<Reals<'py>> {
    let (force, torque, point) = (force.as_slice()?, torque.as_slice()?, point.as_slice()?);
    let qfrc = batch.looked(py, |batch| batch.apply_ft(force, torque, point, body))?;
    Ok(qfrc.to_pyarray(py))
}

/// Velocity of an object, (nsim, 6).
#[pyfunction]
pub fn object_velocity<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    objtype: i32,
    id: usize,
    local: bool,
) -> PyResult<Reals<'py>> {
    let kind = kind(objtype)?;
    let vel = batch.looked(py, |batch| batch.object_velocity(kind, id, local))?;
    Ok(vel.to_pyarray(py))
}

/// Acceleration of an object, (nsim, 6).
#[pyfunction]
pub fn object_acceleration<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    objtype: i32,
    id: usize,
    local: bool,
) -> PyResult<Reals<'py>> {
    let kind = kind(objtype)?;
    let acc = batch.looked(py, |batch| batch.object_acceleration(kind, id, local))?;
    Ok(acc.to_pyarray(py))
}

/// Number of contacts, (nsim,), and their forces, (nsim, nconmax, 6).
#[pyfunction]
pub fn contact_force<'py>(batch: &mut Batch, py: Python<'py>) -> PyResult<(Ints<'py>, Reals<'py>)> {
    let all = batch.looked(py, manyworlds::Batch::contact_force)?;
    let ncon: Vec<i32> = all.ncon.iter().map(|&n| n as i32).collect();
    Ok((ncon.to_pyarray(py), all.force.to_pyarray(py)))
}

/// Signed distance of two geoms, (nsim,), and their nearest points, (nsim, 6).
#[pyfunction]
pub fn geom_distance<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    geom1: usize,
    geom2: usize,
    distmax: f64,
) -> PyResult<(Reals<'py>, Reals<'py>)> {
    let found = batch.looked(py, |batch| batch.geom_distance(geom1, geom2, distmax))?;
    Ok((found.dist.to_pyarray(py), found.fromto.to_pyarray(py)))
}

/// First hits of rays: distances and geom ids, (nsim, nray), and normals, (nsim, nray, 3). With a cutoff all rays of a world start
/// at one point.
#[pyfunction]
#[pyo3(signature = (batch, nray, pnt, vec, geomgroup, flg_static, bodyexclude, cutoff))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are given by name, in Python"
)]
pub fn ray<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    nray: usize,
    pnt: Given<'py>,
    vec: Given<'py>,
    geomgroup: Option<[bool; 6]>,
    flg_static: bool,
    bodyexclude: Vec<i32>,
    cutoff: Option<f64>,
) -> PyResult<(Reals<'py>, Ints<'py>, Reals<'py>)> {
    let among = Among::default()
        .geomgroup(geomgroup)
        .flg_static(flg_static)
        .bodyexclude(bodyexclude);
    let (pnt, vec) = (pnt.as_slice()?, vec.as_slice()?);
    let hits = batch.looked(py, |batch| match cutoff {
        None => batch.ray(nray, pnt, vec, &among),
        Some(cutoff) => batch.multi_ray(nray, pnt, vec, &among, cutoff),
    })?;
    Ok((
        hits.dist.to_pyarray(py),
        hits.geomid.to_pyarray(py),
        hits.normal.to_pyarray(py),
    ))
}

/// Matrices of derivatives, and the worlds where they are unreliable.
type Slopes<'py> = (Vec<Reals<'py>>, Vec<usize>);

// parameters of finite differences; none: the backend's default
fn differences(by: Option<(f64, bool)>) -> Option<Differences> {
    by.map(|(eps, centered)| Differences { eps, centered })
}

/// Linearised step: A, B, C, D.
#[pyfunction]
pub fn transition<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    by: Option<(f64, bool)>,
) -> PyResult<Slopes<'py>> {
    let by = differences(by);
    let found = batch.looked(py, |batch| batch.transition(by))?;
    let all = [&found.A, &found.B, &found.C, &found.D];
    Ok((all.map(|x| x.to_pyarray(py)).into(), found.bad))
}

/// Linearised steps of a rollout.
#[pyclass(frozen, module = "manyworlds._core")]
#[derive(Debug)]
pub struct Tape(manyworlds::batch::Tape);

/// Steps all worlds with controls, (nstep, nsim, nu), and linearises every step on the way.
#[pyfunction]
pub fn record(batch: &mut Batch, py: Python<'_>, nstep: usize, ctrl: Given<'_>) -> PyResult<Tape> {
    let mut tape = manyworlds::batch::Tape::default();
    let row = ctrl.len()? / nstep.max(1);
    batch.give(py)?;
    let mut steps = (0..nstep).map(|k| {
        py.check_signals()?;
        let ctrl = &ctrl.as_slice()?[k * row..][..row];
        batch.run(py, |batch| batch.record(&mut tape, ctrl))
    });
    let done = steps.try_for_each(|step| step);
    batch.take(py, None)?;
    done?;
    Ok(Tape(tape))
}

#[pymethods]
impl Tape {
    /// qpos before the first step and after every step, (nstep + 1, nsim, nq); qvel and act alike; sensordata of the steps.
    fn arrays<'py>(&self, py: Python<'py>) -> [Reals<'py>; 4] {
        let Self(tape) = self;
        [&tape.qpos, &tape.qvel, &tape.act, &tape.sensordata].map(|x| x.to_pyarray(py))
    }

    /// The steps and worlds whose slopes are unreliable.
    fn bad(&self) -> Vec<[usize; 2]> {
        self.0.bad()
    }

    /// Gradients by qpos, qvel, act before the first step, and by ctrl of all steps, from those by qpos, qvel, act after every step and by
    /// sensordata.
    fn pull_back<'py>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        gradient: [Given<'py>; 4],
    ) -> PyResult<[Reals<'py>; 4]> {
        let [qpos, qvel, act, sensordata] = gradient.map(|x| x.as_slice().map(<[f64]>::to_vec));
        let gradient = Gradient {
            qpos: qpos?,
            qvel: qvel?,
            act: act?,
            ctrl: Vec::new(),
            sensordata: sensordata?,
        };
        let found = py.detach(|| self.0.pull_back(batch.batch.model(), &gradient));
        let parts = [found.qpos, found.qvel, found.act, found.ctrl];
        Ok(parts.map(|x| x.to_pyarray(py)))
    }
}

/// Linearised inverse dynamics: DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq.
#[pyfunction]
pub fn inverse_slopes<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    by: Option<(f64, bool)>,
    actuation: bool,
) -> PyResult<Slopes<'py>> {
    let by = differences(by);
    let found = batch.looked(py, |batch| batch.inverse_slopes(by, actuation))?;
    let all = [
        &found.DfDq,
        &found.DfDv,
        &found.DfDa,
        &found.DsDq,
        &found.DsDv,
        &found.DsDa,
        &found.DmDq,
    ];
    Ok((all.map(|x| x.to_pyarray(py)).into(), found.bad))
}

/// Actuator forces that produce a generalized force, (nsim, nout), or the controls that do, (nsim, nu).
#[pyfunction]
pub fn recover<'py>(
    batch: &mut Batch,
    py: Python<'py>,
    qfrc: Given<'py>,
    ctrl: bool,
) -> PyResult<Reals<'py>> {
    let qfrc = qfrc.as_slice()?;
    let found = batch.looked(py, |batch| match ctrl {
        true => batch.recover_ctrl(qfrc),
        false => batch.recover_force(qfrc),
    })?;
    Ok(found.to_pyarray(py))
}

/// Positions integrated with velocities over a time, (nsim, nq).
#[pyfunction]
pub fn integrate_pos<'py>(
    batch: &Batch,
    py: Python<'py>,
    qpos: Given<'py>,
    qvel: Given<'py>,
    dt: f64,
) -> PyResult<Reals<'py>> {
    let (mut moved, qvel) = (qpos.as_slice()?.to_vec(), qvel.as_slice()?);
    py.detach(|| batch.batch.integrate_pos(&mut moved, qvel, dt))
        .map_err(raised)?;
    Ok(moved.to_pyarray(py))
}

/// Velocities between two positions, (nsim, nv).
#[pyfunction]
pub fn differentiate_pos<'py>(
    batch: &Batch,
    py: Python<'py>,
    dt: f64,
    qpos1: Given<'py>,
    qpos2: Given<'py>,
) -> PyResult<Reals<'py>> {
    let (qpos1, qpos2) = (qpos1.as_slice()?, qpos2.as_slice()?);
    let qvel = py.detach(|| batch.batch.differentiate_pos(dt, qpos1, qpos2));
    Ok(qvel.map_err(raised)?.to_pyarray(py))
}

impl Batch {
    // writes the live inputs into the worlds and runs a query without the interpreter's lock
    fn looked<T: Send>(
        &mut self,
        py: Python<'_>,
        look: impl FnOnce(&mut manyworlds::Batch) -> manyworlds::Result<T> + Send,
    ) -> PyResult<T> {
        self.give(py)?;
        self.run(py, look)
    }
}

fn kind(objtype: i32) -> PyResult<ObjType> {
    let unknown = || PyValueError::new_err(format!("objtype {objtype} is not a value of mjtObj"));
    ObjType::from_i32(objtype).ok_or_else(unknown)
}
