//! `asset model` and `attach`: other models, or parts of them, in the tree.

use super::archive;
use super::attrs::{self, Plain, exclusive};
use super::copies::{clone_referring, graft, names_of, rename, rename_one, take_for_attachment};
use super::defaults::{Classes, no_children};
use super::files;
use super::names::{Named, Names, lists, subtree};
use super::nearest::nearest;
use super::read::{Model, Reader};
use super::schema::{ActuatorId, Attach, Body, Compiler, Frame, JointId, Key, KeyOf};
use super::source::Origin;
use super::spec::Spec;
use super::tree::Place;
use super::units::convert;
use super::xml::{Node, text_of};

/// A keyframe of an attached model, until the whole tree is known.
pub(crate) struct AttachedKey {
    pub key: Key,
    pub part: u32,
    pub joints: Vec<(Origin, crate::types::JointType)>,
    pub actuators: Vec<super::spec::Actuator>,
    pub mocaps: Vec<Origin>,
}

impl Reader<'_> {
    /// Reads a model that may be attached.
    pub fn attachable(&mut self, node: &Node, name: Option<String>, file: &str) {
        let path = files::join(files::dir_of(&self.path), file);
        let path = match archive::model_in(&self.files, &path) {
            Ok(path) => path,
            Err(why) => return self.log.mistake(node.origin, Some("file"), why),
        };
        if self.around.contains(&path) {
            return self.log.mistake(
                node.origin,
                Some("file"),
                format!("the model {path:?} would contain itself"),
            );
        }
        if self.around.len() > NESTED {
            let msg = format!("models are attached within each other more than {NESTED} deep");
            return self.log.stop(node.origin, msg);
        }
        if self.log.sources.files.len() > self.limits.files {
            let files = self.limits.files;
            return self.log.stop(
                node.origin,
                format!("more than {files} files; raise `Limits::files`"),
            );
        }
        let text = match self
            .files
            .read(&path, self.limits.file)
            .and_then(|b| text_of(&path, b))
        {
            Ok(text) => text,
            Err(why) => return self.log.mistake(node.origin, Some("file"), why),
        };
        let mut around = self.around.clone();
        around.push(path.clone());
        let reader = Reader {
            log: std::mem::take(&mut self.log),
            files: self.files.clone(),
            limits: self.limits,
            classes: Classes::default(),
            spec: Spec::default(),
            models: Vec::new(),
            twists: Vec::new(),
            elements: self.elements,
            around,
            path: path.clone(),
            attached_keys: Vec::new(),
            parts: 0,
            root: None,
            attaching: 0,
            nesting: 0,
        };
        let (spec, log, elements) = reader.model(text, &path);
        (self.log, self.elements) = (log, elements);
        let name = name.unwrap_or_else(|| spec.name.clone());
        if self.models.iter().any(|m| m.name == name) {
            self.log.mistake(
                node.origin,
                None,
                format!("there is another model {name:?}; give this one a name"),
            );
        }
        self.models.push(Model { name, spec });
    }

    /// Reads an `<attach>`.
    pub fn attach(&mut self, node: &Node, body: &mut Body, place: Place) {
        let said: Attach = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        exclusive(&mut self.log, node, &["body", "frame"]);
        let Some(model) = &said.model else {
            return self.attach_again(node, &said, body, place);
        };
        let Some(mut child) = self
            .models
            .iter()
            .find(|m| m.name == *model)
            .map(|m| m.spec.clone())
        else {
            let near = nearest(model, self.models.iter().map(|m| m.name.as_str()));
            let near = near
                .map(|n| format!("; did you mean {n:?}?"))
                .unwrap_or_default();
            let msg = format!("there is no model {model:?} among the assets{near}");
            return self.log.mistake(node.origin, Some("model"), msg);
        };
        self.settle(node, &child);
        let (theirs, mine) = (child.compiler().clone(), self.compiler().clone());
        convert(&mut child, &theirs, &mine);
        self.parts += 1;
        mark(&mut child, self.parts);
        let to = |name: &str| format!("{}{name}", said.prefix.as_deref().unwrap_or(""));
        // a repeated reading copies the tree alone: the lists got their elements at the first reading
        let first = self.attaching == 0;
        if first {
            self.keep_keys(&child, &to);
        }

        let part = match (&said.body, &said.frame) {
            (Some(name), _) => cut_body(&mut child.world, name),
            (None, Some(name)) => cut_frame(&mut child.world, name),
            (None, None) => Some(whole(&mut child.world)),
        };
        let Some(mut part) = part else {
            let (attr, name) = if said.body.is_some() {
                ("body", &said.body)
            } else {
                ("frame", &said.frame)
            };
            let msg = format!(
                "there is no {attr} {:?} in the model {model:?}",
                name.as_deref().unwrap_or("")
            );
            return self.log.mistake(node.origin, Some(attr), msg);
        };
        if !self.admit(node, &mut part, place) {
            return;
        }

        // assets come along whether they are used or not, other elements if the part holds everything that they refer to
        let mut inside = names_of(&mut part);
        let mut rest = Spec::default();
        std::mem::swap(&mut rest, &mut child);
        rest.keys.clear();
        asset_names(&mut rest, &mut inside);
        take_for_attachment(&mut rest, &mut inside);
        rename(&mut part, &inside, &to);
        lists(&mut rest, &mut |_, e| rename_one(e, &inside, &to));
        let shift = self.spec.compilers.len();
        if same_inertias(&theirs, &mine) && rest.compilers.len() == 1 {
            rest.compilers.clear();
        }
        let own = !rest.compilers.is_empty();
        self.spec.compilers.append(&mut rest.compilers);
        if first {
            append(&mut self.spec, rest);
        }
        if own {
            shift_compilers(&mut part, shift);
        }

        let around = own_frame(node, body, place);
        graft(body, *part, around);
    }

    /// Attaches a part of this model again, which must stand before the attachment.
    fn attach_again(&mut self, node: &Node, said: &Attach, body: &mut Body, place: Place) {
        let (tag, name) = match (&said.body, &said.frame) {
            (Some(name), _) => ("body", name),
            (None, Some(name)) => ("frame", name),
            (None, None) => {
                let msg = "needs a model to attach, or a body or frame of this model";
                return self.log.mistake(node.origin, None, msg);
            }
        };
        let Some(root) = self.root.clone() else {
            return;
        };
        let mut search = Search {
            tag,
            name,
            before: node,
            found: None,
        };
        for world in root.children.iter().filter(|n| n.tag == "worldbody") {
            if self.search(world, 0, &mut search) {
                break;
            }
        }
        let Some((again, class)) = search.found else {
            let msg = format!("there is no {tag} {name:?} before this attachment");
            return self.log.mistake(node.origin, Some(tag), msg);
        };
        let mut part = Box::new(Body::default());
        let here = Place {
            class,
            frame: None,
            world: false,
            replicate: false,
            depth: place.depth,
        };
        if self.attaching >= NESTED {
            let msg = format!("attachments are nested more than {NESTED} deep");
            return self.log.stop(node.origin, msg);
        }
        let before = self.log.errors.len();
        self.attaching += 1;
        self.element(again, &mut part, here);
        self.attaching -= 1;
        if self.log.stopped {
            return;
        }
        // its mistakes were reported at the first reading
        self.log.errors.truncate(before);
        if !self.admit(node, &mut part, place) {
            return;
        }
        let to = |name: &str| format!("{}{name}", said.prefix.as_deref().unwrap_or(""));
        let inside = names_of(&mut part);
        let referring = clone_referring(&mut self.spec, &inside);
        rename(&mut part, &inside, &to);
        if self.attaching == 0 {
            referring.copy_into(&mut self.spec, &inside, &to);
        }
        let around = own_frame(node, body, place);
        graft(body, *part, around);
    }

    /// Checks that a part is neither too large nor too deep to be attached.
    fn admit(&mut self, node: &Node, part: &mut Body, place: Place) -> bool {
        let mut size = 1;
        subtree(part, &mut |_, _| size += 1);
        self.elements = self.elements.saturating_add(size);
        let (most, deepest) = (self.limits.elements, self.limits.depth);
        if self.elements > most {
            let msg = format!("more than {most} elements in all; raise `Limits::elements`");
            self.log.stop(node.origin, msg);
            return false;
        }
        if place.depth + depth(part) > deepest {
            let msg =
                format!("bodies would be nested more than {deepest} deep; raise `Limits::depth`");
            self.log.stop(node.origin, msg);
            return false;
        }
        true
    }

    /// Searches for an element in front of another; true when the other is reached.
    fn search<'n>(&mut self, node: &'n Node, class: usize, s: &mut Search<'n>) -> bool {
        for child in &node.children {
            if child.origin.same(s.before.origin) {
                return true;
            }
            // names in a replicate differ from those in the text
            if !matches!(child.tag.as_str(), "body" | "frame") {
                continue;
            }
            let inner = self.childclass(child, class);
            if self.search(child, inner, s) {
                return true;
            }
            if child.tag == s.tag && child.attr("name") == Some(s.name) {
                s.found = Some((child, class));
            }
        }
        false
    }

    /// Keeps the keyframes of an attached model until the whole tree is known.
    fn keep_keys(&mut self, child: &Spec, to: &dyn Fn(&str) -> String) {
        let (mut joints, mut mocaps) = (Vec::new(), Vec::new());
        child.each_joint(&mut |_, j| joints.push((j.origin, j.type_())));
        child.each_body(&mut |_, b| {
            if b.mocap() {
                mocaps.push(b.origin)
            }
        });
        let actuators = child.actuators.clone();
        for key in &child.keys {
            let mut key = key.clone();
            key.name = key.name.map(|n| to(&n));
            let (joints, actuators, mocaps) = (joints.clone(), actuators.clone(), mocaps.clone());
            self.attached_keys.push(AttachedKey {
                key,
                part: self.parts,
                joints,
                actuators,
                mocaps,
            });
        }
    }

    /// Determines the joints, actuators and mocap bodies that each keyframe of an attached model is about.
    pub fn place_keys(&mut self) {
        let (mut joints, mut bodies) = (Vec::new(), Vec::new());
        self.spec
            .each_joint(&mut |_, j| joints.push((j.part, j.origin)));
        self.spec
            .each_body(&mut |_, b| bodies.push((b.part, b.origin)));
        let actuators: Vec<_> = self
            .spec
            .actuators
            .iter()
            .map(|a| (a.part, a.origin))
            .collect();
        let find = |list: &[(u32, Origin)], part: u32, at: Origin| {
            // the first part attached from then on that has it counts, and of the copies of a replicate the first
            let copies = list.iter().enumerate();
            let later = copies.filter(|(_, (p, o))| *p >= part && o.same(at));
            later.min_by_key(|(_, (p, _))| *p).map(|(id, _)| id)
        };
        for k in std::mem::take(&mut self.attached_keys) {
            let mut key = k.key;
            key.of = Some(Box::new(KeyOf {
                joints: k
                    .joints
                    .iter()
                    .map(|(o, type_)| JointId {
                        id: find(&joints, k.part, *o),
                        type_: *type_,
                    })
                    .collect(),
                actuators: k
                    .actuators
                    .iter()
                    .map(|said| ActuatorId {
                        id: find(&actuators, k.part, said.origin),
                        said: said.clone(),
                    })
                    .collect(),
                mocaps: k.mocaps.iter().map(|o| find(&bodies, k.part, *o)).collect(),
            }));
            self.spec.keys.push(key);
        }
        mark(&mut self.spec, 0);
    }
}

