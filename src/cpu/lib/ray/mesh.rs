//! Intersection of a ray with a mesh.

use super::{Hit, MISS, Ray, ray_basis, ray_triangle, sooner};
use crate::cpu::collision::mesh_sdf::corners;
use crate::fields::Model;
use crate::types::*;

/// Room for the boxes of a mesh that wait while a ray looks for its nearest face: more than any tree has levels.
pub const MESH_BOXES: usize = 64;

/// The nearest face of a mesh. Faces lie in the tree of boxes of the mesh; boxes that the ray misses, or enters behind the nearest face so
/// far, are left out. Of two halves the one that the ray enters first is searched first.
pub fn ray_mesh(m: &Model, mesh: usize, ray: Ray) -> Hit {
    let first = m.mesh_bvhadr[mesh].max(0) as usize;
    let basis = ray_basis(ray.vec);
    let inverse = inverses(ray.vec);
    let mut hit = MISS;
    let mut boxes = [0; MESH_BOXES];
    let mut num = m.mesh_bvhnum[mesh].min(1) as usize;
    while num > 0 {
        num -= 1;
        let own = first + boxes[num] as usize;
        let &[x, y, z, a, b, c] = &m.bvh_aabb.as_chunks().0[own];
        let (center, half) = ([x, y, z], [a, b, c]);
        if !enters(center, half, ray.pnt, inverse, hit.dist) {
            continue;
        }
        match usize::try_from(m.bvh_nodeid[own]) {
            Ok(face) => hit = sooner(hit, ray_triangle(corners(m, mesh, face), ray, basis)),
            Err(_) => {
                let child = [m.bvh_child[2 * own], m.bvh_child[2 * own + 1]];
                let ahead = usize::from(ray.vec[longest(half)] >= 0.0);
                boxes[num] = child[ahead];
                boxes[num + 1] = child[1 - ahead];
                num += 2;
            }
        }
    }
    hit
}

// the longest axis of a box, along which its triangles are halved
fn longest(half: [f64; 3]) -> usize {
    match half[0] >= half[1] && half[0] >= half[2] {
        true => 0,
        false => 1 + usize::from(half[1] < half[2]),
    }
}

// one over each coordinate of a direction; zero: the direction is across
fn inverses(vec: [f64; 3]) -> [f64; 3] {
    vec.map(|x| if x.abs() <= MINVAL { 0.0 } else { 1.0 / x })
}

// whether a ray enters a box, not behind `dist` if that is not negative; the box is larger by the rounding of the places in it
fn enters(center: [f64; 3], half: [f64; 3], pnt: [f64; 3], inverse: [f64; 3], dist: f64) -> bool {
    let (mut low, mut high) = (0.0f64, if dist < 0.0 { 3e38 } else { dist });
    for k in 0..3 {
        let to = center[k] - pnt[k];
        let size = half[k] + 1e-12 * (half[k] + center[k].abs() + pnt[k].abs());
        if inverse[k] == 0.0 {
            low = if to.abs() > size { 3e38 } else { low };
            continue;
        }
        let middle = to * inverse[k];
        let reach = size * inverse[k].abs();
        low = low.max(middle - reach);
        high = high.min(middle + reach);
    }
    low <= high
}
