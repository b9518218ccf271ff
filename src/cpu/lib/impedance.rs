//! Solver parameters of a constraint: reference stiffness and damping, impedance and regularisation
//! (`mj_makeImpedance`; chapter Modeling, "Solver parameters").

use crate::cpu::lib::implicit_rows::resolved;
use crate::cpu::lib::math::clip;
use crate::fields::Model;
use crate::real::{Mask, Real};
use crate::types::*;

/// solref and solimp of a constraint, brought into range, and quantities derived from them.
#[derive(Clone, Copy, Debug)]
pub struct Solver<R> {
    solref: [R; 2],
    solimp: [R; 5],
    // factors of the two powers of the sigmoid: below the midpoint, above it
    factors: [R; 2],
    curve: Curve,
}

// kind of the sigmoid in all lanes; determined once, so that common kinds are cheap
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    Flat,
    Straight,
    Square,
    // any other power, or lanes with different powers
    Other,
}

impl Solver<f64> {
    /// The same parameters in every lane.
    #[inline(always)]
    pub(crate) fn splat<R: Real>(&self) -> Solver<R> {
        Solver {
            solref: self.solref.map(R::splat),
            solimp: self.solimp.map(R::splat),
            factors: self.factors.map(R::splat),
            curve: self.curve,
        }
    }
}

/// Impedance and its derivative with respect to the violation.
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
    if !m.opt.disabled(DSBL_REFSAFE) && !m.opt.is_discrete() {
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
        curve: curve(&solimp),
    }
}

// constant impedance, or zero width
#[inline(always)]
fn is_flat<R: Real>([dmin, dmax, width, ..]: &[R; 5]) -> R::Mask {
    let level = !(dmin.lt(*dmax) | dmax.lt(*dmin));
    level | width.le(R::splat(MINVAL))
}

#[inline(always)]
fn is<R: Real>(x: R, n: f64) -> R::Mask {
    !(x.lt(R::splat(n)) | R::splat(n).lt(x))
}

fn curve<R: Real>(solimp: &[R; 5]) -> Curve {
    let flat = is_flat(solimp);
    match () {
        () if flat.all() => Curve::Flat,
        () if flat.any() => Curve::Other,
        () if is(solimp[4], 1.0).all() => Curve::Straight,
        () if is(solimp[4], 2.0).all() => Curve::Square,
        () => Curve::Other,
    }
}

/// Damping ratio of a standard solref whose spring a discrete step may be unable to resolve; 0 where it can at any impedance, or if
/// `refsafe` is off. It cannot where its stiffness is above the stiffest that is resolved.
#[inline]
pub fn unresolved<R: Real>(m: &Model, timestep: R, s: &Solver<R>) -> R {
    let ([tc, dr], zero) = (s.solref, R::zero());
    if !m.opt.is_discrete() || m.opt.disabled(DSBL_REFSAFE) {
        return zero;
    }
    let standard = zero.lt(tc) & zero.lt(dr);
    R::select(standard & (s.solimp[1] * tc * dr).lt(timestep), dr, zero)
}

/// Reference stiffness K.
#[inline]
pub fn stiffness<R: Real>(s: &Solver<R>) -> R {
    let ([tc, dr], dmax2) = (s.solref, s.solimp[1] * s.solimp[1]);
    let least = R::splat(MINVAL);
    let is_standard = R::zero().lt(tc);
    let standard = R::one() / (dmax2 * tc * tc * dr * dr).max(least);
    if is_standard.all() {
        return standard;
    }
    R::select(is_standard, standard, -tc / dmax2.max(least))
}

/// Reference damping B.
#[inline]
pub fn damping<R: Real>(s: &Solver<R>) -> R {
    let ([tc, dr], dmax) = (s.solref, s.solimp[1]);
    let least = R::splat(MINVAL);
    let is_standard = R::zero().lt(dr);
    let standard = R::splat(2.0) / (dmax * tc).max(least);
    if is_standard.all() {
        return standard;
    }
    R::select(is_standard, standard, -dr / dmax.max(least))
}

