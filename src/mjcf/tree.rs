//! The tree of bodies.

use super::attrs::{self, Only, Plain, Without, check_orientation, exclusive};
use super::defaults::{light, no_children, posed, unknown_element};
use super::read::Reader;
use super::schema::{Body, Camera, Frame, Geom, Inertial, Joint, Light, Site};
use super::spec::FrameId;
use super::table::Attrs;
use super::xml::Node;
use crate::types::JointType;

/// The elements that a body may contain.
const CONTENTS: [&str; 13] = [
    "inertial",
    "joint",
    "freejoint",
    "geom",
    "site",
    "camera",
    "light",
    "body",
    "frame",
    "flexcomp",
    "replicate",
    "attach",
    "include",
];

/// Destination of the contents of an element.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The default class of elements that name none.
    pub class: usize,
    /// The innermost frame around it, within the body.
    pub frame: Option<FrameId>,
    /// True for the world, or a part of it that is to be copied.
    pub world: bool,
    /// True for the contents of a replicate, not of a body in it.
    pub replicate: bool,
    /// Number of bodies around it.
    pub depth: usize,
}

impl Reader<'_> {
    /// A section `<worldbody>`.
    pub fn world(&mut self, section: &Node) {
        if let Some((name, _)) = section.attrs.first() {
            self.log.mistake(
                section.origin,
                Some(name),
                "the world body has no attributes",
            );
        }
        let mut world = std::mem::take(&mut self.spec.world);
        world.name = Some("world".to_owned());
        self.contents(
            section,
            &mut world,
            Place {
                class: 0,
                frame: None,
                world: true,
                replicate: false,
                depth: 0,
            },
        );
        self.spec.world = world;
    }

    /// Reads the contents of a body, frame or replicate into a body.
    pub fn contents(&mut self, node: &Node, body: &mut Body, place: Place) {
        for child in &node.children {
            if self.log.stopped {
                return;
            }
            self.element(child, body, place);
            if place.world {
                body.bodies.append(&mut self.twists);
            }
        }
    }

    /// Reads an element of a body, frame or replicate into a body.
    pub fn element(&mut self, node: &Node, body: &mut Body, place: Place) {
        let class = self
            .classes
            .find(&mut self.log, node, "class")
            .unwrap_or(place.class);
        let at = Place { class, ..place };
        // attachments of parts of this model can go deeper than its text
        let deepest = self.limits.depth;
        if self.nesting >= deepest {
            let msg =
                format!("elements are nested more than {deepest} deep; raise `Limits::depth`");
            return self.log.stop(node.origin, msg);
        }
        self.nesting += 1;
        match node.tag.as_str() {
            "inertial" => self.inertial(node, body, at),
            "joint" => self.joint(node, body, at),
            "freejoint" => self.freejoint(node, body, at),
            "geom" => self.geom(node, body, at),
            "site" => self.site(node, body, at),
            "camera" => self.camera(node, body, at),
            "light" => self.light(node, body, at),
            "body" => self.body(node, body, place),
            "flexcomp" => self.flexcomp(node, body, Place { ..place }),
            "frame" => self.frame(node, body, place),
            "replicate" => self.replicate(node, body, place),
            "attach" => self.attach(node, body, place),
            "composite" => self.log.mistake(
                node.origin,
                None,
                "composites were removed in MuJoCo 4.0; for a cable use a <flexcomp dim=\"1\">",
            ),
            "plugin" => self.log.mistake(
                node.origin,
                None,
                "no plugin that MuJoCo ships makes passive forces; remove this one",
            ),
            tag => unknown_element(&mut self.log, node, tag, CONTENTS.into_iter()),
        }
        self.nesting -= 1;
    }

    /// The default class of the contents of an element: its `childclass`, or the class of the element around it.
    pub fn childclass(&mut self, node: &Node, around: usize) -> usize {
        self.classes
            .find(&mut self.log, node, "childclass")
            .unwrap_or(around)
    }

    fn body(&mut self, node: &Node, parent: &mut Body, place: Place) {
        let mut body: Box<Body> = Box::new(attrs::read(&mut self.log, node, &Plain));
        check_orientation(&mut self.log, node, &body.orientation);
        if body.name.as_deref() == Some("world") {
            self.log.mistake(
                node.origin,
                Some("name"),
                "only the world body may have the name \"world\"; choose another name",
            );
        }
        let class = self.childclass(node, place.class);
        body.childclass = None;
        body.frame = place.frame;
        self.contents(
            node,
            &mut body,
            Place {
                class,
                frame: None,
                world: false,
                replicate: false,
                depth: place.depth + 1,
            },
        );
        parent.bodies.push(*body);
    }

    fn frame(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut frame: Frame = attrs::read(&mut self.log, node, &Plain);
        check_orientation(&mut self.log, node, &frame.orientation);
        let class = self.childclass(node, place.class);
        frame.childclass = None;
        frame.parent = place.frame;
        body.frames.push(frame);
        let frame = Some(body.frames.len() - 1);
        self.contents(
            node,
            body,
            Place {
                class,
                frame,
                ..place
            },
        );
    }

    fn inertial(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut inertial: Inertial =
            posed(&mut self.log, node, &Plain, |i: &Inertial| &i.orientation);
        no_children(&mut self.log, node);
        exclusive(&mut self.log, node, &["fullinertia", "quat"]);
        for attr in ["axisangle", "xyaxes", "zaxis", "euler"] {
            exclusive(&mut self.log, node, &["fullinertia", attr]);
        }
        if place.world {
            self.log.mistake(
                node.origin,
                None,
                "the world body has no inertia; put the <inertial> into a body",
            );
        }
        if body.inertial.is_some() {
            self.log.mistake(
                node.origin,
                None,
                "the body has an <inertial> already; merge the two",
            );
        }
        inertial.frame = place.frame;
        body.inertial = Some(inertial);
    }

    fn joint(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut joint: Joint = attrs::read(&mut self.log, node, &Without(&["align"]));
        self.check_joint(node, place);
        joint.inherit(&self.classes.get(place.class).joint);
        joint.class = None;
        joint.frame = place.frame;
        body.joints.push(joint);
    }

    fn freejoint(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut joint: Joint = attrs::read(&mut self.log, node, &Only(&["name", "group", "align"]));
        self.check_joint(node, place);
        joint.type_ = Some(JointType::Free);
        joint.free = true;
        joint.frame = place.frame;
        body.joints.push(joint);
    }

    fn check_joint(&mut self, node: &Node, place: Place) {
        no_children(&mut self.log, node);
        if place.replicate {
            self.log.mistake(
                node.origin,
                None,
                "a joint may not stand directly in a replicate; wrap it in a body",
            );
        } else if place.world {
            self.log.mistake(
                node.origin,
                None,
                "the world body has no joints; put a body around this one",
            );
        }
    }

    fn geom(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut geom: Geom = posed(&mut self.log, node, &Plain, |g: &Geom| &g.orientation);
        geom.plugin = self.own_plugin(node);
        geom.inherit(&self.classes.get(place.class).geom);
        geom.class = None;
        geom.frame = place.frame;
        body.geoms.push(geom);
    }

    fn site(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut site: Site = posed(&mut self.log, node, &Plain, |s: &Site| &s.orientation);
        no_children(&mut self.log, node);
        site.inherit(&self.classes.get(place.class).site);
        site.class = None;
        site.frame = place.frame;
        body.sites.push(site);
    }

    fn camera(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut camera: Camera = posed(&mut self.log, node, &Plain, |c: &Camera| &c.orientation);
        no_children(&mut self.log, node);
        exclusive(&mut self.log, node, &["fovy", "sensorsize"]);
        camera.inherit(&self.classes.get(place.class).camera);
        camera.class = None;
        // the size of the sensor decides the field of view
        if camera.sensorsize.is_some() {
            camera.fovy = None;
        }
        camera.frame = place.frame;
        body.cameras.push(camera);
    }

    fn light(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mut said: Light = light(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        said.inherit(&self.classes.get(place.class).light);
        said.class = None;
        said.frame = place.frame;
        body.lights.push(said);
    }
}
