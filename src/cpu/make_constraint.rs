//! Constraint rows and their parameters (`mj_makeConstraint`).
//!
//! Rows are in MuJoCo's order: equalities, friction losses of dofs and tendons, limits of joints and tendons, contacts; within a
//! kind in the order of the model's elements. A row is made where any lane has it; lanes without it have D = 0 there, which keeps
//! the rows of worlds side by side aligned. With one lane this is MuJoCo's own list.

mod contact;
mod equality;
mod strain;

use crate::cpu::lib::impedance::{
    Solver, damping, impedance, regularization, solver, stiffness, unresolved,
};
use crate::cpu::lib::implicit_rows::resolved;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::{sleeps, tendon_awake, tree_is_awake, wake_held};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Number of rows: equalities, friction losses, limits, all.
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
    if sleeps(m) {
        wake_held(m, d);
    }
    let ncon = d.ncon[0] as usize;
    let contact = std::mem::take(&mut d.contact_collision);
    let counts = make(m, d, &contact[..ncon], Room::Fixed);
    d.contact_collision = contact;
    d.ne[0] = counts.ne as i32;
    d.nf[0] = counts.nf as i32;
    d.nl[0] = counts.nl as i32;
    d.nefc[0] = counts.num as i32;
}

/// Reaction to rows that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Rows that do not fit are left out, always the whole contact, and flagged.
    Fixed,
    /// Arrays grow: for worlds side by side, whose union of rows is not bounded.
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

/// Data of a row except its Jacobian.
struct Row<R: Real> {
    kind: ConstraintType,
    id: i32,
    pattern: i32,
    present: R::Mask,
    pos: R,
    // position for the impedance: the row's own, or that of the whole constraint
    size: R,
    margin: R,
    loss: R,
    diag: R,
}

/// K, B and the sigmoid of a constraint.
#[derive(Clone, Copy)]
struct Soft<R: Real> {
    solver: Solver<R>,
    stiffness: R,
    damping: R,
    // damping ratio where a discrete step cannot resolve the spring, else 0
    unresolved: R,
}

/// K, B and the sigmoid of a constraint, from the given entries of two model fields for solref and solimp. If worlds share one
/// model they are computed once for all, in double precision.
macro_rules! soft {
    ($m:expr, $own:expr, $solref:ident[$i:expr], $solimp:ident[$j:expr]) => {{
        let (m, own, i, j) = ($m, &$own, $i, $j);
        match own.is_shared() {
            true => {
                let solref = std::array::from_fn(|k| m.$solref[i + k]);
                let solimp = std::array::from_fn(|k| m.$solimp[j + k]);
                Soft::new(
                    m,
                    m.opt.timestep,
                    &solver(m, m.opt.timestep, solref, solimp),
                )
                .splat()
            }
            false => {
                let solref = std::array::from_fn(|k| own.$solref(m, i + k));
                let solimp = std::array::from_fn(|k| own.$solimp(m, j + k));
                Soft::new(
                    m,
                    own.timestep(m),
                    &solver(m, own.timestep(m), solref, solimp),
                )
            }
        }
    }};
}

use soft;

impl<R: Real> Soft<R> {
    #[inline(always)]
    fn new(m: &Model, timestep: R, solver: &Solver<R>) -> Self {
        Self {
            solver: *solver,
            stiffness: stiffness(solver),
            damping: damping(solver),
            unresolved: unresolved(m, timestep, solver),
        }
    }
}

impl Soft<f64> {
    // the same parameters in every lane
    #[inline(always)]
    fn splat<R: Real>(&self) -> Soft<R> {
        Soft {
            solver: self.solver.splat(),
            stiffness: R::splat(self.stiffness),
            damping: R::splat(self.damping),
            unresolved: R::splat(self.unresolved),
        }
    }
}

