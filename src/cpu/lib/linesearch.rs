//! Exact line search of the primal solvers: the minimum of a convex, piecewise quadratic cost along a direction, by Newton's
//! method and bracketing (`PrimalSearch`). Each of the worlds side by side minimises its own cost; finished worlds wait for the
//! others.
//!
//! On purpose kernels choose the side by the slope at the start, and search between the first two points as soon as the slope
//! changes its sign; the twins choose it by the slope at the first step, as MuJoCo does.
//!
//! Points are compared by their slopes. The cost, which hardly ever decides, is found once, of the point that was found; where it is no
//! lower than at the start, the search is made again and looks at the cost of every point whose slope is zero.
//!
//! A slope counts as zero below a bound. In f32 it also counts as zero if it is within rounding of its terms, whose absolute
//! values are summed for that.

use super::cone::{Path, path_cost, path_eval};
use super::math::is_fine;
use super::one_sided;
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// The cost along a search direction, relative to its start, in parts that are cheap to evaluate.
pub struct Line<'a, R: Real> {
    /// Linear and quadratic coefficients of the parts that are quadratic everywhere: the Gauss cost and equalities.
    pub smooth: [R; 2],
    /// Friction loss rows.
    pub friction: &'a [Quad<R>],
    /// One-sided rows: limits, frictionless and pyramidal contacts. Residual at the start, its change by a unit step, D.
    pub one_sided: [&'a [R]; 3],
    /// Elliptic contacts.
    pub cones: &'a [Path<R>],
}

/// A friction loss row along a search direction: residual at the start, its change by a unit step, D, the friction loss, and the
/// bound of the quadratic zone.
pub type Quad<R> = [R; 5];

/// A point of the line: step, first and second derivative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point<R> {
    /// Step.
    pub alpha: R,
    /// First and second derivative of the cost with respect to the step.
    pub deriv: [R; 2],
    /// Sum of the absolute values of the terms of the first derivative; 0 in f64, whose rounding does not matter.
    pub size: R,
}

/// The quadratic part of the cost around a step: its linear and its quadratic coefficient.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic<R> {
    /// Linear coefficient.
    pub linear: R,
    /// Quadratic coefficient.
    pub square: R,
}

/// A slope below this many roundings of its terms counts as zero.
pub(crate) const TOLD: f64 = 4.0;

impl<R: Real> Point<R> {
    #[inline(always)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            alpha: R::select(mask, yes.alpha, no.alpha),
            deriv: std::array::from_fn(|i| R::select(mask, yes.deriv[i], no.deriv[i])),
            size: match is_fine::<R>() {
                true => no.size,
                false => R::select(mask, yes.size, no.size),
            },
        }
    }

    // Newton's step from here
    #[inline(always)]
    fn newton(&self) -> R {
        self.alpha - self.deriv[0] / self.deriv[1]
    }

    #[inline(always)]
    fn flat(&self, gtol: R) -> R::Mask {
        let least = match is_fine::<R>() {
            true => gtol,
            false => gtol.max(R::splat(TOLD * R::ROUNDING) * self.size),
        };
        self.deriv[0].abs().lt(least)
    }
}

/// Result of a line search, and its number of evaluations.
pub struct Found<R> {
    /// Step; 0 where no point is lower.
    pub alpha: R,
    /// Decrease of the cost.
    pub gain: R,
    /// Number of points at which the cost was evaluated.
    pub neval: R,
}

// results so far, and the lanes without one
struct Answers<R: Real> {
    open: R::Mask,
    alpha: R,
}

impl<R: Real> Answers<R> {
    #[inline(always)]
    fn found(&mut self, here: R::Mask, alpha: R) {
        let now = self.open & here;
        self.alpha = R::select(now, alpha, self.alpha);
        self.open = self.open & !now;
    }

    fn after(self, neval: R) -> [R; 2] {
        [self.alpha, neval]
    }
}

