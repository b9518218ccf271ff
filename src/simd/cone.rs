//! Elliptic contacts of worlds side by side: what the reference does zone by zone is done in all zones and chosen by lane.
//! Twin of `cpu/lib/cone.rs`.

use super::line_search::Point;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Rows of the largest contact.
pub const MAXDIM: usize = 6;

/// An elliptic contact, which all lanes have or could have.
#[derive(Clone, Copy, Debug)]
pub struct Contact<R> {
    /// Its first row.
    pub first: usize,
    /// Number of rows.
    pub dim: usize,
    // friction of the regularized cone
    mu: R,
    // what makes the cone round: mu for the normal, then the friction coefficients
    scale: [R; MAXDIM],
}

/// The lanes where a residual lies in the middle zone, and in the bottom one; elsewhere it lies in the top one.
#[derive(Clone, Copy)]
pub struct Zone<R: Real> {
    /// Distance to the cone, squared.
    pub middle: R::Mask,
    /// Quadratic in every row.
    pub bottom: R::Mask,
}

// where the residual lies to the cone
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

impl<R: Real> Contact<R> {
    /// The contact of a pair whose first row is `first`.
    pub fn new(m: &Model, d: &Data<R>, pair: usize, first: usize) -> Self {
        let friction = &m.collision_friction[5 * pair..5 * pair + 5];
        let mu = R::splat(friction[0]) * (d.efc_R[first + 1] / d.efc_R[first]).sqrt();
        let scale = |k: usize| {
            if k == 0 {
                mu
            } else {
                R::splat(friction[k - 1])
            }
        };
        Self {
            first,
            dim: m.collision_condim[pair] as usize,
            mu,
            scale: std::array::from_fn(scale),
        }
    }

    /// Its rows.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.dim
    }

    // of the distance to the cone
    fn stiffness(&self, inertia: R) -> R {
        inertia / (self.mu * self.mu * (R::one() + self.mu * self.mu))
    }

    // the residual where the cone is round, and its tangential length
    fn round(&self, x: &[R]) -> ([R; MAXDIM], R) {
        let mut u = [R::zero(); MAXDIM];
        let mut sum = R::zero();
        for k in 0..self.dim {
            u[k] = x[k] * self.scale[k];
            if k > 0 {
                sum += u[k] * u[k];
            }
        }
        (u, sum.sqrt())
    }

    /// Cost of the rows with residuals `x`; `inertia` is their D.
    pub fn cost(&self, inertia: &[R], x: &[R]) -> R {
        let (u, t) = self.round(x);
        let zone = zone(self.mu, u[0], t);
        let half = R::splat(0.5);
        let mut quad = R::zero();
        for k in 0..self.dim {
            quad += half * inertia[k] * x[k] * x[k];
        }
        let r = u[0] - self.mu * t;
        let cone = half * self.stiffness(inertia[0]) * r * r;
        R::select(zone.bottom, quad, R::select(zone.middle, cone, R::zero()))
    }

    /// Forces of the rows with residuals `x`, second derivative of their cost, and where they lie.
    pub fn force(
        &self,
        inertia: &[R],
        x: &[R],
        force: &mut [R],
        weight: &mut [[R; MAXDIM]; MAXDIM],
    ) -> Zone<R> {
        let (zero, one) = (R::zero(), R::one());
        let (u, t) = self.round(x);
        let zone = zone(self.mu, u[0], t);
        let (n, mu) = (u[0], self.mu);
        let stiffness = self.stiffness(inertia[0]);

        // the middle zone has a length to divide by
        let inv = one / R::select(zone.middle, t, one);
        let normal = -stiffness * (n - mu * t) * mu;
        let bend = mu * n * inv;
        for a in 0..self.dim {
            let cone = match a {
                0 => normal,
                _ => -normal * inv * u[a] * self.scale[a],
            };
            let bottom = R::select(zone.bottom, -inertia[a] * x[a], zero);
            force[a] = R::select(zone.middle, cone, bottom);
            for b in 0..=a {
                let value = match (a, b) {
                    (0, 0) => one,
                    (a, 0) => -mu * inv * u[a],
                    (a, b) => {
                        let round = bend * inv * inv * u[a] * u[b];
                        if a == b {
                            round + mu * mu - bend
                        } else {
                            round
                        }
                    }
                };
                let cone = stiffness * self.scale[a] * self.scale[b] * value;
                let own = if a == b { inertia[a] } else { zero };
                let bottom = R::select(zone.bottom, own, zero);
                weight[a][b] = R::select(zone.middle, cone, bottom);
                weight[b][a] = weight[a][b];
            }
        }
        zone
    }

    /// What [`Path::eval`] needs to know of the rows with residuals `x` that change by `v`.
    pub fn path(&self, inertia: &[R], x: &[R], v: &[R]) -> Path<R> {
        let (zero, half) = (R::zero(), R::splat(0.5));
        let (u, t) = self.round(x);
        let (w, _) = self.round(v);
        let mut path = Path {
            normal: [u[0], w[0]],
            tangent: [zero; 3],
            quad: [zero; 3],
            stiffness: self.stiffness(inertia[0]),
            mu: self.mu,
            length: t,
            zone: zone(self.mu, u[0], t),
        };
        for k in 0..self.dim {
            path.quad[0] += half * inertia[k] * x[k] * x[k];
            path.quad[1] += inertia[k] * x[k] * v[k];
            path.quad[2] += half * inertia[k] * v[k] * v[k];
            if k > 0 {
                path.tangent[0] += u[k] * u[k];
                path.tangent[1] += u[k] * w[k];
                path.tangent[2] += w[k] * w[k];
            }
        }
        path
    }
}

