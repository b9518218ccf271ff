//! Elliptic contacts: a normal row and its friction rows. Their cost depends on the position of the residual relative to the cone.
//!
//! Scaled by the friction coefficients the cone is circular: N is the normal, T the length of the tangential residual.
//!
//! ```text
//!        T          mu T <= N       top      no force
//!        |  middle  /               middle   distance to the cone, squared
//!  bottom|\    /  top               bottom   quadratic in every row
//!        |  \/______ N              mu N + T <= 0
//! ```
//!
//! Worlds side by side may be in different zones: each zone's terms are computed where any lane is in it, and selected by lane.

use super::linesearch::{Point, Quadratic};
use super::math::is_fine;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Number of rows of the largest contact.
pub const MAXDIM: usize = 6;

/// An elliptic contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact<R> {
    /// Number of rows.
    pub dim: usize,
    // friction of the regularized cone
    mu: R,
    // factors that make the cone circular: mu for the normal, then the friction coefficients
    scale: [R; MAXDIM],
}

/// Zone of a residual relative to the cone: middle, bottom, or else top.
#[derive(Clone, Copy)]
pub struct Zone<R: Real> {
    /// The cost is the squared distance to the cone.
    pub middle: R::Mask,
    /// The cost is quadratic in every row.
    pub bottom: R::Mask,
}

impl<R: Real> Zone<R> {
    /// The state of the contact's rows.
    #[inline(always)]
    pub(crate) fn state(&self) -> R::Int {
        let int = |state: ConstraintState| R::int(state as i32);
        let rest = R::select_int(
            self.bottom,
            int(ConstraintState::Quadratic),
            int(ConstraintState::Satisfied),
        );
        R::select_int(self.middle, int(ConstraintState::Cone), rest)
    }
}

/// True if a row belongs to an elliptic contact.
#[inline(always)]
pub fn is_elliptic<R: Real>(m: &Model, d: &Data<R>, r: usize) -> bool {
    m.opt.cone == Cone::Elliptic
        && R::int_lane(d.efc_type[r], 0) == ConstraintType::ContactElliptic as i32
}

impl Contact<f64> {
    /// The contact whose first row is `r`.
    pub fn of(m: &Model, d: &Data, r: usize) -> Self {
        let pair = d.contact_collision[d.efc_id[r] as usize] as usize;
        Self::new(m, d, pair, r)
    }
}

impl<R: Real> Contact<R> {
    /// The contact of a pair whose first row is `r`.
    #[inline(always)]
    pub(crate) fn new(m: &Model, d: &Data<R>, pair: usize, r: usize) -> Self {
        let friction = |k: usize| d.own.collision_friction(m, 5 * pair + k);
        let mu = friction(0) * (d.efc_R[r + 1] / d.efc_R[r]).sqrt();
        let scale = |k: usize| match k {
            0 => mu,
            _ => friction(k - 1),
        };
        Self {
            dim: m.collision_condim[pair] as usize,
            mu,
            scale: std::array::from_fn(scale),
        }
    }

    // the residual scaled so that the cone is circular, and its tangential length
    #[inline(always)]
    fn round(&self, x: &[R]) -> ([R; MAXDIM], R) {
        let mut u = [R::zero(); MAXDIM];
        let mut sum = R::zero();
        for k in 0..self.dim.min(x.len()) {
            u[k] = x[k] * self.scale[k];
            if k > 0 {
                sum += u[k] * u[k];
            }
        }
        (u, sum.sqrt())
    }

    /// Friction coefficients of the friction rows.
    pub fn friction(&self) -> &[R] {
        &self.scale[1..self.dim]
    }

    /// The smallest normal force that allows these friction forces.
    pub fn reach(&self, force: &[R]) -> R {
        let mut sum = R::zero();
        for (&f, &mu) in force[1..self.dim].iter().zip(self.friction()) {
            sum += (f / mu) * (f / mu);
        }
        sum.sqrt()
    }

    /// True if the friction forces are as large as the normal force allows.
    pub fn slides(&self, force: &[R]) -> R::Mask {
        (force[0] * R::splat(1.0 - 1e-12)).le(self.reach(force))
    }

