//! Hulls of clouds of all shapes: closed, Euler's formula, nothing outside, every corner extreme.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn faces(points: &[[f32; 3]], maxvert: Option<usize>) -> Vec<[i32; 3]> {
    let hull = convex_hull(points, maxvert).unwrap();
    for (f, t) in hull.face.iter().enumerate() {
        for i in 0..3 {
            let g = hull.across[f][i] as usize;
            let mate = (0..3)
                .any(|k| hull.face[g][k] == t[(i + 1) % 3] && hull.face[g][(k + 1) % 3] == t[i]);
            assert!(mate, "neighbour without the edge");
        }
    }
    hull.face
}

fn exact(points: &[[f32; 3]], t: [i32; 3], p: [f32; 3]) -> f64 {
    let at = |p: [f32; 3]| {
        let DVec3 { x, y, z } = wide(p);
        robust::Coord3D { x, y, z }
    };
    let [a, b, c] = t.map(|i| at(points[i as usize]));
    -robust::orient3d(a, b, c, at(p))
}

/// Asserts that `face` is the convex hull of `points`, and returns its corners.
fn check(points: &[[f32; 3]], face: &[[i32; 3]]) -> BTreeSet<i32> {
    // every directed edge once, and its opposite once: closed and oriented
    let mut edges = BTreeSet::new();
    for t in face {
        for i in 0..3 {
            assert!(edges.insert((t[i], t[(i + 1) % 3])), "edge twice");
        }
    }
    for &(u, v) in &edges {
        assert!(edges.contains(&(v, u)), "open edge");
    }

    // a sphere: V - E + F = 2
    let corners: BTreeSet<i32> = face.iter().flatten().copied().collect();
    let euler = corners.len() as i64 - edges.len() as i64 / 2 + face.len() as i64;
    assert_eq!(euler, 2);

    // nothing outside, exactly; the corners off a face strictly below unless coplanar with it
    for &t in face {
        for &p in points {
            assert!(exact(points, t, p) <= 0.0, "point outside");
        }
    }

    // corners are extreme: the planes around one have no direction in common
    let mut around: BTreeMap<i32, Vec<[i32; 3]>> = BTreeMap::new();
    for &t in face {
        t.iter().for_each(|&v| around.entry(v).or_default().push(t));
    }
    for (v, faces) in around {
        let mut planes: Vec<[i32; 3]> = Vec::new();
        for t in faces {
            let same = |s: &[i32; 3]| {
                t.iter()
                    .all(|&i| exact(points, *s, points[i as usize]) == 0.0)
            };
            if !planes.iter().any(same) {
                planes.push(t);
            }
        }
        assert!(planes.len() >= 3, "corner {v} is not extreme");
    }
    corners
}

fn cube(n: i32) -> Vec<[f32; 3]> {
    let mut points = Vec::new();
    for x in 0..=n {
        for y in 0..=n {
            for z in 0..=n {
                points.push([x as f32, y as f32, z as f32]);
            }
        }
    }
    points
}

#[test]
fn grid_has_eight_corners() {
    for n in 1..6 {
        let points = cube(n);
        let face = faces(&points, None);
        assert_eq!(check(&points, &face).len(), 8);
        assert_eq!(face.len(), 12);
    }
}

#[test]
fn every_order_of_a_grid_gives_the_same_corners() {
    let points = cube(2);
    for shift in 0..points.len() {
        let mut turned = points.clone();
        turned.rotate_left(shift);
        let face = faces(&turned, None);
        assert_eq!(check(&turned, &face).len(), 8);
    }
}

#[test]
fn flat_line_point_and_nan_are_refused() {
    let flat: Vec<[f32; 3]> = cube(3).into_iter().filter(|p| p[2] == 1.0).collect();
    assert!(convex_hull(&flat, None).is_err());
    // a plane that is not along the axes: coordinates that sum to 3
    let tilted: Vec<[f32; 3]> = cube(3)
        .into_iter()
        .filter(|p| p[0] + p[1] + p[2] == 3.0)
        .collect();
    assert!(tilted.len() > 4);
    assert!(convex_hull(&tilted, None).is_err());
    let line: Vec<[f32; 3]> = (0..9)
        .map(|i| [i as f32, 2.0 * i as f32, -(i as f32)])
        .collect();
    assert!(convex_hull(&line, None).is_err());
    assert!(convex_hull(&[[1.0; 3]; 7], None).is_err());
    assert!(convex_hull(&[], None).is_err());
    for bad in [f32::NAN, f32::INFINITY] {
        let mut points = cube(2);
        points[5][1] = bad;
        let msg = convex_hull(&points, None).unwrap_err().to_string();
        assert_eq!(msg, "vertex coordinate 5 is not finite");
    }
}

