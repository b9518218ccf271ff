//! Assembly of a shader module for a run of stages.
//!
//! # How to write a stage
//!
//! `shaders/<stage>.wgsl` defines one function `mj_<stage>()` that works on one world with the lanes of its team, and
//! functions of its own if it needs them (names are unique over all stages). Nothing is declared or imported: what the text
//! *calls* is appended behind it, so that errors carry the file's own lines.
//!
//! * **Arrays** by their names in [`crate::fields`]: `xpos(i)` gives a `vec3f`, `set_xpos(i, v)` writes it; one `i32` index
//!   for each dimension (`efc_J(r, k)`, `jnt_range(j, 1)`), none where the only dimension is 1 (`time()`, `nefc()`).
//!   `int → i32, real → f32, vec3 → vec3f, quat → vec4f` (w x y z: `q[0]` is w), `mat3 → mat3x3f` (so that `xmat(i) * v`
//!   is the product; `xmat(i)[2]` is the third column), `spatial → Spatial {rot, lin}`, `inert → Inert {diag, off, moment,
//!   mass}`. `xmat_at(i, k)` and `set_xmat_at(i, k, x)` touch the word `k` of an element in memory order.
//! * **Sizes** are constants (`nbody`, `nv` …), and so are options (`opt_timestep`, `opt_gravity`: `vec3f`, `opt_cone`),
//!   statistics (`stat_meaninertia`), enums and bits (`JNT_FREE`, `DSBL_LIMIT`, `MINVAL`; see [`crate::types`]).
//!   What a model lacks need not be compiled: `collides_plane_capsule` says whether such pairs are there,
//!   `senses_framepos` whether such sensors are, `geoms_mesh` whether such geoms are, and [`FACTS`] more.
//! * **Functions** of `shaders/lib`, which are those of `src/cpu/lib`. A function that works on arrays given to it takes their
//!   names: `fn solve_ld<mat, diaginv, x>()` calls `x(i)` and `set_x(i, v)`, and `solve_ld<qLD, qLDiagInv, qacc_smooth>()`
//!   calls it for these three.
//! * **The team**: `lane` and `LANES`. A phase is a loop `for (var i = lane; i < nbody; i += LANES)` whose turns are
//!   independent; `team_sync()` stands between phases where one reads what another lane wrote. `team_sum(x)`, `team_sum4(v)`,
//!   `team_sum_i(k)` and `team_scan(k)` (sum over the lanes before) give every lane its answer, `team_max(k)`, `team_or(k)`
//!   and `team_any(yes)` too; `group_any(yes)`, for which all lanes of a team say the same, decides whether a loop with syncs in
//!   it goes on, `group_max(k)` bounds one. All of these must be reached by every lane: never inside `if (lane == 0)`, never in
//!   a loop whose bound was read from a world's data (bounds are sizes, or what the group said), never behind an early
//!   `return`.
//! * One lane writes an element, and only its own phase reads it before the next `team_sync()`.
//! * Reals are `f32`. NaN is found by bits, `is_nan(x)`.
//! * The twin in `src/cpu/<stage>.rs` has the same block comments in the same order. `tests/parity/<stage>.rs` is two lines.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::cpu::collision::Kind;
use crate::fields::{FIELDS, Model, SIZES};
use crate::gpu::accessor::access;
use crate::gpu::arena::Layout;
use crate::gpu::generic;
use crate::gpu::lex::{self, Item};
use crate::gpu::module::Module;
use crate::gpu::own;
use crate::gpu::solids;
use crate::model::Opt;
use crate::stages::{STAGES, Stage};
use crate::types::{
    self, BiasType, ConDataField, DynType, GainType, GeomType, Reduce, SensorType, TendonType,
    TrnType, WrapType,
};

macro_rules! files {
    ($folder:literal: $($name:ident)+) => {
        &[$((stringify!($name), include_str!(concat!("../../shaders/", $folder, "/", stringify!($name), ".wgsl")))),+]
    };
}

