//! Worlds side by side in SIMD lanes: the fast path of the cores.
//!
//! Most twins are generic over the number type, and are used unchanged. Stages with state-dependent control flow have a version
//! here that runs all lanes of a tile through the same rows, contacts and iterations; rows and contacts absent in a lane have
//! weight zero there. A lane's numbers never depend on its neighbours.

pub(crate) mod collision;
mod dual;
mod heap;
mod hessian;
mod island;
mod line;
pub mod narrow;
mod rows;
mod slots;

pub use dual::{solve_noslip, solve_pgs};
pub use heap::ipc;
pub use rows::{Rows, Taken};
pub use slots::{is_of_slots, is_order_of_islands, read_islands, read_slots};

use crate::cpu;
use crate::cpu::lib::math::is_bad;
use crate::cpu::lib::restart::bad_world;
use crate::cpu::lib::sensor::Slots;
use crate::cpu::lib::sleep::{sleeps, wake_held, wake_touched};
use crate::cpu::lib::warning::tell;
use crate::cpu::make_constraint::{Counts, Room, make};
use crate::fields::{Data, FIELDS, Field, Model, Room as Where, View, ViewMut};
#[cfg(feature = "count")]
use crate::real::Counted;
use crate::real::{Mask, Real, lanes};
use crate::stages;
use crate::types::*;
use crate::user::set_controls_of;

#[cfg(not(target_feature = "avx512f"))]
use crate::real::F32x8 as Wide;
#[cfg(target_feature = "avx512f")]
use crate::real::F32x16 as Wide;

/// Number type with as many worlds as a register of this machine holds.
pub type Lanes = Wide<false>;

/// The same for worlds with values of the model of their own.
pub type OwnLanes = Wide<true>;

/// A stage for worlds side by side.
pub type Stage<R> = fn(&Model, &mut Data<R>, &mut Rows<R>);

/// A number type for whole pipelines: it has a column in the table of stages.
pub trait Staged: Real {
    /// The version of a stage for worlds side by side with this number type.
    fn of(stage: &stages::Stage) -> Stage<Self>;
}

impl Staged for Lanes {
    fn of(stage: &stages::Stage) -> Stage<Self> {
        stage.simd
    }
}

impl Staged for OwnLanes {
    fn of(stage: &stages::Stage) -> Stage<Self> {
        stage.own
    }
}

#[cfg(feature = "count")]
impl Staged for Counted {
    fn of(stage: &stages::Stage) -> Stage<Self> {
        stage.counted
    }
}

/// Wakes trees that awake trees touch (`mj_wakeCollision`); contacts are then found again for the whole tile.
pub fn wake_collision<R: Staged>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    if wake_touched(m, d, &rows.contact).any() {
        stages::again(m, &stages::wake_collision, &mut |stage| {
            R::of(stage)(m, d, rows);
        });
    }
}

/// Constraint rows and their parameters (`mj_makeConstraint`).
pub fn make_constraint<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    if sleeps(m) {
        wake_held(m, d);
    }
    let contact = std::mem::take(&mut rows.contact);
    let counts = make(m, d, &contact, Room::Grows);
    rows.contact = contact;
    (rows.ne, rows.nf, rows.num) = (counts.ne, counts.nf, counts.num);
    rows.list_patterns(d);
    let asked = count_rows(d, &counts);

    // flag an overflow
    let room = R::splat(m.njmax as f64);
    at_least(&mut d.needed[1], asked);
    if room.lt(asked).any() {
        tell(d, OVERFLOW_CONSTRAINT, room.lt(asked));
        for lane in 0..R::WIDTH {
            if asked.lane(lane) as usize > m.njmax {
                slots::cut(d, lane, counts.num, m.njmax);
            }
        }
        count_rows(d, &counts);
    }
    rows.find_cones(m, d);
}

// raises a number to the one asked for, if that is larger
fn at_least<R: Real>(needed: &mut R::Int, asked: R) {
    *needed = R::select_int(R::of_int(*needed).lt(asked), asked.to_int(), *needed);
}

