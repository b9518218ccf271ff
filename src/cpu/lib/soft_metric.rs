//! What soft bodies add to the metric of a discrete step: the stiffness of their material over a timestep
//! (`mjd_flexStiff_assemble`), and the change of its forces as the body moves (`mj_effShift`).

use super::cage::{is_stiff, node_xpos, patch, patch_num};
use super::coupling::coupling;
use super::elastic::{
    BENDING, EDGES, TETRAHEDRON, TRIANGLE, edge_stretch, element_stiffness, hinge,
};
use super::math::*;
use super::metric::on_diagonal;
use super::rod::is_rod;
use super::rod_metric::stiffen_rod;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// A point of a body, which dofs move.
#[derive(Clone, Copy)]
struct BodyPoint<R> {
    // the last of these dofs, -1: none
    last: i32,
    // relative to the center of mass of the tree
    offset: [R; 3],
}

impl<R> BodyPoint<R> {
    fn dofs<'a>(&self, m: &'a Model) -> impl Iterator<Item = usize> + use<'a, R> {
        let next = |i: &usize| usize::try_from(m.dof_parentid[*i]).ok();
        std::iter::successors(usize::try_from(self.last).ok(), next)
    }
}

fn body_point<R: Real>(m: &Model, d: &Data<R>, body: usize, at: [R; 3]) -> BodyPoint<R> {
    BodyPoint {
        last: m.body_lastdof[body],
        offset: sub3(at, d.subtree_com[m.body_rootid[body] as usize]),
    }
}

// the point of a vertex; without dofs where nodes carry it
fn vertex_point<R: Real>(m: &Model, d: &Data<R>, v: usize) -> BodyPoint<R> {
    match usize::try_from(m.flex_vertbodyid[v]) {
        Ok(body) => body_point(m, d, body, d.flexvert_xpos[v]),
        Err(_) => BodyPoint {
            last: -1,
            offset: [R::zero(); 3],
        },
    }
}

// all dofs of a node count, also where the material's force is not passed on to ancestors
fn node_point<R: Real>(m: &Model, d: &Data<R>, n: usize) -> BodyPoint<R> {
    body_point(m, d, m.flex_nodebodyid[n] as usize, node_xpos(m, d, n))
}

// motion of a point by a dof
fn point_moved<R: Real>(d: &Data<R>, p: &BodyPoint<R>, i: usize) -> [R; 3] {
    let [rx, ry, rz, x, y, z] = d.cdof[i];
    add3([x, y, z], cross([rx, ry, rz], p.offset))
}

/// Weights of a stiffness: in the metric, and in the change of forces over a timestep.
#[derive(Clone, Copy)]
pub(super) struct Weight<R> {
    pub metric: R,
    pub shift: R,
}

/// Adds the material of all soft bodies to `efm_K_val` and `efm_c`.
pub fn stiffen_flexes<R: Real>(m: &Model, d: &mut Data<R>) {
    let (h, zero) = (d.own.timestep(m), R::zero());
    let spring = !m.opt.disabled(DSBL_SPRING);
    let damper = !m.opt.disabled(DSBL_DAMPER);
    if !spring && !damper {
        return;
    }
    for f in (0..m.nflex).filter(|&f| m.flex_rigid[f] == 0) {
        let damping = if damper {
            d.own.flex_damping(m, f)
        } else {
            zero
        };
        let shift = if spring { h } else { zero };
        if is_rod(m, f) {
            stiffen_rod(m, d, f, shift, damping);
            continue;
        }
        let weight = Weight {
            metric: h * (shift + damping),
            shift,
        };
        if m.flex_interp[f] != 0 {
            // the bending of shells between nodes acts as it is at the beginning
            if is_stiff(m, f) {
                stiffen_patches(m, d, f, weight);
            }
            continue;
        }
        let begins = usize::try_from(m.flex_stiffnessadr[f]);
        let stretches = begins.is_ok_and(|k| nonzero(d.own.flex_stiffness(m, k)).any());
        if stretches && m.flex_dim[f] > 1 {
            stiffen_elements(m, d, f, weight);
        }
        if m.flex_bendingadr[f] >= 0 {
            stiffen_hinges(m, d, f, weight);
        }
    }
}

