//! Changes of a spec by `fusestatic` and `discardvisual` before it is compiled (`mjs_fuseStatic`, `mjs_discardVisual`).

use std::collections::HashSet;

use super::body::Compiled;
use super::pose::{Pose, Quat, V3};
use super::tree::Tree;
use crate::asset::inertia::{eig3, globalinertia, offcenter};
use crate::asset::vec3::MINVAL;
use crate::error::Result;
use crate::mjcf::schema::{
    Body, Compiler, FalseAuto, FluidShape, Frame, Geom, Inertial, Orientation, Tri,
};
use crate::mjcf::schema::{SensorTag, WrapTag};
use crate::mjcf::spec::{FrameId, Spec};
use crate::types::{GeomType, ObjType, SleepPolicy, TrnType};

/// The spec with static bodies made frames of their parents, or with visual elements left out; `None` if it asks for neither.
pub(super) fn reduced(tree: &Tree, bodies: &[Compiled]) -> Result<Option<Spec>> {
    let compiler = tree.spec.compiler();
    if compiler.fusestatic() {
        return Ok(Some(fuse(tree, bodies)));
    }
    if compiler.discardvisual() {
        return discard(tree, bodies).map(Some);
    }
    Ok(None)
}

// all settings of a spec, changed alike
fn settings(spec: &Spec, change: impl Fn(&mut Compiler)) -> Vec<Compiler> {
    let mut list = spec.compilers.clone();
    list.iter_mut().for_each(change);
    list
}

/// Mass properties of a body in its own frame.
#[derive(Clone)]
struct Mass {
    mass: f64,
    com: V3,
    /// About the centre of mass, as `fullinertia`.
    full: [f64; 6],
    /// True if the inertia does not follow from geoms alone.
    explicit: bool,
    /// True if another body was welded to this one.
    grown: bool,
}

impl Mass {
    fn of(body: &Compiled, explicit: bool) -> Mass {
        Mass {
            mass: body.mass,
            com: body.inertial.pos,
            full: globalinertia(body.inertia, body.inertial.quat),
            explicit,
            grown: false,
        }
    }

    fn inertial(&self, origin: crate::mjcf::source::Origin) -> Inertial {
        let (quat, diag) = principal(self.full);
        explicit(
            Pose {
                pos: self.com,
                quat,
            },
            self.mass,
            diag,
            origin,
        )
    }

    // adds the mass of a body that is welded on at a pose
    fn take(&mut self, other: &Mass, pose: Pose) {
        self.explicit |= other.explicit;
        let mass = self.mass + other.mass;
        if other.mass < MINVAL || mass < MINVAL {
            return;
        }
        let (quat, diag) = principal(other.full);
        let there = pose.then(Pose {
            pos: other.com,
            quat,
        });
        let turned = globalinertia(diag, there.quat);
        let com: V3 =
            std::array::from_fn(|k| (self.mass * self.com[k] + other.mass * there.pos[k]) / mass);
        let shift = |from: V3| [0, 1, 2].map(|k| from[k] - com[k]);
        let own = offcenter(self.mass, shift(self.com));
        let off = offcenter(other.mass, shift(there.pos));
        self.full = std::array::from_fn(|k| self.full[k] + own[k] + turned[k] + off[k]);
        (self.mass, self.com) = (mass, com);
        self.grown = true;
    }
}

fn principal(full: [f64; 6]) -> (Quat, V3) {
    let [xx, yy, zz, xy, xz, yz] = full;
    let e = eig3(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    (e.quat, e.eigval)
}

fn explicit(pose: Pose, mass: f64, diag: V3, origin: crate::mjcf::source::Origin) -> Inertial {
    Inertial {
        pos: Some(pose.pos),
        mass: Some(mass),
        diaginertia: Some(diag),
        orientation: Orientation {
            quat: Some(pose.quat),
            ..Orientation::default()
        },
        origin,
        ..Inertial::default()
    }
}

fn fuse(tree: &Tree, bodies: &[Compiled]) -> Spec {
    let keep = kept_bodies(tree, bodies);
    let mut mass: Vec<Mass> = tree
        .bodies
        .iter()
        .zip(bodies)
        .map(|(node, body)| Mass::of(body, node.said.inertial.is_some() || body.raised))
        .collect();

    // an arena of bodies without children, and the children by number
    let mut said: Vec<Body> = tree.bodies.iter().map(|node| node.said.alone()).collect();
    let mut pose: Vec<Pose> = bodies.iter().map(|body| body.pose).collect();
    let mut parent: Vec<usize> = tree.bodies.iter().map(|node| node.parent).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); said.len()];
    for i in 1..said.len() {
        children[parent[i]].push(i);
    }

    for i in 1..said.len() {
        if keep[i] {
            continue;
        }
        let p = parent[i];
        let body = std::mem::take(&mut said[i]);
        let base = hand_over(body, &mut said[p]);

        // its children take its place
        let moved = std::mem::take(&mut children[i]);
        for &child in &moved {
            parent[child] = p;
            pose[child] = pose[i].then(pose[child]);
            said[child].frame = inside(base, said[child].frame);
        }
        if let Some(at) = children[p].iter().position(|&c| c == i) {
            children[p].splice(at..=at, moved);
        }
        if p > 0 {
            let other = mass[i].clone();
            mass[p].take(&other, pose[i]);
        }
    }

    // if a fused body has explicit inertia, the whole gets explicit inertia
    for (i, body) in said.iter_mut().enumerate().skip(1) {
        let from_geoms = tree.bodies[i].compiler.inertiafromgeom() == Tri::True;
        if keep[i] && mass[i].grown && mass[i].explicit && !from_geoms {
            body.inertial = Some(mass[i].inertial(body.origin));
        }
    }
    for i in (0..said.len()).rev() {
        let mut list = Vec::with_capacity(children[i].len());
        for &child in &children[i] {
            list.push(std::mem::take(&mut said[child]));
        }
        said[i].bodies = list;
    }
    Spec {
        world: std::mem::take(&mut said[0]),
        compilers: settings(tree.spec, |c| c.fusestatic = Some(false)),
        ..tree.spec.clone()
    }
}

