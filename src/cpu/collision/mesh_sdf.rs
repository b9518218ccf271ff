//! Contacts of a mesh with a signed distance field (`mjc_MeshSDF`).
//!
//! Triangles that may reach into the solid are found in the tree of boxes of the mesh. On each, from points spread over it, a descent
//! among its corners (that of Frank and Wolfe) looks for the deepest point; a point within the solid is a contact.

use super::sdf::{Field, Map, halton};
use crate::cpu::lib::contact::{Contacts, Shape};
use crate::cpu::lib::math::*;
use crate::fields::{Model, OwnLane};
use crate::real::Real;
use crate::types::*;

/// Contacts of two geoms in their places: a mesh, and a signed distance field.
pub fn mesh_sdf<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    out: &mut Contacts,
) {
    let [first, second] = [0, 1].map(|k| {
        let aabb = own.geom_aabb(m, geoms[k]);
        Field::new(m, geoms[k], shapes[k], aabb)
    });
    let frame = second.frame();
    let map = Map::between(first.pose(), frame);
    let mesh = m.geom_dataid[geoms[0]] as usize;
    let mut search = Search::new(m, &second);
    let near = |aabb: &[f64]| is_near(&second, &map, aabb);
    for_near(m, mesh, near, |face| {
        search.look(corners(m, mesh, face).map(|v| map.point(v)));
    });
    search.give(frame, out);
}

/// The deepest contact of a signed distance field and a triangle in the world; what is found around the triangle does not count.
pub fn triangle_sdf(m: &Model, solid: &Field, corners: [[f64; 3]; 3], out: &mut Contacts) {
    let frame = solid.frame();
    let map = Map::between(([0.0; 3], [1.0, 0.0, 0.0, 0.0]), frame);
    let mut search = Search::new(m, solid);
    search.look(corners.map(|v| map.point(v)));
    let mut deepest = 0;
    for (i, (_, dist)) in search.found.iter().enumerate() {
        if *dist < search.found[deepest].1 {
            deepest = i;
        }
    }
    search.found = search.found.get(deepest).copied().into_iter().collect();
    search.give(frame, out);
    for point in &mut out.point[..out.num] {
        point.normal = scl3(point.normal, -1.0);
    }
}

/// Corners of a triangle of a mesh, in the mesh's frame.
pub fn corners(m: &Model, mesh: usize, face: usize) -> [[f64; 3]; 3] {
    let (vertadr, faceadr) = (m.mesh_vertadr[mesh] as usize, m.mesh_faceadr[mesh] as usize);
    let first = 3 * (faceadr + face);
    [0, 1, 2].map(|k| m.mesh_vert[vertadr + m.mesh_face[first + k] as usize])
}

// the triangles of a mesh whose boxes, and all boxes around those, are near: the second half of each box first
fn for_near(m: &Model, mesh: usize, near: impl Fn(&[f64]) -> bool, mut look: impl FnMut(usize)) {
    let (first, num) = (m.mesh_bvhadr[mesh].max(0) as usize, m.mesh_bvhnum[mesh]);
    let mut boxes = Vec::new();
    if num > 0 {
        boxes.push(0);
    }
    while let Some(own) = boxes.pop() {
        let k = first + own as usize;
        if !near(&m.bvh_aabb[6 * k..6 * k + 6]) {
            continue;
        }
        match usize::try_from(m.bvh_nodeid[k]) {
            Ok(face) => look(face),
            Err(_) => boxes.extend(m.bvh_child[2 * k..2 * k + 2].iter().filter(|c| **c >= 0)),
        }
    }
}

// whether the ball around a box reaches into a solid
fn is_near(solid: &Field, map: &Map, aabb: &[f64]) -> bool {
    let [centre, half] = [0, 3].map(|k| [aabb[k], aabb[k + 1], aabb[k + 2]]);
    solid.form.distance(map.point(centre)) < norm3(half)
}

/// What is found of triangles in a solid.
pub struct Search<'a> {
    solid: &'a Field<'a>,
    starts: i32,
    iterations: i32,
    /// Where a triangle is deepest, and the distance there.
    found: Vec<([f64; 3], f64)>,
}

impl<'a> Search<'a> {
    /// Nothing yet.
    pub fn new(m: &Model, solid: &'a Field<'a>) -> Self {
        Self {
            solid,
            starts: m.opt.sdf_initpoints,
            iterations: m.opt.sdf_iterations,
            found: Vec::new(),
        }
    }

    /// Looks where a triangle is deepest, from each of some points that are spread over it.
    pub fn look(&mut self, corners: [[f64; 3]; 3]) {
        let [c0, c1, c2] = corners;
        for start in 1..=self.starts {
            if self.found.len() == MAXCONPAIR {
                return;
            }
            let [mut u, mut v] = [halton(start, 2), halton(start, 3)];
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let w = 1.0 - u - v;
            let x = [0, 1, 2].map(|k| w * c0[k] + u * c1[k] + v * c2[k]);
            let x = self.descend(x, corners);
            let dist = self.solid.form.distance(x);
            if dist < 0.0 {
                self.found.push((x, dist));
            }
        }
    }

    // towards the corner that the slope leads to, less far each time
    fn descend(&self, mut x: [f64; 3], corners: [[f64; 3]; 3]) -> [f64; 3] {
        for step in 0..self.iterations {
            let slope = self.solid.form.gradient(x);
            let (mut least, mut to) = (MAXVAL, [0.0; 3]);
            for corner in corners {
                let down = dot3(corner, slope);
                if down < least {
                    (least, to) = (down, corner);
                }
            }
            x = add_scl3(x, sub3(to, x), 2.0 / (f64::from(step) + 2.0));
        }
        x
    }

    /// What was found as contacts, each place once; the frame is that of the solid's distance.
    pub fn give(&self, (pos, quat): ([f64; 3], [f64; 4]), out: &mut Contacts) {
        let mut known: Vec<[f64; 3]> = Vec::new();
        for &(x, dist) in &self.found {
            if known.iter().any(|p| norm3(sub3(x, *p)) < MINVAL) {
                continue;
            }
            let (slope, steep) = normalize3(self.solid.form.gradient(x));
            if steep < MINVAL {
                continue;
            }
            known.push(x);
            let normal = rot_vec_quat(scl3(slope, -1.0), quat);
            let at = add3(rot_vec_quat(x, quat), pos);
            out.add(dist, add_scl3(at, normal, dist / 2.0), normal);
        }
    }
}
