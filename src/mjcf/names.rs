//! Names: names of elements, references to them, and names of copies.

use std::collections::{BTreeMap, BTreeSet};

use super::log::Log;
use super::nearest::nearest;
use super::schema::{
    Body, Camera, Equality, Exclude, Flex, Frame, Geom, Hfield, Instance, Joint, Key, Light,
    Material, Mesh, Numeric, Pair, Sensor, Site, Skin, Tendon, Text, Texture, Tuple,
};
use super::source::Origin;
use super::spec::{Actuator, Spec};
use super::table::{Attr, Attrs, Keyword, Kind};
use crate::types::{ObjType, TrnType};

/// The names in use, by the kind of object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<&'static str, BTreeSet<String>>);

impl Names {
    /// Adds a name; false if it is in use.
    pub fn add(&mut self, kind: &'static str, name: &str) -> bool {
        name.is_empty() || self.0.entry(kind).or_default().insert(name.to_owned())
    }

    /// Whether an object of the kind has the name.
    pub fn has(&self, kind: &str, name: &str) -> bool {
        self.0.get(kind).is_some_and(|names| names.contains(name))
    }

    /// The name of the kind that is closest to one that does not exist.
    fn near(&self, kind: &str, name: &str) -> Option<&str> {
        self.0
            .get(kind)
            .and_then(|names| nearest(name, names.iter().map(String::as_str)))
    }

    /// The message about a name that does not exist.
    pub fn missing(&self, kind: &str, name: &str) -> String {
        let near = self
            .near(kind, name)
            .map(|n| format!("; did you mean {n:?}?"))
            .unwrap_or_default();
        format!("there is no {kind} {name:?}{near}")
    }
}

/// An element that has a name, refers to others, or both.
pub(crate) trait Named {
    /// Calls `f` with the attribute, the kind of object and the name of every reference.
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String));
    /// Its own name.
    fn name(&mut self) -> &mut Option<String>;
    /// Its place in the text.
    fn place(&self) -> Origin;
    /// Whether a copy of a part of the tree would separate elements that must stay together.
    fn tears(&self, _inside: &Names) -> bool {
        false
    }
}

fn refers_by_table(e: &mut impl Attrs, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
    e.texts(&mut |attr: &Attr, text| {
        if let Kind::Ref(kind) = attr.kind {
            f(attr.name, kind, text);
        }
    });
}

macro_rules! named {
    ($($T:ident)*) => { $( impl Named for $T {
        fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
            refers_by_table(self, f);
        }
        fn name(&mut self) -> &mut Option<String> { &mut self.name }
        fn place(&self) -> Origin { self.origin }
    } )* };
}
named!(Hfield Texture Joint Site Camera Light Frame Body Pair Exclude Equality Numeric Text Key Instance);

/// Elements that may have a plugin as a child.
macro_rules! named_with_plugin {
    ($($T:ident)*) => { $( impl Named for $T {
        fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
            refers_by_table(self, f);
            if let Some(plugin) = &mut self.plugin {
                refers_by_table(plugin.as_mut(), f);
            }
        }
        fn name(&mut self) -> &mut Option<String> { &mut self.name }
        fn place(&self) -> Origin { self.origin }
    } )* };
}
named_with_plugin!(Mesh Geom);

