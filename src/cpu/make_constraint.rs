//! Constraint rows and their parameters (`mj_makeConstraint`).
//!
//! Rows are in MuJoCo's order: equalities, friction losses of dofs and tendons, limits of joints and tendons, contacts; inside
//! a kind by the model's elements. A row is made where any lane has it; lanes without it have D = 0 there, which is how rows
//! of several worlds side by side stay aligned. With one lane this is MuJoCo's own list.

mod contact;
mod equality;

use crate::cpu::lib::impedance::{Solver, damping, impedance, regularization, solver, stiffness};
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// How many rows there are: equalities, friction losses, limits, all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Equality rows.
    pub ne: usize,
    /// Friction loss rows.
    pub nf: usize,
    /// Limit rows.
    pub nl: usize,
    /// All rows.
    pub num: usize,
}

/// Constraint rows and their parameters (`mj_makeConstraint`).
pub fn make_constraint(m: &Model, d: &mut Data) {
    let ncon = d.ncon[0] as usize;
    let contact = std::mem::take(&mut d.contact_collision);
    let counts = make(m, d, &contact[..ncon], Room::Fixed);
    d.contact_collision = contact;
    d.ne[0] = counts.ne as i32;
    d.nf[0] = counts.nf as i32;
    d.nl[0] = counts.nl as i32;
    d.nefc[0] = counts.num as i32;
}

/// What to do when rows do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Rows that do not fit are left out, a whole contact at a time, and flagged.
    Fixed,
    /// Arrays grow: for worlds side by side, whose union has no bound of its own.
    Grows,
}

/// Makes the rows of a world, or of worlds side by side; `contact` gives the pair of each contact slot.
pub fn make<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], room: Room) -> Counts {
    let mut rows = Writer {
        m,
        d,
        room,
        num: 0,
        needed: 0,
    };
    let mut counts = Counts::default();
    if m.opt.disabled(DSBL_CONSTRAINT) {
        return counts;
    }

    // equalities
    if !m.opt.disabled(DSBL_EQUALITY) {
        rows.equalities();
    }
    counts.ne = rows.num;

    // friction losses
    if !m.opt.disabled(DSBL_FRICTIONLOSS) {
        rows.friction();
    }
    counts.nf = rows.num - counts.ne;

    // limits
    if !m.opt.disabled(DSBL_LIMIT) {
        rows.joint_limits();
        rows.tendon_limits();
    }
    counts.nl = rows.num - counts.ne - counts.nf;

    // contacts
    for (c, &k) in contact.iter().enumerate() {
        rows.contact(c, k as usize);
    }
    counts.num = rows.num;
    rows.tell();
    counts
}

struct Writer<'a, R: Real> {
    m: &'a Model,
    d: &'a mut Data<R>,
    room: Room,
    num: usize,
    needed: usize,
}

/// What a row says beside its Jacobian.
struct Row<R: Real> {
    kind: ConstraintType,
    id: i32,
    pattern: i32,
    present: R::Mask,
    pos: R,
    // what the impedance depends on: pos, or the size of the whole constraint's
    size: R,
    margin: f64,
    loss: f64,
    diag: f64,
}

