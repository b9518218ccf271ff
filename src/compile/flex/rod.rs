//! Elastic rods: bending and torsion of flexes of lines (discrete elastic rods), and the hinges that twist their edges.

use std::f64::consts::PI;

use super::Part;
use crate::compile::names::Names;
use crate::compile::tree::Tree;
use crate::cpu::lib::rod::{RECORD, record};
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Flex, FlexSection};
use crate::types::{JointType, MINVAL};
use glam::DVec3;

/// Bends below it count as none (rad).
const STRAIGHT: f64 = 1e-4;

/// The vertices of a single open chain of at least two lines, in their order.
pub(crate) fn chain(nvert: usize, element: &[i32]) -> Option<Vec<usize>> {
    let lines: Vec<[usize; 2]> = element
        .as_chunks()
        .0
        .iter()
        .map(|line: &[i32; 2]| line.map(|v| v as usize))
        .collect();
    let mut at = vec![Vec::new(); nvert];
    for (k, line) in lines.iter().enumerate() {
        line.iter().for_each(|&v| at[v].push(k));
    }
    let ends: Vec<usize> = (0..nvert).filter(|&v| at[v].len() == 1).collect();
    if ends.len() != 2 || lines.len() < 2 || at.iter().any(|lines| lines.len() > 2) {
        return None;
    }
    // it begins where a line begins
    let begins = ends.iter().find(|v| lines[at[**v][0]][0] == **v);
    let mut out = vec![*begins.unwrap_or(&ends[0])];
    let mut last = usize::MAX;
    while let Some(&line) = at[out[out.len() - 1]].iter().find(|line| **line != last) {
        let [a, b] = lines[line];
        out.push(if out[out.len() - 1] == a { b } else { a });
        last = line;
        if out.len() > lines.len() {
            break;
        }
    }
    (out.len() == lines.len() + 1).then_some(out)
}

/// Name of the hinge that twists an edge of a chain, and of its body.
pub(crate) fn twist_name(flex: &str, edge: usize, num: usize) -> String {
    match edge + 1 == num {
        true => format!("{flex}_twist"),
        false => format!("{flex}_twist_{edge}"),
    }
}

/// Section of a rod: half sizes of a box, or the radius of a circle.
struct Section {
    // second moments of area, the smaller one first, and the constant of torsion
    moments: [f64; 2],
    torsion: f64,
    // smaller half size of a box, negative if it is said first; 0: a circle
    minor: f64,
}

fn section(said: &Flex) -> Section {
    let elastic = &said.elasticity;
    if elastic.section() != FlexSection::Box {
        let r = said.radius();
        let moment = PI * r.powi(4) / 4.0;
        return Section {
            moments: [moment; 2],
            torsion: 2.0 * moment,
            minor: 0.0,
        };
    }
    let [first, second] = elastic.sectionsize();
    let (b, a) = (first.min(second), first.max(second));
    let moment = |thin: f64, wide: f64| 2.0 * wide * (2.0 * thin).powi(3) / 12.0;
    let slender = b / a;
    Section {
        moments: [moment(b, a), moment(a, b)],
        torsion: a * b.powi(3) * (16.0 / 3.0 - 3.36 * slender * (1.0 - slender.powi(4) / 12.0)),
        minor: if first < second { -b } else { b },
    }
}

/// The radius of a flex: of a rod whose section is a box its smaller half size.
pub(super) fn radius(tree: &Tree, said: &Flex, part: &Part) -> Result<f64> {
    let elastic = &said.elasticity;
    let boxed = elastic.section() == FlexSection::Box && elastic.young() > 0.0 && part.dim == 1;
    if !boxed {
        return Ok(said.radius());
    }
    let ensure = |ok: bool, msg: &str| tree.ensure(ok, said.origin, Some("dim"), msg);
    let [first, second] = elastic.sectionsize();
    ensure(
        first > 0.0 && second > 0.0,
        "sectionsize must be positive for a section that is a box",
    )?;
    let minor = first.min(second);
    let same = said.radius.is_none_or(|r| (r - minor).abs() < 1e-12);
    let msg = "radius must be left out or equal the smaller sectionsize";
    tree.ensure(same, said.origin, Some("radius"), msg)?;
    Ok(minor)
}

