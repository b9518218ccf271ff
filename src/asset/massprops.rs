//! Area, volume, centre of mass and inertia of a triangulated surface.
//!
//! Follows MuJoCo's compiler, which follows section 1.3.8 of O'Rourke, Computational Geometry in C: every triangle and a
//! common point make a pyramid, and the signed pyramids add up. Densities are 1.

use super::vec3::{MINVAL, V3};
use super::{AssetError, MeshInertia};
use glam::DVec3;

/// Area, unit normal and centre of a triangle; slivers have no area and a normal without meaning.
pub(crate) fn triangle(vert: &[V3], f: [i32; 3]) -> (f64, DVec3, DVec3) {
    let [a, b, c] = f.map(|i| DVec3::from_array(vert[i as usize]));
    let centre = (a + b + c) / 3.0;
    let n = (b - a).cross(c - a);
    let len = n.length();
    if len < MINVAL {
        return (0.0, n, centre);
    }
    (0.5 * len, n / len, centre)
}

/// Centre of mass, and the volume or area it was weighted with.
///
/// `face` is the whole surface, `solid` the faces that bound the volume (the hull's for [`MeshInertia::Convex`]).
pub(crate) fn centre(
    vert: &[V3],
    face: &[[i32; 3]],
    solid: &[[i32; 3]],
    mode: MeshInertia,
) -> Result<(V3, f64), AssetError> {
    // the common point: centroid of the surface
    let mut apex = DVec3::ZERO;
    let mut area = 0.0;
    for f in face {
        let (a, _, c) = triangle(vert, *f);
        apex += a * c;
        area += a;
    }
    let large = "mesh is too large: its surface area or volume overflows; make scale smaller";
    if !area.is_finite() && vert.as_flattened().iter().all(|x| !x.is_nan()) {
        return Err(AssetError::new(large));
    }
    if area.is_nan() || area < MINVAL {
        return Err(AssetError::new("mesh surface area is too small"));
    }
    let apex = apex / area;

    // weigh the pyramids, or the triangles
    let mut com = DVec3::ZERO;
    let mut total = 0.0;
    for f in solid {
        let (a, n, c) = triangle(vert, *f);
        let w = match mode {
            MeshInertia::Shell => a,
            MeshInertia::Legacy => ((c - apex).dot(n) * a / 3.0).abs(),
            _ => (c - apex).dot(n) * a / 3.0,
        };
        total += w;
        com += w * (c * 3.0 / 4.0 + apex / 4.0);
    }
    if !total.is_finite() {
        return Err(AssetError::new(large));
    }
    if total < 0.0 {
        return Err(AssetError::new(
            "mesh volume is negative (misoriented triangles)",
        ));
    }
    if total < MINVAL {
        return Err(AssetError::new(
            "mesh volume is too small; try setting inertia to shell",
        ));
    }
    Ok(((com / total).to_array(), total))
}

/// Inertia (row-major, symmetric) about `com` at density 1, and volume or area.
pub(crate) fn inertia(
    vert: &[V3],
    solid: &[[i32; 3]],
    mode: MeshInertia,
    com: V3,
) -> ([f64; 9], f64) {
    // products of inertia, xx yy zz xy xz yz
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let shell = mode == MeshInertia::Shell;
    let com = DVec3::from_array(com);
    let local = vert
        .iter()
        .map(|v| (DVec3::from_array(*v) - com).to_array());
    let local: Vec<V3> = local.collect();
    let mut p = [0.0; 6];
    let mut total = 0.0;
    for f in solid {
        let (a, n, c) = triangle(&local, *f);
        let volume = match mode {
            MeshInertia::Shell => a,
            MeshInertia::Legacy => (c.dot(n) * a / 3.0).abs(),
            _ => c.dot(n) * a / 3.0,
        };
        total += volume;
        let [d, e, g] = f.map(|i| local[i as usize]);
        let weight = volume / if shell { 12.0 } else { 20.0 };
        for (p, (i, j)) in p.iter_mut().zip(PAIRS) {
            *p += weight
                * (2.0 * (d[i] * d[j] + e[i] * e[j] + g[i] * g[j])
                    + d[i] * e[j]
                    + d[j] * e[i]
                    + d[i] * g[j]
                    + d[j] * g[i]
                    + e[i] * g[j]
                    + e[j] * g[i]);
        }
    }
    let [xx, yy, zz, xy, xz, yz] = p;
    let full = [yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy];
    (full, total)
}

/// Moments of a body of positive mass are positive, and none exceeds the sum of the others.
pub(crate) fn check_moments(m: [f64; 3]) -> Result<(), AssetError> {
    if m.iter().any(|x| !x.is_finite()) || m[2] <= 0.0 {
        return Err(AssetError::new(
            "eigenvalue of mesh inertia must be positive",
        ));
    }
    let ok = |a: f64, b: f64, c: f64| a + b >= c * (1.0 - 1e-6) - 1e-9;
    if ok(m[0], m[1], m[2]) && ok(m[0], m[2], m[1]) && ok(m[1], m[2], m[0]) {
        return Ok(());
    }
    Err(AssetError::new(
        "eigenvalues of mesh inertia violate A + B >= C",
    ))
}

/// Half-sizes of the box with these moments and this volume.
pub(crate) fn equivalent_box(m: [f64; 3], volume: f64) -> V3 {
    let half = |x: f64| 0.5 * (6.0 * x.max(0.0) / volume).sqrt();
    [
        half(m[1] + m[2] - m[0]),
        half(m[0] + m[2] - m[1]),
        half(m[0] + m[1] - m[2]),
    ]
}

/// Sum of the outline's cross products: twice the area, along the normal (Newell's method).
pub(crate) fn newell(outline: impl Iterator<Item = V3> + Clone) -> V3 {
    let next = outline.clone().cycle().skip(1);
    let sum = outline.zip(next).fold([0.0; 3], |s, (a, b): (V3, V3)| {
        [
            s[0] + (a[1] - b[1]) * (a[2] + b[2]),
            s[1] + (a[2] - b[2]) * (a[0] + b[0]),
            s[2] + (a[0] - b[0]) * (a[1] + b[1]),
        ]
    });
    let sum = DVec3::from_array(sum);
    let len = sum.length();
    if len > 0.0 && len.is_finite() {
        (sum / len).to_array()
    } else {
        [0.0, 0.0, 1.0]
    }
}