/// An elliptic contact along a search direction.
#[derive(Clone, Copy)]
pub struct Path<R: Real> {
    // normal: at the start, and its change by a unit step
    normal: [R; 2],
    // tangent: squared length at the start, product with the change, squared length of the change
    tangent: [R; 3],
    // coefficients of the cost in the bottom zone
    quad: [R; 3],
    // of the distance to the cone
    stiffness: R,
    // friction of the regularized cone
    mu: R,
    // tangential length and zone at the start
    length: R,
    zone: Zone<R>,
}

impl<R: Real> Path<R> {
    /// Adds cost, less that of the start, and its derivatives at `p.alpha` (`PrimalEval`).
    pub fn eval(&self, p: &mut Point<R>) {
        let (zero, one, two, half) = (R::zero(), R::one(), R::splat(2.0), R::splat(0.5));
        let [mu, k, alpha] = [self.mu, self.stiffness, p.alpha];
        let [n0, n1] = self.normal;
        let [uu, uv, vv] = self.tangent;
        let [q0, q1, q2] = self.quad;
        let (t0, was) = (self.length, &self.zone);
        let moved = alpha * (two * uv + alpha * vv);
        let n = n0 + alpha * n1;
        let t = (uu + moved).max(zero).sqrt();
        let now = zone(mu, n, t);

        // costs are subtracted before they can cancel
        let quad = alpha * (alpha * q2 + q1);
        let distance = |n: R, t: R| half * k * (n - mu * t) * (n - mu * t);
        let gap = |n: R, t: R| half * k * (mu * n + t) * (mu * n + t);
        let sum = t + t0;
        let change = alpha * n1 - mu * moved / R::select(sum.le(zero), one, sum);
        let both = half * k * change * (two * (n0 - mu * t0) + change);
        let pick = |middle: R, bottom: R, top: R| {
            R::select(was.middle, middle, R::select(was.bottom, bottom, top))
        };
        let to_middle = pick(both, quad - gap(n, t), distance(n, t));
        let to_bottom = pick(quad + gap(n0, t0), quad, q0 + quad);
        let to_top = pick(-distance(n0, t0), -q0, zero);
        p.cost += R::select(
            now.middle,
            to_middle,
            R::select(now.bottom, to_bottom, to_top),
        );

        // derivatives
        let inv = one / R::select(now.middle, t, one);
        let t1 = (uv + alpha * vv) * inv;
        let t2 = (vv - t1 * t1) * inv;
        let slope = n1 - mu * t1;
        let middle = [
            k * (n - mu * t) * slope,
            k * (slope * slope - (n - mu * t) * mu * t2),
        ];
        let bottom = [two * alpha * q2 + q1, two * q2];
        for i in 0..2 {
            let rest = R::select(now.bottom, bottom[i], zero);
            p.deriv[i] += R::select(now.middle, middle[i], rest);
        }
    }
}
