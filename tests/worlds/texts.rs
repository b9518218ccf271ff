//! Callbacks as WGSL texts: same results as the closures, refusals of invalid texts, no effect on other kernels.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use manyworlds::batch::Backend;
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::run::{group, step_walk};
use manyworlds::gpu::wgsl::{Build, Team};
use manyworlds::stages::Stage;
use manyworlds::user::UserPart;
use manyworlds::{Batch, Error, Model};
use std::fmt::Write as _;

const TEXT: &str = r#"<mujoco><size nuserdata="1"/><worldbody><geom type="plane" size="5 5 .1"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
    <body pos=".4 0 0"><joint name="b" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body></body>
    <body pos="0 2 .0999"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body>
    <body pos="0 3 .0999"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
    <actuator><motor joint="a"/><general name="user" joint="b" gaintype="user" gainprm="3 4 5" biastype="user" biasprm="2"
    dyntype="user" actdim="2" dynprm=".1"/></actuator>
    <sensor><user name="pos" dim="3" needstage="pos" cutoff="2"/><user name="late" dim="1" needstage="pos"/>
    <user name="vel" dim="1" needstage="vel"/><user name="acc" dim="1" needstage="acc"/></sensor></mujoco>"#;

fn plain() -> Model {
    Model::from_xml_str(TEXT).unwrap()
}

fn bind_closures(m: &mut Model) {
    m.bind_control(|world, inputs| {
        inputs.ctrl[0] = -0.5 * world.qpos()[0] - 0.2 * world.qvel()[0];
        inputs.ctrl[1] = (3.0 * world.time()).cos();
        inputs.userdata[0] += 1.0;
    });
    m.bind_passive(|world, force| force[1] -= 0.3 * world.qpos()[1] + 0.1 * force[1]);
    m.bind_contact_filter(|_, geoms| geoms == [0, 3]).unwrap();
    m.bind_sensor("pos", |world, out| {
        out.copy_from_slice(&world.reals("xpos").unwrap()[6..9])
    })
    .unwrap();
    m.bind_sensor("late", |world, out| {
        out[0] = 2.0 * world.reals("sensordata").unwrap()[0]
    })
    .unwrap();
    m.bind_sensor("vel", |world, out| {
        out[0] = world.reals("subtree_linvel").unwrap()[5]
    })
    .unwrap();
    m.bind_sensor("acc", |world, out| {
        out[0] = world.reals("actuator_force").unwrap()[1]
    })
    .unwrap();
    m.bind_user("user", UserPart::Gain, |a, out| {
        out[0] = a.prm[0] + a.prm[1] * a.length + a.prm[2] * a.velocity * a.time;
    })
    .unwrap();
    m.bind_user("user", UserPart::Bias, |a, out| {
        out[0] = -a.prm[0] * a.length
    })
    .unwrap();
    m.bind_user("user", UserPart::Dyn, |a, out| {
        out[0] = (a.ctrl - a.act[0]) / a.prm[0];
        out[1] = (a.act[0] - a.act[1]) / a.prm[0];
    })
    .unwrap();
}

const CONTROL: &str = "// stays near zero
const STIFFNESS = 0.5;
fn pull(i: i32) -> f32 { return -STIFFNESS * qpos(i) - 0.2 * qvel(i); }
fn control() {
    set_ctrl(0, pull(0));
    set_ctrl(1, cos(3.0 * time()));
    set_userdata(0, userdata(0) + 1.0);
}";

fn bind_texts(m: &mut Model) {
    m.bind_control_wgsl(CONTROL).unwrap();
    m.bind_passive_wgsl(
        "fn pull() -> f32 { return 0.3 * qpos(1) + 0.1 * qfrc_passive(1); }
         fn passive() { set_qfrc_passive(1, qfrc_passive(1) - pull()); }",
    )
    .unwrap();
    m.bind_contact_filter_wgsl(
        "fn contact_filter(a: i32, b: i32) -> bool { return a == 0 && b == 3; }",
    )
    .unwrap();
    for (name, gives) in [
        ("pos", "xpos(2)[k]"),
        ("late", "2.0 * sensordata(0)"),
        ("vel", "subtree_linvel(1).z"),
        ("acc", "actuator_force(1)"),
    ] {
        let text = format!("fn sensor(k: i32) -> f32 {{ return {gives}; }}");
        m.bind_sensor_wgsl(name, &text).unwrap();
    }
    let gain = "fn gain(a: UserActuator) -> f32 {
        let i = a.id;
        return actuator_gainprm(i, 0) + actuator_gainprm(i, 1) * a.length + actuator_gainprm(i, 2) * a.velocity * time();
    }";
    let bias = "fn bias(a: UserActuator) -> f32 { return -actuator_biasprm(a.id, 0) * a.length; }";
    let rate = "fn rate(a: UserActuator, k: i32) -> f32 {
        let adr = actuator_actadr(a.id);
        return (select(act(adr), a.ctrl, k == 0) - act(adr + k)) / actuator_dynprm(a.id, 0);
    }";
    for (part, text) in [
        (UserPart::Gain, gain),
        (UserPart::Bias, bias),
        (UserPart::Dyn, rate),
    ] {
        m.bind_user_wgsl("user", part, text).unwrap();
    }
}