// hands all elements of a body over to its parent; returns the parent's new frame, which has the body's pose
fn hand_over(mut body: Body, to: &mut Body) -> FrameId {
    let base = to.frames.len();
    to.frames.push(Frame {
        pos: body.pos,
        orientation: body.orientation,
        parent: body.frame,
        origin: body.origin,
        ..Frame::default()
    });
    to.frames.extend(body.frames.into_iter().map(|mut f| {
        f.parent = inside(base, f.parent);
        f
    }));
    macro_rules! append {
        ($($list:ident)*) => {
            $(
                body.$list.iter_mut().for_each(|x| x.frame = inside(base, x.frame));
                to.$list.append(&mut body.$list);
            )*
        };
    }
    append!(geoms sites cameras lights);
    base
}

// the frame of an element of a fused body, whose pose is now the frame `base` of its parent
fn inside(base: FrameId, frame: Option<FrameId>) -> Option<FrameId> {
    Some(frame.map_or(base, |f| base + 1 + f))
}

// bodies that move, that another element names, or whose fusing would change the forces
fn kept_bodies(tree: &Tree, bodies: &[Compiled]) -> Vec<bool> {
    let named = body_references(tree.spec);
    let felt = sites_of_forces(tree.spec);
    let fluid = tree.spec.option.density() > 0.0 || tree.spec.option.viscosity() > 0.0;
    let mut keep: Vec<bool> = Vec::with_capacity(bodies.len());
    for (i, node) in tree.bodies.iter().enumerate() {
        let said = node.said;
        let parent = tree.bodies[node.parent].said;
        // gravity compensation acts on moving bodies with mass only
        let weighs = bodies[i].mass > 0.0 && node.weldid != 0;
        let force = said
            .sites
            .iter()
            .any(|s| s.name.as_deref().is_some_and(|n| felt.contains(n)));
        // masses of geoms alone would lose the part that bounds raised
        let mut onto = node.parent;
        while keep.get(onto) == Some(&false) {
            onto = tree.bodies[onto].parent;
        }
        let raised = bodies[i].raised || (!node.geoms.is_empty() && bodies[onto].raised);
        keep.push(
            i == 0
                || (raised && node.compiler.inertiafromgeom() == Tri::True)
                || !said.joints.is_empty()
                || said.mocap()
                || said.fuse() == FalseAuto::False
                || said.sleep() != SleepPolicy::Auto
                || (said.gravcomp() != parent.gravcomp() && weighs)
                || (fluid && node.weldid != 0)
                || said.name.as_deref().is_some_and(|n| named.contains(n))
                || force,
        );
    }
    keep
}

