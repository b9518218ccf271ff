//! An octree over a mesh that holds its signed distance: cells through which the surface passes are halved, and at the corners of the
//! cells the distance is computed (`mjCOctree`).
//!
//! Cells come in MuJoCo's order, except those that only balance the tree: MuJoCo's are in the order of its hash table.

use std::collections::VecDeque;
use std::rc::Rc;

use glam::DVec3;
use rayon::prelude::*;

use super::surface::Surface;
use super::vec3::V3;

/// Most levels of halving of the root.
const DEPTH: u32 = 6;
/// Cells of the finest grid along an axis; its corners are one more.
const SIDE: u32 = 1 << DEPTH;
/// Size of the root relative to the mesh.
const ROOM: f64 = 1.1;

/// The arrays `oct_*` of one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Octree {
    /// Depth of a cell: how often the root was halved (`oct_depth`). The root comes first.
    pub depth: Vec<i32>,
    /// The eight parts of a cell, x first, or -1 (`oct_child`).
    pub child: Vec<[i32; 8]>,
    /// Centre and half sizes of a cell (`oct_aabb`).
    pub aabb: Vec<[f64; 6]>,
    /// Signed distance at the corners of a cell, x first (`oct_coeff`).
    pub coeff: Vec<[f64; 8]>,
}

/// The octree of a mesh of these vertices and triangles, whose smallest and largest corner are `aamm`.
pub fn octree(vert: &[V3], face: &[[i32; 3]], aamm: [f64; 6]) -> Octree {
    let corner = |k: usize| DVec3::new(aamm[k], aamm[k + 1], aamm[k + 2]);
    let root = Root {
        centre: 0.5 * (corner(0) + corner(3)),
        half: 0.5 * ROOM * (corner(3) - corner(0)),
    };
    let mut cells = Cells::through(vert, face, &root);
    cells.balance();
    let values = values(&cells, &root, &Surface::new(vert, face));
    let list = &cells.list;
    let parts = |c: &Cell| match c.parts {
        0 => [-1; 8],
        first => std::array::from_fn(|j| first as i32 + j as i32),
    };
    let aabb = |c: &Cell| {
        let (centre, half) = root.cell(c);
        [centre.x, centre.y, centre.z, half.x, half.y, half.z]
    };
    Octree {
        depth: list.iter().map(|c| c.depth as i32).collect(),
        child: list.iter().map(parts).collect(),
        aabb: list.iter().map(aabb).collect(),
        coeff: list
            .iter()
            .map(|c| c.corners().map(|at| values[key(at)]))
            .collect(),
    }
}

struct Root {
    centre: DVec3,
    half: DVec3,
}

impl Root {
    // centre and half sizes of a cell
    fn cell(&self, c: &Cell) -> (DVec3, DVec3) {
        let half = self.half / f64::from(1 << c.depth);
        let at = c.at.map(|x| f64::from(2 * x + 1));
        (self.centre - self.half + half * DVec3::from(at), half)
    }

    // a corner of the finest grid
    fn corner(&self, at: [u32; 3]) -> DVec3 {
        let share = DVec3::from(at.map(f64::from)) * (2.0 / f64::from(SIDE));
        self.centre - self.half + self.half * share
    }
}

// number of a corner of the finest grid
fn key(at: [u32; 3]) -> usize {
    let [x, y, z] = at.map(|x| x as usize);
    let line = SIDE as usize + 1;
    (z * line + y) * line + x
}

struct Cell {
    depth: u32,
    /// Indices of the cell among the cells of its depth, along each axis.
    at: [u32; 3],
    /// The first of its eight parts, or 0.
    parts: u32,
}

impl Cell {
    // cells of the finest grid along a side
    fn size(&self) -> u32 {
        SIDE >> self.depth
    }

    // its corners on the finest grid, x first
    fn corners(&self) -> [[u32; 3]; 8] {
        let size = self.size();
        std::array::from_fn(|j| [0, 1, 2].map(|k| (self.at[k] + (j as u32 >> k & 1)) * size))
    }
}

struct Cells {
    list: Vec<Cell>,
}

impl Cells {
    // cells that contain a part of the surface are halved down to the largest depth
    fn through(vert: &[V3], face: &[[i32; 3]], root: &Root) -> Self {
        let whole = Cell {
            depth: 0,
            at: [0; 3],
            parts: 0,
        };
        let mut cells = Self { list: vec![whole] };
        let triangle = |f: u32| face[f as usize].map(|v| DVec3::from_array(vert[v as usize]));
        let all: Rc<[u32]> = (0..face.len() as u32).collect();
        let mut inside = VecDeque::from([all]);
        let mut id = 0;
        while let Some(faces) = inside.pop_front() {
            let cell = &cells.list[id];
            let (centre, half) = root.cell(cell);
            if cell.depth < DEPTH {
                let held = |f: &u32| {
                    let corner = triangle(*f).map(|v| v - centre);
                    meets(3, |k| corner[k], half)
                };
                let held: Rc<[u32]> = faces.iter().copied().filter(held).collect();
                if !held.is_empty() {
                    // the finest cells are not searched
                    let deeper = cells.list[id].depth + 1 < DEPTH;
                    let held = if deeper { held } else { Rc::from([]) };
                    cells.halve(id);
                    inside.extend(std::iter::repeat_n(held, 8));
                }
            }
            id += 1;
        }
        cells
    }