fn both() -> Model {
    let mut m = plain();
    bind_closures(&mut m);
    bind_texts(&mut m);
    m
}

const SEEN: [&str; 9] = [
    "ncon",
    "qpos",
    "qvel",
    "act",
    "ctrl",
    "userdata",
    "qfrc_passive",
    "actuator_force",
    "sensordata",
];

fn numbers(batch: &mut Batch, name: &str) -> Vec<f64> {
    match batch.read(name).unwrap() {
        manyworlds::fields::View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        manyworlds::fields::View::Real(x) => x.to_vec(),
    }
}

// compares an array of two batches
fn alike(what: &str, have: &mut Batch, want: &mut Batch, tolerance: f64) {
    for name in SEEN {
        let [have, want] = [&mut *have, want].map(|batch| numbers(batch, name));
        for (i, (x, y)) in have.iter().zip(&want).enumerate() {
            let off = (x - y).abs() / (1.0 + y.abs());
            assert!(
                off < tolerance,
                "{what}, {name}[{i}]: {x}, not {y} ({off:e})"
            );
        }
    }
}

// batches of three worlds, on the reference and on a backend
fn pair(m: &Model, backend: Backend) -> [Batch; 2] {
    [backend, Backend::Cpu].map(|backend| {
        let mut batch = worlds(m, 3, backend);
        let qpos = [0.3, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.4, 0.5, 0.0, 0.0];
        batch.set("qpos", &qpos).unwrap();
        batch
    })
}

fn texts_do_what_closures_do(backend: Backend) {
    let [mut batch, mut reference] = pair(&both(), backend);
    for (steps, loose) in [(1, 1.0), (99, 20.0)] {
        batch.step(steps).unwrap();
        reference.step(steps).unwrap();
        let what = format!("{backend:?}, {steps} steps");
        alike(
            &what,
            &mut batch,
            &mut reference,
            loose * by_precision(backend, 1e-12, 2e-5),
        );
    }
    // one ball lies on the floor; the other falls through it, since the filter removes its contacts
    let qpos = numbers(&mut batch, "qpos");
    assert!(qpos[2] < -0.1 && qpos[3].abs() < 0.01, "{qpos:?}");
}

fn halves_of_a_step_set_controls_once(backend: Backend) {
    let [mut batch, mut reference] = pair(&both(), backend);
    let tolerance = by_precision(backend, 1e-12, 2e-5);
    batch.step1().unwrap();
    assert_eq!(numbers(&mut batch, "userdata"), [1.0; 3]);
    batch.set("ctrl", &[0.25, 0.5]).unwrap();
    batch.step2().unwrap();
    assert_eq!(numbers(&mut batch, "userdata"), [1.0; 3]);
    assert_eq!(
        numbers(&mut batch, "ctrl"),
        [0.25, 0.5, 0.25, 0.5, 0.25, 0.5]
    );
    reference.step1().unwrap();
    reference.set("ctrl", &[0.25, 0.5]).unwrap();
    reference.step2().unwrap();
    alike(
        &format!("{backend:?}"),
        &mut batch,
        &mut reference,
        tolerance,
    );
}

// a world reset for bad numbers computes its controls from its new state
fn a_bad_world_begins_anew(backend: Backend) {
    let mut pair = pair(&both(), backend);
    for batch in &mut pair {
        batch
            .set_where(
                "qfrc_applied",
                &[false, true, false],
                &[1e30, 0.0, 0.0, 0.0],
            )
            .unwrap();
        batch.step(1).unwrap();
        assert_eq!(numbers(batch, "userdata"), [1.0; 3]);
        batch.step(2).unwrap();
    }
    let [mut batch, mut reference] = pair;
    let tolerance = by_precision(backend, 1e-12, 2e-5);
    alike(
        &format!("{backend:?}"),
        &mut batch,
        &mut reference,
        tolerance,
    );
}

