//! The constraint Jacobian of a world, sparse and dense.

use super::Batch;
use crate::cpu::lib::rows::Patterns;
use crate::error::Result;

/// The Jacobian of the constraint rows of a world, row by row (MuJoCo's sparse `efc_J`): `nefc` rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConstraintJacobian {
    /// Number of dofs, which are the columns.
    pub nv: usize,
    /// Number of entries of each row.
    pub rownnz: Vec<i32>,
    /// Index of a row's first entry in `colind` and `value`.
    pub rowadr: Vec<i32>,
    /// Dof of each entry, ascending within a row.
    pub colind: Vec<i32>,
    /// Entries: derivative of the row's residual velocity by the dof's velocity.
    pub value: Vec<f64>,
}

impl ConstraintJacobian {
    /// The dense matrix, nefc × nv.
    pub fn dense(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.rownnz.len() * self.nv];
        for (r, (&adr, &num)) in self.rowadr.iter().zip(&self.rownnz).enumerate() {
            let entries = adr as usize..(adr + num) as usize;
            for (&j, &x) in self.colind[entries.clone()]
                .iter()
                .zip(&self.value[entries])
            {
                out[r * self.nv + j as usize] = x;
            }
        }
        out
    }
}

impl Batch {
    /// The Jacobian of the constraint rows of every world, as the last call left them, in the order of the arrays `efc_…`.
    ///
    /// A row has an entry for each dof that can move it, whether or not the entry is zero in this state. The dense matrix that MuJoCo's
    /// option `jacobian="dense"` asks for is [`ConstraintJacobian::dense`]; the option changes nothing else here.
    pub fn efc_jacobian(&mut self) -> Result<Vec<ConstraintJacobian>> {
        let nefc = self.ints("nefc")?.to_vec();
        let patterns = self.ints("efc_Jpat")?.to_vec();
        let entries = self.reals("efc_J")?.to_vec();
        let num = self.ints("contact_dofnum")?.to_vec();
        let dofs = self.ints("contact_dof")?.to_vec();
        let m = &self.model;
        let world = |(w, &nefc): (usize, &i32)| {
            let mut out = ConstraintJacobian {
                nv: m.nv,
                ..ConstraintJacobian::default()
            };
            let own = Patterns {
                m,
                num: &num[w * m.nconelem..],
                dof: &dofs[w * m.nconelem * m.nJelem..],
            };
            for r in (w * m.njmax..).take(nefc as usize) {
                let dofs = own.dofs(patterns[r]);
                out.rownnz.push(dofs.len() as i32);
                out.rowadr.push(out.value.len() as i32);
                out.colind.extend(dofs);
                out.value.extend(&entries[r * m.nJrow..][..dofs.len()]);
            }
            out
        };
        Ok(nefc.iter().enumerate().map(world).collect())
    }
}