/// The files of `shaders/lib`: name and text.
pub const LIB: &[(&str, &str)] = files! { "lib":
    actuator
    adhesion
    cone
    dcmotor
    dual
    elastic
    equality
    force
    grid
    history
    impedance
    integrate
    island
    jac
    math
    medium
    plastic
    plugin
    pose
    precision
    primal
    ray
    real
    restart
    row_dot
    row_groups
    sensor
    servo
    slope
    sparse
    spatial
    tactile
    tiles
    touch
    warning
    wrap
};

/// The files of `shaders/narrow`: what `collision` does with two shapes, as `src/cpu/collision`.
pub const NARROW: &[(&str, &str)] = files! { "narrow":
    box_box
    capsule_box
    clip
    convex
    distance
    epa
    gjk
    hfield
    manifold
    plane
    plane_mesh
    polytope
    round
    simplex
    sphere_box
    support
};
const ONE_LANE: &str = include_str!("../../shaders/device/one_lane.wgsl");
const LIMITED: &str = include_str!("../../shaders/device/limited.wgsl");
const MANY_LANES: &str = include_str!("../../shaders/device/many_lanes.wgsl");

/// Something that is true of a model or not: name of the constant, and who says so.
pub type Fact = (&'static str, fn(&Model) -> bool);

/// What is true of a model, for branches that a kernel of it need not have.
pub const FACTS: &[Fact] = &[
    ("model_damped", crate::cpu::euler::damped),
    ("model_rigid", |m| {
        (0..m.nv).any(|i| crate::cpu::lib::slope::rigid(m, i))
    }),
    // solids that the convex collider sees
    ("collides_convex", |m| solids::collides(m, Kind::Convex)),
    ("collides_hfield", |m| solids::collides(m, Kind::Hfield)),
    ("measures_convex", |m| solids::measures(m, Kind::Convex)),
    ("solid_faces", solids::meet_in_several),
    ("solid_mesh_searched", |m| solids::mesh_that(m, false)),
    ("solid_mesh_climbed", |m| solids::mesh_that(m, true)),
    // kinds of actuators
    ("model_muscles", |m| {
        m.actuator_dyntype.contains(&(DynType::Muscle as i32))
            || m.actuator_gaintype.contains(&(GainType::Muscle as i32))
            || m.actuator_biastype.contains(&(BiasType::Muscle as i32))
    }),
    ("model_dcmotors", |m| {
        m.actuator_dyntype.contains(&(DynType::DcMotor as i32))
            || m.actuator_gaintype.contains(&(GainType::DcMotor as i32))
            || m.actuator_biastype.contains(&(BiasType::DcMotor as i32))
    }),
    ("model_pids", |m| {
        m.actuator_dyntype.contains(&(DynType::Pid as i32))
            || m.actuator_gaintype.contains(&(GainType::Pid as i32))
    }),
    ("model_so3", |m| {
        m.actuator_gaintype.contains(&(GainType::So3 as i32))
            || m.actuator_trntype.contains(&(TrnType::So3 as i32))
    }),
    // where actuators act
    ("model_cranks", |m| {
        m.actuator_trntype.contains(&(TrnType::SliderCrank as i32))
    }),
    ("model_sites", |m| {
        m.actuator_trntype.contains(&(TrnType::Site as i32))
    }),
    ("model_adhesion", |m| {
        m.actuator_trntype.contains(&(TrnType::Body as i32))
    }),
    // kinds of sensors that share what they look at
    ("senses_distances", solids::tells_distances),
    ("senses_frame", |m| {
        let axes = SensorType::FrameXAxis as i32..=SensorType::FrameZAxis as i32;
        let frame = |t: &i32| *t == SensorType::FramePos || axes.contains(t);
        m.sensor_type.iter().any(frame)
    }),
    ("sites_mesh", |m| {
        m.site_type.contains(&(GeomType::Mesh as i32))
    }),
    ("senses_acceleration", |m| {
        use SensorType::{Accelerometer, FrameAngAcc, FrameLinAcc};
        let types = [Accelerometer, FrameLinAcc, FrameAngAcc];
        let moving = |t: &i32| types.iter().any(|moving| *t == *moving);
        m.sensor_type.iter().any(moving)
    }),
    ("senses_force", |m| {
        let types = [SensorType::Force, SensorType::Torque];
        let force = |t: &i32| types.iter().any(|force| *t == *force);
        m.sensor_type.iter().any(force)
    }),
    ("contact_forces", |m| {
        contacts_sensed(m, &[ConDataField::Force, ConDataField::Torque])
            || reduced(m, &[Reduce::MaxForce, Reduce::NetForce])
    }),
    ("contact_velocities", |m| {
        contacts_sensed(m, &[ConDataField::LinVel, ConDataField::AngVel])
    }),
    ("senses_motion", |m| {
        use SensorType::{FrameAngVel, FrameLinVel, Gyro, Velocimeter};
        let types = [Velocimeter, Gyro, FrameLinVel, FrameAngVel];
        let motion = |t: &i32| types.iter().any(|motion| *t == *motion);
        m.sensor_type.iter().any(motion)
    }),
    // kinds of tendons
    ("model_spatial_tendons", |m| {
        m.tendon_type.contains(&(TendonType::Spatial as i32))
    }),
    ("model_wraps", |m| {
        m.wrap_type.contains(&(WrapType::Sphere as i32))
            || m.wrap_type.contains(&(WrapType::Cylinder as i32))
    }),
];

// is one of these fields of a contact asked for by a sensor
fn contacts_sensed(m: &Model, fields: &[ConDataField]) -> bool {
    let bits = fields
        .iter()
        .fold(0, |bits, field| bits | 1 << *field as i32);
    contact_sensors(m).any(|prm| prm[0] & bits != 0)
}

// does a sensor reduce contacts in one of these ways
fn reduced(m: &Model, ways: &[Reduce]) -> bool {
    contact_sensors(m).any(|prm| ways.iter().any(|way| prm[1] == *way))
}

// integer parameters of the contact sensors
fn contact_sensors(m: &Model) -> impl Iterator<Item = &[i32]> {
    let sensors = m.sensor_type.iter().zip(m.sensor_intprm.chunks_exact(3));
    sensors.filter_map(|(t, prm)| (*t == types::SensorType::Contact).then_some(prm))
}

// is there a geom of a type, named like `mesh`
fn geoms(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&types::GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
    let geom = *types::GeomType::ALL.iter().find(is)? as i32;
    Some(m.geom_type.contains(&geom))
}

// is there a pair of two types, named like `plane_capsule`, that may collide
fn collides(m: &Model, pair: &str) -> Option<bool> {
    let pairs = m.collision_geom1.iter().zip(&m.collision_geom2);
    any_of(m, pair, pairs.map(|(&a, &b)| [a, b]))
}

// is there one whose distance a sensor tells
fn measures(m: &Model, pair: &str) -> Option<bool> {
    let pairs = solids::measured(m);
    any_of(m, pair, pairs.map(|(geoms, _)| geoms.map(|g| g as i32)))
}

// is a pair of two types, named like `plane_capsule`, among pairs of geoms
fn any_of(m: &Model, pair: &str, mut pairs: impl Iterator<Item = [i32; 2]>) -> Option<bool> {
    let named = |name: &str| {
        let is = |t: &&types::GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
        types::GeomType::ALL.iter().find(is).copied()
    };
    let (first, second) = pair.split_once('_')?;
    let (first, second) = (named(first)?, named(second)?);
    let is = |geom: i32, kind| usize::try_from(geom).is_ok_and(|g| m.geom_type[g] == kind);
    Some(pairs.any(|[a, b]| is(a, first) && is(b, second)))
}

// is there a sensor of a type, named like `framepos`, that is read
fn senses(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&types::SensorType| format!("{t:?}").eq_ignore_ascii_case(name);
    let sensor = *types::SensorType::ALL.iter().find(is)? as i32;
    Some(m.sensor_type.contains(&sensor))
}

// what stands for a function in a model that never calls it, and for room that is too small for one
fn stub(m: &Model, name: &str) -> Option<String> {
    let lacks = |kind: Kind| !solids::collides(m, kind);
    let lacks_too = |kind: Kind| lacks(kind) && !solids::measures(m, kind);
    let text = match name {
        "plane_mesh" if lacks_too(Kind::PlaneMesh) => {
            "fn plane_mesh(plane: Shape, geom: i32, margin: f32) {}"
        }
        "convex" if lacks(Kind::Convex) && lacks(Kind::Hfield) => {
            "fn convex(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {}"
        }
        "convex_manifold" if !solids::meet_in_several(m) => "fn convex_manifold(margin: f32) {}",
        "ccd_search" if lacks_too(Kind::Convex) && lacks(Kind::Hfield) => {
            "fn ccd_search(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {}"
        }
        "ccd_beyond" if !solids::tells_distances(m) => "const ccd_beyond: f32 = 0.0;",
        "geom_distance" if !solids::tells_distances(m) => {
            "fn geom_distance(first: i32, second: i32, most: f32) -> Apart { return Apart(); }"
        }
        "MESH_CORNERS" => &format!("const MESH_CORNERS: i32 = {};", solids::left(m)?),
        "CLIP_MOST" => {
            let most = solids::left(m)?.min(2 * solids::corners(m) + 2);
            &format!("const CLIP_MOST: i32 = {most};")
        }
        _ => return None,
    };
    Some(format!("{text}\n"))
}

/// How many invocations work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// Invocations that work on one world.
    pub lanes: u32,
    /// Worlds of one workgroup; divides the tile.
    pub worlds: u32,
}