    /// Cost of the rows with residuals `x`; `inertia` is their D.
    #[inline(always)]
    pub fn cost(&self, inertia: &[R], x: &[R]) -> R {
        let (half, zero) = (R::splat(0.5), R::zero());
        let (u, t) = self.round(x);
        let zone = zone(self.mu, u[0], t);
        let mut cost = zero;
        if zone.bottom.any() {
            let mut quad = zero;
            for k in 0..self.dim {
                quad += half * inertia[k] * x[k] * x[k];
            }
            cost = R::select(zone.bottom, quad, zero);
        }
        if zone.middle.any() {
            let r = u[0] - self.mu * t;
            let distance = half * stiffness(self.mu, inertia[0]) * r * r;
            cost = R::select(zone.middle, distance, cost);
        }
        cost
    }

    /// Forces of the rows with residuals `x`, and the zone of the residuals.
    #[inline(always)]
    pub fn force(&self, inertia: &[R], x: &[R], force: &mut [R]) -> Zone<R> {
        let (zero, one) = (R::zero(), R::one());
        let (u, t) = self.round(x);
        let zone = zone(self.mu, u[0], t);
        for k in 0..self.dim {
            force[k] = R::select(zone.bottom, -inertia[k] * x[k], zero);
        }
        if zone.middle.any() {
            // only in the middle zone is the length certainly not zero
            let length = R::select(zone.middle, t, one);
            let normal = -stiffness(self.mu, inertia[0]) * (u[0] - self.mu * t) * self.mu;
            force[0] = R::select(zone.middle, normal, force[0]);
            let tangent = -normal / length;
            for k in 1..self.dim {
                let friction = tangent * u[k] * self.scale[k];
                force[k] = R::select(zone.middle, friction, force[k]);
            }
        }
        zone
    }

    /// Second derivative of the cost by the residuals of a contact with N rows in the middle zone; nothing elsewhere.
    #[inline(always)]
    pub fn hessian<const N: usize>(&self, inertia: &[R], x: &[R]) -> [[R; N]; N] {
        let (zero, one) = (R::zero(), R::one());
        let (u, t) = self.round(&x[..N]);
        let (n, mu) = (u[0], self.mu);
        let middle = zone(mu, n, t).middle;
        let inv = one / R::select(middle, t, one);
        let stiffness = R::select(middle, stiffness(mu, inertia[0]), zero);
        let bend = mu * n * inv;
        let mut h = [[zero; N]; N];
        for a in 0..N {
            for b in 0..=a {
                let value = match (a, b) {
                    (0, 0) => one,
                    (a, 0) => -mu * inv * u[a],
                    (a, b) => {
                        let round = bend * inv * inv * u[a] * u[b];
                        match a == b {
                            true => round + mu * mu - bend,
                            false => round,
                        }
                    }
                };
                h[a][b] = stiffness * self.scale[a] * self.scale[b] * value;
                h[b][a] = h[a][b];
            }
        }
        h
    }

    /// What [`path_eval`] and [`path_cost`] need to know of the rows with residuals `x` that change by `v`.
    #[inline(always)]
    pub fn path(&self, inertia: &[R], x: &[R], v: &[R]) -> Path<R> {
        let (zero, one, half) = (R::zero(), R::one(), R::splat(0.5));
        let (u, t) = self.round(x);
        let (w, _) = self.round(v);
        let [mut uu, mut uv, mut vv] = [zero; 3];
        let [mut q0, mut q1, mut q2] = [zero; 3];
        for k in 0..self.dim {
            q0 += half * inertia[k] * x[k] * x[k];
            q1 += inertia[k] * x[k] * v[k];
            q2 += half * inertia[k] * v[k] * v[k];
            if k > 0 {
                uu += u[k] * u[k];
                uv += u[k] * w[k];
                vv += w[k] * w[k];
            }
        }
        let at = zone(self.mu, u[0], t);
        let side = R::select(at.middle, one, R::select(at.bottom, -one, zero));
        let k = stiffness(self.mu, inertia[0]);
        [u[0], w[0], uu, uv, vv, q0, q1, q2, k, self.mu, t, side]
    }
}

// zone of the residual relative to the cone
#[inline(always)]
fn zone<R: Real>(mu: R, n: R, t: R) -> Zone<R> {
    let zero = R::zero();
    let flat = t.le(zero);
    let top = (mu * t).le(n) | (flat & zero.le(n));
    let bottom = !top & ((mu * n + t).le(zero) | flat);
    Zone {
        middle: !top & !bottom,
        bottom,
    }
}

