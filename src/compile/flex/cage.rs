//! Grid of nodes that the vertices of a flex are between: bodies of the nodes, frame of the grid, stiffness of its cells.

use super::hooke::{Material, part_of, whole};
use super::{Part, V3};
use crate::asset::enclosed::Grid;
use crate::asset::fill::Fill;
use crate::compile::names::Names;
use crate::compile::pose::Pose;
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Elastic2d, Flex};
use glam::{DMat3, DVec3};

/// Difference up to which directions count as equal.
const SAME: f64 = 1e-9;

/// Share of a cell that may be missing where it counts as full.
const WHOLE: f64 = 1e-12;

/// Share of a cell's stiffness that it has as the only one where nothing is in it, as in MuJoCo; of several, empty ones have none.
const LONE: f64 = 1e-6;

/// A grid of nodes, those along z first, then y, then x.
pub(super) struct Cage {
    /// Order of interpolation.
    pub order: usize,
    pub cells: [usize; 3],
    /// True if the faces of the cells are elastic, not what they contain.
    pub shell: bool,
    pub bodies: Vec<usize>,
    /// In the frames of the bodies (m).
    pub node: Vec<V3>,
    /// At `qpos0`, along the axes of the grid (m).
    pub node0: Vec<V3>,
    // axes of the grid at qpos0
    frame: DMat3,
}

/// Number of entries of [`Cage::stiffness`], or of a shell, whose order is negative, of [`Cage::membranes`].
pub(super) fn stiffness_num(order: i64, cells: [i64; 3]) -> i64 {
    if order < 0 {
        let of_face = (3 * (1 - order).pow(2)).pow(2);
        let [x, y, z] = cells;
        let pairs = [(x, y), (y, z), (z, x)].map(|(a, b)| a.saturating_mul(b));
        let faces = pairs.into_iter().fold(0_i64, i64::saturating_add);
        return faces.saturating_mul(2).saturating_mul(of_face);
    }
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
        shell: said.elasticity.elastic2d() != Elastic2d::None,
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
        let [low, high] = self.ends();
        ((DVec3::from(x) - low) / (high - low)).to_array()
    }

    /// The cell that a place of the grid is in, by shares of the whole along each axis; the nearest other if a part of the cells is
    /// filled, and this is empty.
    pub fn cell(&self, place: V3, fill: Option<&Fill>) -> i32 {
        let [_, y, z] = self.cells;
        let along = |k: usize| ((place[k] * self.cells[k] as f64) as usize).min(self.cells[k] - 1);
        let own = (along(0) * y + along(1)) * z + along(2);
        let Some(fill) = fill.filter(|fill| fill.part(own).is_empty()) else {
            return own as i32;
        };
        let away = |cell: usize| -> f64 {
            let first = [cell / (y * z), cell / z % y, cell % z];
            let to = |k: usize| place[k] * self.cells[k] as f64 - first[k] as f64 - 0.5;
            (0..3).map(|k| to(k).powi(2)).sum()
        };
        let all = 0..self.cells.iter().product();
        let filled = all.filter(|&cell| !fill.part(cell).is_empty());
        let nearest = filled.min_by(|&a, &b| away(a).total_cmp(&away(b)));
        nearest.unwrap_or(own) as i32
    }

    /// Sides of the whole grid.
    pub fn size(&self) -> [f64; 3] {
        let [low, high] = self.ends();
        (high - low).to_array()
    }

    // the corners of the box around all nodes, which need not be those of an even grid
    fn ends(&self) -> [DVec3; 2] {
        let nodes = self.node0.iter().map(|x| DVec3::from(*x));
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        nodes.fold(none, |[low, high], x| [low.min(x), high.max(x)])
    }

    /// Sides of a cell of an even grid.
    pub fn cell_size(&self) -> [f64; 3] {
        let last = self.node0.len() - 1;
        let [first, last] = [self.node0[0], self.node0[last]].map(DVec3::from);
        let size = (last - first).to_array();
        [0, 1, 2].map(|k| size[k] / self.cells[k] as f64)
    }

    // sides of one cell: the way from its first node to its last
    fn size_of(&self, cell: usize) -> DVec3 {
        let [_, y, z] = self.cells;
        let [_, ny, nz] = self.cells.map(|n| n * self.order + 1);
        let at = [cell / (y * z), cell / z % y, cell % z].map(|k| k * self.order);
        let node = |more: usize| {
            let [i, j, k] = at.map(|first| first + more);
            DVec3::from(self.node0[(i * ny + j) * nz + k])
        };
        let (own, even) = (node(self.order) - node(0), DVec3::from(self.cell_size()));
        match (own - even).length() <= SAME * even.length() {
            true => even,
            false => own,
        }
    }

    /// Stiffness matrix of each cell, along the axes of the grid: forces on its nodes by their displacements. It is Hooke's law
    /// over the part of the cell that the flex fills; zero for empty cells, if there are others.
    pub fn stiffness(&self, young: f64, nu: f64, fill: &Fill) -> Vec<f64> {
        let order = self.order;
        let num = (3 * (order + 1).pow(3)).pow(2);
        let material = Material::of_solid(young, nu);
        let (mut out, mut full) = (Vec::new(), None);
        for cell in 0..self.cells.iter().product() {
            let (filled, size) = (fill.part(cell), self.size_of(cell));
            if filled.is_empty() && self.cells == [1; 3] {
                let of_full = whole(order, size.to_array(), material);
                out.extend(of_full.into_iter().map(|x| LONE * x));
            } else if filled.is_empty() {
                out.resize(out.len() + num, 0.0);
            } else if filled.share() > 1.0 - WHOLE {
                // full cells of one size have the same matrix
                if full.as_ref().is_none_or(|(of, _)| *of != size) {
                    full = Some((size, whole(order, size.to_array(), material)));
                }
                out.extend(full.iter().flat_map(|(_, matrix)| matrix));
            } else {
                out.extend(part_of(order, size, material, &filled));
            }
        }
        out
    }

    /// The part of the cells that a flex fills which is no shell, and its integrals if they are asked for.
    pub fn fill(&self, part: &Part, integrals: bool) -> Fill {
        let point: Vec<V3> = part.xpos.iter().map(|x| self.local(*x)).collect();
        let [low, high] = self.ends();
        let grid = Grid {
            cells: self.cells,
            low: low.to_array(),
            whole: (high - low).to_array(),
            order: self.order,
            powers: match integrals {
                true => [2 * self.order, 6 * self.order - 2],
                false => [0; 2],
            },
        };
        Fill::of(part.dim, &point, &part.element, &grid)
    }

    pub fn write(cage: Option<&Self>, m: &mut Arrays) {
        m.flex_nodeadr.push(m.flex_node.len() as i32);
        let Some(cage) = cage else {
            m.flex_interp.push(0);
            m.flex_cellnum.extend([1; 3]);
            m.flex_nodenum.push(0);
            return;
        };
        let order = cage.order as i32;
        m.flex_interp.push(if cage.shell { -order } else { order });
        m.flex_cellnum.extend(cage.cells.map(|n| n as i32));
        m.flex_nodenum.push(cage.node.len() as i32);
        m.flex_nodebodyid
            .extend(cage.bodies.iter().map(|&b| b as i32));
        m.flex_node.extend(&cage.node);
        m.flex_node0.extend(&cage.node0);
    }
}