/// Most attachments nested within each other.
const NESTED: usize = 30;

/// Depth of the nested bodies of a part.
fn depth(part: &Body) -> usize {
    part.bodies.iter().map(|b| 1 + depth(b)).max().unwrap_or(0)
}

/// A search for an element by name, before another.
struct Search<'n> {
    tag: &'n str,
    name: &'n str,
    before: &'n Node,
    /// The element, and the default class around it.
    found: Option<(&'n Node, usize)>,
}

/// The frame that an attachment stands in: that around it, or else one of its own.
fn own_frame(node: &Node, body: &mut Body, place: Place) -> Option<usize> {
    place.frame.or_else(|| {
        body.frames.push(Frame {
            origin: node.origin,
            ..Frame::default()
        });
        Some(body.frames.len() - 1)
    })
}

/// Marks the elements of an attachment.
fn mark(spec: &mut Spec, part: u32) {
    fn body(b: &mut Body, part: u32) {
        b.part = part;
        b.joints.iter_mut().for_each(|j| j.part = part);
        b.bodies.iter_mut().for_each(|b| body(b, part));
    }
    body(&mut spec.world, part);
    spec.actuators.iter_mut().for_each(|a| a.part = part);
}

/// The whole content of a world.
fn whole(world: &mut Body) -> Box<Body> {
    let mut part = Box::new(std::mem::take(world));
    part.name = None;
    part
}

