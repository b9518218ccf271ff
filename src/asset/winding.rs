//! How often triangles wind around a point, as MuJoCo finds it: triangles that are far away count as one.
//!
//! G. Barill and others, "Fast Winding Numbers for Soups and Clouds", 2018: a tree of boxes; the triangles of a box, seen from beyond twice its
//! radius, are replaced by the first two terms of their expansion about its centre. Near ½ these errors decide on which side a point
//! lies, so the tree is MuJoCo's: its splits, its radii, its sums.

use super::fill::Point;
use super::nth::nth_element;
use super::octree;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// Number of triangles of which a box is not divided.
const FEW: usize = 16;
/// Distance from which on a box is far away, in radii.
const FAR: f64 = 2.0;
/// Squared distances, areas and volumes (m², m³) below which there are none.
const NONE: f64 = 1e-30;
/// Extent of centroids (m) below which a box is not divided.
const POINT: f64 = 1e-20;
/// Rounding of a solid angle's sine and cosine for a point that lies on the triangle.
const ON: f64 = 1e-12;

/// A box of triangles, and what stands for them from far away.
struct Node {
    center: DVec3,
    radius: f64,
    /// Sum of the triangles' areas as vectors.
    area: DVec3,
    /// Sum of the products of the way from the centre to a triangle's centroid and its area, a column for each component of the area.
    moment: DMat3,
    inside: Inside,
}

enum Inside {
    /// Places in the list of triangles.
    Triangles(std::ops::Range<usize>),
    /// Two other boxes.
    Boxes([usize; 2]),
}

/// Triangles in a tree of boxes.
pub(crate) struct Winding {
    triangle: Vec<[DVec3; 3]>,
    centroid: Vec<DVec3>,
    // areas as vectors (m²)
    normal: Vec<DVec3>,
    // numbers of triangles in the order of the tree
    order: Vec<usize>,
    node: Vec<Node>,
}

impl Winding {
    pub fn new(triangles: &[[Point; 3]]) -> Self {
        let triangle: Vec<[DVec3; 3]> = triangles.iter().map(|of| of.map(DVec3::from)).collect();
        let cross = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a);
        let mut tree = Self {
            centroid: triangle
                .iter()
                .map(|[a, b, c]| (*a + *b + *c) / 3.0)
                .collect(),
            normal: triangle.iter().map(|of| 0.5 * cross(of)).collect(),
            order: (0..triangle.len()).collect(),
            node: Vec::new(),
            triangle,
        };
        if !triangles.is_empty() {
            tree.divide(0..triangles.len());
        }
        tree
    }

    // makes the box of a part of the list; returns its number
    fn divide(&mut self, range: std::ops::Range<usize>) -> usize {
        let number = self.node.len();
        let node = self.whole(range.clone());
        self.node.push(node);
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let centroids = self.order[range.clone()].iter().map(|&t| self.centroid[t]);
        let [low, high] = centroids.fold(none, |[low, high], x| [low.min(x), high.max(x)]);
        let extent = high - low;
        let mut axis = usize::from(extent.y > extent.x);
        if extent.z > extent[axis] {
            axis = 2;
        }
        if range.len() <= FEW || extent[axis] <= POINT {
            return number;
        }
        let half = range.len() / 2;
        let centroid = &self.centroid;
        nth_element(&mut self.order[range.clone()], half, |t| centroid[t][axis]);
        let middle = range.start + half;
        let boxes = [
            self.divide(range.start..middle),
            self.divide(middle..range.end),
        ];
        self.node[number].inside = Inside::Boxes(boxes);
        number
    }

    // the box of a part of the list, undivided
    fn whole(&self, range: std::ops::Range<usize>) -> Node {
        let all = &self.order[range.clone()];
        let area_of = |t: usize| self.normal[t].length();
        let area: f64 = all.iter().map(|&t| area_of(t)).sum();
        let center = match area > NONE {
            true => {
                let weighted = all.iter().map(|&t| area_of(t) * self.centroid[t]);
                weighted.sum::<DVec3>() / area
            }
            false => all.iter().map(|&t| self.centroid[t]).sum::<DVec3>() / all.len() as f64,
        };
        let corners = all.iter().flat_map(|&t| self.triangle[t]);
        let squares = corners.map(|x| x.distance_squared(center));
        let product = |&t: &usize| {
            let away = self.centroid[t] - center;
            DMat3::from_cols_array_2d(&self.normal[t].to_array().map(|n| (n * away).to_array()))
        };
        Node {
            center,
            radius: squares.fold(0.0, f64::max).sqrt(),
            area: all.iter().map(|&t| self.normal[t]).sum(),
            moment: all.iter().map(product).sum(),
            inside: Inside::Triangles(range),
        }
    }

    /// The number of times that the triangles wind around a point: 1 inside of a closed surface and on any, 0 outside, a share of it near
    /// an open one.
    pub fn around(&self, x: Point) -> f64 {
        match self.node.is_empty() {
            true => 0.0,
            false => self.by(0, DVec3::from(x)).unwrap_or(1.0),
        }
    }

    // what the triangles of a box contribute; none if the point is on one of them
    fn by(&self, number: usize, x: DVec3) -> Option<f64> {
        let node = &self.node[number];
        let way = node.center - x;
        let square = way.length_squared();
        if square > NONE && square > node.radius * (FAR * FAR * node.radius) {
            return Some(node.afar(way, square));
        }
        match &node.inside {
            Inside::Boxes([a, b]) => Some(self.by(*a, x)? + self.by(*b, x)?),
            Inside::Triangles(range) => {
                let mut triangles = self.order[range.clone()].iter();
                triangles.try_fold(0.0, |sum, &t| {
                    Some(sum + by_triangle(&self.triangle[t], x)?)
                })
            }
        }
    }
}

