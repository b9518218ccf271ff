//! Signed distance of a mesh from its octree.

use crate::asset::octree::{along, weights};
use crate::asset::sdf::differences;
use crate::cpu::lib::math::add_scl3;
use crate::fields::Model;

/// The octree of a mesh, in the mesh's frame.
#[derive(Clone, Copy, Debug)]
pub struct Octree<'a> {
    child: &'a [i32],
    aabb: &'a [f64],
    coeff: &'a [f64],
}

/// The cell that contains a point: its number, its size, and the position of the point in it, 0 to 1 along each axis.
struct Found {
    cell: usize,
    size: [f64; 3],
    share: [f64; 3],
}

impl<'a> Octree<'a> {
    /// The octree of a mesh, if it has one.
    pub fn new(m: &'a Model, mesh: usize) -> Self {
        let first = m.mesh_octadr[mesh].max(0) as usize;
        let cells = first..first + m.mesh_octnum[mesh] as usize;
        Self {
            child: &m.oct_child[8 * cells.start..8 * cells.end],
            aabb: &m.oct_aabb[6 * cells.start..6 * cells.end],
            coeff: &m.oct_coeff[8 * cells.start..8 * cells.end],
        }
    }

    // distance of a point from the root cell, 0 inside; and the point itself, or if it is outside, the nearest point a little
    // inside the root
    fn enter(&self, p: [f64; 3]) -> (f64, [f64; 3]) {
        const INSIDE: f64 = 1e-6;
        let from = [0, 1, 2].map(|k| p[k] - self.aabb[k]);
        let out = [0, 1, 2].map(|k| from[k].abs() - self.aabb[3 + k]);
        if out.iter().all(|x| *x <= 0.0) {
            return (0.0, p);
        }
        let mut sum = 0.0;
        let mut at = p;
        for k in (0..3).filter(|&k| out[k] >= 0.0) {
            sum += out[k] * out[k];
            at[k] -= if from[k] > 0.0 {
                out[k] + INSIDE
            } else {
                -(out[k] + INSIDE)
            };
        }
        (sum.sqrt(), at)
    }

    fn find(&self, p: [f64; 3]) -> Found {
        let mut cell = 0;
        loop {
            let aabb = &self.aabb[6 * cell..6 * cell + 6];
            let low = [0, 1, 2].map(|k| aabb[k] - aabb[k + 3]);
            let size = [0, 1, 2].map(|k| aabb[k] + aabb[k + 3] - low[k]);
            let share = [0, 1, 2].map(|k| (p[k] - low[k]) / size[k]);
            let part = (0..3).fold(0, |part, k| part | usize::from(share[k] >= 0.5) << k);
            match self.child[8 * cell + part] {
                next if next > 0 => cell = next as usize,
                _ => return Found { cell, size, share },
            }
        }
    }

    /// Signed distance at a point.
    pub fn distance(&self, p: [f64; 3]) -> f64 {
        let (outside, at) = self.enter(p);
        let found = self.find(at);
        let parts = weights(found.share);
        let coeff = &self.coeff[8 * found.cell..8 * found.cell + 8];
        parts.iter().zip(coeff).map(|(w, c)| w * c).sum::<f64>() + outside
    }

    /// Gradient of the distance at a point: from the cell, and by finite differences outside of the root.
    pub fn gradient(&self, p: [f64; 3]) -> [f64; 3] {
        if self.enter(p).0 > 0.0 {
            return differences(p, |x| self.distance(x));
        }
        let Found { cell, size, share } = self.find(p);
        let coeff = &self.coeff[8 * cell..8 * cell + 8];
        let mut out = [0.0; 3];
        for (j, c) in coeff.iter().enumerate() {
            let along = |k| along(share, k, j);
            let way = |k: usize| if j >> k & 1 == 1 { 1.0 } else { -1.0 };
            let slope = [
                way(0) * along(1) * along(2),
                along(0) * way(1) * along(2),
                along(0) * along(1) * way(2),
            ];
            out = add_scl3(out, slope, *c);
        }
        [0, 1, 2].map(|k| out[k] / size[k])
    }
}
