//! Flexes interpolated between the nodes of a grid: positions of their vertices, and elastic forces of the cells.

use std::ops::Range;

use super::contact::column;
use super::math::*;
use super::shell::{Face, bend_faces, cell_size, face_num, for_outer, placed_node};
use super::yielding::plastic_stretch;
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// Maximum iterations of the search for the rotation of a cell, and the angle that ends it (rad).
const TURNS: usize = 500;
const STILL: f64 = 1e-9;

/// The value of `flex_edgeequality` where strains are held.
pub(crate) const STRAIN: i32 = 3;

/// Shares of a cell's width between which its nodes move a vertex that lies in an empty cell beside it.
const NEAR: [f64; 2] = [-0.02, 1.02];

/// Number of nodes of a cell of the highest order.
const MOST: usize = 27;

/// A cell of a grid: its nodes, ordered with z fastest, then y, then x.
struct Cell {
    order: usize,
    // number of cells before it along each axis
    first: [usize; 3],
    num: usize,
    node: [usize; MOST],
}

impl Cell {
    fn new(m: &Arrays, f: usize, cell: usize) -> Self {
        let order = m.flex_interp[f].unsigned_abs() as usize;
        let [_, cy, cz] = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
        let first = [cell / (cy * cz), cell / cz % cy, cell % cz];
        let [x, y, z] = first.map(|i| i * order);
        let (ny, nz) = (cy * order + 1, cz * order + 1);
        let mut out = Self {
            order,
            first,
            num: 0,
            node: [m.flex_nodeadr[f] as usize; MOST],
        };
        for i in 0..=order {
            for j in 0..=order {
                for k in 0..=order {
                    out.node[out.num] += ((x + i) * ny + y + j) * nz + z + k;
                    out.num += 1;
                }
            }
        }
        out
    }

    // index in the cell of the node at position (i, j, k) along the axes
    fn at(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.order + 1) + j) * (self.order + 1) + k
    }
}

/// Where a node is.
pub fn node_xpos<R: Real>(m: &Model, d: &Data<R>, n: usize) -> [R; 3] {
    let body = m.flex_nodebodyid[n] as usize;
    add3(
        d.xpos[body],
        mul_mat_vec3(d.xmat[body], d.own.flex_node(m, n)),
    )
}

fn node_vel<R: Real>(m: &Model, d: &Data<R>, n: usize, point: [R; 3]) -> [R; 3] {
    let body = m.flex_nodebodyid[n] as usize;
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let [rx, ry, rz, x, y, z] = d.cvel[body];
    add3([x, y, z], cross([rx, ry, rz], offset))
}

/// Interpolates the vertices of a flex between the nodes.
pub fn place_vertices<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let mut first = m.flex_vertadr[f] as usize;
    let cells = &m.flex_vertcell[first..first + m.flex_vertnum[f] as usize];
    for run in cells.chunk_by(|a, b| a == b) {
        place_in_cell(m, d, f, first..first + run.len());
        first += run.len();
    }
}

// places vertices of one cell, whose nodes are placed once for all of them
fn place_in_cell<R: Real>(m: &Model, d: &mut Data<R>, f: usize, vertices: Range<usize>) {
    let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
    let cell = Cell::new(m, f, m.flex_vertcell[vertices.start] as usize);
    let mut nodes = [[R::zero(); 3]; MOST];
    for (to, &node) in nodes.iter_mut().zip(&cell.node[..cell.num]) {
        *to = placed_node(m, d, f, node);
    }
    for v in vertices {
        let place = d.own.flex_vert0(m, v);
        let axis = [0, 1, 2].map(|k| {
            let along = place[k] * R::splat(cells[k] as f64) - R::splat(cell.first[k] as f64);
            let [least, most] = NEAR.map(R::splat);
            cell_weights(cell.order, along.clamp(least, most))
        });
        let mut sum = [R::zero(); 3];
        let mut n = 0;
        for &x in &axis[0][..=cell.order] {
            for &y in &axis[1][..=cell.order] {
                for &z in &axis[2][..=cell.order] {
                    sum = add_scl3(sum, nodes[n], x * y * z);
                    n += 1;
                }
            }
        }
        d.flexvert_xpos[v] = sum;
    }
}

/// Slopes of the interpolation weights of the nodes along an axis of a cell.
pub fn cell_slopes<R: Real>(order: usize, s: R) -> [R; 3] {
    let (one, four) = (R::one(), R::splat(4.0));
    match order {
        1 => [-one, one, R::zero()],
        _ => [
            four * s - R::splat(3.0),
            four - R::splat(8.0) * s,
            four * s - one,
        ],
    }
}

