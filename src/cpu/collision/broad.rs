//! Which pairs of many a step tries: by a sweep over the bounding spheres (MuJoCo's broad phase).
//!
//! Each geom has a box, that of its bounding sphere, and each body that moves a box around those of its geoms. Bodies are sorted by where
//! their boxes begin along one axis; a sweep over them meets each pair of boxes that overlap along this axis. Of two such bodies only
//! geoms are tried whose boxes reach into that of the other body. An element of a flex counts as a body of one geom. Geoms that never
//! move are sorted once, and each body that moves is looked up among them. So a step looks at pairs that are near each other, not at
//! all pairs of the model. The pairs come out in the order of the list, as without a sweep.

use std::ops::Range;

use super::element_boxes::Boxes;
use super::near;
use super::soft::{self, Pair};
use crate::cpu::kinematics::kinematics;
use crate::cpu::lib::sleep::{body_is_awake, side_body, sleeps};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Fewest pairs of geoms for which a sweep is faster than a look at each.
const LEAST: usize = 2000;

/// Pairs of awake bodies are looked for one by one if they are less than one in so many.
const FEW: usize = 8;

/// A bound on rounding in the ends of a geom, relative to its coordinate and its radius.
const ROUNDING: f64 = 1e-12;

/// The pairs of a model, to be found by their geoms. Elements of flexes are numbered after the geoms.
#[derive(Debug)]
pub(crate) struct Broad {
    // first entry of a geom in `meets`
    adr: Vec<u32>,
    // the geoms that a geom may meet, itself the lower number of the two, and the number of the pair; ascending in each
    meets: Vec<(u32, u32)>,
    // pairs with a geom without a bounding sphere, and blocks; ascending
    others: Vec<u32>,
    // geoms that move, have a bounding sphere and are in `meets`, body by body
    moving: Vec<u32>,
    // the bodies of these geoms, and where the geoms of each end among them
    bodies: Vec<(u32, usize)>,
    // the others that have one and are in `meets`, by where they begin along an axis
    fixed: Vec<Ends>,
    axis: usize,
    // the largest end of a fixed geom and those before it
    reach: Vec<f64>,
    // largest distance at which a pair is detected, in the model
    detect: f64,
    // in a model whose trees may sleep: the pairs of each body, and where they begin
    of_body: Vec<u32>,
    first: Vec<usize>,
}

/// A box: where it begins and ends along each axis.
pub(super) type Box3 = [[f64; 2]; 3];

/// A geom and the box of its bounding sphere, with half the distance at which pairs are detected; or the number of a body, and a box
/// around those of its geoms; or an element.
pub(super) type Ends = (u32, Box3);

pub(super) fn overlap(a: &Box3, b: &Box3) -> bool {
    a.iter().zip(b).all(|(a, b)| a[0] <= b[1] && b[0] <= a[1])
}

// the two sides of a pair, geoms or elements; none if one has no box, and of a block
fn sides(m: &Model, k: usize) -> Option<[u32; 2]> {
    let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
    let bounded = |geom: i32| usize::try_from(geom).is_ok_and(|g| m.geom_rbound[g] > 0.0);
    if !soft::is_soft(m, k) {
        return geoms
            .into_iter()
            .all(bounded)
            .then(|| geoms.map(|geom| geom as u32));
    }
    if soft::is_block(m, k) || soft::vertex(m, k).is_some() || !bounded(geoms[0]) {
        return None;
    }
    let element = m.ngeom + soft::element_of(m, &Pair::listed(m, k), 1);
    Some([geoms[0] as u32, element as u32])
}

// the flex of an element of all
fn flex_of(m: &Model, element: usize) -> usize {
    m.flex_elemadr
        .partition_point(|&adr| adr as usize <= element)
        - 1
}

// whether a body, or one that carries it, has a joint or is moved from outside
fn moves(m: &Model, mut body: usize) -> bool {
    while body != 0 {
        if m.body_jntnum[body] > 0 || m.body_mocapid[body] >= 0 {
            return true;
        }
        body = m.body_parentid[body] as usize;
    }
    false
}

