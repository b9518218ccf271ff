//! The grid of nodes that the vertices of a soft body are interpolated between.

use super::schema::FlexDof;
use crate::asset::enclosed::Grid;
use crate::asset::fill::Fill;
use crate::asset::grid::Shape;

impl FlexDof {
    /// Order of interpolation between nodes; 0: vertices move by themselves.
    pub fn order(self) -> usize {
        match self {
            Self::Trilinear => 1,
            Self::Quadratic => 2,
            Self::Full | Self::Radial | Self::TwoD => 0,
        }
    }
}

/// Nodes of a grid, those along z first, then y, then x.
pub(super) struct Cage {
    /// Nodes along the axes.
    pub count: [usize; 3],
    pub node: Vec<[f64; 3]>,
    /// Share of the mass; 0: all cells of the node are empty, or it is inside of a shell.
    pub share: Vec<f64>,
    /// Which cells nothing fills; of a shell none.
    pub empty: Vec<bool>,
}

/// Least share of a filled cell's mass for each of its nodes.
const LEAST: f64 = 0.02;

/// Density of the empty part of a partly filled cell, relative to the filled part.
const VOID: f64 = 1e-6;

impl Cage {
    /// A grid over the bounding box of some points, a part of which elements fill; its number of nodes if they are more than `most`.
    pub fn around(
        shape: &Shape,
        cells: [i32; 3],
        order: usize,
        most: u64,
        shell: bool,
    ) -> Result<Self, u64> {
        let point = &shape.point;
        let nodes = |n: i32| order as u64 * n.max(0) as u64 + 1;
        let all = cells.map(nodes).iter().fold(1, |n, k| k.saturating_mul(n));
        if all > most {
            return Err(all);
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in point {
            for k in 0..3 {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
        }
        let cells = cells.map(|n| n.max(0) as usize);
        let count = cells.map(|n| order * n + 1);
        let mut cage = Self {
            count,
            node: Vec::new(),
            share: vec![0.0; all as usize],
            empty: vec![false; cells.iter().product()],
        };
        for i in 0..count[0] {
            for j in 0..count[1] {
                for k in 0..count[2] {
                    let at = [i, j, k];
                    let along = |a: usize| {
                        low[a] + (high[a] - low[a]) * at[a] as f64 / (count[a] - 1) as f64
                    };
                    cage.node.push([0, 1, 2].map(along));
                }
            }
        }
        if shell {
            cage.spread(order);
            return Ok(cage);
        }
        let grid = Grid {
            cells,
            low,
            whole: [0, 1, 2].map(|k| high[k] - low[k]),
            order,
            powers: [order, 3 * order],
        };
        let fill = Fill::of(shape.dim, point, &shape.element, &grid);
        cage.weigh(&fill, cells, order);
        Ok(cage)
    }

    // distributes the mass of a shell to the outer nodes: evenly, or as Simpson's rule does within quadratic cells
    fn spread(&mut self, order: usize) {
        let [nx, ny, nz] = self.count;
        for (n, share) in self.share.iter_mut().enumerate() {
            let at = [n / (ny * nz), n / nz % ny, n % nz];
            let last = [nx - 1, ny - 1, nz - 1];
            let inner = (0..3).all(|k| at[k] > 0 && at[k] < last[k]);
            let along = |k: usize| match at[k] {
                _ if order == 1 => 1.0,
                i if i % 2 == 1 => 4.0,
                i if i == 0 || i == last[k] => 1.0,
                _ => 2.0,
            };
            *share = if inner {
                0.0
            } else {
                along(0) * along(1) * along(2)
            };
        }
    }

    // distributes the mass of each cell to its nodes
    fn weigh(&mut self, fill: &Fill, cells: [usize; 3], order: usize) {
        let (weights, even) = weights(order);
        let [_, ny, nz] = self.count;
        for cell in 0..cells.iter().product() {
            let filled = fill.part(cell);
            if filled.is_empty() {
                self.empty[cell] = true;
                continue;
            }
            let first = [
                cell / (cells[1] * cells[2]),
                cell / cells[2] % cells[1],
                cell % cells[2],
            ];
            for i in 0..=order {
                for j in 0..=order {
                    for k in 0..=order {
                        let at = [i, j, k];
                        let [x, y, z] = [0, 1, 2].map(|a| first[a] * order + at[a]);
                        let share = filled.integral(at.map(|n| weights[n]), VOID);
                        let least: f64 = at.iter().map(|n| even[*n]).product();
                        self.share[(x * ny + y) * nz + z] += share.max(LEAST * least);
                    }
                }
            }
        }
    }
}

// share of the mass at a place for each node along an axis of a cell, as polynomials of the place, lowest power first, and shares
// of an even mass: for quadratic cells the products of Bernstein, the outer ones halved between their node and the middle
fn weights(order: usize) -> (&'static [&'static [f64]], &'static [f64]) {
    match order {
        1 => (&[&[1.0, -1.0], &[0.0, 1.0]], &[0.5, 0.5]),
        _ => (
            &[&[0.5, -1.0, 0.5], &[0.5, 1.0, -1.0], &[0.0, 0.0, 0.5]],
            &[1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0],
        ),
    }
}
