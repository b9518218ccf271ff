//! Checks of attributes of equalities and sensors against each other.

use super::attrs::{exclusive, together};
use super::limits::MOST_REPORTED;
use super::log::Log;
use super::schema::{Equality, EqualityTag, Sensor, SensorTag};
use super::table::Keyword;
use super::xml::Node;
use crate::types::{ConDataField, RayDataField};

/// Checks that the two ways to describe a connect or weld are not mixed.
pub(crate) fn check_equality(log: &mut Log, node: &Node, eq: &Equality) {
    if !matches!(eq.tag, EqualityTag::Connect | EqualityTag::Weld) {
        return;
    }
    together(log, node, "site1", "site2");
    for body in ["body1", "body2", "anchor", "relpose"] {
        exclusive(log, node, &["site1", body]);
    }
    let complete = match eq.tag {
        EqualityTag::Connect => eq.body1.is_some() && eq.anchor.is_some(),
        _ => eq.body1.is_some(),
    };
    if !complete && eq.site1.is_none() && eq.site2.is_none() {
        let wanted = if eq.tag == EqualityTag::Connect {
            "body1 and anchor"
        } else {
            "body1"
        };
        log.mistake(
            node.origin,
            None,
            format!("needs either {wanted}, or site1 and site2"),
        );
    }
}

/// Checks the attributes that a sensor needs, and those that exclude each other.
pub(crate) fn check_sensor(log: &mut Log, node: &Node, sensor: &Sensor) {
    use SensorTag as S;
    let has = |name: &str| node.attr(name).is_some();
    if has("reftype") || has("refname") {
        together(log, node, "reftype", "refname");
    }
    match sensor.tag {
        S::Rangefinder => {
            exclusive(log, node, &["site", "camera"]);
            if !has("site") && !has("camera") {
                log.mistake(node.origin, None, "needs either site or camera");
            }
            check_data::<RayDataField>(log, node, sensor);
        }
        S::Distance | S::Normal | S::FromTo => {
            for (geom, body) in [("geom1", "body1"), ("geom2", "body2")] {
                exclusive(log, node, &[geom, body]);
                if !has(geom) && !has(body) {
                    log.mistake(node.origin, None, format!("needs either {geom} or {body}"));
                }
            }
        }
        S::Contact => {
            exclusive(log, node, &["geom1", "body1", "subtree1", "site"]);
            exclusive(log, node, &["geom2", "body2", "subtree2"]);
            if !(1..=MOST_REPORTED).contains(&sensor.num()) {
                let msg = format!("num must be 1 to {MOST_REPORTED}, found {}", sensor.num());
                log.mistake(node.origin, Some("num"), msg);
            }
            check_data::<ConDataField>(log, node, sensor);
        }
        S::User => {
            together(log, node, "objtype", "objname");
            if sensor.dim.is_some_and(|d| !(0..=1_000_000).contains(&d)) {
                log.mistake(node.origin, Some("dim"), "dim must be 0 to 1000000");
            }
        }
        S::InsideSite => check_frame_object(log, node, sensor),
        _ if has("objtype") => check_frame_object(log, node, sensor),
        _ => {}
    }
}

/// Checks that the object of a frame sensor has a frame in space.
fn check_frame_object(log: &mut Log, node: &Node, sensor: &Sensor) {
    use crate::types::ObjType as O;
    for (attr, kind) in [("objtype", sensor.objtype), ("reftype", sensor.reftype)] {
        if let Some(kind) = kind
            && !matches!(kind, O::Body | O::XBody | O::Geom | O::Site | O::Camera)
        {
            let msg = format!(
                "{attr} {:?} is not one of body, xbody, geom, site, camera",
                kind.word()
            );
            log.mistake(node.origin, Some(attr), msg);
        }
    }
}

/// Checks that the fields that a sensor reports are in the order of their keywords, each once.
fn check_data<K: Keyword>(log: &mut Log, node: &Node, sensor: &Sensor) {
    let mut last = None;
    for word in sensor
        .data
        .as_deref()
        .unwrap_or("")
        .split_ascii_whitespace()
    {
        let at = K::WORDS.iter().position(|w| *w == word);
        if at.is_none() {
            log.mistake(
                node.origin,
                Some("data"),
                format!("data {word:?} is not one of {}", K::WORDS.join(", ")),
            );
            return;
        }
        if at <= last {
            log.mistake(
                node.origin,
                Some("data"),
                format!(
                    "data must be in the order {}, each once",
                    K::WORDS.join(", ")
                ),
            );
            return;
        }
        last = at;
    }
}