impl Broad {
    pub(crate) fn new(m: &Model) -> Self {
        let mut others = Vec::new();
        let mut all = Vec::new();
        let mut detect: f64 = 0.0;
        for k in 0..m.ncollision {
            match sides(m, k) {
                Some([a, b]) => {
                    all.push((a.min(b), a.max(b), k as u32));
                    detect = detect.max(m.collision_detect[k]);
                }
                None => others.push(k as u32),
            }
        }
        all.sort_unstable();
        let mut geoms: Vec<u32> = all.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        geoms.sort_unstable();
        geoms.dedup();
        let of = |geom: usize| all.partition_point(|&(a, _, _)| (a as usize) < geom) as u32;
        let is_element = |geom: u32| geom as usize >= m.ngeom;
        let is_moving =
            |&geom: &u32| is_element(geom) || moves(m, m.geom_bodyid[geom as usize] as usize);
        let (moving, still): (Vec<u32>, Vec<u32>) = geoms.into_iter().partition(is_moving);
        let body_of = |geom: u32| match is_element(geom) {
            true => m.flex_bodyid[flex_of(m, geom as usize - m.ngeom)] as u32,
            false => m.geom_bodyid[geom as usize] as u32,
        };
        let together = |a: &u32, b: &u32| !is_element(*b) && body_of(*a) == body_of(*b);
        let mut bodies = Vec::new();
        for own in moving.chunk_by(together) {
            let first = bodies.last().map_or(0, |&(_, end)| end);
            bodies.push((body_of(own[0]), first + own.len()));
        }
        let mut broad = Self {
            adr: (0..=m.ngeom + m.nflexelem).map(of).collect(),
            meets: all.iter().map(|&(_, b, k)| (b, k)).collect(),
            others,
            moving,
            bodies,
            fixed: Vec::new(),
            axis: 0,
            reach: Vec::new(),
            detect,
            of_body: Vec::new(),
            first: Vec::new(),
        };
        broad.sort_fixed(m, &still);
        if sleeps(m) {
            broad.list_by_body(m);
        }
        broad
    }

    fn list_by_body(&mut self, m: &Model) {
        let mut all = Vec::with_capacity(2 * m.ncollision);
        for k in 0..m.ncollision {
            all.extend([0, 1].map(|side| (side_body(m, k, side), k as u32)));
        }
        all.sort_unstable();
        all.dedup();
        let first = |body: usize| all.partition_point(|(of, _)| *of < body);
        self.first = (0..=m.nbody).map(first).collect();
        self.of_body = all.into_iter().map(|(_, k)| k).collect();
    }

    // the pairs with one of some bodies that may touch, ascending, if those bodies have few of all pairs
    fn few(
        &self,
        bodies: impl Iterator<Item = usize> + Clone,
        may_touch: impl Fn(usize) -> bool,
    ) -> Option<Vec<u32>> {
        let pairs = |body: usize| &self.of_body[self.first[body]..self.first[body + 1]];
        let num: usize = bodies.clone().map(|body| pairs(body).len()).sum();
        if num > self.of_body.len() / FEW {
            return None;
        }
        let all = bodies.flat_map(pairs).copied();
        let mut list: Vec<u32> = all.filter(|&k| may_touch(k as usize)).collect();
        // not `sort_unstable`: the pairs of a body are sorted already
        list.sort();
        list.dedup();
        Some(list)
    }

    fn sort_fixed(&mut self, m: &Model, geoms: &[u32]) {
        let mut d = Data::new(m);
        kinematics(m, &mut d);
        let boxes = Boxes::none();
        self.fixed = (geoms.iter())
            .map(|&geom| self.ends(m, &d, &boxes, geom))
            .collect();
        self.axis = longest(&self.fixed);
        let axis = self.axis;
        sort(&mut self.fixed, axis);
        self.reach = self.fixed.iter().map(|(_, ends)| ends[axis][1]).collect();
        for k in 1..self.reach.len() {
            self.reach[k] = self.reach[k].max(self.reach[k - 1]);
        }
    }

