//! Shapes of MuJoCo's plugins by their signed distance fields: distance of a point from the surface, negative inside.
//!
//! The formulas follow MuJoCo's, operation by operation, so that their rounding agrees. A device has the shapes in `shaders/narrow/shapes.wgsl`.

use std::f64::consts::PI;

use super::marching::marching_cubes;
use super::{AssetError, MeshData};
use crate::types::PluginKind;

/// Parameters of a shape, in the order of the plugin's attributes.
pub type Prm = [f64; 6];

/// Default values of the attributes, in their order; empty for plugins that are no shapes.
pub fn defaults(kind: PluginKind) -> &'static [f64] {
    match kind {
        PluginKind::Bolt | PluginKind::Nut => &[0.26],
        PluginKind::Bowl => &[0.4, 1.0, 0.02],
        PluginKind::Gear => &[0.0, 2.8, 25.0, 0.2, -1.0],
        PluginKind::Torus => &[0.35, 0.15],
        PluginKind::Pid | PluginKind::TouchGrid => &[],
    }
}

/// Half sizes of a box around the origin in which the surface lies.
pub fn half_sizes(kind: PluginKind, prm: &Prm) -> [f64; 3] {
    match kind {
        PluginKind::Bolt | PluginKind::Nut => [0.6, 0.6, 1.0],
        PluginKind::Bowl => [prm[1] + prm[2]; 3],
        PluginKind::Gear => {
            // the fewer teeth there are, the longer they are
            let outside = prm[1] / 2.0 * (1.0 + 2.0 / prm[2]);
            let across = (prm[1] / 2.0 * 1.25).max(1.05 * outside);
            [across, across, prm[3] / 2.0 * 1.1]
        }
        PluginKind::Torus => [prm[0] + prm[1], prm[0] + prm[1], prm[1]],
        PluginKind::Pid | PluginKind::TouchGrid => [0.0; 3],
    }
}

/// Points of a shape's sampling grid: the sum over all three axes.
const POINTS: f64 = 300.0;

/// The surface of a shape as triangles, for pictures, mass and collisions that use its hull.
///
/// # Errors
/// A shape too flat or too narrow for the grid: fewer than two points along some axis.
pub fn shape_mesh(kind: PluginKind, prm: &Prm) -> Result<MeshData, AssetError> {
    surface_mesh(half_sizes(kind, prm), |p| distance(kind, prm, p))
}

/// The surface of a signed distance within a box around the origin, of these half sizes, as triangles.
///
/// # Errors
/// A box too flat or too narrow for the grid: fewer than two points along some axis.
pub fn surface_mesh(
    half: [f64; 3],
    distance: impl Fn([f64; 3]) -> f64,
) -> Result<MeshData, AssetError> {
    let total = half[0] + half[1] + half[2];
    let n = half.map(|h| (POINTS / total * h).floor() as usize + 1);
    if n.contains(&1) {
        let msg = "the shape is too flat or too narrow for its grid of 300 points";
        return Err(AssetError::new(msg));
    }
    let at = |k: usize, i: usize| 2.0 * half[k] * i as f64 / (n[k] - 1) as f64 - half[k];
    let mut field = vec![0.0; n[0] * n[1] * n[2]];
    let points = field.chunks_exact_mut(n[0] * n[1]);
    for (z, layer) in points.enumerate() {
        for (y, line) in layer.chunks_exact_mut(n[0]).enumerate() {
            for (x, to) in line.iter_mut().enumerate() {
                *to = distance([at(0, x), at(1, y), at(2, z)]) as f32;
            }
        }
    }
    let surface = marching_cubes(&field, n);
    let place = |v: &[f32; 3]| {
        let along = |k: usize| 2.0 * half[k] * f64::from(v[k]) / (n[k] - 1) as f64 - half[k];
        [0, 1, 2].map(|k| along(k) as f32)
    };
    Ok(MeshData {
        vert: surface.vert.iter().map(place).collect(),
        face: surface.face,
        normal: surface.normal,
        ..MeshData::default()
    })
}

/// Signed distance of a point.
pub fn distance(kind: PluginKind, prm: &Prm, p: [f64; 3]) -> f64 {
    match kind {
        PluginKind::Bolt => bolt(prm[0], p),
        PluginKind::Bowl => bowl([prm[0], prm[1], prm[2]], p),
        PluginKind::Gear => {
            let flat = gear(prm, p);
            let high = p[2].abs() - prm[3] / 2.0;
            flat.max(high).min(0.0) + norm2(flat.max(0.0), high.max(0.0))
        }
        PluginKind::Nut => nut(prm[0], p),
        PluginKind::Torus => {
            let q = norm2(p[0], p[1]) - prm[0];
            norm2(q, p[2]) - prm[1]
        }
        PluginKind::Pid | PluginKind::TouchGrid => f64::MAX,
    }
}

/// Gradient of the distance at a point: for a torus by its formula, for the others by differences.
pub fn gradient(kind: PluginKind, prm: &Prm, p: [f64; 3]) -> [f64; 3] {
    if kind == PluginKind::Torus {
        let across = norm2(p[0], p[1]);
        let q = across - prm[0];
        let len = norm2(q, p[2]).max(crate::types::MINVAL);
        return [
            q * (p[0] / across) / len,
            q * (p[1] / across) / len,
            p[2] / len,
        ];
    }
    differences(p, |x| distance(kind, prm, x))
}

