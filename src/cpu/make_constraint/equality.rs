//! Rows of equalities: connect, weld, joint, tendon and flex edges; those of strains are in `strain.rs`.

use super::{Row, Soft, Writer, soft};
use crate::cpu::lib::equality::{anchors, bodies, orientations};
use crate::cpu::lib::impedance::solver;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::{equality_awake, sleeps};
use crate::real::{Mask, Real};
use crate::types::*;

impl<R: Real> Writer<'_, R> {
    pub(super) fn equalities(&mut self) {
        for i in 0..self.m.neq {
            let present = self.active(i);
            if !present.any() {
                continue;
            }
            match EqType::from_i32(self.m.eq_type[i]) {
                Some(EqType::Connect) => self.two_bodies(i, 3, present),
                Some(EqType::Weld) => self.two_bodies(i, 6, present),
                Some(EqType::Joint) => self.joints(i, present),
                Some(EqType::Tendon) => self.tendons(i, present),
                Some(EqType::Flex) => self.edges(i, present),
                Some(EqType::FlexStrain) => self.strains(i, present),
                _ => {}
            }
        }
    }

    fn active(&self, i: usize) -> R::Mask {
        let mut active = R::zero();
        for lane in 0..R::WIDTH {
            active.set_lane(lane, f64::from(R::int_lane(self.d.eq_active[i], lane)));
        }
        let active = !active.le(R::zero());
        match sleeps(self.m) {
            true => active & equality_awake(self.m, self.d, i),
            false => active,
        }
    }

    // adds an equality row without its Jacobian; returns its number
    pub(super) fn equality(
        &mut self,
        i: usize,
        pos: R,
        size: R,
        diag: R,
        present: R::Mask,
    ) -> usize {
        self.equality_of(i, self.m.eq_Jpat[i], [pos, size, diag], present)
    }

    // the same with a given pattern; the numbers are pos, the size for the impedance, and the diagonal of A
    fn equality_of(
        &mut self,
        i: usize,
        pattern: i32,
        [pos, size, diag]: [R; 3],
        present: R::Mask,
    ) -> usize {
        let m = self.m;
        let s = soft!(m, self.d.own, eq_solref[2 * i], eq_solimp[5 * i]);
        let row = Row {
            kind: ConstraintType::Equality,
            id: i as i32,
            pattern,
            present,
            pos,
            size,
            margin: R::zero(),
            loss: R::zero(),
            diag,
        };
        self.add(row, &s)
    }

    // connect (3 rows) and weld (6): the points, then the orientations
    fn two_bodies(&mut self, i: usize, nrow: usize, present: R::Mask) {
        let m = self.m;
        let num = m.Jpat_num[m.eq_Jpat[i] as usize];
        if num == 0 || !self.reserve(nrow) {
            return;
        }
        let points = anchors(m, self.d, i);
        let scale = self.d.own.eq_data(m, 12 * i + 10);
        let mut pos = [R::zero(); 6];
        pos[..3].copy_from_slice(&sub3(points[0], points[1]));
        if nrow == 6 {
            let [quat1, quat2] = orientations(m, self.d, i);
            let dif = mul_quat(neg_quat(quat2), quat1);
            pos[3..].copy_from_slice(&scl3([dif[1], dif[2], dif[3]], scale));
        }
        let mut size = R::zero();
        pos.iter().for_each(|&x| size += x * x);
        let [body1, body2] = bodies(m, i);
        let first = self.num;
        for (k, &pos) in pos[..nrow].iter().enumerate() {
            let part = usize::from(k > 2);
            let diag = self.d.own.body_invweight0(m, 2 * body1 + part)
                + self.d.own.body_invweight0(m, 2 * body2 + part);
            self.equality(i, pos, size.sqrt(), diag, present);
        }
        self.two_bodies_jacobian(i, first, nrow, points);
    }

    // Jacobian of the first body minus that of the second
    fn two_bodies_jacobian(&mut self, i: usize, first: usize, nrow: usize, points: [[R; 3]; 2]) {
        let (m, d) = (self.m, &mut *self.d);
        let [body1, body2] = bodies(m, i);
        let arm =
            |n: usize, body: usize| sub3(points[n], d.subtree_com[m.body_rootid[body] as usize]);
        let arms = [arm(0, body1), arm(1, body2)];
        let quats = match nrow == 6 {
            true => orientations(m, d, i),
            false => [[R::zero(); 4]; 2],
        };
        let scale = R::splat(0.5) * d.own.eq_data(m, 12 * i + 10);
        let adr = m.Jpat_adr[m.eq_Jpat[i] as usize] as usize;
        for n in 0..m.Jpat_num[m.eq_Jpat[i] as usize] as usize {
            // motion of the points by one dof
            let side = m.Jpat_side[adr + n];
            let cdof = d.cdof[m.Jpat_dof[adr + n] as usize];
            let rot = [cdof[0], cdof[1], cdof[2]];
            let lin = [cdof[3], cdof[4], cdof[5]];
            let mut dif = [R::zero(); 3];
            if side <= 0 {
                dif = add3(lin, cross(rot, arms[0]));
            }
            if side >= 0 {
                dif = sub3(dif, add3(lin, cross(rot, arms[1])));
            }
            let column = &mut d.efc_J[first * m.nJrow + n..];
            (0..3).for_each(|k| column[k * m.nJrow] = dif[k]);
            if nrow == 3 {
                continue;
            }

            // rotation rows: half of inverse(q2) (rot1 - rot2) q1
            let turn = R::splat(f64::from(-side));
            let axis = [R::zero(), rot[0] * turn, rot[1] * turn, rot[2] * turn];
            let dif = mul_quat(mul_quat(neg_quat(quats[1]), axis), quats[0]);
            (0..3).for_each(|k| column[(3 + k) * m.nJrow] = dif[k + 1] * scale);
        }
    }

    fn joints(&mut self, i: usize, present: R::Mask) {
        let m = self.m;
        let (joint1, joint2) = (m.eq_obj1id[i] as usize, m.eq_obj2id[i]);
        let change = |j: usize, qpos: &[R]| {
            let adr = m.jnt_qposadr[j] as usize;
            qpos[adr] - self.d.own.qpos0(m, adr)
        };
        let weight = |j: usize| self.d.own.dof_invweight0(m, m.jnt_dofadr[j] as usize);
        let x1 = change(joint1, &self.d.qpos);
        let x2 = usize::try_from(joint2).map(|j| change(j, &self.d.qpos));
        let diag = weight(joint1) + usize::try_from(joint2).map_or(R::zero(), weight);
        let Some((r, slope)) = self.coupling(i, x1, x2.ok(), diag, present) else {
            return;
        };
        self.entry(i, r, m.jnt_dofadr[joint1], R::one());
        if let Ok(j) = usize::try_from(joint2) {
            self.entry(i, r, m.jnt_dofadr[j], -slope);
        }
    }

    fn tendons(&mut self, i: usize, present: R::Mask) {
        let m = self.m;
        let (tendon1, tendon2) = (m.eq_obj1id[i] as usize, m.eq_obj2id[i]);
        let moves2 = usize::try_from(tendon2).map(|t| self.tendon_moves(t));
        let moves1 = self.tendon_moves(tendon1);
        let present = present & moves2.map_or(moves1, |moves2| moves1 | moves2);
        if !present.any() {
            return;
        }
        let change = |t: usize, length: &[R]| length[t] - self.d.own.tendon_length0(m, t);
        let x1 = change(tendon1, &self.d.ten_length);
        let x2 = usize::try_from(tendon2).map(|t| change(t, &self.d.ten_length));
        let diag = self.d.own.tendon_invweight0(m, tendon1)
            + usize::try_from(tendon2).map_or(R::zero(), |t| self.d.own.tendon_invweight0(m, t));
        let Some((r, slope)) = self.coupling(i, x1, x2.ok(), diag, present) else {
            return;
        };
        self.tendon_entries(i, r, tendon1, R::one());
        if let Ok(t) = usize::try_from(tendon2) {
            self.tendon_entries(i, r, t, -slope);
        }
    }

    // rows for the lengths of the edges of a flex, all or none
    fn edges(&mut self, i: usize, present: R::Mask) {
        let m = self.m;
        let f = m.eq_obj1id[i] as usize;
        if m.flex_rownum[f] == 0 || !self.reserve(m.flex_rownum[f] as usize) {
            return;
        }
        let first = m.flex_edgeadr[f] as usize;
        for e in first..first + m.flex_edgenum[f] as usize {
            let num = m.flexedge_J_rownnz[e] as usize;
            if num == 0 || m.flexedge_rigid[e] != 0 {
                continue;
            }
            let pos = self.d.flexedge_length[e] - self.d.own.flexedge_length0(m, e);
            let diag = self.d.own.flexedge_invweight0(m, e);
            let r = self.equality_of(i, m.flexedge_Jpat[e], [pos, pos, diag], present);
            let adr = m.flexedge_J_rowadr[e] as usize;
            let d = &mut *self.d;
            d.efc_J[r * m.nJrow..][..num].copy_from_slice(&d.flexedge_J[adr..adr + num]);
        }
    }

    // coupling: one value as a quartic of another, or constant; returns the row, its Jacobian cleared, and the derivative of the
    // quartic
    fn coupling(
        &mut self,
        i: usize,
        x1: R,
        x2: Option<R>,
        diag: R,
        present: R::Mask,
    ) -> Option<(usize, R)> {
        let m = self.m;
        let num = m.Jpat_num[m.eq_Jpat[i] as usize] as usize;
        if num == 0 || !self.reserve(1) {
            return None;
        }
        let data = [0, 1, 2, 3, 4].map(|k| self.d.own.eq_data(m, 12 * i + k));
        let mut pos = x1 - data[0];
        let mut slope = R::zero();
        if let Some(x) = x2 {
            pos -= x * (data[1] + x * (data[2] + x * (data[3] + x * data[4])));
            let (two, three, four) = (R::splat(2.0), R::splat(3.0), R::splat(4.0));
            slope = data[1] + x * (two * data[2] + x * (three * data[3] + x * four * data[4]));
        }
        let r = self.equality(i, pos, pos, diag, present);
        self.d.efc_J[r * m.nJrow..][..num].fill(R::zero());
        Some((r, slope))
    }

    fn tendon_entries(&mut self, i: usize, r: usize, t: usize, scale: R) {
        let m = self.m;
        let adr = m.ten_J_rowadr[t] as usize;
        for k in adr..adr + m.ten_J_rownnz[t] as usize {
            let x = self.d.ten_J[k] * scale;
            self.entry(i, r, m.ten_J_colind[k], x);
        }
    }

    // adds to the Jacobian entry of a dof
    fn entry(&mut self, i: usize, r: usize, dof: i32, x: R) {
        let m = self.m;
        let pattern = m.eq_Jpat[i] as usize;
        let adr = m.Jpat_adr[pattern] as usize;
        for n in 0..m.Jpat_num[pattern] as usize {
            if m.Jpat_dof[adr + n] == dof {
                self.d.efc_J[r * m.nJrow + n] += x;
            }
        }
    }
}
