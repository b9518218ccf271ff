//! Mass, volume and inertia of primitive geoms, sums of inertias, and principal axes.
//!
//! Everything follows MuJoCo's compiler (`mjCGeom::GetVolume`, `mjCGeom::SetInertia`, `mjuu_globalinertia`,
//! `mjuu_offcenter`, `mjuu_eig3`): sizes are half-sizes as in `geom_size`, inertias are about the centre of mass.
//! A full inertia is written `[xx, yy, zz, xy, xz, yz]` as in the `fullinertia` attribute.

use std::f64::consts::PI;

use super::vec3::{mulmatmat, mulmattmat, mulquat, quat2mat};

/// A shape that has a volume in closed form. `size` has MuJoCo's meaning for each (see `XMLreference`, `geom/size`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// `size[0]` is the radius.
    Sphere,
    /// `size[0]` is the radius, `size[1]` half the length of the cylindrical part, along z.
    Capsule,
    /// `size[0]` is the radius, `size[1]` half the length, along z.
    Cylinder,
    /// `size` holds the three half-axes.
    Ellipsoid,
    /// `size` holds the three half-lengths; height fields count as boxes.
    Box,
}

/// Volume (m³), or surface (m²) when `shell`, of a primitive.
pub fn volume(shape: Primitive, size: [f64; 3], shell: bool) -> f64 {
    let [r, h, _] = size;
    let [a, b, c] = size;
    match (shape, shell) {
        (Primitive::Sphere, false) => 4.0 * PI * r * r * r / 3.0,
        (Primitive::Sphere, true) => 4.0 * PI * r * r,
        (Primitive::Capsule, false) => PI * (r * r * 2.0 * h + 4.0 * r * r * r / 3.0),
        (Primitive::Capsule, true) => 4.0 * PI * r * r + 2.0 * PI * r * 2.0 * h,
        (Primitive::Cylinder, false) => PI * r * r * 2.0 * h,
        (Primitive::Cylinder, true) => 2.0 * PI * r * r + 2.0 * PI * r * 2.0 * h,
        (Primitive::Ellipsoid, false) => 4.0 * PI * a * b * c / 3.0,
        (Primitive::Ellipsoid, true) => {
            // Thomsen's formula, accurate to about one per cent
            let p = 1.6075_f64;
            let sum = (a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p);
            4.0 * PI * (sum / 3.0).powf(1.0 / p)
        }
        (Primitive::Box, false) => a * b * c * 8.0,
        (Primitive::Box, true) => 8.0 * (a * b + b * c + c * a),
    }
}

/// Diagonal inertia (kg m²) about the centre of a primitive of the given mass (kg), solid or hollow.
pub fn inertia(shape: Primitive, size: [f64; 3], shell: bool, mass: f64) -> [f64; 3] {
    match shape {
        Primitive::Sphere => {
            let i = 2.0 * mass * size[0] * size[0] / if shell { 3.0 } else { 5.0 };
            [i; 3]
        }
        Primitive::Capsule => capsule(size[0], size[1], shell, mass),
        Primitive::Cylinder => cylinder(size[0], size[1], shell, mass),
        Primitive::Ellipsoid if shell => ellipsoid_shell(size, mass),
        Primitive::Ellipsoid => solid(size, mass, 5.0),
        Primitive::Box if shell => box_shell(size, mass),
        Primitive::Box => solid(size, mass, 3.0),
    }
}

/// Diagonal inertia (kg m²) of a mesh geom from the half-sizes of its equivalent box ([`super::Mesh::boxsz`]).
pub fn mesh_inertia(boxsz: [f64; 3], mass: f64) -> [f64; 3] {
    solid(boxsz, mass, 3.0)
}

// box and ellipsoid differ in the divisor only
fn solid([a, b, c]: [f64; 3], mass: f64, div: f64) -> [f64; 3] {
    [
        mass * (b * b + c * c) / div,
        mass * (a * a + c * c) / div,
        mass * (a * a + b * b) / div,
    ]
}

