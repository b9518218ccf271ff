//! Exact line search of the primal solver for worlds side by side: each lane minimises its own convex, piecewise quadratic
//! cost (`PrimalSearch`); lanes that are done wait for the others. Twin of `cpu/lib/linesearch.rs`.

use super::cone::Path;
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// The cost along a search direction, relative to its start.
pub struct Line<'a, R: Real> {
    /// Linear and quadratic coefficient of what is quadratic everywhere: the Gauss cost and equalities.
    pub smooth: [R; 2],
    /// Number of friction loss rows, which come first; one-sided rows follow.
    pub nf: usize,
    /// Residual at the start.
    pub x: &'a [R],
    /// Change of the residual by a unit step.
    pub v: &'a [R],
    /// Inverse mass of the row's constraint; 0 in lanes that lack it.
    pub d: &'a [R],
    /// Friction loss of friction rows.
    pub loss: &'a [R],
    /// Regularisation of friction rows.
    pub r: &'a [R],
    /// Elliptic contacts, whose rows have no D above.
    pub cones: &'a [Path<R>],
}

/// A point of the line: step, cost relative to the start, first and second derivative.
#[derive(Clone, Copy)]
pub struct Point<R> {
    /// Step.
    pub alpha: R,
    /// Cost less that of the start.
    pub cost: R,
    /// First and second derivative of the cost by the step.
    pub deriv: [R; 2],
}

impl<R: Real> Point<R> {
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            alpha: R::select(mask, yes.alpha, no.alpha),
            cost: R::select(mask, yes.cost, no.cost),
            deriv: [
                R::select(mask, yes.deriv[0], no.deriv[0]),
                R::select(mask, yes.deriv[1], no.deriv[1]),
            ],
        }
    }

    // where Newton would go from here
    fn newton(&self) -> R {
        self.alpha - self.deriv[0] / self.deriv[1]
    }

    fn flat(&self, gtol: R) -> R::Mask {
        self.deriv[0].abs().lt(gtol)
    }
}

// the lanes' answers so far, and the lanes without one
struct Answers<R: Real> {
    open: R::Mask,
    alpha: R,
    gain: R,
}

impl<R: Real> Answers<R> {
    fn found(&mut self, here: R::Mask, p: &Point<R>) {
        let now = self.open & here;
        self.alpha = R::select(now, p.alpha, self.alpha);
        self.gain = R::select(now, -p.cost, self.gain);
        self.open = self.open & !now;
    }
}

