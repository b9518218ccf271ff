//! How often triangles wind around a point.

use super::fill::Point;
use super::octree;
use glam::DVec3;

/// The number of times that triangles wind around a point: 1 inside of a closed surface, 0 outside, a share of it near an open one.
pub(crate) fn winding(triangles: &[[Point; 3]], x: Point) -> f64 {
    let angles = triangles.iter().map(|of| solid_angle(of, x));
    angles.sum::<f64>() / (4.0 * std::f64::consts::PI)
}

// of a triangle seen from a point, negative if its corners turn right there
fn solid_angle(triangle: &[Point; 3], x: Point) -> f64 {
    let [a, b, c] = triangle.map(|p| DVec3::from(p) - DVec3::from(x));
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let along = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * f64::atan2(a.dot(b.cross(c)), along)
}

/// The squared distance of a point from a triangle.
pub(crate) fn distance2(triangle: &[Point; 3], x: Point) -> f64 {
    let corner = triangle.map(DVec3::from);
    let x = DVec3::from(x);
    let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    let side = |k: usize| (corner[k], corner[(k + 1) % 3]);
    let inner = |k: usize| {
        let (from, to) = side(k);
        (to - from).cross(x - from).dot(normal) >= 0.0
    };
    let square = normal.length_squared();
    if square > 0.0 && (0..3).all(inner) {
        return (x - corner[0]).dot(normal).powi(2) / square;
    }
    let from_side = |k: usize| {
        let (from, to) = side(k);
        let along = to - from;
        let share = (x - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        (from + along * share.clamp(0.0, 1.0)).distance_squared(x)
    };
    (0..3).map(from_side).fold(f64::INFINITY, f64::min)
}

/// Whether the straight line or the triangle between some corners meets a box.
pub(crate) fn meets(corner: &[Point], low: Point, high: Point) -> bool {
    let (low, high) = (DVec3::from(low), DVec3::from(high));
    let (center, half) = ((low + high) / 2.0, (high - low) / 2.0);
    octree::meets(corner.len(), |k| DVec3::from(corner[k]) - center, half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];

    fn closed() -> Vec<[Point; 3]> {
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        faces.map(|of| of.map(|k| CORNERS[k])).to_vec()
    }

    #[test]
    fn a_closed_surface_winds_once_around_what_it_encloses() {
        assert!((winding(&closed(), [0.1, 0.2, 0.3]) - 1.0).abs() < 1e-14);
        assert!(winding(&closed(), [0.5, 0.5, 0.5]).abs() < 1e-14);
    }

    #[test]
    fn a_large_triangle_winds_half_around_a_point_on_it() {
        let half = winding(&closed()[3..], [0.3, 0.3, 0.4 - 1e-9]);
        assert!((half - 0.5).abs() < 1e-6);
    }

    #[test]
    fn distances_are_those_from_the_face_an_edge_or_a_corner() {
        let face = &closed()[0];
        assert!((distance2(face, [0.2, 0.2, 0.5]) - 0.25).abs() < 1e-15);
        assert!((distance2(face, [0.5, -0.3, 0.0]) - 0.09).abs() < 1e-15);
        assert!((distance2(face, [-0.3, -0.4, 0.0]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_triangle_passes_by_the_corner_of_a_box() {
        let face = closed()[3];
        assert!(meets(&face, [0.0; 3], [0.34; 3]));
        assert!(!meets(&face, [0.0; 3], [0.33; 3]));
        assert!(!meets(&face[..2], [0.0; 3], [0.34; 3]));
        assert!(meets(&face[..2], [0.4, 0.4, 0.0], [0.6, 0.6, 0.1]));
    }
}
