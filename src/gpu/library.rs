//! The texts of `shaders/lib`, `shaders/narrow` and `shaders/device`, and their items by name.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::gpu::lex::{self, Item};
use crate::gpu::wgsl::Team;
use crate::stages::STAGES;
use crate::types;

macro_rules! files {
    ($folder:literal: $($name:ident)+) => {
        &[$((stringify!($name), include_str!(concat!("../../shaders/", $folder, "/", stringify!($name), ".wgsl")))),+]
    };
}

/// The files of `shaders/lib`: name and text.
pub const LIB: &[(&str, &str)] = files! { "lib":
    actuator
    actuator_slope
    adhesion
    cage
    cone
    coupling
    dcmotor
    diagonal
    drag
    dual
    elastic
    equality
    force
    free_body
    grid
    history
    impedance
    implicit_rows
    integrate
    island
    jac
    lever
    math
    medium
    medium_slope
    metric
    pattern
    penalty
    plastic
    plugin
    pose
    precision
    primal
    quartets
    ray
    real
    restart
    rod
    rod_force
    rod_metric
    row_dot
    row_groups
    sensor
    servo
    shell
    sleep
    slope
    soft_metric
    sparse
    spatial
    stat
    tactile
    tiles
    touch
    warning
    wrap
    yielding
};

/// The files of `shaders/narrow`: collision of two shapes, as in `src/cpu/collision`, and shapes of plugins, as in `src/asset/sdf.rs`.
pub const NARROW: &[(&str, &str)] = files! { "narrow":
    block
    box_box
    capsule_box
    clip
    convex
    distance
    enclosure
    epa
    gjk
    hfield
    impact
    initial
    manifold
    mesh_sdf
    nearest
    octree
    older
    plane
    plane_mesh
    polytope
    portal
    round
    sdf
    shapes
    simplex
    soft
    sphere_box
    support
    sweep
    tetrahedron
    triangle
};
const ONE_LANE: &str = include_str!("../../shaders/device/one_lane.wgsl");
const LIMITED: &str = include_str!("../../shaders/device/limited.wgsl");
const MANY_LANES: &str = include_str!("../../shaders/device/many_lanes.wgsl");

const SUBGROUP: &str = include_str!("../../shaders/device/subgroup.wgsl");

// every item of the library, the constants and the team, by name
pub(super) fn library(team: Team) -> &'static BTreeMap<String, Item> {
    static ALL: [OnceLock<BTreeMap<String, Item>>; 3] = [const { OnceLock::new() }; 3];
    let (which, team) = match (team.lanes, team.subgroup) {
        (1, _) => (0, ONE_LANE),
        (_, false) => (1, MANY_LANES),
        (_, true) => (2, SUBGROUP),
    };
    ALL[which].get_or_init(|| {
        let constants = types::wgsl_constants();
        let texts = LIB.iter().map(|(_, text)| *text);
        let narrow = NARROW.iter().map(|(_, text)| *text);
        texts
            .chain(narrow)
            .chain([constants.as_str(), team, LIMITED])
            .flat_map(lex::items)
            .map(|item| (item.name.clone(), item))
            .collect()
    })
}

// items of the stage `collision`, by name: distance sensors use them too
pub(super) fn contacts() -> &'static BTreeMap<String, Item> {
    static ALL: OnceLock<BTreeMap<String, Item>> = OnceLock::new();
    ALL.get_or_init(|| {
        let stage = STAGES.iter().find(|stage| stage.name == "collision");
        let items = stage
            .map(|stage| lex::items(stage.shader))
            .unwrap_or_default();
        items
            .into_iter()
            .map(|item| (item.name.clone(), item))
            .collect()
    })
}
