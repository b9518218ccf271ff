//! Elastic forces on the vertices of a flex.

use crate::cpu::lib::math::*;
use crate::cpu::lib::yielding::{plastic_bend, plastic_stretch};
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;

/// Vertex numbers of the edges of a triangle and of a tetrahedron.
pub(crate) const EDGES: [&[[usize; 2]]; 2] = [
    &[[1, 2], [2, 0], [0, 1]],
    &[[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]],
];

/// Number of stretch coefficients of a triangle: the upper triangle of the matrix of its edges, and padding.
pub const TRIANGLE: usize = 21;
/// Place of the thickness among the coefficients of the first triangle, if hinges yield.
pub const THICKNESS: usize = 6;
/// Number of stretch coefficients of a tetrahedron.
pub const TETRAHEDRON: usize = 24;
/// Number of bending coefficients of an edge: the matrix of the four vertices of a hinge, and one coefficient of its curvature at rest.
pub const BENDING: usize = 17;

/// Sets the velocities of the vertices, and their forces to zero.
#[inline(always)]
pub fn vertex_motion<R: Real>(m: &Model, d: &mut Data<R>) {
    for v in 0..m.nflexvert {
        let Ok(body) = usize::try_from(m.flex_vertbodyid[v]) else {
            continue;
        };
        let offset = sub3(
            d.flexvert_xpos[v],
            d.subtree_com[m.body_rootid[body] as usize],
        );
        let [rx, ry, rz, x, y, z] = d.cvel[body];
        d.flexvert_vel[v] = add3([x, y, z], cross([rx, ry, rz], offset));
        d.flexvert_spring[v] = [R::zero(); 3];
        d.flexvert_damper[v] = [R::zero(); 3];
    }
}

/// Adds the stretch forces of elements. The energy of an element is `s' K s / 4`, with `s` the squared lengths of its edges less
/// those at rest. Damping is Rayleigh's over a timestep.
#[inline(always)]
pub fn stretch_forces<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let dim = m.flex_dim[f] as usize;
    let edges = EDGES[dim - 2];
    let stride = if dim == 2 { TRIANGLE } else { TETRAHEDRON };
    let vertadr = m.flex_vertadr[f];
    let rayleigh = d.own.flex_damping(m, f);
    let timestep = d.own.timestep(m);
    for t in 0..m.flex_elemnum[f] as usize {
        let corner = m.flex_elemdataadr[f] as usize + (dim + 1) * t;
        let vert = |k: usize| (vertadr + m.flex_elem[corner + k]) as usize;
        let mut between = [[R::zero(); 3]; 6];
        let mut stretch = [R::zero(); 6];
        let mut rate = [R::zero(); 6];
        for (k, &[a, b]) in edges.iter().enumerate() {
            let (a, b) = (vert(a), vert(b));
            between[k] = sub3(d.flexvert_xpos[a], d.flexvert_xpos[b]);
            let (dir, length) = normalize3(between[k]);
            let speed = dot3(dir, sub3(d.flexvert_vel[a], d.flexvert_vel[b]));
            stretch[k] = edge_stretch(m, d, f, edges.len() * t + k, length);
            rate[k] = R::splat(2.0) * length * speed - speed * speed * timestep;
        }

        // every edge pulls at its two vertices
        let adr = m.flex_stiffnessadr[f] as usize + stride * t;
        for (i, &[a, b]) in edges.iter().enumerate() {
            let (mut spring, mut damper) = (R::zero(), R::zero());
            for k in 0..edges.len() {
                let stiffness = element_stiffness(m, d, adr, edges.len(), [i, k]);
                spring += stiffness * stretch[k];
                damper += stiffness * rate[k];
            }
            let spring = scl3(between[i], spring);
            let damper = scl3(between[i], damper * rayleigh);
            let (a, b) = (vert(a), vert(b));
            push_vertex(d, a, scl3(spring, -R::one()), scl3(damper, -R::one()));
            push_vertex(d, b, spring, damper);
        }
    }
}

/// Square of the length of an element's edge less that at rest and what has yielded; the edges of all elements are numbered one after
/// another.
#[inline(always)]
pub fn edge_stretch<R: Real>(m: &Model, d: &Data<R>, f: usize, edge: usize, length: R) -> R {
    let of = m.flex_edgeadr[f] + m.flex_elemedge[m.flex_elemedgeadr[f] as usize + edge];
    let rest = d.own.flexedge_length0(m, of as usize);
    let stretch = (length - rest) * (length + rest);
    match plastic_stretch(m, f) {
        Some(adr) => stretch - d.plastic[adr + edge],
        None => stretch,
    }
}

/// The material between two edges of an element: the upper triangle of a matrix, row by row.
#[inline(always)]
pub fn element_stiffness<R: Real>(
    m: &Model,
    d: &Data<R>,
    adr: usize,
    nedge: usize,
    [a, b]: [usize; 2],
) -> R {
    let row = a.min(b);
    let place = row * nedge - row * (row + 1) / 2 + a.max(b);
    d.own.flex_stiffness(m, adr + place)
}

/// Vertices of the hinge at an edge: the ends of the edge, then the corners across it. None at an edge of one triangle alone.
#[inline(always)]
pub fn hinge(m: &Arrays, f: usize, e: usize) -> Option<[usize; 4]> {
    let adr = 2 * (m.flex_edgeadr[f] as usize + e);
    let (edge, flap) = (&m.flex_edge[adr..adr + 2], &m.flex_edgeflap[adr..adr + 2]);
    let vertices = [edge[0], edge[1], flap[0], flap[1]];
    (flap[1] >= 0).then(|| vertices.map(|v| (m.flex_vertadr[f] + v) as usize))
}

/// Adds the bending forces of hinges between triangles.
#[inline(always)]
pub fn bend_forces<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let rayleigh = d.own.flex_damping(m, f);
    let plastic = plastic_bend(m, f);
    for e in 0..m.flex_edgenum[f] as usize {
        let Some(v) = hinge(m, f, e) else { continue };
        let adr = m.flex_bendingadr[f] as usize + BENDING * e;

        // force due to a curvature at rest
        let from = |k: usize| sub3(d.flexvert_xpos[v[k]], d.flexvert_xpos[v[0]]);
        let (x1, x2, x3) = (from(1), from(2), from(3));
        let mut cubic = [[R::zero(); 3], cross(x2, x3), cross(x3, x1), cross(x1, x2)];
        cubic[0] = scl3(add3(add3(cubic[1], cubic[2]), cubic[3]), -R::one());
        let mut curved = d.own.flex_bending(m, adr + BENDING - 1);
        if let Some(adr) = plastic {
            curved += d.plastic[adr + e];
        }
        for i in 0..4 {
            // the matrix is invariant to the position of the hinge
            let mut spring = scl3(cubic[i], curved);
            let mut damper = [R::zero(); 3];
            for (k, x) in [[R::zero(); 3], x1, x2, x3].into_iter().enumerate() {
                let stiffness = d.own.flex_bending(m, adr + 4 * i + k);
                spring = add3(spring, scl3(x, stiffness));
                damper = add3(damper, scl3(d.flexvert_vel[v[k]], stiffness));
            }
            push_vertex(d, v[i], scl3(spring, -R::one()), scl3(damper, -rayleigh));
        }
    }
}

#[inline(always)]
fn push_vertex<R: Real>(d: &mut Data<R>, v: usize, spring: [R; 3], damper: [R; 3]) {
    d.flexvert_spring[v] = add3(d.flexvert_spring[v], spring);
    d.flexvert_damper[v] = add3(d.flexvert_damper[v], damper);
}