/// What a module is made for.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The model, whose sizes and options become constants.
    pub m: &'a Model,
    /// Where the arrays lie.
    pub layout: &'a Layout,
    /// The team.
    pub team: Team,
    /// Accessors check their index: NaN is read out of range, and a write out of range poisons the array's first element.
    pub checked: bool,
    /// The adapter may end long loops without a word: a world whose loops it ended is flagged (`OVERFLOW_TURNS`).
    pub limited: bool,
    /// Which lane an invocation is.
    pub order: LaneOrder,
}

impl<'a> Build<'a> {
    /// Modules as a device runs them: nothing is checked, no loop is ended, invocation 0 is lane 0.
    pub fn new(m: &'a Model, layout: &'a Layout, team: Team) -> Self {
        Self {
            m,
            layout,
            team,
            checked: false,
            limited: false,
            order: LaneOrder::Straight,
        }
    }
}

/// Which lane of its team an invocation is. No result may depend on it: a phase that reads what another lane writes in the same phase does,
/// on some adapters. A software adapter runs a few neighbours in step and one such handful after the other, and so hides a `team_sync`
/// that is missing unless lanes change places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneOrder {
    /// Invocation 0 is lane 0.
    #[default]
    Straight,
    /// The bits of the number reversed: neighbours are far apart.
    Scattered,
    /// The same, counted from the last lane.
    ScatteredMirrored,
}