    fn halve(&mut self, id: usize) {
        let Cell { depth, at, .. } = self.list[id];
        self.list[id].parts = self.list.len() as u32;
        self.list.extend((0..8).map(|j| Cell {
            depth: depth + 1,
            at: [0, 1, 2].map(|k| 2 * at[k] + (j >> k & 1)),
            parts: 0,
        }));
    }

    // the smallest cell that contains the cell `at` of `depth`, and is not smaller than that
    fn find(&self, depth: u32, at: [u32; 3]) -> usize {
        let mut id = 0;
        for level in (0..depth).rev() {
            let first = self.list[id].parts;
            if first == 0 {
                break;
            }
            let part: u32 = (0..3).map(|k| (at[k] >> level & 1) << k).sum();
            id = (first + part) as usize;
        }
        id
    }

    // halves cells until no neighbour across a side was halved more than once more
    fn balance(&mut self) {
        let halved = (0..self.list.len()).filter(|&id| self.list[id].parts != 0);
        let mut todo: VecDeque<usize> = halved.collect();
        while let Some(id) = todo.pop_front() {
            let Cell { depth, at, .. } = self.list[id];
            for side in 0..6 {
                let mut beside = at;
                let (axis, up) = (side / 2, side % 2 == 1);
                beside[axis] = match up {
                    true => at[axis] + 1,
                    false => at[axis].wrapping_sub(1),
                };
                if beside[axis] >> depth != 0 {
                    continue;
                }
                loop {
                    let found = self.find(depth, beside);
                    if self.list[found].depth == depth {
                        break;
                    }
                    self.halve(found);
                    todo.push_back(found);
                }
            }
        }
    }

    // the largest cell that has a point on its boundary without having it as a corner, if there is one
    fn hangs_on(&self, at: [u32; 3]) -> Option<usize> {
        let around = (0..8_u32).filter_map(|j| {
            let place = [0, 1, 2].map(|k| at[k].wrapping_sub(j >> k & 1));
            let inside = place.iter().all(|x| *x < SIDE);
            inside.then(|| self.find(DEPTH, place))
        });
        let others = around.filter(|&id| {
            let size = self.list[id].size();
            at.iter().any(|x| x % size != 0)
        });
        others.min_by_key(|&id| self.list[id].depth)
    }
}

// Signed distances at the corners of all cells, by their keys. A corner on the boundary of a larger cell has the value
// interpolated from that cell's corners, so that the distance is continuous.
fn values(cells: &Cells, root: &Root, surface: &Surface) -> Vec<f64> {
    let mut values = vec![f64::NAN; key([SIDE; 3]) + 1];
    let leaves = cells.list.iter().filter(|c| c.parts == 0);
    let mut corners: Vec<[u32; 3]> = leaves.flat_map(Cell::corners).collect();
    corners.sort_unstable();
    corners.dedup();
    let hangs = |at: &[u32; 3]| cells.hangs_on(*at);
    let known = corners.par_iter().map(|at| match hangs(at) {
        Some(id) => Err(id),
        None => Ok(surface.distance(root.corner(*at))),
    });
    let known: Vec<Result<f64, usize>> = known.collect();
    let mut hanging = Vec::new();
    for (at, known) in corners.iter().zip(known) {
        match known {
            Ok(distance) => values[key(*at)] = distance,
            Err(id) => hanging.push((cells.list[id].depth, id, *at)),
        }
    }

    // those of a larger cell first: its corners may depend on a larger one
    hanging.sort_unstable();
    for (_, id, at) in hanging {
        let cell = &cells.list[id];
        let corners = cell.corners();
        let share = [0, 1, 2].map(|k| f64::from(at[k] - corners[0][k]) / f64::from(cell.size()));
        let weights = weights(share);
        let parts = corners
            .iter()
            .zip(weights)
            .map(|(c, w)| w * values[key(*c)]);
        values[key(at)] = parts.sum();
    }
    values
}

/// Weight of corner `j` of a cell along axis `k`, at a place in it: 0 to 1 along each axis.
pub fn along(share: [f64; 3], k: usize, j: usize) -> f64 {
    match j >> k & 1 {
        1 => share[k],
        _ => 1.0 - share[k],
    }
}

/// Weights of a cell's corners, x first, at a place in it: 0 to 1 along each axis.
pub fn weights(share: [f64; 3]) -> [f64; 8] {
    let along = |k, j| along(share, k, j);
    std::array::from_fn(|j| along(0, j) * along(1, j) * along(2, j))
}

/// Whether the straight line between two corners, or the triangle between three, meets a box around the origin, touching included.
pub(super) fn meets(num: usize, corner: impl Fn(usize) -> DVec3, half: DVec3) -> bool {
    let apart = |axis: DVec3| {
        let reach = half.dot(axis.abs());
        let along = (0..num).map(|k| corner(k).dot(axis));
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
        least > reach || most < -reach
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let edge = |k: usize| corner((k + 1) % num) - corner(k);
    let crossed = |axis: &DVec3| (0..num).any(|k| apart(axis.cross(edge(k))));
    let by_plane = || num == 3 && apart(edge(0).cross(edge(1)));
    let separate = axes.into_iter().any(apart) || by_plane() || axes.iter().any(crossed);
    !separate
}