impl Named for Skin {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        refers_by_table(self, f);
        for bone in &mut self.bones {
            refers_by_table(bone, f);
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Flex {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        let lists = [
            ("body", "body", &mut self.body),
            ("node", "body", &mut self.node),
            ("material", "material", &mut self.material),
        ];
        for (attr, kind, list) in lists {
            let Some(list) = list else { continue };
            let words = list.split_ascii_whitespace().map(str::to_owned);
            let mut words: Vec<String> = words.collect();
            words.iter_mut().for_each(|word| f(attr, kind, word));
            *list = words.join(" ");
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Material {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        for layer in &mut self.layers {
            refers_by_table(layer, f);
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Tendon {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        refers_by_table(self, f);
        for step in &mut self.path {
            refers_by_table(step, f);
        }
    }
    fn tears(&self, inside: &Names) -> bool {
        // a geom that is copied takes its side site along
        let is = |kind, name: &Option<String>| name.as_ref().map(|n| inside.has(kind, n));
        self.path
            .iter()
            .any(|w| is("geom", &w.geom) == Some(true) && is("site", &w.sidesite) == Some(false))
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Sensor {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        refers_by_table(self, f);
        let objects = [
            ("objname", self.objtype, &mut self.objname),
            ("refname", self.reftype, &mut self.refname),
        ];
        for (attr, kind, name) in objects {
            if let (Some(kind), Some(name)) = (kind, name) {
                f(attr, kind_of(kind), name);
            }
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Tuple {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        for element in &mut self.elements {
            if let (Some(kind), Some(name)) = (element.objtype, &mut element.objname) {
                f("objname", kind_of(kind), name);
            }
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

impl Named for Actuator {
    fn refers(&mut self, f: &mut dyn FnMut(&'static str, &'static str, &mut String)) {
        let (attr, kind) = match self.trntype {
            TrnType::Joint => ("joint", "joint"),
            TrnType::JointInParent => ("jointinparent", "joint"),
            TrnType::Tendon => ("tendon", "tendon"),
            TrnType::SliderCrank => ("cranksite", "site"),
            TrnType::Body => ("body", "body"),
            _ => ("site", "site"),
        };
        if let Some(target) = &mut self.target {
            f(attr, kind, target);
        }
        if let Some(site) = &mut self.slidersite {
            f("slidersite", "site", site);
        }
        if let Some(site) = &mut self.refsite {
            f("refsite", "site", site);
        }
        if let Some(plugin) = &mut self.plugin {
            refers_by_table(plugin, f);
        }
    }
    fn name(&mut self) -> &mut Option<String> {
        &mut self.name
    }
    fn place(&self) -> Origin {
        self.origin
    }
}

/// The kind of object for a type.
fn kind_of(objtype: ObjType) -> &'static str {
    if objtype == ObjType::XBody {
        "body"
    } else {
        objtype.word()
    }
}

/// Calls `f` for every element in a subtree that has a name, with its kind of object.
pub(crate) fn subtree(body: &mut Body, f: &mut dyn FnMut(&'static str, &mut dyn Named)) {
    contents(body, f);
    // the depth of the tree is bounded by the reader
    for child in &mut body.bodies {
        f("body", child);
        subtree(child, f);
    }
}

fn contents(body: &mut Body, f: &mut dyn FnMut(&'static str, &mut dyn Named)) {
    body.frames.iter_mut().for_each(|x| f("frame", x));
    body.joints.iter_mut().for_each(|x| f("joint", x));
    body.geoms.iter_mut().for_each(|x| f("geom", x));
    body.sites.iter_mut().for_each(|x| f("site", x));
    body.cameras.iter_mut().for_each(|x| f("camera", x));
    body.lights.iter_mut().for_each(|x| f("light", x));
}

/// Calls `f` for every element outside of the tree that has a name.
pub(crate) fn lists(spec: &mut Spec, f: &mut dyn FnMut(&'static str, &mut dyn Named)) {
    spec.plugins.iter_mut().for_each(|x| f("plugin", x));
    spec.meshes.iter_mut().for_each(|x| f("mesh", x));
    spec.hfields.iter_mut().for_each(|x| f("hfield", x));
    spec.textures.iter_mut().for_each(|x| f("texture", x));
    spec.materials.iter_mut().for_each(|x| f("material", x));
    spec.skins.iter_mut().for_each(|x| f("skin", x));
    spec.flexes.iter_mut().for_each(|x| f("flex", x));
    spec.pairs.iter_mut().for_each(|x| f("pair", x));
    spec.excludes.iter_mut().for_each(|x| f("exclude", x));
    spec.equalities.iter_mut().for_each(|x| f("equality", x));
    spec.tendons.iter_mut().for_each(|x| f("tendon", x));
    spec.actuators.iter_mut().for_each(|x| f("actuator", x));
    spec.sensors.iter_mut().for_each(|x| f("sensor", x));
    spec.numerics.iter_mut().for_each(|x| f("numeric", x));
    spec.texts.iter_mut().for_each(|x| f("text", x));
    spec.tuples.iter_mut().for_each(|x| f("tuple", x));
    spec.keys.iter_mut().for_each(|x| f("key", x));
}

/// Checks that names are unique and that references exist.
pub(crate) fn check(log: &mut Log, spec: &mut Spec) {
    let mut names = Names::default();
    names.add("body", "world");
    let mut world = std::mem::take(&mut spec.world);
    let mut add = |kind: &'static str, e: &mut dyn Named| {
        if let Some(name) = e.name().clone()
            && !names.add(kind, &name)
            && (kind, name.as_str()) != ("body", "world")
        {
            log.mistake(
                e.place(),
                Some("name"),
                format!("there is another {kind} {name:?}; names of a kind must differ"),
            );
        }
    };
    subtree(&mut world, &mut add);
    lists(spec, &mut add);
    let mut look = |_: &'static str, e: &mut dyn Named| {
        let at = e.place();
        e.refers(&mut |attr, kind, name| {
            if !names.has(kind, name) {
                log.mistake(at, Some(attr), names.missing(kind, name));
            }
        });
    };
    subtree(&mut world, &mut look);
    lists(spec, &mut look);
    spec.world = world;
}