/// Interpolation weights of the nodes along an axis of a cell.
pub fn cell_weights<R: Real>(order: usize, s: R) -> [R; 3] {
    let (one, two) = (R::one(), R::splat(2.0));
    match order {
        1 => [one - s, s, R::zero()],
        _ => [
            (one - s) * (one - two * s),
            R::splat(4.0) * s * (one - s),
            s * (two * s - one),
        ],
    }
}

/// The bodies of the nodes that may carry a contact of the flex `f`: nodes of all cells between the cells of its `vertices`.
pub(crate) fn bodies_between(m: &Arrays, f: usize, vertices: &[usize]) -> Vec<usize> {
    let [_, cy, cz] = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
    let [low, high] = between(m, f, vertices);
    let mut out = Vec::new();
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                let cell = Cell::new(m, f, (x * cy + y) * cz + z);
                for &node in &cell.node[..cell.num] {
                    for_outer(m, f, node, |n, _| out.push(m.flex_nodebodyid[n] as usize));
                }
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

// the first and the last cell along each axis that contain any of the vertices, also where the cell is empty and another moves the vertex
fn between(m: &Arrays, f: usize, vertices: &[usize]) -> [[usize; 3]; 2] {
    let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
    for &v in vertices {
        for k in 0..3 {
            let num = m.flex_cellnum[3 * f + k] as usize;
            let first = ((m.flex_vert0[v][k] * num as f64) as usize).min(num - 1);
            low[k] = low[k].min(first);
            high[k] = high[k].max(first);
        }
    }
    [low, high]
}

/// Calls `visit` with the body and the weight of every node that carries a contact of the flex `f` in one lane. The contact is at the
/// weighted mean of the `vertices` in the undeformed grid (`mj_vertBodyWeight`).
pub(crate) fn for_nodes<R: Real>(
    m: &Model,
    d: &Data<R>,
    f: usize,
    lane: usize,
    vertices: &[usize],
    share: &[f64],
    mut visit: impl FnMut(usize, f64),
) {
    let mut place = [0.0; 3];
    for (&v, &share) in vertices.iter().zip(share) {
        let corner = d.own.flex_vert0(m, v).map(|x| x.lane(lane));
        place = add_scl3(place, corner, share);
    }
    let num = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
    let [low, high] = between(m, f, vertices);
    let along = [0, 1, 2].map(|k| place[k] * num[k] as f64);
    let first = [0, 1, 2].map(|k| (along[k] as usize).clamp(low[k], high[k]));
    let cell = Cell::new(m, f, (first[0] * num[1] + first[1]) * num[2] + first[2]);
    let axis = [0, 1, 2].map(|k| cell_weights(cell.order, along[k] - first[k] as f64));
    let side = cell.order + 1;
    for n in 0..cell.num {
        let weight = axis[0][n / (side * side)] * axis[1][n / side % side] * axis[2][n % side];
        if weight != 0.0 {
            for_outer(m, f, cell.node[n], |n, share| {
                visit(m.flex_nodebodyid[n] as usize, weight * share);
            });
        }
    }
}

/// Forces of all cells of a flex on its nodes: linear elasticity in a frame that turns with the cell, and Rayleigh's damping.
pub fn cell_forces<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let rayleigh = d.own.flex_damping(m, f);
    let adr = m.flex_nodeadr[f] as usize;
    let nodes = adr..adr + m.flex_nodenum[f] as usize;
    d.flexnode_spring[nodes.clone()].fill([R::zero(); 3]);
    d.flexnode_damper[nodes.clone()].fill([R::zero(); 3]);
    if is_stiff(m, f) {
        for c in 0..patch_num(m, f) {
            patch_force(m, d, f, c);
        }
    }
    if m.flex_bendingadr[f] >= 0 {
        bend_faces(m, d, f);
    }
    for drag in &mut d.flexnode_damper[nodes] {
        *drag = scl3(*drag, rayleigh);
    }
}

/// Whether cells or faces have a stiffness; an equality of strains takes its place.
pub fn is_stiff(m: &Arrays, f: usize) -> bool {
    m.flex_stiffnessadr[f] >= 0 && m.flex_edgeequality[f] != STRAIN
}

