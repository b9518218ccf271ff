//! Flexes that yield: what of a strain is plastic after a step, and where it is kept.

use crate::cpu::lib::cage::{node_xpos, patch, patch_num};
use crate::cpu::lib::elastic::{BENDING, EDGES, THICKNESS, hinge};
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::DSBL_SPRING;

/// Largest angle to which a hinge bends for good, in the measure of its coefficient (rad).
const MOST: f64 = 1.3;

/// Largest plastic strain of a cell or a face.
const LARGEST: f64 = 0.35;

/// Largest part of an edge's squared length at rest that it loses for good.
const SHORTEST: f64 = 0.99;

/// Part of the squared change of area that does not count in a face that is stretched: it gets thinner by a quarter of that change.
const THINNING: f64 = 1.0 / 8.0;

/// Maximum iterations of the search for the plastic change of volume.
const TURNS: usize = 60;

/// Address of the plastic strains of stretching, if a flex has any.
#[inline(always)]
pub fn plastic_stretch(m: &Arrays, f: usize) -> Option<usize> {
    let stretches = m.flex_plasticmode[f] & 2 != 0;
    stretches.then(|| m.flex_plasticadr[f] as usize)
}

/// Address of the plastic coefficients of hinges, if a flex has any: they follow those of stretching.
#[inline(always)]
pub fn plastic_bend(m: &Arrays, f: usize) -> Option<usize> {
    if m.flex_plasticmode[f] & 1 == 0 {
        return None;
    }
    let before = plastic_stretch(m, f).map_or(0, |_| 3 * m.flex_elemnum[f] as usize);
    Some(m.flex_plasticadr[f] as usize + before)
}

/// True if a flex of a model yields.
pub(crate) fn model_yields(m: &Model) -> bool {
    m.flex_plasticmode.iter().any(|mode| *mode != 0)
}

/// Moves the plastic strains of flexes whose elastic strains a step brought beyond their yield limits.
pub fn yield_flexes<R: Real>(m: &Model, d: &mut Data<R>) {
    if m.opt.disabled(DSBL_SPRING) {
        return;
    }
    for f in (0..m.nflex).filter(|&f| m.flex_plasticmode[f] != 0) {
        match (plastic_stretch(m, f), m.flex_interp[f], m.flex_dim[f]) {
            (Some(adr), 0, 2) => yield_triangles(m, d, f, adr),
            (Some(adr), 0, _) => yield_tetrahedra(m, d, f, adr),
            (Some(adr), ..) => yield_patches(m, d, f, adr),
            _ => {}
        }
        if let Some(adr) = plastic_bend(m, f) {
            yield_hinges(m, d, f, adr);
        }
    }
}

// where a point of a body is after a step, by its velocity
fn next<R: Real>(m: &Model, d: &Data<R>, body: usize, point: [R; 3]) -> [R; 3] {
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let body = m.body_weldid[body] as usize;
    let mut i = m.body_dofadr[body] + m.body_dofnum[body] - 1;
    let mut vel = [R::zero(); 3];
    while body != 0 && i >= 0 {
        let [rx, ry, rz, x, y, z] = d.cdof[i as usize];
        let at = add3([x, y, z], cross([rx, ry, rz], offset));
        vel = add_scl3(vel, at, d.qvel[i as usize]);
        i = m.dof_parentid[i as usize];
    }
    add_scl3(point, vel, d.own.timestep(m))
}

fn next_vertex<R: Real>(m: &Model, d: &Data<R>, v: usize) -> [R; 3] {
    next(m, d, m.flex_vertbodyid[v] as usize, d.flexvert_xpos[v])
}

fn next_node<R: Real>(m: &Model, d: &Data<R>, n: usize) -> [R; 3] {
    next(m, d, m.flex_nodebodyid[n] as usize, node_xpos(m, d, n))
}

/// Edges of an element: elastic part of their squared lengths less those at rest, and the latter.
struct Stretch<R> {
    elastic: [R; 6],
    square: [R; 6],
}

