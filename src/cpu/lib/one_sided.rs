//! Sums over one-sided rows along a line, of one world in f64: four rows at a time, each in a partial sum of its own. The terms
//! are those of [`super::linesearch`], in another order.

use wide::f64x4;

use super::rows::sum_of;

/// Residuals at the start, their changes by a unit step, and D.
pub type Rows<'a> = [&'a [f64]; 3];

/// Linear and quadratic coefficients of the rows that are active at a step.
pub fn slope(rows: Rows<'_>, alpha: f64) -> [f64; 2] {
    sums(rows, |[x0, v, inertia]| {
        let active = (x0 + v * alpha).simd_lt(f64x4::ZERO);
        let (q1, q2) = (inertia * x0 * v, f64x4::HALF * inertia * v * v);
        [active & q1, active & q2]
    })
}

/// Coefficients of the cost of the rows that are active at a step: constant, less that of the rows that were active at the start, linear,
/// quadratic.
pub fn cost(rows: Rows<'_>, alpha: f64) -> [f64; 3] {
    sums(rows, |[x0, v, inertia]| {
        let active = (x0 + v * alpha).simd_lt(f64x4::ZERO);
        let force = inertia * x0;
        let (q0, q1, q2) = (
            f64x4::HALF * force * x0,
            force * v,
            f64x4::HALF * inertia * v * v,
        );
        let was = x0.simd_lt(f64x4::ZERO) & q0;
        [(active & q0) - was, active & q1, active & q2]
    })
}

// sums of terms of all rows; rows that fill up the last four are zero, and so are their terms
#[inline(always)]
fn sums<const N: usize>(rows: Rows<'_>, terms: impl Fn([f64x4; 3]) -> [f64x4; N]) -> [f64; N] {
    let mut sums = [f64x4::ZERO; N];
    let mut add = |rows: [f64x4; 3]| {
        for (sum, term) in sums.iter_mut().zip(terms(rows)) {
            *sum += term;
        }
    };
    let [(x, x_rest), (v, v_rest), (inertia, rest)] = rows.map(|row| row.as_chunks::<4>());
    for ((x, v), inertia) in x.iter().zip(v).zip(inertia) {
        add([x, v, inertia].map(|row| f64x4::from(*row)));
    }
    if !rest.is_empty() {
        add([x_rest, v_rest, rest].map(filled));
    }
    sums.map(sum_of)
}

#[inline(always)]
fn filled(rest: &[f64]) -> f64x4 {
    f64x4::from(std::array::from_fn(|k| rest.get(k).copied().unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    // coefficients row by row
    fn one_by_one([x, v, inertia]: Rows<'_>, alpha: f64) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for ((x, v), inertia) in x.iter().zip(v).zip(inertia) {
            let cost = 0.5 * inertia * x * x;
            if x + v * alpha < 0.0 {
                sum[0] += cost;
                sum[1] += inertia * x * v;
                sum[2] += 0.5 * inertia * v * v;
            }
            if *x < 0.0 {
                sum[0] -= cost;
            }
        }
        sum
    }

    #[test]
    fn sums_are_those_row_by_row() {
        let row = |scale: f64, shift: f64| -> Vec<f64> {
            let wave = |k: i32| (scale * f64::from(k)).sin() + shift;
            (0..11).map(wave).collect()
        };
        let [x, v, inertia] = [row(1.7, 0.1), row(2.3, 0.2), row(0.9, 1.5)];
        for num in 0..=x.len() {
            let rows = [&x[..num], &v[..num], &inertia[..num]];
            for alpha in [-2.0, 0.0, 0.3, 1.0, 40.0] {
                let want = one_by_one(rows, alpha);
                let ([linear, square], cost) = (slope(rows, alpha), cost(rows, alpha));
                for (have, want) in [linear, square].iter().zip(&want[1..]) {
                    assert!(
                        (have - want).abs() < 1e-13,
                        "{num} {alpha}: {have}, not {want}"
                    );
                }
                for (have, want) in cost.iter().zip(&want) {
                    assert!(
                        (have - want).abs() < 1e-13,
                        "{num} {alpha}: {have}, not {want}"
                    );
                }
            }
        }
    }

    // a row that is not active adds nothing, even if its numbers are not finite
    #[test]
    fn rows_that_are_not_active_add_zero() {
        let rows: Rows<'_> = [&[1.0], &[f64::INFINITY], &[f64::NAN]];
        assert_eq!(slope(rows, 1.0), [0.0; 2]);
        assert_eq!(cost(rows, 1.0), [0.0; 3]);
    }
}
