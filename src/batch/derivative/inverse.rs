//! Linearised inverse dynamics.

use super::{Block, Differences, Moved, Place};
use crate::batch::Batch;
use crate::error::Result;
use crate::fields::Model;

/// Slopes of inverse dynamics at the state and the acceleration of every world, world after world, with a row for each output
/// and a column for each perturbed dof (MuJoCo's matrices of the same names, transposed).
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(non_snake_case, reason = "MuJoCo's names")]
#[non_exhaustive]
pub struct InverseSlopes {
    /// Slope of `qfrc_inverse` over positions (tangent space), N × nv × nv.
    pub DfDq: Vec<f64>,
    /// Slope of `qfrc_inverse` over velocities, N × nv × nv.
    pub DfDv: Vec<f64>,
    /// Slope of `qfrc_inverse` over accelerations, N × nv × nv.
    pub DfDa: Vec<f64>,
    /// Slope of the sensors over positions, N × nsensordata × nv.
    pub DsDq: Vec<f64>,
    /// Slope of the sensors over velocities, N × nsensordata × nv.
    pub DsDv: Vec<f64>,
    /// Slope of the sensors over accelerations, N × nsensordata × nv.
    pub DsDa: Vec<f64>,
    /// Slope of the inertia matrix `M` (its entries in the order of `M_colind`) over positions, N × nC × nv.
    pub DmDq: Vec<f64>,
    /// Worlds whose matrices are not to be trusted: one of their perturbed worlds overflowed.
    pub bad: Vec<usize>,
}

/// Results of inverse dynamics for the perturbed worlds: N' × nv, nsensordata, nC.
struct Inverted {
    force: Vec<f64>,
    sensors: Vec<f64>,
    inertia: Vec<f64>,
}

impl Batch {
    /// Linearises inverse dynamics at the state and the acceleration (`qacc`) of every world, neither of which changes (`mjd_inverseFD`).
    /// Returns slopes of `qfrc_inverse`, of the sensors and of the inertia matrix. `by` says how differences are taken; the default suits
    /// the precision of the backend. With `actuation` the actuator force is subtracted from `qfrc_inverse` first, so that
    /// its change counts too.
    ///
    /// Every world becomes 1 + 3 nv worlds, each with one number moved, on the backend of this batch, as in
    /// [`Batch::transition`]. The model's flag `invdiscrete` is respected.
    ///
    /// Fails like [`Batch::transition`] and [`Batch::inverse`].
    pub fn inverse_slopes(
        &mut self,
        by: Option<Differences>,
        actuation: bool,
    ) -> Result<InverseSlopes> {
        let nv = self.model.nv;
        let mut out = InverseSlopes::new(&self.model, self.nworld);
        let columns = (0..nv).map(Moved::Pos).chain((0..nv).map(Moved::Vel));
        let columns = columns.chain((0..nv).map(Moved::Acc)).collect();
        let invert = |inner: &mut Batch| invert(inner, actuation);
        let fill = |m: &Model, block: &Block, inverted: &Inverted, place: &Place<'_>| {
            out.fill(m, block, inverted, place);
        };
        out.bad = self.differences("inverse_slopes", by, columns, invert, fill)?;
        Ok(out)
    }
}

// inverse dynamics of all perturbed worlds
fn invert(inner: &mut Batch, actuation: bool) -> Result<Inverted> {
    let actuated = match actuation {
        true => {
            // forward dynamics overwrites qacc
            let given = inner.reals("qacc")?.to_vec();
            inner.forward()?;
            let force = inner.reals("qfrc_actuator")?.to_vec();
            inner.set("qacc", &given)?;
            force
        }
        false => Vec::new(),
    };
    inner.inverse()?;
    let mut force = inner.reals("qfrc_inverse")?.to_vec();
    force.iter_mut().zip(&actuated).for_each(|(f, a)| *f -= a);
    Ok(Inverted {
        force,
        sensors: inner.reals("sensordata")?.to_vec(),
        inertia: inner.reals("M")?.to_vec(),
    })
}

impl InverseSlopes {
    fn new(m: &Model, nworld: usize) -> Self {
        let zeros = |rows: usize| vec![0.0; nworld * rows * m.nv];
        Self {
            DfDq: zeros(m.nv),
            DfDv: zeros(m.nv),
            DfDa: zeros(m.nv),
            DsDq: zeros(m.nsensordata),
            DsDv: zeros(m.nsensordata),
            DsDa: zeros(m.nsensordata),
            DmDq: zeros(m.nC),
            bad: Vec::new(),
        }
    }

    // the columns of a world
    fn fill(&mut self, m: &Model, block: &Block, inverted: &Inverted, place: &Place<'_>) {
        for (column, moved) in block.columns.iter().enumerate() {
            let Some(ends) = block.ends(m, column, place.base, place.ctrl) else {
                continue;
            };
            let (forces, sensors) = match moved {
                Moved::Vel(_) => (&mut self.DfDv, &mut self.DsDv),
                Moved::Acc(_) => (&mut self.DfDa, &mut self.DsDa),
                _ => (&mut self.DfDq, &mut self.DsDq),
            };
            let put = |to: &mut [f64], x: &[f64], n: usize| {
                let to = to[place.world * n * m.nv..].iter_mut().skip(column % m.nv);
                let to = to.step_by(m.nv).zip(ends.slopes(x, n));
                to.for_each(|(to, slope)| *to = slope);
            };
            put(forces, &inverted.force, m.nv);
            put(sensors, &inverted.sensors, m.nsensordata);
            if let Moved::Pos(_) = moved {
                put(&mut self.DmDq, &inverted.inertia, m.nC);
            }
        }
    }
}
