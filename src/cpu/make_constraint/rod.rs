//! Contacts of elastic rods whose edges twist: the point of a contact also moves as its edge turns.

use super::Writer;
use crate::cpu::lib::jac::for_chain;
use crate::cpu::lib::lever::{Lever, moved_by_end, moved_by_twist};
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::spatial::add_scl6;
use crate::real::Real;

impl<R: Real> Writer<'_, R> {
    /// Motion of the point of a contact by each dof of its pattern, turning and along the axes, for sides that are edges of twisting
    /// rods; none if no side is.
    pub(super) fn levers(&self, k: usize, levers: &[Option<Lever<R>>; 2]) -> Option<Vec<[R; 6]>> {
        if levers.iter().all(Option::is_none) {
            return None;
        }
        let dofs = dofs_of(self.m, self.m.collision_Jpat[k]);
        let mut out = vec![[R::zero(); 6]; dofs.len()];
        for lever in levers.iter().flatten() {
            self.add_lever(lever, dofs, &mut out);
        }
        Some(out)
    }

    fn add_lever(&self, lever: &Lever<R>, dofs: &[i32], out: &mut [[R; 6]]) {
        let (m, d) = (self.m, &self.d);
        let mut add = |n: usize, motion| out[n] = add_scl6(out[n], motion, lever.sign);
        for (end, v) in lever.ends.into_iter().enumerate() {
            let body = m.flex_vertbodyid[v] as usize;
            for_chain(m, body, dofs, |n, dof| {
                add(n, moved_by_end(m, d, lever, end, dof));
            });
        }
        if let Ok(n) = dofs.binary_search(&(lever.twist as i32)) {
            add(n, moved_by_twist(lever));
        }
    }
}
