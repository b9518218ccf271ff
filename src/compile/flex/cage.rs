//! Nodes of a grid that the vertices of a flex are between: their bodies, the frame of the grid, how stiff its cells are.

use super::material::volume;
use super::{Part, V3};
use crate::compile::names::Names;
use crate::compile::pose::Pose;
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::Flex;
use glam::{DMat3, DVec3};

/// What counts as no difference of volumes or directions.
const SAME: f64 = 1e-9;

/// A grid of nodes, those along z first, then y, then x.
pub(super) struct Cage {
    /// Order of interpolation.
    pub order: usize,
    pub cells: [usize; 3],
    pub bodies: Vec<usize>,
    /// In the frames of the bodies (m).
    pub node: Vec<V3>,
    /// At `qpos0`, along the axes of the grid (m).
    pub node0: Vec<V3>,
    // axes of the grid at qpos0
    frame: DMat3,
}

/// How many numbers [`Cage::stiffness`] has.
pub(super) fn stiffness_num(order: i64, cells: [i64; 3]) -> i64 {
    let of_cell = (3 * (order + 1).pow(3)).pow(2);
    cells.into_iter().fold(of_cell, i64::saturating_mul)
}

/// The grid of a flex that has one.
pub(super) fn of(tree: &Tree, names: &Names, poses: &[Pose], said: &Flex) -> Result<Option<Cage>> {
    let (Some(dof), Some(words)) = (said.dof, &said.node) else {
        let msg = "a flex with interpolated vertices needs both, node and dof";
        let none = said.dof.is_none() && said.node.is_none();
        return tree
            .ensure(none, said.origin, Some("dof"), msg)
            .map(|()| None);
    };
    let ensure = |ok: bool, attr: &str, msg: &str| tree.ensure(ok, said.origin, Some(attr), msg);
    let order = dof.order();
    ensure(order > 0, "dof", "dof of a flex is trilinear or quadratic")?;
    let positive = said.cellcount().iter().all(|n| *n > 0);
    ensure(positive, "cellcount", "cellcount must be positive")?;
    let cells = said.cellcount().map(|n| n as usize);
    let count = cells.map(|n| n.saturating_mul(order).saturating_add(1));
    let bodies = words
        .split_ascii_whitespace()
        .map(|name| names.body.find(tree, said.origin, "body", name))
        .collect::<Result<Vec<_>>>()?;
    let want = count.iter().fold(1_usize, |n, k| n.saturating_mul(*k));
    let msg = format!(
        "node needs the bodies of all {want} nodes, and has {}",
        bodies.len()
    );
    ensure(bodies.len() == want, "node", &msg)?;
    let numbers = said
        .nodecoord
        .clone()
        .unwrap_or_else(|| vec![0.0; 3 * want]);
    let msg = format!("nodecoord needs three numbers for each of {want} nodes");
    ensure(numbers.len() == 3 * want, "nodecoord", &msg)?;
    let node: Vec<V3> = numbers.as_chunks().0.to_vec();
    let place = |(body, v): (&usize, &V3)| DVec3::from(poses[*body].then(Pose::at(*v)).pos);
    let xpos: Vec<DVec3> = bodies.iter().zip(&node).map(place).collect();

    // the axes lead from the first node to the last along each
    let [_, ny, nz] = count;
    let along = |k: usize| {
        (xpos[[(count[0] - 1) * ny * nz, (ny - 1) * nz, nz - 1][k]] - xpos[0]).normalize_or_zero()
    };
    let frame = DMat3::from_cols(along(0), along(1), along(2));
    let square = frame.transpose() * frame;
    let straight = (square - DMat3::IDENTITY)
        .to_cols_array()
        .iter()
        .all(|x| x.abs() < SAME);
    ensure(
        straight,
        "node",
        "nodes must be those of a grid with right angles",
    )?;
    Ok(Some(Cage {
        order,
        cells,
        bodies,
        node,
        node0: xpos
            .iter()
            .map(|x| (frame.transpose() * *x).to_array())
            .collect(),
        frame,
    }))
}

impl Cage {
    /// A point along the axes of the grid.
    pub fn local(&self, x: V3) -> V3 {
        (self.frame.transpose() * DVec3::from(x)).to_array()
    }

    /// A point along the axes of the grid, as shares of the whole.
    pub fn place(&self, x: V3) -> V3 {
        ((DVec3::from(x) - DVec3::from(self.node0[0])) / self.size()).to_array()
    }

    // sides of the whole grid
    fn size(&self) -> DVec3 {
        self.node0.last().map_or(DVec3::ZERO, |far| {
            DVec3::from(*far) - DVec3::from(self.node0[0])
        })
    }