/// Gradient of a distance at a point, by differences.
pub fn differences(p: [f64; 3], distance: impl Fn([f64; 3]) -> f64) -> [f64; 3] {
    const STEP: f64 = 1e-8;
    let here = distance(p);
    std::array::from_fn(|k| {
        let mut there = p;
        there[k] += STEP;
        (distance(there) - here) / STEP
    })
}

fn norm2(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

// the remainder of a floored division
fn modulo(x: f64, y: f64) -> f64 {
    x - y * (x / y).floor()
}

// a hexagonal head with bevelled corners
fn head(radius: f64, p: [f64; 3]) -> f64 {
    let k = 6.0 / PI / 2.0;
    let angle = -(p[1].atan2(p[0]) * k + 0.5).floor() / k;
    let (sin, cos) = (angle.sin(), (angle + PI * 0.5).sin());
    let side = cos * p[0] + -sin * p[1] - 0.5;
    let flat = side.max((p[2] + 0.25).abs() - 0.25);
    flat.max((p[2] + radius - 0.22) * (2.0_f64.sqrt() / 2.0))
}

// the wave of a thread around the axis, and the distance of a point from the radius
fn thread(size: f64, p: [f64; 3]) -> (f64, f64) {
    const TURNS: f64 = 12.0;
    let radius = norm2(p[0], p[1]) - size;
    let azimuth = p[1].atan2(p[0]);
    let wave = p[2] * TURNS - azimuth / PI / 2.0;
    let triangle = (wave - wave.floor() - 0.5).abs();
    ((radius - triangle / TURNS) * (2.0_f64.sqrt() / 2.0), radius)
}

fn bolt(size: f64, p: [f64; 3]) -> f64 {
    let slant = 2.0_f64.sqrt() / 2.0;
    let (wave, radius) = thread(size, p);

    // cut above and below, and bevelled
    let bolt = wave.max(-(0.5 - (p[2] + 0.5).abs()));
    let cone = (p[2] - radius) * slant;
    let bolt = bolt.max(-(cone + 1.0 * slant));
    bolt.min(head(radius, p))
}

fn nut(size: f64, p: [f64; 3]) -> f64 {
    let slant = 2.0_f64.sqrt() / 2.0;
    let (wave, radius) = thread(size, p);

    // the hole
    let cone = (p[2] - radius) * slant;
    let hole = wave.max(-(cone + 0.5 * slant));
    let hole = hole.min(-cone - 0.05 * slant);
    head(radius, p).max(-hole)
}

// height, radius, thickness: a part of a sphere's shell, and its rim
fn bowl([height, radius, thickness]: [f64; 3], p: [f64; 3]) -> f64 {
    let width = (radius * radius - height * height).sqrt();
    let across = norm2(p[0], p[1]);
    let shell = if height * across < width * p[2] {
        norm2(across - width, p[2] - height)
    } else {
        (norm2(across, p[2]) - radius).abs()
    };
    shell - thickness
}

fn smooth_union(a: f64, b: f64, k: f64) -> f64 {
    let h = (0.5 + 0.5 * (b - a) / k).clamp(0.0, 1.0);
    b * (1.0 - h) + a * h - k * h * (1.0 - h)
}

fn smooth_intersection(a: f64, b: f64, k: f64) -> f64 {
    let edge = smooth_union(a.max(-b), b.max(-a), k);
    a.max(b).max(-edge)
}

// the section of a gear with teeth of involutes; attributes: turn, diameter, teeth, thickness, diameter of the hole
fn gear(prm: &Prm, p: [f64; 3]) -> f64 {
    let [alpha, diameter, teeth] = [prm[0], prm[1], prm[2]];
    let pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551;
    let pitch = diameter / 2.0;
    let rho = norm2(p[0], p[1]);
    let per_length = teeth / diameter;
    let arc = PI / per_length;
    let outside = (diameter + 2.0 * (1.0 / per_length)) / 2.0;
    let depth = 2.2 / per_length;
    let inside = match prm[4] >= 0.0 {
        true => prm[4] / 2.0,
        false => outside - depth - 0.14 * diameter,
    };

    // far from the teeth the distance is that of a circle
    if inside - rho > 0.0 {
        return inside - rho;
    }
    if outside - rho < -0.2 {
        return rho - outside;
    }

    // place within a tooth
    let base = diameter * pressure.cos() / 2.0;
    let angle = p[1].atan2(p[0]) + alpha;
    let stride = arc / pitch;
    let tilt = (base / pitch).acos();
    let involute = tilt.tan() - tilt;
    let shift = stride / 2.0 - 2.0 * involute;
    let left = modulo(angle + shift / 2.0, stride) - shift / 2.0;
    let right = modulo(-angle - shift + shift / 2.0, stride) - shift / 2.0;
    let mut sides = [-1.0e6; 2];
    if base < rho {
        let turn = (base / rho).acos();
        let along = (rho * rho - base * base).sqrt();
        sides = [left, right].map(|side| along - base * (side + turn));
    }

    // teeth between their walls, on the wheel, around the hole
    let walls = (left - (stride - shift)).max(right - (stride - shift));
    let teeth = walls.max(sides[0].max(sides[1]));
    let teeth = smooth_intersection(rho - outside, teeth, 0.0035 * diameter);
    let wheel = smooth_union(rho - (outside - depth), teeth, base - outside + depth);
    wheel.max(-(rho - inside))
}