impl Node {
    // the first two terms of the expansion, for the way from a point to the centre and its square
    fn afar(&self, way: DVec3, square: f64) -> f64 {
        let inverse = 1.0 / square.sqrt();
        let cubed = inverse * (inverse * inverse);
        let along = way.dot(self.moment * way);
        let trace = self.moment.x_axis.x + self.moment.y_axis.y + self.moment.z_axis.z;
        let second = cubed * (-3.0 * along * (inverse * inverse) + trace);
        (cubed * way.dot(self.area) + second) / (4.0 * PI)
    }
}

// share of all directions in which a triangle is seen from a point, negative if its corners turn right there; none if the point is on it
fn by_triangle(triangle: &[DVec3; 3], x: DVec3) -> Option<f64> {
    let [a, b, c] = triangle.map(|p| p - x);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let volume = lc * (lb * la);
    if volume < NONE {
        return None;
    }
    let sine = a.dot(b.cross(c));
    let cosine = volume + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if sine.abs() > ON * volume {
        return Some(2.0 * sine.atan2(cosine) / (4.0 * PI));
    }
    (cosine > ON * volume).then_some(0.0)
}

/// Whether the straight line or the triangle between some corners meets a box.
pub(crate) fn meets(corner: &[Point], low: Point, high: Point) -> bool {
    let (low, high) = (DVec3::from(low), DVec3::from(high));
    let (center, half) = ((low + high) / 2.0, (high - low) / 2.0);
    octree::meets(corner.len(), |k| DVec3::from(corner[k]) - center, half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];

    fn closed() -> Vec<[Point; 3]> {
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        faces.map(|of| of.map(|k| CORNERS[k])).to_vec()
    }

    fn winding(triangles: &[[Point; 3]], x: Point) -> f64 {
        Winding::new(triangles).around(x)
    }

    #[test]
    fn a_closed_surface_winds_once_around_what_it_encloses() {
        assert!((winding(&closed(), [0.1, 0.2, 0.3]) - 1.0).abs() < 1e-14);
        assert!(winding(&closed(), [0.5, 0.5, 0.5]).abs() < 1e-14);
    }

    #[test]
    fn a_large_triangle_winds_half_around_a_point_beside_it() {
        let half = winding(&closed()[3..], [0.3, 0.3, 0.4 - 1e-9]);
        assert!((half - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_point_on_a_triangle_is_inside() {
        for on in [[0.2, 0.2, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]] {
            assert_eq!(winding(&closed()[..1], on), 1.0);
        }
        assert_eq!(winding(&closed()[..1], [2.0, 2.0, 0.0]), 0.0);
    }

    // a sheet of 800 triangles beside the sum over all of them
    #[test]
    fn what_is_far_away_counts_as_one() {
        let height = |x: f64, y: f64| 0.1 * (3.0 * x).sin() * (2.0 * y).cos();
        let at = |i: usize, j: usize| {
            let [x, y] = [i, j].map(|k| k as f64 / 20.0);
            [x, y, height(x, y)]
        };
        let squares = (0..20).flat_map(|i| (0..20).map(move |j| (i, j)));
        let sheet: Vec<[Point; 3]> = squares
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        let tree = Winding::new(&sheet);
        assert!(tree.node.len() > 50);
        for x in [[0.5, 0.5, 0.4], [0.1, 0.9, -0.2], [1.5, 0.5, 0.1]] {
            let each = tree
                .triangle
                .iter()
                .map(|of| by_triangle(of, DVec3::from(x)));
            let all: f64 = each.map(Option::unwrap).sum();
            let off = (tree.around(x) - all).abs();
            assert!(off > 0.0 && off < 1e-2, "{off}");
        }
    }

    #[test]
    fn a_triangle_passes_by_the_corner_of_a_box() {
        let face = closed()[3];
        assert!(meets(&face, [0.0; 3], [0.34; 3]));
        assert!(!meets(&face, [0.0; 3], [0.33; 3]));
        assert!(!meets(&face[..2], [0.0; 3], [0.34; 3]));
        assert!(meets(&face[..2], [0.4, 0.4, 0.0], [0.6, 0.6, 0.1]));
    }
}
