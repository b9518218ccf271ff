//! Consistency of tables, shaders, twins and tests. No device is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::common::Golden;
use manyworlds::Model;
use manyworlds::fields::{Elem, FIELDS, Field, Role, Room};
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::dataflow::dataflow;
use manyworlds::gpu::lex;
use manyworlds::gpu::library::{LIB, NARROW};
use manyworlds::gpu::run::{group, step_walk};
use manyworlds::gpu::wgsl::{Build, Team};
use manyworlds::stages::{STAGES, Stage};
use manyworlds::types::{Cone, Solver};

/// Fields that more than one stage writes, and the reason.
const SHARED: &[(&str, &str)] = &[
    ("sensordata", "sensors of three stages, each their own"),
    ("sensor_fresh", "likewise"),
    ("warning", "counts what every stage meets"),
    ("overflow", "collects what did not fit or suffice"),
    ("needed", "collects what was asked for"),
    ("contact_efc_address", "none until the rows are made"),
    (
        "qacc",
        "inverse dynamics over a timestep puts back what it was given",
    ),
    ("efc_state", "of the acceleration found, or of one given"),
    (
        "efc_force",
        "of the acceleration found, or of one given; the former comes back",
    ),
    (
        "qfrc_constraint",
        "of the acceleration found, or of one given; the former comes back",
    ),
    (
        "efc_R",
        "by the approximate diagonal of A, or by the exact one",
    ),
    ("efc_D", "likewise"),
    ("efc_diagA", "likewise"),
    ("qH", "of a step, or of its inverse"),
    ("qHDiagInv", "likewise"),
    (
        "M",
        "inertia, or the metric that stands in its place while a discrete step is solved",
    ),
    ("qLD", "likewise"),
    ("qLDiagInv", "likewise"),
    ("efm_M", "likewise"),
    ("efm_c", "of a step, or of its inverse"),
    ("efm_held", "likewise"),
    ("efm_K_val", "likewise"),
    ("efm_L", "likewise"),
    ("efm_LDiagInv", "likewise"),
    ("efm_bound", "likewise"),
    ("penalty_J", "likewise"),
    ("slope_force", "likewise"),
    (
        "qfrc_smooth",
        "with what springs lose while a discrete step is solved",
    ),
    ("qacc_smooth", "by inertia, or by the metric"),
    (
        "efc_aref",
        "of where it is, or of where a discrete step ends",
    ),
    ("qfrc_inverse", "by the metric, or by inertia"),
    (
        "ten_length",
        "of where it is, or of where a step of fourth order began",
    ),
    ("ten_J", "likewise"),
    ("qLU", "of a step, or of its inverse"),
    (
        "tree_asleep",
        "trees fall asleep, and are woken for one of several reasons",
    ),
    ("tree_awake", "likewise"),
    ("body_awake", "likewise"),
    ("sleep_changed", "likewise"),
    ("latent", "keeps what stages compute, each its own"),
    ("act_dot", "likewise, and gives it back"),
    ("qvel", "of a step, or zero in a tree that falls asleep"),
];

/// Functions of the twins that are operators or built-in functions in WGSL.
const OPERATORS: &[&str] = &[
    "add3",
    "sub3",
    "scl3",
    "add_scl3",
    "dot3",
    "cross",
    "norm3",
    "mul_mat_vec3",
    "mul_mat_t_vec3",
    "round",
    "spatial",
    "rot",
    "lin",
];

/// Functions of the twins that take slices or closures, which shaders cannot; shaders have their code within the stages.
const SLICES: &[&str] = &[
    "for_chain",
    "for_outer",
    "contact_friction",
    "give",
    "of_stage",
    "slots_of",
    "cam_intrinsics",
    "shape_of",
    "nearest",
    "as_kept",
];

