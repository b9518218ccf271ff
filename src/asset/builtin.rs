//! Meshes made from a few numbers: the `builtin` and `params` attributes of a mesh.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::builtin_grid as grid;
use super::grid::Shape;
use super::{AssetError, MeshData, MeshInertia};

/// Largest number of vertices.
pub(crate) const LIMIT: usize = 1 << 22;

/// Points and tetrahedra of the mesh for `builtin="kind" params="…"` if it is a solid; [`builtin`] checks its parameters.
pub(crate) fn builtin_solid(kind: &str, params: &[f64]) -> Option<Shape> {
    let solid = matches!(kind, "grid" | "box" | "cylinder" | "ellipsoid");
    let shape = (solid && params.len() >= 6).then(|| grid::shape(kind, params));
    shape?.ok().filter(|shape| shape.dim == 3)
}

/// Makes the mesh for `builtin="kind" params="…"`; `inertia` is the mesh's own attribute, returned as it must be for this mesh.
///
/// Surfaces without volume turn the inertia into [`MeshInertia::Shell`]: a plate always, a grid, box, cylinder or ellipsoid of
/// dimension 2, a square and a disc when it is [`MeshInertia::Legacy`]. The solid ones of these come as points without faces,
/// whose hull is taken. Vertices are those of MuJoCo's `mjs_makeMesh`. Fails on unknown kinds, parameters out of range, and
/// more than four million vertices.
pub fn builtin(
    kind: &str,
    params: &[f64],
    inertia: MeshInertia,
) -> Result<(MeshData, MeshInertia), AssetError> {
    if params.iter().any(|p| !p.is_finite()) {
        return Err(AssetError::new("params must be finite"));
    }
    let error = |msg: &str| AssetError::new(format!("builtin=\"{kind}\": {msg}"));
    let count = match kind {
        "sphere" | "hemisphere" => 1..=1,
        "cone" | "plate" => 2..=2,
        "supersphere" => 3..=3,
        "supertorus" => 4..=4,
        "wedge" => 5..=5,
        "square" | "disc" => 6..=6,
        "grid" | "box" | "cylinder" | "ellipsoid" => 6..=7,
        "prism" => return Err(error("no such shape; a prism is a cone of radius 1")),
        _ => return Err(error("no such shape")),
    };
    if !count.contains(&params.len()) {
        return Err(error(&format!(
            "params needs {} numbers, found {}",
            count.start(),
            params.len()
        )));
    }

    // counts are truncated to integers
    let int = |i: usize| params[i].clamp(-1e9, 1e9) as i64;
    let ok = |x: bool, msg: &str| if x { Ok(()) } else { Err(error(msg)) };
    let small = |n: i64| ok(n <= LIMIT as i64, "too many vertices");
    let data = match kind {
        "sphere" => {
            ok((0..=4).contains(&int(0)), "subdivision must be 0 to 4")?;
            sphere(int(0))
        }
        "hemisphere" => {
            ok((0..=10).contains(&int(0)), "resolution must be 0 to 10")?;
            hemisphere(int(0))
        }
        "cone" => {
            ok(int(0) >= 3, "nvert must be at least 3")?;
            ok((0.0..=1.0).contains(&params[1]), "radius must be in [0, 1]")?;
            small(2 * int(0))?;
            cone(int(0), params[1])
        }
        "supersphere" => {
            ok(int(0) >= 3, "resolution must be greater than 2")?;
            ok(params[1] >= 0.0, "'e' cannot be negative")?;
            ok(params[2] >= 0.0, "'n' cannot be negative")?;
            small(int(0) * int(0))?;
            supersphere(int(0), params[1], params[2])
        }
        "supertorus" => {
            ok(int(0) >= 3, "resolution must be greater than 2")?;
            ok(
                params[1] > 0.0 && params[1] <= 1.0,
                "radius must be in (0, 1]",
            )?;
            ok(params[2] > 0.0, "'s' must be greater than 0")?;
            ok(params[3] > 0.0, "'t' must be greater than 0")?;
            small(int(0) * int(0))?;
            supertorus(int(0), params[1], params[2], params[3])
        }
        "wedge" | "plate" => {
            ok(
                int(0) > 0 && int(1) > 0,
                "both resolutions must be positive",
            )?;
            small(int(0) * int(1))?;
            if kind == "plate" {
                return Ok((plate(int(0), int(1)), MeshInertia::Shell));
            }
            let (h, v) = (params[2], params[3]);
            ok(
                h > 0.0 && h <= 180.0,
                "horizontal field of view must be in (0, 180]",
            )?;
            ok(
                v > 0.0 && v <= 90.0,
                "vertical field of view must be in (0, 90]",
            )?;
            ok((0.0..=1.0).contains(&params[4]), "gamma must be in [0, 1]")?;
            wedge([int(0), int(1)], [h, v], params[4])
        }
        _ => {
            let (data, solid) = grid::make(kind, params).map_err(|msg| error(&msg))?;
            if !solid && inertia == MeshInertia::Legacy {
                return Ok((data, MeshInertia::Shell));
            }
            data
        }
    };
    Ok((data, inertia))
}

