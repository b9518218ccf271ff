//! Clipping of a polygon to a face, and its reduction to a few corners.

use super::manifold::{Meeting, Polygon};
use crate::cpu::lib::contact::Contacts;
use crate::cpu::lib::math::*;
use crate::types::*;
use wide::f64x4;

/// Relative difference up to which the roots of two numbers may be rounded to the same number.
const NEARLY: f64 = 1e-15;

type Vec3 = [f64; 3];

/// Contacts of a meeting: `other` clipped to the face, within `margin` of it. At most `most` contacts if `most` is less than five
/// (`polygonClip`).
pub fn meet(meeting: &Meeting, margin: f64, most: usize, out: &mut Contacts) {
    for corner in corners(meeting, margin, most) {
        touch(meeting, corner, out);
    }
}

/// Corners of `other` clipped to the face of a meeting, up to the height `margin` above it; at most `most` if that is less than five.
pub fn corners(meeting: &Meeting, margin: f64, most: usize) -> Polygon {
    let face = &meeting.face;
    if face.len() < 3 {
        return Polygon::new();
    }
    let mut left = meeting.other.clone();
    let mut fours = Vec::with_capacity((left.len() + face.len()).div_ceil(4));
    by_fours(&left, &mut fours);
    // how many sides left the polygon as it was; each makes its first corner the last
    let mut kept = 0;
    let mut cut_off = Polygon::with_capacity(left.len() + face.len());
    for (k, &from) in face.iter().enumerate() {
        let to = *face.get(k + 1).unwrap_or(&face[0]);

        // inward normal of the plane through this side of the face, perpendicular to the face
        let upright = sub3(add3(from, meeting.normal), from);
        let (inward, _) = normalize3(cross(sub3(to, from), upright));
        if all_inside(&fours, from, inward) {
            kept += 1;
            continue;
        }
        turn(&mut left, &mut kept);
        cut(&left, from, inward, &mut cut_off);
        std::mem::swap(&mut left, &mut cut_off);
        by_fours(&left, &mut fours);
    }
    turn(&mut left, &mut kept);
    few(meeting, left, margin, most)
}

/// The corners of a polygon that are at most `margin` above the face, reduced to at most `most` if that is less than five.
pub fn few(meeting: &Meeting, mut left: Polygon, margin: f64, most: usize) -> Polygon {
    // corners farther above the face than the margin make no contact
    left.retain(|&corner| meeting.height(corner) <= margin);

    // the four corners of largest area, or the two ends of an edge, or all
    if most < 5 && left.len() > 4 {
        left = widest(&left, left.len()).map(|k| left[k]).to_vec();
    } else if meeting.other.len() == 2 && left.len() > 2 {
        let (k, j) = farthest(&left);
        left = vec![left[k], left[j]];
    }
    left
}

// contact of a corner and the face: midway between the foot of the corner on the face and the point at the contact's distance
// from it along the other solid's normal
fn touch(meeting: &Meeting, corner: Vec3, out: &mut Contacts) {
    let height = meeting.height(corner);
    let dist = -height * dot3(meeting.dir, meeting.normal);
    let foot = add_scl3(corner, meeting.normal, -height);
    let pos = add_scl3(foot, meeting.dir, -0.5 * dist);
    let normal = match meeting.turned {
        true => meeting.dir,
        false => scl3(meeting.dir, -1.0),
    };
    out.add(dist, pos, normal);
}

// the coordinates of corners, four at a time; the last one fills the last four
fn by_fours(polygon: &[Vec3], fours: &mut Vec<[f64x4; 3]>) {
    let four = |some: &[Vec3]| {
        let along = |k: usize, axis: usize| some[k.min(some.len() - 1)][axis];
        [0, 1, 2].map(|axis| f64x4::from([0, 1, 2, 3].map(|k| along(k, axis))))
    };
    fours.clear();
    fours.extend(polygon.chunks(4).map(four));
}

// whether all corners are on the inner side of a plane
fn all_inside(fours: &[[f64x4; 3]], on: Vec3, inward: Vec3) -> bool {
    let (on, inward) = (on.map(f64x4::splat), inward.map(f64x4::splat));
    let least = f64x4::splat(-MINVAL);
    fours.iter().all(|[x, y, z]| {
        let height = (*x - on[0]) * inward[0] + (*y - on[1]) * inward[1] + (*z - on[2]) * inward[2];
        height.simd_gt(least).all()
    })
}

// makes as many first corners the last
fn turn(polygon: &mut Polygon, corners: &mut usize) {
    if let Some(some) = corners.checked_rem(polygon.len()) {
        polygon.rotate_left(some);
    }
    *corners = 0;
}

// clips a polygon to the inner side of a plane
fn cut(polygon: &[Vec3], on: Vec3, inward: Vec3, out: &mut Polygon) {
    out.clear();
    let Some((&first, rest)) = polygon.split_first() else {
        return;
    };
    let height = |point: Vec3| dot3(sub3(point, on), inward);
    let first_height = height(first);
    let (mut p, mut p_height) = (first, first_height);
    let mut side = |q: Vec3, q_height: f64| {
        if (p_height > -MINVAL) != (q_height > -MINVAL) {
            let t = p_height / (p_height - q_height);
            if (0.0..=1.0).contains(&t) {
                out.push(add_scl3(p, sub3(q, p), t));
            }
        }
        if q_height > -MINVAL {
            out.push(q);
        }
        (p, p_height) = (q, q_height);
    };
    rest.iter().for_each(|&q| side(q, height(q)));
    side(first, first_height);
}

fn farthest(corner: &[Vec3]) -> (usize, usize) {
    let mut best = (0, 1);
    let mut most = 0.0;
    for i in 0..corner.len() {
        for j in i + 1..corner.len() {
            let dif = sub3(corner[j], corner[i]);
            if dot3(dif, dif) > most {
                most = dot3(dif, dif);
                best = (i, j);
            }
        }
    }
    best
}

/// Four corners of a convex polygon that span a large area: each is moved on as long as the area grows, starting at each of the
/// first `begins` corners. With `begins` 1 the first corner stays one of them.
pub fn widest(corner: &[Vec3], begins: usize) -> [usize; 4] {
    let next = |k: usize| if k + 1 < corner.len() { k + 1 } else { 0 };
    let squared_area = |[a, b, c, d]: [usize; 4]| {
        let (ca, db) = (sub3(corner[a], corner[c]), sub3(corner[b], corner[d]));
        let across = cross(ca, db);
        dot3(across, across)
    };
    let mut at = [0, 1, 2, 3];
    let mut best = at;
    let mut most = squared_area(at);
    while at[0] < begins {
        // moves a corner on while the area grows; true if it moved
        let mut walk = |at: &mut [usize; 4], k: usize, once: bool| {
            let mut moved = false;
            loop {
                let mut walked = *at;
                walked[k] = next(at[k]);
                let area = squared_area(walked);
                if !larger(area, most) {
                    return moved;
                }
                (*at, best, most, moved) = (walked, walked, area, true);
                if once {
                    return true;
                }
            }
        };
        while walk(&mut at, 3, true) {
            walk(&mut at, 2, false);
            walk(&mut at, 1, false);
        }

        // move on corners that were caught up with
        for k in 1..4 {
            if at[k] != at[k - 1] {
                break;
            }
            at[k] = next(at[k]);
        }
        at[0] += 1;
    }
    best
}

// of two squared areas, true if the root of the first is larger than that of the second, both rounded; roots are taken of nearly equal
// ones alone
fn larger(first: f64, second: f64) -> bool {
    first > second && (first > second * (1.0 + NEARLY) || first.sqrt() > second.sqrt())
}
