//! Modes of strain that the equality `flexstrain` holds, one row each.

use super::cage::Cage;
use super::shell::warp;
use crate::asset::fill::Fill;
use crate::cpu::lib::shell::face_num;

/// The material whose modes are taken.
const YOUNG: f64 = 10.0;
const POISSON: f64 = 0.3;

/// Stiffness below which a mode counts as rigid, relative to the largest.
const RIGID: f64 = 1e-8;

/// Number of cells before one that are compared with it.
const NEAR: usize = 8;

/// Off-diagonal part at which the search for modes ends, relative to the whole.
const SMALL: f64 = 1e-15;

/// For every cell, or every face of a shell, in the room of its stiffness matrix: the number of its modes, then each mode times the
/// root of its stiffness.
pub(super) fn modes(cage: &Cage, fill: Option<&Fill>, thickness: f64) -> Vec<f64> {
    let (stiffness, num) = match fill {
        None => (
            cage.membranes(YOUNG, POISSON, thickness),
            face_num(cage.cells),
        ),
        Some(fill) => (
            cage.stiffness(YOUNG, POISSON, fill),
            cage.cells.iter().product(),
        ),
    };
    let size = stiffness.len() / num;
    let mut out: Vec<f64> = Vec::with_capacity(stiffness.len());
    for (k, of) in stiffness.chunks_exact(size).enumerate() {
        // cells that are full have the same modes
        let near = k.saturating_sub(NEAR)..k;
        let mut before = near.rev().chain((k > 0).then_some(0));
        if let Some(same) = before.find(|n| stiffness[n * size..(n + 1) * size] == *of) {
            out.extend_from_within(same * size..(same + 1) * size);
            continue;
        }
        let mut list = of_matrix(of);
        if cage.shell {
            let (mode, stiffness) = warp(cage, k, YOUNG, POISSON, thickness);
            list.push(mode.iter().map(|x| x * stiffness.sqrt()).collect());
        }
        out.push(list.len() as f64);
        out.extend(list.into_iter().flatten());
        out.resize((k + 1) * size, 0.0);
    }
    out
}

// the modes of a matrix of negative stiffness that are not rigid, in the order in which Jacobi's rotations leave them
fn of_matrix(of: &[f64]) -> Vec<Vec<f64>> {
    let n = of.len().isqrt();
    let mut mat = of.to_vec();
    let mut modes = vec![0.0; n * n];
    (0..n).for_each(|i| modes[i * n + i] = 1.0);
    let norm = of.iter().map(|x| x * x).sum::<f64>().sqrt();
    let off = |mat: &[f64]| {
        let below = (0..n).flat_map(|i| (0..i).map(move |j| mat[i * n + j]));
        below.map(|x| x * x).sum::<f64>().sqrt()
    };
    for _ in 0..100 {
        if off(&mat) <= SMALL * norm {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut mat, &mut modes, n, p, q);
            }
        }
    }
    let most = (0..n).fold(0.0, |most, i| f64::max(most, mat[i * n + i].abs()));
    let stiff = (0..n).filter(|i| -mat[i * n + i] > RIGID * most);
    let mode = |i: usize| {
        let scale = (-mat[i * n + i]).sqrt();
        (0..n).map(|j| modes[j * n + i] * scale).collect()
    };
    stiff.map(mode).collect()
}

// entries that count as zero
const NOTHING: f64 = 1e-15;

// the rotation in the plane of two axes that clears their entry
fn rotate(mat: &mut [f64], modes: &mut [f64], n: usize, p: usize, q: usize) {
    let entry = mat[p * n + q];
    if entry.abs() <= NOTHING {
        return;
    }
    let (first, second) = (mat[p * n + p], mat[q * n + q]);
    let half = (second - first) / (2.0 * entry);
    let sign = if half >= 0.0 { 1.0 } else { -1.0 };
    let t = sign / (half.abs() + (half * half + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |a: f64, b: f64| (c * a - s * b, s * a + c * b);
    for k in 0..n {
        let (a, b) = turn(mat[k * n + p], mat[k * n + q]);
        (mat[k * n + p], mat[k * n + q]) = (a, b);
        (mat[p * n + k], mat[q * n + k]) = (a, b);
        let (a, b) = turn(modes[k * n + p], modes[k * n + q]);
        (modes[k * n + p], modes[k * n + q]) = (a, b);
    }
    mat[p * n + p] = first - t * entry;
    mat[q * n + q] = second + t * entry;
    (mat[p * n + q], mat[q * n + p]) = (0.0, 0.0);
}