fn single(p: [f64; 3]) -> [f32; 3] {
    p.map(|x| x as f32)
}

fn mesh(vert: Vec<[f32; 3]>, face: Vec<[i32; 3]>) -> MeshData {
    MeshData {
        vert,
        face,
        ..MeshData::default()
    }
}

/// Icosahedron, every triangle cut into four again and again.
fn sphere(subdivision: i64) -> MeshData {
    let phi = ((1.0 + 5.0_f64.sqrt()) / 2.0) as f32;
    let norm = (1.0 + f64::from(phi * phi)).sqrt();
    let long = (f64::from(phi) / norm) as f32;
    let short = (1.0 / norm) as f32;
    // rectangles in the planes xy, yz and zx
    let mut vert = Vec::new();
    for (a, b) in [
        (-short, long),
        (short, long),
        (-short, -long),
        (short, -long),
    ] {
        vert.push([a, b, 0.0]);
    }
    for (a, b) in [
        (-short, long),
        (short, long),
        (-short, -long),
        (short, -long),
    ] {
        vert.push([0.0, a, b]);
    }
    for (a, b) in [
        (long, -short),
        (long, short),
        (-long, -short),
        (-long, short),
    ] {
        vert.push([a, 0.0, b]);
    }
    let mut face = ICOSAHEDRON.to_vec();
    for _ in 0..subdivision {
        let mut middle: HashMap<(i32, i32), i32> = HashMap::new();
        let mut finer = Vec::with_capacity(4 * face.len());
        for [a, b, c] in face {
            let mut mid = |i: i32, j: i32| {
                *middle.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let (p, q) = (vert[i as usize], vert[j as usize]);
                    let m: [f32; 3] = std::array::from_fn(|k| (p[k] + q[k]) / 2.0);
                    let len = (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]).sqrt();
                    vert.push(m.map(|x| x / len));
                    vert.len() as i32 - 1
                })
            };
            let (ab, bc, ca) = (mid(a, b), mid(b, c), mid(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        face = finer;
    }
    mesh(vert, face)
}

