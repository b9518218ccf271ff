//! The kernels translated to the languages of other platforms, and checked by the rules of browsers. No device is needed.
//!
//! naga accepts programs that WGSL forbids, such as barriers in non-uniform control flow. Chrome's compiler does not: where npm is installed,
//! `test.sh` gives it (`tests/browser.mjs`) the modules that these tests write into the folder `WGSL_OUT`.

use crate::common::Golden;
use manyworlds::Model;
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::lex;
use manyworlds::gpu::library::{LIB, NARROW};
use manyworlds::gpu::module::Module;
use manyworlds::gpu::run::{again_walk, step_walk};
use manyworlds::gpu::wgsl::{Build, Team};
use manyworlds::stages::STAGES;
use manyworlds::types::{Cone, Solver};
use naga::back::{hlsl, msl};

/// Models that together have every stage and every branch.
const MODELS: &[&str] = &[
    "humanoid",
    "equalities",
    "elliptic",
    "boxes",
    "primitives",
    "meshes",
    "spatial_tendons",
    "transmissions",
    "actuators",
    "dcmotors",
    "servos",
    "controllers",
    "grid",
    "adhesion",
    "fluid",
    "rk4",
    "implicit",
    "implicitfast",
    "sensors",
];

fn models() -> Vec<(String, Model)> {
    let own = |name: &str| Golden::open(&format!("tests/golden/{name}.npz")).model();
    let mut models: Vec<(String, Model)> = MODELS
        .iter()
        .map(|name| ((*name).to_owned(), own(name)))
        .collect();
    // fields of distances; contacts before the touch; soft bodies that yield, shells, held strains, rods
    for name in [
        "sdf_all",
        "impacts",
        "soft_putty",
        "soft_tin",
        "soft_strain",
        "soft_rope",
        "soft_lath",
    ] {
        let m = Model::from_xml_path(format!("tests/golden/{name}.xml")).unwrap();
        models.push((name.to_owned(), m));
    }
    // trees that sleep
    let sleeps = include_str!("../golden/sleep.txt");
    for name in ["pile", "driven", "fourth"] {
        let text = sleeps.split("=== ").find(|part| part.starts_with(name));
        let (_, xml) = text.unwrap().split_once('\n').unwrap();
        let m = Model::from_xml_str(xml).unwrap();
        models.push((format!("asleep_{name}"), m));
    }
    for solver in [Solver::Pgs, Solver::Cg] {
        let mut m = own("boxes");
        m.edit(|m| {
            m.opt.solver = solver as i32;
            m.opt.cone = Cone::Elliptic as i32;
            m.opt.noslip_iterations = 3;
        })
        .unwrap();
        models.push((format!("{solver:?}").to_lowercase(), m));
    }
    models
}

// every kernel of every model, for one lane and for many
fn modules() -> Vec<(String, Module)> {
    let mut out = Vec::new();
    for (name, m) in models() {
        for (lanes, worlds, tile) in [(1, 64, 32), (32, 2, 1)] {
            let team = Team::new(lanes, worlds);
            let layout = Layout::new(&m, tile, &["body_mass"], chip_words(team)).unwrap();
            let build = Build::new(&m, &layout, team);
            let mut walk = step_walk(&m);
            walk.sort_by_key(|stage| stage.name);
            walk.dedup_by_key(|stage| stage.name);
            for stage in &walk {
                let module = build.module(&[stage]);
                out.push((format!("{name}-{lanes}-{}", stage.name), module));
                let again = again_walk(&m, stage);
                if !again.is_empty() {
                    let module = build.module_again(&again);
                    out.push((format!("{name}-{lanes}-{}-again", stage.name), module));
                }
            }
            out.push((format!("{name}-{lanes}-fused"), build.module(&walk)));
        }
    }
    out
}

// Metal's and Direct3D's words for a kernel
fn translate(name: &str, parsed: &naga::Module, info: &naga::valid::ModuleInfo) {
    let options = msl::Options {
        lang_version: (2, 0),
        ..msl::Options::default()
    };
    let (text, translated) =
        msl::write_string(parsed, info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|e| panic!("{name} in Metal: {e}"));
    assert!(text.contains("kernel void"), "{name}");
    assert!(
        translated.entry_point_names.iter().all(Result::is_ok),
        "{name}"
    );

    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    let wanted = hlsl::PipelineOptions::default();
    hlsl::Writer::new(&mut text, &options, &wanted)
        .write(parsed, info, None)
        .unwrap_or_else(|e| panic!("{name} in HLSL: {e}"));
    assert!(text.contains("[numthreads("), "{name}");
}

#[test]
fn metal_and_direct3d_have_words_for_every_kernel() {
    let folder = std::env::var("WGSL_OUT").ok();
    let modules = modules();
    assert!(modules.len() > 300, "{}", modules.len());
    for (name, module) in modules {
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(format!("{folder}/{name}.wgsl"), &module.text).unwrap();
        }
        let parsed = naga::front::wgsl::parse_str(&module.text).unwrap();
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        );
        let info = validator.validate(&parsed).unwrap();
        translate(&name, &parsed, &info);
    }
}

#[test]
fn they_have_words_for_subgroups() {
    let m = Golden::open("tests/golden/humanoid.npz").model();
    let team = Team {
        subgroup: true,
        ..Team::new(8, 4)
    };
    let layout = Layout::new(&m, 4, &[], chip_words(team)).unwrap();
    let build = Build::new(&m, &layout, team);
    for stage in step_walk(&m) {
        let (merged, info) = build.module(&[stage]).merged().unwrap();
        translate(stage.name, &merged, &info);
    }
}

#[test]
fn and_is_parted_from_or() {
    // WGSL requires parentheses between && and ||; naga accepts a mix without them, browsers do not
    let files = STAGES
        .iter()
        .map(|s| (s.name, s.shader))
        .chain(LIB.iter().chain(NARROW).copied());
    for (file, text) in files {
        // operators seen at each depth of parentheses: [&&, ||]
        let mut met = vec![[false; 2]];
        let code = lex::without_comments(text);
        for (at, c) in code.char_indices() {
            let rest = &code[at..];
            let top = met.len() - 1;
            match c {
                '(' | '[' => met.push([false; 2]),
                ')' | ']' if top > 0 => drop(met.pop()),
                ';' | '{' | '}' | ',' => met[top] = [false; 2],
                '&' if rest.starts_with("&&") => met[top][0] = true,
                '|' if rest.starts_with("||") => met[top][1] = true,
                _ => {}
            }
            if met.last() == Some(&[true; 2]) {
                let line = code[..at].lines().count();
                panic!("{file}:{line}: && and || without parentheses between them");
            }
        }
    }
}
