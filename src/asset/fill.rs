//! Filled parts of the cells of a grid, as integrals of powers of the coordinates.

pub(crate) type Point = [f64; 3];

/// Share of a cell below which the cell counts as empty.
pub(super) const EMPTY: f64 = 1e-10;

/// Integrals over the filled part of each cell, in coordinates that go from 0 to 1 along each side of the cell.
pub(crate) struct Fill {
    /// Number of powers of each coordinate: 0 to `powers` - 1.
    powers: usize,
    moment: Vec<f64>,
    /// Whether a cell counts: it is not empty, or something touches it.
    pub(super) counts: Vec<bool>,
}

impl Fill {
    /// From tetrahedra in coordinates that count cells, each with a factor of its contents: what is taken away has -1. `most` is the
    /// highest power of a coordinate, and `degree` of a product of powers, that is asked for.
    pub(super) fn new(
        tetrahedra: impl Iterator<Item = ([Point; 4], f64)>,
        cells: [usize; 3],
        [most, degree]: [usize; 2],
    ) -> Self {
        let mut fill = Self::empty(cells, most);
        let powers = fill.powers;
        let size = powers.pow(3);
        let rule = rule((degree + 4) / 2);
        for (corner, factor) in tetrahedra {
            let [x, y, z] = [0, 1, 2].map(|k| {
                let along = corner.map(|x| x[k]);
                let low = along.into_iter().fold(f64::INFINITY, f64::min).max(0.0) as usize;
                let high = along.into_iter().fold(0.0, f64::max).ceil() as usize;
                low.min(cells[k])..high.min(cells[k])
            });
            for i in x {
                for j in y.clone() {
                    for k in z.clone() {
                        let origin = [i, j, k].map(|n| n as f64);
                        let cell = (i * cells[1] + j) * cells[2] + k;
                        let to = &mut fill.moment[size * cell..size * (cell + 1)];
                        let local = corner.map(|x| [0, 1, 2].map(|k| x[k] - origin[k]));
                        clip(local, 0, &mut |part| add(&rule, part, factor, powers, to));
                    }
                }
            }
        }
        for cell in 0..fill.counts.len() {
            fill.counts[cell] = fill.part(cell).share() >= EMPTY;
        }
        fill
    }

    /// Nothing, of which powers up to `most` are asked for.
    pub(super) fn empty(cells: [usize; 3], most: usize) -> Self {
        let (powers, num) = (most + 1, cells.iter().product::<usize>());
        Self {
            powers,
            moment: vec![0.0; powers.pow(3) * num],
            counts: vec![false; num],
        }
    }

    /// Empties the cells from which more is taken away than was there.
    pub(super) fn drop_less_than_nothing(&mut self) {
        let size = self.powers.pow(3);
        for (of, counts) in self.moment.chunks_exact_mut(size).zip(&self.counts) {
            if !counts {
                of.fill(0.0);
            }
        }
    }

    /// Fills a cell.
    pub(super) fn fill_up(&mut self, cell: usize) {
        let (powers, size) = (self.powers, self.powers.pow(3));
        self.counts[cell] = true;
        for (k, to) in self.moment[size * cell..][..size].iter_mut().enumerate() {
            let power = [k / (powers * powers), k / powers % powers, k % powers];
            *to = 1.0 / power.map(|n| n as f64 + 1.0).iter().product::<f64>();
        }
    }

    /// Adds a point of a cell, which stands for a share of it.
    pub(super) fn add_point(&mut self, cell: usize, at: Point, share: f64) {
        let size = self.powers.pow(3);
        let to = &mut self.moment[size * cell..size * (cell + 1)];
        add_powers(at, share, self.powers, to);
    }

    /// The filled part of a cell.
    pub fn part(&self, cell: usize) -> Part<'_> {
        let size = self.powers.pow(3);
        Part {
            powers: self.powers,
            moment: &self.moment[size * cell..size * (cell + 1)],
            counts: self.counts[cell],
        }
    }
}

/// The filled part of one cell.
pub(crate) struct Part<'a> {
    powers: usize,
    moment: &'a [f64],
    counts: bool,
}

impl Part<'_> {
    /// The filled share of the cell.
    pub fn share(&self) -> f64 {
        self.moment[0]
    }

    pub fn is_empty(&self) -> bool {
        !self.counts
    }

    /// The integral of a product of three polynomials, one of each coordinate, lowest power first; the empty part counts as
    /// `void` times the filled one.
    pub fn integral(&self, of: [&[f64]; 3], void: f64) -> f64 {
        let mut sum = 0.0;
        for (a, x) in of[0].iter().enumerate() {
            for (b, y) in of[1].iter().enumerate() {
                for (c, z) in of[2].iter().enumerate() {
                    let filled = self.moment[(a * self.powers + b) * self.powers + c];
                    let whole = 1.0 / ((a + 1) * (b + 1) * (c + 1)) as f64;
                    sum += x * y * z * (filled + void * (whole - filled));
                }
            }
        }
        sum
    }
}

