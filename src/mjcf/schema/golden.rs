//! The table against the output of MuJoCo 4.0.0's `mj_printSchema`, without plugins of bodies and flexcomps, which no plugin of
//! MuJoCo's supports.

use super::*;
use crate::mjcf::attrs::{InDefault, Only, Plain, Rules, Tagged, Without};
use crate::mjcf::table::Attrs;
use std::collections::{BTreeMap, BTreeSet};

type Names = BTreeSet<String>;

fn names<A: Attrs>(rules: &dyn Rules) -> Names {
    let mut out = Names::new();
    A::list(&mut |a| {
        if rules.may(a) {
            out.insert(a.name.to_owned());
        }
    });
    out
}

fn tagged<A: Attrs, T>(
    path: &str,
    all: &'static [(&str, T, &'static [&str], &'static [&str])],
    default: bool,
    out: &mut BTreeMap<String, Names>,
) {
    for (word, ..) in all {
        out.insert(
            format!("{path}{word}"),
            names::<A>(&Tagged { all, word, default }),
        );
    }
}

fn ours() -> BTreeMap<String, Names> {
    let mut out = BTreeMap::new();
    macro_rules! rows {
        ($($path:literal $T:ident $rules:expr;)*) => { $( out.insert($path.to_owned(), names::<$T>(&$rules)); )* };
    }
    rows! {
        "compiler" Compiler Plain; "compiler/lengthrange" LengthRange Plain; "option" Options Plain; "option/flag" Flag Plain;
        "size" Size Plain; "statistic" Statistic Plain; "visual/global" Global Plain; "visual/quality" Quality Plain;
        "visual/headlight" Headlight Plain; "visual/map" VisualMap Plain; "visual/scale" VisualScale Plain;
        "visual/rgba" VisualRgba Plain;
        "default/mesh" Mesh InDefault; "default/texture" Texture InDefault; "default/material" Material InDefault;
        "default/material/layer" Layer Plain; "default/joint" Joint InDefault; "default/geom" Geom InDefault;
        "default/site" Site InDefault; "default/camera" Camera InDefault; "default/light" Light InDefault;
        "default/pair" Pair InDefault; "default/equality" Equality Only(&["active", "solref", "solimp"]);
        "default/tendon" Tendon InDefault;
        "asset/mesh" Mesh Plain; "asset/hfield" Hfield Plain; "asset/skin" Skin Plain; "asset/skin/bone" Bone Plain;
        "asset/texture" Texture Plain; "asset/material" Material Plain; "asset/material/layer" Layer Plain;
        "asset/model" ModelAsset Plain;
        "body" Body Plain; "body/inertial" Inertial Plain; "body/joint" Joint Without(&["align"]);
        "body/freejoint" Joint Only(&["name", "group", "align"]); "body/geom" Geom Plain; "body/attach" Attach Plain;
        "body/site" Site Plain; "body/camera" Camera Plain; "body/light" Light Plain;
        "body/flexcomp" Flexcomp Plain; "body/flexcomp/edge" FlexcompEdge Plain;
        "body/flexcomp/elasticity" FlexElasticity Plain; "body/flexcomp/contact" FlexContact Plain;
        "body/flexcomp/pin" FlexPin Plain; "deformable/flex" Flex Plain; "deformable/flex/edge" FlexEdge Plain;
        "deformable/flex/elasticity" FlexElasticity Plain; "deformable/flex/contact" FlexContact Plain;
        "contact/pair" Pair Plain; "contact/exclude" Exclude Plain;
        "custom/numeric" Numeric Plain; "custom/text" Text Plain; "custom/tuple" Tuple Plain;
        "custom/tuple/element" TupleElement Plain; "keyframe/key" Key Plain;
        "extension/plugin" Extension Plain; "extension/plugin/instance" Instance Plain;
        "asset/mesh/plugin" PluginUse Plain; "body/geom/plugin" PluginUse Plain;
        "extension/plugin/instance/config" Config Plain; "asset/mesh/plugin/config" Config Plain;
        "body/geom/plugin/config" Config Plain; "actuator/plugin/config" Config Plain; "sensor/plugin/config" Config Plain;
    }
    out.insert("default".to_owned(), Names::from(["class".to_owned()]));
    tagged::<SaidActuator, _>("default/", ActuatorTag::ALL, true, &mut out);
    // an actuator of a plugin takes its defaults from `general`
    out.remove("default/plugin");
    tagged::<SaidActuator, _>("actuator/", ActuatorTag::ALL, false, &mut out);
    tagged::<Sensor, _>("sensor/", SensorTag::ALL, false, &mut out);
    tagged::<Equality, _>("equality/", EqualityTag::ALL, false, &mut out);
    tagged::<Tendon, _>("tendon/", TendonTag::ALL, false, &mut out);
    for (tendon, steps) in [
        ("spatial", &["site", "geom", "pulley"][..]),
        ("fixed", &["joint"]),
    ] {
        for step in steps {
            let rules = Tagged {
                all: WrapTag::ALL,
                word: step,
                default: false,
            };
            out.insert(format!("tendon/{tendon}/{step}"), names::<Wrap>(&rules));
        }
    }
    out
}

#[test]
fn the_table_says_what_mujoco_says() {
    let golden = include_str!("../../../tests/golden/mjcf_schema.txt");
    let theirs: BTreeMap<String, Names> = golden
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(path, names)| {
            (
                path.to_owned(),
                names.split(' ').map(str::to_owned).collect(),
            )
        })
        .collect();
    let ours = ours();
    for (path, names) in &theirs {
        assert_eq!(ours.get(path), Some(names), "{path}");
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn every_attribute_is_explained() {
    macro_rules! rows {
        ($($T:ident)*) => { $( $T::list(&mut |a| assert!(a.doc.ends_with('.'), "{}: {}", stringify!($T), a.name)); )* };
    }
    rows! { Compiler Options Size Statistic Mesh Hfield Texture Material Body Frame Replicate Joint Geom Site Camera Light Pair
    Flex FlexEdge FlexElasticity FlexContact Flexcomp FlexcompEdge FlexPin Extension Instance Config PluginUse Equality Tendon SaidActuator Sensor Numeric Key }
}
