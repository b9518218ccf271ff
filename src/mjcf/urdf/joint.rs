//! Joints: connections and motions of links.

use std::collections::{BTreeMap, BTreeSet};

use super::{Known, Said};
use crate::asset::vec3::normalize;
use crate::mjcf::attrs::{self, Lenient};
use crate::mjcf::nearest::nearest;
use crate::mjcf::read::Reader;
use crate::mjcf::schema::urdf::{self, Axis, Dynamics, JointKind, Limit, Mimic};
use crate::mjcf::schema::{Equality, EqualityTag, Joint, Tri};
use crate::mjcf::xml::Node;
use crate::types::JointType;

/// A joint of the robot.
pub(super) struct Hinging<'a> {
    node: &'a Node,
    name: String,
    kind: JointKind,
    child: usize,
}

impl Reader<'_> {
    /// Reads every joint, and sets the parents and children of the links.
    pub(super) fn joints<'a>(
        &mut self,
        root: &'a Node,
        known: &Known,
        links: &mut [Said],
    ) -> Vec<Hinging<'a>> {
        let mut joints = Vec::new();
        for node in root.children.iter().filter(|c| c.tag == "joint") {
            let said: urdf::Joint = attrs::read(&mut self.log, node, &Lenient);
            let parent = self.end(node, "parent", known);
            let child = self.end(node, "child", known);
            let (Some(parent), Some(child)) = (parent, child) else {
                continue;
            };
            if links[child].parent.is_some() {
                let msg = format!(
                    "link {:?} is the child of another joint already; a link has one parent",
                    links[child].name
                );
                self.log.mistake(node.origin, None, msg);
                continue;
            }
            links[child].parent = Some((parent, node.origin));
            links[parent].children.push(child);
            if let (Some(name), Some(kind)) = (said.name, said.type_) {
                joints.push(Hinging {
                    node,
                    name,
                    kind,
                    child,
                });
            }
        }
        joints
    }

    /// Puts the joints into the links that they move, and adds the equalities of joints that follow others.
    pub(super) fn move_links(&mut self, joints: &[Hinging], links: &mut [Said]) {
        let mut names: BTreeMap<String, JointType> = BTreeMap::new();
        let mut followers = Vec::new();
        for joint in joints {
            let link = &mut links[joint.child];
            let (pos, orientation) = self.place(joint.node);
            let moving = self.moving(joint);
            if link.is_world() {
                if !moving.is_empty() {
                    let msg = "the link called world is the world body, which cannot move; name it otherwise, or fix it";
                    self.log.mistake(joint.node.origin, None, msg);
                }
                continue;
            }
            (link.body.pos, link.body.orientation) = (pos, orientation);
            for mut own in moving {
                // of two joints of one name the second has none
                let kind = own.type_();
                own.name = own.name.filter(|name| {
                    let free = !name.is_empty() && !names.contains_key(name);
                    free && names.insert(name.clone(), kind).is_none()
                });
                link.body.joints.push(own);
            }
            if joint.kind != JointKind::Fixed
                && let Some(mimic) = self.only(joint.node, "mimic")
            {
                followers.push((joint, mimic));
            }
        }
        let others = joints.iter().map(|j| j.name.as_str()).collect();
        for (joint, mimic) in followers {
            self.mimic(joint, mimic, &names, &others);
        }
    }

    /// The joints of a body for a joint of the robot: none if it is fixed, three if it is planar.
    fn moving(&mut self, joint: &Hinging) -> Vec<Joint> {
        let node = joint.node;
        let axis: Option<Axis> = self.part(node, "axis");
        let axis = axis.and_then(|a| a.xyz).unwrap_or([1.0, 0.0, 0.0]);
        let name = &joint.name;
        let mut out = match joint.kind {
            JointKind::Fixed => return Vec::new(),
            JointKind::Revolute | JointKind::Continuous => vec![Joint::hinge(name, axis)],
            JointKind::Prismatic => vec![Joint::slide(name, axis)],
            JointKind::Spherical => vec![Joint::ball(name)],
            JointKind::Floating => vec![Joint {
                name: Some(name.clone()),
                type_: Some(JointType::Free),
                ..Joint::default()
            }],
            JointKind::Planar => {
                let [x, y] = across(axis);
                vec![
                    Joint::slide(format!("{name}_TX"), x),
                    Joint::slide(format!("{name}_TY"), y),
                    Joint::hinge(format!("{name}_RZ"), axis),
                ]
            }
        };
        let dynamics: Dynamics = self.part(node, "dynamics").unwrap_or_default();
        for own in &mut out {
            own.origin = node.origin;
            own.damping = dynamics.damping.map(|d| vec![d]);
            own.frictionloss = dynamics.friction;
        }
        if let (Some(limit), Some(first)) = (self.part::<Limit>(node, "limit"), out.first_mut()) {
            bound(first, &limit, joint.kind);
        }
        out
    }

    /// A joint that follows another; as in MuJoCo it is ignored where one of them is no hinge or slide.
    fn mimic(
        &mut self,
        joint: &Hinging,
        node: &Node,
        names: &BTreeMap<String, JointType>,
        others: &BTreeSet<&str>,
    ) {
        let said: Mimic = attrs::read(&mut self.log, node, &Lenient);
        let Some(other) = said.joint.clone() else {
            return;
        };
        let follows = |name: &String| {
            let kind = names.get(name);
            kind.is_some_and(|k| matches!(k, JointType::Hinge | JointType::Slide))
        };
        if !names.contains_key(&other) && !others.contains(other.as_str()) {
            let near = nearest(&other, names.keys().map(String::as_str));
            let near = near.map(|n| format!("; did you mean {n:?}?"));
            let msg = format!("there is no joint {other:?}{}", near.unwrap_or_default());
            return self.log.mistake(node.origin, Some("joint"), msg);
        }
        if !follows(&joint.name) || !follows(&other) {
            return;
        }
        if other == joint.name {
            let msg = format!("joint {other:?} cannot follow itself");
            return self.log.mistake(node.origin, Some("joint"), msg);
        }
        self.spec.equalities.push(Equality {
            tag: EqualityTag::Joint,
            joint1: Some(joint.name.clone()),
            joint2: Some(other),
            polycoef: Some(vec![said.offset(), said.multiplier()]),
            origin: node.origin,
            ..Equality::default()
        });
    }
}