    /// Whether tetrahedra fill the grid.
    pub fn is_full(&self, part: &Part) -> bool {
        let of = part.element.chunks_exact(4);
        let filled: f64 = of.map(|v| volume(&part.xpos, v).abs() / 6.0).sum();
        let size = self.size();
        let whole = size.x * size.y * size.z;
        (filled - whole).abs() < SAME * whole
    }

    /// The matrix that makes forces of displacements of a cell's nodes, along the axes of the grid, for each cell.
    pub fn stiffness(&self, said: &Flex) -> Vec<f64> {
        let (young, nu) = (said.elasticity.young(), said.elasticity.poisson());
        let mu = young / (2.0 * (1.0 + nu));
        let lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let cells = DVec3::from(self.cells.map(|n| n as f64));
        let cell = linear(self.order, self.size() / cells, mu, lambda);
        cell.repeat(self.cells.iter().product())
    }

    pub fn write(cage: Option<&Self>, m: &mut Arrays) {
        m.flex_nodeadr.push(m.flex_node.len() as i32);
        let Some(cage) = cage else {
            m.flex_interp.push(0);
            m.flex_cellnum.extend([1; 3]);
            m.flex_nodenum.push(0);
            return;
        };
        m.flex_interp.push(cage.order as i32);
        m.flex_cellnum.extend(cage.cells.map(|n| n as i32));
        m.flex_nodenum.push(cage.node.len() as i32);
        m.flex_nodebodyid
            .extend(cage.bodies.iter().map(|&b| b as i32));
        m.flex_node.extend(&cage.node);
        m.flex_node0.extend(&cage.node0);
    }
}

/// The cell that a place of the grid is in, by shares of the whole along each axis.
pub(super) fn cell(place: V3, cells: [usize; 3]) -> i32 {
    let along = |k: usize| ((place[k] * cells[k] as f64) as usize).min(cells[k] - 1);
    ((along(0) * cells[1] + along(1)) * cells[2] + along(2)) as i32
}

// Hooke's law, integrated by Gauss over a cell
fn linear(order: usize, size: DVec3, mu: f64, lambda: f64) -> Vec<f64> {
    let root = |x: f64| 0.5 * x.sqrt();
    let points: &[(f64, f64)] = match order {
        1 => &[(-root(1.0 / 3.0), 0.5), (root(1.0 / 3.0), 0.5)],
        _ => &[
            (-root(0.6), 5.0 / 18.0),
            (0.0, 8.0 / 18.0),
            (root(0.6), 5.0 / 18.0),
        ],
    };
    let n = (order + 1).pow(3);
    let mut out = vec![0.0; 9 * n * n];
    let volume = size.x * size.y * size.z;
    for &(x, wx) in points {
        for &(y, wy) in points {
            for &(z, wz) in points {
                let weight = wx * wy * wz * volume;
                let slope = slopes(order, [x, y, z].map(|x| 0.5 + x), size);
                for (i, a) in slope.iter().enumerate() {
                    for (j, b) in slope.iter().enumerate() {
                        for r in 0..3 {
                            for c in 0..3 {
                                let shear = if r == c { a.dot(*b) } else { 0.0 };
                                let k = lambda * a[r] * b[c] + mu * (b[r] * a[c] + shear);
                                out[(3 * i + r) * 3 * n + 3 * j + c] -= weight * k;
                            }
                        }
                    }
                }
            }
        }
    }
    out
}

// how the weight of each node of a cell changes with the place
fn slopes(order: usize, place: V3, size: DVec3) -> Vec<DVec3> {
    let axis = place.map(|s| weights(order, s));
    let mut out = Vec::new();
    for i in 0..=order {
        for j in 0..=order {
            for k in 0..=order {
                let [x, y, z] = [axis[0][i], axis[1][j], axis[2][k]];
                out.push(
                    DVec3::new(x[1] * y[0] * z[0], x[0] * y[1] * z[0], x[0] * y[0] * z[1]) / size,
                );
            }
        }
    }
    out
}

// weights of the nodes along an axis of a cell, and their slopes
fn weights(order: usize, s: f64) -> [[f64; 2]; 3] {
    match order {
        1 => [[1.0 - s, -1.0], [s, 1.0], [0.0; 2]],
        _ => [
            [(1.0 - s) * (1.0 - 2.0 * s), 4.0 * s - 3.0],
            [4.0 * s * (1.0 - s), 4.0 - 8.0 * s],
            [s * (2.0 * s - 1.0), 4.0 * s - 1.0],
        ],
    }
}
