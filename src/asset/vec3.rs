//! Functions that `glam` lacks: vectors as models keep them, quaternions (wxyz) and row-major 3×3 matrices in MuJoCo's conventions.
//!
//! The order of operations is that of MuJoCo's compiler, so that results agree to the last bits.

/// A point or direction.
pub(crate) type V3 = [f64; 3];

/// Areas and volumes below this count as zero (`mjMINVAL`).
pub(crate) const MINVAL: f64 = 1e-15;

/// Below this a squared length, a mass or a volume counts as zero in the compiler (`mjEPS`).
pub(crate) const EPS: f64 = 1e-14;

/// Normalises in place and returns the former length; a vector shorter than √`EPS` is left unchanged and counts as 0.
pub(crate) fn normalize<const N: usize>(v: &mut [f64; N]) -> f64 {
    let sum: f64 = v.iter().fold(0.0, |s, x| s + x * x);
    if sum < EPS {
        return 0.0;
    }
    let len = sum.sqrt();
    if (len - 1.0).abs() > EPS {
        for x in v.iter_mut() {
            *x /= len;
        }
    }
    len
}

/// Rotation matrix of a unit quaternion.
pub(crate) fn quat2mat(q: [f64; 4]) -> [f64; 9] {
    if q == [1.0, 0.0, 0.0, 0.0] {
        return [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    }
    let [w, x, y, z] = q;
    [
        w * w + x * x - y * y - z * z,
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ]
}

/// Product of two quaternions, normalised.
pub(crate) fn mulquat(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let mut q = [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
    normalize(&mut q);
    q
}

/// A vector rotated by a unit quaternion.
pub(crate) fn rotvecquat(vec: V3, q: [f64; 4]) -> V3 {
    if vec == [0.0; 3] || q == [1.0, 0.0, 0.0, 0.0] {
        return vec;
    }
    let t = [
        q[0] * vec[0] + q[2] * vec[2] - q[3] * vec[1],
        q[0] * vec[1] + q[3] * vec[0] - q[1] * vec[2],
        q[0] * vec[2] + q[1] * vec[1] - q[2] * vec[0],
    ];
    [
        vec[0] + 2.0 * (q[2] * t[2] - q[3] * t[1]),
        vec[1] + 2.0 * (q[3] * t[0] - q[1] * t[2]),
        vec[2] + 2.0 * (q[1] * t[1] - q[2] * t[0]),
    ]
}

/// `m · v`.
pub(crate) fn mulmatvec(m: &[f64; 9], v: V3) -> V3 {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    ]
}

/// `mᵀ · v`.
pub(crate) fn mulmattvec(m: &[f64; 9], v: V3) -> V3 {
    [
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    ]
}

/// `aᵀ · b` of 3×3 matrices.
pub(crate) fn mulmattmat(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    let mut c = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
    c
}

/// `a · b` of 3×3 matrices.
pub(crate) fn mulmatmat(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    let mut c = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    c
}
