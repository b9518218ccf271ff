//! Hooke's law between the nodes of a cell: the forces of a unit displacement, negative as MuJoCo keeps them.

use crate::asset::fill::Part as Filled;
use crate::cpu::lib::cage::cell_slopes;
use glam::DVec3;

/// Stiffness of the empty part of a cell, relative to the filled part.
const VOID: f64 = 1e-6;

/// Hooke's law, integrated over the filled part of a cell.
pub(super) fn part_of(order: usize, size: DVec3, of: Material, filled: &Filled<'_>) -> Vec<f64> {
    let Material { lambda, mu, share } = of;
    let basis = polynomials(order);
    let products: Vec<Vec<[Vec<f64>; 4]>> = basis
        .iter()
        .map(|a| basis.iter().map(|b| product(a, b)).collect())
        .collect();
    let side = order + 1;
    let n = side.pow(3);
    let along = |node: usize| [node / (side * side), node / side % side, node % side];
    let volume = size.x * size.y * size.z * share;
    let mut out = vec![0.0; 9 * n * n];
    for i in 0..n {
        for j in 0..n {
            let (first, second) = (along(i), along(j));
            // integrals of the slope of one node's weight along an axis times the slope of another's
            let mut slopes = [[0.0; 3]; 3];
            for (r, row) in slopes.iter_mut().enumerate() {
                for (c, to) in row.iter_mut().enumerate() {
                    let of = [0, 1, 2].map(|k| {
                        let which = 2 * usize::from(k == r) + usize::from(k == c);
                        products[first[k]][second[k]][which].as_slice()
                    });
                    *to = filled.integral(of, VOID) * volume / (size[r] * size[c]);
                }
            }
            let trace = slopes[0][0] + slopes[1][1] + slopes[2][2];
            for r in 0..3 {
                for c in 0..3 {
                    let shear = if r == c { trace } else { 0.0 };
                    let k = lambda * slopes[r][c] + mu * (slopes[c][r] + shear);
                    out[(3 * i + r) * 3 * n + 3 * j + c] = -k;
                }
            }
        }
    }
    out
}

/// Lamé's constants, and the factor of the integral: the thickness of a membrane.
#[derive(Clone, Copy)]
pub(super) struct Material {
    pub lambda: f64,
    pub mu: f64,
    pub share: f64,
}

impl Material {
    pub fn of_solid(young: f64, nu: f64) -> Self {
        Self {
            lambda: young * nu / (1.0 + nu) / (1.0 - 2.0 * nu),
            mu: young / (2.0 * (1.0 + nu)),
            share: 1.0,
        }
    }

    /// A membrane that gets thinner as it is stretched: plane stress.
    pub fn of_membrane(young: f64, nu: f64, thickness: f64) -> Self {
        Self {
            lambda: young * nu / (1.0 - nu * nu),
            mu: young / (2.0 * (1.0 + nu)),
            share: thickness,
        }
    }
}

/// Hooke's law, integrated over a whole cell or face by Gauss's points: for each node and axis the force for each node and axis. The
/// operations are MuJoCo's in its order: every number is its to the last bit, on which modes of equal stiffness depend.
pub(super) fn whole<const D: usize>(order: usize, size: [f64; D], of: Material) -> Vec<f64> {
    let points = gauss(order);
    let extent = size.iter().fold(1.0, |product, x| product * x);
    let num = D * (order + 1).pow(D as u32);
    let mut out = vec![0.0; num * num];
    for k in 0..points.len().pow(D as u32) {
        let place: [(f64, f64); D] =
            std::array::from_fn(|axis| points[digit::<D>(k, axis, points.len())]);
        let strains = strains(order, size, place.map(|(x, _)| x));
        let weight = place.iter().fold(1.0, |product, (_, w)| product * w);
        let share = weight * extent * of.share;
        for (i, (own, trace)) in strains.iter().enumerate() {
            for (j, (other, also)) in strains.iter().enumerate() {
                let row = |r: usize| (0..D).fold(0.0, |sum, c| sum + own[r][c] * other[r][c]);
                let square = (0..D).fold(0.0, |sum, r| sum + row(r));
                let to = &mut out[i * num + j];
                *to -= of.lambda * trace * also * share;
                *to -= 2.0 * of.mu * square * share;
            }
        }
    }
    out
}