fn stretch<R: Real>(m: &Model, d: &Data<R>, f: usize, t: usize, plastic: &[R]) -> Stretch<R> {
    let dim = m.flex_dim[f] as usize;
    let edges = EDGES[dim - 2];
    let corner = m.flex_elemdataadr[f] as usize + (dim + 1) * t;
    let mut xpos = [[R::zero(); 3]; 4];
    for (k, x) in xpos[..=dim].iter_mut().enumerate() {
        *x = next_vertex(m, d, (m.flex_vertadr[f] + m.flex_elem[corner + k]) as usize);
    }
    let mut out = Stretch {
        elastic: [R::zero(); 6],
        square: [R::zero(); 6],
    };
    for (k, &[a, b]) in edges.iter().enumerate() {
        let edge = m.flex_elemedgeadr[f] as usize + edges.len() * t + k;
        let rest = (m.flex_edgeadr[f] + m.flex_elemedge[edge]) as usize;
        let rest = d.own.flexedge_length0(m, rest);
        let between = sub3(xpos[a], xpos[b]);
        out.square[k] = rest * rest;
        out.elastic[k] = dot3(between, between) - out.square[k] - plastic[k];
    }
    out
}

// the factor that brings a strain to its limit, whose squared deviator is given; 1: it is below
fn kept_strain<R: Real>(square: R, limit: R) -> R {
    let strain = (square.max(R::zero()) * R::splat(2.0 / 3.0)).sqrt();
    let over = limit.lt(strain);
    R::select(over, limit / R::select(over, strain, R::one()), R::one())
}

// von Mises in a plane: what is stretched gets thinner, what is compressed keeps its area
fn yield_triangles<R: Real>(m: &Model, d: &mut Data<R>, f: usize, adr: usize) {
    let limit = d.own.flex_yield(m, 2 * f);
    for t in 0..m.flex_elemnum[f] as usize {
        let at = adr + 3 * t;
        let Stretch { elastic, square } = stretch(m, d, f, t, &d.plastic[at..at + 3]);
        let mat = mixed2(
            [elastic[2], elastic[1], elastic[0]],
            [square[2], square[1], square[0]],
        );
        let [a, b, c, e] = mat.map(|x| x * R::splat(0.5));
        let trace = a + e;
        let norm = a * a + R::splat(2.0) * b * c + e * e;
        let grows = R::zero().le(trace);
        let along = R::select(grows, trace * trace, -trace * trace * R::splat(0.5));
        let moved = R::one() - kept_strain(norm + along, limit);
        for k in 0..3 {
            let area = R::select(grows, R::zero(), trace * square[k]);
            let new = d.plastic[at + k] + moved * (elastic[k] - area);
            d.plastic[at + k] = new.max(-R::splat(SHORTEST) * square[k]);
        }
    }
}

// scalar products of the edges from the first vertex, by the squares of two edges there and of the third
fn products<R: Real>([a, b, c]: [R; 3]) -> [R; 3] {
    [a, (a + b - c) * R::splat(0.5), b]
}

// inverse of the products at rest times the change of the products
fn mixed2<R: Real>(change: [R; 3], square: [R; 3]) -> [R; 4] {
    let [da, dc, db] = products(change);
    let [a, c, b] = products(square);
    let scale = R::one() / (a * b - c * c);
    [
        (b * da - c * dc) * scale,
        (b * dc - c * db) * scale,
        (a * dc - c * da) * scale,
        (a * db - c * dc) * scale,
    ]
}

// products of the three edges from the first vertex of a tetrahedron, by the squares of its edges
fn products3<R: Real>(s: [R; 6]) -> [[R; 3]; 3] {
    let half = |x: R| x * R::splat(0.5);
    let ab = half(s[0] + s[2] - s[1]);
    let ac = half(s[0] + s[4] - s[5]);
    let bc = half(s[2] + s[4] - s[3]);
    [[s[0], ab, ac], [ab, s[2], bc], [ac, bc, s[4]]]
}

