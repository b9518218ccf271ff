//! The four points a convex hull starts from.

use super::AssetError;
use glam::DVec3;

/// Four points that span space: extreme ones along the axes where they will do, else any that do best.
///
/// `largest` is the largest coordinate before the points were moved to their centre. With `limited`, when only some of the
/// points will be taken and it matters which, the choice is qhull's: lowest and highest x, then the largest triangle as seen
/// along z. Fails when the points are no thicker than the rounding of their coordinates.
pub(crate) fn tetrahedron(
    points: &[DVec3],
    largest: f64,
    limited: bool,
) -> Result<[u32; 4], AssetError> {
    let q = |i: u32| points[i as usize];
    let extreme = extremes(points);
    let best = |score: &dyn Fn(u32) -> f64| Best {
        near: pick(extreme.iter().copied(), score),
        all: pick(0..points.len() as u32, score),
    };

    // a long edge
    let a = extreme[0];
    let far = best(&|i| (q(i) - q(a)).length_squared());
    let along = q(extreme[1])[0] - q(a)[0];
    let b = if limited && along > 1e-3 * far.all.1.sqrt() {
        extreme[1]
    } else {
        far.choose()
    };

    // a large triangle
    let ab = q(b) - q(a);
    let wide = best(&|i| ab.cross(q(i) - q(a)).length_squared());
    let least = 16.0 * f64::EPSILON * largest;
    let width = wide.all.1.sqrt();
    if width.is_nan() || width <= least * ab.length() {
        return Err(AssetError::new(
            "convex hull: all vertices lie on one line; consider a thin capsule instead",
        ));
    }
    let shadow = best(&|i| ab.cross(q(i) - q(a)).z.abs());
    let c = if limited && shadow.near.1 > 1e-3 * width {
        shadow.near.0
    } else {
        wide.choose()
    };

    // a high tetrahedron
    let normal = ab.cross(q(c) - q(a));
    let high = best(&|i| normal.dot(q(i) - q(a)).abs());
    let height = high.all.1;
    if height.is_nan() || height <= least * normal.length() {
        return Err(flat());
    }
    Ok([a, b, c, high.choose()])
}

/// The error of points in one plane.
pub(crate) fn flat() -> AssetError {
    AssetError::new(
        "convex hull: all vertices lie in one plane; consider a plane or a thin box instead",
    )
}

// the best of the extreme points and of all, with their scores
struct Best {
    near: (u32, f64),
    all: (u32, f64),
}

impl Best {
    /// Extreme points are preferred unless they make a sliver.
    fn choose(&self) -> u32 {
        if self.near.1 > 1e-3 * self.all.1 {
            self.near.0
        } else {
            self.all.0
        }
    }
}

fn pick(points: impl Iterator<Item = u32>, score: &dyn Fn(u32) -> f64) -> (u32, f64) {
    points.fold((0, 0.0), |(best, most), i| {
        let x = score(i);
        if x > most { (i, x) } else { (best, most) }
    })
}

/// The first points to reach the bounds along each axis, lower then upper.
fn extremes(points: &[DVec3]) -> Vec<u32> {
    let mut extreme = Vec::with_capacity(6);
    for k in 0..3 {
        let (mut lo, mut hi) = (0, 0);
        for (i, p) in points.iter().enumerate() {
            if p[k] > points[hi][k] {
                hi = i;
            }
            if p[k] < points[lo][k] {
                lo = i;
            }
        }
        extreme.extend([lo as u32, hi as u32]);
    }
    extreme
}