/// The number of records of bending and torsion, and the records; none of a flex without bends.
pub(super) fn records(
    m: &Arrays,
    tree: &Tree,
    names: &Names,
    said: &Flex,
    part: &Part,
) -> Result<Vec<f64>> {
    let rod = Rod::new(said, part);
    let long = |line: &[i32; 2]| rod.edge(line[0] as usize, line[1] as usize).length() >= MINVAL;
    let some = part.element.as_chunks().0.iter().all(long);
    let msg = "a line of an elastic rod has no length";
    tree.ensure(some, said.origin, Some("element"), msg)?;
    let order = chain(part.vertex.len(), &part.element);
    let joints = order.as_ref().and_then(|order| {
        let name = said.name.as_deref().unwrap_or_default();
        twists(m, names, part, order, name)
    });
    let boxed = said.elasticity.section() == FlexSection::Box;
    let msg = "a section that is a box is for one open chain of at least two lines with hinges that twist its edges";
    tree.ensure(!boxed || joints.is_some(), said.origin, Some("dim"), msg)?;
    let list: Vec<[f64; RECORD]> = match (order, joints) {
        (Some(order), Some(joints)) => order
            .windows(3)
            .zip(&joints[1..])
            .map(|(v, joint)| rod.hinge([v[0], v[1], v[2]], *joint))
            .collect(),
        _ => rod.twistless(),
    };
    let mut out = Vec::new();
    if !list.is_empty() {
        out.push(list.len() as f64);
        out.extend(list.into_iter().flatten());
    }
    Ok(out)
}

// the hinge of each edge of a chain, -1 of one that a body holds at either end; none if one is missing
fn twists(m: &Arrays, names: &Names, part: &Part, order: &[usize], name: &str) -> Option<Vec<i32>> {
    let num = order.len() - 1;
    let held = |edge: usize| {
        let end = edge == 0 || (edge + 1 == num && num > 2);
        end && part.bodies[order[edge]] == part.bodies[order[edge + 1]]
    };
    let joint = |edge: usize| {
        if held(edge) {
            return Some(-1);
        }
        let id = names.joint.get(&twist_name(name, edge, num))?;
        let hinge = m.jnt_type[id] == JointType::Hinge;
        hinge.then_some(id as i32)
    };
    (0..num).map(joint).collect()
}

/// What the records of a flex are made of.
struct Rod<'a> {
    part: &'a Part,
    young: f64,
    shear: f64,
    section: Section,
}

impl<'a> Rod<'a> {
    fn new(said: &Flex, part: &'a Part) -> Self {
        let elastic = &said.elasticity;
        let young = elastic.young();
        let shear = match elastic.shear() > 0.0 {
            true => elastic.shear(),
            false => young / (2.0 * (1.0 + elastic.poisson())),
        };
        Self {
            part,
            young,
            shear,
            section: section(said),
        }
    }

    fn edge(&self, a: usize, b: usize) -> DVec3 {
        DVec3::from(self.part.xpos[b]) - DVec3::from(self.part.xpos[a])
    }

    // curvature of the reference at a vertex: twice the tangent of half the angle
    fn curvature(&self, [a, b, c]: [usize; 3]) -> f64 {
        let (first, second) = (self.edge(a, b).normalize(), self.edge(b, c).normalize());
        let bend = first.cross(second).length();
        match bend.atan2(first.dot(second)) > STRAIGHT {
            true => 2.0 * bend / (1.0 + first.dot(second)),
            false => 0.0,
        }
    }

    fn both(&self, [a, b, c]: [usize; 3]) -> f64 {
        self.edge(a, b).length() + self.edge(b, c).length()
    }