// visits the part of a tetrahedron in the cell from 0 to 1, clipped by the sides of the cell from number `side` of six on
fn clip(corner: [Point; 4], side: usize, visit: &mut impl FnMut([Point; 4])) {
    if side == 6 {
        return visit(corner);
    }
    let axis = side / 2;
    let outside = |x: &Point| match side % 2 {
        0 => -x[axis],
        _ => x[axis] - 1.0,
    };
    let (mut inner, mut outer) = (Vec::with_capacity(4), Vec::with_capacity(4));
    for x in corner {
        match outside(&x) > 0.0 {
            true => outer.push(x),
            false => inner.push(x),
        }
    }
    // where an edge leaves the cell
    let cut = |i: usize, o: usize| -> Point {
        let (a, b) = (inner[i], outer[o]);
        let share = outside(&a) / (outside(&a) - outside(&b));
        [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * share)
    };
    let prism = match inner.len() {
        0 => return,
        1 => return clip([inner[0], cut(0, 0), cut(0, 1), cut(0, 2)], side + 1, visit),
        2 => [
            [inner[0], cut(0, 0), cut(0, 1)],
            [inner[1], cut(1, 0), cut(1, 1)],
        ],
        3 => [
            [inner[0], inner[1], inner[2]],
            [cut(0, 0), cut(1, 0), cut(2, 0)],
        ],
        _ => return clip(corner, side + 1, visit),
    };
    let [[a, b, c], [d, e, f]] = prism;
    for part in [[a, b, c, d], [b, c, d, e], [c, d, e, f]] {
        clip(part, side + 1, visit);
    }
}

// adds the integrals over a tetrahedron, times a factor
fn add(rule: &[(f64, f64)], [a, b, c, d]: [Point; 4], factor: f64, powers: usize, to: &mut [f64]) {
    let [u, v, w] = [b, c, d].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
    let normal = [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        u[i] * v[j] - u[j] * v[i]
    });
    let six = factor * (normal[0] * w[0] + normal[1] * w[1] + normal[2] * w[2]).abs();
    for &(r, of_r) in rule {
        for &(s, of_s) in rule {
            for &(t, of_t) in rule {
                // a cube folded into the tetrahedron
                let (y, z) = ((1.0 - r) * s, (1.0 - r) * (1.0 - s) * t);
                let weight = six * of_r * of_s * of_t * (1.0 - r).powi(2) * (1.0 - s);
                let x = [0, 1, 2].map(|k| a[k] + r * u[k] + y * v[k] + z * w[k]);
                add_powers(x, weight, powers, to);
            }
        }
    }
}

// adds the products of powers of the coordinates of a point, times a weight
fn add_powers(x: Point, weight: f64, powers: usize, to: &mut [f64]) {
    let mut along_x = weight;
    for i in 0..powers {
        let mut along_y = along_x;
        for j in 0..powers {
            let mut along_z = along_y;
            for k in 0..powers {
                to[(i * powers + j) * powers + k] += along_z;
                along_z *= x[2];
            }
            along_y *= x[1];
        }
        along_x *= x[0];
    }
}

// Gauss and Legendre's points from 0 to 1 and their weights
pub(super) fn rule(num: usize) -> Vec<(f64, f64)> {
    let point = |k: usize| {
        // Newton's iterations from a known estimate of the root
        let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (num as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            let (mut last, mut value) = (1.0, x);
            for n in 2..=num {
                let n = n as f64;
                (last, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * last) / n);
            }
            slope = num as f64 * (x * value - last) / (x * x - 1.0);
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        (0.5 * (x + 1.0), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..num).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube in six parts, shifted against the grid.
    fn cube(shift: f64) -> impl Iterator<Item = ([Point; 4], f64)> {
        let orders = [
            [0, 1, 2],
            [1, 2, 0],
            [2, 0, 1],
            [0, 2, 1],
            [2, 1, 0],
            [1, 0, 2],
        ];
        orders.into_iter().map(move |order| {
            let mut at = [shift; 3];
            let mut out = [at; 4];
            for (to, k) in out[1..].iter_mut().zip(order) {
                at[k] += 1.0;
                *to = at;
            }
            (out, 1.0)
        })
    }

    #[test]
    fn a_cube_fills_its_share_of_every_cell() {
        let fill = Fill::new(cube(0.25), [2, 2, 2], [2, 6]);
        for cell in 0..8 {
            let ends = [cell / 4, cell / 2 % 2, cell % 2].map(|k| match k {
                0 => (0.25, 1.0),
                _ => (0.0, 0.25),
            });
            let integral = |power: i32| {
                let of = ends.map(|(a, b): (f64, f64)| {
                    (b.powi(power + 1) - a.powi(power + 1)) / f64::from(power + 1)
                });
                of.iter().product::<f64>()
            };
            let part = fill.part(cell);
            assert!((part.share() - integral(0)).abs() < 1e-15);
            let square: &[f64] = &[0.0, 0.0, 1.0];
            assert!((part.integral([square; 3], 0.0) - integral(2)).abs() < 1e-15);
        }
    }

    #[test]
    fn what_is_not_filled_counts_as_void() {
        let fill = Fill::new(cube(0.0), [2, 1, 1], [1, 3]);
        assert!(!fill.part(0).is_empty());
        assert!(fill.part(1).is_empty());
        let one: &[f64] = &[1.0];
        assert!((fill.part(1).integral([one; 3], 0.5) - 0.5).abs() < 1e-15);
    }
}
