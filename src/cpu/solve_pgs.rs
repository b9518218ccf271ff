//! Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`): one row or contact
//! after the other is set to its best force, in an order shuffled anew for every sweep, with Nesterov's momentum.
//!
//! B. O'Donoghue, E. Candès: Adaptive restart for accelerated gradient schemes, 2015.

use crate::cpu::island::island;
use crate::cpu::lib::cone::{Contact, MAXDIM, is_elliptic};
use crate::cpu::lib::dual::*;
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::*;
use crate::fields::{Data, Model};
use crate::types::*;

/// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`).
pub fn solve_pgs(m: &Model, d: &mut Data) {
    island(m, d);
    d.solver_niter[0] = 0;
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: nothing holds the unconstrained acceleration up
    if d.nefc[0] == 0 {
        return;
    }
    let maps = Maps::take(d);
    prepare(m, d);
    start_forces(m, d, &maps);
    for k in 0..d.nisland[0] as usize {
        let niter = sweeps(m, d, &island_of(m, d, &maps, k));
        d.island_niter[k] = niter;
        d.solver_niter[0] += niter;
    }
    maps.put_back(d);
    finish(m, d);
}

// begins with the forces of the last acceleration, unless none are better
fn start_forces(m: &Model, d: &mut Data, maps: &Maps) {
    let nefc = d.nefc[0] as usize;
    let nisland = d.nisland[0] as usize;
    residuals(m, d, &Sparse, maps.all(d).rows);
    if m.opt.disabled(DSBL_WARMSTART) {
        d.efc_force[..nefc].fill(0.0);
        return;
    }
    for k in 0..nisland {
        update_constraint(m, d, &Sparse, &island_of(m, d, maps, k));
    }
    let mut cost = 0.0;
    for k in 0..nisland {
        let island = island_of(m, d, maps, k);
        accelerate(m, d, &island);
        for &r in island.rows {
            let r = r as usize;
            let force = d.efc_force[r];
            let b = d.efc_b[r];
            cost += force * (b + 0.5 * (residual(m, d, r, true) - b));
        }
    }
    if cost.is_nan() || cost > 0.0 {
        d.efc_force[..nefc].fill(0.0);
    }
}

