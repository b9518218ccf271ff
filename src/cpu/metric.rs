//! The metric of a discrete step in the place of M (`mj_effActuation`).

use crate::cpu::lib::coupling::solve_metric;
use crate::cpu::lib::metric::{build_metric, with_rows};
use crate::fields::{Data, Model};
use crate::real::Real;

/// The metric of a discrete step in the place of M (`mj_effActuation`); rows and unconstrained acceleration in it.
pub fn metric(m: &Model, d: &mut Data) {
    with_rows(m, d, enter);
}

/// The stage for the first `num` constraint rows of worlds side by side; `contact` gives the pair of each contact slot.
pub(crate) fn enter<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    build_metric(m, d, contact, num);

    // unconstrained acceleration over the timestep
    for i in 0..m.nv {
        d.efm_qfrc[i] = d.qfrc_smooth[i];
        d.qfrc_smooth[i] += d.efm_c[i];
    }
    let mut x = std::mem::take(&mut d.qacc_smooth);
    x.copy_from_slice(&d.qfrc_smooth);
    solve_metric(m, d, &mut x);
    d.qacc_smooth = x;
}
