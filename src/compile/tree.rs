//! The tree of bodies laid out flat: ids in MuJoCo's order, frames folded, weld roots.

use std::collections::HashMap;

use super::pose::{Pose, Units, unit};
use crate::error::{Error, Result};
use crate::mjcf::nearest::nearest;
use crate::mjcf::schema::{
    Angle, Body, Camera, Compiler, Frame, Geom, Joint, Light, Orientation, Site,
};
use crate::mjcf::source::Origin;
use crate::mjcf::spec::Spec;
use crate::types::JointType;

/// An element of a body: its spec, and the frames around it.
pub(super) struct Part<'a, T> {
    pub said: &'a T,
    pub body: usize,
    /// The frames around it, in the body.
    pub frame: Option<Pose>,
}

/// One body of the flat tree.
pub(super) struct Node<'a> {
    pub said: &'a Body,
    pub parent: usize,
    /// First joint, geom, site, camera and light of the body, then the number of each.
    pub joints: Range,
    pub geoms: Range,
    pub sites: Range,
    pub cameras: Range,
    pub lights: Range,
    /// Nearest ancestor or self that moves relative to its parent or is a mocap body.
    pub weldid: usize,
    /// The frames around the body, in its parent.
    pub frame: Option<Pose>,
    /// The frames around its inertial frame, in the body.
    pub inertial_frame: Option<Pose>,
    /// Settings of the model that the body came from.
    pub compiler: &'a Compiler,
}

/// Consecutive ids.
pub(super) type Range = std::ops::Range<usize>;

/// The flat tree, with the spec and its units.
pub(super) struct Tree<'a> {
    pub spec: &'a Spec,
    pub units: Units,
    pub bodies: Vec<Node<'a>>,
    pub joints: Vec<Part<'a, Joint>>,
    pub geoms: Vec<Part<'a, Geom>>,
    pub sites: Vec<Part<'a, Site>>,
    pub cameras: Vec<Part<'a, Camera>>,
    pub lights: Vec<Part<'a, Light>>,
}

