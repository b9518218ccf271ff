//! URDF text → [`Spec`](super::Spec), as MuJoCo's reader of URDF understands it.
//!
//! Links become bodies, `visual` and `collision` geoms, joints move the link that is their child. Units and the defaults of the
//! compiler are URDF's: angles in radians, static bodies are fused and visual geoms are dropped, unless `<mujoco>` sets them
//! otherwise.

mod joint;
mod link;
mod mesh;

use std::collections::{BTreeMap, BTreeSet};

use super::attrs::{self, Lenient, known};
use super::nearest::nearest;
use super::read::Reader;
use super::schema::urdf::{Color, End, Link, Place, Robot};
use super::schema::{Angle, Body, Compiler, Flag, LengthRange, Options, Orientation, Size};
use super::source::Origin;
use super::table::Attrs;
use super::xml::Node;

/// State of reading a robot.
#[derive(Default)]
struct Known {
    /// Colours of materials.
    colours: BTreeMap<String, [f64; 4]>,
    /// Links by name.
    links: BTreeMap<String, usize>,
    /// Names that geoms have.
    geoms: BTreeSet<String>,
    /// Meshes by file and the bits of their scale.
    meshes: mesh::Meshes,
}

/// A link, and the body that it becomes.
struct Said<'a> {
    node: &'a Node,
    name: String,
    body: Body,
    /// The parent link, and the place of the joint between them.
    parent: Option<(usize, Origin)>,
    children: Vec<usize>,
}

impl Said<'_> {
    /// Whether the link is the world body.
    fn is_world(&self) -> bool {
        self.name == "world"
    }
}

