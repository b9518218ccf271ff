//! Rays that start close together in similar directions: the geoms at the cone around them are listed once for all.

use super::{Hit, MISS, Ray, meet, reaches, shape_of, sooner, unseen};
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model, OwnLane};
use crate::real::{Mask, Real, lanes};

/// The most lanes of a number type.
pub const LANES: usize = 16;

/// The most geoms of a list of those near a bundle of rays.
const LISTED: usize = 64;

/// Geoms that a bundle of rays may hit, ascending.
pub(crate) struct Near {
    geoms: [usize; LISTED],
    // the length of the list; none: all geoms, which are too many to be listed
    num: Option<usize>,
}

impl Near {
    /// All geoms.
    pub(crate) const ALL: Near = Near {
        geoms: [0; LISTED],
        num: None,
    };

    /// Those at the cone around a bundle of rays in some lane.
    pub(crate) fn of<R: Real>(m: &Model, d: &Data<R>, bundle: &[[Ray; LANES]]) -> Near {
        let (zero, mut start, mut axis) = (R::zero(), [R::zero(); 3], [R::zero(); 3]);
        let rays = || bundle.iter().map(|beams| in_lanes::<R>(beams));
        for (pnt, vec) in rays() {
            start = add3(start, pnt);
            axis = add3(axis, normalize3(vec).0);
        }
        let start = scl3(start, R::splat(1.0 / bundle.len() as f64));
        let axis = normalize3(axis).0;

        // how far the rays are from its axis, and their starts from its tip
        let (mut cos, mut sin, mut off) = (R::one(), zero, zero);
        for (pnt, vec) in rays() {
            let way = normalize3(vec).0;
            cos = cos.min(dot3(axis, way));
            sin = sin.max(norm3(cross(axis, way)));
            off = off.max(norm3(sub3(pnt, start)));
        }
        if !zero.lt(cos).all() {
            return Near::ALL;
        }
        let [x, y, z] = start.map(R::abs);
        let off = off + R::splat(1e-6) * (x + y + z);
        let mut near = Near::ALL;
        let mut num = 0;
        // a sphere misses the cone if it is farther beside its side than its radius, which is larger by the rounding of the places
        for geom in 0..m.ngeom {
            let (to, bound) = (sub3(d.geom_xpos[geom], start), d.own.geom_rbound(m, geom));
            let [x, y, z] = to.map(R::abs);
            let size = bound + off + R::splat(4e-6) * (bound + x + y + z);
            let beside = norm3(cross(to, axis)) * cos - dot3(to, axis) * sin;
            if !(bound.le(zero) | !size.lt(beside)).any() {
                continue;
            }
            if num == LISTED {
                return Near::ALL;
            }
            near.geoms[num] = geom;
            num += 1;
        }
        near.num = Some(num);
        near
    }

    fn geoms(&self, m: &Model) -> impl Iterator<Item = usize> {
        let listed = self.num.is_some();
        (0..self.num.unwrap_or(m.ngeom)).map(move |k| if listed { self.geoms[k] } else { k })
    }
}

// start and direction of the ray of each lane
#[inline(always)]
fn in_lanes<R: Real>(beams: &[Ray; LANES]) -> ([R; 3], [R; 3]) {
    let wide = |of: &dyn Fn(&Ray) -> f64| {
        let mut x = R::zero();
        for (lane, beam) in beams[..R::WIDTH].iter().enumerate() {
            x.set_lane(lane, of(beam));
        }
        x
    };
    let pnt = std::array::from_fn(|k| wide(&|beam| beam.pnt[k]));
    let vec = std::array::from_fn(|k| wide(&|beam| beam.vec[k]));
    (pnt, vec)
}

/// The nearest geom that a ray hits, without geoms of the body `bodyexclude` and invisible ones; of a list of geoms, in each lane.
pub fn ray<R: Real>(
    m: &Model,
    d: &Data<R>,
    beams: &[Ray; LANES],
    bodyexclude: i32,
    near: &Near,
) -> [Hit; LANES] {
    let (pnt, vec) = in_lanes::<R>(beams);
    let (len, mut dist) = (norm3(vec), -R::one());
    let mut nearest = [MISS; LANES];
    let seen = |geom: &usize| m.geom_bodyid[*geom] != bodyexclude;
    for geom in near.geoms(m).filter(seen) {
        let bound = d.own.geom_rbound(m, geom);
        let near = reaches(sub3(d.geom_xpos[geom], pnt), bound, vec, len, dist);
        for lane in lanes::<R>(near) {
            let own = OwnLane::new(&d.own, lane);
            if unseen(m, own, geom) {
                continue;
            }
            let place = shape_of(m, d, lane, geom);
            let hit = meet(m, own, geom, &place, beams[lane]);
            nearest[lane] = sooner(nearest[lane], hit);
            dist.set_lane(lane, nearest[lane].dist);
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::broad::tests::numbers;
    use crate::cpu::kinematics::kinematics;

    #[test]
    fn rays_of_a_bundle_hit_what_they_hit_among_all_geoms() {
        let mut next = numbers();
        let mut place = || [0; 3].map(|_| 4.0 * next() - 2.0);
        let boxes: String = (0..200)
            .map(|_| {
                let [x, y, z] = place();
                format!(r#"<geom type="box" size=".1 .2 .3" pos="{x} {y} {z}"/>"#)
            })
            .collect();
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 -2"/>{boxes}</worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut d: Data = Data::new(&m);
        kinematics(&m, &mut d);
        let (mut hits, mut listed) = (0, 0);
        for wide in [0.02, 0.1, 0.5, 5.0] {
            for _ in 0..50 {
                let (pnt, axis) = (place(), place());
                let mut bundle = [[Ray::default(); LANES]; 16];
                for beams in &mut bundle {
                    beams[0].pnt = add_scl3(pnt, place(), 0.1 * wide);
                    beams[0].vec = add_scl3(axis, place(), wide);
                }
                let near = Near::of(&m, &d, &bundle);
                listed += usize::from(near.num.is_some());
                for beams in &bundle {
                    let [hit, ..] = ray(&m, &d, beams, -1, &near);
                    assert_eq!(hit, ray(&m, &d, beams, -1, &Near::ALL)[0]);
                    hits += usize::from(hit.dist >= 0.0);
                }
            }
        }
        assert!(hits > 1000 && listed > 60, "{hits} {listed}");
    }
}
