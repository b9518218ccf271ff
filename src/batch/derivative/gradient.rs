//! Gradients pulled back through steps.

use super::Transition;
use crate::cpu::lib::math::mul_quat;
use crate::fields::Model;
use crate::types::{JointType, MINVAL};

/// The gradient of a number with respect to the state and the controls of one world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// By `qpos`, nq numbers. Along the length of a quaternion it is zero, since that does not count.
    pub qpos: Vec<f64>,
    /// By `qvel`, nv numbers.
    pub qvel: Vec<f64>,
    /// By `act`, na numbers.
    pub act: Vec<f64>,
    /// By `ctrl`, nu numbers. What is pulled back needs none: the state after a step has no controls left.
    pub ctrl: Vec<f64>,
    /// By the `sensordata` of the step, nsensordata numbers, or empty if no sensor counts. Empty after pulling back.
    pub sensordata: Vec<f64>,
}

impl Transition {
    /// Pulls a gradient back through the step of one world: from `gradient`, with respect to the state after the step, to that with
    /// respect to the state and the controls before it (a vector–Jacobian product). `before` and `after` are the world's `qpos` (nq) on
    /// either side; a quaternion need not have length one. Sensors are those that the step reads, at the state before it.
    ///
    /// Applied from the last step of a rollout to the first, as [`crate::batch::Tape`] does, it gives the gradient of any function of the rollout.
    /// Worlds may also be the instants of one rollout, so that all are linearised at once.
    ///
    /// ```
    /// use manyworlds::batch::{Backend, Gradient, Settings};
    /// use manyworlds::{Batch, Model};
    ///
    /// # fn main() -> manyworlds::Result<()> {
    /// let model = Model::from_xml_path("models/cartpole.xml")?;
    /// let mut batch = Batch::with(&model, 1, Settings::default().backend(Backend::Cpu))?;
    /// let (before, slopes) = (batch.reals("qpos")?.to_vec(), batch.transition(None)?);
    /// batch.step(1)?;
    /// // how the cart's place after the step depends on what was before it
    /// let place = Gradient { qpos: vec![1.0, 0.0], qvel: vec![0.0; 2], ..Gradient::default() };
    /// let by = slopes.pull_back(&model, 0, &before, batch.reals("qpos")?, &place);
    /// assert!((by.qpos[0] - 1.0).abs() < 1e-3 && (by.qvel[0] - model.opt.timestep).abs() < 1e-3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If `world` is not one of the batch, or a number of values does not fit the model.
    pub fn pull_back(
        &self,
        m: &Model,
        world: usize,
        before: &[f64],
        after: &[f64],
        gradient: &Gradient,
    ) -> Gradient {
        let mut next = to_tangent(m, after, &gradient.qpos);
        next.extend(&gradient.qvel);
        next.extend(&gradient.act);
        assert_eq!(next.len(), self.ndx, "gradient by the state after the step");
        let sensors = match gradient.sensordata.as_slice() {
            [] => &vec![0.0; m.nsensordata],
            some => some,
        };
        assert_eq!(sensors.len(), m.nsensordata, "gradient by sensordata");
        let pull = |state: &[f64], sensed: &[f64], columns: usize| {
            let mut out = vec![0.0; columns];
            add_product(&mut out, state, world, &next);
            add_product(&mut out, sensed, world, sensors);
            out
        };
        let state = pull(&self.A, &self.C, self.ndx);
        let (tangent, rest) = state.split_at(m.nv);
        let (qvel, act) = rest.split_at(m.nv);
        Gradient {
            qpos: from_tangent(m, before, tangent),
            qvel: qvel.to_vec(),
            act: act.to_vec(),
            ctrl: pull(&self.B, &self.D, m.nu),
            sensordata: Vec::new(),
        }
    }
}

// adds the product of a row and a world's matrix, among the matrices of all worlds
fn add_product(out: &mut [f64], matrices: &[f64], world: usize, row: &[f64]) {
    let size = row.len() * out.len();
    let matrix = &matrices[world * size..][..size];
    for (slopes, x) in matrix.chunks_exact(out.len().max(1)).zip(row) {
        out.iter_mut()
            .zip(slopes)
            .for_each(|(sum, slope)| *sum += slope * x);
    }
}

// the quaternion whose direction a rotation about an axis of the body takes, where `quat` is
fn turned(quat: [f64; 4], axis: usize) -> [f64; 4] {
    mul_quat(quat, std::array::from_fn(|k| f64::from(k == axis + 1)))
}

// addresses of a joint's quaternion and of its rotations; the numbers before them are those of a free joint's translation
fn quaternion(m: &Model, j: usize) -> Option<[usize; 2]> {
    let adr = [m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize];
    match JointType::from_i32(m.jnt_type[j]) {
        Some(JointType::Free) => Some(adr.map(|adr| adr + 3)),
        Some(JointType::Ball) => Some(adr),
        _ => None,
    }
}

fn quat_of(qpos: &[f64], adr: usize) -> [f64; 4] {
    std::array::from_fn(|k| qpos[adr + k])
}

// numbers that are the same in positions and in the tangent space: their addresses in both
fn straight(m: &Model, j: usize) -> impl Iterator<Item = [usize; 2]> {
    let [padr, vadr] = [m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize];
    let num = match JointType::from_i32(m.jnt_type[j]) {
        Some(JointType::Free) => 3,
        Some(JointType::Ball) => 0,
        _ => 1,
    };
    (0..num).map(move |k| [padr + k, vadr + k])
}

// a gradient by positions as one in the tangent space
fn to_tangent(m: &Model, qpos: &[f64], gradient: &[f64]) -> Vec<f64> {
    assert_eq!(
        [qpos.len(), gradient.len()],
        [m.nq; 2],
        "numbers of positions"
    );
    let mut out = vec![0.0; m.nv];
    for j in 0..m.njnt {
        straight(m, j).for_each(|[p, v]| out[v] = gradient[p]);
        if let Some([p, v]) = quaternion(m, j) {
            for axis in 0..3 {
                let way = turned(quat_of(qpos, p), axis);
                let along = way.iter().zip(&gradient[p..]).map(|(x, y)| x * y);
                out[v + axis] = 0.5 * along.sum::<f64>();
            }
        }
    }
    out
}

// a gradient in the tangent space as one by positions
fn from_tangent(m: &Model, qpos: &[f64], gradient: &[f64]) -> Vec<f64> {
    assert_eq!(qpos.len(), m.nq, "numbers of positions");
    let mut out = vec![0.0; m.nq];
    for j in 0..m.njnt {
        straight(m, j).for_each(|[p, v]| out[p] = gradient[v]);
        if let Some([p, v]) = quaternion(m, j) {
            let quat = quat_of(qpos, p);
            let square = quat.iter().map(|x| x * x).sum::<f64>();
            for axis in 0..3 {
                let way = turned(quat, axis);
                let along = 2.0 * gradient[v + axis] / square.max(MINVAL);
                (0..4).for_each(|k| out[p + k] += along * way[k]);
            }
        }
    }
    out
}