    fn ends(&self, m: &Model, d: &Data, boxes: &Boxes<f64>, geom: u32) -> Ends {
        let (pos, size) = match (geom as usize).checked_sub(m.ngeom) {
            Some(element) => boxes.place(element),
            None => (
                d.geom_xpos[geom as usize],
                [m.geom_rbound[geom as usize]; 3],
            ),
        };
        let ends = |k: usize| {
            let reach = size[k] + 0.5 * self.detect;
            let reach = reach + ROUNDING * (pos[k].abs() + reach);
            [pos[k] - reach, pos[k] + reach]
        };
        (geom, [ends(0), ends(1), ends(2)])
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
    fn sweep(&self, m: &Model, d: &Data, elements: &Boxes<f64>) -> Vec<u32> {
        let geoms = self.moving.iter();
        let geoms: Vec<Ends> = geoms.map(|&geom| self.ends(m, d, elements, geom)).collect();
        let mut boxes: Vec<Ends> = (0..self.bodies.len())
            .map(|k| (k as u32, around(&geoms[self.of_body(k)])))
            .collect();
        let axis = longest(&geoms);
        sort(&mut boxes, axis);
        let awake = |a: &Ends| !sleeps(m) || body_is_awake(d, self.bodies[a.0 as usize].0 as usize);
        let mut list = self.others.clone();
        for (k, a) in boxes.iter().enumerate() {
            let awake1 = awake(a);
            let own = &geoms[self.of_body(a.0 as usize)];
            let rest = boxes[k + 1..].iter();
            for b in rest.take_while(|b| b.1[axis][0] <= a.1[axis][1]) {
                if overlap(&a.1, &b.1) && (awake1 || awake(b)) {
                    let other = &geoms[self.of_body(b.0 as usize)];
                    self.meet(own, other, &b.1, &mut list);
                }
            }
            if awake1 {
                self.meet_fixed(own, &a.1, &mut list);
            }
        }
        list.sort_unstable();
        list
    }

    // the geoms of a body among those that move
    fn of_body(&self, k: usize) -> Range<usize> {
        let first = k.checked_sub(1).map_or(0, |before| self.bodies[before].1);
        first..self.bodies[k].1
    }

    // adds the pairs of two bodies; `around` is the box of the second
    fn meet(&self, first: &[Ends], second: &[Ends], around: &Box3, list: &mut Vec<u32>) {
        for a in first.iter().filter(|a| overlap(&a.1, around)) {
            for b in second.iter().filter(|b| overlap(&a.1, &b.1)) {
                self.find(a.0, b.0, list);
            }
        }
    }

    // adds the pairs of a body in its box and the geoms that do not move
    fn meet_fixed(&self, own: &[Ends], around: &Box3, list: &mut Vec<u32>) {
        let [begin, end] = around[self.axis];
        let first = self.reach.partition_point(|reach| *reach < begin);
        let rest = self.fixed[first..].iter();
        let near = rest.take_while(|b| b.1[self.axis][0] <= end);
        for b in near.filter(|b| overlap(around, &b.1)) {
            for a in own.iter().filter(|a| overlap(&a.1, &b.1)) {
                self.find(a.0, b.0, list);
            }
        }
    }
}

// a box around others
fn around(boxes: &[Ends]) -> Box3 {
    let both =
        |a: Box3, b: Box3| std::array::from_fn(|i| [a[i][0].min(b[i][0]), a[i][1].max(b[i][1])]);
    let boxes = boxes.iter().map(|(_, ends)| *ends);
    boxes.reduce(both).unwrap_or_default()
}

fn sort(spheres: &mut [Ends], axis: usize) {
    spheres.sort_unstable_by(|(_, a), (_, b)| a[axis][0].total_cmp(&b[axis][0]));
}

/// How far boxes are spread along each axis: the sum of squares about the mean of where they begin.
pub(super) fn spreads(boxes: &[Ends]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let places = boxes.iter().map(|(_, ends)| ends[axis][0]);
        let (sum, squares) =
            places.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        squares - sum * sum / boxes.len().max(1) as f64
    })
}

// the axis along which boxes are spread the most
fn longest(boxes: &[Ends]) -> usize {
    let spreads = spreads(boxes);
    (0..3).fold(0, |best, axis| {
        if spreads[axis] > spreads[best] {
            axis
        } else {
            best
        }
    })
}

