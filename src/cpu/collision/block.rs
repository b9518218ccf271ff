//! Pairs of elements of two flexes, or of one that touches itself.
//!
//! In a large flex too many elements may touch each other for a list of their pairs. An entry of the list, a block, stands for all of
//! them. The pairs that are near are found in each step, by a grid over the boxes of the elements:
//!
//! ```text
//! block_elem      elements of each side, in the order in which they meet     ─┐
//! flexelem_aabb   their boxes                                                ─┼─▶ grid ──▶ pairs that are near, in that order
//! flexelem_Jpat   dofs that move the corners of an element                   ─┴─▶ contact_dof: dofs of the rows of a contact
//! ```

use super::broad::{Box3, Ends};
use super::element_boxes::Boxes;
use super::grid::overlapping;
use super::soft::{Pair, elem_vertices, element_of, is_block};
use crate::cpu::lib::rows::listed_dofs;
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;

/// A bound on rounding in the ends of a box, relative to its place and size; numbers of worlds side by side are in single precision.
const ROUNDING: f64 = 1e-6;

/// Worlds side by side are looked at together if boxes around all of them are longer than a world's own by no more than this factor.
const ALIKE: f64 = 3.0;

/// A block of pairs: its flexes, and the elements of each side.
pub struct Block<'a> {
    m: &'a Arrays,
    f: [usize; 2],
    /// Elements of each side, counted from the flex's first.
    pub elem: [&'a [i32]; 2],
}

impl<'a> Block<'a> {
    /// The block with a number.
    pub fn new(m: &'a Arrays, block: usize) -> Self {
        let k = m.block_collision[block] as usize;
        let elements = |side: usize| {
            let at = 2 * block + side;
            let adr = m.block_adr[at] as usize;
            &m.block_elem[adr..adr + m.block_num[at] as usize]
        };
        Self {
            m,
            f: [0, 1].map(|side| m.collision_flex[2 * k + side] as usize),
            elem: [elements(0), elements(1)],
        }
    }

    /// The block that is the pair `k` of the list.
    pub fn of_pair(m: &'a Arrays, k: usize) -> Option<Self> {
        let block = m.block_collision.binary_search(&(k as i32));
        block.ok().map(|block| Self::new(m, block))
    }

    /// True if a flex touches itself.
    pub fn is_itself(&self) -> bool {
        self.f[0] == self.f[1]
    }

    /// Whether two elements may touch: they have no vertex on the same body, and no node in common.
    pub fn apart(&self, [first, second]: [i32; 2]) -> bool {
        match self.shares_nodes() {
            true => self.have_no_node_in_common([first, second]),
            false => disjoint(self.bodies(0, first), self.bodies(1, second)),
        }
    }

    // whether neighbours are elements with a node in common, as in a flex between nodes that touches itself
    fn shares_nodes(&self) -> bool {
        self.is_itself() && self.m.flex_interp[self.f[0]] != 0
    }

    // bodies of an element's vertices, the first of them again where there are fewer than four; other negative numbers on either side for
    // vertices without one
    fn bodies(&self, side: usize, elem: i32) -> [i32; 4] {
        let vertices = elem_vertices(self.m, self.f[side], elem as usize);
        let mut bodies = vertices.map(|v| match self.m.flex_vertbodyid[v] {
            body @ 0.. => body,
            _ => -1 - side as i32,
        });
        let first = bodies.next().unwrap_or(-1 - side as i32);
        let mut all = [first; 4];
        for (body, next) in all[1..].iter_mut().zip(bodies) {
            *body = next;
        }
        all
    }

    /// Number of pairs of elements that may touch; not more than so many are counted.
    pub fn number(&self, most: usize) -> usize {
        let [first, second] = self.elem;
        let pairs = first.iter().enumerate().flat_map(|(i, &a)| {
            let after = if self.is_itself() { i + 1 } else { 0 };
            second[after..].iter().map(move |&b| [a, b])
        });
        pairs.filter(|elem| self.apart(*elem)).take(most).count()
    }

    // whether the cells of two elements are apart by a whole cell along some axis
    fn have_no_node_in_common(&self, elem: [i32; 2]) -> bool {
        let cells = elem.map(|e| {
            let first = 6 * (self.m.flex_elemadr[self.f[0]] + e) as usize;
            &self.m.flexelem_cell[first..first + 6]
        });
        let [a, b] = cells;
        (0..3).any(|k| a[3 + k] + 1 < b[k] || b[3 + k] + 1 < a[k])
    }

    // the elements and their sides, by their places: those of the second side after those of the first
    fn places(&self) -> impl Iterator<Item = (usize, i32)> {
        let sides = if self.is_itself() { 1 } else { 2 };
        (0..sides).flat_map(|side| self.elem[side].iter().map(move |&elem| (side, elem)))
    }