/// A cell, or a face of a shell, in a frame that turns with it.
pub(crate) struct Patch<R> {
    pub num: usize,
    pub node: [usize; MOST],
    pub xpos: [[R; 3]; MOST],
    pub mat: [R; 9],
    // the deformation at its center, by columns
    to: [[R; 3]; 3],
    // the axis across a face
    normal: Option<usize>,
    /// Address of its coefficients.
    pub adr: usize,
}

/// Number of cells of a flex, or of faces of a shell.
pub fn patch_num(m: &Arrays, f: usize) -> usize {
    let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
    match m.flex_interp[f] < 0 {
        true => face_num(cells),
        false => cells.iter().product(),
    }
}

/// The nodes of a cell or a face of a flex.
pub(crate) fn patch_nodes(m: &Arrays, f: usize, c: usize) -> Vec<usize> {
    if m.flex_interp[f] < 0 {
        let face = Face::of(m, f, c);
        return face.node[..face.num].to_vec();
    }
    let cell = Cell::new(m, f, c);
    cell.node[..cell.num].to_vec()
}

/// A cell or a face of a flex, with its nodes at `place`.
pub(crate) fn patch<R: Real>(
    m: &Model,
    d: &Data<R>,
    f: usize,
    c: usize,
    place: impl Fn(usize) -> [R; 3],
) -> Patch<R> {
    let mut xpos = [[R::zero(); 3]; MOST];
    let mut node = [0; MOST];
    let (num, to, normal) = if m.flex_interp[f] < 0 {
        let face = Face::of(m, f, c);
        node[..face.num].copy_from_slice(&face.node[..face.num]);
        for n in 0..face.num {
            xpos[n] = place(node[n]);
        }
        let to = face.stretched(&xpos, cell_size(m, d, f));
        (face.num, to, Some(face.normal))
    } else {
        let cell = Cell::new(m, f, c);
        node = cell.node;
        for n in 0..cell.num {
            xpos[n] = place(node[n]);
        }
        (cell.num, cell_stretched(m, d, &cell, &xpos), None)
    };
    let size = 3 * num;
    Patch {
        num,
        node,
        xpos,
        mat: cell_rotation(to),
        to,
        normal,
        adr: m.flex_stiffnessadr[f].max(0) as usize + c * size * size,
    }
}

impl<R: Real> Patch<R> {
    /// How far a node is from its place at rest, in the frame of the patch and relative to the first node, so that the position of the
    /// patch costs no precision.
    pub(crate) fn away(&self, m: &Model, d: &Data<R>, n: usize) -> [R; 3] {
        let here = mul_mat_t_vec3(self.mat, sub3(self.xpos[n], self.xpos[0]));
        sub3(here, self.arm(m, d, n))
    }

    // a node at rest relative to the first
    fn arm(&self, m: &Model, d: &Data<R>, n: usize) -> [R; 3] {
        let rest = d.own.flex_node0(m, self.node[0]);
        sub3(d.own.flex_node0(m, self.node[n]), rest)
    }

    /// Numbers of a plastic strain: six of a cell, three of a face.
    pub fn words(&self) -> usize {
        if self.normal.is_some() { 3 } else { 6 }
    }

    // the axes of the first and the second stretch of a face
    fn axes(&self) -> [usize; 2] {
        let across = self.normal.unwrap_or(2);
        [(across + 1) % 3, (across + 2) % 3]
    }

    /// Strain in the frame of the patch: the stretches, and the shears twice.
    pub fn strain(&self) -> [R; 6] {
        let [x, y, z] = self.to.map(|column| mul_mat_t_vec3(self.mat, column));
        let (one, none) = (R::one(), R::zero());
        if self.normal.is_some() {
            let [a, b] = self.axes();
            let of = [x, y, z];
            let shear = of[a][b] + of[b][a];
            return [of[a][a] - one, of[b][b] - one, shear, none, none, none];
        }
        [
            x[0] - one,
            y[1] - one,
            z[2] - one,
            x[1] + y[0],
            x[2] + z[0],
            y[2] + z[1],
        ]
    }

    /// A plastic strain as a matrix.
    pub fn matrix(&self, of: &[R]) -> [R; 9] {
        let half = R::splat(0.5);
        if self.normal.is_none() {
            let (xy, xz, yz) = (of[3] * half, of[4] * half, of[5] * half);
            return [of[0], xy, xz, xy, of[1], yz, xz, yz, of[2]];
        }
        let [a, b] = self.axes();
        let mut out = [R::zero(); 9];
        out[4 * a] = of[0];
        out[4 * b] = of[1];
        out[3 * a + b] = of[2] * half;
        out[3 * b + a] = of[2] * half;
        out
    }
}