/// Takes a body out of a tree, without the frames around it.
fn cut_body(tree: &mut Body, name: &str) -> Option<Box<Body>> {
    if let Some(i) = tree
        .bodies
        .iter()
        .position(|b| b.name.as_deref() == Some(name))
    {
        let mut body = tree.bodies.remove(i);
        body.frame = None;
        return Some(Box::new(Body {
            bodies: vec![body],
            ..Body::default()
        }));
    }
    tree.bodies.iter_mut().find_map(|b| cut_body(b, name))
}

/// Takes a frame with its contents out of a tree, without the frames around it.
fn cut_frame(tree: &mut Body, name: &str) -> Option<Box<Body>> {
    let Some(root) = tree
        .frames
        .iter()
        .position(|f| f.name.as_deref() == Some(name))
    else {
        return tree.bodies.iter_mut().find_map(|b| cut_frame(b, name));
    };
    let mut part = Box::new(std::mem::take(tree));
    // the frame and the frames in it, each after the frame around it
    let mut place: Vec<Option<usize>> = vec![None; part.frames.len()];
    let mut frames = Vec::new();
    for (i, mut frame) in std::mem::take(&mut part.frames).into_iter().enumerate() {
        let parent = frame.parent.and_then(|p| place.get(p).copied().flatten());
        if i == root || parent.is_some() {
            frame.parent = if i == root { None } else { parent };
            if let Some(p) = place.get_mut(i) {
                *p = Some(frames.len());
            }
            frames.push(frame);
        }
    }
    let moved = |frame: Option<usize>| frame.and_then(|f| place.get(f).copied().flatten());
    macro_rules! keep {
        ($($list:ident)*) => { $( part.$list.retain_mut(|x| {
            x.frame = moved(x.frame);
            x.frame.is_some()
        }); )* };
    }
    keep!(joints geoms sites cameras lights bodies);
    let lists = *part;
    let Body {
        joints,
        geoms,
        sites,
        cameras,
        lights,
        bodies,
        ..
    } = lists;
    Some(Box::new(Body {
        joints,
        geoms,
        sites,
        cameras,
        lights,
        bodies,
        frames,
        ..Body::default()
    }))
}

