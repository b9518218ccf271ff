//! Contacts of shapes side by side against those of the reference, in double precision.

use manyworlds::cpu::collision::function;
use manyworlds::cpu::lib::contact::{Contacts, Point, Shape};
use manyworlds::cpu::lib::math::{cross, dot3, mul_quat, normalize3, normalize4, quat2mat};
use manyworlds::real::{self, Real};
use manyworlds::simd::narrow::Spots;
use manyworlds::types::GeomType;

type F32x8 = real::F32x8;
type F64x8 = real::F64x8;

// a small random number generator, uniform in [-1, 1)
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    // mostly a random orientation, sometimes one along the axes or turned about one of them: then edges are parallel
    fn shape(&mut self, size: [f64; 3], reach: f64) -> Shape {
        let kind = self.next();
        let [w, x, y, z] = [self.next(), self.next(), self.next(), self.next()];
        let quat = match kind {
            ..-0.6 => [1.0, 0.0, 0.0, 0.0],
            ..-0.2 => [w, 0.0, 0.0, z],
            _ => [w, x, y, z],
        };
        Shape {
            pos: [
                self.next() * reach,
                self.next() * reach,
                self.next() * reach,
            ],
            mat: quat2mat(normalize4(quat)),
            size,
        }
    }
}

fn side_by_side<R: Real>(lanes: &[Shape]) -> Shape<R> {
    let gather = |get: &dyn Fn(&Shape) -> f64| {
        let mut x = R::zero();
        lanes
            .iter()
            .enumerate()
            .for_each(|(lane, shape)| x.set_lane(lane, get(shape)));
        x
    };
    Shape {
        pos: std::array::from_fn(|i| gather(&|shape| shape.pos[i])),
        mat: std::array::from_fn(|i| gather(&|shape| shape.mat[i])),
        size: std::array::from_fn(|i| gather(&|shape| shape.size[i])),
    }
}

#[test]
fn contacts_side_by_side_are_those_of_the_reference() {
    use GeomType as T;
    let types = [
        T::Plane,
        T::Sphere,
        T::Capsule,
        T::Ellipsoid,
        T::Cylinder,
        T::Box,
    ];
    let mut numbers = Numbers(7);
    let mut pairs = 0;
    for (type1, type2) in types.iter().flat_map(|&a| types.map(|b| (a, b))) {
        let Some(reference) = function(type1 as i32, type2 as i32) else {
            continue;
        };
        pairs += 1;
        let mut touching = 0;
        for round in 0..200 {
            let mut size = || [0, 1, 2].map(|_| 0.3 + 0.2 * numbers.next());
            let (size1, size2) = (size(), size());
            let lanes: Vec<[Shape; 2]> = (0..8)
                .map(|_| [numbers.shape(size1, 0.3), numbers.shape(size2, 0.5)])
                .collect();
            let (first, second): (Vec<_>, Vec<_>) = lanes.iter().map(|&[a, b]| (a, b)).unzip();
            let detect = 0.02 * (round % 2) as f64;

            // the shapes of one lane are far apart, without a contact
            let mut far = F64x8::zero();
            far.set_lane(round % 8, 1.0);
            let near = far.le(F64x8::zero());
            let mut spots = Spots::<F64x8>::new();
            let shapes = [side_by_side(&first), side_by_side(&second)];
            let of_lane = |lane: usize| lanes[lane];
            let types = [type1 as i32, type2 as i32];
            assert!(spots.closed(types, &shapes, of_lane, F64x8::splat(detect), near));
            for (lane, [first, second]) in lanes.iter().enumerate() {
                let mut want = Contacts::new();
                if lane != round % 8 {
                    reference(first, second, detect, true, &mut want);
                }
                touching += want.num;
                let has = |spot: &&Point<F64x8>| {
                    F64x8::select(spot.present(), F64x8::one(), F64x8::zero()).lane(lane) != 0.0
                };
                let have: Vec<_> = spots.found().iter().take_while(has).collect();
                assert_eq!(have.len(), want.num, "{type1:?} {type2:?} lane {lane}");
                assert_eq!(spots.found().iter().filter(has).count(), want.num, "gaps");
                for (have, want) in have.iter().zip(&want.point) {
                    let same = |have: F64x8, want: f64| {
                        assert_eq!(have.lane(lane), want, "{type1:?} {type2:?} lane {lane}");
                    };
                    same(have.dist, want.dist);
                    for i in 0..3 {
                        same(have.pos[i], want.pos[i]);
                        same(have.normal[i], want.normal[i]);
                        same(have.tangent[i], want.tangent[i]);
                    }
                }
            }
        }
        assert!(
            touching > 300,
            "{type1:?} {type2:?}: only {touching} contacts"
        );
    }
    assert_eq!(pairs, 12);
}

