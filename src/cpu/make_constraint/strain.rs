//! Rows of the equality `flexstrain`: one for each mode of strain of a cell between nodes, or of a face of a shell.

use super::Writer;
use crate::cpu::lib::cage::{Patch, node_xpos, patch};
use crate::cpu::lib::math::*;
use crate::real::Real;

impl<R: Real> Writer<'_, R> {
    pub(super) fn strains(&mut self, i: usize, present: R::Mask) {
        let m = self.m;
        let num = m.eq_modenum[i] as usize;
        if m.Jpat_num[m.eq_Jpat[i] as usize] == 0 || num == 0 || !self.reserve(num) {
            return;
        }
        let f = m.eq_obj1id[i] as usize;
        let d = &*self.d;
        let patch = patch(m, d, f, m.eq_patch[i] as usize, |n| node_xpos(m, d, n));
        let mut diag = R::zero();
        for node in &patch.node[..patch.num] {
            diag += d
                .own
                .body_invweight0(m, 2 * m.flex_nodebodyid[*node] as usize);
        }
        let diag = diag * (R::one() / R::splat(patch.num as f64));
        let first = self.num;
        for r in 0..num {
            let mut pos = R::zero();
            for n in 0..patch.num {
                let away = patch.away(m, self.d, n);
                pos += dot3(self.mode(&patch, r, n), away);
            }
            self.equality(i, pos, pos, diag, present);
        }
        self.strains_jacobian(i, first, &patch);
    }

    // what a mode is at a node, in the frame of the patch
    fn mode(&self, patch: &Patch<R>, r: usize, n: usize) -> [R; 3] {
        let adr = patch.adr + 1 + 3 * (r * patch.num + n);
        [0, 1, 2].map(|k| self.d.own.flex_stiffness(self.m, adr + k))
    }

    // every dof moves the nodes, and a mode says how much of that is its strain
    fn strains_jacobian(&mut self, i: usize, first: usize, patch: &Patch<R>) {
        let m = self.m;
        let (num, pattern) = (m.eq_modenum[i] as usize, m.eq_Jpat[i] as usize);
        let adr = m.Jpat_adr[pattern] as usize;
        let dofs = &m.Jpat_dof[adr..adr + m.Jpat_num[pattern] as usize];
        for r in first..first + num {
            self.d.efc_J[r * m.nJrow..][..dofs.len()].fill(R::zero());
        }
        for n in 0..patch.num {
            let body = m.flex_nodebodyid[patch.node[n]] as usize;
            let com = self.d.subtree_com[m.body_rootid[body] as usize];
            let offset = sub3(patch.xpos[n], com);
            let body = m.body_weldid[body] as usize;
            let mut dof = m.body_dofadr[body] + m.body_dofnum[body] - 1;
            while body != 0 && dof >= 0 {
                let [rx, ry, rz, x, y, z] = self.d.cdof[dof as usize];
                let motion = add3([x, y, z], cross([rx, ry, rz], offset));
                let motion = mul_mat_t_vec3(patch.mat, motion);
                if let Ok(at) = dofs.binary_search(&dof) {
                    for r in 0..num {
                        let share = dot3(self.mode(patch, r, n), motion);
                        self.d.efc_J[(first + r) * m.nJrow + at] += share;
                    }
                }
                dof = m.dof_parentid[dof as usize];
            }
        }
    }
}