/// The names of assets and other elements that come along with every attachment.
fn asset_names(spec: &mut Spec, names: &mut Names) {
    let always = [
        "plugin", "mesh", "hfield", "texture", "material", "skin", "numeric", "text",
    ];
    lists(spec, &mut |kind: &'static str, e: &mut dyn Named| {
        if let (true, Some(name)) = (always.contains(&kind), e.name()) {
            names.add(kind, name);
        }
    });
}

fn append(into: &mut Spec, mut from: Spec) {
    macro_rules! append {
        ($($list:ident)*) => { $( into.$list.append(&mut from.$list); )* };
    }
    from.extensions.drain(..).for_each(|e| into.need_plugin(e));
    append!(plugins meshes hfields textures materials skins numerics texts pairs excludes flexes tendons equalities actuators sensors tuples);
}

/// Whether two models' settings mean the same for their bodies, once their units are the same.
fn same_inertias(a: &Compiler, b: &Compiler) -> bool {
    let bounds = |c: &Compiler| {
        (
            c.boundmass(),
            c.boundinertia(),
            c.balanceinertia(),
            c.saveinertial(),
        )
    };
    let geoms = |c: &Compiler| {
        (
            c.inertiafromgeom(),
            c.inertiagrouprange(),
            c.fitaabb(),
            c.alignfree(),
        )
    };
    bounds(a) == bounds(b) && geoms(a) == geoms(b)
}

fn shift_compilers(body: &mut Body, shift: usize) {
    for child in &mut body.bodies {
        child.compiler += shift;
        shift_compilers(child, shift);
    }
}