fn capsule(r: f64, half: f64, shell: bool, mass: f64) -> [f64; 3] {
    let h = 2.0 * half;

    // share the mass between both hemispheres and the cylinder
    let ms = if shell {
        let caps = 4.0 * PI * r * r;
        mass * caps / (caps + 2.0 * PI * r * h)
    } else {
        mass * 4.0 * r / (4.0 * r + 3.0 * h)
    };
    let mc = mass - ms;

    // each part about the common centre
    let (side, axial, ball, shift) = if shell {
        let com = r / 2.0;
        let pos = half + com;
        (
            mc * (6.0 * r * r + h * h) / 12.0,
            mc * r * r,
            2.0 * ms * r * r / 3.0,
            ms * (pos * pos - com * com),
        )
    } else {
        (
            mc * (3.0 * r * r + h * h) / 12.0,
            mc * r * r / 2.0,
            2.0 * ms * r * r / 5.0,
            ms * h * (3.0 * r + 2.0 * h) / 8.0,
        )
    };
    let i = side + (ball + shift);
    [i, i, axial + ball]
}

fn cylinder(r: f64, half: f64, shell: bool, mass: f64) -> [f64; 3] {
    let h = 2.0 * half;
    if !shell {
        let i = mass * (3.0 * r * r + h * h) / 12.0;
        return [i, i, mass * r * r / 2.0];
    }

    // two disks and the tube between them
    let disk = PI * r * r;
    let md = mass * disk / (2.0 * disk + 2.0 * PI * r * h);
    let mc = mass - 2.0 * md;
    let i = mc * (6.0 * r * r + h * h) / 12.0 + 2.0 * (md * r * r / 4.0 + md * half * half);
    [i, i, mc * r * r + 2.0 * (md * r * r / 2.0)]
}

// difference of two solids, as MuJoCo does it, digits lost included
fn ellipsoid_shell(size: [f64; 3], mass: f64) -> [f64; 3] {
    let outer = size.map(|s| s + 1e-6);
    let va = volume(Primitive::Ellipsoid, size, false);
    let vb = volume(Primitive::Ellipsoid, outer, false);
    let density = mass / (vb - va);
    let a = solid(size, va * density, 5.0);
    let b = solid(outer, vb * density, 5.0);
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

fn box_shell([a, b, c]: [f64; 3], mass: f64) -> [f64; 3] {
    let (lx, ly, lz) = (2.0 * a, 2.0 * b, 2.0 * c);
    let area = [lx * ly, ly * lz, lz * lx];
    let total = 2.0 * (area[0] + area[1] + area[2]);
    let [mz, mx, my] = area.map(|s| mass * s / total);

    // plates across z, x and y, each pair shifted from the centre
    let (xx, yy, zz) = (lx * lx, ly * ly, lz * lz);
    let (aa, bb, cc) = (a * a, b * b, c * c);
    let edge = |m: f64, l: f64| m * l * l / 12.0;
    let face = |m: f64, ll: f64| m * ll / 12.0;
    [
        2.0 * (mz * cc + my * bb + edge(mz, ly) + face(mx, yy + zz) + edge(my, lz)),
        2.0 * (mz * cc + mx * aa + edge(mz, lx) + edge(mx, lz) + face(my, xx + zz)),
        2.0 * (mx * aa + my * bb + face(mz, xx + yy) + edge(mx, ly) + edge(my, lx)),
    ]
}

/// Full inertia, in the frame `quat` is given in, of a body whose inertia is `diag` along the axes of `quat`.
///
/// Follows `mjuu_globalinertia`. `quat` is wxyz and of unit length.
pub fn globalinertia(diag: [f64; 3], quat: [f64; 4]) -> [f64; 6] {
    let m = quat2mat(quat);
    let row = |i: usize| {
        [
            m[3 * i] * diag[0],
            m[3 * i + 1] * diag[1],
            m[3 * i + 2] * diag[2],
        ]
    };
    let entry = |i: usize, j: usize| {
        let r = row(j);
        m[3 * i] * r[0] + m[3 * i + 1] * r[1] + m[3 * i + 2] * r[2]
    };
    [
        entry(0, 0),
        entry(1, 1),
        entry(2, 2),
        entry(0, 1),
        entry(0, 2),
        entry(1, 2),
    ]
}

/// Full inertia of a point mass at `pos`: the term of the parallel-axis theorem. Follows `mjuu_offcenter`.
pub fn offcenter(mass: f64, pos: [f64; 3]) -> [f64; 6] {
    let [x, y, z] = pos;
    [
        mass * (y * y + z * z),
        mass * (x * x + z * z),
        mass * (x * x + y * y),
        -mass * x * y,
        -mass * x * z,
        -mass * y * z,
    ]
}

/// The root of a half to the fifteen digits that MuJoCo has.
#[expect(clippy::approx_constant, reason = "axes agree to the last bits")]
const HALF_SQRT: f64 = 0.707106781186548;

/// Result of [`eig3`]: `mat = eigvec · diag(eigval) · eigvecᵀ`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eig3 {
    /// Eigenvalues, in decreasing order up to 1e-12 of the largest element of the matrix.
    pub eigval: [f64; 3],
    /// Eigenvectors in the columns, right-handed, row-major.
    pub eigvec: [f64; 9],
    /// The same rotation as a unit quaternion, wxyz.
    pub quat: [f64; 4],
    /// Jacobi rotations taken.
    pub iter: usize,
}

