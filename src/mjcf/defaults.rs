//! Default classes.

use std::collections::BTreeMap;

use super::actuator::Actuating;
use super::attrs::{self, InDefault, Only, Tagged};
use super::log::Log;
use super::nearest::nearest;
use super::schema::{
    ActuatorTag, Camera, Equality, Geom, Joint, Light, Material, Mesh, Orientation, Pair, Site,
    Tendon, Texture,
};
use super::source::Origin;
use super::table::Attrs;
use super::xml::Node;

/// A default class, complete with the values that it inherits from its parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub parent: Option<usize>,
    pub mesh: Mesh,
    pub texture: Texture,
    pub material: Material,
    pub joint: Joint,
    pub geom: Geom,
    pub site: Site,
    pub camera: Camera,
    pub light: Light,
    pub pair: Pair,
    pub equality: Equality,
    pub tendon: Tendon,
    pub actuator: Actuating,
}

/// All default classes; the first is `main`.
#[derive(Debug)]
pub(crate) struct Classes {
    list: Vec<Class>,
    /// Index by name.
    ids: BTreeMap<String, usize>,
}

/// Most default classes, more than any model has; each is a complete set of elements.
const MOST: usize = 5000;

impl Default for Classes {
    fn default() -> Self {
        Classes {
            list: vec![Class::default()],
            ids: BTreeMap::from([("main".to_owned(), 0)]),
        }
    }
}

/// The elements of a default class.
const ELEMENTS: [&str; 12] = [
    "mesh", "texture", "material", "joint", "geom", "site", "camera", "light", "pair", "equality",
    "tendon", "default",
];

/// Actuators that a default class may contain; an actuator of a plugin takes its values from `general`.
fn actuators() -> impl Iterator<Item = &'static attrs::Tag<ActuatorTag>> + Clone {
    let all = ActuatorTag::ALL.iter();
    all.filter(|tag| tag.1 != ActuatorTag::Plugin)
}

impl Classes {
    /// A class by its index; indices come from these classes, so the fallback is never taken.
    pub fn get(&self, i: usize) -> &Class {
        static EMPTY: std::sync::LazyLock<Class> = std::sync::LazyLock::new(Class::default);
        self.list.get(i).unwrap_or(&EMPTY)
    }

    /// The index of the class that an attribute names.
    pub fn find(&self, log: &mut Log, node: &Node, attr: &str) -> Option<usize> {
        let name = node.attr(attr)?;
        let found = self.ids.get(name).copied();
        if found.is_none() {
            let near = nearest(name, self.ids.keys().map(String::as_str));
            let near = near
                .map(|n| format!("; did you mean {n:?}?"))
                .unwrap_or_default();
            log.mistake(
                node.origin,
                Some(attr),
                format!("there is no default class {name:?}{near}"),
            );
        }
        found
    }

    /// Reads a top-level `<default>`.
    pub fn read(&mut self, log: &mut Log, node: &Node) {
        if let Some(name) = node.attr("class")
            && !name.is_empty()
            && name != "main"
        {
            log.mistake(
                node.origin,
                Some("class"),
                format!("the top-level default class is \"main\", not {name:?}"),
            );
        }
        self.contents(log, node, 0);
    }

    fn nested(&mut self, log: &mut Log, node: &Node, parent: usize) {
        let name = node.attr("class").unwrap_or("");
        if name.is_empty() {
            log.mistake(
                node.origin,
                Some("class"),
                "a nested default class needs a name: class=\"…\"",
            );
        } else if self.ids.contains_key(name) {
            log.mistake(
                node.origin,
                Some("class"),
                format!("there is another default class {name:?}; names of classes must differ"),
            );
        }
        if self.list.len() >= MOST {
            return log.stop(node.origin, format!("more than {MOST} default classes"));
        }
        let class = Class {
            parent: Some(parent),
            ..self.get(parent).clone()
        };
        self.ids.insert(name.to_owned(), self.list.len());
        self.list.push(class);
        self.contents(log, node, self.list.len() - 1);
    }