// sweeps over an island's rows until a sweep gains little; number of sweeps
fn sweeps(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> i32 {
    let scale = island.scale;
    let num = blocks(m, d, island);
    let mut random = Pcg32::default();
    let mut steady = 0;
    let mut niter = 0;
    while niter < m.opt.iterations {
        // go on in the direction of the last sweep, as far as it has been a good one for long
        let momentum = match niter {
            0 => 0.0,
            _ => f64::from(steady - 1) / f64::from(steady + 2),
        };
        extrapolate(m, d, island, momentum);

        // one sweep in random order
        for i in (1..num).rev() {
            let j = random.next() as usize % (i + 1);
            d.solver_order.swap(i, j);
        }
        let mut improvement = 0.0;
        for k in 0..num {
            improvement -= relax(m, d, island, d.solver_order[k] as usize);
        }

        // momentum starts anew where it worked against the sweep
        let along = alignment(d, island);
        steady = if niter > 0 && along < 0.0 {
            0
        } else {
            steady + 1
        };
        niter += 1;
        if scale * improvement < m.opt.tolerance {
            break;
        }
    }
    niter
}

// first rows of what is set together; how many there are
fn blocks(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> usize {
    let mut num = 0;
    let mut row = 0;
    while row < island.rows.len() {
        let r = island.rows[row] as usize;
        d.solver_order[num] = r as i32;
        num += 1;
        row += rows_of(m, d, r);
    }
    num
}

// number of rows that are set together
fn rows_of(m: &Model, d: &Data, r: usize) -> usize {
    match is_elliptic(m, d, r) {
        true => Contact::of(m, d, r).dim,
        false => 1,
    }
}

// adds a part of the last change to the forces, as far as they can go; keeps what they were (Jaref) and are (Jv)
fn extrapolate(m: &Model, d: &mut Data, island: &Island<'_, f64>, momentum: f64) {
    let mut row = 0;
    while row < island.rows.len() {
        let r = island.rows[row] as usize;
        let num = rows_of(m, d, r);
        for k in r..r + num {
            let force = d.efc_force[k];
            if momentum > 0.0 {
                d.efc_force[k] += momentum * (force - d.solver_Jaref[k]);
            }
            d.solver_Jaref[k] = force;
        }
        if momentum > 0.0 {
            project(m, d, r);
        }
        for k in r..r + num {
            d.solver_Jv[k] = d.efc_force[k];
        }
        row += num;
    }
    accelerate(m, d, island);
}

// forces into what their row or contact can do
fn project(m: &Model, d: &mut Data, r: usize) {
    if !is_elliptic(m, d, r) {
        d.efc_force[r] = clamped(d, r, d.efc_force[r]);
        return;
    }
    let contact = Contact::of(m, d, r);
    let force = &mut d.efc_force[r..r + contact.dim];
    let reach = contact.reach(force);
    if force[0] < 0.0 {
        force.fill(0.0);
    } else if reach > force[0] {
        let scale = force[0] / reach;
        force[1..].iter_mut().for_each(|x| *x *= scale);
    }
}

// the force of a single row inside its bounds
fn clamped(d: &Data, r: usize, force: f64) -> f64 {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    if r < ne {
        force
    } else if r < ne + nf {
        let loss = d.efc_frictionloss[r];
        force.max(-loss).min(loss)
    } else {
        force.max(0.0)
    }
}

// sets a row or contact to its best force, what the others do being given; change of the cost
fn relax(m: &Model, d: &mut Data, island: &Island<'_, f64>, r: usize) -> f64 {
    let num = rows_of(m, d, r);
    let a = block(m, d, r, num, true);
    let mut res = [0.0; MAXDIM];
    for k in 0..num {
        res[k] = residual(m, d, r + k, true);
    }
    let old: [f64; MAXDIM] =
        std::array::from_fn(|k| if k < num { d.efc_force[r + k] } else { 0.0 });
    let mut new = old;
    if num == 1 {
        new[0] = clamped(d, r, old[0] - res[0] / a[0][0]);
    } else {
        relax_contact(&Contact::of(m, d, r), &a, &res, &mut new);
    }

    // what raises the cost is not done
    let change: [f64; MAXDIM] = std::array::from_fn(|k| new[k] - old[k]);
    let cost = cost_change(&a, &change[..num], &res);
    if cost > NOISE {
        return 0.0;
    }
    set_forces(m, d, island, r, &new[..num]);
    cost
}

// along the ray through the force, then the friction forces at that normal force
fn relax_contact(
    contact: &Contact<f64>,
    a: &Block,
    res: &[f64; MAXDIM],
    force: &mut [f64; MAXDIM],
) {
    let num = contact.dim;
    let old = *force;
    if old[0] < MINVAL {
        *force = [0.0; MAXDIM];
        force[0] = (old[0] - res[0] / a[0][0]).max(0.0);
    } else {
        let mut curvature = 0.0;
        let mut slope = 0.0;
        for i in 0..num {
            slope += old[i] * res[i];
            for j in 0..num {
                curvature += old[i] * a[i][j] * old[j];
            }
        }
        if curvature >= MINVAL {
            let step = (-slope / curvature).max(-1.0);
            force.iter_mut().for_each(|x| *x += step * *x);
        }
    }
    let normal = force[0];
    if normal < MINVAL {
        force[1..].fill(0.0);
        return;
    }

    // residual of the friction rows without their own forces
    let mut b = [0.0; MAXDIM];
    let mut ac = [[0.0; MAXDIM]; MAXDIM];
    for i in 1..num {
        b[i - 1] = res[i] + a[i][0] * (normal - old[0]);
        for j in 1..num {
            ac[i - 1][j - 1] = a[i][j];
            b[i - 1] -= a[i][j] * old[j];
        }
    }
    let friction = friction_forces(&ac, &b[..num - 1], contact.friction(), normal);
    force[1..num].copy_from_slice(&friction[..num - 1]);
}

// the sweep's change times what the momentum before it was
fn alignment(d: &Data, island: &Island<'_, f64>) -> f64 {
    let rows = island.rows.iter();
    rows.map(|&r| {
        let r = r as usize;
        (d.efc_force[r] - d.solver_Jv[r]) * (d.solver_Jv[r] - d.solver_Jaref[r])
    })
    .sum()
}

// M. O'Neill's generator, at the place in its sequence where MuJoCo begins every solve
struct Pcg32 {
    state: u64,
}

impl Default for Pcg32 {
    fn default() -> Self {
        let mut random = Self { state: 0 };
        random.next();
        random
    }
}

impl Pcg32 {
    fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6364136223846793005).wrapping_add(1);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }
}
