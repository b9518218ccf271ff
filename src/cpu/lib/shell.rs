//! Shells between nodes: the outer faces of a grid's cells, what bends at their common edges, and where inner nodes are.

use super::cage::{cell_quat, cell_slopes, cell_weights, node_xpos};
use super::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// Number of nodes of a face of the highest order.
const MOST: usize = 9;

/// Number of coefficients of an edge between two faces: their numbers, the edge in either, its stiffness, and the difference of the
/// normals at rest.
pub const BEND: usize = 10;

/// An outer face of a cell: its nodes, counted from the first of the flex.
pub struct Face {
    pub order: usize,
    /// The axis that it stands on, and the two along it: nodes along the second follow each other.
    pub normal: usize,
    pub axes: [usize; 2],
    pub num: usize,
    pub node: [usize; MOST],
}

/// Number of outer faces of a grid of cells.
pub fn face_num(cells: [usize; 3]) -> usize {
    let [x, y, z] = cells;
    2 * (y * z + x * z + x * y)
}

/// Side of the grid that a face is on, and its place there; sides are numbered by axis, the lower one first.
pub fn side_of(cells: [usize; 3], face: usize) -> (usize, [usize; 2]) {
    let mut left = face;
    for side in 0..6 {
        let [first, second] = [1, 2].map(|k| cells[(side / 2 + k) % 3]);
        if left < first * second {
            return (side, [left / second, left % second]);
        }
        left -= first * second;
    }
    (0, [0; 2])
}

impl Face {
    pub fn new(order: usize, cells: [usize; 3], face: usize) -> Self {
        let (side, [first, second]) = side_of(cells, face);
        let normal = side / 2;
        let axes = [(normal + 1) % 3, (normal + 2) % 3];
        let [_, ny, nz] = cells.map(|n| n * order + 1);
        let mut out = Self {
            order,
            normal,
            axes,
            num: 0,
            node: [0; MOST],
        };
        let mut at = [0; 3];
        at[normal] = (side % 2) * cells[normal] * order;
        for i in 0..=order {
            for j in 0..=order {
                at[axes[0]] = first * order + i;
                at[axes[1]] = second * order + j;
                out.node[out.num] = (at[0] * ny + at[1]) * nz + at[2];
                out.num += 1;
            }
        }
        out
    }

    /// The face of a flex, its nodes counted from the first of all.
    pub fn of(m: &Arrays, f: usize, face: usize) -> Self {
        let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
        let mut out = Self::new(m.flex_interp[f].unsigned_abs() as usize, cells, face);
        for n in &mut out.node {
            *n += m.flex_nodeadr[f] as usize;
        }
        out
    }

    /// Directions along its two axes at a place in it, by the positions of its nodes.
    pub fn tangents<R: Real>(&self, xpos: &[[R; 3]], at: [R; 2]) -> [[R; 3]; 2] {
        let [first, second] = at.map(|s| cell_weights(self.order, s));
        let slopes = at.map(|s| cell_slopes(self.order, s));
        let side = self.order + 1;
        let mut out = [[R::zero(); 3]; 2];
        for (n, x) in xpos[..self.num].iter().enumerate() {
            let (i, j) = (n / side, n % side);
            out[0] = add_scl3(out[0], *x, slopes[0][i] * second[j]);
            out[1] = add_scl3(out[1], *x, first[i] * slopes[1][j]);
        }
        out
    }

    /// Deformation at its center: the directions along the axes of the grid, and the vector product along its normal.
    pub fn stretched<R: Real>(&self, xpos: &[[R; 3]], size: [R; 3]) -> [[R; 3]; 3] {
        let half = R::splat(0.5);
        let [x, y] = self.tangents(xpos, [half, half]);
        let [first, second] = self.axes;
        let mut to = [[R::zero(); 3]; 3];
        to[first] = scl3(x, R::one() / size[first]);
        to[second] = scl3(y, R::one() / size[second]);
        to[self.normal] = cross(to[first], to[second]);
        to
    }
}

/// Sides of a cell at rest.
pub fn cell_size<R: Real>(m: &Model, d: &Data<R>, f: usize) -> [R; 3] {
    let adr = m.flex_nodeadr[f] as usize;
    let first = d.own.flex_node0(m, adr);
    let last = d.own.flex_node0(m, adr + m.flex_nodenum[f] as usize - 1);
    [0, 1, 2].map(|k| (last[k] - first[k]) / R::splat(f64::from(m.flex_cellnum[3 * f + k])))
}

/// Adds the forces that keep the angles between faces.
pub fn bend_faces<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let adr = m.flex_bendingadr[f] as usize;
    let whole = |x: R| x.lane(0) as usize;
    let num = whole(d.own.flex_bending(m, adr));
    let size = cell_size(m, d, f);
    for e in 0..num {
        let of = |k: usize| d.own.flex_bending(m, adr + 1 + BEND * e + k);
        let stiffness = of(6);
        let sides = [0, 1].map(|s| {
            let face = Face::of(m, f, whole(of(s)));
            let at = [of(2 + 2 * s), of(3 + 2 * s)];
            Side::new(m, d, face, at, size)
        });
        let rest = [of(7), of(8), of(9)];
        push_sides(d, &sides, stiffness, rest);
    }
}

