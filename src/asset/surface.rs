//! Signed distance of a point from a surface of triangles.

use std::collections::HashMap;

use glam::DVec3;

use super::vec3::V3;

/// Triangles in a tree of boxes, each with the normals of its interior, edges and corners.
pub struct Surface {
    face: Vec<[DVec3; 3]>,
    normal: Vec<[DVec3; 7]>,
    order: Vec<u32>,
    nodes: Vec<Node>,
}

// a box around triangles: `count` of them from `first` on in the order, or, if `count` is 0, around the two nodes from `first` on
struct Node {
    low: DVec3,
    high: DVec3,
    first: u32,
    count: u32,
}

/// Most triangles in a box that is not halved any more.
const FEW: usize = 4;

impl Surface {
    /// A surface of these vertices and triangles, counter-clockwise seen from outside.
    pub fn new(vert: &[V3], face: &[[i32; 3]]) -> Self {
        let triangle = |f: &[i32; 3]| f.map(|v| DVec3::from_array(vert[v as usize]));
        let mut surface = Self {
            face: face.iter().map(triangle).collect(),
            normal: normals(vert, face),
            order: (0..face.len() as u32).collect(),
            nodes: vec![Node {
                low: DVec3::ZERO,
                high: DVec3::ZERO,
                first: 0,
                count: face.len() as u32,
            }],
        };
        surface.grow(0);
        surface
    }

    // halves the box of a node along its longest side, recursively
    fn grow(&mut self, id: usize) {
        let (first, count) = (self.nodes[id].first as usize, self.nodes[id].count as usize);
        let held = &mut self.order[first..first + count];
        let corners = || held.iter().flat_map(|f| self.face[*f as usize]);
        let low = corners().fold(DVec3::INFINITY, DVec3::min);
        let high = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
        (self.nodes[id].low, self.nodes[id].high) = (low, high);
        if count <= FEW {
            return;
        }
        let size = (high - low).to_array();
        let axis = (0..3).fold(0, |axis, k| if size[k] > size[axis] { k } else { axis });
        let middle = |f: &u32| {
            let [a, b, c] = self.face[*f as usize];
            (a + b + c)[axis]
        };
        let half = count / 2;
        held.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        let parts = self.nodes.len();
        for (first, count) in [(first, half), (first + half, count - half)] {
            self.nodes.push(Node {
                low,
                high,
                first: first as u32,
                count: count as u32,
            });
        }
        (self.nodes[id].first, self.nodes[id].count) = (parts as u32, 0);
        self.grow(parts);
        self.grow(parts + 1);
    }

    /// Signed distance of a point: negative inside of a closed surface.
    pub fn distance(&self, p: DVec3) -> f64 {
        let mut least = f64::INFINITY;
        let mut sign = 1.0;
        let mut stack = vec![0];
        while let Some(id) = stack.pop() {
            let node = &self.nodes[id];
            if gap(node, p) >= least {
                continue;
            }
            if node.count == 0 {
                let [one, other] = [node.first as usize, node.first as usize + 1];
                let nearer = gap(&self.nodes[one], p) < gap(&self.nodes[other], p);
                stack.extend(if nearer { [other, one] } else { [one, other] });
                continue;
            }
            for f in &self.order[node.first as usize..(node.first + node.count) as usize] {
                let (point, part) = nearest(self.face[*f as usize], p);
                let way = p - point;
                if way.length_squared() < least {
                    least = way.length_squared();
                    let outside = way.dot(self.normal[*f as usize][part]) >= 0.0;
                    sign = if outside { 1.0 } else { -1.0 };
                }
            }
        }
        sign * least.sqrt()
    }
}

// square of the distance of a point from a box
fn gap(node: &Node, p: DVec3) -> f64 {
    let out = (node.low - p).max(p - node.high).max(DVec3::ZERO);
    out.length_squared()
}

// Normals of each triangle: of its interior, its three edges and its three corners. The normal of an edge is the sum of the
// normals beside it, that of a corner the sum of the normals around it, weighted by their angles. With these normals the side of
// a nearest point is always right.
fn normals(vert: &[V3], face: &[[i32; 3]]) -> Vec<[DVec3; 7]> {
    let at = |v: i32| DVec3::from_array(vert[v as usize]);
    let flat = |f: &[i32; 3]| {
        let [a, b, c] = f.map(at);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let flat: Vec<DVec3> = face.iter().map(flat).collect();
    let edge = |f: &[i32; 3], k: usize| {
        let (v, w) = (f[k], f[(k + 1) % 3]);
        (v.min(w), v.max(w))
    };
    let mut edges: HashMap<(i32, i32), DVec3> = HashMap::new();
    let mut corners = vec![DVec3::ZERO; vert.len()];
    for (f, normal) in face.iter().zip(&flat) {
        for k in 0..3 {
            *edges.entry(edge(f, k)).or_default() += *normal;
            let [here, next, last] = [0, 1, 2].map(|j| at(f[(k + j) % 3]));
            let (u, v) = (
                (next - here).normalize_or_zero(),
                (last - here).normalize_or_zero(),
            );
            corners[f[k] as usize] += *normal * u.dot(v).clamp(-1.0, 1.0).acos();
        }
    }
    let of = |(f, normal): (&[i32; 3], &DVec3)| {
        let [a, b, c] = [0, 1, 2].map(|k| edges[&edge(f, k)]);
        let [u, v, w] = f.map(|v| corners[v as usize]);
        [*normal, a, b, c, u, v, w]
    };
    face.iter().zip(&flat).map(of).collect()
}

// the point of a triangle nearest to another, and its feature: 0 interior, 1 to 3 an edge, 4 to 6 a corner
fn nearest([a, b, c]: [DVec3; 3], p: DVec3) -> (DVec3, usize) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, 4);
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, 5);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), 1);
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, 6);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), 3);
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 {
        return (b + (c - b) * (e / (e + f)), 2);
    }
    let all = va + vb + vc;
    (a + ab * (vb / all) + ac * (vc / all), 0)
}