// counts the rows of each kind in each lane; returns their sum
fn count_rows<R: Real>(d: &mut Data<R>, counts: &Counts) -> R {
    let count = |from: usize, to: usize| {
        let present = |x: &R| R::select(R::zero().lt(*x), R::one(), R::zero());
        let present = d.efc_D[from..to].iter().map(present);
        present.fold(R::zero(), |sum, x| sum + x)
    };
    let friction = counts.ne + counts.nf;
    let limit = friction + counts.nl;
    let ne = count(0, counts.ne);
    let nf = count(counts.ne, friction);
    let nl = count(friction, limit);
    let nefc = ne + nf + nl + count(limit, counts.num);
    d.ne[0] = ne.to_int();
    d.nf[0] = nf.to_int();
    d.nl[0] = nl.to_int();
    d.nefc[0] = nefc.to_int();
    nefc
}

/// Actuator lengths and moments (`mj_transmission`).
pub fn transmission<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::transmission::transmit(m, d, &rows.contact);
}

/// The exact diagonal of A and the regularization that follows from it (`diagexact`, part of `mj_makeConstraint`).
pub fn exact_diagonal<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::lib::diagonal::exact_rows(m, d, &rows.contact, rows.num);
}

/// Replaces M by the metric of a discrete step (`mj_effActuation`).
pub(crate) fn metric<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::metric::enter(m, d, &rows.contact, rows.num);
}

/// Replaces M by the metric for inverse dynamics (`mj_effBuild`).
pub(crate) fn inverse_metric<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::lib::metric::build_metric(m, d, &rows.contact, rows.num);
}

/// Adds the metric's part to the force at a given acceleration (end of `mj_inverseSkip`).
pub(crate) fn inverse_settle<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::inverse_settle::leave_inverse(m, d, rows.num);
}

/// Restores the inertia matrix (end of `mj_fwdConstraint`).
pub(crate) fn settle<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::settle::leave(m, d, rows.num);
}

/// Adhesion forces of contacts (part of `mj_passive`).
pub fn adhesion<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::adhesion::stick(m, d, &rows.contact, rows.num);
}

/// Spring and damper forces, gravity compensation (`mj_passive`).
pub fn passive<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::passive::push(m, d, &rows.contact);
}

/// Velocity and reference acceleration of rows (`mj_referenceConstraint`).
pub fn reference_constraint<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::reference_constraint::reference(m, d, &rows.contact, rows.num);
}

/// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).
pub fn rne_post<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::rne_post::post(m, d, &rows.contact, rows.ne, rows.num);
}

/// Sensors of position (`mj_sensorPos`).
pub fn sensor_pos<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::sensor_pos::sense(m, d, slots(rows));
}

/// Sensors of velocity (`mj_sensorVel`).
pub fn sensor_vel<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::sensor_vel::sense(m, d, slots(rows));
}

/// Sensors of acceleration and force (`mj_sensorAcc`).
pub fn sensor_acc<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    cpu::sensor_acc::sense(m, d, slots(rows));
}

fn slots<R: Real>(rows: &Rows<R>) -> Slots {
    Slots {
        rows: rows.num,
        contacts: rows.contact.len(),
    }
}

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let twin = cpu::solve_newton::solve_newton;
    island::by_island(m, d, rows, cpu::solve_newton::newton, twin);
}

/// Constraint forces and acceleration by conjugate gradients (`mj_fwdConstraint`, `mj_solCG`).
pub fn solve_cg<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let twin = cpu::solve_cg::solve_cg;
    island::by_island(m, d, rows, cpu::solve_cg::conjugate_gradients, twin);
}

/// Constraint forces at a given acceleration (`mj_invConstraint`).
pub fn inv_constraint<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let counts = rows.counts();
    cpu::inv_constraint::invert(m, d, rows, counts);
}

/// Reset the worlds whose qpos is bad (`mj_checkPos`).
pub fn check_pos<R: Real>(m: &Model, d: &mut Data<R>, _rows: &mut Rows<R>) {
    let bad = any_bad(&d.qpos);
    if bad.any() {
        by_the_reference(m, d, bad, cpu::check_pos::check_pos);
    }
}

/// Reset the worlds whose qvel is bad (`mj_checkVel`).
pub fn check_vel<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let bad = any_bad(&d.qvel);
    if bad.any() {
        by_the_reference(m, d, bad, cpu::check_vel::check_vel);
    }
    if sleeps(m) {
        rows.asleep.clone_from(&d.tree_asleep);
    }
}