impl<R: Real> Writer<'_, R> {
    // room for some rows more, behind all that were asked for; false if there is none
    fn reserve(&mut self, more: usize) -> bool {
        self.needed += more;
        if self.needed <= self.d.efc_pos.len() {
            return true;
        }
        if self.room == Room::Grows {
            self.d.resize(self.m, "njmax", 2 * self.needed);
        }
        self.room == Room::Grows
    }

    // a row without its Jacobian; its number
    fn add(&mut self, row: Row<R>, s: &Solver) -> usize {
        let (r, d) = (self.num, &mut *self.d);
        let margin = R::splat(row.margin);
        let pos = R::select(row.present, row.pos, margin);
        let imp = impedance(s, R::select(row.present, row.size, margin) - margin);
        let friction = matches!(
            row.kind,
            ConstraintType::FrictionDof | ConstraintType::FrictionTendon
        );
        let reg = regularization(&imp, row.diag);
        d.efc_type[r] = R::int(row.kind as i32);
        d.efc_id[r] = R::int(row.id);
        d.efc_Jpat[r] = R::int(row.pattern);
        d.efc_pos[r] = pos;
        d.efc_margin[r] = margin;
        d.efc_frictionloss[r] = R::splat(row.loss);
        d.efc_KBIP[4 * r] = if friction {
            R::zero()
        } else {
            R::splat(stiffness(s))
        };
        d.efc_KBIP[4 * r + 1] = R::splat(damping(s));
        d.efc_KBIP[4 * r + 2] = imp.value;
        d.efc_KBIP[4 * r + 3] = imp.slope;
        set_regularization(d, r, reg, row.present);
        self.num += 1;
        r
    }

    // the last row some times more, its Jacobian left out
    fn repeat(&mut self, last: usize, more: usize) {
        let (d, to) = (&mut *self.d, last + 1);
        for x in [
            &mut d.efc_pos,
            &mut d.efc_margin,
            &mut d.efc_frictionloss,
            &mut d.efc_diagA,
            &mut d.efc_D,
            &mut d.efc_R,
        ] {
            let value = x[last];
            x[to..to + more].fill(value);
        }
        for x in [&mut d.efc_type, &mut d.efc_id, &mut d.efc_Jpat] {
            let value = x[last];
            x[to..to + more].fill(value);
        }
        for k in 0..more {
            d.efc_KBIP.copy_within(4 * last..4 * last + 4, 4 * (to + k));
        }
        self.num += more;
    }

    fn friction(&mut self) {
        let m = self.m;
        let always = R::zero().le(R::zero());

        // of dofs
        for i in 0..m.nv {
            if m.dof_frictionloss[i] != 0.0 && self.reserve(1) {
                let s = solver(m, &m.dof_solref[2 * i..], &m.dof_solimp[5 * i..]);
                let row = Row {
                    kind: ConstraintType::FrictionDof,
                    id: i as i32,
                    pattern: m.dof_Jpat[i],
                    present: always,
                    pos: R::zero(),
                    size: R::zero(),
                    margin: 0.0,
                    loss: m.dof_frictionloss[i],
                    diag: m.dof_invweight0[i],
                };
                let r = self.add(row, &s);
                self.d.efc_J[r * m.nJrow] = R::one();
            }
        }

        // of tendons
        for i in 0..m.ntendon {
            if m.tendon_frictionloss[i] != 0.0 && self.reserve(1) {
                let s = solver(
                    m,
                    &m.tendon_solref_fri[2 * i..],
                    &m.tendon_solimp_fri[5 * i..],
                );
                let row = Row {
                    kind: ConstraintType::FrictionTendon,
                    id: i as i32,
                    pattern: m.tendon_Jpat[i],
                    present: always,
                    pos: R::zero(),
                    size: R::zero(),
                    margin: 0.0,
                    loss: m.tendon_frictionloss[i],
                    diag: m.tendon_invweight0[i],
                };
                let r = self.add(row, &s);
                self.tendon_jacobian(r, i, R::one());
            }
        }
    }

    fn joint_limits(&mut self) {
        let m = self.m;
        for j in (0..m.njnt).filter(|&j| m.jnt_limited[j] != 0) {
            let q = m.jnt_qposadr[j] as usize;
            let range = [m.jnt_range[2 * j], m.jnt_range[2 * j + 1]];
            if m.jnt_type[j] == JointType::Slide || m.jnt_type[j] == JointType::Hinge {
                // below, then above
                let value = self.d.qpos[q];
                self.joint_limit(j, value - R::splat(range[0]), [R::one(); 3]);
                self.joint_limit(j, R::splat(range[1]) - value, [-R::one(); 3]);
            } else if m.jnt_type[j] == JointType::Ball {
                // angle from the reference orientation, about the axis of that rotation
                let quat: [R; 4] = std::array::from_fn(|k| self.d.qpos[q + k]);
                let (axis, angle) = normalize3(quat2vel(normalize4(quat)));
                let dist = R::splat(range[0].max(range[1])) - angle;
                self.joint_limit(j, dist, axis.map(|x| -x));
            }
        }
    }

    fn joint_limit(&mut self, j: usize, dist: R, jacobian: [R; 3]) {
        let m = self.m;
        let present = dist.lt(R::splat(m.jnt_margin[j]));
        if !present.any() || !self.reserve(1) {
            return;
        }
        let s = solver(m, &m.jnt_solref[2 * j..], &m.jnt_solimp[5 * j..]);
        let row = Row {
            kind: ConstraintType::LimitJoint,
            id: j as i32,
            pattern: m.jnt_Jpat[j],
            present,
            pos: dist,
            size: dist,
            margin: m.jnt_margin[j],
            loss: 0.0,
            diag: m.dof_invweight0[m.jnt_dofadr[j] as usize],
        };
        let r = self.add(row, &s);
        let num = m.Jpat_num[m.jnt_Jpat[j] as usize] as usize;
        self.d.efc_J[r * m.nJrow..][..num].copy_from_slice(&jacobian[..num]);
    }

    fn tendon_limits(&mut self) {
        let m = self.m;
        for i in (0..m.ntendon).filter(|&i| m.tendon_limited[i] != 0) {
            let length = self.d.ten_length[i];
            let range = [m.tendon_range[2 * i], m.tendon_range[2 * i + 1]];
            // below, then above
            self.tendon_limit(i, length - R::splat(range[0]), R::one());
            self.tendon_limit(i, R::splat(range[1]) - length, -R::one());
        }
    }

    fn tendon_limit(&mut self, i: usize, dist: R, sign: R) {
        let m = self.m;
        let present = dist.lt(R::splat(m.tendon_margin[i]));
        if !present.any() || !self.reserve(1) {
            return;
        }
        let s = solver(
            m,
            &m.tendon_solref_lim[2 * i..],
            &m.tendon_solimp_lim[5 * i..],
        );
        let row = Row {
            kind: ConstraintType::LimitTendon,
            id: i as i32,
            pattern: m.tendon_Jpat[i],
            present,
            pos: dist,
            size: dist,
            margin: m.tendon_margin[i],
            loss: 0.0,
            diag: m.tendon_invweight0[i],
        };
        let r = self.add(row, &s);
        self.tendon_jacobian(r, i, sign);
    }

    fn tendon_jacobian(&mut self, r: usize, i: usize, sign: R) {
        let (m, d) = (self.m, &mut *self.d);
        let adr = m.ten_J_rowadr[i] as usize;
        let num = m.ten_J_rownnz[i] as usize;
        let from = &d.ten_J[adr..adr + num];
        let to = &mut d.efc_J[r * m.nJrow..][..num];
        to.iter_mut().zip(from).for_each(|(to, &x)| *to = sign * x);
    }

    // what did not fit is told
    fn tell(&mut self) {
        if self.room == Room::Grows {
            return;
        }
        let needed = R::int_lane(self.d.needed[1], 0).max(self.needed as i32);
        self.d.needed[1] = R::int(needed);
        if self.needed > self.num {
            let overflow = R::int_lane(self.d.overflow[0], 0) | OVERFLOW_CONSTRAINT;
            self.d.overflow[0] = R::int(overflow);
        }
    }
}

// R, its inverse, and the diagonal of A that they stand for
fn set_regularization<R: Real>(d: &mut Data<R>, r: usize, reg: R, present: R::Mask) {
    let imp = d.efc_KBIP[4 * r + 2];
    d.efc_R[r] = reg;
    d.efc_D[r] = R::select(present, R::one() / reg, R::zero());
    d.efc_diagA[r] = reg * imp / (R::one() - imp);
}
