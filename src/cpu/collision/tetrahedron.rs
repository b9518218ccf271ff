//! A capsule, or a sphere, and a tetrahedron inflated by `radius`: the capsule comes first.

use super::nearest::{FACES, nearest_point};
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::MINVAL;

const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Meeting of a segment and a tetrahedron: signed distance, point of the segment, unit normal from it to the tetrahedron.
struct Meeting {
    dist: f64,
    point: [f64; 3],
    normal: [f64; 3],
}

/// One contact: at the nearest points, or along the shortest way out of the tetrahedron.
pub fn capsule_tetrahedron(
    ends: [[f64; 3]; 2],
    thick: f64,
    corner: [[f64; 3]; 4],
    radius: f64,
    margin: f64,
    out: &mut Contacts,
) {
    let faces = FACES.map(|face| outward(&corner, face));
    let met = match inside(&faces, ends) {
        true => shortest_way(&faces, ends, &corner),
        false => apart(ends, &corner),
    };
    let dist = met.dist - thick - radius;
    if dist <= margin {
        let pos = add_scl3(met.point, met.normal, thick + 0.5 * dist);
        out.add(dist, pos, met.normal);
    }
}

/// A point of a face and its outward normal.
struct Face {
    point: [f64; 3],
    normal: [f64; 3],
}

fn outward(corner: &[[f64; 3]; 4], face: [usize; 3]) -> Face {
    let [a, b, c] = face.map(|i| corner[i]);
    let opposite = corner[6 - face[0] - face[1] - face[2]];
    let (normal, _) = normalize3(cross(sub3(b, a), sub3(c, a)));
    let inner = dot3(normal, sub3(opposite, a)) > 0.0;
    Face {
        point: a,
        normal: if inner { scl3(normal, -1.0) } else { normal },
    }
}

// true if a part of a segment is behind all faces
fn inside(faces: &[Face; 4], [a, b]: [[f64; 3]; 2]) -> bool {
    let (mut from, mut to) = (0.0, 1.0);
    for face in faces {
        let height = dot3(face.normal, sub3(a, face.point));
        let climb = dot3(face.normal, sub3(b, a));
        if climb > 0.0 {
            to = f64::min(to, -height / climb);
        } else if climb < 0.0 {
            from = f64::max(from, -height / climb);
        } else if height > 0.0 {
            return false;
        }
    }
    from <= to
}

// nearest points of the tetrahedron and an end of the segment, or of an edge and the segment
fn apart(ends: [[f64; 3]; 2], corner: &[[f64; 3]; 4]) -> Meeting {
    let of_ends = ends.map(|end| [end, nearest_point(corner, end)]);
    let of_edges = EDGES.map(|edge| nearest_points(ends, edge.map(|i| corner[i])));
    let (mut best, mut least) = (of_ends[0], f64::INFINITY);
    for pair in of_ends.into_iter().chain(of_edges) {
        let dif = sub3(pair[1], pair[0]);
        if dot3(dif, dif) < least {
            (best, least) = (pair, dot3(dif, dif));
        }
    }
    let (normal, dist) = normalize3(sub3(best[1], best[0]));
    Meeting {
        dist,
        point: best[0],
        normal,
    }
}

// shortest way out: along a face normal, or along the cross product of the segment and an edge
fn shortest_way(faces: &[Face; 4], ends: [[f64; 3]; 2], corner: &[[f64; 3]; 4]) -> Meeting {
    let mut best = Meeting {
        dist: f64::NEG_INFINITY,
        point: ends[0],
        normal: [0.0; 3],
    };
    let mut way = |out: [f64; 3], depth: f64, point: [f64; 3]| {
        if -depth > best.dist {
            best = Meeting {
                dist: -depth,
                point,
                normal: scl3(out, -1.0),
            };
        }
    };
    for face in faces {
        let [a, b] = ends.map(|end| dot3(face.normal, sub3(face.point, end)));
        let deepest = if a >= b { ends[0] } else { ends[1] };
        way(face.normal, a.max(b), deepest);
    }
    let along = sub3(ends[1], ends[0]);
    for edge in EDGES {
        let edge = edge.map(|i| corner[i]);
        let (across, sine) = normalize3(cross(along, sub3(edge[1], edge[0])));
        if sine < MINVAL {
            continue;
        }
        for side in [1.0, -1.0] {
            let out = scl3(across, side);
            let height = |x: &[f64; 3]| dot3(out, sub3(*x, ends[0]));
            let depth = corner.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
            // the edge must be the outermost part of the tetrahedron in this direction
            if height(&edge[0]).max(height(&edge[1])) >= depth {
                way(out, depth, nearest_points(ends, edge)[0]);
            }
        }
    }
    best
}

// nearest points of two segments
fn nearest_points([a, b]: [[f64; 3]; 2], [c, d]: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    let (along1, along2, dif) = (sub3(b, a), sub3(d, c), sub3(a, c));
    let (len1, len2) = (dot3(along1, along1), dot3(along2, along2));
    let (both, on1, on2) = (dot3(along1, along2), dot3(along1, dif), dot3(along2, dif));
    let det = len1 * len2 - both * both;
    let first = match det > 0.0 {
        true => clip((both * on2 - on1 * len2) / det, 0.0, 1.0),
        false => 0.0,
    };
    let second = match len2 > 0.0 {
        true => clip((both * first + on2) / len2, 0.0, 1.0),
        false => 0.0,
    };
    let first = match len1 > 0.0 {
        true => clip((both * second - on1) / len1, 0.0, 1.0),
        false => 0.0,
    };
    [add_scl3(a, along1, first), add_scl3(c, along2, second)]
}