// forces of a cell or a face on its nodes
fn patch_force<R: Real>(m: &Model, d: &mut Data<R>, f: usize, c: usize) {
    let patch = patch(m, d, f, c, |n| node_xpos(m, d, n));
    let mut away = [[R::zero(); 3]; MOST];
    let mut vel = [[R::zero(); 3]; MOST];
    for n in 0..patch.num {
        away[n] = patch.away(m, d, n);
        vel[n] = node_vel(m, d, patch.node[n], patch.xpos[n]);
    }
    let first = vel[0];
    for v in &mut vel[..patch.num] {
        *v = mul_mat_t_vec3(patch.mat, sub3(*v, first));
    }
    if let Some(adr) = plastic_stretch(m, f) {
        let words = patch.words();
        let kept = patch.matrix(&d.plastic[adr + words * c..][..words]);
        for n in 0..patch.num {
            away[n] = sub3(away[n], mul_mat_vec3(kept, patch.arm(m, d, n)));
        }
    }
    let size = 3 * patch.num;
    for n in 0..patch.num {
        let (mut pull, mut drag) = ([R::zero(); 3], [R::zero(); 3]);
        for k in 0..3 {
            let row = patch.adr + (3 * n + k) * size;
            for j in 0..size {
                let stiffness = d.own.flex_stiffness(m, row + j);
                pull[k] += stiffness * away[j / 3][j % 3];
                drag[k] += stiffness * vel[j / 3][j % 3];
            }
        }
        let node = patch.node[n];
        let (pull, drag) = (mul_mat_vec3(patch.mat, pull), mul_mat_vec3(patch.mat, drag));
        d.flexnode_spring[node] = add3(d.flexnode_spring[node], pull);
        d.flexnode_damper[node] = add3(d.flexnode_damper[node], drag);
    }
}

// mean edge vectors of a cell along its three axes, each divided by its rest length
fn cell_stretched<R: Real>(
    m: &Model,
    d: &Data<R>,
    cell: &Cell,
    xpos: &[[R; 3]; MOST],
) -> [[R; 3]; 3] {
    let rest = |n: usize| d.own.flex_node0(m, cell.node[n]);
    let (low, high) = (rest(0), rest(cell.num - 1));
    [0, 1, 2].map(|a| {
        let mut sum = [R::zero(); 3];
        let mut side = |others: [usize; 2], weight: R| {
            let mut at = [0; 3];
            (at[(a + 1) % 3], at[(a + 2) % 3]) = (others[0], others[1]);
            let first = xpos[cell.at(at)];
            at[a] = cell.order;
            sum = add_scl3(sum, sub3(xpos[cell.at(at)], first), weight);
        };
        match cell.order {
            1 => {
                for others in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                    side(others, R::splat(0.25));
                }
            }
            // only between the centers of opposite faces
            _ => side([1, 1], R::one()),
        }
        scl3(sum, R::one() / (high[a] - low[a]))
    })
}

// the rotation nearest to a matrix, given by its columns
fn cell_rotation<R: Real>(to: [[R; 3]; 3]) -> [R; 9] {
    quat2mat(cell_quat(to))
}

/// The rotation nearest to a matrix, given by its columns (`mju_mat2Rot`).
pub fn cell_quat<R: Real>(to: [[R; 3]; 3]) -> [R; 4] {
    let mut quat = [R::one(), R::zero(), R::zero(), R::zero()];
    let still = R::splat(STILL.max(16.0 * R::ROUNDING));
    for _ in 0..TURNS {
        let mat = quat2mat(quat);
        let (mut turn, mut along) = ([R::zero(); 3], R::zero());
        for (k, to) in to.into_iter().enumerate() {
            let have = column(mat, k);
            turn = add3(turn, cross(have, to));
            along += dot3(have, to);
        }
        let scale = R::one() / (along.abs() + R::splat(MINVAL));
        let (axis, angle) = normalize3(scl3(turn, scale));
        let turning = still.le(angle);
        if !turning.any() {
            break;
        }
        let next = normalize4(mul_quat(axis_angle2quat(axis, angle), quat));
        quat = [0, 1, 2, 3].map(|i| R::select(turning, next[i], quat[i]));
    }
    quat
}
