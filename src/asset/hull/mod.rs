//! Convex hull of points in space, in the order in which qhull lists it.
//!
//! ```text
//!      p            facets that p lies above go away,
//!     /|\           the edges around them (the horizon) are joined to p,
//!    / | \          facets in one plane are merged,
//!   ──────── ···    the points above the old facets are shared out among the new ones
//! ```
//!
//! MuJoCo takes its hulls from qhull 2020.2 (options `Qt`, and `Q9 TAn` for a number of corners). Where several corners of a face
//! touch at once, the contacts among them depend on the order in which corners and faces are listed. So each decision here is
//! qhull's: the next facet and its next point, the order of every list, and the arithmetic to the last bit. Two cases are not
//! handled, as no mesh was found that needs them: edges that rounding makes the edges of more than two facets, and horizons that
//! go around in a plane twice. Such points are refused.
//!
//! ```text
//! plane ▸ build (first tetrahedron, next point) ▸ cone ▸ merge ─ fold, rename ▸ place ─ find ▸ … ▸ cut
//! ```

mod build;
mod cone;
mod cut;
mod find;
mod fold;
mod merge;
mod place;
mod plane;
mod rename;
mod store;

use super::AssetError;
use super::vec3::{MINVAL, V3};
use build::Build;
use cut::Listed;
use glam::DVec3;
use store::{NONE, Stop};

/// A closed surface of triangles, as qhull lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hull {
    /// Points at the corners.
    pub corner: Vec<i32>,
    /// The neighbours of each corner, as points; each list ends with −1.
    pub around: Vec<i32>,
    /// Triangles, as indices into the points, counter-clockwise from outside.
    pub face: Vec<[i32; 3]>,
}

/// The convex hull of `points`.
///
/// Points within the rounding of a face or an edge are no corners. With `maxvert` there are at most that many corners: those that
/// qhull adds first. The result depends on the points and their order only. Fails on coordinates that are not finite, and on
/// points that all lie in one plane up to rounding, as in MuJoCo.
pub fn convex_hull(points: &[[f32; 3]], maxvert: Option<usize>) -> Result<Hull, AssetError> {
    if points.len() < 4 {
        return Err(AssetError::new("at least 4 vertices required"));
    }
    if points.len() >= i32::MAX as usize {
        return Err(AssetError::new("too many vertices for a convex hull"));
    }
    if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(AssetError::new(format!(
            "vertex coordinate {i} is not finite"
        )));
    }
    let points: Vec<V3> = points.iter().map(|p| p.map(f64::from)).collect();
    let listed = list(&points, maxvert).map_err(|stop| why(stop, &points))?;
    let number = |p: u32| if p == NONE { -1 } else { p as i32 };
    Ok(Hull {
        corner: listed.corner.into_iter().map(number).collect(),
        around: listed.around.into_iter().map(number).collect(),
        face: listed.face.into_iter().map(|f| f.map(number)).collect(),
    })
}

fn list(points: &[V3], maxvert: Option<usize>) -> Result<Listed, Stop> {
    let mut build = Build::run(points, maxvert)?;
    build.triangulate()?;
    build.list()
}

/// The error about points that have no hull.
fn why(stop: Stop, points: &[V3]) -> AssetError {
    let from = DVec3::from_array(points[0]);
    let rest = points.iter().map(|p| DVec3::from_array(*p) - from);
    let far = rest.clone().find(|e| e.length() > MINVAL);
    let along = |e: DVec3| {
        let edge = far.unwrap_or_default();
        edge.cross(e).length() <= MINVAL * edge.length() * e.length()
    };
    AssetError::new(match stop {
        Stop::Flat if rest.clone().all(along) => {
            "convex hull: all vertices lie on one line; consider a thin capsule instead"
        }
        Stop::Flat => {
            "convex hull: all vertices lie in one plane; consider a plane or a thin box instead"
        }
        Stop::Tangled => {
            "convex hull: vertices lie so close to one plane or to each other that rounding tangles the hull; \
             consider a thin box instead, or merge vertices that are almost the same"
        }
    })
}

#[cfg(test)]
mod tests;
