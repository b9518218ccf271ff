//! The program as a user meets it: help, results, mistakes, exit codes.

use crate::common::program::{CARTPOLE, Named, array, manyworlds, npz, path, run};
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

const CPU: &[&str] = &["--backend", "cpu"];

#[test]
fn help_reads_well() {
    for verb in [
        "",
        "info",
        "rollout",
        "forward",
        "render",
        "verify",
        "kernels",
        "bench",
        "devices",
        "completions",
    ] {
        let args: Vec<&str> = if verb.is_empty() {
            vec!["--help"]
        } else {
            vec![verb, "--help"]
        };
        let (code, out, _) = run(&args);
        assert_eq!(code, 0);
        // skips a verb that only some builds have
        let lines = out.split_inclusive('\n');
        let out: String = lines.filter(|line| !line.starts_with("  view ")).collect();
        let name = if verb.is_empty() { "help" } else { verb };
        insta::assert_snapshot!(format!("help_{name}"), out);
    }
}

#[test]
fn kernels_are_written_in_four_languages() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "kernels");
    let language = "wgsl,spirv,metal,hlsl";
    let args = ["kernels", CARTPOLE, "--out", &out, "--language", language];
    let (code, table, said) = run(&[&args[..], &["--unroll", "never"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(table.contains("solve_newton"), "{table}");
    let read = |name: &str| std::fs::read(Path::new(&out).join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    assert!(text("00_check_pos.wgsl").contains("fn mj_kinematics()"));
    assert!(text("00_check_pos.metal").contains("kernel void"));
    assert!(text("00_check_pos.hlsl").contains("[numthreads("));
    assert_eq!(read("00_check_pos.spv")[..4], 0x0723_0203u32.to_le_bytes());
    let (code, _, said) = run(&["kernels", CARTPOLE, "--lanes", "3"]);
    assert_eq!(code, 1);
    assert!(said.contains("power of two"), "{said}");
}

#[test]
fn kernels_come_with_a_plan_and_images_of_worlds() {
    let dir = TempDir::new().unwrap();
    let (out, state) = (path(&dir, "kernels"), path(&dir, "state.npz"));
    npz(
        &state,
        &[
            ("qpos", &[2, 2], &[0.1, 0.2, -0.1, 0.3]),
            ("ctrl", &[1], &[0.5]),
        ],
    );
    let args = ["kernels", CARTPOLE, "--out", &out, "--language", "metal"];
    let images = ["--trusted", "--json", "--state", &state, "--worlds", "3"];
    let (code, plan, said) = run(&[&args[..], &images].concat());
    assert_eq!(code, 0, "{said}");
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let number = |name: &str| plan[name].as_u64().unwrap() as usize;
    assert_eq!([number("lanes"), number("worlds_of_workgroup")], [2, 16]);
    // RK4 evaluates forward dynamics four times; the second to the fourth evaluation dispatch the same kernels
    let stages: Vec<_> = plan["kernels"].as_array().unwrap().iter().collect();
    let solves = stages.iter().filter(|k| k["stages"][0] == "solve_newton");
    assert_eq!(solves.count(), 4);

    let read = |name: &str| std::fs::read(Path::new(&out).join(name)).unwrap();
    let words = |name: &str| -> Vec<u32> {
        let bytes = read(name);
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| u32::from_le_bytes(*x))
            .collect()
    };
    assert_eq!(words("model.words").len(), number("model_words"));
    let (before, after) = (words("before.words"), words("after.words"));
    // three worlds in one tile of sixteen
    assert_eq!(before.len(), number("tile") * number("world_words"));
    assert_eq!(after.len(), before.len());
    let qpos = |image: &[u32], world: usize| -> Vec<f32> {
        let first = plan["arrays"]["qpos"][0].as_u64().unwrap() as usize;
        (first..first + 2)
            .map(|e| f32::from_bits(image[e * number("tile") + world]))
            .collect()
    };
    assert_eq!(
        [0, 1, 2].map(|w| qpos(&before, w)),
        [[0.1, 0.2], [-0.1, 0.3], [0.1, 0.2]]
    );
    assert_ne!(qpos(&after, 0), qpos(&before, 0));

    // a `--trusted` text has no loop bounds; kernels that are not unrolled have loops
    let looped = stages.iter().find(|k| k["unrolled"] == false).unwrap();
    let file = format!("{}.metal", looped["file"].as_str().unwrap());
    let trusted = String::from_utf8(read(&file)).unwrap();
    assert!(!trusted.contains("loop_bound"), "{trusted}");
    let (code, _, said) = run(&args);
    assert_eq!(code, 0, "{said}");
    let checked = String::from_utf8(read(&file)).unwrap();
    assert!(checked.contains("loop_bound"), "{checked}");

    for wrong in [&["--subgroup", "48"][..], &["--state", &state]] {
        let (code, _, said) = run(&[&["kernels", CARTPOLE], wrong].concat());
        assert_eq!(code, 1, "{wrong:?}: {said}");
    }
}

#[test]
fn wrong_arguments_exit_with_one() {
    for args in [
        &["frobnicate"][..],
        &["rollout"],
        &["rollout", CARTPOLE, "--worlds", "0"],
        &["rollout", CARTPOLE, "--backend", "tpu"],
        &["bench", CARTPOLE, "--worlds", "x"],
    ] {
        let (code, out, said) = run(args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}");
        assert!(said.starts_with("error: "), "{said}");
    }
}

#[test]
fn bad_models_exit_with_two_and_show_the_place() {
    let dir = TempDir::new().unwrap();
    for (name, xml) in [
        ("cut_off", "<mujoco><worldbody><body>"),
        (
            "misspelt",
            "<mujoco>\n  <worldbody>\n    <body><goem size=\"1\"/></body>\n  </worldbody>\n</mujoco>",
        ),
        (
            "wrong_size",
            "<mujoco>\n  <worldbody>\n    <geom name=\"hand\" type=\"box\" size=\"1\"/>\n  </worldbody>\n</mujoco>",
        ),
        (
            "unknown_joint",
            "<mujoco>\n  <worldbody><body><joint name=\"knee\"/><geom size=\"1\"/></body></worldbody>\n  <actuator><motor joint=\"kneee\"/></actuator>\n</mujoco>",
        ),
        (
            "not_a_number",
            "<mujoco><worldbody><geom size=\"nan\"/></worldbody></mujoco>",
        ),
        (
            "bomb",
            "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><mujoco model=\"&b;\"/>",
        ),
    ] {
        let file = path(&dir, &format!("{name}.xml"));
        std::fs::write(&file, xml).unwrap();
        let (code, out, said) = run(&["rollout", &file, "--steps", "1", "--backend", "cpu"]);
        assert_eq!((code, out.as_str()), (2, ""), "{name}: {said}");
        let said = said.replace(dir.path().to_str().unwrap(), "DIR");
        insta::assert_snapshot!(format!("model_{name}"), said);
    }
    let (code, _, said) = run(&["info", &path(&dir, "missing.xml")]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("missing.xml"), "{said}");
}

#[test]
fn info_says_what_a_world_takes() {
    let (code, out, _) = run(&["info", "models/humanoid.xml"]);
    assert_eq!(code, 0);
    for part in [
        "nq 28, nv 27",
        "17 bodies",
        "KiB on a device",
        "stand, crouch, prone",
    ] {
        assert!(out.contains(part), "no {part} in\n{out}");
    }
    let (_, out, _) = run(&["info", "models/humanoid.xml", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(info["sizes"]["nv"], 27);
    assert!(info["bytes_per_world_gpu"].as_u64().unwrap() > 1000);
}

fn rollout(dir: &TempDir, out: &str, more: &[&str]) -> (i32, String, String) {
    let out = path(dir, out);
    let args = [&["rollout", CARTPOLE, "--out", &out, "--json"], CPU, more].concat();
    run(&args)
}

#[test]
fn a_rollout_keeps_its_frames() {
    let dir = TempDir::new().unwrap();
    let more = [
        "--worlds",
        "3",
        "--steps",
        "25",
        "--every",
        "10",
        "--ctrl",
        "random",
        "--keep",
        "time,qpos,ncon",
    ];
    let (code, out, said) = rollout(&dir, "a.npz", &more);
    assert_eq!(code, 0, "{said}");
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["steps"], 25);
    assert_eq!(summary["complete"], true);
    assert!(summary["steps_per_s"].as_f64().unwrap() > 0.0);
    let (shape, time) = array(&path(&dir, "a.npz"), "time");
    // the state after the last step is saved, although 25 is no multiple of 10
    assert_eq!(shape, [4, 3]);
    assert!((time[8] - 0.2).abs() < 1e-12);
    assert!((time[11] - 0.25).abs() < 1e-12);
    assert_eq!(summary["frames"], 4);
    assert_eq!(array(&path(&dir, "a.npz"), "qpos").0, [4, 3, 2]);
    assert_eq!(array(&path(&dir, "a.npz"), "ncon").0, [4, 3, 1]);

    // the same seed gives the same file, another seed another; world 1 does not depend on the number of worlds
    rollout(&dir, "b.npz", &more);
    let frames = |name: &str| array(&path(&dir, name), "qpos").1;
    assert_eq!(frames("a.npz"), frames("b.npz"));
    rollout(&dir, "c.npz", &[&more[..], &["--seed", "5"]].concat());
    assert_ne!(frames("a.npz"), frames("c.npz"));
    rollout(&dir, "d.npz", &[&["--worlds", "2"], &more[2..]].concat());
    let last = |name: &str, n: usize| frames(name)[2 * n * 2 + 2..][..2].to_vec();
    assert_eq!(last("a.npz", 3), last("d.npz", 2));
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn a_rollout_goes_on_where_another_ended() {
    let dir = TempDir::new().unwrap();
    let keep = ["--keep", "time,qpos,qvel,qacc_warmstart", "--every", "10"];
    rollout(
        &dir,
        "whole.npz",
        &[&keep[..], &["--steps", "40", "--noise", "0.1"]].concat(),
    );
    rollout(
        &dir,
        "first.npz",
        &[&keep[..], &["--steps", "20", "--noise", "0.1"]].concat(),
    );
    let first = path(&dir, "first.npz");
    let (code, _, said) = rollout(
        &dir,
        "second.npz",
        &[&keep[..], &["--steps", "20", "--state", &first]].concat(),
    );
    assert_eq!(code, 0, "{said}");
    for name in ["time", "qpos", "qvel"] {
        let last = |file| {
            let (shape, x) = array(&path(&dir, file), name);
            x[x.len() - x.len() / shape[0] as usize..].to_vec()
        };
        assert_eq!(last("whole.npz"), last("second.npz"), "{name}");
    }
}

#[test]
fn bad_input_files_are_told_apart() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    let cases: [(&str, &[Named], &str); 6] = [
        (
            "--state",
            &[("qpos", &[2], &[0.0, f64::NAN])],
            "qpos: value 1 (counted flat, from 0) is NaN",
        ),
        (
            "--state",
            &[("qpos", &[3], &[0.0; 3])],
            "qpos: has shape [3]; [2] is needed, or rows of that shape",
        ),
        ("--state", &[("place", &[2], &[0.0; 2])], "holds none of"),
        (
            "--ctrl",
            &[("ctrl", &[3, 2], &[0.0; 6])],
            "ctrl: has shape [3, 2]; (1), (T, 1) or (T, 2, 1) is needed",
        ),
        (
            "--ctrl",
            &[("ctrl", &[2, 1], &[0.0; 2])],
            "2 rows of control, 100 steps held 10 each need 10",
        ),
        (
            "--ctrl",
            &[("u", &[1], &[0.0])],
            "holds neither an array ctrl nor a policy",
        ),
    ];
    for (flag, arrays, want) in cases {
        npz(&file, arrays);
        let (code, out, said) = rollout(
            &dir,
            "out.npz",
            &["--worlds", "2", "--steps", "100", flag, &file],
        );
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(said.contains(want), "{said}");
        assert!(!Path::new(&path(&dir, "out.npz")).exists());
    }
    std::fs::write(&file, "no zip").unwrap();
    let (code, _, said) = rollout(&dir, "out.npz", &["--state", &file]);
    assert_eq!(code, 1, "{said}");
}

#[test]
fn controls_from_a_file_drive_each_world() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "ctrl.npz");
    npz(&file, &[("ctrl", &[2, 2, 1], &[1.0, -1.0, 0.5, -0.5])]);
    let more = [
        "--worlds",
        "2",
        "--steps",
        "20",
        "--ctrl",
        &file,
        "--keep",
        "qpos,ctrl",
    ];
    let (code, _, said) = rollout(&dir, "out.npz", &more);
    assert_eq!(code, 0, "{said}");
    let (_, ctrl) = array(&path(&dir, "out.npz"), "ctrl");
    assert_eq!(ctrl, [0.0, 0.0, 1.0, -1.0, 0.5, -0.5]);
    let (_, qpos) = array(&path(&dir, "out.npz"), "qpos");
    assert!(qpos[8] > 0.0 && qpos[10] < 0.0, "{qpos:?}");
}

#[test]
fn what_was_kept_is_not_lost_when_a_rollout_fails() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    let args = [
        "rollout",
        "models/boxes.xml",
        "--backend",
        "cpu",
        "--steps",
        "300",
        "--every",
        "1",
        "--nconmax",
        "30",
        "--overflow",
        "error",
        "--out",
        &out,
        "--json",
    ];
    let (code, said_out, said) = run(&args);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("contacts needed, nconmax is 30"), "{said}");
    let summary: serde_json::Value = serde_json::from_str(&said_out).unwrap();
    assert_eq!(summary["complete"], false);
    let done = summary["steps"].as_u64().unwrap();
    assert!(done > 0 && done < 300);
    assert_eq!(array(&out, "qpos").0, [done + 1, 1, 112]);
}