/// A face beside an edge.
struct Side<R> {
    face: Face,
    at: [R; 2],
    tangents: [[R; 3]; 2],
    // its unit normal, and the length of the product of the tangents
    normal: [R; 3],
    length: R,
    quat: [R; 4],
}

impl<R: Real> Side<R> {
    fn new(m: &Model, d: &Data<R>, face: Face, at: [R; 2], size: [R; 3]) -> Self {
        let mut xpos = [[R::zero(); 3]; MOST];
        for n in 0..face.num {
            xpos[n] = node_xpos(m, d, face.node[n]);
        }
        let tangents = face.tangents(&xpos, at);
        let (normal, length) = normalize3(cross(tangents[0], tangents[1]));
        Self {
            quat: cell_quat(face.stretched(&xpos, size)),
            face,
            at,
            tangents,
            normal,
            length,
        }
    }
}

fn push_sides<R: Real>(d: &mut Data<R>, sides: &[Side<R>; 2], stiffness: R, rest: [R; 3]) {
    // the mean of both orientations
    let [first, second] = [sides[0].quat, sides[1].quat];
    let along = (0..4).fold(R::zero(), |sum, k| sum + first[k] * second[k]);
    let sign = R::select(along.lt(R::zero()), -R::one(), R::one());
    let mean = normalize4([0, 1, 2, 3].map(|k| first[k] + second[k] * sign));
    let away = sub3(sides[0].normal, sides[1].normal);
    let away = sub3(away, rot_vec_quat(rest, mean));
    let least = R::splat(MINVAL);
    let good = least.le(sides[0].length) & least.le(sides[1].length);
    if !good.any() {
        return;
    }
    let stiffness = R::select(good, stiffness, R::zero());
    for (side, stiffness) in sides.iter().zip([stiffness, -stiffness]) {
        let long = R::select(good, side.length, R::one());
        let along = dot3(side.normal, away);
        let pull = scl3(add_scl3(away, side.normal, -along), R::one() / long);
        let [first, second] = [cross(pull, side.tangents[1]), cross(pull, side.tangents[0])];
        let weights = side.at.map(|s| cell_weights(side.face.order, s));
        let slopes = side.at.map(|s| cell_slopes(side.face.order, s));
        let width = side.face.order + 1;
        for n in 0..side.face.num {
            let (i, j) = (n / width, n % width);
            let (x, y) = (slopes[0][i] * weights[1][j], weights[0][i] * slopes[1][j]);
            let force = sub3(scl3(first, x), scl3(second, y));
            let node = side.face.node[n];
            d.flexnode_spring[node] = add_scl3(d.flexnode_spring[node], force, stiffness);
        }
    }
}

/// Calls `visit` with the outer nodes that an inner node of a shell follows, and their weights (transfinite interpolation); with the
/// node itself where it moves by itself.
pub fn for_outer(m: &Arrays, f: usize, node: usize, mut visit: impl FnMut(usize, f64)) {
    let order = m.flex_interp[f];
    let count = [0, 1, 2].map(|k| (m.flex_cellnum[3 * f + k] * order.abs()) as usize + 1);
    let adr = m.flex_nodeadr[f] as usize;
    let local = node - adr;
    let at = [
        local / (count[1] * count[2]),
        local / count[2] % count[1],
        local % count[2],
    ];
    let inner = (0..3).all(|k| at[k] > 0 && at[k] + 1 < count[k]);
    if order >= 0 || !inner {
        return visit(node, 1.0);
    }
    let share = [0, 1, 2].map(|k| at[k] as f64 / (count[k] - 1) as f64);

    // 0: both ends of an axis, 1: the place itself; two places: faces, one: edges, none: corners
    for kept in 0..7_usize {
        let free = [0, 1, 2].map(|k| kept >> k & 1 == 0);
        let ends = free.iter().filter(|free| **free).count();
        let sign = if ends == 2 { -1.0 } else { 1.0 };
        for end in 0..8_usize {
            let far = [0, 1, 2].map(|k| end >> k & 1 == 1);
            if (0..3).any(|k| far[k] && !free[k]) {
                continue;
            }
            let mut to = at;
            let mut weight = sign;
            for k in (0..3).filter(|&k| free[k]) {
                to[k] = if far[k] { count[k] - 1 } else { 0 };
                weight *= if far[k] { share[k] } else { 1.0 - share[k] };
            }
            visit(adr + (to[0] * count[1] + to[1]) * count[2] + to[2], weight);
        }
    }
}

/// Where a node of a flex is; an inner node of a shell follows the outer ones.
pub fn placed_node<R: Real>(m: &Model, d: &Data<R>, f: usize, node: usize) -> [R; 3] {
    if m.flex_interp[f] >= 0 {
        return node_xpos(m, d, node);
    }
    let mut sum = [R::zero(); 3];
    for_outer(m, f, node, |outer, weight| {
        sum = add_scl3(sum, node_xpos(m, d, outer), R::splat(weight));
    });
    sum
}