    // places of the elements and their boxes in a lane
    fn boxes<R: Real>(
        &self,
        boxes: &Boxes<R>,
        detect: f64,
        lane: usize,
    ) -> impl Iterator<Item = Ends> {
        self.places().enumerate().map(move |(place, (side, elem))| {
            let element = (self.m.flex_elemadr[self.f[side]] + elem) as usize;
            let (pos, size) = boxes.place(element);
            (place as u32, ends(pos, size, detect, lane))
        })
    }

    // bodies of the element at each place; none if neighbours are not known by these
    fn bodies_of_all(&self) -> Vec<[i32; 4]> {
        match self.shares_nodes() {
            true => Vec::new(),
            false => self
                .places()
                .map(|(side, elem)| self.bodies(side, elem))
                .collect(),
        }
    }

    // the elements of a pair of places of `elem`
    fn pair(&self, places: [u32; 2]) -> [i32; 2] {
        [0, 1].map(|side| self.elem[side][places[side] as usize])
    }

    // adds the pairs whose boxes overlap and that may touch
    fn find(&self, all: &[Ends], bodies: &[[i32; 4]], found: &mut Vec<[u32; 2]>) {
        let (own, itself) = (self.elem[0].len() as u32, self.is_itself());
        overlapping(all, |a, b| {
            let [first, second] = [a.min(b), a.max(b)];
            // of two flexes, one of each
            if !itself && (first >= own || second < own) {
                return;
            }
            let pair = [first, second - if itself { 0 } else { own }];
            // most of them are neighbours
            let apart = match bodies.is_empty() {
                true => self.apart(self.pair(pair)),
                false => disjoint(bodies[first as usize], bodies[second as usize]),
            };
            if apart {
                found.push(pair);
            }
        });
    }
}

// whether none of four numbers is among four others
fn disjoint(a: [i32; 4], b: [i32; 4]) -> bool {
    a.iter()
        .all(|x| b.iter().fold(true, |none, y| none & (x != y)))
}

// boxes around those of all worlds, if they are not much longer than a world's own
fn around<R: Real>(
    block: &Block<'_>,
    boxes: &Boxes<R>,
    detect: R,
    lanes: usize,
) -> Option<Vec<Ends>> {
    let length = |(_, ends): &Ends| ends.iter().map(|[start, end]| end - start).sum::<f64>();
    let mut all: Vec<Ends> = block.boxes(boxes, detect.lane(0), 0).collect();
    let mut own: f64 = all.iter().map(length).sum();
    for lane in 1..lanes {
        for (all, one) in all
            .iter_mut()
            .zip(block.boxes(boxes, detect.lane(lane), lane))
        {
            own += length(&one);
            for (all, one) in all.1.iter_mut().zip(one.1) {
                *all = [all[0].min(one[0]), all[1].max(one[1])];
            }
        }
    }
    let whole: f64 = all.iter().map(length).sum();
    (whole * lanes as f64 <= ALIKE * own).then_some(all)
}

// the box of an element in a lane, with half the distance at which pairs are detected
fn ends<R: Real>(pos: [R; 3], size: [R; 3], detect: f64, lane: usize) -> Box3 {
    std::array::from_fn(|k| {
        let (pos, reach) = (pos[k].lane(lane), size[k].lane(lane) + 0.5 * detect);
        let reach = reach + ROUNDING * (pos.abs() + reach.abs());
        [pos - reach, pos + reach]
    })
}

