//! Faults, and what is promised of them: overflow, bad numbers, too many worlds, bad arguments.

use manyworlds::batch::{Backend, Overflow, Settings, To};
use manyworlds::fields::View;
use manyworlds::types::{OVERFLOW_CONSTRAINT, OVERFLOW_CONTACT, Warning};
use manyworlds::{Batch, Error, Model, compile};

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"))
}

fn with(m: &Model, n: usize, backend: Backend, overflow: Overflow, room: (usize, usize)) -> Batch {
    let settings = Settings {
        backend,
        overflow,
        nconmax: Some(room.0),
        njmax: Some(room.1),
        ..Settings::default()
    };
    Batch::with(m, n, settings).unwrap()
}

const AMPLE: (usize, usize) = (400, 1600);

/// Sixteen boxes that lie on each other: their state, and what they need.
fn pile() -> (Model, Vec<f64>, usize, usize) {
    let m = model("boxes");
    let mut batch = with(&m, 1, Backend::Cpu, Overflow::Error, AMPLE);
    batch.step(100).unwrap();
    let qpos = batch.reals("qpos").unwrap().to_vec();
    batch.forward().unwrap();
    let [ncon, nefc] = ["ncon", "nefc"].map(|name| batch.ints(name).unwrap()[0] as usize);
    assert!(ncon > 50, "the pile has {ncon} contacts");
    (m, qpos, ncon, nefc)
}

fn all_finite(batch: &mut Batch) -> bool {
    ["qpos", "qvel", "qacc"]
        .iter()
        .all(|name| batch.reals(name).unwrap().iter().all(|x| x.is_finite()))
}

#[test]
fn every_capacity_below_the_need_is_flagged_at_once_and_by_how_much() {
    let (m, qpos, ncon, nefc) = pile();
    for nconmax in (1..ncon).step_by(7).chain([ncon - 1]) {
        let mut batch = with(&m, 1, Backend::Cpu, Overflow::Continue, (nconmax, AMPLE.1));
        batch.set("qpos", &qpos).unwrap();
        batch.step(1).unwrap();
        let flags = batch.flags().unwrap();
        assert_eq!(flags.len(), 1, "nconmax {nconmax}");
        assert!(flags[0].overflow & OVERFLOW_CONTACT != 0);
        assert_eq!(flags[0].needed[0] as usize, ncon);
        assert_eq!(batch.ints("ncon").unwrap()[0] as usize, nconmax);
        assert!(all_finite(&mut batch), "nconmax {nconmax}");
    }
    for njmax in (1..nefc).step_by(37).chain([nefc - 1]) {
        let mut batch = with(&m, 1, Backend::Cpu, Overflow::Continue, (AMPLE.0, njmax));
        batch.set("qpos", &qpos).unwrap();
        batch.step(1).unwrap();
        let flags = batch.flags().unwrap();
        assert_eq!(flags.len(), 1, "njmax {njmax}");
        assert!(flags[0].overflow & OVERFLOW_CONSTRAINT != 0);
        assert_eq!(flags[0].needed[1] as usize, nefc);
        assert!(all_finite(&mut batch), "njmax {njmax}");
    }
    // exactly enough is enough
    let mut batch = with(&m, 1, Backend::Cpu, Overflow::Error, (ncon, nefc));
    batch.set("qpos", &qpos).unwrap();
    batch.forward().unwrap();
    assert_eq!(batch.flags().unwrap(), []);
}

#[test]
fn the_deepest_contacts_stay() {
    let (m, qpos, ncon, _) = pile();
    let depths = |room: usize| {
        let mut batch = with(&m, 1, Backend::Cpu, Overflow::Continue, (room, AMPLE.1));
        batch.set("qpos", &qpos).unwrap();
        batch.forward().unwrap();
        let mut dist = batch.reals("contact_dist").unwrap()[..room.min(ncon)].to_vec();
        dist.sort_by(f64::total_cmp);
        dist
    };
    let all = depths(ncon);
    assert_eq!(depths(ncon / 2), all[..ncon / 2]);
}