impl LaneOrder {
    // WGSL: the lane of invocation `local` of the workgroup
    fn lane(self, lanes: u32) -> String {
        let straight = format!("local % {lanes}u");
        let bits = lanes.trailing_zeros();
        let scattered = match bits {
            0 => straight.clone(),
            _ => format!("reverseBits({straight}) >> {}u", 32 - bits),
        };
        match self {
            Self::Straight => straight,
            Self::Scattered => scattered,
            Self::ScatteredMirrored => format!("{}u - ({scattered})", lanes - 1),
        }
    }
}

/// Which arrays a text touches, by the accessors that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataflow {
    /// Read, in order of the table.
    pub reads: Vec<&'static str>,
    /// Written, in order of the table.
    pub writes: Vec<&'static str>,
}

// every item that the library, the constants and the team can give, by name
fn library(lanes: u32) -> &'static BTreeMap<String, Item> {
    static ONE: OnceLock<BTreeMap<String, Item>> = OnceLock::new();
    static MANY: OnceLock<BTreeMap<String, Item>> = OnceLock::new();
    let (cell, team) = if lanes == 1 {
        (&ONE, ONE_LANE)
    } else {
        (&MANY, MANY_LANES)
    };
    cell.get_or_init(|| {
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

// what finds the contacts of two shapes, by name: sensors of distance look with it, too
fn contacts() -> &'static BTreeMap<String, Item> {
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

/// Arrays that stages read and write.
pub fn dataflow(stages: &[&Stage]) -> Dataflow {
    flow(stages.iter().map(|stage| stage.shader.to_owned()))
}

/// Arrays that texts read and write; what is there for texts of one's own is known by its other name.
pub(super) fn flow(texts: impl Iterator<Item = String>) -> Dataflow {
    let lib = library(1);
    let mut todo: Vec<String> = texts.map(|text| generic::expand(&text, lib)).collect();
    let mut seen = BTreeMap::new();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    while let Some(text) = todo.pop() {
        let code = lex::without_comments(&text);
        for word in lex::words(&code).iter().filter(|w| w.call && !w.definition) {
            if seen.insert(word.name.to_owned(), ()).is_some() {
                continue;
            }
            let name = word.name.strip_prefix(own::OWN).unwrap_or(word.name);
            match access(name) {
                Some(a) if a.write => writes.push(a.field.name),
                Some(a) => reads.push(a.field.name),
                None => {
                    let shared = || contacts().get(name).map(|item| item.text.clone());
                    todo.extend(generic::item(name, lib).or_else(shared));
                }
            }
        }
    }
    Dataflow {
        reads: in_order(reads),
        writes: in_order(writes),
    }
}

/// The same of a model, whose texts of one's own are part of its stages.
pub fn dataflow_in(m: &Model, stages: &[&Stage]) -> Dataflow {
    let mut all = dataflow(stages);
    for stage in stages.iter().filter(|stage| own::has_text(m, stage)) {
        let more = own::added_flow(m, stage);
        all.reads.extend(more.reads);
        all.writes.extend(more.writes);
    }
    Dataflow {
        reads: in_order(all.reads),
        writes: in_order(all.writes),
    }
}

// names of arrays in the order of the table, each once
fn in_order(names: Vec<&'static str>) -> Vec<&'static str> {
    let rows = FIELDS.iter().map(|f| f.name);
    rows.filter(|name| names.contains(name)).collect()
}

/// Arrays that a stage of the table reads or writes.
pub fn touched(stage: &Stage) -> &'static [&'static str] {
    static ALL: OnceLock<BTreeMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let of = |stage: &&'static Stage| {
            let Dataflow { mut reads, writes } = dataflow(&[*stage]);
            reads.extend(writes);
            (stage.name, reads)
        };
        STAGES.iter().map(of).collect()
    });
    all.get(stage.name).map_or(&[], Vec::as_slice)
}