// a digit of a number of D digits, the first the highest
fn digit<const D: usize>(k: usize, place: usize, base: usize) -> usize {
    k / base.pow((D - 1 - place) as u32) % base
}

// Gauss's points from 0 to 1 and their weights, which integrate the squares of the weights of nodes
fn gauss(order: usize) -> Vec<(f64, f64)> {
    match order {
        1 => {
            let x = 1.0 / 3.0_f64.sqrt();
            vec![(0.5 * (1.0 - x), 0.5), (0.5 * (1.0 + x), 0.5)]
        }
        _ => {
            let x = 0.6_f64.sqrt();
            let [side, middle] = [5.0, 8.0].map(|w| 0.5 * w / 9.0);
            vec![
                (0.5, middle),
                (0.5 * (1.0 - x), side),
                (0.5 * (1.0 + x), side),
            ]
        }
    }
}

// at a point of a cell or a face, by the motion of each node along each axis: the strain and its trace
fn strains<const D: usize>(
    order: usize,
    size: [f64; D],
    at: [f64; D],
) -> Vec<([[f64; D]; D], f64)> {
    let inverse = size.map(|x| 1.0 / x);
    let along = at.map(|s| weights(order, s));
    let mut out = Vec::new();
    for n in 0..(order + 1).pow(D as u32) {
        let node: [(f64, f64); D] =
            std::array::from_fn(|axis| along[axis][digit::<D>(n, axis, order + 1)]);
        let slope: [f64; D] = std::array::from_fn(|axis| {
            let terms = node.iter().enumerate();
            let product = terms.fold(1.0, |product, (k, (weight, slope))| {
                product * if k == axis { slope } else { weight }
            });
            product * inverse[axis]
        });
        for axis in 0..D {
            let mut strain = [[0.0; D]; D];
            for k in 0..D {
                strain[axis][k] += 0.5 * slope[k];
                strain[k][axis] += 0.5 * slope[k];
            }
            out.push((strain, slope[axis]));
        }
    }
    out
}

// weights of the nodes along an axis, and their slopes. The weights are those of a running model, by other sums: in MuJoCo's order
fn weights(order: usize, s: f64) -> Vec<(f64, f64)> {
    let weights = match order {
        1 => [1.0 - s, s, 0.0],
        _ => [
            2.0 * s * s - 3.0 * s + 1.0,
            4.0 * (s - s * s),
            s * (2.0 * s - 1.0),
        ],
    };
    let both = weights.into_iter().zip(cell_slopes(order, s));
    both.take(order + 1).collect()
}

// weights of the nodes along an axis of a cell, lowest power first, and their slopes
fn polynomials(order: usize) -> Vec<[Vec<f64>; 2]> {
    let weights: &[&[f64]] = match order {
        1 => &[&[1.0, -1.0], &[0.0, 1.0]],
        _ => &[&[1.0, -3.0, 2.0], &[0.0, 4.0, -4.0], &[0.0, -1.0, 2.0]],
    };
    let slope = |weight: &[f64]| {
        let terms = weight.iter().enumerate().skip(1);
        terms.map(|(power, x)| power as f64 * x).collect()
    };
    weights.iter().map(|w| [w.to_vec(), slope(w)]).collect()
}

// products of two weights: of both, with the slope of the second, of the first, of both
fn product(a: &[Vec<f64>; 2], b: &[Vec<f64>; 2]) -> [Vec<f64>; 4] {
    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(of_a, of_b)| {
        let (a, b) = (&a[of_a], &b[of_b]);
        let mut out = vec![0.0; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                out[i + j] += x * y;
            }
        }
        out
    })
}