/// Eigenvalues and principal axes of a symmetric 3×3 matrix (row-major) by Jacobi rotations.
///
/// Follows `mju_eig3` of MuJoCo 4.0.0, which takes the same rotations in the same order, so the axes come out with the
/// same signs and, where eigenvalues coincide, the same choice among equals. NaN in, NaN or identity out; it always ends.
pub fn eig3(mat: &[f64; 9]) -> Eig3 {
    eig3_tol(mat, 0.0)
}

/// [`eig3`] that leaves off-diagonal elements, and swaps of eigenvalues, below `tol` of the largest element alone.
///
/// Meshes are aligned with `tol` = 1e-7, so that one that is nearly aligned, or nearly round, keeps its axes.
pub fn eig3_tol(mat: &[f64; 9], tol: f64) -> Eig3 {
    let largest = mat.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let mut quat = [1.0, 0.0, 0.0, 0.0];
    let mut eigval = [0.0; 3];
    let mut iter = 0;
    while iter < 500 {
        // the matrix as seen from the current axes
        let axes = quat2mat(quat);
        let d = mulmatmat(&mulmattmat(&axes, mat), &axes);
        eigval = [d[0], d[4], d[8]];

        // rotate away the largest off-diagonal element
        let (row, col, axis) = if d[1].abs() > d[2].abs() && d[1].abs() > d[5].abs() {
            (0, 1, 2)
        } else if d[2].abs() > d[5].abs() {
            (0, 2, 1)
        } else {
            (1, 2, 0)
        };
        let off = d[3 * row + col];
        if off.abs() <= tol.max(4e-15) * largest {
            break;
        }
        let tau = (d[4 * col] - d[4 * row]) / (2.0 * off);
        let t = if tau >= 0.0 {
            1.0 / (tau + (1.0 + tau * tau).sqrt())
        } else {
            -1.0 / (-tau + (1.0 + tau * tau).sqrt())
        };

        // tangent of half the angle keeps every digit of small rotations
        let half = t / (1.0 + (1.0 + t * t).sqrt());
        let mut turn = [1.0 / (1.0 + half * half).sqrt(), 0.0, 0.0, 0.0];
        turn[axis + 1] = if axis == 1 { half } else { -half } * turn[0];
        quat = mulquat(quat, turn);
        iter += 1;
    }

    // decreasing order by bubble sort, quarter turns keep the frame right-handed
    for j in [0, 1, 0] {
        if eigval[j] + tol.max(1e-12) * largest < eigval[j + 1] {
            eigval.swap(j, j + 1);
            let mut turn = [HALF_SQRT, 0.0, 0.0, 0.0];
            turn[(j + 2) % 3 + 1] = HALF_SQRT;
            quat = mulquat(quat, turn);
        }
    }
    Eig3 {
        eigval,
        eigvec: quat2mat(quat),
        quat,
        iter,
    }
}

#[cfg(test)]
#[path = "inertia_test.rs"]
mod tests;