// the force along one dof as another moves, an earlier one or the same
fn add_pair<R: Real>(m: &Model, d: &mut Data<R>, weight: Weight<R>, [i, j]: [usize; 2], x: R) {
    let Some(k) = coupling(m, i, j) else { return };
    d.efm_K_val[k] += weight.metric * x;
    let change = weight.shift * x;
    d.efm_c[i] -= change * d.qvel[j];
    if i != j {
        d.efm_c[j] -= change * d.qvel[i];
    }
}

// the force on one point as another moves: a matrix, given by its rows, spread over the dofs that move them
fn add_block<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    weight: Weight<R>,
    [p, q]: [&BodyPoint<R>; 2],
    block: [[R; 3]; 3],
) {
    for i in p.dofs(m) {
        let own = point_moved(d, p, i);
        let through: [R; 3] =
            std::array::from_fn(|c| (0..3).fold(R::zero(), |sum, r| sum + block[r][c] * own[r]));
        for j in q.dofs(m).filter(|&j| j <= i) {
            let x = dot3(through, point_moved(d, q, j));
            add_pair(m, d, weight, [i, j], x);
        }
    }
}

/// Adds a quadratic form in coordinates whose slopes over vertices are given.
pub(super) fn add_form<R: Real, const C: usize, const N: usize>(
    m: &Model,
    d: &mut Data<R>,
    weight: Weight<R>,
    vertices: [usize; N],
    slopes: &[[[R; 3]; N]; C],
    form: &[[R; C]; C],
) {
    for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))) {
        let [p, q] = [i, j].map(|k| vertex_point(m, d, vertices[k]));
        let mut block = [[R::zero(); 3]; 3];
        for (a, row) in form.iter().enumerate() {
            let mut along = [R::zero(); 3];
            for (b, &x) in row.iter().enumerate() {
                along = add_scl3(along, slopes[b][j], x);
            }
            for r in 0..3 {
                block[r] = add_scl3(block[r], along, slopes[a][i][r]);
            }
        }
        add_block(m, d, weight, [&p, &q], block);
    }
}

/// Adds the stiffness between two hinges of joints that turn against each other, and that of each by itself; one may be missing. What
/// holds a hinge is in M's place, like a spring of its joint.
pub(super) fn add_hinges<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    weight: Weight<R>,
    joints: [Option<usize>; 2],
    between: R,
    own: [R; 2],
) {
    let dofs = joints.map(|j| j.map(|j| m.jnt_dofadr[j] as usize));
    for (k, i) in dofs.into_iter().enumerate() {
        if let Some(i) = i {
            let stiffness = between + own[k];
            d.efm_M[on_diagonal(m, i)] += weight.metric * stiffness;
            d.efm_c[i] -= weight.shift * stiffness * d.qvel[i];
        }
    }
    if let [Some(i), Some(j)] = dofs {
        add_pair(m, d, weight, [i.max(j), i.min(j)], -between);
    }
}

// stretched elements: the material, and the tension of edges, which resists their turning unless it is negative
fn stiffen_elements<R: Real>(m: &Model, d: &mut Data<R>, f: usize, weight: Weight<R>) {
    let dim = m.flex_dim[f] as usize;
    let edges = EDGES[dim - 2];
    let stride = if dim == 2 { TRIANGLE } else { TETRAHEDRON };
    for t in 0..m.flex_elemnum[f] as usize {
        let corner = m.flex_elemdataadr[f] as usize + (dim + 1) * t;
        let vert: [usize; 4] = std::array::from_fn(|k| {
            (m.flex_vertadr[f] + m.flex_elem[corner + k.min(dim)]) as usize
        });
        let mut between = [[R::zero(); 3]; 6];
        let mut stretch = [R::zero(); 6];
        for (k, &[a, b]) in edges.iter().enumerate() {
            between[k] = sub3(d.flexvert_xpos[vert[a]], d.flexvert_xpos[vert[b]]);
            stretch[k] = edge_stretch(m, d, f, edges.len() * t + k, norm3(between[k]));
        }
        let adr = m.flex_stiffnessadr[f] as usize + stride * t;
        let mut material = [[R::zero(); 6]; 6];
        for a in 0..edges.len() {
            for b in 0..edges.len() {
                material[a][b] = element_stiffness(m, d, adr, edges.len(), [a, b]);
            }
        }
        let tension: [R; 6] = std::array::from_fn(|a| {
            let sum = (0..6).fold(R::zero(), |sum, b| sum + material[a][b] * stretch[b]);
            sum.max(R::zero())
        });
        for (i, j) in (0..=dim).flat_map(|i| (0..=dim).map(move |j| (i, j))) {
            let [p, q] = [i, j].map(|k| vertex_point(m, d, vert[k]));
            let block = element_block(edges, &between, &material, &tension, [i, j]);
            add_block(m, d, weight, [&p, &q], block);
        }
    }
}

