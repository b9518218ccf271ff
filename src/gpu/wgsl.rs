//! Assembly of a shader module for a sequence of stages.
//!
//! # How to write a stage
//!
//! `shaders/<stage>.wgsl` defines one function `mj_<stage>()` that works on one world with the lanes of its team, and
//! functions of its own if it needs them (names are unique over all stages). Nothing is declared or imported: the definitions of names that
//! the text *uses* are appended behind it, so that errors carry the file's own lines.
//!
//! * **Arrays** by their names in [`crate::fields`]: `xpos(i)` gives a `vec3f`, `set_xpos(i, v)` writes it; one `i32` index
//!   for each dimension (`efc_J(r, k)`, `jnt_range(j, 1)`), none where the only dimension is 1 (`time()`, `nefc()`).
//!   `int → i32, real → f32, vec3 → vec3f, quat → vec4f` (w x y z: `q[0]` is w), `mat3 → mat3x3f` (so that `xmat(i) * v`
//!   is the product; `xmat(i)[2]` is the third column), `spatial → Spatial {rot, lin}`, `inert → Inert {diag, off, moment,
//!   mass}`. `xmat_at(i, k)` and `set_xmat_at(i, k, x)` touch the word `k` of an element in memory order.
//! * **Sizes** are constants (`nbody`, `nv` …), and so are options (`opt_timestep`, `opt_gravity`: `vec3f`, `opt_cone`), except real options
//!   that differ between worlds: no constant expression may depend on these;
//!   statistics (`stat_meaninertia`), enums and bits (`JNT_FREE`, `DSBL_LIMIT`, `MINVAL`; see [`crate::types`]).
//!   Code for features that a model lacks can be skipped: `collides_plane_capsule` says whether such pairs exist,
//!   `senses_framepos` whether such sensors exist, `geoms_mesh` whether such geoms exist, and [`FACTS`](crate::gpu::facts::FACTS) more.
//! * **Functions** of `shaders/lib`, which are those of `src/cpu/lib`. A function that works on arrays chosen by its caller takes their
//!   names: `fn solve_ld<mat, diaginv, x>()` calls `x(i)` and `set_x(i, v)`, and `solve_ld<qLD, qLDiagInv, qacc_smooth>()`
//!   calls it for these three.
//! * **The team**: `lane` and `LANES`. A phase is a loop `for (var i = lane; i < nbody; i += LANES)` whose iterations are
//!   independent; `team_sync()` stands between two phases if the second reads words that another lane wrote in the first. `team_sum(x)`, `team_sum4(v)`,
//!   `team_sum_i(k)` and `team_scan(k)` (sum over the preceding lanes) give every lane its result, and so do `team_max(k)`, `team_or(k)`
//!   and `team_any(yes)`. `group_any(yes)`, whose argument is equal in all lanes of a team, decides whether a loop with syncs in
//!   it goes on; `group_max(k)` bounds one. All of these must be in uniform control flow: never inside `if (lane == 0)`, never in
//!   a loop whose bound was read from a world's data (bounds are sizes, or results of a group function), never behind an early
//!   `return`.
//! * One lane writes an element, and only its own phase reads it before the next `team_sync()`.
//! * Reals are `f32`. NaN is detected by its bits, `is_nan(x)`.
//! * The twin in `src/cpu/<stage>.rs` has the same block comments in the same order. `tests/parity/<stage>.rs` is two lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::fields::{Elem, Field, Model, SIZES, field};
use crate::gpu::accessor::access;
use crate::gpu::arena::Layout;
use crate::gpu::dataflow::{Dataflow, dataflow_in};
use crate::gpu::facts::{fact, stub};
use crate::gpu::library::{contacts, library};
use crate::gpu::module::Module;
use crate::gpu::{generic, lex, own, solids};
use crate::model::Opt;
use crate::stages::Stage;

/// Number of invocations that work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// Invocations per world.
    pub lanes: u32,
    /// Worlds per workgroup; divides the tile.
    pub worlds: u32,
    /// The workgroup is one subgroup of the device: lanes exchange registers, and meet without a barrier of the workgroup.
    pub subgroup: bool,
}

/// Settings of a module.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The model, whose sizes and options become constants.
    pub m: &'a Model,
    /// The place of every array.
    pub layout: &'a Layout,
    /// The team.
    pub team: Team,
    /// Accessors check their index: NaN is read out of range, and a write out of range poisons the array's first element.
    pub checked: bool,
    /// The adapter may end long loops without an error: a world whose loops it ended is flagged (`OVERFLOW_TURNS`).
    pub limited: bool,
    /// The lane number of each invocation.
    pub order: LaneOrder,
}