impl<'a> Tree<'a> {
    /// Lays out the tree of a spec.
    pub fn new(spec: &'a Spec) -> Result<Tree<'a>> {
        let mut tree = Tree {
            spec,
            units: units(spec)?,
            bodies: Vec::new(),
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            lights: Vec::new(),
        };
        // depth first; frames of a body are folded once, for all that stand in them
        let mut stack: Vec<(&Body, usize, Option<Pose>)> = vec![(&spec.world, 0, None)];
        while let Some((body, parent, frame)) = stack.pop() {
            let frames = tree.frames(&body.frames)?;
            let id = tree.bodies.len();
            tree.push(body, parent, frame, &frames)?;
            for child in body.bodies.iter().rev() {
                stack.push((child, id, tree.frame_of(child.frame, &frames)));
            }
        }
        tree.check_sizes()?;
        Ok(tree)
    }

    fn push(
        &mut self,
        body: &'a Body,
        parent: usize,
        frame: Option<Pose>,
        frames: &[Pose],
    ) -> Result<()> {
        let id = self.bodies.len();
        let pick = |frame: Option<usize>| frame.and_then(|f| frames.get(f)).copied();
        macro_rules! part {
            ($list:ident) => {{
                let start = self.$list.len();
                self.$list.extend(body.$list.iter().map(|said| Part {
                    said,
                    body: id,
                    frame: pick(said.frame),
                }));
                start..self.$list.len()
            }};
        }
        let weld_root = !body.joints.is_empty() || body.mocap();
        let weldid = match self.bodies.get(parent) {
            Some(p) if !weld_root => p.weldid,
            _ => id,
        };
        let compiler = match self.spec.compilers.get(body.compiler) {
            Some(compiler) => compiler,
            None => self.spec.compiler(),
        };
        let node = Node {
            said: body,
            parent,
            joints: part!(joints),
            geoms: part!(geoms),
            sites: part!(sites),
            cameras: part!(cameras),
            lights: part!(lights),
            weldid,
            frame,
            inertial_frame: body.inertial.as_ref().and_then(|i| pick(i.frame)),
            compiler,
        };
        self.bodies.push(node);
        Ok(())
    }

    // poses of the frames of one body; a frame stands after the one around it
    fn frames(&self, said: &[Frame]) -> Result<Vec<Pose>> {
        let mut poses: Vec<Pose> = Vec::with_capacity(said.len());
        for frame in said {
            let mut pose = self.pose(frame.pos(), &frame.orientation, frame.origin)?;
            if let Some(parent) = self.frame_of(frame.parent, &poses) {
                pose = parent.then(pose);
            }
            pose.quat = unit(pose.quat);
            poses.push(pose);
        }
        Ok(poses)
    }

    fn frame_of(&self, frame: Option<usize>, poses: &[Pose]) -> Option<Pose> {
        frame.and_then(|f| poses.get(f)).copied()
    }

    /// The pose of a given position and orientation.
    pub fn pose(&self, pos: [f64; 3], said: &Orientation, origin: Origin) -> Result<Pose> {
        let quat = self.units.orientation(said);
        match quat {
            Ok(quat) => Ok(Pose {
                pos,
                quat: quat.unwrap_or(super::pose::UNIT),
            }),
            Err(msg) => Err(self.error(origin, None, msg)),
        }
    }

    /// An error about an element or one of its attributes.
    pub fn error(&self, origin: Origin, attr: Option<&str>, msg: impl Into<String>) -> Error {
        self.spec.sources.error(origin, attr, msg)
    }

    /// Succeeds if `ok`, else fails with an error about an element or one of its attributes.
    pub fn ensure(&self, ok: bool, origin: Origin, attr: Option<&str>, msg: &str) -> Result<()> {
        if ok {
            Ok(())
        } else {
            Err(self.error(origin, attr, msg))
        }
    }

    // body pairs are named by two 16-bit ids, and addresses are 32-bit
    fn check_sizes(&self) -> Result<()> {
        const MOST: usize = 65533;
        if let Some(first) = self.bodies.get(MOST) {
            let msg = format!(
                "there are {} bodies, and no more than {MOST} are possible; this is the first beyond",
                self.bodies.len()
            );
            return Err(self.error(first.said.origin, None, msg));
        }
        if let Some(joint) = self.spec.world.joints.first() {
            return Err(self.error(
                joint.origin,
                None,
                "the world cannot move; put the joint in a body",
            ));
        }
        Ok(())
    }
}

/// The conventions of a spec for angles.
pub(super) fn units(spec: &Spec) -> Result<Units> {
    let compiler = spec.compiler();
    let seq = compiler.eulerseq();
    let axes = |b: &u8| b"xyzXYZ".contains(b);
    match <[u8; 3]>::try_from(seq.as_bytes()) {
        Ok(eulerseq) if eulerseq.iter().all(axes) => Ok(Units {
            degree: compiler.angle() == Angle::Degree,
            eulerseq,
        }),
        _ => Err(spec.sources.error(
            compiler.origin,
            Some("eulerseq"),
            format!("eulerseq needs three of x, y, z, X, Y, Z, found {seq:?}"),
        )),
    }
}

/// Number of coordinates and of dofs of a joint.
pub(super) fn joint_sizes(joint: JointType) -> (usize, usize) {
    match joint {
        JointType::Free => (7, 6),
        JointType::Ball => (4, 3),
        JointType::Slide | JointType::Hinge => (1, 1),
    }
}

/// Ids by name of one kind of object.
#[derive(Default)]
pub(super) struct Ids<'a> {
    kind: &'static str,
    ids: HashMap<&'a str, usize>,
    names: Vec<&'a str>,
}

impl<'a> Ids<'a> {
    /// Names in the order of ids, empty where there is none. Fails when a name is there twice.
    pub fn new(
        spec: &Spec,
        kind: &'static str,
        named: impl Iterator<Item = (&'a str, Origin)>,
    ) -> Result<Ids<'a>> {
        let mut ids = HashMap::new();
        let mut names = Vec::new();
        for (id, (name, origin)) in named.enumerate() {
            names.push(name);
            if !name.is_empty() && ids.insert(name, id).is_some() {
                let msg = format!("another {kind} has the name {name:?} already; choose a new one");
                return Err(spec.sources.error(origin, Some("name"), msg));
            }
        }
        Ok(Ids { kind, ids, names })
    }

    /// The id of a name, if there is one.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// The id of a name in an attribute of an element.
    pub fn find(&self, tree: &Tree, origin: Origin, attr: &str, name: &str) -> Result<usize> {
        self.get(name).ok_or_else(|| {
            let near = nearest(name, self.names.iter().copied().filter(|n| !n.is_empty()));
            let near = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let msg = format!("{attr} {name:?} is not the name of a {}{near}", self.kind);
            tree.error(origin, Some(attr), msg)
        })
    }

    /// The name of an id.
    pub fn name(&self, id: usize) -> &str {
        self.names.get(id).copied().unwrap_or_default()
    }

    /// The names in order of ids, empty where there is none.
    pub fn list(&self) -> Vec<String> {
        self.names.iter().map(|&name| name.to_owned()).collect()
    }
}
