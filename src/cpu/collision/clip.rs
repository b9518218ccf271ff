//! A polygon cut to a face, and what is left of it told by a few corners.

use super::manifold::{Meeting, Polygon};
use crate::cpu::lib::math::*;
use crate::types::*;

type Vec3 = [f64; 3];

/// A contact: its points on both solids and their distance, negative in penetration.
#[derive(Clone, Copy, Default)]
pub struct Touch {
    pub on_first: Vec3,
    pub on_second: Vec3,
    pub dist: f64,
}

/// Cuts what meets a face to it; returns the number of contacts, at most `most` (`polygonClip`).
pub fn meet(meeting: &mut Meeting, most: usize, out: &mut [Touch; MAXCONPAIR]) -> usize {
    if meeting.face.num < 3 {
        return 0;
    }
    let edge = meeting.other.num == 2;
    let mut spare = Polygon::new();
    for k in 0..meeting.face.num {
        let from = meeting.face.corner[k];
        let to = meeting.face.corner[(k + 1) % meeting.face.num];

        // normal of the plane through the side, upright on the face, inwards
        let upright = sub3(add3(from, meeting.normal), from);
        let (inward, _) = normalize3(cross(sub3(to, from), upright));
        cut(&meeting.other, from, inward, &mut spare);
        std::mem::swap(&mut meeting.other, &mut spare);
    }

    // corners above the face do not touch it
    let other = &mut meeting.other;
    let mut num = 0;
    for k in 0..other.num {
        let height = dot3(
            sub3(other.corner[k], meeting.face.corner[0]),
            meeting.normal,
        );
        if height <= 0.0 {
            other.corner[num] = other.corner[k];
            num += 1;
        }
    }

    // four corners of great area, or the ends of an edge, or all
    let left = &mut other.corner;
    if most < 5 && num > 4 {
        let pick = widest(&left[..num]).map(|k| left[k]);
        left[..4].copy_from_slice(&pick);
        num = 4;
    } else if edge && num > 2 {
        let (k, j) = farthest(&left[..num]);
        (left[0], left[1]) = (left[k], left[j]);
        num = 2;
    }
    num = num.min(MAXCONPAIR);
    for (k, touch) in out[..num].iter_mut().enumerate() {
        *touch = on_face(meeting, meeting.other.corner[k]);
    }
    num
}

// the foot of a corner on the face, and the point as far from it as the other solid's normal tells
fn on_face(meeting: &Meeting, corner: Vec3) -> Touch {
    let height = dot3(sub3(corner, meeting.face.corner[0]), meeting.normal);
    let dist = -(height * dot3(meeting.dir, meeting.normal)).abs();
    let foot = add_scl3(corner, meeting.normal, -height);
    let there = add_scl3(foot, meeting.dir, -dist);
    let (on_first, on_second) = match meeting.turned {
        true => (there, foot),
        false => (foot, there),
    };
    Touch {
        on_first,
        on_second,
        dist,
    }
}

// keeps what is on the inner side of a plane
fn cut(polygon: &Polygon, on: Vec3, inward: Vec3, out: &mut Polygon) {
    let inside = |point: Vec3| dot3(sub3(point, on), inward) > -MINVAL;
    let level = dot3(inward, on);
    out.num = 0;
    for i in 0..polygon.num {
        let p = polygon.corner[i];
        let q = polygon.corner[(i + 1) % polygon.num];
        let (inside_p, inside_q) = (inside(p), inside(q));
        if inside_p != inside_q {
            let along = sub3(q, p);
            let slope = dot3(inward, along);
            let t = (level - dot3(inward, p)) / slope;
            if slope != 0.0 && (0.0..=1.0).contains(&t) {
                out.push(add_scl3(p, along, t));
            }
        }
        if inside_q {
            out.push(q);
        }
    }
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

// four corners of a convex polygon that span the greatest area, by walking each as long as the area grows
fn widest(corner: &[Vec3]) -> [usize; 4] {
    let next = |k: usize| (k + 1) % corner.len();
    let area = |[a, b, c, d]: [usize; 4]| {
        let (ca, db) = (sub3(corner[a], corner[c]), sub3(corner[b], corner[d]));
        0.5 * norm3(cross(ca, db))
    };
    let mut at = [0, 1, 2, 3];
    let mut best = at;
    let mut most = area(at);
    while at[0] < corner.len() {
        let mut walked = at;
        walked[3] = next(at[3]);
        while area(walked) > most {
            (at, best, most) = (walked, walked, area(walked));
            for k in [2, 1] {
                walked[k] = next(at[k]);
                while area(walked) > most {
                    (at, best, most) = (walked, walked, area(walked));
                    walked[k] = next(at[k]);
                }
                walked = at;
            }
            walked[3] = next(at[3]);
        }

        // corners that were caught up with
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
