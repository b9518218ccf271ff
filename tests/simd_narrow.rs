//! Contacts of shapes side by side against those of the reference, in double precision.

use manyworlds::cpu::collision::function;
use manyworlds::cpu::lib::contact::{Contacts, Shape};
use manyworlds::cpu::lib::math::{normalize4, quat2mat};
use manyworlds::real::{F64x8, Real};
use manyworlds::simd::narrow::{Shapes, Spots, wide};
use manyworlds::types::GeomType;

// a small generator of numbers in [-1, 1)
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    // mostly any orientation, sometimes one along the axes
    fn shape(&mut self, size: [f64; 3], reach: f64) -> Shape {
        let aligned = self.next() < -0.6;
        let quat = [self.next(), self.next(), self.next(), self.next()];
        let quat = if aligned { [1.0, 0.0, 0.0, 0.0] } else { quat };
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

fn side_by_side(lanes: &[Shape]) -> Shapes<F64x8> {
    let gather = |get: &dyn Fn(&Shape) -> f64| {
        let mut x = F64x8::zero();
        lanes
            .iter()
            .enumerate()
            .for_each(|(lane, shape)| x.set_lane(lane, get(shape)));
        x
    };
    Shapes {
        pos: std::array::from_fn(|i| gather(&|shape| shape.pos[i])),
        mat: std::array::from_fn(|i| gather(&|shape| shape.mat[i])),
        size: lanes[0].size,
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
        let Some(wide) = wide::<F64x8>(type1 as i32, type2 as i32) else {
            continue;
        };
        let reference = function(type1 as i32, type2 as i32).unwrap();
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

            // one lane is not near, and has no contact
            let mut far = F64x8::zero();
            far.set_lane(round % 8, 1.0);
            let near = far.le(F64x8::zero());
            let mut spots = Spots::new();
            wide(
                &side_by_side(&first),
                &side_by_side(&second),
                detect,
                near,
                &mut spots,
            );
            for (lane, [first, second]) in lanes.iter().enumerate() {
                let mut want = Contacts::new();
                if lane != round % 8 {
                    reference(first, second, detect, &mut want);
                }
                touching += want.num;
                let has = |spot: &&manyworlds::simd::narrow::Spot<F64x8>| {
                    F64x8::select(spot.present(), F64x8::one(), F64x8::zero()).lane(lane) != 0.0
                };
                let have: Vec<_> = spots.spot.iter().take_while(has).collect();
                assert_eq!(have.len(), want.num, "{type1:?} {type2:?} lane {lane}");
                assert_eq!(spots.spot.iter().filter(has).count(), want.num, "gaps");
                for (have, want) in have.iter().zip(&want.point) {
                    let close = |have: F64x8, want: f64| {
                        let e = (have.lane(lane) - want).abs();
                        assert!(e < 1e-10, "{type1:?} {type2:?} lane {lane}: off by {e:e}");
                    };
                    close(have.dist, want.dist);
                    for i in 0..3 {
                        close(have.pos[i], want.pos[i]);
                        close(have.normal[i], want.normal[i]);
                        close(have.tangent[i], want.tangent[i]);
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