/// Functions of the shaders that are operators, array methods or methods of the trait `Real` in Rust.
const ELEMENTARY: &[&str] = &[
    "unit_mat3",
    "add_inert",
    "sin_cos",
    "is_nan",
    "advance_rates",
    "turned2",
    "turn_between",
    "muscle_parabola",
    "muscle_parabola_slope",
    "number_of",
    "told_of",
    "sum_told",
    "note_step",
    "note_sweep",
    "noted_of",
    "state_of",
    "cell_first",
    "cell_node",
    "cell_at",
    "cell_force_on",
    "cells_force",
    "patch_size",
    "patch_node",
    "patch_stretched",
    "face_node",
    "face_side",
    "follows",
    "grid_count",
    "grid_place",
    "outer_of",
    "add_column",
    "slope_along",
    "slope_column",
    "slope_inverse",
    "flow_slope",
    "moved_along",
    "mul_m_row",
    "end_of",
    "penalty_slope",
    // of a lane
    "owns",
    // islands of a team, for which the twins use slices, closures and struct members
    "row_cost",
    "friction_cost",
    "place_in",
    "force_on",
    "line_eval",
    "newton_step",
    "nearer",
    "narrow",
    "is_normal",
    "of_contact",
    "round_of",
    "cone_stiffness",
    "cone_cost",
    "polar_cost",
    "rows_of",
    "unit_acceleration",
    "caused",
    "prepare",
    "accelerate",
    "set_forces",
    "residual",
    "block",
    "product",
    "residuals_of",
    "entry_of",
    "make_block",
    "difference",
    "of_rows",
    "give3",
    "give4",
    "miss",
    "ray_at",
    "field_corner",
    "contact_body",
    "contact_geom",
    "met",
    "criterion",
    "report",
    "body_motion",
    "net",
    "give_report",
];

/// Tests that make a `Batch` and do not run over every backend, and the reason.
const SINGLE: &[(&str, &str)] = &[
    ("allocation", "a device's driver allocates as it likes"),
    ("auto", "lanes beside the reference, and what `Auto` takes"),
    (
        "cold",
        "kernels of the solvers are asked alone, in tests/parity",
    ),
    ("device", "calls that only a device has"),
    (
        "reads",
        "all models; a device's contacts and rows are read in tests/worlds/slots.rs",
    ),
    ("subgroup", "only a device has subgroups"),
];

const MODELS: &[&str] = &["humanoid", "tendons", "boxes", "cartpole"];

fn names(folder: &str, end: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == end))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn every_stage_is_three_files() {
    let table: BTreeSet<String> = STAGES.iter().map(|stage| stage.name.to_owned()).collect();
    assert_eq!(names("shaders", "wgsl"), table);
    for name in &table {
        assert!(
            Path::new(&format!("src/cpu/{name}.rs")).exists(),
            "{name} has no twin"
        );
        assert!(
            !text(&format!("shaders/{name}.wgsl")).trim().is_empty(),
            "shaders/{name}.wgsl is empty"
        );
        assert!(
            Path::new(&format!("tests/parity/{name}.rs")).exists(),
            "{name} has no parity test"
        );
        assert!(
            text("tests/parity/main.rs").contains(&format!("mod {name};")),
            "tests/parity/main.rs: {name}"
        );
    }
}

/// The stages that a model exercises.
type Wanted = fn(&Stage) -> bool;

#[test]
fn every_shader_is_valid_and_within_the_limits_of_webgpu() {
    let own = |name: &str| Golden::open(&format!("tests/golden/{name}.npz")).model();
    let all = |_: &Stage| true;
    let solves = |stage: &Stage| stage.name.starts_with("solve_");
    let mut models: Vec<(&str, Model, Wanted)> = MODELS
        .iter()
        .map(|name| (*name, own(name), all as Wanted))
        .collect();
    for solver in [Solver::Pgs, Solver::Cg, Solver::Newton] {
        let mut m = own("boxes");
        m.edit(|m| {
            m.opt.solver = solver as i32;
            m.opt.cone = Cone::Elliptic as i32;
            m.opt.noslip_iterations = 3;
        })
        .unwrap();
        models.push(("boxes with elliptic cones and noslip", m, solves));
    }
    for (name, m, chosen) in models {
        let one = Team {
            subgroup: true,
            ..Team::new(8, 4)
        };
        for (team, tile) in [(Team::new(1, 64), 32), (Team::new(32, 2), 1), (one, 4)] {
            let layout = Layout::new(&m, tile, &["body_mass"], chip_words(team)).unwrap();
            for checked in [false, true] {
                let build = Build {
                    checked,
                    limited: checked,
                    ..Build::new(&m, &layout, team)
                };
                let walk: Vec<_> = step_walk(&m).into_iter().filter(|s| chosen(s)).collect();
                let alone = walk.iter().map(|stage| vec![*stage]);
                for stages in alone.chain(group(&m, &walk, usize::MAX)) {
                    let module = build.module(&stages);
                    module
                        .validate()
                        .unwrap_or_else(|e| panic!("{name}, {} lanes: {e}", team.lanes));
                    let bindings = module.text.matches("var<storage").count();
                    assert!(
                        bindings <= 8,
                        "{}: {bindings} storage buffers",
                        module.label()
                    );
                    assert!(team.lanes * team.worlds <= 256);
                    assert!(
                        module.workgroup_memory <= 16 << 10,
                        "{}: {} bytes",
                        module.label(),
                        module.workgroup_memory
                    );
                }
            }
        }
    }
}

