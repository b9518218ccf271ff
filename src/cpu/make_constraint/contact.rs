//! Rows of a contact: one if frictionless, two edges of the pyramid for each friction direction, or the axes of the elliptic cone.

use super::{Row, Soft, Writer, set_regularization, soft};
use crate::cpu::collision::soft::{self, is_soft};
use crate::cpu::collision::sweep::speculates;
use crate::cpu::lib::contact::{ABSENT, bodies_of_pair};
use crate::cpu::lib::impedance::solver;
use crate::cpu::lib::lever::{lever_of, motions};
use crate::cpu::lib::math::*;
use crate::cpu::lib::penalty::is_passive;
use crate::cpu::lib::rows::{dofs_of, pattern_of, patterns};
use crate::real::{Mask, Real};
use crate::types::*;

impl<R: Real> Writer<'_, R> {
    pub(super) fn contact(&mut self, c: usize, k: usize) {
        let m = self.m;
        if is_passive(m, k) {
            self.d.contact_efc_address[c] = R::int(-1);
            return;
        }
        let mut present = self.d.contact_dist[c].lt(self.d.own.collision_margin(m, k));
        if speculates(m) {
            // a lane without the contact has no rows of it, regardless of other lanes; where rows are made again, it had some
            let soon = !R::int_is(self.d.contact_efc_address[c], -1) & !self.was_in_gap(c, k);
            present = present | (soon & self.d.contact_dist[c].lt(R::splat(ABSENT)));
        }
        self.d.contact_efc_address[c] = R::int(-1);
        let dim = m.collision_condim[k] as usize;
        if m.nadhesion == 0 {
            self.rows_of_contact(c, k, dim, present);
            return;
        }

        // contacts with adhesion have a frictionless row in the gap
        let seen = self.d.contact_dist[c].lt(R::splat(ABSENT));
        let sticks = nonzero(self.d.own.collision_adhesion(m, k));
        let gap = sticks & seen & !present;
        if dim == 1 {
            self.rows_of_contact(c, k, 1, present | gap);
        } else {
            self.rows_of_contact(c, k, dim, present);
            self.rows_of_contact(c, k, 1, gap);
        }
    }

    // where rows are made again: whether the contact had the row of the gap alone, which is still in its place
    fn was_in_gap(&self, c: usize, k: usize) -> R::Mask {
        let mut gap = R::zero();
        if self.m.nadhesion > 0 && self.m.collision_condim[k] > 1 {
            for lane in 0..R::WIDTH {
                let row = R::int_lane(self.d.contact_efc_address[c], lane);
                let row = usize::try_from(row).ok();
                let kind = row.map(|r| R::int_lane(self.d.efc_type[r], lane));
                if kind == Some(ConstraintType::ContactFrictionless as i32) {
                    gap.set_lane(lane, 1.0);
                }
            }
        }
        R::zero().lt(gap)
    }

    // rows of a contact in the lanes of a mask
    fn rows_of_contact(&mut self, c: usize, k: usize, dim: usize, present: R::Mask) {
        let m = self.m;

        // no rows in the gap, or between bodies without dofs
        let num = dofs_of(m, self.d, pattern_of(m, c, k)).len();
        let (kind, nrow) = match dim {
            1 => (ConstraintType::ContactFrictionless, 1),
            _ if m.opt.cone == Cone::Elliptic => (ConstraintType::ContactElliptic, dim),
            _ => (ConstraintType::ContactPyramidal, 2 * (dim - 1)),
        };
        if !present.any() || num == 0 || !self.reserve(nrow) {
            return;
        }
        let first = self.num;
        let address = &mut self.d.contact_efc_address[c];
        *address = R::select_int(present, R::int(first as i32), *address);
        match kind {
            ConstraintType::ContactElliptic => self.elliptic(c, k, dim, present),
            _ => self.pyramid(c, k, kind, nrow, present),
        }
        self.contact_jacobian(c, k, kind, dim, first);
    }

    // the normal row alone, or edges of a pyramid with the R that gives the friction impedance of the elliptic cone
    fn pyramid(&mut self, c: usize, k: usize, kind: ConstraintType, nrow: usize, present: R::Mask) {
        let m = self.m;
        let frictionless = kind == ConstraintType::ContactFrictionless;
        let [tran, _] = self.weights(c, k);
        let slide = self.d.own.collision_friction(m, 5 * k);
        let s = self.contact_soft(k);
        let row = Row {
            kind,
            id: c as i32,
            pattern: pattern_of(m, c, k),
            present,
            pos: self.d.contact_dist[c],
            size: self.d.contact_dist[c],
            margin: self.d.own.collision_margin(m, k),
            loss: R::zero(),
            diag: match frictionless {
                true => tran,
                false => tran + slide * slide * tran,
            },
        };
        // all edges get the parameters of the first
        let first = self.add(row, &s);
        if !frictionless {
            let mu2 = slide * slide / self.d.own.impratio(m).max(R::splat(MINVAL));
            let reg = self.d.efc_R[first] * (R::splat(2.0) * mu2);
            set_regularization(self.d, first, reg, present);
            self.repeat(first, nrow - 1);
        }
    }

    // normal, then friction axes: friction rows have no stiffness, possibly damping of their own, and R from their friction
    // coefficients
    fn elliptic(&mut self, c: usize, k: usize, dim: usize, present: R::Mask) {
        let m = self.m;
        let friction = |e: usize| self.d.own.collision_friction(m, 5 * k + e);
        let squares: [R; 5] = std::array::from_fn(|e| friction(e) * friction(e));
        let impratio = self.d.own.impratio(m).max(R::splat(MINVAL));
        let [tran, rot] = self.weights(c, k);
        let normal = self.contact_soft(k);
        let tangent = self.friction_soft(k, &normal);
        let (dist, margin) = (self.d.contact_dist[c], self.d.own.collision_margin(m, k));
        let first = self.num;
        for e in 0..dim {
            let row = Row {
                kind: ConstraintType::ContactElliptic,
                id: c as i32,
                pattern: pattern_of(m, c, k),
                present,
                pos: if e == 0 { dist } else { R::zero() },
                size: if e == 0 { dist } else { dist - margin },
                margin: if e == 0 { margin } else { R::zero() },
                loss: R::zero(),
                diag: if e < 3 { tran } else { rot },
            };
            let r = self.add(row, if e == 0 { &normal } else { &tangent });
            if e > 0 {
                self.d.efc_KBIP[4 * r] = R::zero();
                let ratio = squares[0] / squares[e - 1];
                let reg = self.d.efc_R[first] / impratio;
                set_regularization(self.d, r, reg * ratio, present);
            }
        }
    }

    // difference of the bodies' point Jacobians in the frame of the contact: second minus first
    fn contact_jacobian(
        &mut self,
        c: usize,
        k: usize,
        kind: ConstraintType,
        dim: usize,
        first: usize,
    ) {
        let (mut shares, mut levers) = (None, None);
        if is_soft(self.m, k) {
            let turning = [0, 1].map(|side| lever_of(self.m, self.d, c, k, side));
            let turned = [0, 1].map(|side| turning[side].is_some());
            shares = Some(soft::shares(self.m, self.d, c, k, turned));
            levers = motions(self.m, self.d, pattern_of(self.m, c, k), &turning);
        }
        let (m, d) = (self.m, &mut *self.d);
        let (pos, frame) = (d.contact_pos[c], d.contact_frame[c]);
        let offset = |b: usize, com: &[[R; 3]]| sub3(pos, com[m.body_rootid[b] as usize]);
        let arms = match shares {
            Some(_) => [[R::zero(); 3]; 2],
            None => bodies_of_pair(m, k).map(|b| offset(b, &d.subtree_com)),
        };
        let friction: [R; 5] = std::array::from_fn(|e| match e + 1 < dim {
            true => d.own.collision_friction(m, 5 * k + e),
            false => R::zero(),
        });
        let pattern = pattern_of(m, c, k);
        let dofs = patterns!(m, d).dofs(pattern);
        for (n, &dof) in dofs.iter().enumerate() {
            // motion of the point by one dof
            let dof = dof as usize;
            let cdof = &d.cdof[dof];
            let (sign, arm) = match &shares {
                None => {
                    let second = m.Jpat_side[m.Jpat_adr[pattern as usize] as usize + n] > 0;
                    let sign = if second { R::one() } else { -R::one() };
                    (sign, arms[usize::from(second)])
                }
                Some(shares) => {
                    let body = m.dof_bodyid[dof] as usize;
                    (shares[n], offset(body, &d.subtree_com))
                }
            };
            let rot = [cdof[0] * sign, cdof[1] * sign, cdof[2] * sign];
            let lin = [cdof[3] * sign, cdof[4] * sign, cdof[5] * sign];
            let (mut lin, mut rot) = (add3(lin, cross(rot, arm)), rot);
            if let Some(levers) = &levers {
                let [rx, ry, rz, x, y, z] = levers[n];
                (lin, rot) = (add3(lin, [x, y, z]), add3(rot, [rx, ry, rz]));
            }

            // in the frame of the contact: normal, tangents, spin, roll
            let mut axis = [R::zero(); 6];
            axis[..3].copy_from_slice(&mul_mat_vec3(frame, lin));
            if dim > 3 {
                axis[3..].copy_from_slice(&mul_mat_vec3(frame, rot));
            }
            let column = &mut d.efc_J[first * m.nJrow + n..];
            if kind == ConstraintType::ContactPyramidal {
                for e in 0..dim - 1 {
                    let slide = axis[e + 1] * friction[e];
                    column[2 * e * m.nJrow] = axis[0] + slide;
                    column[(2 * e + 1) * m.nJrow] = axis[0] - slide;
                }
            } else {
                for (e, &x) in axis[..dim].iter().enumerate() {
                    column[e * m.nJrow] = x;
                }
            }
        }
    }

    fn contact_soft(&self, k: usize) -> Soft<R> {
        let (m, own) = (self.m, &self.d.own);
        soft!(m, own, collision_solref[2 * k], collision_solimp[5 * k])
    }

    // solver parameters of the friction axes: the normal's, unless solreffriction is set and not mixed
    fn friction_soft(&self, k: usize, normal: &Soft<R>) -> Soft<R> {
        let (m, own) = (self.m, &self.d.own);
        let [a, b] = [0, 1].map(|n| own.collision_solreffriction(m, 2 * k + n));
        let mixed = R::zero().lt(a) ^ R::zero().lt(b);
        let whole = !mixed & (nonzero(a) | nonzero(b));
        if !whole.any() {
            return Soft {
                unresolved: R::zero(),
                ..*normal
            };
        }
        let friction = soft!(
            m,
            own,
            collision_solreffriction[2 * k],
            collision_solimp[5 * k]
        );
        Soft {
            solver: normal.solver,
            stiffness: R::select(whole, friction.stiffness, normal.stiffness),
            damping: R::select(whole, friction.damping, normal.damping),
            unresolved: R::zero(),
        }
    }

    // inverse weights of the bodies, translation and rotation
    fn weights(&self, c: usize, k: usize) -> [R; 2] {
        let (m, own) = (self.m, &self.d.own);
        if is_soft(m, k) {
            let mut sum = [R::zero(); 2];
            soft::for_sides(m, self.d, c, k, |lane, _, body, share| {
                for n in [0, 1] {
                    let weight = own.body_invweight0(m, 2 * body + n).lane(lane);
                    let more = sum[n].lane(lane) + weight * share;
                    sum[n].set_lane(lane, more);
                }
            });
            return sum;
        }
        let [body1, body2] = bodies_of_pair(m, k);
        [0, 1]
            .map(|n| own.body_invweight0(m, 2 * body1 + n) + own.body_invweight0(m, 2 * body2 + n))
    }
}
