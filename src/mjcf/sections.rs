//! The sections of a model except its tree and assets: constraints, actuators, sensors, custom fields, keyframes.

use super::attrs::{self, Plain, Tagged};
use super::checks::{check_equality, check_sensor};
use super::defaults::{no_children, tendon, unknown_element};
use super::read::Reader;
use super::schema::{
    ActuatorTag, Equality, EqualityTag, Exclude, Key, Numeric, Pair, SaidActuator, Sensor,
    SensorTag, TendonTag, Text, Tuple, TupleElement, Wrap, WrapTag,
};
use super::settings::children;
use super::table::Attrs;
use super::xml::Node;

impl Reader<'_> {
    /// The index of the class of an element outside of the tree.
    pub fn class(&mut self, node: &Node) -> usize {
        self.classes.find(&mut self.log, node, "class").unwrap_or(0)
    }

    /// A section `<contact>`.
    pub fn contact(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "pair" => {
                    let mut pair: Pair = attrs::read(&mut self.log, node, &Plain);
                    let class = self.class(node);
                    pair.inherit(&self.classes.get(class).pair);
                    pair.class = None;
                    self.spec.pairs.push(pair);
                }
                "exclude" => {
                    let exclude: Exclude = attrs::read(&mut self.log, node, &Plain);
                    self.spec.excludes.push(exclude);
                }
                tag => unknown_element(&mut self.log, node, tag, ["pair", "exclude"].into_iter()),
            }
            no_children(&mut self.log, node);
        }
    }

    /// A section `<deformable>`.
    pub fn deformable(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "skin" => self.skin(node),
                "flex" => self.flex(node),
                tag => unknown_element(&mut self.log, node, tag, ["flex", "skin"].into_iter()),
            }
        }
    }

    /// A section `<equality>`.
    pub fn equality(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = EqualityTag::ALL.iter().find(|t| t.0 == node.tag) else {
                match node.tag.as_str() {
                    "flexvert" => self.log.mistake(
                        node.origin,
                        None,
                        "flexvert equalities were removed in MuJoCo 4.0.0",
                    ),
                    "distance" => self.log.mistake(
                        node.origin,
                        None,
                        "distance equalities were removed in MuJoCo 2.2.2",
                    ),
                    tag => unknown_element(
                        &mut self.log,
                        node,
                        tag,
                        EqualityTag::ALL.iter().map(|t| t.0),
                    ),
                }
                continue;
            };
            let rules = Tagged {
                all: EqualityTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut eq: Equality = attrs::read(&mut self.log, node, &rules);
            eq.tag = tag.1;
            no_children(&mut self.log, node);
            check_equality(&mut self.log, node, &eq);
            let class = self.class(node);
            eq.inherit(&self.classes.get(class).equality);
            eq.class = None;
            self.spec.equalities.push(eq);
        }
    }

    /// A section `<tendon>`.
    pub fn tendon(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = TendonTag::ALL.iter().find(|t| t.0 == node.tag) else {
                unknown_element(
                    &mut self.log,
                    node,
                    &node.tag,
                    TendonTag::ALL.iter().map(|t| t.0),
                );
                continue;
            };
            let rules = Tagged {
                all: TendonTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut said = tendon(&mut self.log, node, &rules);
            said.tag = tag.1;
            let class = self.class(node);
            said.inherit(&self.classes.get(class).tendon);
            said.class = None;
            let steps: &[&str] = if tag.1 == TendonTag::Fixed {
                &["joint"]
            } else {
                &["site", "geom", "pulley"]
            };
            for child in &node.children {
                let step = WrapTag::ALL
                    .iter()
                    .find(|t| t.0 == child.tag && steps.contains(&t.0));
                let Some(step) = step else {
                    unknown_element(&mut self.log, child, &child.tag, steps.iter().copied());
                    continue;
                };
                let rules = Tagged {
                    all: WrapTag::ALL,
                    word: step.0,
                    default: false,
                };
                let mut wrap: Wrap = attrs::read(&mut self.log, child, &rules);
                no_children(&mut self.log, child);
                wrap.tag = step.1;
                if wrap.divisor.is_some_and(|d| d <= 0.0) {
                    self.log.mistake(
                        child.origin,
                        Some("divisor"),
                        "divisor of a pulley must be positive",
                    );
                }
                said.path.push(wrap);
            }
            self.spec.tendons.push(said);
        }
    }

    /// A section `<actuator>`.
    pub fn actuator(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = ActuatorTag::ALL.iter().find(|t| t.0 == node.tag) else {
                unknown_element(
                    &mut self.log,
                    node,
                    &node.tag,
                    ActuatorTag::ALL.iter().map(|t| t.0),
                );
                continue;
            };
            let rules = Tagged {
                all: ActuatorTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut said: SaidActuator = attrs::read(&mut self.log, node, &rules);
            said.tag = tag.1;
            let plugin = (tag.1 == ActuatorTag::Plugin)
                .then(|| self.plugin(node, said.plugin, said.instance.clone()));
            if plugin.is_none() {
                no_children(&mut self.log, node);
            }
            let class = self.class(node);
            let source = self.classes.shortcut_source(class, tag.1);
            let mut actuating = self.classes.get(class).actuator.clone();
            if let Err((attr, why)) = actuating.say(&said, source.as_ref()) {
                self.log.mistake(node.origin, attr, why);
            }
            let mut actuator = actuating.actuator;
            actuator.name = said.name;
            actuator.plugin = plugin;
            actuator.origin = node.origin;
            self.spec.actuators.push(actuator);
        }
    }

    /// A section `<sensor>`.
    pub fn sensor(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = SensorTag::ALL.iter().find(|t| t.0 == node.tag) else {
                unknown_element(
                    &mut self.log,
                    node,
                    &node.tag,
                    SensorTag::ALL.iter().map(|t| t.0),
                );
                continue;
            };
            let rules = Tagged {
                all: SensorTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut sensor: Sensor = attrs::read(&mut self.log, node, &rules);
            sensor.tag = tag.1;
            if tag.1 == SensorTag::Plugin {
                let of = self.plugin(node, sensor.plugin, sensor.instance.clone());
                sensor.config = of.config;
            } else {
                no_children(&mut self.log, node);
            }
            check_sensor(&mut self.log, node, &sensor);
            self.spec.sensors.push(sensor);
        }
    }

    /// A section `<custom>`.
    pub fn custom(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "numeric" => {
                    let numeric: Numeric = attrs::read(&mut self.log, node, &Plain);
                    no_children(&mut self.log, node);
                    let found = numeric.data.as_ref().map_or(0, Vec::len) as i64;
                    let size = numeric.size.map_or(found, i64::from);
                    let attr = if numeric.size.is_some() {
                        "size"
                    } else {
                        "data"
                    };
                    if !(1..=500).contains(&size) {
                        self.log.mistake(
                            node.origin,
                            Some(attr),
                            format!("a numeric has 1 to 500 numbers, not {size}"),
                        );
                    } else if found > size {
                        self.log.mistake(
                            node.origin,
                            Some("data"),
                            format!("data has {found} numbers, more than size {size}"),
                        );
                    }
                    self.spec.numerics.push(numeric);
                }
                "text" => self.text(node),
                "tuple" => {
                    let mut tuple: Tuple = attrs::read(&mut self.log, node, &Plain);
                    for child in &node.children {
                        if child.tag == "element" {
                            let element: TupleElement = attrs::read(&mut self.log, child, &Plain);
                            no_children(&mut self.log, child);
                            tuple.elements.push(element);
                        } else {
                            unknown_element(
                                &mut self.log,
                                child,
                                &child.tag,
                                ["element"].into_iter(),
                            );
                        }
                    }
                    if tuple.elements.is_empty() {
                        self.log
                            .mistake(node.origin, None, "a tuple needs at least one <element>");
                    }
                    self.spec.tuples.push(tuple);
                }
                tag => unknown_element(
                    &mut self.log,
                    node,
                    tag,
                    ["numeric", "text", "tuple"].into_iter(),
                ),
            }
        }
    }

    fn text(&mut self, node: &Node) {
        let mut text: Text = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        let block = node.cdata.concat();
        if !block.trim().is_empty() {
            if text.data.is_some() {
                self.log.mistake(
                    node.origin,
                    Some("data"),
                    "the text is given twice, by data and by CDATA; keep one",
                );
            }
            text.data = Some(block);
        }
        if text.data.as_deref().unwrap_or("").is_empty() {
            self.log.mistake(
                node.origin,
                None,
                "needs the attribute data, which may not be empty, or a CDATA section",
            );
        }
        self.spec.texts.push(text);
    }

    /// A section `<keyframe>`.
    pub fn keyframe(&mut self, section: &Node) {
        for node in &section.children {
            if node.tag == "key" {
                let key: Key = attrs::read(&mut self.log, node, &Plain);
                children(&mut self.log, node, &[]);
                self.spec.keys.push(key);
            } else {
                unknown_element(&mut self.log, node, &node.tag, ["key"].into_iter());
            }
        }
    }
}
