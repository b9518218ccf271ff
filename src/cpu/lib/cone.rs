//! Elliptic contacts: one normal row and its friction rows, whose cost depends on where their residual lies to the cone.
//!
//! Scaled by the friction coefficients the cone is round: N is the normal, T the length of the tangential residual.
//!
//! ```text
//!        T          mu T <= N       top      no force
//!        |  middle  /               middle   distance to the cone, squared
//!  bottom|\    /  top               bottom   quadratic in every row
//!        |  \/______ N              mu N + T <= 0
//! ```

use super::linesearch::Point;
use crate::fields::{Data, Model};
use crate::types::*;

/// Rows of the largest contact.
pub const MAXDIM: usize = 6;

/// An elliptic contact.
pub struct Contact {
    /// Number of rows.
    pub dim: usize,
    // friction of the regularized cone
    mu: f64,
    // what makes the cone round: mu for the normal, then the friction coefficients
    scale: [f64; MAXDIM],
}

/// True if a row is of an elliptic contact.
#[inline(always)]
pub fn is_elliptic(m: &Model, d: &Data, r: usize) -> bool {
    m.opt.cone == Cone::Elliptic && d.efc_type[r] == ConstraintType::ContactElliptic
}

impl Contact {
    /// The contact whose first row is `r`.
    pub fn of(m: &Model, d: &Data, r: usize) -> Self {
        let pair = d.contact_collision[d.efc_id[r] as usize] as usize;
        let friction = &m.collision_friction[5 * pair..5 * pair + 5];
        let mu = friction[0] * (d.efc_R[r + 1] / d.efc_R[r]).sqrt();
        Self {
            dim: m.collision_condim[pair] as usize,
            mu,
            scale: std::array::from_fn(|k| if k == 0 { mu } else { friction[k - 1] }),
        }
    }

    // the residual where the cone is round, and its tangential length
    fn round(&self, x: &[f64]) -> ([f64; MAXDIM], f64) {
        let mut u = [0.0; MAXDIM];
        for k in 0..self.dim {
            u[k] = x[k] * self.scale[k];
        }
        (u, u[1..].iter().map(|u| u * u).sum::<f64>().sqrt())
    }

    /// Friction coefficients of the friction rows.
    pub fn friction(&self) -> &[f64] {
        &self.scale[1..self.dim]
    }

    /// The least normal force that allows the friction forces.
    pub fn reach(&self, force: &[f64]) -> f64 {
        let tangent = force[1..self.dim].iter().zip(self.friction());
        tangent
            .map(|(f, mu)| (f / mu) * (f / mu))
            .sum::<f64>()
            .sqrt()
    }

    /// True if the friction forces are as large as the normal force allows.
    pub fn slides(&self, force: &[f64]) -> bool {
        self.reach(force) >= force[0] * (1.0 - 1e-12)
    }

    /// Cost of the rows with residuals `x`.
    pub fn cost(&self, inertia: &[f64], x: &[f64]) -> f64 {
        let (u, t) = self.round(x);
        match zone(self.mu, u[0], t) {
            ConstraintState::Quadratic => {
                (0..self.dim).map(|k| 0.5 * inertia[k] * x[k] * x[k]).sum()
            }
            ConstraintState::Cone => {
                let r = u[0] - self.mu * t;
                0.5 * stiffness(self.mu, inertia[0]) * r * r
            }
            _ => 0.0,
        }
    }

    /// Forces and state of the rows with residuals `x`.
    pub fn force(&self, inertia: &[f64], x: &[f64], force: &mut [f64]) -> ConstraintState {
        let (u, t) = self.round(x);
        let state = zone(self.mu, u[0], t);
        for k in 0..self.dim {
            force[k] = match state {
                ConstraintState::Quadratic => -inertia[k] * x[k],
                _ => 0.0,
            };
        }
        if state == ConstraintState::Cone {
            let normal = -stiffness(self.mu, inertia[0]) * (u[0] - self.mu * t) * self.mu;
            force[0] = normal;
            for k in 1..self.dim {
                force[k] = -normal / t * u[k] * self.scale[k];
            }
        }
        state
    }

    /// Second derivative of the cost in the middle zone, by the residuals.
    pub fn hessian(&self, inertia: &[f64], x: &[f64]) -> [[f64; MAXDIM]; MAXDIM] {
        let (u, t) = self.round(x);
        let (n, mu) = (u[0], self.mu);
        let stiffness = stiffness(mu, inertia[0]);
        let mut h = [[0.0; MAXDIM]; MAXDIM];
        for a in 0..self.dim {
            for b in 0..self.dim {
                let value = match (a, b) {
                    (0, 0) => 1.0,
                    (0, k) | (k, 0) => -mu / t * u[k],
                    (a, b) => {
                        let bend = mu * n / t;
                        bend / (t * t) * u[a] * u[b] + if a == b { mu * mu - bend } else { 0.0 }
                    }
                };
                h[a][b] = stiffness * self.scale[a] * self.scale[b] * value;
            }
        }
        h
    }