impl Team {
    /// A team whose lanes exchange workgroup memory.
    pub const fn new(lanes: u32, worlds: u32) -> Self {
        Self {
            lanes,
            worlds,
            subgroup: false,
        }
    }

    /// Invocations of a workgroup.
    pub fn invocations(self) -> u32 {
        self.lanes * self.worlds
    }

    /// The team of kernels that only some worlds run: with one lane there are no barriers, with more a workgroup has a single world.
    pub fn again(self) -> Self {
        match self.lanes {
            1 => self,
            _ => Self {
                worlds: 1,
                subgroup: self.subgroup && self.worlds == 1,
                ..self
            },
        }
    }
}

impl<'a> Build<'a> {
    /// Settings of modules as a device runs them: no checks, no loop limit, invocation 0 is lane 0.
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

/// The lane number of each invocation in its team. No result may depend on it. If a phase reads words that another lane writes in the same phase,
/// its result does depend on it on some adapters. A software adapter runs a few neighbours in step and one such handful after the other. This hides
/// a missing `team_sync` unless lanes are permuted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneOrder {
    /// Invocation 0 is lane 0.
    #[default]
    Straight,
    /// The bits of the invocation's number in the team reversed: neighbours are far apart.
    Scattered,
    /// As `Scattered`, counted from the last lane.
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

impl Build<'_> {
    /// The module that runs these stages one after the other.
    pub fn module(&self, stages: &[&'static Stage]) -> Module {
        self.assembled(stages, false)
    }

    /// The module that runs these stages in the worlds where trees fell asleep or were woken (`sleep_changed`). The others leave it at
    /// once; a workgroup has a single world then, since all lanes of a workgroup meet at barriers.
    pub fn module_again(&self, stages: &[&'static Stage]) -> Module {
        let build = Self {
            team: self.team.again(),
            ..*self
        };
        build.assembled(stages, true)
    }

    fn assembled(&self, stages: &[&'static Stage], again: bool) -> Module {
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
            let shader = generic::expand(stage.shader, library(self.team));
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
        let entry = self.entry(stages, again);
        let derived = self.derived(&[&text, &entry]);
        if derived.contains("fn own__sdf_at(") {
            own.extend(own::sdf_prefixes(self.m));
        }
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
            again,
        }
    }

    fn entry(&self, stages: &[&Stage], again: bool) -> String {
        let Team { lanes, worlds, .. } = self.team;
        let number = match self.team.subgroup {
            true => "subgroup_invocation_id",
            false => "local_invocation_index",
        };
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
        if again {
            calls = format!("    if (group_any(sleep_changed() != 0)) {{\n{calls}    }}\n");
        }
        format!(
            "@compute @workgroup_size({}) fn main(@builtin(workgroup_id) group: vec3u, @builtin({number}) local: u32) {{\n    \
             lane = i32({});\n    team = i32(local / {lanes}u);\n    world = i32(group.x * {worlds}u + local / {lanes}u);\n    \
             world_base = (u32(world) / TILE) * (WORLD_WORDS * TILE) + u32(world) % TILE;\n{}{calls}}}\n",
            lanes * worlds,
            self.order.lane(lanes),
            self.own_options(),
        )
    }

    // definitions of all names that the texts use and do not define, and of the names that those definitions use
    fn derived(&self, texts: &[&str]) -> String {
        let mut own = BTreeSet::new();
        let mut todo = Vec::new();
        // a name occurs many times, and is looked up once
        let mut seen = BTreeSet::new();
        let mut scan = |text: &str, todo: &mut Vec<(String, bool)>| {
            let code = lex::without_comments(text);
            for word in lex::words(&code) {
                let word = (word.name.to_owned(), word.call);
                if seen.insert(word.clone()) {
                    todo.push(word);
                }
            }
        };
        for text in texts {
            own.extend(lex::items(text).into_iter().map(|item| item.name));
            scan(text, &mut todo);
        }
        let mut out = BTreeMap::new();
        while let Some((name, call)) = todo.pop() {
            if own.contains(&name) || out.contains_key(&name) {
                continue;
            }
            if let Some(item) = self.item(&name, call) {
                scan(&item, &mut todo);
                out.insert(name, item);
            }
        }
        out.into_values().collect()
    }

    // the text of a derived item, if `name` is one
    pub(super) fn item(&self, name: &str, call: bool) -> Option<String> {
        if call && let Some(access) = access(name) {
            return Some(self.accessor(name, access, self.checked));
        }
        // indices in user texts are always checked
        if call && let Some(access) = name.strip_prefix(own::OWN).and_then(access) {
            return Some(self.accessor(name, access, true));
        }
        if let Some(stub) = stub(self.m, name) {
            return Some(stub);
        }
        if let Some(item) = generic::item(name, library(self.team)) {
            return Some(item);
        }
        if solids::tells_distances(self.m)
            && let Some(item) = contacts().get(name)
        {
            return Some(item.text.clone());
        }
        if call && let Some(field) = fresh(name) {
            return Some(self.fresh(name, field));
        }
        if SIZES.iter().any(|(size, _)| *size == name) {
            return Some(format!("const {name}: i32 = {};\n", self.m.size(name)?));
        }
        if let Some(option) = name.strip_prefix("opt_") {
            return self.option(name, option);
        }
        if let Some(holds) = fact(self.m, name) {
            return Some(format!("const {name}: bool = {holds};\n"));
        }
        let Team { lanes, worlds, .. } = self.team;
        Some(match name {
            "UserActuator" => own::ACTUATOR.to_owned(),
            "own__is_sdf" => own::is_sdf(self.m),
            "own__sdf_at" => own::sdfs(self.m),
            "SOLID_CORNERS" => format!("const SOLID_CORNERS: i32 = {};\n", solids::corners(self.m)),
            "SOLID_FACINGS" => format!("const SOLID_FACINGS: i32 = {};\n", solids::facings(self.m)),
            "LANES" => format!("const LANES: i32 = {lanes};\n"),
            "WORLDS" => format!("const WORLDS: i32 = {worlds};\n"),
            "OWN_MODEL" => format!("const OWN_MODEL: bool = {};\n", self.layout.differs()),
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
                "fn out_of_range(e: i32, n: i32) -> bool { return u32(e) >= u32(n); }\n".to_owned()
            }
            _ => {
                let array = field(name.strip_prefix("chip_")?)?;
                self.chip_variable(array)
            }
        })
    }

    // reads an array of the fresh world behind the model
    fn fresh(&self, name: &str, field: &Field) -> String {
        let ty = if field.elem == Elem::Int {
            "i32"
        } else {
            "f32"
        };
        let at = self.layout.slot(field).offset;
        format!(
            "fn {name}(k: i32) -> {ty} {{ return bitcast<{ty}>(model_word(FRESH + {at} + k)); }}\n"
        )
    }

    fn option(&self, name: &str, option: &str) -> Option<String> {
        if self.layout.options().iter().any(|(own, _)| *own == option) {
            return Some(format!("var<private> {name}: {};\n", type_of(option)?));
        }
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

    // statements that load the per-world options of a kernel's world
    fn own_options(&self) -> String {
        let mut out = String::new();
        for (name, at) in self.layout.options() {
            let (Some(ty), Some(values)) = (type_of(name), self.m.opt.get(name)) else {
                continue;
            };
            let words = (*at as usize..).take(values.len());
            let words: Vec<_> = words
                .map(|at| format!("bitcast<f32>(data_word({at}))"))
                .collect();
            let _ = writeln!(out, "    opt_{name} = {ty}({});", words.join(", "));
        }
        out
    }

    // wgpu does not check a shader against this limit, so its bytes are added up here
    fn workgroup_memory(&self, text: &str) -> u32 {
        if self.team.lanes == 1 {
            return 0;
        }
        let Team { lanes, worlds, .. } = self.team;
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

/// Arrays of the fresh world that a reset takes over.
const OF_FRESH: [&str; 3] = ["tree_asleep", "body_awake", "latent"];

// the array that a function named like `fresh_latent` reads
fn fresh(name: &str) -> Option<&'static Field> {
    let name = name.strip_prefix("fresh_")?;
    let name = OF_FRESH.iter().find(|of| **of == name)?;
    field(name)
}

/// A real as a WGSL literal.
fn real(x: f64) -> String {
    let x = (x as f32).clamp(f32::MIN, f32::MAX);
    format!("{x:e}f")
}

// the WGSL type of a real option
fn type_of(option: &str) -> Option<&'static str> {
    let row = Opt::NAMES.iter().position(|(name, _)| *name == option)?;
    match Opt::TYPES[row] {
        "f64" => Some("f32"),
        "[f64; 2]" => Some("vec2f"),
        "[f64; 3]" => Some("vec3f"),
        "[f64; 5]" => Some("array<f32, 5>"),
        _ => None,
    }
}