// stiffness of the squared distance to the cone
#[inline(always)]
fn stiffness<R: Real>(mu: R, inertia: R) -> R {
    inertia / (mu * mu * (R::one() + mu * mu))
}

/// An elliptic contact along a search direction: normal at the start, and its change by a unit step; squared length of the
/// tangent at the start, its product with the change, squared length of the change; coefficients of the cost in the bottom
/// zone; stiffness and friction of the cone; length of the tangent at the start, and its zone (middle 1, bottom -1, top 0).
pub type Path<R> = [R; PATH];

/// Number of numbers of a [`Path`].
pub const PATH: usize = 12;

// a contact at a step: its normal, the length of its tangent, the change of the square of that length; its zone
#[inline(always)]
fn path_place<R: Real>(path: &Path<R>, alpha: R) -> ([R; 3], Zone<R>) {
    let (zero, two) = (R::zero(), R::splat(2.0));
    let &[n0, n1, uu, uv, vv, _, _, _, _, mu, _, _] = path;
    let moved = alpha * (two * uv + alpha * vv);
    let n = n0 + alpha * n1;
    let t = (uu + moved).max(zero).sqrt();
    ([n, t, moved], zone(mu, n, t))
}

/// Adds the derivatives of the cost at `p.alpha` (`PrimalEval`): in the bottom zone, where it is quadratic, to `sum`.
#[inline(always)]
pub fn path_eval<R: Real>(path: &Path<R>, p: &mut Point<R>, sum: &mut Quadratic<R>) {
    let (zero, one) = (R::zero(), R::one());
    let &[n0, n1, _, uv, vv, _, q1, q2, k, mu, t0, _] = path;
    let alpha = p.alpha;
    let ([n, t, _], now) = path_place(path, alpha);
    if now.bottom.any() {
        sum.linear += R::select(now.bottom, q1, zero);
        sum.square += R::select(now.bottom, q2, zero);
    }
    if now.middle.any() {
        // derivatives
        let length = R::select(now.middle, t, one);
        let t1 = (uv + alpha * vv) / length;
        let t2 = (vv - t1 * t1) / length;
        let slope = n1 - mu * t1;
        if !is_fine::<R>() {
            let size = k * (n0.abs() + (alpha * n1).abs() + mu * (t0 + t)) * slope.abs();
            p.size += R::select(now.middle, size, zero);
        }
        let first = k * (n - mu * t) * slope;
        let second = k * (slope * slope - (n - mu * t) * mu * t2);
        p.deriv[0] += R::select(now.middle, first, zero);
        p.deriv[1] += R::select(now.middle, second, zero);
    }
}

/// The cost at a step, less that of the start: costs are subtracted before they can cancel.
#[inline(always)]
pub(crate) fn path_cost<R: Real>(path: &Path<R>, alpha: R) -> R {
    let (zero, one, two, half) = (R::zero(), R::one(), R::splat(2.0), R::splat(0.5));
    let &[n0, n1, _, _, _, q0, q1, q2, k, mu, t0, side] = path;
    let ([n, t, moved], now) = path_place(path, alpha);
    let (was_middle, was_bottom) = (zero.lt(side), side.lt(zero));
    let quad = alpha * (alpha * q2 + q1);
    let distance = |n: R, t: R| half * k * (n - mu * t) * (n - mu * t);
    let gap = |n: R, t: R| half * k * (mu * n + t) * (mu * n + t);
    let pick = |middle: R, bottom: R, top: R| {
        R::select(was_middle, middle, R::select(was_bottom, bottom, top))
    };
    let mut cost = pick(-distance(n0, t0), -q0, zero);
    if now.bottom.any() {
        let change = pick(quad + gap(n0, t0), quad, q0 + quad);
        cost = R::select(now.bottom, change, cost);
    }
    if now.middle.any() {
        let sum = t + t0;
        let change = alpha * n1 - mu * moved / R::select(sum.le(zero), one, sum);
        let both = half * k * change * (two * (n0 - mu * t0) + change);
        let change = pick(both, quad - gap(n, t), distance(n, t));
        cost = R::select(now.middle, change, cost);
    }
    cost
}