    /// What [`Path::eval`] needs to know of the rows with residuals `x` that change by `v`.
    pub fn path(&self, inertia: &[f64], x: &[f64], v: &[f64]) -> Path {
        let mut quad = [0.0; 3];
        for k in 0..self.dim {
            quad[0] += 0.5 * inertia[k] * x[k] * x[k];
            quad[1] += inertia[k] * x[k] * v[k];
            quad[2] += 0.5 * inertia[k] * v[k] * v[k];
        }
        let (u, _) = self.round(x);
        let (w, _) = self.round(v);
        let dot = |a: &[f64; MAXDIM], b: &[f64; MAXDIM]| (1..self.dim).map(|k| a[k] * b[k]).sum();
        Path {
            normal: [u[0], w[0]],
            tangent: [dot(&u, &u), dot(&u, &w), dot(&w, &w)],
            quad,
            stiffness: stiffness(self.mu, inertia[0]),
            mu: self.mu,
        }
    }
}

// where the residual lies to the cone
#[inline(always)]
fn zone(mu: f64, n: f64, t: f64) -> ConstraintState {
    if n >= mu * t || (t <= 0.0 && n >= 0.0) {
        ConstraintState::Satisfied
    } else if mu * n + t <= 0.0 || t <= 0.0 {
        ConstraintState::Quadratic
    } else {
        ConstraintState::Cone
    }
}

// of the distance to the cone
fn stiffness(mu: f64, inertia: f64) -> f64 {
    inertia / (mu * mu * (1.0 + mu * mu))
}

/// An elliptic contact along a search direction.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Path {
    /// Normal: at the start, and its change by a unit step.
    pub normal: [f64; 2],
    /// Tangent: squared length at the start, product with the change, squared length of the change.
    pub tangent: [f64; 3],
    /// Coefficients of the cost in the bottom zone.
    pub quad: [f64; 3],
    /// Of the distance to the cone.
    pub stiffness: f64,
    /// Friction of the regularized cone.
    pub mu: f64,
}

impl Path {
    /// Adds cost, less that of the start, and its derivatives at `p.alpha` (`PrimalEval`).
    pub fn eval(&self, p: &mut Point) {
        let [mu, k, alpha] = [self.mu, self.stiffness, p.alpha];
        let [n0, n1] = self.normal;
        let [uu, uv, vv] = self.tangent;
        let [q0, q1, q2] = self.quad;
        let t0 = uu.sqrt();
        let moved = alpha * (2.0 * uv + alpha * vv);
        let n = n0 + alpha * n1;
        let t = (uu + moved).max(0.0).sqrt();
        let [zone0, zone] = [zone(mu, n0, t0), zone(mu, n, t)];

        // costs are subtracted before they can cancel
        use ConstraintState::{Cone, Quadratic, Satisfied};
        let quad = alpha * (alpha * q2 + q1);
        let distance = |n: f64, t: f64| 0.5 * k * (n - mu * t) * (n - mu * t);
        let gap = |n: f64, t: f64| 0.5 * k * (mu * n + t) * (mu * n + t);
        p.cost += match (zone0, zone) {
            (Quadratic, Quadratic) => quad,
            (Cone, Cone) => {
                let change = alpha * n1 - mu * moved / (t + t0);
                0.5 * k * change * (2.0 * (n0 - mu * t0) + change)
            }
            (Cone, Quadratic) => quad + gap(n0, t0),
            (Quadratic, Cone) => quad - gap(n, t),
            (Cone, _) => -distance(n0, t0),
            (Quadratic, _) => -q0,
            (_, Cone) => distance(n, t),
            (_, Quadratic) => q0 + quad,
            _ => 0.0,
        };

        // derivatives
        if zone == Quadratic {
            p.deriv[0] += 2.0 * alpha * q2 + q1;
            p.deriv[1] += 2.0 * q2;
        } else if zone != Satisfied {
            let t1 = (uv + alpha * vv) / t;
            let t2 = (vv - t1 * t1) / t;
            let slope = n1 - mu * t1;
            p.deriv[0] += k * (n - mu * t) * slope;
            p.deriv[1] += k * (slope * slope - (n - mu * t) * mu * t2);
        }
    }
}