#[test]
fn the_dataflow_is_as_recorded() {
    let mut have = String::from(
        "# what each shader reads and writes; UPDATE=1 cargo test --test house writes this anew\n",
    );
    for stage in STAGES {
        let flow = dataflow(&[*stage]);
        let _ = writeln!(
            have,
            "\n{}\n  reads  {}\n  writes {}",
            stage.name,
            flow.reads.join(" "),
            flow.writes.join(" ")
        );
    }
    let path = "tests/golden/dataflow.txt";
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(path, &have).unwrap();
    }
    let want = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        have == want,
        "the dataflow has changed: look at the difference after UPDATE=1 cargo test --test house"
    );
}

#[test]
fn every_field_has_one_writer() {
    let mut writers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for stage in STAGES {
        // these stages reset a world, or advance the state
        if [
            "check_pos",
            "check_vel",
            "check_acc",
            "euler",
            "rk4",
            "discrete",
        ]
        .contains(&stage.name)
        {
            continue;
        }
        // a world has one solver, and no-slip continues from its result
        let writer = match stage.name.starts_with("solve_") {
            true => "the solver",
            false => stage.name,
        };
        for field in dataflow(&[*stage]).writes {
            let writers = writers.entry(field).or_default();
            if !writers.contains(&writer) {
                writers.push(writer);
            }
        }
    }
    for (field, stages) in writers {
        let shared = SHARED.iter().any(|(name, _)| *name == field);
        assert!(
            stages.len() == 1 || shared,
            "{field} is written by {}",
            stages.join(" and ")
        );
    }
}

// full-line comments; consecutive lines are joined
fn comments(text: &str, mark: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = usize::MAX;
    for (k, line) in text.lines().enumerate() {
        let line = line.trim();
        let doc = line.starts_with("///") || line.starts_with("//!");
        let Some(words) = line.strip_prefix(mark).filter(|_| !doc) else {
            continue;
        };
        match out
            .last_mut()
            .filter(|_| last != usize::MAX && last + 1 == k)
        {
            Some(comment) => *comment = format!("{comment} {}", words.trim()),
            None => out.push(words.trim().to_owned()),
        }
        last = k;
    }
    out
}

