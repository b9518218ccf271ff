//! Contacts of elastic rods whose edges twist: the point of a contact also moves as its edge turns.

use super::Writer;
use crate::cpu::collision::soft;
use crate::cpu::lib::jac::for_chain;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::{curvature, kept, twist_joint, vertex};
use crate::cpu::lib::rows::dofs_of;
use crate::real::Real;

/// An edge of a rod, as one side of a contact sees it.
struct Lever<R> {
    edge: [usize; 2],
    // 1 on the second side, -1 on the first
    sign: R,
    tangent: [R; 3],
    length: R,
    // twist of the frame with the end of the direction, on the shortest way from the kept direction
    bent: [R; 3],
    // parts of the vertices of the edge in the motion of its point
    share: [R; 2],
    // from there to the point of the contact
    arm: [R; 3],
}

impl<R: Real> Writer<'_, R> {
    /// Motion of the point of a contact by each dof of its pattern, and rotation there, for sides that are edges of twisting rods; none
    /// if no side is.
    pub(super) fn levers(
        &self,
        c: usize,
        k: usize,
        edges: [Option<[usize; 2]>; 2],
    ) -> Option<Vec<[[R; 3]; 2]>> {
        if edges == [None; 2] {
            return None;
        }
        let dofs = dofs_of(self.m, self.m.collision_Jpat[k]);
        let mut out = vec![[[R::zero(); 3]; 2]; dofs.len()];
        for (side, edge) in edges.into_iter().enumerate() {
            if let Some(edge) = edge {
                let lever = self.lever(c, k, side, edge);
                self.add_lever(&lever, dofs, &mut out);
            }
        }
        Some(out)
    }

    fn lever(&self, c: usize, k: usize, side: usize, [f, e]: [usize; 2]) -> Lever<R> {
        let (m, d) = (self.m, &self.d);
        let ends = [e, e + 1].map(|v| vertex(m, f, v));
        let [first, last] = ends.map(|v| d.flexvert_xpos[v]);
        let (tangent, length) = normalize3(sub3(last, first));
        let sign = if side == 0 { -R::one() } else { R::one() };
        let (part, arm) = match soft::vertex(m, k) {
            Some(v) => {
                // a vertex touches with its own sphere
                let [x, y, z, ..] = d.contact_frame[c];
                let part = if v == ends[0] { R::zero() } else { R::one() };
                (part, scl3([x, y, z], -sign * d.own.flex_radius(m, f)))
            }
            None => {
                let along = dot3(sub3(d.contact_pos[c], first), tangent);
                let along = clip(along, R::zero(), length);
                let point = add_scl3(first, tangent, along);
                (along / length, sub3(d.contact_pos[c], point))
            }
        };
        Lever {
            edge: [f, e],
            sign,
            tangent,
            length,
            bent: scl3(curvature(kept(m, &d.plastic, f, e), tangent), R::splat(0.5)),
            share: [R::one() - part, part],
            arm,
        }
    }

    fn add_lever(&self, lever: &Lever<R>, dofs: &[i32], out: &mut [[[R; 3]; 2]]) {
        let (m, d) = (self.m, &self.d);
        let [f, e] = lever.edge;
        let mut add = |n: usize, lin: [R; 3], rot: [R; 3]| {
            out[n] = [
                add_scl3(out[n][0], lin, lever.sign),
                add_scl3(out[n][1], rot, lever.sign),
            ];
        };

        // an end moves the point with its part, and turns the edge
        let turn = R::one() / lever.length;
        for (i, turn) in [-turn, turn].into_iter().enumerate() {
            let v = vertex(m, f, e + i);
            let body = m.flex_vertbodyid[v] as usize;
            let com = d.subtree_com[m.body_rootid[body] as usize];
            let offset = sub3(d.flexvert_xpos[v], com);
            for_chain(m, body, dofs, |n, dof| {
                let [rx, ry, rz, x, y, z] = d.cdof[dof];
                let moved = add3([x, y, z], cross([rx, ry, rz], offset));
                let twist = -dot3(lever.bent, moved);
                let rot = add_scl3(cross(lever.tangent, moved), lever.tangent, twist);
                let rot = scl3(rot, turn);
                let lin = scl3(moved, lever.share[i]);
                add(n, add3(lin, cross(rot, lever.arm)), rot);
            });
        }

        // the hinge turns the edge about itself
        let dof = twist_joint(m, f, e).map(|j| m.jnt_dofadr[j]);
        if let Some(n) = dof.and_then(|dof| dofs.binary_search(&dof).ok()) {
            add(n, cross(lever.tangent, lever.arm), lever.tangent);
        }
    }
}
