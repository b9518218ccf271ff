//! Which pairs of many a step tries: by a sweep over the bounding spheres (MuJoCo's broad phase).
//!
//! Geoms are sorted by where their bounding spheres begin along one axis. A sweep over them meets each pair of spheres that overlap
//! along this axis. So a step looks at pairs that are near each other, not at all pairs of the model. The pairs come out in the
//! order of the list, as without a sweep.

use crate::fields::{Data, Model};

/// Fewest pairs of geoms for which a sweep is faster than a look at each.
const LEAST: usize = 2000;

/// A bound on rounding in the ends of a geom, relative to its coordinate and its radius.
const ROUNDING: f64 = 1e-12;

/// The pairs of a model, to be found by their geoms.
#[derive(Debug)]
pub(crate) struct Broad {
    // first entry of a geom in `meets`
    adr: Vec<u32>,
    // the geoms that a geom may meet, itself the lower number of the two, and the number of the pair; ascending in each
    meets: Vec<(u32, u32)>,
    // pairs with a geom without a bounding sphere, and pairs of flexes; ascending
    others: Vec<u32>,
    // geoms that have a bounding sphere and are in `meets`
    geoms: Vec<u32>,
    // largest distance at which a pair is detected, in the model
    detect: f64,
}

impl Broad {
    pub(crate) fn new(m: &Model) -> Self {
        let mut others = Vec::new();
        let mut all = Vec::new();
        let mut detect: f64 = 0.0;
        for k in 0..m.ncollision {
            let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
            let is_bounded =
                |geom: i32| usize::try_from(geom).is_ok_and(|g| m.geom_rbound[g] > 0.0);
            if geoms.into_iter().all(is_bounded) {
                let [a, b] = geoms.map(|geom| geom as u32);
                all.push((a.min(b), a.max(b), k as u32));
                detect = detect.max(m.collision_detect[k]);
            } else {
                others.push(k as u32);
            }
        }
        all.sort_unstable();
        let mut geoms: Vec<u32> = all.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        geoms.sort_unstable();
        geoms.dedup();
        let of = |geom: usize| all.partition_point(|&(a, _, _)| (a as usize) < geom) as u32;
        Self {
            adr: (0..=m.ngeom).map(of).collect(),
            meets: all.iter().map(|&(_, b, k)| (b, k)).collect(),
            others,
            geoms,
            detect,
        }
    }

    // adds the pairs of two geoms
    fn find(&self, geom1: u32, geom2: u32, list: &mut Vec<u32>) {
        let (a, b) = (geom1.min(geom2) as usize, geom1.max(geom2));
        let meets = &self.meets[self.adr[a] as usize..self.adr[a + 1] as usize];
        let first = meets.partition_point(|&(geom, _)| geom < b);
        let found = meets[first..].iter().take_while(|&&(geom, _)| geom == b);
        list.extend(found.map(|&(_, k)| k));
    }

    /// Pairs whose bounding spheres may overlap, and all pairs that have none, ascending.
    fn sweep(&self, m: &Model, d: &Data) -> Vec<u32> {
        let axis = self.longest(d);
        let reach = |&geom: &u32| {
            let pos = d.geom_xpos[geom as usize];
            let radius = m.geom_rbound[geom as usize] + 0.5 * self.detect;
            let ends = |x: f64| {
                let radius = radius + ROUNDING * (x.abs() + radius);
                [x - radius, x + radius]
            };
            (geom, pos.map(ends))
        };
        let mut spheres: Vec<_> = self.geoms.iter().map(reach).collect();
        spheres.sort_unstable_by(|(_, a), (_, b)| a[axis][0].total_cmp(&b[axis][0]));
        let mut list = self.others.clone();
        for (k, (geom1, a)) in spheres.iter().enumerate() {
            let rest = spheres[k + 1..].iter();
            for (geom2, b) in rest.take_while(|(_, b)| b[axis][0] <= a[axis][1]) {
                if (0..3).all(|i| a[i][0] <= b[i][1] && b[i][0] <= a[i][1]) {
                    self.find(*geom1, *geom2, &mut list);
                }
            }
        }
        list.sort_unstable();
        list
    }

    // the axis along which the geoms are spread the most
    fn longest(&self, d: &Data) -> usize {
        let spread = |axis: usize| {
            let places = self
                .geoms
                .iter()
                .map(|&geom| d.geom_xpos[geom as usize][axis]);
            let (sum, squares) =
                places.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            squares - sum * sum / self.geoms.len() as f64
        };
        let spreads: [f64; 3] = std::array::from_fn(spread);
        (0..3).fold(0, |best, axis| {
            if spreads[axis] > spreads[best] {
                axis
            } else {
                best
            }
        })
    }
}

/// The pairs to try, ascending, if a sweep is worth while: not for few pairs, nor where pairs are tried that are far from each
/// other, or where worlds have detection distances of their own.
pub(super) fn candidates(m: &Model, d: &Data) -> Option<Vec<u32>> {
    let many = m.ncollision >= LEAST;
    let worth = many && !super::sweep::speculates(m) && d.own.is_shared();
    worth.then(|| m.broad().sweep(m, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::near;
    use crate::cpu::kinematics::kinematics;

    // numbers from 0 to 1 that look random
    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 1u64;
        move || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        }
    }

    #[test]
    fn a_sweep_finds_all_pairs_that_are_near() {
        let mut next = numbers();
        let shapes = [
            r#"type="box" size=".1 .2 .3""#,
            r#"type="capsule" size=".1 .2""#,
            r#"size=".2""#,
        ];
        let body = |k: usize| {
            let margin = next() * 0.2;
            let shape = shapes[k % 3];
            format!(
                r#"<body><freejoint/><geom {shape} margin="{margin}"/><geom size=".1" pos="0 .4 0"/></body>"#
            )
        };
        let bodies: String = (0..40).map(body).collect();
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut d = Data::new(&m);
        for scale in [[1.0, 1.0, 8.0], [4.0, 2.0, 1.0], [0.0; 3], [1e6, 3.0, 3.0]] {
            for k in 0..40 {
                for axis in 0..3 {
                    d.qpos[7 * k + axis] = scale[axis] * (next() - 0.5);
                }
            }
            kinematics(&m, &mut d);
            let swept = candidates(&m, &d).unwrap();
            assert!(swept.is_sorted_by(|a, b| a < b));
            let near: Vec<u32> = (0..m.ncollision as u32)
                .filter(|&k| near(&m, &d, k as usize))
                .collect();
            assert!(near.iter().all(|k| swept.binary_search(k).is_ok()));
            // those that are not near are few, or have no sphere
            let planes = 2 * 40;
            assert!(
                swept.len() <= 3 * near.len() + planes,
                "{} of {}",
                swept.len(),
                near.len()
            );
            assert!(near.len() > 10 || scale[0] > 1e3);
        }
    }
}