    fn contents(&mut self, log: &mut Log, node: &Node, i: usize) {
        if let Some((name, _)) = node.attrs.iter().find(|(n, _)| n != "class") {
            log.mistake(
                node.origin,
                Some(name),
                format!("unknown attribute {name:?}; it has only class"),
            );
        }
        let mut seen: Vec<&str> = Vec::new();
        for child in &node.children {
            let tag = child.tag.as_str();
            if tag != "default" && seen.contains(&tag) {
                log.mistake(
                    child.origin,
                    None,
                    format!("<{tag}> is in this class already; merge the two"),
                );
            }
            seen.push(tag);
            self.element(log, child, i);
        }
        // nested classes start from the finished class around them
        for child in node.children.iter().filter(|c| c.tag == "default") {
            if !log.stopped {
                self.nested(log, child, i);
            }
        }
    }

    fn element(&mut self, log: &mut Log, node: &Node, i: usize) {
        if let Some(tag) = actuators().find(|t| t.0 == node.tag) {
            let rules = Tagged {
                all: ActuatorTag::ALL,
                word: tag.0,
                default: true,
            };
            let mut said: super::schema::SaidActuator = attrs::read(log, node, &rules);
            said.tag = tag.1;
            no_children(log, node);
            let mut next = self.get(i).actuator.clone();
            let source = self.shortcut_source(i, tag.1);
            if let Err((attr, why)) = next.say(&said, source.as_ref()) {
                log.mistake(node.origin, attr, why);
            }
            if let Some(class) = self.list.get_mut(i) {
                class.actuator = next;
            }
            return;
        }
        let Some(class) = self.list.get_mut(i) else {
            return;
        };
        match node.tag.as_str() {
            "mesh" => merge(&mut class.mesh, attrs::read(log, node, &InDefault)),
            "texture" => merge(&mut class.texture, texture(log, node, &InDefault)),
            "material" => {
                let said = material(log, node, &InDefault);
                merge_material(&mut class.material, said);
            }
            "joint" => merge(&mut class.joint, attrs::read(log, node, &InDefault)),
            "geom" => merge(
                &mut class.geom,
                posed(log, node, &InDefault, |g: &Geom| &g.orientation),
            ),
            "site" => merge(
                &mut class.site,
                posed(log, node, &InDefault, |s: &Site| &s.orientation),
            ),
            "camera" => merge(
                &mut class.camera,
                posed(log, node, &InDefault, |c: &Camera| &c.orientation),
            ),
            "light" => merge(&mut class.light, light(log, node, &InDefault)),
            "pair" => merge(&mut class.pair, attrs::read(log, node, &InDefault)),
            "equality" => {
                merge(
                    &mut class.equality,
                    attrs::read(log, node, &Only(&["active", "solref", "solimp"])),
                );
            }
            "tendon" => merge(&mut class.tendon, tendon(log, node, &InDefault)),
            "default" => {}
            other => {
                let names = ELEMENTS.into_iter().chain(actuators().map(|t| t.0));
                unknown_element(log, node, other, names);
            }
        }
        if node.tag != "default" && node.tag != "material" {
            no_children(log, node);
        }
    }

    /// The actuator default from which a shortcut takes its parameters: that of the nearest class, from `i` up, with the same
    /// shortcut or with a `general` of its gain.
    pub fn shortcut_source(&self, i: usize, tag: ActuatorTag) -> Option<Actuating> {
        let mut at = Some(i);
        while let Some(class) = at.and_then(|i| self.list.get(i)) {
            if class.actuator.lends_to(tag) {
                return Some(class.actuator.clone());
            }
            at = class.parent;
        }
        None
    }
}

/// New attributes take precedence over the earlier ones.
fn merge<A: Attrs>(into: &mut A, said: A) {
    let before = std::mem::replace(into, said);
    into.inherit(&before);
    into.set_origin(Origin::default());
}

fn merge_material(into: &mut Material, said: Material) {
    let before = std::mem::replace(into, said);
    inherit_material(into, &before);
    into.set_origin(Origin::default());
}