impl<R: Real> Writer<'_, R> {
    // reserves rows behind all that were asked for; false if they do not fit
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

    // where a tree is awake; everywhere if none may sleep
    #[inline(always)]
    fn is_awake(&self, tree: i32) -> R::Mask {
        match sleeps(self.m) {
            true => tree_is_awake(self.d, tree),
            false => R::zero().le(R::zero()),
        }
    }

    // likewise for a tendon
    #[inline(always)]
    fn tendon_is_awake(&self, i: usize) -> R::Mask {
        match sleeps(self.m) {
            true => tendon_awake(self.m, self.d, i),
            false => R::zero().le(R::zero()),
        }
    }

    // where a dof changes the length of a tendon; everywhere if J is sparse, which keeps rows of zeros
    fn tendon_moves(&self, i: usize) -> R::Mask {
        let m = self.m;
        if !m.opt.has_dense_jacobian(m.nv) {
            return R::zero().le(R::zero());
        }
        let (adr, num) = (m.ten_J_rowadr[i] as usize, m.ten_J_rownnz[i] as usize);
        let never = R::zero().lt(R::zero());
        let row = &self.d.ten_J[adr..adr + num];
        row.iter().fold(never, |moves, &x| moves | nonzero(x))
    }

    // adds a row without its Jacobian; returns its number
    #[inline(always)]
    fn add(&mut self, row: Row<R>, s: &Soft<R>) -> usize {
        let (r, d) = (self.num, &mut *self.d);
        let margin = row.margin;
        let pos = R::select(row.present, row.pos, margin);
        let imp = impedance(&s.solver, R::select(row.present, row.size, margin) - margin);
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
        d.efc_frictionloss[r] = row.loss;
        d.efc_KBIP[4 * r] = if friction { R::zero() } else { s.stiffness };
        d.efc_KBIP[4 * r + 1] = s.damping;
        d.efc_KBIP[4 * r + 2] = imp.value;
        if one_sided(row.kind) && nonzero(s.unresolved).any() {
            let firm = resolved(d.own.timestep(self.m), imp.value, s.unresolved);
            let stiff = nonzero(s.unresolved) & firm[0].lt(s.stiffness);
            for (k, &x) in firm.iter().enumerate() {
                let soft = d.efc_KBIP[4 * r + k];
                d.efc_KBIP[4 * r + k] = R::select(stiff, x, soft);
            }
        }
        d.efc_KBIP[4 * r + 3] = imp.slope;
        set_regularization(d, r, reg, row.present);
        self.num += 1;
        r
    }

    // repeats the last row `more` times, without its Jacobian
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

        // friction losses of dofs
        let shared = self.d.own.is_shared();
        for i in 0..m.nv {
            if shared && m.dof_frictionloss[i] == 0.0 {
                continue;
            }
            let loss = self.d.own.dof_frictionloss(m, i);
            let present = nonzero(loss) & self.is_awake(m.dof_treeid[i]);
            if present.any() && self.reserve(1) {
                let s = soft!(m, self.d.own, dof_solref[2 * i], dof_solimp[5 * i]);
                let row = Row {
                    kind: ConstraintType::FrictionDof,
                    id: i as i32,
                    pattern: m.dof_Jpat[i],
                    present,
                    pos: R::zero(),
                    size: R::zero(),
                    margin: R::zero(),
                    loss,
                    diag: self.d.own.dof_invweight0(m, i),
                };
                let r = self.add(row, &s);
                self.d.efc_J[r * m.nJrow] = R::one();
            }
        }

        // friction losses of tendons
        for i in 0..m.ntendon {
            if shared && m.tendon_frictionloss[i] == 0.0 || is_fixed(m, i) {
                continue;
            }
            let loss = self.d.own.tendon_frictionloss(m, i);
            let present = nonzero(loss) & self.tendon_is_awake(i) & self.tendon_moves(i);
            if present.any() && self.reserve(1) {
                let own = &self.d.own;
                let s = soft!(m, own, tendon_solref_fri[2 * i], tendon_solimp_fri[5 * i]);
                let row = Row {
                    kind: ConstraintType::FrictionTendon,
                    id: i as i32,
                    pattern: m.tendon_Jpat[i],
                    present,
                    pos: R::zero(),
                    size: R::zero(),
                    margin: R::zero(),
                    loss,
                    diag: self.d.own.tendon_invweight0(m, i),
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
            let range = [
                self.d.own.jnt_range(m, 2 * j),
                self.d.own.jnt_range(m, 2 * j + 1),
            ];
            if m.jnt_type[j] == JointType::Slide || m.jnt_type[j] == JointType::Hinge {
                // lower limit, then upper limit
                let value = self.d.qpos[q];
                self.joint_limit(j, value - range[0], [R::one(); 3]);
                self.joint_limit(j, range[1] - value, [-R::one(); 3]);
            } else if m.jnt_type[j] == JointType::Ball {
                // angle from the reference orientation, about the axis of that rotation
                let quat: [R; 4] = std::array::from_fn(|k| self.d.qpos[q + k]);
                let (axis, angle) = normalize3(quat2vel(normalize4(quat)));
                let dist = range[0].max(range[1]) - angle;
                self.joint_limit(j, dist, axis.map(|x| -x));
            }
        }
    }

    fn joint_limit(&mut self, j: usize, dist: R, jacobian: [R; 3]) {
        let m = self.m;
        let tree = m.dof_treeid[m.jnt_dofadr[j] as usize];
        let present = dist.lt(self.d.own.jnt_margin(m, j)) & self.is_awake(tree);
        if !present.any() || !self.reserve(1) {
            return;
        }
        let s = soft!(m, self.d.own, jnt_solref[2 * j], jnt_solimp[5 * j]);
        let row = Row {
            kind: ConstraintType::LimitJoint,
            id: j as i32,
            pattern: m.jnt_Jpat[j],
            present,
            pos: dist,
            size: dist,
            margin: self.d.own.jnt_margin(m, j),
            loss: R::zero(),
            diag: self.d.own.dof_invweight0(m, m.jnt_dofadr[j] as usize),
        };
        let r = self.add(row, &s);
        let num = m.Jpat_num[m.jnt_Jpat[j] as usize] as usize;
        self.d.efc_J[r * m.nJrow..][..num].copy_from_slice(&jacobian[..num]);
    }

    fn tendon_limits(&mut self) {
        let m = self.m;
        for i in (0..m.ntendon).filter(|&i| m.tendon_limited[i] != 0 && !is_fixed(m, i)) {
            let length = self.d.ten_length[i];
            let range = [
                self.d.own.tendon_range(m, 2 * i),
                self.d.own.tendon_range(m, 2 * i + 1),
            ];
            // lower limit, then upper limit
            self.tendon_limit(i, length - range[0], R::one());
            self.tendon_limit(i, range[1] - length, -R::one());
        }
    }

    fn tendon_limit(&mut self, i: usize, dist: R, sign: R) {
        let m = self.m;
        let present = dist.lt(self.d.own.tendon_margin(m, i))
            & self.tendon_is_awake(i)
            & self.tendon_moves(i);
        if !present.any() || !self.reserve(1) {
            return;
        }
        let s = soft!(
            m,
            self.d.own,
            tendon_solref_lim[2 * i],
            tendon_solimp_lim[5 * i]
        );
        let row = Row {
            kind: ConstraintType::LimitTendon,
            id: i as i32,
            pattern: m.tendon_Jpat[i],
            present,
            pos: dist,
            size: dist,
            margin: self.d.own.tendon_margin(m, i),
            loss: R::zero(),
            diag: self.d.own.tendon_invweight0(m, i),
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

    // flag an overflow
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

// true for a limit or a contact
fn one_sided(kind: ConstraintType) -> bool {
    !matches!(
        kind,
        ConstraintType::Equality | ConstraintType::FrictionDof | ConstraintType::FrictionTendon
    )
}

/// Sets R, its inverse D, and the corresponding diagonal of A.
pub fn set_regularization<R: Real>(d: &mut Data<R>, r: usize, reg: R, present: R::Mask) {
    let imp = d.efc_KBIP[4 * r + 2];
    d.efc_R[r] = reg;
    d.efc_D[r] = R::select(present, R::one() / reg, R::zero());
    d.efc_diagA[r] = reg * imp / (R::one() - imp);
}

// whether no dof changes the length of a tendon: it has no rows
fn is_fixed(m: &Model, i: usize) -> bool {
    let pattern = usize::try_from(m.tendon_Jpat[i]);
    pattern.map_or(true, |pattern| m.Jpat_num[pattern] == 0)
}
