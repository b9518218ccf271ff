//! An element of a flex: a segment, a triangle or a tetrahedron with a radius.

use super::convex::{CLEAR, extent};
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;

/// An element of a flex in one lane.
pub struct Element {
    /// Corners (m); the last is repeated if there are less than four.
    pub corner: [[f64; 3]; 4],
    /// Number of corners.
    pub num: usize,
    /// Radius (m).
    pub radius: f64,
}

impl Element {
    /// The element with these vertices of flexes, in one lane.
    pub fn new<R: Real>(
        d: &Data<R>,
        vertices: impl ExactSizeIterator<Item = usize>,
        radius: f64,
        lane: usize,
    ) -> Self {
        let num = vertices.len();
        let mut corner = [[0.0; 3]; 4];
        for (i, v) in vertices.enumerate() {
            corner[i..].fill(d.flexvert_xpos[v].map(|x| x.lane(lane)));
        }
        Self {
            corner,
            num,
            radius,
        }
    }

    /// Center of its bounding box.
    pub fn center(&self) -> [f64; 3] {
        let of = |pick: fn(f64, f64) -> f64, i: usize| {
            let along = self.corner.iter().map(|x| x[i]);
            along.reduce(pick).unwrap_or_default()
        };
        [0, 1, 2].map(|i| 0.5 * (of(f64::min, i) + of(f64::max, i)))
    }

    /// Its first three corners.
    pub fn triangle(&self) -> [[f64; 3]; 3] {
        [self.corner[0], self.corner[1], self.corner[2]]
    }

    /// A segment as a capsule, from its second corner to its first.
    pub fn capsule(&self) -> Shape {
        let [a, b, ..] = self.corner;
        let (axis, length) = normalize3(sub3(a, b));
        let [z0, z1, z2, x0, x1, x2, y0, y1, y2] = make_frame(axis, [0.0; 3]);
        Shape {
            pos: scl3(add3(a, b), 0.5),
            mat: [x0, y0, z0, x1, y1, z1, x2, y2, z2],
            size: [self.radius, 0.5 * length, 0.0],
        }
    }

    /// A convex solid with a margin.
    pub fn solid<'a>(&self, m: &'a Model, margin: f64) -> Solid<'a> {
        Solid::of_element(m, self.corner, self.center(), self.radius, margin)
    }

    /// True if a plane between two elements, across the line of their centers or parallel to one that is a triangle, has more than a gap
    /// to both together.
    pub fn is_beyond(&self, other: &Self, gap: f64) -> bool {
        let line = sub3(self.center(), other.center());
        let gap = gap + CLEAR * (extent(line) + self.size() + other.size());
        [Some(line), self.normal(), other.normal()]
            .into_iter()
            .flatten()
            .any(|axis| {
                let [low1, high1] = self.range(axis);
                let [low2, high2] = other.range(axis);
                let apart = (low1 - high2).max(low2 - high1);
                apart > 0.0 && apart * apart > gap * gap * dot3(axis, axis)
            })
    }

    // normal of a triangle, of any length
    fn normal(&self) -> Option<[f64; 3]> {
        let [a, b, c, _] = self.corner;
        (self.num == 3).then(|| cross(sub3(b, a), sub3(c, a)))
    }

    // the least and the greatest product of a corner with an axis
    fn range(&self, axis: [f64; 3]) -> [f64; 2] {
        let [a, b, c, d] = self.corner.map(|corner| dot3(corner, axis));
        [a.min(b).min(c.min(d)), a.max(b).max(c.max(d))]
    }

    // not less than the length of its first edges
    fn size(&self) -> f64 {
        let [a, b, c, d] = self.corner;
        [b, c, d].map(|x| extent(sub3(x, a))).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::convex::single;

    #[test]
    fn elements_beyond_each_other_do_not_touch() {
        let m = Model::from_xml_str("<mujoco/>").unwrap();
        let wave = |k: usize, i: usize| (12.9898 * (k + 1) as f64 * (i + 1) as f64).sin();
        let (mut beyond, mut touching) = (0, 0);
        for k in 0..3000 {
            let [first, second] = [0, 1].map(|side| {
                let num = 2 + (k + side * k / 3) % 3;
                let shift = |j: usize| 0.2 * side as f64 * wave(k, 40 + j);
                let corner =
                    |i: usize| [0, 1, 2].map(|j| 0.3 * wave(k, 12 * side + 3 * i + j) + shift(j));
                Element {
                    corner: [0, 1, 2, 3].map(|i| corner(i.min(num - 1))),
                    num,
                    radius: 0.02 * side as f64,
                }
            });
            let margin = 0.01 * (k % 5) as f64;
            let mut out = Contacts::new();
            single(
                &m,
                first.solid(&m, margin),
                second.solid(&m, margin),
                &mut out,
            );
            let gap = first.radius + second.radius + margin + m.opt.ccd_tolerance;
            let is_beyond = first.is_beyond(&second, gap);
            assert_eq!(is_beyond, second.is_beyond(&first, gap), "{k}");
            assert!(!is_beyond || out.num == 0, "{k}: {} contacts", out.num);
            beyond += usize::from(is_beyond);
            touching += usize::from(out.num > 0);
        }
        // of those that are apart most are found so
        assert!(
            touching > 500 && beyond > (3000 - touching) * 3 / 4,
            "{touching} touch, {beyond} are beyond"
        );
    }
}