impl<R: Real> Line<'_, R> {
    fn eval(&self, alpha: R) -> Point<R> {
        let zero = R::zero();
        let half = R::splat(0.5);
        let (mut cost, mut d1, mut d2) = (zero, zero, zero);

        // friction: quadratic inside a bound, linear outside
        for i in 0..self.nf {
            let (x0, v, d, loss) = (self.x[i], self.v[i], self.d[i], self.loss[i]);
            let bound = self.r[i] * loss;
            let x = alpha.mul_add(v, x0);
            let huber = |x: R| {
                let inside = x.abs().lt(bound);
                R::select(inside, half * d * x * x, loss * (x.abs() - half * bound))
            };
            let inside = x.abs().lt(bound);
            let sign = R::select(zero.lt(x), loss, -loss);
            cost += huber(x) - huber(x0);
            d1 += R::select(inside, d * x, sign) * v;
            d2 += R::select(inside, d * v * v, zero);
        }

        // one-sided: quadratic where the residual is negative, else nothing
        let (mut c0, mut c1, mut c2) = (zero, zero, zero);
        let (x, v, d) = (&self.x[self.nf..], &self.v[self.nf..], &self.d[self.nf..]);
        for ((&x0, &v), &d) in x.iter().zip(v).zip(d) {
            let now = alpha.mul_add(v, x0).lt(zero);
            let dx = d * x0;
            let dv = d * v;
            let q0 = dx * x0;
            c0 += R::select(now, q0, zero) - R::select(x0.lt(zero), q0, zero);
            c1 += R::select(now, dx * v, zero);
            c2 += R::select(now, dv * v, zero);
        }

        // half the sums, and what is quadratic everywhere
        let [q1, q2] = self.smooth;
        let (q1, q2) = (q1 + c1, q2 + half * c2);
        cost += alpha.mul_add(alpha.mul_add(q2, q1), half * c0);
        d1 += R::splat(2.0) * alpha * q2 + q1;
        d2 += R::splat(2.0) * q2;
        let mut p = Point {
            alpha,
            cost,
            deriv: [d1, d2],
        };
        for cone in self.cones {
            cone.eval(&mut p);
        }
        let least = R::splat(MINVAL.max(f64::from(f32::MIN_POSITIVE)));
        p.deriv[1] = p.deriv[1].max(least);
        p
    }

    /// The step that minimises the cost in the lanes that are `live`, and by how much it lowers it; 0 where there is no
    /// lower point. `gtol` is the slope that counts as zero.
    pub fn search(&self, gtol: R, live: R::Mask, ls_iterations: i32) -> (R, R) {
        let zero = R::zero();
        let mut answers = Answers {
            open: live,
            alpha: zero,
            gain: zero,
        };
        let limit = R::splat(f64::from(ls_iterations));
        let mut neval = R::splat(2.0);

        // start, and Newton's step from there
        let p0 = self.eval(zero);
        let mut p1 = self.eval(p0.newton());
        let lower = p1.cost.lt(zero) | p1.alpha.abs().le(zero);
        answers.found(p1.flat(gtol) & lower, &p1);

        // Newton's steps on one side, until the slope changes sign
        let dir = R::select(p1.deriv[0].lt(zero), R::one(), -R::one());
        let mut p2 = p0;
        let mut going = answers.open;
        loop {
            going = going & answers.open & (p1.deriv[0] * dir).le(-gtol) & neval.lt(limit);
            if !going.any() {
                break;
            }
            p2 = Point::select(going, p1, p2);
            p1 = Point::select(going, self.eval(p1.newton()), p1);
            neval += R::select(going, R::one(), zero);
            answers.found(going & p1.flat(gtol) & p1.cost.lt(zero), &p1);
        }
        answers.found(!neval.lt(limit), &p1);
        if !answers.open.any() {
            return (answers.alpha, answers.gain);
        }

        // the minimum lies between p1 and p2: candidates are Newton's steps from both ends and the middle
        let mut p2next = p1;
        let mut p1next = self.eval(p1.newton());
        while answers.open.any() {
            let pmid = self.eval(R::splat(0.5) * (p1.alpha + p2.alpha));
            let candidates = [p1next, p2next, pmid];

            // the best of those whose slope is zero
            let mut best = pmid;
            best.cost = R::splat(f64::from(f32::MAX));
            let mut any = best.cost.lt(zero);
            for p in candidates {
                let better = p.flat(gtol) & p.cost.lt(best.cost);
                best = Point::select(better, p, best);
                any = any | better;
            }
            answers.found(any, &best);

            // narrow the bracket; where it no longer narrows, the machine's accuracy is reached
            let moved1 = self.narrow(&mut p1, &candidates, &mut p1next, answers.open);
            let moved2 = self.narrow(&mut p2, &candidates, &mut p2next, answers.open);
            answers.found(!(moved1 | moved2), &pmid);

            // out of evaluations: the better end, if it is lower
            neval += R::splat(3.0);
            let mut end = Point::select(p1.cost.le(p2.cost), p1, p2);
            let lower = end.cost.lt(zero);
            end.alpha = R::select(lower, end.alpha, zero);
            end.cost = R::select(lower, end.cost, zero);
            answers.found(!neval.lt(limit), &end);
        }
        (answers.alpha, answers.gain)
    }

    // moves an end of the bracket to the nearest candidate on its side; true where it moved
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
            let nearer = below | above;
            *p = Point::select(nearer, *c, *p);
            moved = moved | nearer;
        }
        if (moved & open).any() {
            *next = Point::select(moved, self.eval(p.newton()), *next);
        }
        moved
    }
}