// inverse of the products at rest times the change of the products
fn mixed3<R: Real>(change: [R; 6], square: [R; 6]) -> [[R; 3]; 3] {
    let rest = products3(square);
    let across = [
        cross(rest[1], rest[2]),
        cross(rest[2], rest[0]),
        cross(rest[0], rest[1]),
    ];
    let scale = R::one() / dot3(rest[0], across[0]);
    let change = products3(change);
    across.map(|row| [0, 1, 2].map(|k| dot3(row, change[k]) * scale))
}

fn trace_square<R: Real>(a: [[R; 3]; 3]) -> R {
    let column = |k: usize| [a[0][k], a[1][k], a[2][k]];
    dot3(a[0], column(0)) + dot3(a[1], column(1)) + dot3(a[2], column(2))
}

// von Mises; the plastic part of the deformation keeps the volume
fn yield_tetrahedra<R: Real>(m: &Model, d: &mut Data<R>, f: usize, adr: usize) {
    let limit = d.own.flex_yield(m, 2 * f);
    let third = R::splat(1.0 / 3.0);
    for t in 0..m.flex_elemnum[f] as usize {
        let at = adr + 6 * t;
        let Stretch { elastic, square } = stretch(m, d, f, t, &d.plastic[at..at + 6]);
        let mat = mixed3(elastic, square);
        let trace = mat[0][0] + mat[1][1] + mat[2][2];
        let deviator = (trace_square(mat) - trace * trace * third) * R::splat(0.25);
        let moved = R::one() - kept_strain(deviator, limit);
        let over = R::zero().lt(moved);
        if !over.any() {
            continue;
        }
        let old: [R; 6] = std::array::from_fn(|k| d.plastic[at + k]);
        let mat = mixed3(old, square);
        let before = (mat[0][0] + mat[1][1] + mat[2][2]) * third;
        let more = trace * third;
        let shape: [R; 6] = std::array::from_fn(|k| {
            old[k] - before * square[k] + moved * (elastic[k] - more * square[k])
        });
        let growth = isochoric(mixed3(shape, square));
        for k in 0..6 {
            let new = shape[k] + growth * square[k];
            let new = new.max(-R::splat(SHORTEST) * square[k]);
            d.plastic[at + k] = R::select(over, new, old[k]);
        }
    }
}

// the number x - 1 for which det(x 1 + a) is 1, of a matrix without trace: the largest root
fn isochoric<R: Real>(a: [[R; 3]; 3]) -> R {
    let second = -R::splat(0.5) * trace_square(a);
    let third = dot3(a[0], cross(a[1], a[2])) - R::one();
    let mut x = (-second).max(R::zero()).sqrt() + (-third).max(R::one());
    for _ in 0..TURNS {
        let value = (x * x + second) * x + third;
        let slope = R::splat(3.0) * x * x + second;
        let step = value / slope;
        x -= step;
        if !R::splat(4.0 * R::ROUNDING).lt(step.abs()).any() {
            break;
        }
    }
    x - R::one()
}

// von Mises of the small strain of a cell, or of a face of a shell
fn yield_patches<R: Real>(m: &Model, d: &mut Data<R>, f: usize, adr: usize) {
    let limit = d.own.flex_yield(m, 2 * f);
    for c in 0..patch_num(m, f) {
        let patch = patch(m, d, f, c, |n| next_node(m, d, n));
        let words = patch.words();
        let at = adr + words * c;
        let mut strain = patch.strain();
        for (x, plastic) in strain.iter_mut().zip(&d.plastic[at..at + words]) {
            *x -= *plastic;
        }
        let square = match words {
            6 => deviator(&mut strain),
            _ => plane_deviator(&mut strain),
        };
        let moved = R::one() - kept_strain(square, limit);
        if !R::zero().lt(moved).any() {
            continue;
        }
        for (x, plastic) in strain[..words].iter_mut().zip(&d.plastic[at..]) {
            *x = *plastic + moved * *x;
        }

        // a larger plastic strain is scaled down
        let norm = squared(&strain[..words]).sqrt();
        let most = R::splat(LARGEST);
        let over = R::zero().lt(moved) & most.lt(norm);
        let scale = R::select(over, most / R::select(over, norm, R::one()), R::one());
        for (plastic, x) in d.plastic[at..].iter_mut().zip(&strain[..words]) {
            *plastic = *x * scale;
        }
    }
}

