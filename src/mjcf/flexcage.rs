//! The grid of nodes that the vertices of a soft body are interpolated between.

use super::schema::FlexDof;

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
    /// Share of the mass of what fills the grid evenly.
    pub share: Vec<f64>,
}

impl Cage {
    /// A grid over the box around some points; an error if it has more nodes than `most`.
    pub fn around(
        point: &[[f64; 3]],
        cells: [i32; 3],
        order: usize,
        most: u64,
    ) -> Result<Self, String> {
        let nodes = |n: i32| order as u64 * n.max(0) as u64 + 1;
        let all = cells.map(nodes).iter().fold(1, |n, k| k.saturating_mul(n));
        if all > most {
            return Err(format!("makes {all} nodes; raise `Limits::elements`"));
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in point {
            for k in 0..3 {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
        }
        let axis = [0, 1, 2].map(|k| weights(cells[k] as usize, order));
        let count = [0, 1, 2].map(|k| axis[k].len());
        let mut cage = Self {
            count,
            node: Vec::new(),
            share: Vec::new(),
        };
        for i in 0..count[0] {
            for j in 0..count[1] {
                for k in 0..count[2] {
                    let at = [i, j, k];
                    let along = |a: usize| {
                        low[a] + (high[a] - low[a]) * at[a] as f64 / (count[a] - 1) as f64
                    };
                    cage.node.push([0, 1, 2].map(along));
                    cage.share.push(axis[0][i] * axis[1][j] * axis[2][k]);
                }
            }
        }
        Ok(cage)
    }
}

// shares of the nodes along an axis: integrals of what each weighs
fn weights(cells: usize, order: usize) -> Vec<f64> {
    let of_cell: &[f64] = match order {
        1 => &[0.5, 0.5],
        _ => &[1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0],
    };
    let mut out = vec![0.0; cells * order + 1];
    for cell in 0..cells {
        for (to, share) in out[cell * order..].iter_mut().zip(of_cell) {
            *to += share / cells as f64;
        }
    }
    out
}