const ICOSAHEDRON: [[i32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// Half an octahedron projected onto a sphere, closed by a fan at the equator.
fn hemisphere(res: i64) -> MeshData {
    const EQUATOR: [[f64; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let mut vert = vec![[0.0, 0.0, 1.0]];
    for row in 0..=res {
        let factor = (row + 1) as f64 / (res + 1) as f64;
        for side in 0..4 {
            // from one corner of the square ring to the next
            let corner = |k: usize| {
                let [x, y] = EQUATOR[k % 4];
                [factor * x, factor * y, 1.0 - factor]
            };
            let (start, end) = (corner(side), corner(side + 1));
            for i in 0..=row {
                let p: [f64; 3] = std::array::from_fn(|k| {
                    start[k] + i as f64 * ((end[k] - start[k]) / (row + 1) as f64)
                });
                let norm = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
                vert.push(single(p.map(|x| x / norm)));
            }
        }
    }
    let centre = vert.len() as i32;
    vert.push([0.0; 3]);

    // pole, rings, cap
    let mut face = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    let res = res as i32;
    for row in 0..res {
        let (start, count) = (2 * row * (row + 1) + 1, 4 * (row + 1));
        let (next, more) = (start + count, 4 * (row + 2));
        for side in 0..4 {
            for i in 0..row + 2 {
                let (a, b) = (i + (row + 1) * side, i + (row + 2) * side);
                let far = next + (b + 1) % more;
                face.push([start + a % count, next + b % more, far]);
                if i < row + 1 {
                    face.push([start + a % count, far, start + (a + 1) % count]);
                }
            }
        }
    }
    let (start, count) = (2 * res * (res + 1) + 1, 4 * (res + 1));
    face.extend((0..count).map(|i| [start + i, centre, start + (i + 1) % count]));
    mesh(vert, face)
}

/// Regular polygon below, a smaller one or a point above.
fn cone(n: i64, radius: f64) -> MeshData {
    let at = |i: i64, r: f64, z: f64| {
        let angle = (2 * i) as f64 * PI / n as f64;
        single([r * angle.cos(), r * angle.sin(), z])
    };
    let mut vert: Vec<_> = (0..n).map(|i| at(i, 1.0, -1.0)).collect();
    if radius > 0.0 {
        // the angle is counted on, as MuJoCo does: the same angles except for rounding
        vert.extend((n..2 * n).map(|i| at(i, radius, 1.0)));
    } else {
        vert.push([0.0, 0.0, 1.0]);
    }
    mesh(vert, Vec::new())
}

// cosine and sine with their absolute values raised to a power
fn power(x: f64, m: f64) -> f64 {
    x.abs().powf(m).copysign(x)
}

fn supersphere(res: i64, e: f64, n: f64) -> MeshData {
    let mut vert = vec![[0.0, 0.0, -1.0]];
    for i in 1..res {
        let v = -PI / 2.0 + i as f64 * PI / res as f64;
        let (cv, sv) = (power(v.cos(), n), power(v.sin(), n));
        for j in 0..res {
            let u = -PI + (j * 2) as f64 * PI / res as f64;
            vert.push(single([cv * power(u.cos(), e), cv * power(u.sin(), e), sv]));
        }
    }
    vert.push([0.0, 0.0, 1.0]);

    // fans at the poles, rings of quadrilaterals between
    let (res, top) = (res as i32, vert.len() as i32 - 1);
    let mut face: Vec<_> = (0..res).map(|j| [0, 1 + (j + 1) % res, 1 + j]).collect();
    for i in 0..res - 2 {
        for j in 0..res {
            let at = |i: i32, j: i32| 1 + i * res + j % res;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            face.extend([[a, b, d], [b, c, d]]);
        }
    }
    let last = 1 + (res - 2) * res;
    face.extend((0..res).map(|j| [last + j, last + (j + 1) % res, top]));
    mesh(vert, face)
}

fn supertorus(res: i64, radius: f64, s: f64, t: f64) -> MeshData {
    let angle = |i: i64| 2.0 * PI * i as f64 / res as f64;
    let mut vert = Vec::new();
    let mut face = Vec::new();
    for i in 0..res {
        for j in 0..res {
            let (u, v) = (angle(i), angle(j));
            let r = 1.0 + radius * power(v.cos(), s);
            let z = radius * power(v.sin(), s);
            vert.push(single([r * power(u.cos(), t), r * power(u.sin(), t), z]));
            let at = |i: i64, j: i64| ((i % res) * res + j % res) as i32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            face.extend([[a, b, d], [b, c, d]]);
        }
    }
    mesh(vert, face)
}

/// Centres of the cells of a spherical grid that looks along −z, with a frame of normals each.
fn wedge(res: [i64; 2], fov: [f64; 2], gamma: f64) -> MeshData {
    let edges = |k: usize| -> Vec<f64> {
        let n = res[k] + 1;
        let step = if n > 1 { 2.0 / (n - 1) as f64 } else { 0.0 };
        let mut at = -1.0;
        let mut list = Vec::new();
        for _ in 0..n {
            // finer in the middle
            let x: f64 = at;
            let fovea = if gamma == 0.0 {
                x
            } else {
                gamma * x.powf(5.0) + (1.0 - gamma) * x
            };
            list.push(fovea * (fov[k] * PI / 180.0));
            at += step;
        }
        list
    };
    let (azimuth, elevation) = (edges(0), edges(1));
    let mut data = MeshData::default();
    for a in azimuth.windows(2) {
        for e in elevation.windows(2) {
            let (a, e) = (0.5 * (a[1] + a[0]), 0.5 * (e[1] + e[0]));
            data.vert
                .push(single([e.cos() * a.sin(), e.sin(), -e.cos() * a.cos()]));
            let mut ta = [e.cos() * a.cos(), 0.0, e.cos() * a.sin()];
            let mut te = [-e.sin() * a.sin(), e.cos(), e.sin() * a.cos()];
            super::vec3::normalize(&mut ta);
            super::vec3::normalize(&mut te);
            let n = glam::DVec3::from_array(te).cross(ta.into()).to_array();
            data.normal.extend([single(n), single(ta), single(te)]);
        }
    }
    data
}

/// Centres of the cells of a square at z = −1, joined, with a frame of normals each.
fn plate(nx: i64, ny: i64) -> MeshData {
    let mut data = MeshData::default();
    let (dx, dy) = (2.0 / nx as f64, 2.0 / ny as f64);
    for i in 0..nx {
        for j in 0..ny {
            data.vert.push(single([
                -1.0 + (i as f64 + 0.5) * dx,
                -1.0 + (j as f64 + 0.5) * dy,
                -1.0,
            ]));
            data.normal
                .extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            if i > 0 && j > 0 {
                let at = |i: i64, j: i64| (i * ny + j) as i32;
                let [a, b] = [at(i - 1, j - 1), at(i, j - 1)];
                let [c, d] = [at(i - 1, j), at(i, j)];
                data.face.extend([[a, b, c], [d, c, b]]);
            }
        }
    }
    data
}