/// Violation at which a contact stops an approach so that its two sides just touch when the timestep ends: `time` is the
/// fraction of the timestep after which they touch, `way` how much nearer they would come in the whole timestep (m).
pub fn arrest(m: &Model, timestep: f64, s: &Solver<f64>, time: f64, way: f64) -> f64 {
    let [_, dmax, width, ..] = s.solimp;
    let ratio = unresolved(m, timestep, s);
    let [firm, firm_damping] = resolved(timestep, dmax, ratio);
    let [k, b] = match ratio > 0.0 && firm < stiffness(s) {
        true => [firm, firm_damping],
        false => [stiffness(s), damping(s)],
    };
    let spring = timestep * timestep * k * dmax * dmax;
    let damper = timestep * b * dmax;
    // spring and damper of a discrete step act with the velocity at its end, which is the present one times `time`
    let resists = match m.opt.is_discrete() {
        true => time * (damper + spring),
        false => damper,
    };
    match spring < MINVAL {
        true => width,
        false => (1.0 - time - resists) / spring * way,
    }
}

/// A nonnegative number to a constant power; the powers 1 and 2 are common.
#[inline(always)]
pub fn power<R: Real>(x: R, p: R) -> R {
    let (zeroth, first, second) = (is(p, 0.0), is(p, 1.0), is(p, 2.0));
    let common = R::select(zeroth, R::one(), R::select(first, x, x * x));
    let is_common = zeroth | first | second;
    if is_common.all() {
        return common;
    }
    R::select(is_common, common, any_power(x, p))
}

// apart, since a compiler that may choose computes the power first, and then whether it is needed
#[cold]
#[inline(never)]
fn any_power<R: Real>(x: R, p: R) -> R {
    x.powf(p)
}

/// Impedance at a violation `pos - margin`: a sigmoid of the violation's size in units of the width.
#[inline]
pub fn impedance<R: Real>(s: &Solver<R>, violation: R) -> Impedance<R> {
    let [dmin, dmax, width, ..] = s.solimp;
    let (zero, one) = (R::zero(), R::one());

    // flat
    let middle = R::splat(0.5) * (dmin + dmax);
    if s.curve == Curve::Flat {
        return Impedance {
            value: middle,
            slope: zero,
        };
    }
    let mixed = s.curve == Curve::Other;
    let flat = if mixed {
        is_flat(&s.solimp)
    } else {
        one.lt(zero)
    };
    let width = if mixed {
        R::select(flat, one, width)
    } else {
        width
    };
    let x = violation.abs() / width;
    let sign = R::select(violation.lt(zero), -one, one);

    // two powers that meet at the midpoint
    let (y, dy) = sigmoid(s, x);

    // saturated outside
    let (full, none) = (one.le(x), x.le(zero));
    let y = R::select(full, one, R::select(none, zero, y));
    let dy = R::select(full | none, zero, dy);
    let range = dmax - dmin;
    let value = dmin + y * range;
    let slope = dy * sign * range / width;
    if !mixed {
        return Impedance { value, slope };
    }
    Impedance {
        value: R::select(flat, middle, value),
        slope: R::select(flat, zero, slope),
    }
}

// value and derivative of the sigmoid; a lane's result does not depend on the powers of other lanes
#[inline(always)]
fn sigmoid<R: Real>(s: &Solver<R>, x: R) -> (R, R) {
    let ([a, b], [.., midpoint, p]) = (s.factors, s.solimp);
    let one = R::one();
    let below = x.le(midpoint);
    let rest = one - x.min(one);
    match s.curve {
        Curve::Flat | Curve::Straight => (x, one),
        Curve::Square => {
            let y = R::select(below, a * (x * x), one - b * (rest * rest));
            (y, R::select(below, p * a * x, p * b * rest))
        }
        Curve::Other => {
            let y = R::select(below, a * power(x, p), one - b * power(rest, p));
            let slope = |scale: R, x: R| p * scale * power(x, p - one);
            let dy = R::select(below, slope(a, x), slope(b, rest));
            let straight = is(p, 1.0);
            (R::select(straight, x, y), R::select(straight, one, dy))
        }
    }
}

/// R of a row, from its impedance and the approximate diagonal of A.
#[inline]
pub fn regularization<R: Real>(imp: &Impedance<R>, diag: R) -> R {
    ((R::one() - imp.value) * diag / imp.value).max(R::splat(MINVAL))
}
