//! Semi-implicit Euler with implicit joint damping (`mj_Euler`).

use crate::cpu::lib::force::damping_slope;
use crate::cpu::lib::integrate::advance;
use crate::cpu::lib::sparse::{copy_rows, factor_i, solve_ld_of};
use crate::cpu::lib::warning::warn;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{DSBL_DAMPER, DSBL_EULERDAMP, Warning};

/// Semi-implicit Euler with implicit joint damping (`mj_Euler`).
pub fn euler<R: Real>(m: &Model, d: &mut Data<R>) {
    if damps(m, d) {
        // M plus the timestep times the damping of the dofs
        copy_rows(m, &d.still, &d.M, &mut d.qH);
        for i in 0..m.nv {
            if d.still.dof(i) {
                continue;
            }
            let diag = (m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize;
            let slope = damping_slope(m, d, i);
            d.qH[diag] += d.own.timestep(m) * slope;
        }

        // acceleration of the damped system
        let clamped = factor_i(m, &mut d.qH, &mut d.qHDiagInv, |i| d.still.dof(i));
        if clamped.is_some_and(Mask::any) {
            d.still.forget();
        }
        warn(d, Warning::Inertia, clamped);
        for i in 0..m.nv {
            d.euler_qacc[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
        }
        let still = |i| d.still.dof(i);
        solve_ld_of(m, &d.qH, &d.qHDiagInv, &mut d.euler_qacc, still);
    } else {
        d.euler_qacc.copy_from_slice(&d.qacc);
    }

    // advance state and time
    take_step(m, d);
}

/// Advances state and time by the accelerations in euler_qacc.
#[inline(always)]
pub(crate) fn take_step<R: Real>(m: &Model, d: &mut Data<R>) {
    let act_dot = std::mem::take(&mut d.act_dot);
    let qacc = std::mem::take(&mut d.euler_qacc);
    advance(m, d, &act_dot, &qacc, None);
    d.act_dot = act_dot;
    d.euler_qacc = qacc;
}

/// True if joint damping has to be integrated implicitly in some world of a tile.
pub fn damps<R: Real>(m: &Model, d: &Data<R>) -> bool {
    damped(m) || (asked(m) && d.own.has_damping())
}

/// True if the model has joint damping to be integrated implicitly.
pub fn damped(m: &Model) -> bool {
    asked(m)
        && (0..m.nv).any(|i| {
            m.dof_damping[i] > 0.0
                || m.dof_dampingpoly[2 * i..2 * i + 2] != [0.0; 2]
                || m.jnt_actuatorid[m.dof_jntid[i] as usize] != -1
        })
}

// true if the flags enable damping and its implicit integration
fn asked(m: &Model) -> bool {
    !m.opt.disabled(DSBL_EULERDAMP) && !m.opt.disabled(DSBL_DAMPER)
}