#[test]
fn a_shader_carries_the_comments_of_its_twin_in_their_order() {
    let mut faults = String::new();
    for stage in STAGES {
        let twin = text(&format!("src/cpu/{}.rs", stage.name));
        let title = twin
            .lines()
            .next()
            .unwrap()
            .trim_start_matches("//!")
            .trim();
        if stage.shader.lines().next() != Some(&format!("// {title}")) {
            let _ = writeln!(
                faults,
                "shaders/{}.wgsl does not open with: // {title}",
                stage.name
            );
        }
        // comments of the stage function; its helper functions may be divided differently
        let start = twin.find(&format!("pub fn {}", stage.name)).unwrap_or(0);
        let end = twin[start..]
            .find("\n}")
            .map_or(twin.len(), |end| start + end);
        let have = comments(stage.shader, "//");
        let mut rest = have.iter();
        for comment in comments(&twin[start..end], "//") {
            let before = rest.clone();
            if !rest.any(|c| *c == comment) {
                rest = before;
                let _ = writeln!(
                    faults,
                    "shaders/{}.wgsl lacks, or has elsewhere: // {comment}",
                    stage.name
                );
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Groups of files that implement one thing differently on purpose.
const DIFFERENT: &[&[&str]] = &[
    &[
        "src/cpu/lib/hessian.rs",
        "src/simd/hessian.rs",
        "shaders/solve_newton.wgsl",
    ],
    &["src/cpu/lib/linesearch.rs", "shaders/lib/primal.wgsl"],
];

#[test]
fn what_differs_on_purpose_is_told_in_the_same_words() {
    // the paragraph of a file that begins with these words
    let told = |path: &str| {
        let text = text(path);
        let lines = text.lines().map(|line| line.trim_start_matches(['/', '!']));
        let lines = lines.skip_while(|line| !line.starts_with(" On purpose "));
        let lines = lines.take_while(|line| line.starts_with(' ') && line.trim() != "");
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    for files in DIFFERENT {
        let words = told(files[0]);
        assert!(words.ends_with('.'), "{}: {words}", files[0]);
        for file in *files {
            assert_eq!(told(file), words, "{file} and {}", files[0]);
        }
    }
}

// public functions of a text; a method's name includes its type, as in WGSL: `Contact::force` is `contact_force`
fn public_functions(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut method_of = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("impl") {
            // the type follows `<R: Real>`
            let rest = rest
                .strip_prefix('<')
                .and_then(|rest| rest.split_once("> "));
            let rest = rest.map_or(&line["impl".len()..], |(_, of)| of);
            let word = rest.trim_start_matches(|c: char| !c.is_ascii_uppercase());
            let end = word.find(|c: char| !c.is_ascii_alphanumeric());
            let of = &word[..end.unwrap_or(word.len())];
            // shaders have no objects but the model and the world
            if !["Model", "Data"].contains(&of) {
                method_of = format!("{}_", of.to_lowercase());
            }
        } else if line.starts_with('}') {
            method_of.clear();
        }
        let name = line.trim_start().strip_prefix("pub fn ");
        if let Some(name) = name.and_then(|name| Some(&name[..name.find(['(', '<'])?])) {
            names.insert(format!("{method_of}{name}"));
        }
    }
    names
}

#[test]
fn the_libraries_have_the_same_functions() {
    let mut faults = String::new();
    let shaders: BTreeMap<&str, BTreeSet<String>> = LIB
        .iter()
        .map(|(file, text)| {
            (
                *file,
                lex::items(text)
                    .into_iter()
                    .filter(|i| i.function)
                    .map(|i| i.name)
                    .collect(),
            )
        })
        .collect();
    for file in names("src/cpu/lib", "rs")
        .iter()
        .filter(|file| shaders.contains_key(file.as_str()))
    {
        let folder = format!("src/cpu/lib/{file}");
        let parts = match std::path::Path::new(&folder).is_dir() {
            true => names(&folder, "rs").into_iter().collect(),
            false => Vec::new(),
        };
        let parts = parts.iter().map(|part| format!("{folder}/{part}.rs"));
        let parts = std::iter::once(format!("{folder}.rs")).chain(parts);
        let twin: String = parts.map(|path| text(&path)).collect();
        let twins = public_functions(&twin);
        // functions of the shader may be private in the twin
        let private = |name: &str| {
            ["", "pub(super) "].iter().any(|seen| {
                twin.contains(&format!("\n{seen}fn {name}("))
                    || twin.contains(&format!("\n{seen}fn {name}<"))
            })
        };
        let have = &shaders[file.as_str()];
        for name in twins
            .difference(have)
            .filter(|name| !OPERATORS.contains(&name.as_str()) && !SLICES.contains(&name.as_str()))
        {
            let _ = writeln!(faults, "shaders/lib/{file}.wgsl lacks {name}");
        }
        for name in have
            .difference(&twins)
            .filter(|name| !ELEMENTARY.contains(&name.as_str()) && !private(name))
        {
            let _ = writeln!(faults, "src/cpu/lib/{file}.rs lacks {name}");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn names_of_functions_are_unique_over_all_shaders() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let stages = STAGES.iter().map(|stage| (stage.name, stage.shader));
    let files = LIB.iter().chain(NARROW).copied();
    for (file, text) in stages.chain(files) {
        for item in lex::items(text) {
            if let Some(other) = seen.insert(item.name.clone(), file.to_owned()) {
                panic!("{} is defined in {file} and in {other}", item.name);
            }
        }
    }
}

#[test]
fn nan_is_found_by_bits() {
    // `x != x` may be folded away
    for (file, text) in STAGES
        .iter()
        .map(|s| (s.name, s.shader))
        .chain(LIB.iter().chain(NARROW).copied())
    {
        let code = lex::without_comments(text);
        let spaced: Vec<&str> = code.split_whitespace().collect();
        for window in spaced.windows(3) {
            let [a, op, b] =
                [window[0], window[1], window[2]].map(|w| w.trim_matches(|c| "();,{}".contains(c)));
            let number = a.starts_with(|c: char| c.is_ascii_digit());
            let same = ["!=", "=="].contains(&op) && a == b && !number;
            assert!(!same, "{file}: {a} {op} {b}");
        }
    }
}

// each test of user-visible behaviour runs on every backend, so that no backend or test is forgotten
#[test]
fn a_test_of_worlds_is_a_test_of_every_backend() {
    let suites = ["model", "mujoco", "worlds", "program"].map(|suite| format!("tests/{suite}"));
    let files = suites.iter().flat_map(|suite| {
        let names = names(suite, "rs").into_iter();
        names.map(move |name| (format!("{suite}/{name}.rs"), name))
    });
    let alone = names("tests", "rs").into_iter();
    let alone = alone.map(|name| (format!("tests/{name}.rs"), name));
    for (path, name) in files.chain(alone) {
        let test = text(&path);
        let makes_worlds = test.contains("Batch::with") || test.contains("Batch::new");
        let everywhere = test.contains("BACKENDS")
            || test.contains("on_every_backend!(")
            || ["Cpu", "Simd", "Gpu"]
                .iter()
                .all(|name| test.contains(&format!("Backend::{name}")));
        let single = SINGLE.iter().any(|(file, _)| *file == name);
        assert!(
            !makes_worlds || everywhere != single,
            "{path}: run it over every backend (tests/common/backends.rs), or say in SINGLE why not"
        );
    }
}

/// Places where a twin reads a field that may differ between worlds from the shared model, and the reason.
const ASKED: &[(&str, &str, &str)] = &[
    (
        "collision",
        "collision_detect",
        "a sum that all lanes share is made once",
    ),
    (
        "collision",
        "geom_rbound",
        "which shapes are bounded is one for all worlds",
    ),
    (
        "broad",
        "collision_detect",
        "worlds with numbers of their own do not sweep",
    ),
    ("broad", "geom_rbound", "likewise"),
    (
        "make_constraint",
        "dof_frictionloss",
        "none where all share none",
    ),
    ("make_constraint", "tendon_frictionloss", "likewise"),
    ("euler", "dof_damping", "damping that differs always counts"),
    ("euler", "dof_dampingpoly", "likewise"),
    (
        "fluid",
        "geom_fluid",
        "which shapes a medium takes for ellipsoids is one for all worlds",
    ),
    ("medium", "geom_fluid", "likewise"),
    ("drag", "geom_fluid", "likewise"),
    (
        "dcmotor",
        "actuator_dynprm",
        "which states an actuator has is one for all worlds",
    ),
    ("dcmotor", "actuator_gainprm", "likewise"),
    ("fwd_actuation", "actuator_dynprm", "likewise"),
    ("fwd_actuation", "actuator_gainprm", "likewise"),
    ("servo", "actuator_dynprm", "likewise"),
    ("servo", "actuator_gainprm", "likewise"),
    ("plugin", "plugin_prm", "likewise"),
    (
        "rod",
        "flex_bending",
        "which vertices and joints a hinge has, and whether it is bent at rest, is one for all worlds",
    ),
    ("rod_force", "flex_bending", "likewise"),
    ("rod_metric", "flex_bending", "likewise"),
    (
        "sdf",
        "plugin_prm",
        "which shape a geom has is one for all worlds",
    ),
];

// all files in a folder and its subfolders
fn files(folder: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}")) {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path.to_string_lossy())),
            false => found.push(path),
        }
    }
    found
}

// a twin must read fields that may differ through `own`, not from the shared model
#[test]
fn twins_read_numbers_of_the_model_through_own() {
    let numbers = FIELDS.iter().filter(|field| {
        field.room == Room::Model && field.role != Role::Fixed && field.elem != Elem::Int
    });
    let mut asked = BTreeSet::new();
    let mut faults = String::new();
    for path in [files("src/cpu"), files("src/simd")].concat() {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = text(&path.to_string_lossy());
        let twin = text.split("#[cfg(test)]").next().unwrap_or_default();
        for field in numbers.clone() {
            let read = format!("m.{}[", field.name);
            let known = ASKED
                .iter()
                .find(|(f, name, _)| *f == file && *name == field.name);
            match (twin.contains(&read), known) {
                (true, None) => {
                    let _ = writeln!(faults, "{}: {read} (d.own.{})", path.display(), field.name);
                }
                (true, Some((file, name, _))) => {
                    asked.insert((*file, *name));
                }
                _ => {}
            }
        }
    }
    for (file, name, _) in ASKED.iter().filter(|(f, n, _)| !asked.contains(&(*f, *n))) {
        let _ = writeln!(faults, "{file} no longer asks for {name}");
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Arrays that are stored in another shape than MuJoCo's, and their shape.
const RESHAPED: &[(&str, &str)] = &[
    ("efc_J", "rows by their sparsity pattern"),
    ("qDeriv", "room only where the integrator is implicit"),
    ("qLU", "likewise"),
    (
        "bvh_aabb",
        "boxes around triangles alone, which do not move in their mesh",
    ),
    ("tree_asleep", "room only where trees may sleep"),
    ("tree_awake", "likewise"),
    ("body_awake", "likewise"),
    (
        "flexvert_lambda",
        "room only where the step resolves contacts of flexes",
    ),
    ("flexvert_conage", "likewise"),
    ("island_nv", "room for as many islands as there are trees"),
    ("island_idofadr", "likewise"),
    ("island_nefc", "likewise"),
    ("island_iefcadr", "likewise"),
];

// fields have the order of mjxmacro.h; the fields of a contact are at the place of its `contact`
#[test]
fn fields_stand_in_mujocos_order() {
    let golden = text("tests/golden/fields.txt");
    for (name, room) in [("model", Room::Model), ("data", Room::Data)] {
        let theirs: Vec<[&str; 4]> = golden
            .lines()
            .filter_map(|line| line.splitn(4, ' ').collect::<Vec<_>>().try_into().ok())
            .filter(|row: &[&str; 4]| row[0] == name)
            .collect();
        let mut last = (0, "");
        let mut own = None;
        for field in FIELDS.iter().filter(|field| field.room == room) {
            let is_contact = field.name.starts_with("contact_");
            let name = if is_contact { "contact" } else { field.name };
            let at = theirs.iter().position(|row| row[1] == name);
            let Some(at) = at.filter(|_| !field.doc.contains("(ours)")) else {
                // `time` is no array there, and comes first
                own = own.or(Some(field.name).filter(|&name| name != "time"));
                continue;
            };
            assert_eq!(own, None, "comes before {}", field.name);
            assert!(last.0 <= at, "{} comes before {}", last.1, field.name);
            last = (at, field.name);
            if !is_contact && RESHAPED.iter().all(|(name, _)| *name != field.name) {
                assert_eq!(shape(field), (theirs[at][2], theirs[at][3].to_owned()));
            }
        }
    }
}

// rows and columns as in mjxmacro.h: a size, and a product with names before numbers
fn shape(field: &Field) -> (&'static str, String) {
    let (rows, columns) = field.dims.split_first().expect("a dimension");
    let rows = if *rows == "njmax" { "nefc" } else { rows };
    let numbers = columns.iter().filter_map(|dim| dim.parse::<usize>().ok());
    let width = field.elem.width() * numbers.product::<usize>();
    let mut columns: Vec<String> = columns
        .iter()
        .filter(|dim| dim.parse::<usize>().is_err())
        .map(|dim| (*dim).to_owned())
        .collect();
    if width > 1 || columns.is_empty() {
        columns.push(width.to_string());
    }
    (rows, columns.join("*"))
}