// square of a strain whose shears are given twice: six numbers of a cell, three of a face
fn squared<R: Real>(strain: &[R]) -> R {
    let along = strain.len() / 2 + strain.len() % 2;
    let square = |part: &[R]| part.iter().fold(R::zero(), |sum, x| sum + *x * *x);
    square(&strain[..along]) + R::splat(0.5) * square(&strain[along..])
}

// takes the change of volume from a strain; the square of what is left
fn deviator<R: Real>(strain: &mut [R; 6]) -> R {
    let mean = (strain[0] + strain[1] + strain[2]) * R::splat(1.0 / 3.0);
    for x in &mut strain[..3] {
        *x -= mean;
    }
    let [x, y, z, xy, xz, yz] = strain.map(|x| x * x);
    x + y + z + R::splat(0.5) * (xy + xz + yz)
}

// the same in a plane: what is stretched gets thinner and keeps its change of area
fn plane_deviator<R: Real>(strain: &mut [R; 6]) -> R {
    let half = R::splat(0.5);
    let trace = strain[0] + strain[1];
    let [x, y, xy, ..] = strain.map(|x| x * x);
    let plane = x + y + half * xy;
    let grows = R::zero().le(trace);
    let share = R::select(grows, R::splat(THINNING), half);
    let area = R::select(grows, R::zero(), trace * half);
    strain[0] -= area;
    strain[1] -= area;
    plane - trace * trace * share
}

// hinges keep what bends their outer fibres too far, as a coefficient of the bend at rest
fn yield_hinges<R: Real>(m: &Model, d: &mut Data<R>, f: usize, adr: usize) {
    let thickness = d
        .own
        .flex_stiffness(m, m.flex_stiffnessadr[f] as usize + THICKNESS);
    let limit = d.own.flex_yield(m, 2 * f + 1) * R::splat(2.0) / thickness;
    for e in 0..m.flex_edgenum[f] as usize {
        let Some(v) = hinge(m, f, e) else { continue };
        let x = v.map(|v| next_vertex(m, d, v));
        let from = |k: usize| sub3(x[k], x[0]);
        let (dir, length) = normalize3(from(1));
        let (first, last) = (cross(from(1), from(2)), cross(from(3), from(1)));
        let areas = (norm3(first) + norm3(last)) * R::splat(0.5);
        let sine = dot3(cross(first, last), dir);

        // the angle that the coefficient of a hinge at rest would hold
        let rest = d.own.flexedge_length0(m, m.flex_edgeadr[f] as usize + e);
        let bending = m.flex_bendingadr[f] as usize + BENDING * e;
        let scale = d.own.flex_bending(m, bending + 11) / rest;
        let angle = (sine * rest).atan2(dot3(first, last) * length);
        let given = d.own.flex_bending(m, bending + BENDING - 1);
        let held = (given + d.plastic[adr + e]).atan2(scale);
        let most = limit * areas / rest;
        let bent = angle - held;
        let over = most.lt(bent.abs());
        let edge = R::select(bent.lt(R::zero()), -most, most);
        let (sine, cosine) = clip(angle - edge, R::splat(-MOST), R::splat(MOST)).sin_cos();
        let new = scale * sine / cosine - given;
        d.plastic[adr + e] = R::select(over, new, d.plastic[adr + e]);
    }
}