#[test]
fn forward_dumps_the_schema() {
    let dir = TempDir::new().unwrap();
    let (states, out) = (path(&dir, "states.json"), path(&dir, "dump.json"));
    let mut file = std::fs::File::create(&states).unwrap();
    write!(file, r#"{{"opt_override": {{"tolerance": 1e-15}}, "states": [{{"kind": "tilted", "qpos": [0.1, 0.9659258262890683]}}]}}"#).unwrap();
    let args = [
        "forward",
        CARTPOLE,
        "--states",
        &states,
        "--out",
        &out,
        "--backend",
        "cpu",
        "--steps",
        "1,3",
    ];
    let (code, _, said) = run(&args);
    assert_eq!(code, 0, "{said}");
    let dump: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(dump["meta"]["states"][0], "tilted");
    assert_eq!(dump["meta"]["steps"], serde_json::json!([1, 3]));
    let arrays = &dump["arrays"];
    assert_eq!(
        arrays["s0/in/qpos"]["data"],
        serde_json::json!([0.1, 0.9659258262890683])
    );
    assert_eq!(arrays["s0/fwd/M"]["shape"], serde_json::json!([2, 2]));
    assert_eq!(arrays["model/opt_tolerance"]["data"][0], 1e-8);
    assert!((arrays["s0/step3/time"]["data"][0].as_f64().unwrap() - 0.03).abs() < 1e-12);

    assert!(arrays["s0/in/plastic"].is_null());

    // rest positions of plastic springs are part of a state, if the model has such springs
    let rests = [0.3, 1.0, 0.0, 0.0, 0.0, 0.2, 0.3, 0.1, 0.1];
    let text = serde_json::json!({ "states": [{ "plastic": rests }] }).to_string();
    std::fs::write(&states, text).unwrap();
    let mut plastic = args;
    plastic[1] = "tests/golden/plastic_rk4.xml";
    let (code, _, said) = run(&plastic);
    assert_eq!(code, 0, "{said}");
    let dump: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(
        dump["arrays"]["s0/in/plastic"]["data"],
        serde_json::json!(rests)
    );

    // errors in the file of states
    for (text, want) in [
        (r#"{"states": []}"#, "holds no states"),
        (
            r#"{"states": [{"qpos": [1]}]}"#,
            "state 0: qpos has 1 numbers, 2 are needed",
        ),
        (r#"{"states": [{"qpos": [1, "x"]}]}"#, "is not a number"),
        (
            r#"{"states": [{"qpos": [1, NaN]}]}"#,
            "expected value at line 1",
        ),
        (
            r#"{"opt_override": {"tolerence": 1}, "states": [{}]}"#,
            "opt_override tolerence",
        ),
        ("{", "EOF while parsing"),
    ] {
        std::fs::write(&states, text).unwrap();
        let (code, _, said) = run(&args);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(want), "{said}");
    }
}

#[test]
fn bench_prints_the_load_beside_the_speed() {
    let args = [
        "bench",
        CARTPOLE,
        "--worlds",
        "2,8",
        "--steps",
        "20",
        "--min-s",
        "0.01",
        "--json",
        "--backend",
        "cpu",
    ];
    let (code, out, said) = run(&args);
    assert_eq!(code, 0, "{said}");
    let lines: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        for key in ["steps_per_s", "ns_per_step", "mem_world_bytes", "first_s"] {
            assert!(line[key].as_f64().unwrap() > 0.0, "{key} in {line}");
        }
        for key in ["ncon", "nefc", "niter"] {
            assert!(line[key][0].is_number(), "{key} in {line}");
        }
        assert!(line["stage_ns"]["kinematics"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn devices_and_completions_print() {
    let (code, out, _) = run(&["devices"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("CPU: "), "{out}");
    let (code, out, _) = run(&["completions", "bash"]);
    assert_eq!(code, 0);
    assert!(out.contains("_manyworlds"));
}

#[test]
fn drivers_do_not_complain_that_there_is_no_desktop() {
    for args in [
        &["devices"][..],
        &["rollout", CARTPOLE, "--steps", "0"],
        &["rollout", CARTPOLE, "--steps", "0", "--backend", "gpu"],
    ] {
        let mut command = manyworlds(args);
        let out = command.env_remove("XDG_RUNTIME_DIR").output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(0), "{said}");
        assert!(!said.contains("XDG_RUNTIME_DIR"), "{said}");
        let summary = String::from_utf8(out.stdout).unwrap();
        assert!(
            args == ["devices"] || summary.contains(": 0.000 steps/s, "),
            "{summary}"
        );
    }
}

#[test]
fn more_worlds_than_memory_exit_with_four() {
    let (code, _, said) = run(&[
        "rollout",
        CARTPOLE,
        "--worlds",
        "4000000000",
        "--backend",
        "cpu",
    ]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("fit"), "{said}");
}

#[test]
fn verify_holds_every_kernel_against_its_twin() {
    let args = ["verify", CARTPOLE, "--lanes", "4", "--states", "6"];
    let (code, out, said) = run(&args);
    assert_eq!(code, 0, "{out}{said}");
    for stage in ["kinematics", "factor_m", "solve_newton", "rk4"] {
        let row = out
            .lines()
            .find(|line| line.contains(&format!("| {stage} ")));
        let row = row.unwrap_or_else(|| panic!("no {stage} in\n{out}"));
        assert!(row.contains("| ok"), "{row}");
    }
    let (_, out, _) = run(&[&args[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["failed"], 0);
    let kinematics = report["stages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["stage"] == "kinematics")
        .unwrap();
    assert!(kinematics["errors"]["xpos"].as_f64().unwrap() < 1e-5);
}