#[test]
fn an_overflow_is_an_error_that_says_what_is_needed() {
    let (m, qpos, ncon, _) = pile();
    let mut batch = with(&m, 3, Backend::Cpu, Overflow::Error, (8, AMPLE.1));
    let mask = [false, true, false];
    batch.set_where("qpos", &mask, &qpos).unwrap();
    match batch.step(1) {
        Err(Error::Overflow {
            worlds,
            world,
            contacts,
            ..
        }) => {
            assert_eq!((worlds, world, contacts), (1, 1, (ncon, 8)));
        }
        other => panic!("{other:?}"),
    }
    // it stays one until the world is reset
    assert!(batch.step(1).is_err());
    batch.reset_where(&mask, To::Qpos0).unwrap();
    batch.step(1).unwrap();
}

#[test]
fn an_overflow_does_not_reach_quiet_worlds() {
    let (m, qpos, ..) = pile();
    let run = |crowded: bool| {
        let mut batch = with(&m, 3, Backend::Cpu, Overflow::Continue, (8, 40));
        if crowded {
            batch
                .set_where("qpos", &[false, true, false], &qpos)
                .unwrap();
        }
        batch.step(20).unwrap();
        batch.reals("qpos").unwrap().to_vec()
    };
    let (quiet, crowded) = (run(false), run(true));
    assert_eq!(quiet[..m.nq], crowded[..m.nq]);
    assert_eq!(quiet[2 * m.nq..], crowded[2 * m.nq..]);
}