/// Reset the worlds whose qacc is bad (`mj_checkAcc`). Forward dynamics runs again for the whole tile: worlds that were not reset
/// get the same results, and their controls are not set again.
pub fn check_acc<R: Staged>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let bad = any_bad(&d.qacc);
    if !bad.any() {
        return;
    }
    by_the_reference(m, d, bad, |m, d| bad_world(m, d, Warning::BadQacc));
    if !m.opt.disabled(DSBL_AUTORESET) {
        // worlds that were not reset: restore their sleep state, so that they are woken again, and do not count warnings twice
        for (now, &before) in d.tree_asleep.iter_mut().zip(&rows.asleep) {
            *now = R::select_int(bad, *now, before);
        }
        let warned = d.warning.clone();
        stages::forward(
            m,
            &mut |stage| match std::ptr::eq(stage, &stages::control) {
                true => set_controls_of(m, d, bad),
                false => R::of(stage)(m, d, rows),
            },
        );
        for (now, before) in d.warning.iter_mut().zip(warned) {
            *now = R::select_int(bad, *now, before);
        }
    }
}

/// Trees at rest fall asleep (`mj_sleep`). Quantities that depend on their velocities are computed again for the whole tile. Worlds in
/// which no tree fell asleep get back their former values, since a second pass would count warnings twice and read histories that have
/// advanced.
pub fn sleep<R: Staged>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let fell = cpu::sleep::fall_asleep(m, d, &rows.contact, rows.num);
    if !fell.any() {
        return;
    }
    let mut before = std::mem::take(&mut rows.before);
    before.clone_from(d);
    stages::again(m, &stages::sleep, &mut |stage| R::of(stage)(m, d, rows));
    let all = FIELDS.iter().filter(|field| field.room != Where::Model);
    copy_lanes(d, &before, !fell, all);
    rows.before = before;
}

/// Copies arrays of some lanes of a tile from another tile.
pub fn copy_lanes<R: Real>(
    to: &mut Data<R>,
    from: &Data<R>,
    which: R::Mask,
    fields: impl Iterator<Item = &'static Field>,
) {
    for field in fields {
        match (to.view_mut(field.row), from.view(field.row)) {
            (Some(ViewMut::Real(to)), Some(View::Real(from))) => {
                let words = to.iter_mut().zip(from);
                words.for_each(|(to, &from)| *to = R::select(which, from, *to));
            }
            (Some(ViewMut::Int(to)), Some(View::Int(from))) => {
                for lane in lanes::<R>(which) {
                    let to = to.iter_mut().skip(lane).step_by(R::WIDTH);
                    let from = from.iter().skip(lane).step_by(R::WIDTH);
                    to.zip(from).for_each(|(to, from)| *to = *from);
                }
            }
            _ => {}
        }
    }
}

// bad worlds are rare: the twin handles them one by one
fn by_the_reference<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    bad: R::Mask,
    twin: fn(&Model, &mut Data),
) {
    for lane in lanes::<R>(bad) {
        let mut world = Data::<f64>::zeroed(m);
        world.own = d.own.lane(m, lane);
        copy_lane(&mut world, d, 0, lane);
        twin(m, &mut world);
        copy_lane(d, &world, lane, 0);
    }
    if bad.any() {
        d.still.forget();
    }
}

fn any_bad<R: Real>(x: &[R]) -> R::Mask {
    let none = R::zero().lt(R::zero());
    x.iter().fold(none, |bad, &x| bad | is_bad(x))
}

/// Copies every array of one lane of a tile into one lane of another, up to the shorter length.
pub fn copy_lane<R: Real, S: Real>(
    to: &mut Data<R>,
    from: &Data<S>,
    to_lane: usize,
    from_lane: usize,
) {
    for field in FIELDS.iter().filter(|field| field.room != Where::Model) {
        match (to.view_mut(field.row), from.view(field.row)) {
            (Some(ViewMut::Real(to)), Some(View::Real(from))) => {
                to.iter_mut()
                    .zip(from)
                    .for_each(|(to, from)| to.set_lane(to_lane, from.lane(from_lane)));
            }
            (Some(ViewMut::Int(to)), Some(View::Int(from))) => {
                let to = to.iter_mut().skip(to_lane).step_by(R::WIDTH);
                let from = from.iter().skip(from_lane).step_by(S::WIDTH);
                to.zip(from).for_each(|(to, from)| *to = *from);
            }
            _ => {}
        }
    }
    // a world has the numbers of the tile's slots
    if R::WIDTH == 1 {
        to.contact_elem.clone_from(&from.contact_elem);
        to.contact_dofnum.clone_from(&from.contact_dofnum);
        to.contact_dof.clone_from(&from.contact_dof);
    }
}