impl Build<'_> {
    /// The module that runs these stages one after the other.
    pub fn module(&self, stages: &[&'static Stage]) -> Module {
        let mut text = String::new();
        let mut files = Vec::new();
        let line = |text: &str| text.matches('\n').count() as u32 + 1;
        let mut distinct: Vec<&Stage> = Vec::new();
        for stage in stages {
            if !distinct.iter().any(|s| s.name == stage.name) {
                distinct.push(stage);
            }
        }
        let (mut own, mut calls) = (Vec::new(), String::new());
        for stage in &distinct {
            let added = own::added(self.m, stage);
            files.push((line(&text), format!("shaders/{}.wgsl", stage.name)));
            let shader = generic::expand(stage.shader, library(self.team.lanes));
            text.push_str(&added.spliced(shader));
            text.push('\n');
            for (name, theirs) in added.texts {
                files.push((line(&text), name));
                text.push_str(&theirs);
            }
            own.extend(added.prefixes);
            calls.push_str(&added.calls);
        }
        files.push((line(&text), "derived".to_owned()));
        text.push_str(&calls);
        let entry = self.entry(stages);
        let derived = self.derived(&[&text, &entry]);
        text.push_str(&derived);
        text.push_str(&entry);
        let Dataflow { reads, writes } = dataflow_in(self.m, &distinct);
        Module {
            stages: stages.iter().map(|s| s.name).collect(),
            workgroup_memory: self.workgroup_memory(&text),
            text,
            reads,
            writes,
            files,
            own,
        }
    }

    fn entry(&self, stages: &[&Stage]) -> String {
        let Team { lanes, worlds } = self.team;
        let of_stage = |stage: &&Stage| {
            let behind = own::added(self.m, stage).behind.map(str::to_owned);
            [Some(format!("mj_{}", stage.name)), behind]
        };
        let calls = stages.iter().flat_map(of_stage).flatten();
        let calls: Vec<String> = calls.map(|name| format!("    {name}();\n")).collect();
        let mut calls = calls.join("    team_sync();\n");
        if self.limited {
            calls.push_str("    team_sync();\n    tell_if_loops_ended();\n");
        }
        format!(
            "@compute @workgroup_size({}) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {{\n    \
             lane = i32({});\n    team = i32(local / {lanes}u);\n    world = i32(group.x * {worlds}u + local / {lanes}u);\n    \
             world_base = (u32(world) / TILE) * (WORLD_WORDS * TILE) + u32(world) % TILE;\n{calls}}}\n",
            lanes * worlds,
            self.order.lane(lanes),
        )
    }

    // everything that the texts use and do not define, and what that uses
    fn derived(&self, texts: &[&str]) -> String {
        let mut own = Vec::new();
        let mut todo = Vec::new();
        let mut scan = |text: &str, todo: &mut Vec<(String, bool)>| {
            let code = lex::without_comments(text);
            own.extend(lex::items(text).into_iter().map(|item| item.name));
            let words = lex::words(&code).into_iter();
            todo.extend(words.map(|word| (word.name.to_owned(), word.call)));
        };
        for text in texts {
            scan(text, &mut todo);
        }
        let own = own;
        let mut out = BTreeMap::new();
        while let Some((name, call)) = todo.pop() {
            if own.contains(&name) || out.contains_key(&name) {
                continue;
            }
            if let Some(item) = self.item(&name, call) {
                let code = lex::without_comments(&item);
                todo.extend(
                    lex::words(&code)
                        .iter()
                        .map(|w| (w.name.to_owned(), w.call)),
                );
                out.insert(name, item);
            }
        }
        out.into_values().collect()
    }

    // the text of a derived item, if the name is one
    pub(super) fn item(&self, name: &str, call: bool) -> Option<String> {
        if call && let Some(access) = access(name) {
            return Some(self.accessor(name, access, self.checked));
        }
        // texts of one's own are never trusted with an index
        if call && let Some(access) = name.strip_prefix(own::OWN).and_then(access) {
            return Some(self.accessor(name, access, true));
        }
        if let Some(stub) = stub(self.m, name) {
            return Some(stub);
        }
        if let Some(item) = generic::item(name, library(self.team.lanes)) {
            return Some(item);
        }
        if solids::tells_distances(self.m)
            && let Some(item) = contacts().get(name)
        {
            return Some(item.text.clone());
        }
        if SIZES.iter().any(|(size, _)| *size == name) {
            return Some(format!("const {name}: i32 = {};\n", self.m.size(name)?));
        }
        if let Some(option) = name.strip_prefix("opt_") {
            return self.option(name, option);
        }
        if let Some((_, fact)) = FACTS.iter().find(|(fact, _)| *fact == name) {
            return Some(format!("const {name}: bool = {};\n", fact(self.m)));
        }
        if let Some(pair) = name.strip_prefix("measures_") {
            let met = measures(self.m, pair)?;
            return Some(format!("const {name}: bool = {met};\n"));
        }
        if let Some(pair) = name.strip_prefix("collides_") {
            let met = collides(self.m, pair)?;
            return Some(format!("const {name}: bool = {met};\n"));
        }
        if let Some(kind) = name.strip_prefix("geoms_") {
            let met = geoms(self.m, kind)?;
            return Some(format!("const {name}: bool = {met};\n"));
        }
        if let Some(sensor) = name.strip_prefix("senses_") {
            let met = senses(self.m, sensor)?;
            return Some(format!("const {name}: bool = {met};\n"));
        }
        if let Some(solid) = name.strip_prefix("solid_") {
            let met = solids::solid(self.m, solid)?;
            return Some(format!("const {name}: bool = {met};\n"));
        }
        let Team { lanes, worlds } = self.team;
        Some(match name {
            "UserActuator" => own::ACTUATOR.to_owned(),
            "SOLID_CORNERS" => format!("const SOLID_CORNERS: i32 = {};\n", solids::corners(self.m)),
            "SOLID_FACINGS" => format!("const SOLID_FACINGS: i32 = {};\n", solids::facings(self.m)),
            "LANES" => format!("const LANES: i32 = {lanes};\n"),
            "WORLDS" => format!("const WORLDS: i32 = {worlds};\n"),
            "TILE" => format!("const TILE: u32 = {}u;\n", self.layout.tile),
            "WORLD_WORDS" => format!("const WORLD_WORDS: u32 = {}u;\n", self.layout.world_words),
            "FRESH" => format!("const FRESH: i32 = {};\n", self.layout.model_words),
            "FRESH_WORDS" => format!("const FRESH_WORDS: i32 = {};\n", self.layout.fresh_words),
            "lane" | "team" | "world" => format!("var<private> {name}: i32;\n"),
            "world_base" => "var<private> world_base: u32;\n".to_owned(),
            "stat_meaninertia" => format!("const {name}: f32 = {};\n", real(self.m.stat.meaninertia)),
            // a NaN cannot be written as a constant
            "nan_bits" => "var<private> nan_bits: u32 = 0x7fc00000u;\n".to_owned(),
            "model_words" => "@group(0) @binding(0) var<storage, read> model_words: array<u32>;\n".to_owned(),
            "data_words" => "@group(0) @binding(1) var<storage, read_write> data_words: array<u32>;\n".to_owned(),
            "model_word" => "fn model_word(a: i32) -> u32 { return model_words[u32(a)]; }\n".to_owned(),
            "data_word" => "fn data_word(a: i32) -> u32 { return data_words[world_base + u32(a) * TILE]; }\n".to_owned(),
            "set_data_word" => {
                "fn set_data_word(a: i32, word: u32) { data_words[world_base + u32(a) * TILE] = word; }\n".to_owned()
            }
            "out_of_range" => {
                "fn out_of_range(e: i32, n: i32) -> bool { return e < 0 || e >= n; }\n".to_owned()
            }
            _ => {
                let field = FIELDS.iter().find(|f| name.strip_prefix("chip_") == Some(f.name))?;
                self.chip_variable(field)
            }
        })
    }

    fn option(&self, name: &str, option: &str) -> Option<String> {
        let row = Opt::NAMES.iter().position(|(n, _)| *n == option)?;
        let values = self.m.opt.get(option)?;
        let list = values
            .iter()
            .map(|&x| real(x))
            .collect::<Vec<_>>()
            .join(", ");
        Some(match Opt::TYPES[row] {
            "i32" => format!("const {name}: i32 = {};\n", values[0]),
            "f64" => format!("const {name}: f32 = {list};\n"),
            "[f64; 2]" => format!("const {name} = vec2f({list});\n"),
            "[f64; 3]" => format!("const {name} = vec3f({list});\n"),
            _ => format!("const {name} = array<f32, {}>({list});\n", values.len()),
        })
    }

    // wgpu does not hold a shader to the limit, so it is added up here
    fn workgroup_memory(&self, text: &str) -> u32 {
        if self.team.lanes == 1 {
            return 0;
        }
        let Team { lanes, worlds } = self.team;
        let chip = self
            .layout
            .slots()
            .filter(|(field, slot)| slot.chip && text.contains(&format!("chip_{}:", field.name)));
        let chip: u32 = chip.map(|(_, slot)| slot.words.max(1) * worlds).sum();
        let has = |var: &str| u32::from(text.contains(&format!("var<workgroup> {var}:")));
        let of_lane = has("team_reals") + has("team_ints") + 4 * has("team_fours");
        4 * (chip + of_lane * lanes * worlds + has("group_most"))
    }
}

/// A number as WGSL writes it.
fn real(x: f64) -> String {
    let x = (x as f32).clamp(f32::MIN, f32::MAX);
    format!("{x:e}f")
}