    fn hinge(&self, v: [usize; 3], joint: i32) -> [f64; RECORD] {
        let both = self.both(v);
        let [k1, k2] = self
            .section
            .moments
            .map(|moment| self.young * moment / both);
        [
            v[0] as f64,
            v[1] as f64,
            v[2] as f64,
            -1.0,
            k1,
            k2 - k1,
            self.curvature(v),
            f64::from(joint),
            self.shear * self.section.torsion / both,
            self.section.minor,
        ]
    }

    // without hinges: pairs of neighbours that are bent, then the other vertices between two lines
    fn twistless(&self) -> Vec<[f64; RECORD]> {
        let part = self.part;
        let mut at = vec![Vec::new(); part.vertex.len()];
        for line in part.element.as_chunks::<2>().0 {
            let [a, b] = line.map(|v| v as usize);
            at[a].push(b);
            at[b].push(a);
        }
        let inner = |v: usize| match at[v][..] {
            [before, after] => Some([before, v, after]),
            _ => None,
        };
        let bent = |v: usize| inner(v).is_some_and(|of| self.curvature(of) > 0.0);
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for line in part.element.as_chunks::<2>().0 {
            let [a, b] = line.map(|v| v as usize);
            let pair = [a.min(b), a.max(b)];
            if pair.into_iter().all(bent) && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let times = |v: usize| pairs.iter().filter(|pair| pair.contains(&v)).count();
        let other = |v: usize, not: usize| at[v].iter().copied().find(|n| *n != not);
        let mut out = Vec::new();
        for &[b, c] in &pairs {
            let (Some(a), Some(d)) = (other(b, c), other(c, b)) else {
                continue;
            };
            out.push(self.pair([a, b, c, d], [times(b), times(c)]));
        }
        for of in (0..at.len()).filter(|&v| times(v) == 0).filter_map(inner) {
            out.push(self.hinge(of, -1));
        }
        out
    }

    fn pair(&self, [a, b, c, d]: [usize; 4], times: [usize; 2]) -> [f64; RECORD] {
        let stiffness = |of: [usize; 3], times: usize| {
            self.young * self.section.moments[0] / self.both(of) / times as f64
        };
        let (first, middle, last) = (self.edge(a, b), self.edge(b, c), self.edge(c, d));
        let planes = [first.cross(middle), middle.cross(last)].map(|n| n.normalize());
        let sine = planes[0].cross(planes[1]).dot(middle.normalize());
        let twist = self.shear * self.section.torsion / (2.0 * middle.length());
        [
            a as f64,
            b as f64,
            c as f64,
            d as f64,
            stiffness([a, b, c], times[0]),
            stiffness([b, c, d], times[1]),
            self.curvature([a, b, c]),
            self.curvature([b, c, d]),
            twist * planes[0].dot(planes[1]),
            twist * sine,
        ]
    }
}

/// True if a hinge bends from a curvature at rest: its section is a box, or it is bent there.
pub(super) fn is_directed(m: &Arrays, f: usize, k: usize) -> bool {
    let adr = record(m, f, k);
    m.flex_bending[adr + 6] != 0.0 || m.flex_bending[adr + 9] != 0.0
}

/// True if the section is a box whose second half size is the larger one.
pub(super) fn is_upright(m: &Arrays, f: usize) -> bool {
    m.flex_bending[record(m, f, 0) + 9] < 0.0
}

/// Words of the state of a rod whose edges twist: the frames of its edges, and the twists between them; 0 of others.
pub(in crate::compile) fn words(m: &Arrays, f: usize) -> i64 {
    let Ok(adr) = usize::try_from(m.flex_bendingadr[f]) else {
        return 0;
    };
    let list = m.flex_bending.get(adr + 1..).unwrap_or_default();
    let num = m.flex_bending.get(adr).copied().unwrap_or(0.0).max(0.0) as usize;
    let mut records = list.chunks_exact(RECORD).take(num);
    let twists = m.flex_dim[f] == 1 && records.any(|record| record[3] < 0.0 && record[7] >= 0.0);
    if twists {
        7 * i64::from(m.flex_elemnum[f]) - 1
    } else {
        0
    }
}