fn body_references(spec: &Spec) -> HashSet<&str> {
    let mut names = HashSet::new();
    for x in &spec.excludes {
        names.extend(
            [&x.body1, &x.body2]
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
    }
    for x in &spec.equalities {
        names.extend(
            [&x.body1, &x.body2]
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
    }
    for x in &spec.actuators {
        names.extend(x.target.as_deref().filter(|_| x.trntype == TrnType::Body));
    }
    let is_body = |kind: Option<ObjType>| matches!(kind, Some(ObjType::Body | ObjType::XBody));
    for x in &spec.sensors {
        let list = [&x.body, &x.body1, &x.body2, &x.subtree1, &x.subtree2];
        names.extend(list.into_iter().flatten().map(String::as_str));
        names.extend(x.objname.as_deref().filter(|_| is_body(x.objtype)));
        names.extend(x.refname.as_deref().filter(|_| is_body(x.reftype)));
    }
    for x in spec.tuples.iter().flat_map(|t| &t.elements) {
        names.extend(x.objname.as_deref().filter(|_| is_body(x.objtype)));
    }
    for x in spec.skins.iter().flat_map(|s| &s.bones) {
        names.extend(x.body.as_deref());
    }
    for x in &spec.flexes {
        let lists = [&x.body, &x.node].into_iter().flatten();
        names.extend(lists.flat_map(|list| list.split_ascii_whitespace()));
    }
    spec.each_camera(&mut |_, x| names.extend(x.target.as_deref()));
    spec.each_light(&mut |_, x| names.extend(x.target.as_deref()));
    names
}

fn sites_of_forces(spec: &Spec) -> HashSet<&str> {
    let force =
        |x: &&crate::mjcf::schema::Sensor| matches!(x.tag, SensorTag::Force | SensorTag::Torque);
    spec.sensors
        .iter()
        .filter(force)
        .filter_map(|x| x.site.as_deref())
        .collect()
}

fn discard(tree: &Tree, bodies: &[Compiled]) -> Result<Spec> {
    let mut spec = tree.spec.clone();
    spec.compilers = settings(tree.spec, |c| c.discardvisual = Some(false));
    let named = geom_references(tree.spec);
    let visual = |geom: &Geom| {
        let touches = geom.contype() != 0 || geom.conaffinity() != 0;
        let fluid = geom.fluidshape() == FluidShape::Ellipsoid;
        let referred = geom.name.as_deref().is_some_and(|n| named.contains(n));
        !touches && !fluid && !referred
    };

    // bodies keep their inertia, visual geoms included that are left out
    let mut id = 0;
    let mut stack = vec![&mut spec.world];
    while let Some(body) = stack.pop() {
        let compiled = &bodies[id];
        let node = &tree.bodies[id];
        let mut weighs = compiled
            .geoms
            .iter()
            .zip(&body.geoms)
            .filter(|(_, geom)| visual(geom));
        let (any, heavy) = (
            body.geoms.iter().any(visual),
            weighs.any(|(g, _)| g.mass > 0.0),
        );
        let mode = node.compiler.inertiafromgeom();
        if mode == Tri::True {
            let msg = "discardvisual would drop geoms with mass from which inertiafromgeom=\"true\" infers; use \"auto\"";
            tree.ensure(!heavy, body.origin, None, msg)?;
        } else if any && id > 0 && mode == Tri::Auto && body.inertial.is_none() {
            let inertia = explicit(
                compiled.inertial,
                compiled.mass,
                compiled.inertia,
                body.origin,
            );
            body.inertial = (compiled.mass > 0.0).then_some(inertia);
        }
        body.geoms.retain(|geom| !visual(geom));
        body.geoms.iter_mut().for_each(|g| g.material = None);
        body.sites.iter_mut().for_each(|s| s.material = None);
        id += 1;
        stack.extend(body.bodies.iter_mut().rev());
    }

    let mut used = HashSet::new();
    spec.each_geom(&mut |_, geom| {
        used.extend(geom.mesh.clone());
    });
    spec.each_site(&mut |_, site| {
        used.extend(site.mesh.clone().filter(|_| site.type_() == GeomType::Mesh));
    });
    spec.meshes
        .retain(|mesh| mesh.name.as_ref().is_some_and(|n| used.contains(n)));
    spec.meshes.iter_mut().for_each(|m| m.material = None);
    spec.tendons.iter_mut().for_each(|t| t.material = None);
    spec.skins.iter_mut().for_each(|s| s.material = None);
    spec.materials.clear();
    spec.textures.clear();
    Ok(spec)
}

fn geom_references(spec: &Spec) -> HashSet<&str> {
    let mut names = HashSet::new();
    for x in &spec.pairs {
        names.extend(
            [&x.geom1, &x.geom2]
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
    }
    for x in spec.tendons.iter().flat_map(|t| &t.path) {
        names.extend(x.geom.as_deref().filter(|_| x.tag == WrapTag::Geom));
    }
    for x in &spec.sensors {
        let list = [&x.geom, &x.geom1, &x.geom2];
        names.extend(list.into_iter().flatten().map(String::as_str));
        names.extend(
            x.objname
                .as_deref()
                .filter(|_| x.objtype == Some(ObjType::Geom)),
        );
        names.extend(
            x.refname
                .as_deref()
                .filter(|_| x.reftype == Some(ObjType::Geom)),
        );
    }
    for x in spec.tuples.iter().flat_map(|t| &t.elements) {
        names.extend(
            x.objname
                .as_deref()
                .filter(|_| x.objtype == Some(ObjType::Geom)),
        );
    }
    names
}