fn what_is_missing_is_told(backend: Backend) {
    let (mut texts, mut closures) = (plain(), plain());
    bind_texts(&mut texts);
    bind_closures(&mut closures);
    let (lacks, has, words) = match backend {
        Backend::Gpu => (closures, texts, "functions of your own"),
        _ => (texts, closures, "texts of your own"),
    };
    Batch::with(&has, 1, on(backend)).unwrap();
    let Err(Error::Missing(told)) = Batch::with(&lacks, 1, on(backend)) else {
        panic!("{backend:?} takes it");
    };
    for of in [
        "for controls",
        "for passive forces",
        "that filters contacts",
        "of the sensor \"pos\"",
        "of the bias of the actuator \"user\"",
    ] {
        let wanted = format!("{words} ({of}) on ");
        assert!(
            told.iter().any(|told| told.starts_with(&wanted)),
            "{told:?}"
        );
    }
}

on_every_backend!(
    texts_do_what_closures_do,
    halves_of_a_step_set_controls_once,
    a_bad_world_begins_anew,
    what_is_missing_is_told,
);

// reads and writes out of range do not affect other arrays or worlds
#[test]
fn an_index_out_of_range_is_the_texts_own_loss() {
    let mut m = plain();
    m.bind_control_wgsl(
        "fn control() {
            let far = qpos(1000000);
            set_userdata(0, select(1.0, 2.0, is_nan(far)));
            if (time() > 0.003) { set_ctrl(-7, 3.0); set_xfrc_applied_at(1, 6, 1.0); }
        }",
    )
    .unwrap();
    let [mut batch, mut alone] = [3, 1].map(|n| worlds(&m, n, Backend::Gpu));
    batch.step(2).unwrap();
    assert_eq!(numbers(&mut batch, "userdata"), [2.0; 3]);
    assert_eq!(numbers(&mut batch, "ctrl"), [0.0; 6]);
    alone.step(1).unwrap();
    for batch in [&mut batch, &mut alone] {
        batch.step(2).unwrap();
        let ctrl = numbers(batch, "ctrl");
        assert!(
            ctrl.chunks(2)
                .all(|ctrl| ctrl[0].is_nan() && ctrl[1] == 0.0),
            "{ctrl:?}"
        );
        assert!(numbers(batch, "ncon").iter().all(|&n| n == 2.0));
    }
}

