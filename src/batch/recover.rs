//! Actuator forces and controls that produce a given generalized force, such as the result of inverse dynamics.

use super::Batch;
use super::look::{Sight, row_of};
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::types::{BiasType, DynType, GainType};

const MOMENTS: Sight =
    Sight::of_last_call(&["actuator_moment", "actuator_length", "actuator_velocity"]);
/// Singular values below this fraction of the largest count as zero.
const RANK: f64 = 1e-10;
/// Largest number of sweeps over all pairs of columns; six are common.
const SWEEPS: usize = 60;

impl Batch {
    /// The actuator forces (N, N m) that together come nearest to a generalized force, of least norm where several do,
    /// N × nout: the pseudo-inverse of `actuator_moment`, applied to `qfrc`, which is N × nv or one row for all worlds.
    ///
    /// With `qfrc_inverse` of [`Batch::inverse`] they are the forces that the actuators need for an acceleration. Moments are those of
    /// the last call. Force ranges are ignored; the batch does not change.
    ///
    /// Fails with [`Error::Input`] on another number of values.
    pub fn recover_force(&mut self, qfrc: &[f64]) -> Result<Vec<f64>> {
        self.check_rows("qfrc", self.model.nv, qfrc.len())?;
        self.find(MOMENTS, self.model.nout, &|m, d, w, row| {
            row.copy_from_slice(&forces(m, d, row_of(qfrc, m.nv, w)));
        })
    }

    /// The controls with which the actuators give the forces of [`Batch::recover_force`], N × nu: gain and bias inverted. Control
    /// ranges are ignored. A gain of zero gives a control of zero.
    ///
    /// Fails with [`Error::Input`] on another number of values, and where an actuator's force is not linear in its control
    /// (an activation, a muscle, a servo with a state), with the actuator's name.
    pub fn recover_ctrl(&mut self, qfrc: &[f64]) -> Result<Vec<f64>> {
        self.check_rows("qfrc", self.model.nv, qfrc.len())?;
        check_direct(&self.model)?;
        self.find(MOMENTS, self.model.nu, &|m, d, w, ctrl| {
            let force = forces(m, d, row_of(qfrc, m.nv, w));
            for i in 0..m.nactuator {
                let out = m.actuator_outadr[i] as usize;
                let affine = |prm: &[f64]| {
                    prm[0] + prm[1] * d.actuator_length[out] + prm[2] * d.actuator_velocity[out]
                };
                let gain = &m.actuator_gainprm[10 * i..];
                let gain = match m.actuator_gaintype[i] == GainType::Affine {
                    true => affine(gain),
                    false => gain[0],
                };
                let bias = match m.actuator_biastype[i] == BiasType::Affine {
                    true => affine(&m.actuator_biasprm[10 * i..]),
                    false => 0.0,
                };
                let u = m.actuator_ctrladr[i] as usize;
                ctrl[u] = match gain == 0.0 {
                    true => 0.0,
                    false => (force[out] - bias) / gain,
                };
            }
        })
    }
}

// an error unless every actuator's force is a gain times its present control, plus a bias
fn check_direct(m: &Model) -> Result<()> {
    for i in 0..m.nactuator {
        let gain = [GainType::Fixed, GainType::Affine].map(|x| m.actuator_gaintype[i] == x);
        let bias = [BiasType::None, BiasType::Affine].map(|x| m.actuator_biastype[i] == x);
        let own = m.actuator_plugin[i] < 0;
        let direct = own && m.actuator_dyntype[i] == DynType::None;
        if !(direct && gain.contains(&true) && bias.contains(&true)) {
            let name = m.names.actuator.get(i).map_or("", String::as_str);
            return Err(Error::Input(format!(
                "recover_ctrl: the force of actuator {i} \"{name}\" is not a gain times its control, plus a bias: \
                 recover_force returns the force that it has to give"
            )));
        }
    }
    Ok(())
}

// the forces of least norm that come nearest to a generalized force
fn forces(m: &Model, d: &Data, qfrc: &[f64]) -> Vec<f64> {
    let column = |r: usize| {
        let mut dense = vec![0.0; m.nv];
        let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
        for k in adr..adr + num {
            dense[m.moment_colind[k] as usize] += d.actuator_moment[k];
        }
        dense
    };
    least_squares((0..m.nout).map(column).collect(), qfrc)
}

/// The x of least norm that brings the columns times x nearest to b, by singular values: pairs of columns are rotated until they
/// are orthogonal (one-sided Jacobi, Hestenes 1958).
fn least_squares(mut columns: Vec<Vec<f64>>, b: &[f64]) -> Vec<f64> {
    let num = columns.len();
    let mut turned: Vec<Vec<f64>> = (0..num)
        .map(|i| (0..num).map(|k| f64::from(u8::from(i == k))).collect())
        .collect();
    for _ in 0..SWEEPS {
        let mut still = true;
        for i in 1..num {
            for j in 0..i {
                let [a, c] = [i, j].map(|k| dot(&columns[k], &columns[k]));
                let cross = dot(&columns[i], &columns[j]);
                if cross == 0.0 || cross * cross <= f64::EPSILON * f64::EPSILON * a * c {
                    continue;
                }
                still = false;
                let zeta = (c - a) / (2.0 * cross);
                let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cos = 1.0 / t.hypot(1.0);
                turn(&mut columns, [i, j], cos, cos * t);
                turn(&mut turned, [i, j], cos, cos * t);
            }
        }
        if still {
            break;
        }
    }
    let square = |column: &Vec<f64>| dot(column, column);
    let largest = columns.iter().map(square).fold(0.0, f64::max);
    let mut x = vec![0.0; num];
    for (column, turned) in columns.iter().zip(&turned) {
        let square = square(column);
        if square > RANK * RANK * largest {
            let part = dot(column, b) / square;
            x.iter_mut().zip(turned).for_each(|(x, v)| *x += part * v);
        }
    }
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

// rotates two columns in their plane
fn turn(columns: &mut [Vec<f64>], [i, j]: [usize; 2], cos: f64, sin: f64) {
    for k in 0..columns[i].len() {
        let (a, b) = (columns[i][k], columns[j][k]);
        columns[i][k] = cos * a - sin * b;
        columns[j][k] = sin * a + cos * b;
    }
}
