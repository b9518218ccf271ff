//! Exact line search of the primal solvers: the minimum of a convex, piecewise quadratic cost along a direction, by
//! Newton's method and bracketing (`PrimalSearch`).

use super::cone::Path;

/// The cost along a search direction, relative to its start, in parts that are cheap to evaluate.
pub struct Line<'a> {
    /// Linear and quadratic coefficient of what is quadratic everywhere: the Gauss cost and equalities.
    pub smooth: [f64; 2],
    /// Friction loss rows.
    pub friction: &'a [Quad],
    /// One-sided rows: limits, frictionless and pyramidal contacts.
    pub one_sided: &'a [Quad],
    /// Elliptic contacts.
    pub cones: &'a [Path],
    /// Number of evaluations.
    pub neval: i32,
}

/// A row along a search direction: residual at the start, its change by a unit step, and
/// - one-sided: constant, linear and quadratic coefficient of the cost where the row is active,
/// - friction loss: D, the friction loss, and the bound of the quadratic zone.
pub type Quad = [f64; 5];

/// A point of the line: step, cost relative to the start, first and second derivative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    /// Step.
    pub alpha: f64,
    /// Cost less that of the start.
    pub cost: f64,
    /// First and second derivative of the cost by the step.
    pub deriv: [f64; 2],
}

impl Line<'_> {
    /// Evaluates the cost at a step (`PrimalEval`).
    pub fn eval(&mut self, alpha: f64) -> Point {
        self.neval += 1;
        let mut p = Point {
            alpha,
            ..Point::default()
        };
        self.eval_friction(&mut p);
        self.eval_one_sided(&mut p);
        for cone in self.cones {
            cone.eval(&mut p);
        }

        // what is quadratic everywhere
        let [q1, q2] = self.smooth;
        p.cost += alpha * (alpha * q2 + q1);
        p.deriv[0] += 2.0 * alpha * q2 + q1;
        p.deriv[1] += 2.0 * q2;
        if p.deriv[1] <= 0.0 {
            p.deriv[1] = crate::types::MINVAL;
        }
        p
    }

    // quadratic inside a bound, linear outside; differences of cost are formed so that they do not cancel
    fn eval_friction(&self, p: &mut Point) {
        for &[x0, v, d, loss, bound] in self.friction {
            let x = x0 + p.alpha * v;
            let zone = |x: f64| i32::from(x >= bound) - i32::from(x <= -bound);
            let (z0, z) = (zone(x0), zone(x));
            let cost = |x: f64, z: i32| match z {
                0 => 0.5 * d * x * x,
                _ => loss * (x.abs() - 0.5 * bound),
            };
            p.cost += match (z0, z) {
                (0, 0) => 0.5 * d * (x - x0) * (x + x0),
                _ if z0 == z => loss * f64::from(z) * (x - x0),
                _ => cost(x, z) - cost(x0, z0),
            };
            if z == 0 {
                p.deriv[0] += d * x * v;
                p.deriv[1] += d * v * v;
            } else {
                p.deriv[0] += loss * f64::from(z) * v;
            }
        }
    }

    // quadratic where the residual is negative, else nothing
    fn eval_one_sided(&self, p: &mut Point) {
        let (mut c0, mut c1, mut c2) = (0.0, 0.0, 0.0);
        for &[x0, v, q0, q1, q2] in self.one_sided {
            let active = x0 + p.alpha * v < 0.0;
            let was = if x0 < 0.0 { q0 } else { 0.0 };
            c0 += if active { q0 - was } else { -was };
            c1 += if active { q1 } else { 0.0 };
            c2 += if active { q2 } else { 0.0 };
        }
        p.cost += p.alpha * (p.alpha * c2 + c1) + c0;
        p.deriv[0] += 2.0 * p.alpha * c2 + c1;
        p.deriv[1] += 2.0 * c2;
    }

    /// The step that minimises the cost, and by how much it lowers it; a step of 0 if there is no lower point.
    /// `gtol` is the slope that counts as zero (`PrimalSearch`).
    pub fn search(&mut self, gtol: f64, ls_iterations: i32) -> (f64, f64) {
        let found = |p: &Point| (p.alpha, -p.cost);

        // start, and Newton's step from there
        let p0 = self.eval(0.0);
        let mut p1 = self.eval(-p0.deriv[0] / p0.deriv[1]);
        if p1.deriv[0].abs() < gtol && (p1.alpha == 0.0 || p1.cost < 0.0) {
            return found(&p1);
        }

        // Newton's steps on one side, until the slope changes sign
        let dir = if p1.deriv[0] < 0.0 { 1.0 } else { -1.0 };
        let mut p2 = p0;
        while p1.deriv[0] * dir <= -gtol && self.neval < ls_iterations {
            p2 = p1;
            p1 = self.eval(p1.alpha - p1.deriv[0] / p1.deriv[1]);
            if p1.deriv[0].abs() < gtol && p1.cost < 0.0 {
                return found(&p1);
            }
        }
        if self.neval >= ls_iterations {
            return found(&p1);
        }

        // the minimum lies between p1 and p2: candidates are Newton's steps from both ends and the middle
        let mut p2next = p1;
        let mut p1next = self.eval(p1.alpha - p1.deriv[0] / p1.deriv[1]);
        while self.neval < ls_iterations {
            let pmid = self.eval(0.5 * (p1.alpha + p2.alpha));
            let candidates = [p1next, p2next, pmid];

            // the best of those whose slope is zero
            let mut best: Option<&Point> = None;
            for p in &candidates {
                if p.deriv[0].abs() < gtol && best.is_none_or(|best| p.cost < best.cost) {
                    best = Some(p);
                }
            }
            if let Some(best) = best {
                return found(best);
            }

            // narrow the bracket; when it no longer narrows, the machine's accuracy is reached
            let moved1 = self.narrow(&mut p1, &candidates, &mut p1next);
            let moved2 = self.narrow(&mut p2, &candidates, &mut p2next);
            if !moved1 && !moved2 {
                return found(&pmid);
            }
        }

        // out of evaluations: the better end
        if p1.cost <= p2.cost && p1.cost < 0.0 {
            found(&p1)
        } else if p2.cost <= p1.cost && p2.cost < 0.0 {
            found(&p2)
        } else {
            (0.0, 0.0)
        }
    }

    // moves an end of the bracket to the nearest candidate on its side; true if it moved (`updateBracket`)
    fn narrow(&mut self, p: &mut Point, candidates: &[Point; 3], next: &mut Point) -> bool {
        let mut moved = false;
        for c in candidates {
            let (have, slope) = (p.deriv[0], c.deriv[0]);
            if (have < 0.0 && slope < 0.0 && have < slope)
                || (have > 0.0 && slope > 0.0 && have > slope)
            {
                *p = *c;
                moved = true;
            }
        }
        if moved {
            *next = self.eval(p.alpha - p.deriv[0] / p.deriv[1]);
        }
        moved
    }
}