#[test]
fn what_a_text_may_not_be_is_told_with_its_place() {
    let mut m = plain();
    let before = m.clone();
    let mut faults = String::new();
    for (text, told) in [
        // errors of naga
        (
            "fn control() {\n    set_ctrl(0, qpso(0));\n}",
            ":2:17: no definition in scope for identifier: `qpso`\n    set_ctrl(0, qpso(0));",
        ),
        (
            "fn pull() -> f32 { return 1.0; }\nfn control() { set_ctrl(0, pull() + qvel(0) + 1u); }",
            ":2:28: ",
        ),
        ("fn control() { let x: i32 = 1.5; }", ":1:"),
        ("fn control() { set_ctrl(0, qpos(0, 1)); }", ":1:"),
        (
            "fn control() { /* é */ set_ctrl(0 0.0); }",
            ":1:35: expected",
        ),
        // errors in the function's declaration
        ("fn contorl() {}", ":1:1: the text has no `fn control()`"),
        ("", ":1:1: the text has no `fn control()`"),
        (
            "\nfn control(i: i32) {}",
            ":2:4: it has to be `fn control()`",
        ),
        (
            "fn control() -> f32 { return 1.0; }",
            ":1:4: it has to be `fn control()`",
        ),
        // forbidden writes, names and declarations
        (
            "fn control() { set_qpos(0, 1.0); }",
            ":1:16: set_qpos: this function may set only ctrl, qfrc_applied, xfrc_applied, userdata",
        ),
        (
            "fn control() { set_ncon(9999); }",
            ":1:16: set_ncon: this function may set only ctrl",
        ),
        (
            "fn control() { set_ctrl(0, rk_qpos(0)); }",
            ":1:28: rk_qpos is a temporary array of a stage",
        ),
        (
            "fn control() { data_words[0] = 1u; }",
            ":1:16: data_words is not allowed in a text of your own",
        ),
        (
            "fn control() { set_data_word (0, 1u); }",
            ":1:16: set_data_word is not",
        ),
        (
            "fn control() { set_ctrl(0, f32(lane)); }",
            ":1:32: lane is not",
        ),
        ("fn control() { restart(); }", ":1:16: restart is not"),
        ("fn control() { mj_control(); }", ":1:16: mj_control is not"),
        (
            "fn control() { own__control(); }",
            ":1:16: own__control is not",
        ),
        ("fn control() { team_sync(); }", ":1:16: team_sync is not"),
        (
            "fn control() { workgroupBarrier(); }",
            ":1:16: workgroupBarrier is not",
        ),
        (
            "fn control() { solve_ld<qLD, qLDiagInv, ctrl>(); }",
            ":1:16: solve_ld is not",
        ),
        (
            "fn control() {}\nvar<private> kept: f32;",
            ":2:1: var: a text may have only functions, constants and structs",
        ),
        (
            "enable f16;\nfn control() {}",
            ":1:1: enable: a text may have only",
        ),
        (
            "fn control() {}\n@compute @workgroup_size(1) fn main() {}",
            ":2:1: attributes are not allowed in a text",
        ),
        (
            "fn control() { set_data_word\u{200e}(0, 1u); }",
            ":1:29: '\\u{200e}' is allowed only in comments",
        ),
        (
            "// \u{2028} x\nfn control() {}",
            ":1:1: lines have to end with a line feed",
        ),
    ] {
        let fault = match m.bind_control_wgsl(text) {
            Err(fault) => fault.to_string(),
            Ok(()) => "none".to_owned(),
        };
        let want = format!("shader control: text for controls{told}");
        if !fault.starts_with(&want) || fault.contains("own__control__") {
            let _ = writeln!(faults, "{fault}\nnot {want}");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    // errors of other kinds of texts
    let fault = m
        .bind_passive_wgsl("fn passive() { set_ctrl(0, 0.0); }")
        .unwrap_err();
    assert!(
        fault
            .to_string()
            .contains("set_ctrl: this function may set only qfrc_passive"),
        "{fault}"
    );
    let fault = m.bind_contact_filter_wgsl(
        "fn contact_filter(a: i32, b: i32) -> bool { set_ctrl(0, 0.0); return true; }",
    );
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.contains("set_ctrl: this function may not set arrays, it returns its result"),
        "{fault}"
    );
    let text = "fn contact_filter(a: i32, b: i32) -> bool { put_contact(99, 0, found_point[0]); return true; }";
    let fault = m.bind_contact_filter_wgsl(text).unwrap_err().to_string();
    assert!(
        fault.contains(":1:45: put_contact is not allowed"),
        "{fault}"
    );
    let fault = m
        .bind_sensor_wgsl("vel", "fn sensor(k: u32) -> f32 { return 0.0; }")
        .unwrap_err();
    assert!(
        fault
            .to_string()
            .contains("text of the sensor \"vel\":1:4: it has to be `fn sensor(i1: i32) -> f32`"),
        "{fault}"
    );
    let fault = m
        .bind_user_wgsl(
            "user",
            UserPart::Dyn,
            "fn rate(a: UserActuator) -> f32 { return 0.0; }",
        )
        .unwrap_err();
    assert!(
        fault
            .to_string()
            .contains("it has to be `fn rate(u1: UserActuator, i2: i32) -> f32`"),
        "{fault}"
    );
    let fault = m.bind_sensor_wgsl("nose", "").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "sensor \"nose\": the model has none of that name"
    );

    // the model is unchanged
    assert!(m == before);
    Batch::with(&m, 1, on(Backend::Cpu)).unwrap();
}

