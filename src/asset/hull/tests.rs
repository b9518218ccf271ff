//! Hulls of clouds of all shapes: closed, Euler's formula, no point outside beyond rounding, neighbours in agreement with the faces.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use glam::DVec3;

fn wide(p: [f32; 3]) -> DVec3 {
    DVec3::from_array(p.map(f64::from))
}

fn largest(points: &[[f32; 3]]) -> f64 {
    let reach = points.iter().map(|p| wide(*p).abs().max_element());
    reach.fold(0.0, f64::max)
}

/// Asserts that a hull is a closed surface around all points, up to `tol` times the largest coordinate.
fn check(points: &[[f32; 3]], hull: &Hull, tol: f64) {
    // every directed edge once, and its opposite once: closed and oriented
    let mut edges = BTreeSet::new();
    for t in &hull.face {
        for i in 0..3 {
            assert!(edges.insert((t[i], t[(i + 1) % 3])), "edge twice");
        }
    }
    for &(u, v) in &edges {
        assert!(edges.contains(&(v, u)), "open edge");
    }

    // the corners are those of the faces, their neighbours the ends of edges
    let corners: BTreeSet<i32> = hull.face.iter().flatten().copied().collect();
    assert_eq!(corners, hull.corner.iter().copied().collect());
    assert_eq!(corners.len(), hull.corner.len(), "corner twice");
    let lists: Vec<&[i32]> = hull.around.split_inclusive(|&v| v == -1).collect();
    assert_eq!(lists.len(), corners.len());
    let mut ends = BTreeSet::new();
    for (&u, list) in hull.corner.iter().zip(lists) {
        for &v in &list[..list.len() - 1] {
            assert!(ends.insert((u, v)), "neighbour twice");
        }
    }
    assert_eq!(ends, edges);

    // a sphere: V - E + F = 2
    let euler = corners.len() as i64 - edges.len() as i64 / 2 + hull.face.len() as i64;
    assert_eq!(euler, 2);

    // nothing outside
    let size = largest(points);
    for t in &hull.face {
        let [a, b, c] = t.map(|i| wide(points[i as usize]));
        let n = (b - a).cross(c - a);
        // corners may be off by rounding, which tilts the plane of a triangle the more the lower it is
        let longest = (b - a).length().max((c - a).length());
        let low = n.length() / longest;
        if low == 0.0 {
            continue;
        }
        let tol = tol * size * (1.0 + size / low);
        for p in points {
            let height = n.normalize().dot(wide(*p) - a);
            assert!(height <= tol, "a point lies {height} outside");
        }
    }
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

fn spiral(n: usize) -> Vec<[f32; 3]> {
    let at = |i: usize| {
        let (a, z) = (i as f32 * 2.4, 2.0 * (i as f32 + 0.5) / n as f32 - 1.0);
        let r = (1.0 - z * z).sqrt();
        [r * a.cos(), r * a.sin(), z]
    };
    (0..n).map(at).collect()
}

#[test]
fn grid_has_eight_corners_in_every_order() {
    let points = cube(2);
    for shift in 0..points.len() {
        let mut turned = points.clone();
        turned.rotate_left(shift);
        let hull = convex_hull(&turned, None).unwrap();
        check(&turned, &hull, 0.0);
        assert_eq!((hull.corner.len(), hull.face.len()), (8, 12));
    }
    for n in 3..6 {
        let points = cube(n);
        let hull = convex_hull(&points, None).unwrap();
        check(&points, &hull, 0.0);
        assert_eq!((hull.corner.len(), hull.face.len()), (8, 12));
    }
}

#[test]
fn flat_line_point_and_nan_are_refused() {
    let flat: Vec<[f32; 3]> = cube(3).into_iter().filter(|p| p[2] == 1.0).collect();
    // a plane that is not along the axes: coordinates that sum to 3
    let tilted = cube(3).into_iter().filter(|p| p[0] + p[1] + p[2] == 3.0);
    let tilted: Vec<[f32; 3]> = tilted.collect();
    assert!(tilted.len() > 4);
    let line: Vec<[f32; 3]> = (0..9)
        .map(|i| [i as f32, 2.0 * i as f32, -(i as f32)])
        .collect();
    for (points, what) in [
        (&flat[..], "one plane"),
        (&tilted, "one plane"),
        (&line, "one line"),
        (&[[1.0; 3]; 7], "one line"),
        (&[], "at least 4"),
    ] {
        let message = convex_hull(points, None).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let mut points = cube(2);
        points[5][1] = bad;
        let message = convex_hull(&points, None).unwrap_err().to_string();
        assert_eq!(message, "vertex coordinate 5 is not finite");
    }
}

#[test]
fn points_thinner_than_rounding_are_flat() {
    for (thickness, taken) in [(1e-9f32, true), (1e-17, false)] {
        let mut points = Vec::new();
        for i in 0..97 {
            let a = i as f32 * std::f32::consts::TAU / 97.0;
            for z in [0.0, thickness] {
                points.push([3.0 + a.cos(), a.sin(), z]);
            }
        }
        let hull = convex_hull(&points, None);
        assert_eq!(hull.is_ok(), taken, "{thickness}");
        if let Ok(hull) = hull {
            check(&points, &hull, 1e-14);
            assert_eq!(hull.corner.len(), 194);
        }
    }
}

// heights of a few rounding errors: so many facets are merged that fewer than four are left
#[test]
fn points_that_rounding_tangles_are_refused_in_words() {
    let points = [
        [-2.0, -3.0, 8.349_478e-15],
        [-2.0, -3.0, -8.349_478e-15],
        [2.0, 3.0, -2.783_159_3e-15],
        [-1.0, 0.0, 8.349_478e-15],
        [1.0, 1.0, -5.566_318_5e-15],
        [0.0, -1.0, -5.566_318_5e-15],
    ];
    let message = convex_hull(&points, None).unwrap_err().to_string();
    assert!(message.contains("rounding tangles the hull"), "{message}");
}

#[test]
fn maxvert_bounds_the_corners() {
    let points = spiral(500);
    for n in [4, 5, 20, 100] {
        let hull = convex_hull(&points, Some(n)).unwrap();
        let kept: Vec<[f32; 3]> = hull.corner.iter().map(|&i| points[i as usize]).collect();
        assert_eq!(hull.corner.len(), n);
        let again = convex_hull(&kept, None).unwrap();
        check(&kept, &again, 1e-14);
        assert_eq!(again.corner.len(), n);
    }
    let hull = convex_hull(&points, None).unwrap();
    check(&points, &hull, 1e-14);
    assert_eq!(hull.corner.len(), 500);
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

/// Extent along the axes in which a cloud spreads most and least.
fn thickness(points: &[[f32; 3]]) -> f64 {
    let Some(first) = points.first() else {
        return 0.0;
    };
    let from = points.iter().map(|p| wide(*p) - wide(*first));
    let from: Vec<DVec3> = from.collect();
    let far = |f: &dyn Fn(DVec3) -> f64| {
        let best = from.iter().copied().max_by(|a, b| f(*a).total_cmp(&f(*b)));
        best.unwrap_or_default()
    };
    let a = far(&|p| p.length());
    let b = far(&|p| a.cross(p).length());
    let n = a.cross(b).normalize_or_zero();
    n.dot(far(&|p| n.dot(p).abs())).abs() / largest(points).max(f64::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_cloud_has_a_hull_or_is_flat(points in cloud()) {
        match convex_hull(&points, None) {
            Ok(hull) => check(&points, &hull, 1e-13),
            Err(e) => prop_assert!(points.len() < 4 || thickness(&points) <= 1e-13, "{e}"),
        }
    }
}
