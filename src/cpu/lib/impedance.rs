//! Solver parameters of a constraint: reference stiffness and damping, impedance and regularisation
//! (`mj_makeImpedance`; chapter Modeling, "Solver parameters").

use crate::cpu::lib::math::clip;
use crate::fields::Model;
use crate::real::{Mask, Real};
use crate::types::*;

/// solref and solimp of a constraint, brought into range, and what follows from them.
#[derive(Clone, Copy, Debug)]
pub struct Solver<R> {
    solref: [R; 2],
    solimp: [R; 5],
    // factors of the two powers of the sigmoid: below the midpoint, above it
    factors: [R; 2],
}

impl Solver<f64> {
    /// The same in every lane.
    #[inline(always)]
    pub(crate) fn splat<R: Real>(&self) -> Solver<R> {
        Solver {
            solref: self.solref.map(R::splat),
            solimp: self.solimp.map(R::splat),
            factors: self.factors.map(R::splat),
        }
    }
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
pub fn solver<R: Real>(m: &Model, timestep: R, solref: [R; 2], solimp: [R; 5]) -> Solver<R> {
    let (zero, one) = (R::zero(), R::one());
    let mixed = zero.lt(solref[0]) ^ zero.lt(solref[1]);
    let default = [0.02, 1.0].map(R::splat);
    let mut solref = [0, 1].map(|k| R::select(mixed, default[k], solref[k]));
    if !m.opt.disabled(DSBL_REFSAFE) {
        let safe = solref[0].max(R::splat(2.0) * timestep);
        solref[0] = R::select(zero.lt(solref[0]), safe, solref[0]);
    }
    let within = |x: R| clip(x, R::splat(MINIMP), R::splat(MAXIMP));
    let solimp = [
        within(solimp[0]),
        within(solimp[1]),
        solimp[2].max(zero),
        within(solimp[3]),
        solimp[4].max(one),
    ];
    let (midpoint, p) = (solimp[3], solimp[4]);
    let factors = [midpoint, one - midpoint].map(|x| one / power(x, p - one));
    Solver {
        solref,
        solimp,
        factors,
    }
}

/// Reference stiffness K.
#[inline]
pub fn stiffness<R: Real>(s: &Solver<R>) -> R {
    let ([tc, dr], dmax2) = (s.solref, s.solimp[1] * s.solimp[1]);
    let least = R::splat(MINVAL);
    let standard = R::one() / (dmax2 * tc * tc * dr * dr).max(least);
    R::select(R::zero().lt(tc), standard, -tc / dmax2.max(least))
}

/// Reference damping B.
#[inline]
pub fn damping<R: Real>(s: &Solver<R>) -> R {
    let ([tc, dr], dmax) = (s.solref, s.solimp[1]);
    let least = R::splat(MINVAL);
    let standard = R::splat(2.0) / (dmax * tc).max(least);
    R::select(R::zero().lt(dr), standard, -dr / dmax.max(least))
}

/// A number that is not negative to a constant power; 1 and 2 are common.
#[inline(always)]
pub fn power<R: Real>(x: R, p: R) -> R {
    let is = |n: f64| !(p.lt(R::splat(n)) | R::splat(n).lt(p));
    let (zeroth, first, second) = (is(0.0), is(1.0), is(2.0));
    let whole = R::select(zeroth, R::one(), R::select(first, x, x * x));
    let whole_enough = zeroth | first | second;
    if whole_enough.all() {
        return whole;
    }
    R::select(whole_enough, whole, x.powf(p))
}

/// Impedance at a violation `pos - margin`: a sigmoid of its size in units of the width.
#[inline]
pub fn impedance<R: Real>(s: &Solver<R>, violation: R) -> Impedance<R> {
    let [dmin, dmax, width, midpoint, p] = s.solimp;
    let (zero, one) = (R::zero(), R::one());

    // flat
    let level = !(dmin.lt(dmax) | dmax.lt(dmin));
    let flat = level | width.le(R::splat(MINVAL));
    let middle = R::splat(0.5) * (dmin + dmax);
    if flat.all() {
        return Impedance {
            value: middle,
            slope: zero,
        };
    }
    let width = R::select(flat, one, width);
    let x = violation.abs() / width;
    let sign = R::select(violation.lt(zero), -one, one);

    // two powers that meet at the midpoint
    let [a, b] = s.factors;
    let straight = !(p.lt(one) | one.lt(p));
    let (mut y, mut dy) = (x, one);
    if !straight.all() {
        let below = x.le(midpoint);
        let rest = one - x.min(one);
        let bent = R::select(below, a * power(x, p), one - b * power(rest, p));
        let slope = R::select(
            below,
            p * a * power(x, p - one),
            p * b * power(rest, p - one),
        );
        (y, dy) = (R::select(straight, y, bent), R::select(straight, dy, slope));
    }

    // saturated outside
    let (full, none) = (one.le(x), x.le(zero));
    let y = R::select(full, one, R::select(none, zero, y));
    let dy = R::select(full | none, zero, dy);
    let range = dmax - dmin;
    Impedance {
        value: R::select(flat, middle, dmin + y * range),
        slope: R::select(flat, zero, dy * sign * range / width),
    }
}

/// R of a row with an impedance and the approximate diagonal of A.
#[inline]
pub fn regularization<R: Real>(imp: &Impedance<R>, diag: R) -> R {
    ((R::one() - imp.value) * diag / imp.value).max(R::splat(MINVAL))
}