/// Fills `pairs` with those of the entries from `k` to `end` of the list: of a block those that may touch and whose boxes are near in
/// one of the first `lanes` worlds. Where worlds are looked at together, pairs that are near in none of them may be among these.
pub fn pairs_of<R: Real>(
    m: &Model,
    d: &Data<R>,
    boxes: &Boxes<R>,
    (k, end): (usize, usize),
    lanes: usize,
    pairs: &mut Vec<Pair>,
) {
    pairs.clear();
    let Some(block) = is_block(m, k).then(|| Block::of_pair(m, k)).flatten() else {
        pairs.extend((k..end).map(|k| Pair::listed(m, k)));
        return;
    };
    let detect = d.own.collision_detect(m, k);
    let lanes = lanes.min(R::WIDTH);
    let bodies = block.bodies_of_all();
    let mut found = Vec::new();
    match around(&block, boxes, detect, lanes) {
        Some(all) => block.find(&all, &bodies, &mut found),
        None => {
            for lane in 0..lanes {
                let own: Vec<Ends> = block.boxes(boxes, detect.lane(lane), lane).collect();
                block.find(&own, &bodies, &mut found);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    let all = found.into_iter().map(|places| block.pair(places));
    pairs.extend(all.map(|elem| Pair { k, elem }));
}

/// Writes the elements of a pair to the slot of its contact, and those of a block's dofs that move some of the bodies that carry them: a
/// dof that moves all of them moves them alike and is left out.
pub fn write_pair<R: Real>(m: &Model, d: &mut Data<R>, slot: usize, pair: &Pair) {
    if m.nblock == 0 {
        return;
    }
    d.contact_elem[2 * slot..2 * slot + 2].copy_from_slice(&pair.elem);
    d.contact_dofnum[slot] = 0;
    d.contact_dof[m.nJelem * slot..][..m.nJelem].fill(0);
    if !is_block(m, pair.k) {
        return;
    }
    let pattern = |side: usize| m.flexelem_Jpat[element_of(m, pair, side)];
    let out = &mut d.contact_dof[m.nJelem * slot..][..m.nJelem];
    d.contact_dofnum[slot] = join(m, pattern(0), pattern(1), out) as i32;
}

// merges the patterns of two elements, and returns the number of dofs
fn join(m: &Arrays, first: i32, second: i32, out: &mut [i32]) -> usize {
    let [a, b] = [first, second].map(|pattern| listed_dofs(m, pattern));
    let all = |pattern: i32, i: usize| m.Jpat_side[m.Jpat_adr[pattern as usize] as usize + i] == 0;
    let (mut i, mut j, mut num) = (0, 0, 0);
    while i < a.len() || j < b.len() {
        let [x, y] = [a.get(i), b.get(j)].map(|dof| dof.copied().unwrap_or(i32::MAX));
        if x != y || !all(first, i) || !all(second, j) {
            out[num] = x.min(y);
            num += 1;
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    num
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::broad::tests::numbers;
    use crate::cpu::collision::soft::near;
    use crate::cpu::flex::flex;
    use crate::cpu::kinematics::kinematics;
    use crate::real::Mask;
    use crate::simd::Lanes;

    fn model() -> Model {
        let sheet = |name: &str, dim: i32, count: &str, own: &str| {
            format!(
                r#"<flexcomp name="{name}" type="grid" dim="{dim}" count="{count}" spacing=".1 .1 .1" radius=".01" mass="1">
                <contact selfcollide="{own}" margin="0.02"/></flexcomp>"#
            )
        };
        let text = format!(
            "<mujoco><worldbody>{}{}{}</worldbody></mujoco>",
            sheet("first", 2, "7 6 1", "auto"),
            sheet("second", 3, "3 3 3", "bvh"),
            sheet("third", 1, "9 1 1", "none")
        );
        Model::from_xml_str(&text).unwrap()
    }

    // compares the pairs of all blocks with those that a look at all elements finds, in worlds that differ by `apart` (m); returns
    // their number
    fn compare<R: Real>(m: &Model, scale: f64, apart: f64) -> usize {
        let mut random = numbers();
        let mut next = || random() - 0.5;
        let mut d = Data::<R>::new(m);
        for x in d.qpos.iter_mut() {
            let base = scale * next();
            (0..R::WIDTH).for_each(|lane| x.set_lane(lane, base + apart * next()));
        }
        kinematics(m, &mut d);
        flex(m, &mut d);
        let boxes = Boxes::new(m, &d);
        let mut some = 0;
        for k in 0..m.ncollision {
            let block = Block::of_pair(m, k).unwrap();
            let mut all = Vec::new();
            for (i, &a) in block.elem[0].iter().enumerate() {
                let first = if block.is_itself() { i + 1 } else { 0 };
                all.extend(block.elem[1][first..].iter().map(|&b| [a, b]));
            }
            all.retain(|elem| block.apart(*elem));
            assert_eq!(block.number(usize::MAX), all.len());
            let is_near = |pair: &Pair| near(m, &d, &boxes, pair).any();
            let all = all.into_iter().map(|elem| Pair { k, elem });
            let all: Vec<Pair> = all.filter(is_near).collect();
            let mut found = Vec::new();
            pairs_of(m, &d, &boxes, (k, k + 1), R::WIDTH, &mut found);
            let most = if R::WIDTH > 1 {
                usize::MAX
            } else {
                all.len() + 2
            };
            assert!(found.len() <= most);
            found.retain(is_near);
            assert_eq!(found, all, "{scale} {apart} {k}");
            some += all.len();
        }
        some
    }

    #[test]
    fn a_grid_finds_the_pairs_that_are_near_in_their_order() {
        let m = model();
        // two flexes touch themselves, and each two each other
        assert_eq!((m.ncollision, m.nblock), (5, 5));
        let (mut some, mut wide) = (0, 0);
        for scale in [0.0, 0.1, 0.5, 3.0, 1e6] {
            some += compare::<f64>(&m, scale, 0.0);
            // worlds that are looked at together, and one by one
            for apart in [1e-3, 10.0] {
                wide += compare::<Lanes>(&m, scale, apart);
            }
        }
        assert!(some > 1000 && wide > 1000, "{some} {wide}");
    }
}