// library functions that only read may be called, and a later text replaces an earlier one
#[test]
fn a_text_may_call_what_only_reads() {
    let mut m = plain();
    let text = "struct Turn { angle: f32 }
        fn sensor(k: i32) -> f32 {
            let turn = Turn(length(quat2vel(normalize4(quat_of(OBJ_XBODY, 1)))));
            let place = frame_of(OBJ_GEOM, 1);
            return select(turn.angle, place.pos.z, k == 0) + object_velocity(OBJ_GEOM, 1).lin.x;
        }";
    m.bind_sensor_wgsl("pos", "fn sensor(k: i32) -> f32 { return 7.0; }")
        .unwrap();
    m.bind_sensor_wgsl("pos", text).unwrap();
    let mut batch = worlds(&m, 1, Backend::Gpu);
    batch.set("qpos", &[0.3, 0.0, 0.0, 0.0]).unwrap();
    batch.forward().unwrap();
    let [z, angle, again] = batch.reals("sensordata").unwrap()[..3] else {
        panic!("three numbers");
    };
    assert!(
        (z - (1.0 - 0.2 * 0.3f64.sin())).abs() < 1e-5 && (angle - 0.3).abs() < 1e-5,
        "{z} {angle}"
    );
    assert_eq!(angle, again);
    m.unbind().unwrap();
    let mut batch = worlds(&m, 1, Backend::Gpu);
    batch.forward().unwrap();
    assert_eq!(batch.reals("sensordata").unwrap()[..3], [0.0; 3]);
}

// the kernels of a step, each with the names of its stages
fn kernels(m: &Model) -> Vec<(String, String)> {
    let team = Team::new(8, 4);
    let layout = Layout::new(m, 1, &[], chip_words(team)).unwrap();
    let build = Build::new(m, &layout, team);
    let groups = group(m, &step_walk(m), 1);
    let kernel = |stages: &Vec<&'static Stage>| {
        let module = build.module(stages);
        (module.label(), module.text)
    };
    groups.iter().map(kernel).collect()
}

#[test]
fn a_text_changes_the_kernel_of_its_stage_alone() {
    let mut m = plain();
    let before = kernels(&m);
    m.bind_passive_wgsl("fn passive() { set_qfrc_passive(1, 0.5 * qvel(1)); }")
        .unwrap();
    m.bind_user_wgsl(
        "user",
        UserPart::Gain,
        "fn gain(a: UserActuator) -> f32 { return 2.0; }",
    )
    .unwrap();
    let after = kernels(&m);
    assert_eq!(before.len(), after.len());
    for ((name, before), (also, after)) in before.iter().zip(&after) {
        assert_eq!(name, also);
        let has_text = ["passive", "fwd_actuation"].contains(&name.as_str());
        assert_eq!(before != after, has_text, "{name}");
    }

    // the kernels with texts, and their own code
    bind_texts(&mut m);
    let all = kernels(&m);
    for (stage, calls) in [
        ("control", "    own__control();\n"),
        (
            "control",
            "fn own__control__control() {\n    own__set_ctrl(0, own__control__pull(0));",
        ),
        ("control", "const own__control__STIFFNESS = 0.5;"),
        ("passive", "    own__passive();\n"),
        (
            "collision",
            "if (own__left_out(k, geom1, geom2)) { return; }",
        ),
        ("sensor_pos", "    own__sensors();\n"),
        ("fwd_actuation", "var gain = own__gain(i, bad);"),
        ("fwd_actuation", "var bias = own__bias(i, bad);"),
        (
            "fwd_actuation",
            "set_act_dot(k, own__rate(i, k - adr, bad));",
        ),
    ] {
        let kernel = all.iter().find(|(name, _)| name == stage);
        let text = &kernel.unwrap().1;
        assert_eq!(text.matches(calls).count(), 1, "{stage}: {calls}\n{text}");
    }

    // with fused kernels too, no other stage gets checks because of a text
    let groups = group(&m, &step_walk(&m), usize::MAX);
    assert!(groups.iter().any(|stages| stages.len() > 1));
    let passive = groups
        .iter()
        .find(|stages| stages.iter().any(|s| s.name == "passive"));
    assert_eq!(passive.unwrap().len(), 1);
    m.unbind().unwrap();
    assert!(kernels(&m) == kernels(&plain()));
}

// which trees begin asleep is found on the cores
#[test]
fn trees_that_begin_asleep_need_a_closure() {
    let mut m = Model::from_xml_str(
        r#"<mujoco><option><flag sleep="enable"/></option><worldbody>
           <body sleep="init"><joint type="slide"/><geom size=".1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    m.bind_control_wgsl("fn control() {}").unwrap();
    let Err(Error::Missing(told)) = Batch::with(&m, 1, on(Backend::Gpu)) else {
        panic!("a device takes it");
    };
    assert!(
        told[0].contains("trees that sleep from the start"),
        "{told:?}"
    );
}