/// The pairs to try with a body that is awake in some world of a tile, ascending, if such bodies have few of all pairs.
pub(crate) fn of_the_awake<R: Real>(m: &Model, d: &Data<R>) -> Option<Vec<u32>> {
    if !sleeps(m) || m.ncollision < LEAST {
        return None;
    }
    let awake = (0..m.nbody).filter(|&i| body_is_awake(d, i).any());
    let anyway = super::sweep::speculates(m);
    let may_touch = |k: usize| anyway || soft::is_soft(m, k) || near(m, d, k).any();
    m.broad().few(awake, may_touch)
}

/// The pairs to try, ascending, if a sweep is worth while: not for few pairs, nor where pairs are tried that are far from each
/// other, or where worlds have detection distances of their own.
pub(super) fn candidates(m: &Model, d: &Data, elements: &Boxes<f64>) -> Option<Vec<u32>> {
    let many = m.ncollision >= LEAST;
    let worth = many && !super::sweep::speculates(m) && d.own.is_shared();
    worth.then(|| m.broad().sweep(m, d, elements))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cpu::kinematics::kinematics;

    // numbers from 0 to 1 that look random
    pub fn numbers() -> impl FnMut() -> f64 {
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
        let block = |k: usize| {
            let (size, x) = (0.05 + 0.01 * (k % 7) as f64, 0.2 * k as f64 - 3.0);
            format!(r#"<geom type="box" size="{size} .1 .1" pos="{x} 0 0"/>"#)
        };
        let fixed: String = (0..30).map(block).collect();
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>{fixed}{bodies}</worldbody></mujoco>"#
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
            let swept = candidates(&m, &d, &Boxes::none()).unwrap();
            assert!(swept.is_sorted_by(|a, b| a < b));
            let near: Vec<u32> = (0..m.ncollision as u32)
                .filter(|&k| near(&m, &d, k as usize))
                .collect();
            assert!(near.iter().all(|k| swept.binary_search(k).is_ok()));
            // those that are not near are few, or have no sphere
            let planes = 2 * 40;
            assert!(
                swept.len() <= 4 * near.len() + planes,
                "{} of {}",
                swept.len(),
                near.len()
            );
            assert!(near.len() > 10 || scale[0] > 1e3);
        }
    }

    #[test]
    fn a_sweep_finds_elements_that_are_near() {
        let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 -9"/>
            <body name="sheet"><flexcomp name="sheet" type="grid" dim="2" count="26 26 1" spacing=".1 .1 .1" radius=".01" mass="1">
              <edge equality="true"/><contact selfcollide="auto" margin="0.02"/></flexcomp></body>
            <body><freejoint/><geom size=".2"/></body><body><freejoint/><geom type="box" size=".1 .2 .3"/></body>
            </worldbody></mujoco>"#;
        let m = Model::from_xml_str(text).unwrap();
        let mut next = numbers();
        let mut d = Data::new(&m);
        for scale in [0.1, 0.5, 3.0] {
            for q in 0..m.nq {
                d.qpos[q] = scale * (next() - 0.5);
            }
            kinematics(&m, &mut d);
            crate::cpu::flex::flex(&m, &mut d);
            let boxes = Boxes::new(&m, &d);
            let swept = candidates(&m, &d, &boxes).unwrap();
            let is_near = |&k: &u32| match soft::is_soft(&m, k as usize) {
                // it has pairs to look for
                true if soft::is_block(&m, k as usize) => true,
                true => {
                    soft::vertex(&m, k as usize).is_some()
                        || soft::near(&m, &d, &boxes, &Pair::listed(&m, k as usize))
                }
                false => near(&m, &d, k as usize),
            };
            let near: Vec<u32> = (0..m.ncollision as u32).filter(is_near).collect();
            assert!(near.len() > 700, "{}", near.len());
            assert!(near.iter().all(|k| swept.binary_search(k).is_ok()));
            assert!(
                swept.len() <= near.len() + near.len() / 2,
                "{} of {}",
                swept.len(),
                near.len()
            );
        }
    }
}
