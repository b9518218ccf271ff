//! L'DL of M (`mj_factorM`).

use crate::cpu::lib::precision::cancellation;
use crate::cpu::lib::sparse::{copy_rows, factor_i};
use crate::cpu::lib::warning::{tell, warn};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{MAXLOSS, OVERFLOW_PRECISION, Warning};

/// L'DL of M (`mj_factorM`).
pub fn factor_m<R: Real>(m: &Model, d: &mut Data<R>) {
    // the factorization works in place on a copy
    copy_rows(m, &d.still, &d.M, &mut d.qLD);
    let clamped = factor_i(m, &mut d.qLD, &mut d.qLDiagInv, |i| d.still.dof(i));
    if clamped.is_some_and(Mask::any) {
        d.still.forget();
    }

    // a matrix that is not positive definite is warned of once per call
    warn(d, Warning::Inertia, clamped);

    // a matrix whose rounding alone changes accelerations is flagged
    let most = R::splat(MAXLOSS / R::ROUNDING);
    let mut coarse = most.lt(most);
    for i in (0..m.nv).filter(|&i| !d.still.dof(i)) {
        coarse = coarse | most.lt(cancellation(m, d, i));
    }
    if coarse.any() {
        d.still.forget();
    }
    tell(d, OVERFLOW_PRECISION, coarse);
}