/// Completes a material from its class: roles without a texture get that of the class.
pub(crate) fn inherit_material(material: &mut Material, class: &Material) {
    material.inherit(class);
    let missing: Vec<_> = class
        .layers
        .iter()
        .filter(|l| !material.layers.iter().any(|m| m.role == l.role))
        .cloned()
        .collect();
    material.layers.extend(missing);
    // an empty name hides the texture of the class, and is no texture
    material
        .layers
        .retain(|layer| layer.texture.as_deref() != Some(""));
    material.layers.sort_by_key(|l| l.role.map(|r| r as i32));
}

/// Reads an element with an orientation.
pub(crate) fn posed<A: Attrs>(
    log: &mut Log,
    node: &Node,
    rules: &dyn attrs::Rules,
    o: fn(&A) -> &Orientation,
) -> A {
    let said = attrs::read(log, node, rules);
    attrs::check_orientation(log, node, o(&said));
    said
}

/// Reads a light; the old attribute `directional` becomes a type.
pub(crate) fn light(log: &mut Log, node: &Node, rules: &dyn attrs::Rules) -> Light {
    use crate::types::LightType;
    attrs::exclusive(log, node, &["directional", "type"]);
    let mut light: Light = attrs::read(log, node, rules);
    if let Some(directional) = light.directional.take() {
        light.type_ = Some(if directional {
            LightType::Directional
        } else {
            LightType::Spot
        });
    }
    light
}

/// Reads a tendon; a single spring length stands for both ends of the range.
pub(crate) fn tendon(log: &mut Log, node: &Node, rules: &dyn attrs::Rules) -> Tendon {
    let mut tendon: Tendon = attrs::read(log, node, rules);
    if let Some(length) = &mut tendon.springlength
        && let [only] = length.as_slice()
    {
        *length = vec![*only; 2];
    }
    tendon
}

/// Reads a texture; the layout has a character for each cell of the grid.
pub(crate) fn texture(log: &mut Log, node: &Node, rules: &dyn attrs::Rules) -> Texture {
    let texture: Texture = attrs::read(log, node, rules);
    if let Some([rows, cols]) = texture.gridsize
        && (rows < 1 || cols < 1 || i64::from(rows) * i64::from(cols) > 12)
    {
        log.mistake(
            node.origin,
            Some("gridsize"),
            format!("gridsize {rows} {cols} must be positive, with at most 12 cells"),
        );
    }
    texture
}

/// Reads a material with its layers; the attribute `texture` becomes a layer.
pub(crate) fn material(log: &mut Log, node: &Node, rules: &dyn attrs::Rules) -> Material {
    use super::schema::{Layer, TexRole};
    let mut material: Material = attrs::read(log, node, rules);
    if let Some(texture) = material.texture.take() {
        if let Some(layer) = node.children.first() {
            log.mistake(
                layer.origin,
                None,
                "a material has either the attribute texture or layers, not both",
            );
        }
        let layer = Layer {
            texture: Some(texture),
            role: Some(TexRole::Rgb),
            origin: node.origin,
        };
        material.layers.push(layer);
        return material;
    }
    for child in &node.children {
        if child.tag != "layer" {
            unknown_element(log, child, &child.tag, ["layer"].into_iter());
            continue;
        }
        let layer: Layer = attrs::read(log, child, &attrs::Plain);
        no_children(log, child);
        // the last layer of a role takes precedence
        material.layers.retain(|l| l.role != layer.role);
        material.layers.push(layer);
    }
    material.layers.sort_by_key(|l| l.role.map(|r| r as i32));
    material
}

/// Reports an element that is not allowed at its place.
pub(crate) fn unknown_element<'a>(
    log: &mut Log,
    node: &Node,
    tag: &str,
    allowed: impl Iterator<Item = &'a str> + Clone,
) {
    let msg = match nearest(tag, allowed.clone()) {
        Some(near) => format!("unknown element here; did you mean <{near}>?"),
        None => format!(
            "unknown element here; there may be {}",
            allowed.collect::<Vec<_>>().join(", ")
        ),
    };
    log.mistake(node.origin, None, msg);
}

/// Checks that an element is empty.
pub(crate) fn no_children(log: &mut Log, node: &Node) {
    for child in &node.children {
        log.mistake(
            child.origin,
            None,
            format!("<{}> may not have children", node.tag),
        );
    }
}
