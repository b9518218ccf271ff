//! The linearised step.

use super::{Block, Differences, Ends, Moved, Place};
use crate::batch::Batch;
use crate::batch::tangent::differentiate_pos;
use crate::error::Result;
use crate::fields::Model;

/// The step linearised at the state of every world: dx' = A dx + B du, ds = C dx + D du, with x = (q, v, act) of
/// `ndx = 2 nv + na` in the tangent space, u = ctrl, s = sensordata.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(non_snake_case, reason = "the names that control theory gives")]
#[non_exhaustive]
pub struct Transition {
    /// 2 nv + na.
    pub ndx: usize,
    /// Slope of the next state over the state, N × ndx × ndx.
    pub A: Vec<f64>,
    /// Slope of the next state over the controls, N × ndx × nu. Zero where a control range leaves no room to move.
    pub B: Vec<f64>,
    /// Slope of the sensors over the state, N × nsensordata × ndx.
    pub C: Vec<f64>,
    /// Slope of the sensors over the controls, N × nsensordata × nu.
    pub D: Vec<f64>,
    /// Worlds whose matrices are not to be trusted: one of their perturbed worlds diverged or overflowed.
    pub bad: Vec<usize>,
}

/// Results of a step for the perturbed worlds: N' × nq, nv, na, nsensordata.
struct Stepped {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    sensors: Vec<f64>,
}

impl Batch {
    /// Linearises the step at the state of every world, which does not change (`mjd_transitionFD`): slopes of the next state and of
    /// the sensors over state and controls. `by` says how differences are taken; the default suits the precision of the backend.
    ///
    /// Every world becomes 1 + nu + 2 nv + na worlds, each with one number moved, and all of them make one step on the backend of
    /// this batch (with [`crate::batch::Backend::Auto`]: the GPU if this batch is there, else the `f64` reference). A control at an end
    /// of its range is moved inwards only. The perturbed worlds are kept for the next call.
    ///
    /// Fails like [`Batch::with`] and [`Batch::step`], and with [`crate::Error::Input`] if `eps` is not a positive number, or if fields of
    /// the model differ ([`Batch::expand`]): the perturbed worlds share one model.
    pub fn transition(&mut self, by: Option<Differences>) -> Result<Transition> {
        let m = &self.model;
        let (nu, nv, na) = (m.nu, m.nv, m.na);
        let columns = (0..nu).map(Moved::Ctrl).chain((0..nv).map(Moved::Pos));
        let columns = columns
            .chain((0..nv).map(Moved::Vel))
            .chain((0..na).map(Moved::Act));
        let mut out = Transition::new(m, self.nworld);
        let columns = columns.collect();
        let fill = |m: &Model, block: &Block, stepped: &Stepped, place: &Place<'_>| {
            out.fill(m, block, stepped, place);
        };
        out.bad = self.differences("transition", by, columns, step, fill)?;
        Ok(out)
    }
}

// one step of all perturbed worlds
fn step(inner: &mut Batch) -> Result<Stepped> {
    inner.step(1)?;
    Ok(Stepped {
        qpos: inner.reals("qpos")?.to_vec(),
        qvel: inner.reals("qvel")?.to_vec(),
        act: inner.reals("act")?.to_vec(),
        sensors: inner.reals("sensordata")?.to_vec(),
    })
}

impl Transition {
    fn new(m: &Model, nworld: usize) -> Self {
        let ndx = 2 * m.nv + m.na;
        let zeros = |rows: usize, columns: usize| vec![0.0; nworld * rows * columns];
        Self {
            ndx,
            A: zeros(ndx, ndx),
            B: zeros(ndx, m.nu),
            C: zeros(m.nsensordata, ndx),
            D: zeros(m.nsensordata, m.nu),
            bad: Vec::new(),
        }
    }

    // the columns of a world
    fn fill(&mut self, m: &Model, block: &Block, stepped: &Stepped, place: &Place<'_>) {
        let (w, ndx, ns) = (place.world, self.ndx, m.nsensordata);
        for (column, moved) in block.columns.iter().enumerate() {
            let Some(ends) = block.ends(m, column, place.base, place.ctrl) else {
                continue;
            };
            let (state, sensors) = stepped.slope(m, &ends);
            let (x, s, n, column) = match moved {
                Moved::Ctrl(i) => (&mut self.B, &mut self.D, m.nu, *i),
                _ => (&mut self.A, &mut self.C, ndx, column - m.nu),
            };
            for (row, slope) in state.iter().enumerate() {
                x[(w * ndx + row) * n + column] = *slope;
            }
            for (row, slope) in sensors.iter().enumerate() {
                s[(w * ns + row) * n + column] = *slope;
            }
        }
    }
}

impl Stepped {
    // slopes between the two worlds of a difference: state in the tangent space, sensors
    fn slope(&self, m: &Model, ends: &Ends) -> (Vec<f64>, Vec<f64>) {
        let mut state = vec![0.0; m.nv];
        let [a, b] = [ends.from, ends.to].map(|w| &self.qpos[w * m.nq..][..m.nq]);
        differentiate_pos(m, &mut state, ends.span, a, b);
        state.extend(ends.slopes(&self.qvel, m.nv));
        state.extend(ends.slopes(&self.act, m.na));
        (state, ends.slopes(&self.sensors, m.nsensordata).collect())
    }
}
