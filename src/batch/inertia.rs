//! The inertia matrix: as a dense matrix, its products and its solves.

use super::Batch;
use super::look::{Sight, row_of};
use crate::cpu::lib::sparse::{mul_m, solve_ld};
use crate::error::Result;

const MATRIX: Sight = Sight::of_inertia(&["M"]);
const FACTOR: Sight = Sight::of_inertia(&["qLD", "qLDiagInv"]);

impl Batch {
    /// The inertia matrix of every world as a dense symmetric matrix, N × nv × nv (`mj_fullM`), in kg, kg m or kg m² by whether the dofs are
    /// slides or hinges.
    ///
    /// Positions are those that [`Batch::look`] chooses; the batch does not change.
    pub fn full_m(&mut self) -> Result<Vec<f64>> {
        let nv = self.model.nv;
        self.find(MATRIX, nv * nv, &|m, d, _, full| {
            for i in 0..nv {
                let adr = m.M_rowadr[i] as usize;
                for k in adr..adr + m.M_rownnz[i] as usize {
                    let j = m.M_colind[k] as usize;
                    full[i * nv + j] = d.M[k];
                    full[j * nv + i] = d.M[k];
                }
            }
        })
    }

    /// The inertia matrix times a vector in every world, N × nv (`mj_mulM`): the force that an acceleration takes. `vec` is
    /// N × nv, or one row for all worlds. Like [`Batch::full_m`].
    ///
    /// Fails with [`crate::Error::Input`] on another number of values.
    pub fn mul_m(&mut self, vec: &[f64]) -> Result<Vec<f64>> {
        let nv = self.model.nv;
        self.check_rows("vec", nv, vec.len())?;
        self.find(MATRIX, nv, &|m, d, w, res| {
            mul_m(m, &d.M, res, row_of(vec, nv, w));
        })
    }

    /// The inverse of the inertia matrix times a vector in every world, N × nv, by its factor (`mj_solveM`): the acceleration due to
    /// a force. `vec` is N × nv, or one row for all worlds. Like [`Batch::full_m`].
    ///
    /// Fails with [`crate::Error::Input`] on another number of values.
    pub fn solve_m(&mut self, vec: &[f64]) -> Result<Vec<f64>> {
        let nv = self.model.nv;
        self.check_rows("vec", nv, vec.len())?;
        self.find(FACTOR, nv, &|m, d, w, x| {
            x.copy_from_slice(row_of(vec, nv, w));
            solve_ld(m, &d.qLD, &d.qLDiagInv, x);
        })
    }
}