impl<R: Real> Line<'_, R> {
    /// Evaluates the slope at a step (`PrimalEval`).
    pub fn eval(&self, alpha: R) -> Point<R> {
        let mut p = Point {
            alpha,
            ..Point::default()
        };
        // coefficients of the quadratic parts are added before they are multiplied by the step, so that they do not cancel: a
        // Newton step inside one piece ends at slope zero
        let mut sum = self.slope_one_sided(alpha);
        sum.linear += self.smooth[0];
        sum.square += self.smooth[1];
        self.slope_friction(alpha, &mut sum);
        for cone in self.cones {
            path_eval(cone, &mut p, &mut sum);
        }
        let curvature = R::splat(2.0) * sum.square;
        p.deriv[0] += alpha.mul_add(curvature, sum.linear);
        p.deriv[1] += curvature;
        if !is_fine::<R>() {
            p.size += alpha.abs().mul_add(curvature, sum.linear.abs());
        }
        let curved = R::zero().lt(p.deriv[1]);
        p.deriv[1] = R::select(curved, p.deriv[1], R::splat(MINVAL));
        p
    }

    // the cost at a step, less that of the start
    fn cost(&self, alpha: R) -> R {
        let mut cost = self.cost_one_sided(alpha);
        self.add_cost_friction(alpha, &mut cost);
        for cone in self.cones {
            cost += path_cost(cone, alpha);
        }
        cost + alpha * alpha.mul_add(self.smooth[1], self.smooth[0])
    }

    // quadratic inside a bound, linear outside
    #[inline(always)]
    fn slope_friction(&self, alpha: R, sum: &mut Quadratic<R>) {
        let (zero, half) = (R::zero(), R::splat(0.5));
        for &[x0, v, d, loss, bound] in self.friction {
            let x = alpha.mul_add(v, x0);
            let quadratic = x.abs().lt(bound);
            let linear = R::select(x.lt(zero), -loss, loss);
            sum.linear += R::select(quadratic, d * x0, linear) * v;
            sum.square += R::select(quadratic, half * d * v * v, zero);
        }
    }

    // differences are formed so that they do not cancel
    #[inline(always)]
    fn add_cost_friction(&self, alpha: R, cost: &mut R) {
        let half = R::splat(0.5);
        for &[x0, v, d, loss, bound] in self.friction {
            let x = alpha.mul_add(v, x0);
            let [inside0, inside] = [x0, x].map(|x| x.clamp(-bound, bound));
            let beyond = (x.abs() - inside.abs()) - (x0.abs() - inside0.abs());
            *cost += half * d * (inside - inside0) * (inside + inside0) + loss * beyond;
        }
    }

    // quadratic where the residual is negative, else zero
    #[inline(always)]
    fn slope_one_sided(&self, alpha: R) -> Quadratic<R> {
        if is_fine::<R>() {
            let [linear, square] = one_sided::slope(self.one_world(), alpha.lane(0)).map(R::splat);
            return Quadratic { linear, square };
        }
        let (zero, half) = (R::zero(), R::splat(0.5));
        let [linear, square] = self.sum_one_sided(|x0, v, inertia| {
            let active = alpha.mul_add(v, x0).lt(zero);
            let (q1, q2) = (inertia * x0 * v, half * inertia * v * v);
            [R::select(active, q1, zero), R::select(active, q2, zero)]
        });
        Quadratic { linear, square }
    }

    #[inline(always)]
    fn cost_one_sided(&self, alpha: R) -> R {
        let (zero, half) = (R::zero(), R::splat(0.5));
        let [c0, c1, c2] = match is_fine::<R>() {
            true => one_sided::cost(self.one_world(), alpha.lane(0)).map(R::splat),
            false => self.sum_one_sided(|x0, v, inertia| {
                let active = alpha.mul_add(v, x0).lt(zero);
                let force = inertia * x0;
                let (q0, q1, q2) = (half * force * x0, force * v, half * inertia * v * v);
                let was = R::select(x0.lt(zero), q0, zero);
                [
                    R::select(active, q0, zero) - was,
                    R::select(active, q1, zero),
                    R::select(active, q2, zero),
                ]
            }),
        };
        alpha.mul_add(alpha.mul_add(c2, c1), c0)
    }

    // the one-sided rows of one world in f64
    #[inline(always)]
    fn one_world(&self) -> one_sided::Rows<'_> {
        self.one_sided.map(bytemuck::cast_slice)
    }

    // sums of terms of all one-sided rows. Side by side the place of a row depends on the other lanes, so there is one sum
    #[inline(always)]
    fn sum_one_sided<const N: usize>(&self, terms: impl Fn(R, R, R) -> [R; N]) -> [R; N] {
        let mut sums = [R::zero(); N];
        let [x, v, inertia] = self.one_sided;
        for ((&x, &v), &inertia) in x.iter().zip(v).zip(inertia) {
            for (sum, term) in sums.iter_mut().zip(terms(x, v, inertia)) {
                *sum += term;
            }
        }
        sums
    }

    /// The step that minimises the cost in the `live` lanes, and the decrease of the cost; a step of 0 where no point is lower.
    /// `gtol` is the slope that counts as zero (`PrimalSearch`).
    pub fn search(&self, gtol: R, live: R::Mask, ls_iterations: i32) -> Found<R> {
        let zero = R::zero();
        let [mut alpha, mut neval] = self.search_by::<false>(gtol, live, ls_iterations);
        let mut cost = self.cost(alpha);
        let still = alpha.abs().le(zero);
        let unsure = live & !still & !cost.lt(zero);
        if unsure.any() {
            let [again, looked] = self.search_by::<true>(gtol, unsure, ls_iterations);
            alpha = R::select(unsure, again, alpha);
            neval = R::select(unsure, looked, neval);
            cost = R::select(unsure, self.cost(again), cost);
        }
        Found {
            alpha,
            gain: R::select(alpha.abs().le(zero), zero, -cost),
            neval,
        }
    }

    // of points whose slope is zero, those that are lower than the start; who does not look takes them to be
    #[inline(always)]
    fn lower<const LOOKS: bool>(&self, flat: R::Mask, alpha: R) -> R::Mask {
        match LOOKS && flat.any() {
            true => flat & self.cost(alpha).lt(R::zero()),
            false => flat,
        }
    }

    // the step, and how many points were looked at
    fn search_by<const LOOKS: bool>(&self, gtol: R, live: R::Mask, ls_iterations: i32) -> [R; 2] {
        let (zero, one) = (R::zero(), R::one());
        let limit = R::splat(f64::from(ls_iterations));
        let mut answers = Answers {
            open: live,
            alpha: zero,
        };

        // the start, and Newton's step from there
        let p0 = self.eval(zero);
        let mut p1 = self.eval(p0.newton());
        let mut neval = R::splat(2.0);
        let flat = p1.flat(gtol);
        let still = flat & p1.alpha.abs().le(zero);
        answers.found(still | self.lower::<LOOKS>(flat, p1.alpha), p1.alpha);
        if !answers.open.any() {
            return answers.after(neval);
        }

        // Newton's steps on one side, until the slope changes sign
        let dir = R::select(p1.deriv[0].lt(zero), one, -one);
        let mut p2 = p0;
        let mut going = answers.open;
        loop {
            going = going & answers.open & (p1.deriv[0] * dir).le(-gtol) & neval.lt(limit);
            if !going.any() {
                break;
            }
            p2 = Point::select(going, p1, p2);
            p1 = Point::select(going, self.eval(p1.newton()), p1);
            neval += R::select(going, one, zero);
            answers.found(
                self.lower::<LOOKS>(going & p1.flat(gtol), p1.alpha),
                p1.alpha,
            );
        }
        answers.found(!neval.lt(limit), p1.alpha);
        if !answers.open.any() {
            return answers.after(neval);
        }

        // the minimum lies between p1 and p2: candidates are Newton's steps from both ends and the middle
        let mut p2next = p1;
        let mut p1next = self.eval(p1.newton());
        neval += R::select(answers.open, one, zero);
        loop {
            let open = answers.open & neval.lt(limit);
            if !open.any() {
                break;
            }
            let pmid = self.eval(R::splat(0.5) * (p1.alpha + p2.alpha));
            let candidates = [p1next, p2next, pmid];
            neval += R::select(open, one, zero);

            // the best of the candidates with slope zero
            let (any, best) = self.best(&candidates, gtol, open);
            answers.found(open & any, best);
            let open = open & answers.open;
            if !open.any() {
                continue;
            }

            // narrow the bracket; where it no longer narrows, machine precision is reached
            let moved1 = self.narrow(&mut p1, &candidates, &mut p1next, open);
            let moved2 = self.narrow(&mut p2, &candidates, &mut p2next, open);
            neval += R::select(moved1, one, zero) + R::select(moved2, one, zero);
            answers.found(open & !(moved1 | moved2), pmid.alpha);
        }

        // out of evaluations: the better end, if it is lower than the start
        if answers.open.any() {
            let [cost1, cost2] = [p1, p2].map(|p| self.cost(p.alpha));
            let first = cost1.le(cost2);
            let end = R::select(first, p1.alpha, p2.alpha);
            let lower = R::select(first, cost1, cost2).lt(zero);
            answers.found(answers.open, R::select(lower, end, zero));
        }
        answers.after(neval)
    }

    // where slopes of candidates are zero, and the step of the cheapest of those; costs decide between several only
    #[inline(always)]
    fn best(&self, candidates: &[Point<R>; 3], gtol: R, open: R::Mask) -> (R::Mask, R) {
        let flat = candidates.map(|p| p.flat(gtol));
        let [a, b, c] = flat;
        let several = open & ((a & b) | (a & c) | (b & c));
        let costs = match several.any() {
            true => candidates.map(|p| self.cost(p.alpha)),
            false => [R::zero(); 3],
        };
        let (mut alpha, mut least) = (candidates[2].alpha, R::splat(f64::from(f32::MAX)));
        for k in 0..3 {
            let better = flat[k] & costs[k].lt(least);
            alpha = R::select(better, candidates[k].alpha, alpha);
            least = R::select(better, costs[k], least);
        }
        (a | b | c, alpha)
    }

    // moves an end of the bracket to the nearest candidate on its side; true where it moved (`updateBracket`)
    #[inline(always)]
    fn narrow(
        &self,
        p: &mut Point<R>,
        candidates: &[Point<R>; 3],
        next: &mut Point<R>,
        open: R::Mask,
    ) -> R::Mask {
        let zero = R::zero();
        let mut moved = zero.lt(zero);
        for c in candidates {
            let (have, slope) = (p.deriv[0], c.deriv[0]);
            let below = have.lt(zero) & slope.lt(zero) & have.lt(slope);
            let above = zero.lt(have) & zero.lt(slope) & slope.lt(have);
            let nearer = open & (below | above);
            *p = Point::select(nearer, *c, *p);
            moved = moved | nearer;
        }
        if moved.any() {
            *next = Point::select(moved, self.eval(p.newton()), *next);
        }
        moved
    }
}