const FLOOR: Shape = Shape {
    pos: [0.0; 3],
    mat: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    size: [1.0; 3],
};

// contacts of pairs side by side, in single precision
fn single(types: [GeomType; 2], lanes: &[[Shape; 2]; 8]) -> Spots<F32x8> {
    let shapes = [0, 1].map(|side| side_by_side::<F32x8>(&lanes.map(|pair| pair[side])));
    let near = F32x8::zero().le(F32x8::zero());
    let mut spots = Spots::new();
    let of_lane = |lane: usize| shapes.map(|shape| shape.lane(lane));
    assert!(spots.closed(
        types.map(|t| t as i32),
        &shapes,
        of_lane,
        F32x8::zero(),
        near
    ));
    spots
}

// a cylinder with any small tilt stands on the lowest point of its cap and two points beside it, also in single precision
#[test]
fn a_cylinder_that_hardly_leans_stands_on_three_points() {
    let size = [0.2, 0.3, 0.0];
    for lean in [0.0, 1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 1e-5, 1e-4, 1e-3] {
        let lanes: [[Shape; 2]; 8] = std::array::from_fn(|lane| {
            let (yaw, way) = (0.7 * lane as f64, 2.3 * lane as f64);
            let turn = [yaw.cos(), 0.0, 0.0, yaw.sin()];
            let tilt = [1.0, 0.5 * lean * way.cos(), 0.5 * lean * way.sin(), 0.0];
            let mut mat = quat2mat(normalize4(mul_quat(normalize4(tilt), turn)));
            // upside down in every other lane
            if lane % 2 == 1 {
                mat = mat.map(|x| -x);
                [0, 3, 6].into_iter().for_each(|k| mat[k] = -mat[k]);
            }
            let cylinder = Shape {
                pos: [0.1, -0.2, 0.2985],
                mat,
                size,
            };
            [FLOOR, cylinder]
        });
        let spots = single([GeomType::Plane, GeomType::Cylinder], &lanes);
        for lane in 0..8 {
            let present = spots.found().iter().filter(|p| p.dist.lane(lane) < 1.0);
            let dist: Vec<f64> = present.map(|p| p.dist.lane(lane)).collect();
            let low = -0.0015 - size[0] * lean;
            let want = [low, low + 1.5 * size[0] * lean, low + 1.5 * size[0] * lean];
            assert_eq!(dist.len(), 3, "lean {lean:e} lane {lane}: {dist:?}");
            for (have, want) in dist.iter().zip(want) {
                let e = (have - want).abs();
                assert!(e < 1e-6, "lean {lean:e} lane {lane}: {dist:?}, not {want}");
            }
            // the contacts form a triangle that supports the cylinder
            let place = |k: usize| spots.found()[k].pos.map(|x| x.lane(lane));
            for k in 0..3 {
                let [x, y, _] = place(k);
                let away = (x - 0.1).hypot(y + 0.2);
                assert!(
                    (away - size[0]).abs() < 2e-3,
                    "lean {lean:e} lane {lane}: {away}"
                );
            }
        }
    }
}

// capsules whose axes intersect push across both axes, although rounding separates the nearest points
#[test]
fn capsules_with_a_common_end_push_across_their_axes() {
    let mut numbers = Numbers(3);
    for _ in 0..50 {
        let lanes: [[Shape; 2]; 8] = std::array::from_fn(|_| {
            let [mut first, mut second] =
                [0.4, 0.7].map(|half| numbers.shape([0.1, half, 0.0], 2.0));
            let ends = [&first, &second].map(|capsule| {
                let [x, y, z] = capsule.axis();
                [x, y, z].map(|x| x * capsule.size[1])
            });
            for k in 0..3 {
                first.pos[k] = 1.7 - ends[0][k];
                second.pos[k] = 1.7 + ends[1][k];
            }
            if first.mat == second.mat {
                second.mat = quat2mat([0.0, 0.6, 0.0, 0.8]);
                (0..3).for_each(|k| second.pos[k] = 1.7 + 0.7 * second.axis()[k]);
            }
            [first, second]
        });
        let spots = single([GeomType::Capsule, GeomType::Capsule], &lanes);
        for (lane, [first, second]) in lanes.iter().enumerate() {
            let (across, sine) = normalize3(cross(first.axis(), second.axis()));
            let normal = spots.found()[0].normal.map(|x| x.lane(lane));
            // if the axes are nearly parallel, rounding may move the nearest points along them
            if sine > 0.1 {
                assert!(
                    dot3(normal, across) > 1.0 - 1e-5,
                    "{normal:?}, not {across:?}"
                );
            }
        }
    }
}
