//! L'DL of M (`mj_factorM`).

use crate::cpu::lib::precision::cancellation;
use crate::cpu::lib::sparse::factor_i;
use crate::cpu::lib::warning::{tell, warn};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{MAXLOSS, OVERFLOW_PRECISION, Warning};

/// L'DL of M (`mj_factorM`).
pub fn factor_m<R: Real>(m: &Model, d: &mut Data<R>) {
    // the factorization works in place on a copy
    d.qLD.copy_from_slice(&d.M);
    let clamped = factor_i(m, &mut d.qLD, &mut d.qLDiagInv);

    // a matrix that is not positive definite is warned of once per call
    warn(d, Warning::Inertia, clamped);

    // a matrix whose rounding alone changes accelerations is flagged
    let most = R::splat(MAXLOSS / R::ROUNDING);
    let mut coarse = most.lt(most);
    for i in 0..m.nv {
        coarse = coarse | most.lt(cancellation(m, d, i));
    }
    tell(d, OVERFLOW_PRECISION, coarse);
}
