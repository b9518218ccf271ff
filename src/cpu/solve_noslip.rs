//! Friction forces once more, as if they were hard (`mj_solNoSlip`): sweeps over the friction of joints and contacts without
//! their regularization, normal forces staying what the solver made them.

use crate::cpu::lib::cone::{Contact, MAXDIM, is_elliptic};
use crate::cpu::lib::dual::*;
use crate::cpu::lib::primal::*;
use crate::fields::{Data, Model};
use crate::types::*;

/// Friction forces once more, as if they were hard (`mj_solNoSlip`).
pub fn solve_noslip(m: &Model, d: &mut Data) {
    if d.nefc[0] == 0 {
        return;
    }
    let maps = Maps::take(d);
    prepare(m, d);
    for k in 0..d.nisland[0] as usize {
        let niter = sweeps(m, d, &island_of(m, d, &maps, k));
        d.island_niter[k] += niter;
        d.solver_niter[0] += niter;
    }
    maps.put_back(d);
    finish(m, d);
}

// sweeps over an island's friction until a sweep gains little; number of sweeps
fn sweeps(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> i32 {
    let scale = island.scale;
    accelerate(m, d, island);

    // what the regularization costs is gained at once
    let mut improvement = 0.0;
    for &r in island.rows {
        let force = d.efc_force[r as usize];
        improvement += 0.5 * force * force * d.efc_R[r as usize];
    }
    let mut niter = 0;
    while niter < m.opt.noslip_iterations {
        improvement += sweep(m, d, island);
        niter += 1;
        if scale * improvement < m.opt.noslip_tolerance {
            break;
        }
        improvement = 0.0;
    }
    niter
}

// one sweep; what it gained
fn sweep(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> f64 {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    let mut improvement = 0.0;
    let mut row = 0;
    while row < island.rows.len() {
        let r = island.rows[row] as usize;
        row += 1;
        if (ne..ne + nf).contains(&r) {
            improvement -= joint(m, d, island, r);
        } else if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            improvement -= elliptic(m, d, island, r, &contact);
            row += contact.dim - 1;
        } else if d.efc_type[r] == ConstraintType::ContactPyramidal {
            // edges that face each other
            improvement -= pyramidal(m, d, island, r);
            row += 1;
        }
    }
    improvement
}

// friction loss of a dof or tendon; change of the cost
fn joint(m: &Model, d: &mut Data, island: &Island<'_, f64>, r: usize) -> f64 {
    let a = block(m, d, r, 1, false)[0][0].max(MINVAL);
    let res = residual(m, d, r, false);
    let (old, loss) = (d.efc_force[r], d.efc_frictionloss[r]);
    let force = (old - res / a).max(-loss).min(loss);
    set_forces(m, d, island, r, &[force]);
    let change = force - old;
    change * (0.5 * change * a + res)
}

// two edges of a pyramid that face each other: their sum stays; change of the cost
fn pyramidal(m: &Model, d: &mut Data, island: &Island<'_, f64>, r: usize) -> f64 {
    let a = soft_block(m, d, r, 2);
    let res = [residual(m, d, r, false), residual(m, d, r + 1, false)];
    let old = [d.efc_force[r], d.efc_force[r + 1]];
    let b: [f64; 2] = std::array::from_fn(|i| res[i] - a[i][0] * old[0] - a[i][1] * old[1]);
    let middle = 0.5 * (old[0] + old[1]);
    let curvature = a[0][0] + a[1][1] - a[0][1] - a[1][0];
    let slope = middle * (a[0][0] - a[1][1]) + b[0] - b[1];
    let half = match curvature < MINVAL {
        true => 0.0,
        false => (-slope / curvature).max(-middle).min(middle),
    };
    commit(m, d, island, r, &a, &[middle + half, middle - half], &res)
}

// friction forces of an elliptic contact; change of the cost
fn elliptic(
    m: &Model,
    d: &mut Data,
    island: &Island<'_, f64>,
    r: usize,
    contact: &Contact<f64>,
) -> f64 {
    let num = contact.dim - 1;
    let a = soft_block(m, d, r + 1, num);
    let mut res = [0.0; MAXDIM];
    for (k, res) in res[..num].iter_mut().enumerate() {
        *res = residual(m, d, r + 1 + k, false);
    }
    let mut force = [0.0; MAXDIM];
    if d.efc_force[r] >= MINVAL {
        let mut b = res;
        for i in 0..num {
            for j in 0..num {
                b[i] -= a[i][j] * d.efc_force[r + 1 + j];
            }
        }
        force = friction_forces(&a, &b[..num], contact.friction(), d.efc_force[r]);
    }
    commit(m, d, island, r + 1, &a, &force[..num], &res)
}

// A without R, with a diagonal that can be divided by
fn soft_block(m: &Model, d: &Data, r: usize, num: usize) -> Block {
    let mut a = block(m, d, r, num, false);
    for (k, row) in a[..num].iter_mut().enumerate() {
        row[k] = row[k].max(NOISE);
    }
    a
}

// sets forces unless that raises the cost; change of the cost
fn commit(
    m: &Model,
    d: &mut Data,
    island: &Island<'_, f64>,
    r: usize,
    a: &Block,
    force: &[f64],
    res: &[f64],
) -> f64 {
    let mut change = [0.0; MAXDIM];
    for (k, force) in force.iter().enumerate() {
        change[k] = force - d.efc_force[r + k];
    }
    let cost = cost_change(a, &change[..force.len()], res);
    if cost > NOISE {
        return 0.0;
    }
    set_forces(m, d, island, r, force);
    cost
}
