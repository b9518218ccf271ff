//! A tree of boxes around the triangles of a mesh, or around the elements of a flex, halved along their longest axis
//! (`mjCBoundingVolumeHierarchy`).

use super::vec3::{EPS, V3};

/// The arrays `bvh_*` of one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh {
    /// The two parts of a box, by number within the tree, or -1 (`bvh_child`).
    pub child: Vec<[i32; 2]>,
    /// The triangle of a box that has no parts, or -1 (`bvh_nodeid`).
    pub nodeid: Vec<i32>,
    /// Centre and half sizes of a box (`bvh_aabb`).
    pub aabb: Vec<[f64; 6]>,
}

/// Boxes in the order in which a walk through their tree meets them that goes into the first half of each part first; a box is its low
/// and its high corner.
pub fn order(boxes: &[[V3; 2]]) -> Vec<usize> {
    let leaf = |(id, &[low, high]): (usize, &[V3; 2])| Leaf {
        id,
        low,
        high,
        place: std::array::from_fn(|k| 0.5 * (low[k] + high[k])),
    };
    let mut leaves: Vec<Leaf> = boxes.iter().enumerate().map(leaf).collect();
    if !leaves.is_empty() {
        Bvh::default().add(&mut leaves);
    }
    leaves.into_iter().map(|leaf| leaf.id).collect()
}

/// The tree of a mesh of these vertices and triangles.
pub fn bvh(vert: &[V3], face: &[[i32; 3]]) -> Bvh {
    let mut leaves: Vec<Leaf> = face
        .iter()
        .enumerate()
        .map(|(id, face)| Leaf::new(id, face.map(|v| vert[v as usize])))
        .collect();
    let mut tree = Bvh::default();
    if !leaves.is_empty() {
        tree.add(&mut leaves);
    }
    tree
}

// a triangle or an element: its number, its box, and the point by which it comes into one half or the other
struct Leaf {
    id: usize,
    low: V3,
    high: V3,
    place: V3,
}

impl Leaf {
    fn new(id: usize, corners: [V3; 3]) -> Self {
        let over = |pick: fn(f64, f64) -> f64| {
            std::array::from_fn(|k| corners.iter().map(|v| v[k]).reduce(pick).unwrap_or(0.0))
        };
        Self {
            id,
            low: over(f64::min),
            high: over(f64::max),
            place: circumcentre(corners),
        }
    }
}

// the point that is as far from all three corners; where they lie in a line, the mean
fn circumcentre([v0, v1, v2]: [V3; 3]) -> V3 {
    let sub = |u: V3, v: V3| [u[0] - v[0], u[1] - v[1], u[2] - v[2]];
    let cross = |u: V3, v: V3| {
        [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ]
    };
    let square = |u: V3| u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    let (a, b) = (sub(v0, v2), sub(v1, v2));
    let normal = cross(a, b);
    let way: V3 = std::array::from_fn(|k| square(a) * b[k] - square(b) * a[k]);
    let from_last = cross(way, normal);
    let out = std::array::from_fn(|k| from_last[k] / (2.0 * square(normal)) + v2[k]);
    match out.iter().all(|x| x.is_finite()) {
        true => out,
        false => std::array::from_fn(|k| (v0[k] + v1[k] + v2[k]) / 3.0),
    }
}

impl Bvh {
    // the box around some triangles and all its parts; its number
    fn add(&mut self, leaves: &mut [Leaf]) -> i32 {
        let [mut low, mut high] = [[f64::MAX; 3], [-f64::MAX; 3]];
        for leaf in leaves.iter() {
            for k in 0..3 {
                low[k] = low[k].min(leaf.low[k]);
                high[k] = high[k].max(leaf.high[k]);
            }
        }
        // a flat box gets a thickness
        for k in 0..3 {
            if (high[k] - low[k]).abs() < EPS {
                low[k] -= EPS;
                high[k] += EPS;
            }
        }
        let own = self.child.len();
        self.child.push([-1; 2]);
        self.nodeid.push(-1);
        self.aabb.push(std::array::from_fn(|k| match k < 3 {
            true => (high[k] + low[k]) / 2.0,
            false => (high[k - 3] - low[k - 3]) / 2.0,
        }));
        if let [leaf] = leaves {
            self.nodeid[own] = leaf.id as i32;
            return own as i32;
        }
        let (first, second) = halves(leaves, longest(low, high));
        let child = [self.add(first), self.add(second)];
        self.child[own] = child;
        own as i32
    }
}

// the longest axis of a box, the first of equals
fn longest(low: V3, high: V3) -> usize {
    let edge = |k: usize| high[k] - low[k];
    let mut axis = 0;
    for k in 1..3 {
        if edge(k) >= edge(axis) + EPS {
            axis = k;
        }
    }
    axis
}

// those that come first along an axis, and the others, which are one more if the number is odd; of those that are as far the
// ones with lower numbers come first
fn halves(leaves: &mut [Leaf], axis: usize) -> (&mut [Leaf], &mut [Leaf]) {
    let along = |leaf: &Leaf| leaf.place[axis];
    let order = |a: &Leaf, b: &Leaf| along(a).total_cmp(&along(b));
    let middle = leaves.len() / 2;
    let (first, next, _) = leaves.select_nth_unstable_by(middle, order);
    let last = first.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    if (along(next) - last).abs() <= EPS {
        leaves.sort_unstable_by(order);
        for alike in leaves.chunk_by_mut(|a, b| (along(a) - along(b)).abs() <= EPS) {
            alike.sort_unstable_by_key(|leaf| leaf.id);
        }
    }
    leaves.split_at_mut(middle)
}