/// Range and largest force of a joint. A range without one of its ends, with ends in the wrong order, or of length 0 is not active.
fn bound(joint: &mut Joint, limit: &Limit, kind: JointKind) {
    if limit.effort() != 0.0 {
        let effort = limit.effort().abs();
        joint.actuatorfrcrange = Some([-effort, effort]);
    }
    if kind == JointKind::Continuous {
        return;
    }
    let range = [limit.lower(), limit.upper()];
    joint.range = Some(range);
    let whole = limit.lower.is_some() == limit.upper.is_some();
    if !whole || range[0] >= range[1] {
        joint.limited = Some(Tri::False);
    }
}

/// Two directions orthogonal to an axis: the images of x and y under the shortest rotation of z to the axis.
fn across([x, y, z]: [f64; 3]) -> [[f64; 3]; 2] {
    // an axis near z counts as z
    let mut axis = [-y, x];
    let s = normalize(&mut axis);
    if s == 0.0 {
        axis = [1.0, 0.0];
    }
    let angle = s.atan2(z);
    let (sin, w) = (angle / 2.0).sin_cos();
    let [a, b] = axis.map(|c| c * sin);
    [
        [1.0 - 2.0 * b * b, 2.0 * a * b, -2.0 * w * b],
        [2.0 * a * b, 1.0 - 2.0 * a * a, 2.0 * w * a],
    ]
}