impl Reader<'_> {
    /// Reads a `<robot>`.
    pub fn robot(&mut self, root: &Node) {
        self.robot_settings(root);
        let robot: Robot = attrs::read(&mut self.log, root, &Lenient);
        self.spec.name = robot.name.unwrap_or_else(|| "MuJoCo Model".to_owned());
        let mut known = Known::default();
        self.colours(root, &mut known.colours);
        let mut links = self.links(root, &mut known);
        let joints = self.joints(root, &known, &mut links);
        for link in &mut links {
            self.link(link, &mut known);
        }
        self.move_links(&joints, &mut links);
        self.robot_tree(links);
        self.finish();
    }

    /// The settings in `<mujoco>`: of the compiler, the options and the sizes.
    fn robot_settings(&mut self, root: &Node) {
        let mut own = Node {
            tag: root.tag.clone(),
            attrs: Vec::new(),
            children: Vec::new(),
            cdata: Vec::new(),
            origin: root.origin,
            dir: root.dir.clone(),
        };
        if let Some(mujoco) = self.only(root, "mujoco") {
            for tag in ["compiler", "option", "size"] {
                let node = self.only(mujoco, tag).map(|node| match tag {
                    "compiler" => known::<Compiler>(node, |inner| {
                        (inner.tag == "lengthrange").then(|| known::<LengthRange>(inner, |_| None))
                    }),
                    "option" => known::<Options>(node, |inner| {
                        (inner.tag == "flag").then(|| known::<Flag>(inner, |_| None))
                    }),
                    _ => known::<Size>(node, |_| None),
                });
                own.children.extend(node);
            }
        }
        self.settings(&own);
        for compiler in &mut self.spec.compilers {
            compiler.angle = Some(Angle::Radian);
            compiler.fusestatic.get_or_insert(true);
            compiler.discardvisual.get_or_insert(true);
        }
    }

    /// The child element of a name; there may be only one.
    fn only<'a>(&mut self, node: &'a Node, tag: &str) -> Option<&'a Node> {
        let mut found = node.children.iter().filter(|c| c.tag == tag);
        let first = found.next();
        if let Some(again) = found.next() {
            let msg = format!("<{tag}> is here already; merge the two");
            self.log.mistake(again.origin, None, msg);
        }
        first
    }

    /// The child element of a name, which must be there.
    fn needed<'a>(&mut self, node: &'a Node, tag: &str) -> Option<&'a Node> {
        let found = self.only(node, tag);
        if found.is_none() {
            let msg = format!("needs the element <{tag}>");
            self.log.mistake(node.origin, None, msg);
        }
        found
    }

    /// The attributes of a child element, if it is there.
    fn part<A: Attrs>(&mut self, node: &Node, tag: &str) -> Option<A> {
        let child = self.only(node, tag)?;
        Some(attrs::read(&mut self.log, child, &Lenient))
    }

    /// The attributes of a child element that must exist.
    fn needed_part<A: Attrs>(&mut self, node: &Node, tag: &str) -> Option<A> {
        let child = self.needed(node, tag)?;
        Some(attrs::read(&mut self.log, child, &Lenient))
    }

    /// The pose of `<origin>`: position, and orientation if it is given.
    fn place(&mut self, node: &Node) -> (Option<[f64; 3]>, Orientation) {
        let place: Place = self.part(node, "origin").unwrap_or_default();
        let turn = |rpy| super::copies::euler_quat(rpy, false, "XYZ");
        let orientation = Orientation {
            quat: place.rpy.filter(|rpy| *rpy != [0.0; 3]).map(turn),
            ..Orientation::default()
        };
        (place.xyz, orientation)
    }

    /// The colours of all materials by name; the first colour of a name is used.
    fn colours(&mut self, node: &Node, colours: &mut BTreeMap<String, [f64; 4]>) {
        // the depth of the text is bounded by the reader
        if node.tag == "material"
            && let Some(name) = node.attr("name").filter(|n| !colours.contains_key(*n))
            && let Some(Color {
                rgba: Some(rgba), ..
            }) = self.part(node, "color")
        {
            colours.insert(name.to_owned(), rgba);
        }
        node.children.iter().for_each(|c| self.colours(c, colours));
    }

    /// Every link by its name.
    fn links<'a>(&mut self, root: &'a Node, known: &mut Known) -> Vec<Said<'a>> {
        let mut links = Vec::new();
        for node in root.children.iter().filter(|c| c.tag == "link") {
            let said: Link = attrs::read(&mut self.log, node, &Lenient);
            let name = said.name.unwrap_or_default();
            let again = known.links.insert(name.clone(), links.len()).is_some();
            if again {
                let msg = format!("there is another link {name:?}; names of links must differ");
                self.log.mistake(node.origin, Some("name"), msg);
            }
            let body = Body {
                name: Some(name.clone()).filter(|n| !n.is_empty() && !again),
                origin: node.origin,
                ..Body::default()
            };
            links.push(Said {
                node,
                name,
                body,
                parent: None,
                children: Vec::new(),
            });
        }
        links
    }

    /// The number of the link that `<parent>` or `<child>` of a joint names.
    fn end(&mut self, node: &Node, tag: &str, known: &Known) -> Option<usize> {
        let child = self.needed(node, tag)?;
        let end: End = attrs::read(&mut self.log, child, &Lenient);
        let name = end.link?;
        let found = known.links.get(&name).copied();
        if found.is_none() {
            let near = nearest(&name, known.links.keys().map(String::as_str));
            let near = near.map(|n| format!("; did you mean {n:?}?"));
            let msg = format!("there is no link {name:?}{}", near.unwrap_or_default());
            self.log.mistake(child.origin, Some("link"), msg);
        }
        found
    }

    /// Puts the links into the tree of bodies: each behind its parent, in the order of the joints.
    fn robot_tree(&mut self, mut links: Vec<Said>) {
        let mut order: Vec<usize> = Vec::with_capacity(links.len());
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let roots = (0..links.len())
            .rev()
            .filter(|i| links[*i].parent.is_none());
        stack.extend(roots.map(|i| (i, 0)));
        let mut reached = vec![false; links.len()];
        while let Some((i, depth)) = stack.pop() {
            let deepest = self.limits.depth;
            if depth >= deepest {
                let msg =
                    format!("links are nested more than {deepest} deep; raise `Limits::depth`");
                return self.log.stop(links[i].node.origin, msg);
            }
            order.push(i);
            reached[i] = true;
            stack.extend(links[i].children.iter().rev().map(|c| (*c, depth + 1)));
        }
        for (link, _) in links.iter().zip(&reached).filter(|(_, there)| !**there) {
            let at = link.parent.map_or(link.node.origin, |(_, joint)| joint);
            let msg = format!(
                "link {:?} is its own ancestor; the links of a robot form a tree",
                link.name
            );
            self.log.mistake(at, None, msg);
        }
        let mut world = Body {
            name: Some("world".to_owned()),
            ..Body::default()
        };
        // from the last to the first, so that a body is complete before it is moved into its parent
        for i in order.into_iter().rev() {
            let mut body = std::mem::take(&mut links[i].body);
            if links[i].is_world() {
                // its children are the world's; their place among the others is that of the link
                world.bodies.append(&mut body.bodies);
                world.geoms = body.geoms;
                continue;
            }
            body.bodies.reverse();
            match links[i].parent {
                Some((parent, _)) => links[parent].body.bodies.push(body),
                None => world.bodies.push(body),
            }
        }
        world.bodies.reverse();
        if !(world.bodies.is_empty() && world.geoms.is_empty()) {
            self.spec.world = world;
        }
    }
}
