//! Solver parameters of a constraint: reference stiffness and damping, impedance and regularisation
//! (`mj_makeImpedance`; chapter Modeling, "Solver parameters").

use crate::fields::Model;
use crate::real::Real;
use crate::types::*;

/// solref and solimp of a constraint, brought into range.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    solref: [f64; 2],
    solimp: [f64; 5],
}

/// Impedance and its derivative by the violation.
#[derive(Clone, Copy, Debug)]
pub struct Impedance<R> {
    /// d, in (0, 1).
    pub value: R,
    /// Derivative of d.
    pub slope: R,
}

/// `solref` and `solimp`, brought into range: a mixed solref is replaced by the default, a standard one is kept at two
/// timesteps or more unless `refsafe` is off.
#[inline]
pub fn solver(m: &Model, solref: &[f64], solimp: &[f64]) -> Solver {
    let mut solref = [solref[0], solref[1]];
    if (solref[0] > 0.0) != (solref[1] > 0.0) {
        solref = [0.02, 1.0];
    }
    if !m.opt.disabled(DSBL_REFSAFE) && solref[0] > 0.0 {
        solref[0] = solref[0].max(2.0 * m.opt.timestep);
    }
    let within = |x: f64| x.clamp(MINIMP, MAXIMP);
    let solimp = [
        within(solimp[0]),
        within(solimp[1]),
        solimp[2].max(0.0),
        within(solimp[3]),
        solimp[4].max(1.0),
    ];
    Solver { solref, solimp }
}

/// Reference stiffness K.
#[inline]
pub fn stiffness(s: &Solver) -> f64 {
    let ([tc, dr], dmax2) = (s.solref, s.solimp[1] * s.solimp[1]);
    match tc > 0.0 {
        true => 1.0 / (dmax2 * tc * tc * dr * dr).max(MINVAL),
        false => -tc / dmax2.max(MINVAL),
    }
}

/// Reference damping B.
#[inline]
pub fn damping(s: &Solver) -> f64 {
    let ([tc, dr], dmax) = (s.solref, s.solimp[1]);
    match dr > 0.0 {
        true => 2.0 / (dmax * tc).max(MINVAL),
        false => -dr / dmax.max(MINVAL),
    }
}

/// A number that is not negative to a constant power; 1 and 2 are common.
#[inline(always)]
pub fn power<R: Real>(x: R, p: f64) -> R {
    match p {
        0.0 => R::one(),
        1.0 => x,
        2.0 => x * x,
        _ => x.powf(R::splat(p)),
    }
}

/// Impedance at a violation `pos - margin`: a sigmoid of its size in units of the width.
#[inline]
pub fn impedance<R: Real>(s: &Solver, violation: R) -> Impedance<R> {
    let [dmin, dmax, width, midpoint, p] = s.solimp;
    let (zero, one) = (R::zero(), R::one());

    // flat
    if dmin == dmax || width <= MINVAL {
        let value = R::splat(0.5 * (dmin + dmax));
        return Impedance { value, slope: zero };
    }
    let x = violation.abs() / R::splat(width);
    let sign = R::select(violation.lt(zero), -one, one);

    // two powers that meet at the midpoint
    let (y, dy) = if p == 1.0 {
        (x, one)
    } else {
        let (a, b) = (
            1.0 / power(midpoint, p - 1.0),
            1.0 / power(1.0 - midpoint, p - 1.0),
        );
        let below = x.le(R::splat(midpoint));
        let rest = one - x.min(one);
        let y = R::select(
            below,
            R::splat(a) * power(x, p),
            one - R::splat(b) * power(rest, p),
        );
        let dy = R::select(
            below,
            R::splat(p * a) * power(x, p - 1.0),
            R::splat(p * b) * power(rest, p - 1.0),
        );
        (y, dy)
    };

    // saturated outside
    let (full, none) = (one.le(x), x.le(zero));
    let y = R::select(full, one, R::select(none, zero, y));
    let dy = R::select(full | none, zero, dy);
    let range = R::splat(dmax - dmin);
    Impedance {
        value: R::splat(dmin) + y * range,
        slope: dy * sign * range / R::splat(width),
    }
}

/// R of a row with an impedance and the approximate diagonal of A.
#[inline]
pub fn regularization<R: Real>(imp: &Impedance<R>, diag: f64) -> R {
    ((R::one() - imp.value) * R::splat(diag) / imp.value).max(R::splat(MINVAL))
}