// stiffness between two corners of an element
fn element_block<R: Real>(
    edges: &[[usize; 2]],
    between: &[[R; 3]; 6],
    material: &[[R; 6]; 6],
    tension: &[R; 6],
    [i, j]: [usize; 2],
) -> [[R; 3]; 3] {
    let (one, two) = (R::one(), R::splat(2.0));
    let side = |edge: [usize; 2], corner: usize| match corner {
        _ if edge[0] == corner => Some(one),
        _ if edge[1] == corner => Some(-one),
        _ => None,
    };
    let mut block = [[R::zero(); 3]; 3];
    for (a, &first) in edges.iter().enumerate() {
        let Some(from) = side(first, i) else { continue };
        for (b, &second) in edges.iter().enumerate() {
            let Some(to) = side(second, j) else { continue };
            let sign = from * to;
            let stiffness = two * material[a][b] * sign;
            for r in 0..3 {
                for c in 0..3 {
                    block[r][c] += stiffness * between[a][r] * between[b][c];
                }
                if a == b {
                    block[r][r] += tension[a] * sign;
                }
            }
        }
    }
    block
}

// hinges between triangles
fn stiffen_hinges<R: Real>(m: &Model, d: &mut Data<R>, f: usize, weight: Weight<R>) {
    for e in 0..m.flex_edgenum[f] as usize {
        let Some(v) = hinge(m, f, e) else { continue };
        let adr = m.flex_bendingadr[f] as usize + BENDING * e;
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let [p, q] = [i, j].map(|k| vertex_point(m, d, v[k]));
            let stiffness = d.own.flex_bending(m, adr + 4 * i + j);
            let mut block = [[R::zero(); 3]; 3];
            (0..3).for_each(|k| block[k][k] = stiffness);
            add_block(m, d, weight, [&p, &q], block);
        }
    }
}

// cells between nodes or faces of shells, which resist in a frame that turns with them
fn stiffen_patches<R: Real>(m: &Model, d: &mut Data<R>, f: usize, weight: Weight<R>) {
    for c in 0..patch_num(m, f) {
        // an empty cell has no stiffness; a face has some along its axes
        let patch = patch(m, d, f, c, |n| node_xpos(m, d, n));
        let adr = patch.adr;
        if m.flex_interp[f] > 0 && !nonzero(d.own.flex_stiffness(m, adr)).any() {
            continue;
        }
        let (num, size) = (patch.num, 3 * patch.num);
        let points = patch.node.map(|n| node_point(m, d, n));
        for (i, j) in (0..num).flat_map(|i| (0..num).map(move |j| (i, j))) {
            // the model holds the matrix of the forces, which oppose the stiffness
            let at = |r: usize, c: usize| adr + (3 * i + r) * size + 3 * j + c;
            let within: [[R; 3]; 3] = std::array::from_fn(|r| {
                let row = std::array::from_fn(|c| -d.own.flex_stiffness(m, at(r, c)));
                mul_mat_vec3(patch.mat, row)
            });
            let column = |c: usize| mul_mat_vec3(patch.mat, within.map(|row| row[c]));
            let columns = [0, 1, 2].map(column);
            let block = [0, 1, 2].map(|r| columns.map(|column| column[r]));
            add_block(m, d, weight, [&points[i], &points[j]], block);
        }
    }
}