/// Every input of one world poisoned in turn; the others must not differ by a bit.
fn bad_numbers_stay_at_home(backend: Backend, n: usize, poisons: &[f64]) {
    let m = Model::from_xml_str(
        r#"<mujoco>
             <option timestep="0.005"/>
             <worldbody>
               <geom type="plane" size="0 0 1"/>
               <body name="m" mocap="true" pos="1 0 1"><geom size="0.05" contype="0" conaffinity="0"/></body>
               <body pos="0 0 0.12"><freejoint/><geom size="0.1"/>
                 <body pos="0.2 0 0"><joint name="h" type="hinge" axis="0 1 0"/><geom type="capsule" size="0.03 0.1"/></body></body>
             </worldbody>
             <actuator><general joint="h" dyntype="integrator" gainprm="1" actlimited="true" actrange="-1 1"/></actuator>
           </mujoco>"#,
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let poisoned = n / 2;
    let mask: Vec<bool> = (0..n).map(|w| w == poisoned).collect();
    let settings = Settings {
        backend,
        ..Settings::default()
    };
    let mut batch = Batch::with(&m, n, settings).unwrap();
    batch.step(3).unwrap();
    let start = batch.save().unwrap();
    let words = |name| manyworlds::fields::field(name).unwrap().words(&m);
    let rows = |batch: &mut Batch| -> Vec<u64> {
        ["qpos", "qvel", "act", "time"]
            .iter()
            .flat_map(|name| {
                let x = batch.reals(name).unwrap();
                let words = x.len() / n;
                let others = x.chunks(words).enumerate().filter(|(w, _)| *w != poisoned);
                others
                    .flat_map(|(_, x)| x.iter().map(|x| x.to_bits()))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    batch.step(2).unwrap();
    let want = rows(&mut batch);
    let names = [
        "qpos",
        "qvel",
        "act",
        "ctrl",
        "qfrc_applied",
        "xfrc_applied",
        "mocap_pos",
        "mocap_quat",
        "qacc_warmstart",
        "time",
    ];
    for name in names {
        for &poison in poisons {
            batch.restore(&start).unwrap();
            let mut row = match batch.read(name).unwrap() {
                View::Real(x) => x[poisoned * words(name)..][..words(name)].to_vec(),
                View::Int(_) => unreachable!("{name} holds reals"),
            };
            // the last number: of xfrc_applied that is a moving body's
            *row.last_mut().unwrap() = poison;
            batch.set_where(name, &mask, &row).unwrap();
            batch.step(2).unwrap();
            assert_eq!(
                rows(&mut batch),
                want,
                "{name} = {poison}: another world differs"
            );
            let flags = batch.flags().unwrap();
            let flagged = flags.iter().any(|flag| flag.world == poisoned);
            let kind = match name {
                "qpos" => Some(Warning::BadQpos),
                "qvel" => Some(Warning::BadQvel),
                "ctrl" => Some(Warning::BadCtrl),
                "act" | "qfrc_applied" | "xfrc_applied" => Some(Warning::BadQacc),
                _ => None,
            };
            if let Some(kind) = kind {
                assert!(flagged, "{name} = {poison} is not flagged");
                assert!(flags[0].count(kind) > 0, "{name} = {poison}: {}", flags[0]);
            }
            for field in ["qpos", "qvel"] {
                let x = &batch.reals(field).unwrap()[poisoned * words(field)..][..words(field)];
                assert!(
                    x.iter().all(|x| x.is_finite()),
                    "{name} = {poison}: {field} is {x:?}"
                );
            }
        }
    }
}

#[test]
fn bad_numbers_stay_at_home_on_the_cpu() {
    bad_numbers_stay_at_home(
        Backend::Cpu,
        65,
        &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300],
    );
}

#[test]
fn more_worlds_than_memory_are_refused_before_they_are_made() {
    let m = model("humanoid");
    for backend in [Backend::Cpu, Backend::Gpu] {
        let settings = Settings {
            backend,
            ..Settings::default()
        };
        match Batch::with(&m, 2_000_000_000, settings) {
            Err(Error::Size { what, need, have }) => {
                assert!(need > have);
                assert!(what.contains("fit"), "{what}");
            }
            other => panic!("{:?}", other.map(|batch| batch.nworld())),
        }
    }
}

#[test]
fn memory_is_predicted() {
    let m = model("quadruped");
    let batch = with(&m, 10, Backend::Cpu, Overflow::Error, AMPLE);
    let memory = batch.memory();
    assert_eq!(memory.total, memory.model + 10 * memory.world);
}

#[test]
fn wrong_arguments_are_errors_with_a_remedy() {
    let m = model("cartpole");
    let mut batch = Batch::with(
        &m,
        4,
        Settings {
            backend: Backend::Cpu,
            ..Settings::default()
        },
    )
    .unwrap();
    let says = |e: Error| e.to_string();
    assert_eq!(
        says(batch.read("qpso").unwrap_err()),
        "qpso is no array of a world; did you mean qpos?"
    );
    assert_eq!(
        says(batch.set("qpos", &[0.0; 3]).unwrap_err()),
        "qpos: 2 values for one row or 8 for 4 worlds needed, 3 given"
    );
    assert!(
        says(batch.set("xpos", &[0.0; 9]).unwrap_err())
            .starts_with("xpos is computed and cannot be set")
    );
    assert_eq!(
        says(batch.reset_where(&[true; 3], To::Qpos0).unwrap_err()),
        "the mask has 3 entries for 4 worlds"
    );
    assert_eq!(
        says(batch.ints("qpos").unwrap_err()),
        "qpos holds reals: read it with reals"
    );
    assert_eq!(
        says(batch.reset(To::Key(0)).unwrap_err()),
        "keyframe 0: the model has 0, counted from 0"
    );
    assert!(Batch::new(&m, 0).is_err());
}

// a model in which a bar stands before what is missing, and the place of the bar
fn marked(xml: &str) -> (String, String) {
    let at = xml.find('|').unwrap_or_else(|| panic!("{xml}"));
    let (line, col) = (
        1 + xml[..at].matches('\n').count(),
        1 + xml[..at].chars().rev().take_while(|c| *c != '\n').count(),
    );
    (xml.replace('|', ""), format!("model.xml:{line}:{col}"))
}

#[test]
fn what_no_stage_computes_is_refused_with_its_place() {
    let with = |option: &str, geom: &str, rest: &str| {
        format!(
            "<mujoco>\n<option {option}/>\n<worldbody><site name='s' size='.1'/><body name='b'><joint name='j'/><geom name='g' size='.1'/></body>\n\
             <body pos='0 0 1'><freejoint/><geom name='h' size='.1' {geom}/></body></worldbody>\n{rest}\n</mujoco>"
        )
    };
    let flag = |said: &str| {
        with("", "", "").replace("<option />", &format!("<option><flag |{said}/></option>"))
    };
    let sensor = |said: &str| with("", "", &format!("<sensor>{said}</sensor>"));
    let actuator = |said: &str| {
        with(
            "",
            "",
            &format!("<actuator><general joint='j' {said}/></actuator>"),
        )
    };
    let ellipsoids =
        with("", "type='ellipsoid' size='.1 .2 .3'", "").replace("size='.1' type", "type");
    for (xml, what) in [
        (
            with("|integrator='discrete'", "", ""),
            "integrator \"discrete\"",
        ),
        (flag("sleep='enable'"), "the flag \"sleep\""),
        (flag("diagexact='enable'"), "the flag \"diagexact\""),
        (flag("ipc='enable'"), "the flag \"ipc\""),
        (flag("speculative='enable'"), "the flag \"speculative\""),
        (
            ellipsoids.replace(
                "<option />",
                "<option><flag |nativeccd='disable'/></option>",
            ),
            "the flag \"nativeccd\" disabled (the older convex collider)",
        ),
        (with("", "|adhesion='1'", ""), "adhesive geoms"),
        (
            with(
                "",
                "",
                "<contact><pair geom1='g' geom2='h' |adhesion='1'/></contact>",
            ),
            "adhesive geoms",
        ),
        (
            with("", "|surfacevel='1 0 0 0 0 0'", ""),
            "surface velocities",
        ),
        (
            with("", "", "").replace("<joint ", "<joint stiffness='1' |springyield='10' "),
            "plastic springs",
        ),
        (
            with(
                "",
                "",
                "<tendon><fixed stiffness='1' |springyield='1'><joint joint='j' coef='1'/></fixed></tendon>",
            ),
            "plastic springs",
        ),
        (
            actuator("|dyntype='user' actdim='1'"),
            "actuators of type \"user\"",
        ),
        (actuator("|gaintype='user'"), "actuators of type \"user\""),
        (actuator("|biastype='user'"), "actuators of type \"user\""),
        (
            actuator("|nsample='3' delay='.01'"),
            "delays and history buffers",
        ),
        (
            sensor("<jointpos joint='j' |nsample='3' delay='.01'/>"),
            "delays and history buffers",
        ),
        (
            sensor("<insidesite site='s' objtype='body' objname='b' |enclosed='true'/>"),
            "insidesite sensors that ask for full enclosure",
        ),
    ] {
        let (xml, place) = marked(&xml);
        let m = Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{xml}\n{e}"));
        let wanted = [format!("{place}: {what}")];
        assert_eq!(compile::missing(&m), wanted, "{xml}");
        match Batch::new(&m, 1) {
            Err(Error::Missing(list)) => assert_eq!(list, wanted),
            other => panic!("{:?}", other.map(|batch| batch.nworld())),
        }
    }
    let m = Model::from_xml_str(&with("", "", "")).unwrap_or_else(|e| panic!("{e}"));
    assert!(compile::missing(&m).is_empty());
}

#[test]
fn what_a_backend_lacks_is_told_with_its_place() {
    let world = "<worldbody><body><joint/><geom name='a' size='.1'/></body><geom name='b' size='.1' pos='1 0 0'/></worldbody>";
    let (xml, place) = marked(&format!(
        "<mujoco>{world}<sensor><distance geom1='a' geom2='b' |cutoff='1'/></sensor></mujoco>"
    ));
    let m = Model::from_xml_str(&xml).unwrap();
    assert!(compile::missing(&m).is_empty());
    assert_eq!(
        compile::missing_on_device(&m),
        [format!("{place}: sensors of distance on a device")]
    );
}