#[test]
fn thin_slab_keeps_every_corner() {
    // a disc of 97 corners, a billionth thick, far from the origin
    let mut points = Vec::new();
    for i in 0..97 {
        let a = i as f32 * std::f32::consts::TAU / 97.0;
        for z in [0.0, 1e-9] {
            points.push([3.0 + a.cos(), a.sin(), z]);
        }
    }
    let face = faces(&points, None);
    assert_eq!(check(&points, &face).len(), 194);
}

#[test]
fn maxvert_bounds_the_corners() {
    let points: Vec<[f32; 3]> = (0..500)
        .map(|i| {
            let (a, z) = (i as f32 * 2.4, i as f32 / 250.0 - 0.998);
            let r = (1.0 - z * z).sqrt();
            [r * a.cos(), r * a.sin(), z]
        })
        .collect();
    for n in [4, 5, 20, 100] {
        let face = faces(&points, Some(n));
        let corners: BTreeSet<i32> = face.iter().flatten().copied().collect();
        assert_eq!(corners.len(), n);
        let kept: Vec<[f32; 3]> = corners.iter().map(|&i| points[i as usize]).collect();
        assert_eq!(check(&kept, &faces(&kept, None)).len(), n);
    }
    let face = faces(&points, None);
    assert_eq!(check(&points, &face).len(), 500);
}

/// Height of the highest tetrahedron over the largest triangle of a cloud, relative to its largest coordinate.
fn thickness(points: &[[f32; 3]]) -> f64 {
    let p: Vec<DVec3> = points.iter().map(|p| wide(*p)).collect();
    let largest = p.iter().fold(0.0, |s: f64, x| s.max(x.abs().max_element()));
    let n = p.len();
    let mut best = (0.0, [0; 3]);
    for i in 0..n {
        for j in 0..i {
            for k in 0..j {
                let x = (p[j] - p[i]).cross(p[k] - p[i]);
                if x.dot(x) > best.0 {
                    best = (x.dot(x), [i as i32, j as i32, k as i32]);
                }
            }
        }
    }
    let (square, t) = best;
    if n < 4 || square == 0.0 {
        return 0.0;
    }
    let heights = points.iter().map(|p| exact(points, t, *p).abs());
    heights.fold(0.0, f64::max) / square.sqrt() / largest
}

/// Clouds of few distinct coordinates are full of coplanar, collinear and repeated points.
fn cloud() -> impl Strategy<Value = Vec<[f32; 3]>> {
    let coarse = prop::array::uniform3((-3i32..4).prop_map(|i| i as f32));
    let fine = prop::array::uniform3(-1.0f32..1.0);
    let rough = prop::array::uniform3((-3i32..4).prop_map(|i| i as f32 * 0.1 + 1000.0));
    let mixed = prop::array::uniform3(prop_oneof![
        Just(0.0f32),
        Just(1.0),
        Just(-0.0),
        Just(1e-30),
        Just(1e-7),
        Just(3e7),
        -1.0f32..1.0
    ]);
    prop_oneof![
        prop::collection::vec(coarse, 0..60),
        prop::collection::vec(fine, 0..60),
        prop::collection::vec(rough, 0..60),
        prop::collection::vec(mixed, 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_cloud_has_a_hull_or_is_flat(points in cloud()) {
        match convex_hull(&points, None) {
            Ok(_) => { check(&points, &faces(&points, None)); }
            Err(_) => prop_assert!(thickness(&points) <= 1e-14, "refused though not flat"),
        }
    }

    #[test]
    fn a_shuffle_does_not_change_the_corners(points in cloud(), seed in 0usize..1000) {
        let mut other = points.clone();
        if !other.is_empty() {
            let n = other.len();
            other.rotate_left(seed % n);
            other.reverse();
        }
        let corners = |points: &[[f32; 3]]| {
            convex_hull(points, None).ok().map(|hull| {
                let mut c: Vec<[f64; 3]> = hull
                    .face
                    .iter()
                    .flatten()
                    .map(|&i| wide(points[i as usize]).to_array().map(|x| x + 0.0))
                    .collect();
                c.sort_by(|a, b| a.partial_cmp(b).unwrap());
                c.dedup();
                c
            })
        };
        match (corners(&points), corners(&other)) {
            (Some(a), Some(b)) => prop_assert_eq!(a, b),
            (None, None) => {}
            // at the edge of what counts as flat the order may decide
            _ => prop_assert!(thickness(&points) <= 1e-14),
        }
    }
}
