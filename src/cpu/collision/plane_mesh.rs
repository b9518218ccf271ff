//! A plane and a mesh (`mjc_PlaneConvex`).

use super::clip::widest;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;

/// The lowest vertex and other corners of the face most opposed to the plane: at most four corners that span a large area,
/// without those above the center.
pub fn plane_mesh(
    m: &Model,
    geom: usize,
    plane: &Shape,
    mesh: Shape,
    margin: f64,
    out: &mut Contacts,
) {
    let normal = plane.axis();
    let down = scl3(normal, -1.0);
    let mut solid = Solid::new(m, geom, mesh, 0.0);
    let lowest = solid.support(down);
    let height = |point: [f64; 3]| dot3(sub3(point, plane.pos), normal);
    if height(lowest) > margin {
        return;
    }
    let mut touch = |point: [f64; 3]| {
        let dist = height(point);
        out.add(dist, add_scl3(point, normal, -0.5 * dist), normal);
    };
    touch(lowest);

    // the polygon around that vertex that is most opposed to the plane
    let down = mul_mat_t_vec3(mesh.mat, down);
    let slope = |&polygon: &i32| dot3(down, solid.polygon_normal(polygon));
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for polygon in solid.around(solid.vertex) {
        if slope(polygon) > most {
            most = slope(polygon);
            best = Some(*polygon);
        }
    }
    let Some(polygon) = best else { return };

    // its corners, starting at that vertex
    let corners = solid.polygon(polygon);
    let first = corners.iter().position(|&v| v == solid.vertex);
    let (before, after) = corners.split_at(first.unwrap_or(0));
    let corners = after.iter().chain(before);
    let local: Vec<_> = corners.map(|&v| solid.mesh_vertex(v)).collect();
    let kept = match local.len() > 4 {
        true => widest(&local, 1).to_vec(),
        false => (0..local.len()).collect(),
    };
    let highest = f64::min(margin, height(mesh.pos));
    for k in kept.into_iter().filter(|&k| k > 0) {
        let point = add3(mul_mat_vec3(mesh.mat, local[k]), mesh.pos);
        if height(point) <= highest {
            touch(point);
        }
    }
}
