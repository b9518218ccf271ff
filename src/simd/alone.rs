//! Lanes one by one: what the reference does with a world's own rows, in f64.
//!
//! Projected Gauss-Seidel takes rows in an order that is shuffled anew for every sweep and depends on how many there are:
//! lanes with different rows have nothing to share.

use super::rows::Rows;
use crate::cpu;
use crate::fields::{Data, Model};
use crate::real::Real;

/// A world of the reference, and the rows that it has of a tile's.
#[derive(Clone, Default)]
pub struct Alone {
    world: Option<Box<Data>>,
    own: Vec<usize>,
}

/// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`).
pub fn solve_pgs<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    one_by_one(m, d, rows, cpu::solve_pgs::solve_pgs);
}

/// Friction forces once more, as if they were hard (`mj_solNoSlip`).
pub fn solve_noslip<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    one_by_one(m, d, rows, |m, world| {
        cpu::island::island(m, world);
        cpu::solve_noslip::solve_noslip(m, world);
    });
}

fn one_by_one<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &mut Rows<R>,
    solve: impl Fn(&Model, &mut Data),
) {
    let Alone { world, mut own } = std::mem::take(&mut rows.alone);
    let mut world = world.unwrap_or_else(|| Box::new(Data::zeroed(m)));
    for lane in 0..R::WIDTH {
        own.clear();
        own.extend((0..rows.num).filter(|&r| d.efc_D[r].lane(lane) > 0.0));
        take(m, d, rows, lane, &own, &mut world);
        solve(m, &mut world);
        give(d, lane, &own, &world);
    }
    let world = Some(world);
    rows.alone = Alone { world, own };
}

// what the solvers of the dual problem need of a lane
fn take<R: Real>(
    m: &Model,
    d: &Data<R>,
    rows: &Rows<R>,
    lane: usize,
    own: &[usize],
    world: &mut Data,
) {
    macro_rules! reals {
        ($($name:ident)+) => { $(
            world.$name.clear();
            world.$name.extend(d.$name.iter().map(|x| x.lane(lane)));
        )+ };
    }
    reals! { M qLD qLDiagInv qacc qacc_smooth qacc_warmstart qfrc_smooth qfrc_constraint }
    macro_rules! of_rows {
        ($get:expr, $($name:ident)+) => { $(
            if world.$name.len() < own.len() {
                world.$name.resize(own.len(), Default::default());
            }
            for (to, &r) in world.$name.iter_mut().zip(own) {
                *to = $get(d.$name[r]);
            }
        )+ };
    }
    of_rows!(|x: R| x.lane(lane), efc_D efc_R efc_frictionloss efc_aref efc_b efc_force);
    of_rows!(|x: R::Int| R::int_lane(x, lane), efc_type efc_id efc_Jpat efc_state);

    // working memory, and the Jacobian
    let num = own.len();
    for x in [&mut world.solver_Jaref, &mut world.solver_Jv] {
        x.resize(num.max(x.len()), 0.0);
    }
    for x in [&mut world.map_iefc2efc, &mut world.solver_inH] {
        x.resize(num.max(x.len()), 0);
    }
    world.efc_J.clear();
    for &r in own {
        let row = &d.efc_J[r * m.nJrow..][..m.nJrow];
        world.efc_J.extend(row.iter().map(|x| x.lane(lane)));
    }

    // contacts keep the numbers of their slots
    world.contact_collision.clear();
    world.contact_collision.extend(&rows.contact);
    let before = |stop: usize| own.partition_point(|&r| r < stop) as i32;
    world.ne[0] = before(rows.ne);
    world.nf[0] = before(rows.ne + rows.nf) - world.ne[0];
    world.nefc[0] = num as i32;

    // what is counted on
    macro_rules! ints {
        ($($name:ident)+) => { $(
            for (to, &x) in world.$name.iter_mut().zip(&d.$name) {
                *to = R::int_lane(x, lane);
            }
        )+ };
    }
    ints! { solver_niter island_niter }
}

// what they found
fn give<R: Real>(d: &mut Data<R>, lane: usize, own: &[usize], world: &Data) {
    macro_rules! whole {
        ($set:path, $($name:ident)+) => { $(
            for (to, &x) in d.$name.iter_mut().zip(&world.$name) {
                $set(to, lane, x);
            }
        )+ };
    }
    whole!(R::set_lane, qacc qfrc_constraint);
    whole!(R::set_int_lane, nisland solver_niter tree_island island_niter);
    for (k, &r) in own.iter().enumerate() {
        d.efc_b[r].set_lane(lane, world.efc_b[k]);
        d.efc_force[r].set_lane(lane, world.efc_force[k]);
        R::set_int_lane(&mut d.efc_state[r], lane, world.efc_state[k]);
    }
}
