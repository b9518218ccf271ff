//! Guarantees on every backend for faults: overflow, bad numbers, too many worlds, bad arguments.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use manyworlds::batch::{Backend, Overflow, To};
use manyworlds::fields::View;
use manyworlds::gpu::config::Unroll;
use manyworlds::types::{OVERFLOW_CONSTRAINT, OVERFLOW_CONTACT, Warning};
use manyworlds::{Batch, Error, Model, compile};

on_every_backend!(
    every_capacity_below_the_need_is_flagged_at_once_and_by_how_much,
    the_deepest_contacts_stay,
    an_overflow_is_an_error_that_says_what_is_needed,
    an_overflow_does_not_reach_quiet_worlds,
    bad_numbers_stay_at_home,
    more_worlds_than_memory_are_refused_before_they_are_made,
    wrong_arguments_are_errors_with_a_remedy,
    a_feature_that_no_stage_computes_is_refused_with_its_place,
    what_many_shapes_that_may_touch_feel_is_what_few_feel,
);

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"))
}

fn with(m: &Model, n: usize, backend: Backend, overflow: Overflow, room: (usize, usize)) -> Batch {
    let settings = on(backend).overflow(overflow).nconmax(room.0).njmax(room.1);
    Batch::with(m, n, settings).unwrap_or_else(|e| panic!("{backend:?}: {e}"))
}

const AMPLE: (usize, usize) = (100, 400);

/// Number of balls in a row.
const BALLS: usize = 12;

/// A row of balls that move up and down, and in the crowded state each overlaps the floor and its neighbours, all by different depths: the
/// model, that state, and its numbers of contacts and rows.
fn row() -> (Model, Vec<f64>, usize, usize) {
    let balls: String = (0..BALLS)
        .map(|k| {
            let x = 0.199 * k as f64 - 1e-4 * (k * k) as f64;
            format!(
                "<body pos='{x} 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>"
            )
        })
        .collect();
    let xml =
        format!("<mujoco><worldbody><geom type='plane' size='9 9 1'/>{balls}</worldbody></mujoco>");
    let m = Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{e}"));
    let qpos = (0..BALLS).map(|k| -0.9 - 1e-4 * (k + 1) as f64).collect();
    let ncon = 2 * BALLS - 1;
    (m, qpos, ncon, 4 * ncon)
}

/// The balls in the air, every other one higher: no contacts.
fn scattered() -> Vec<f64> {
    (0..BALLS).map(|k| (k % 2) as f64).collect()
}

/// Three worlds, of which the middle one is in the crowded state.
fn crowded(
    m: &Model,
    backend: Backend,
    policy: Overflow,
    room: (usize, usize),
    qpos: &[f64],
) -> Batch {
    let mut batch = with(m, 3, backend, policy, room);
    batch.set("qpos", &scattered()).unwrap();
    batch.set_where("qpos", &CROWDED, qpos).unwrap();
    batch
}

const CROWDED: [bool; 3] = [false, true, false];

fn all_finite(batch: &mut Batch) -> bool {
    ["qpos", "qvel", "qacc"]
        .iter()
        .all(|name| batch.reals(name).unwrap().iter().all(|x| x.is_finite()))
}

/// Capacities below a need: all on the CPU backends, one on a device, where each needs a kernel to be compiled.
fn below(backend: Backend, need: usize, step: usize) -> Vec<usize> {
    match backend {
        Backend::Gpu => vec![need / 2],
        _ => (1..need).step_by(step).chain([need - 1]).collect(),
    }
}

fn every_capacity_below_the_need_is_flagged_at_once_and_by_how_much(backend: Backend) {
    let (m, qpos, ncon, nefc) = row();
    for nconmax in below(backend, ncon, 1) {
        let room = (nconmax, AMPLE.1);
        let mut batch = crowded(&m, backend, Overflow::Continue, room, &qpos);
        batch.step(1).unwrap();
        let flags = batch.flags().unwrap();
        assert_eq!(flags.len(), 1, "nconmax {nconmax}");
        assert_eq!(flags[0].world, 1);
        assert!(flags[0].overflow & OVERFLOW_CONTACT != 0);
        assert_eq!(flags[0].needed[0] as usize, ncon, "nconmax {nconmax}");
        assert_eq!(batch.ints("ncon").unwrap(), [0, nconmax as i32, 0]);
        assert!(all_finite(&mut batch), "nconmax {nconmax}");
    }
    for njmax in below(backend, nefc, 7) {
        let room = (AMPLE.0, njmax);
        let mut batch = crowded(&m, backend, Overflow::Continue, room, &qpos);
        batch.step(1).unwrap();
        let flags = batch.flags().unwrap();
        assert_eq!(flags.len(), 1, "njmax {njmax}");
        assert!(flags[0].overflow & OVERFLOW_CONSTRAINT != 0);
        assert_eq!(flags[0].needed[1] as usize, nefc, "njmax {njmax}");
        assert!(batch.ints("nefc").unwrap()[1] <= njmax as i32);
        assert!(all_finite(&mut batch), "njmax {njmax}");
    }
    // a capacity equal to the need suffices
    let mut batch = crowded(&m, backend, Overflow::Error, (ncon, nefc), &qpos);
    batch.forward().unwrap();
    assert_eq!(batch.flags().unwrap(), []);
}

fn the_deepest_contacts_stay(backend: Backend) {
    let (m, qpos, ncon, _) = row();
    let depths = |room: usize| {
        let mut batch = crowded(&m, backend, Overflow::Continue, (room, AMPLE.1), &qpos);
        batch.forward().unwrap();
        let mut dist = batch.reals("contact_dist").unwrap()[room..][..room].to_vec();
        dist.sort_by(f64::total_cmp);
        dist
    };
    let all = depths(ncon);
    assert!(all[0] < all[ncon - 1]);
    assert_eq!(depths(ncon / 2), all[..ncon / 2]);
}

fn an_overflow_is_an_error_that_says_what_is_needed(backend: Backend) {
    let (m, qpos, ncon, _) = row();
    let mut batch = crowded(&m, backend, Overflow::Error, (8, AMPLE.1), &qpos);
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
    // the error persists until the world is reset
    assert!(batch.step(1).is_err());
    batch.reset_where(&CROWDED, To::Qpos0).unwrap();
    batch.set_where("qpos", &CROWDED, &scattered()).unwrap();
    batch.step(1).unwrap();
}

fn an_overflow_does_not_reach_quiet_worlds(backend: Backend) {
    let (m, qpos, ..) = row();
    let run = |crowd: bool| {
        let mut batch = with(&m, 3, backend, Overflow::Continue, (6, 20));
        batch.set("qpos", &scattered()).unwrap();
        // in the outer worlds one ball lies on the floor
        let mut one = scattered();
        one[2] = -0.9001;
        batch.set_where("qpos", &[true, false, true], &one).unwrap();
        if crowd {
            batch.set_where("qpos", &CROWDED, &qpos).unwrap();
        }
        batch.step(10).unwrap();
        batch.reals("qpos").unwrap().to_vec()
    };
    let (quiet, crowded) = (run(false), run(true));
    assert_eq!(quiet[..m.nq], crowded[..m.nq]);
    assert_eq!(quiet[2 * m.nq..], crowded[2 * m.nq..]);
    assert_ne!(quiet, crowded);
}

/// Every input of one world poisoned in turn; the others must not differ by a bit.
fn bad_numbers_stay_at_home(backend: Backend) {
    let n = 65;
    let poisons = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        by_precision(backend, 1e300, 1e38),
    ];
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
    let mut batch = worlds(&m, n, backend);
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
        for poison in poisons {
            batch.restore(&start).unwrap();
            let mut row = match batch.read(name).unwrap() {
                View::Real(x) => x[poisoned * words(name)..][..words(name)].to_vec(),
                View::Int(_) => unreachable!("{name} holds reals"),
            };
            // poisons the last number; in xfrc_applied it belongs to a moving body
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

fn more_worlds_than_memory_are_refused_before_they_are_made(backend: Backend) {
    let m = model("humanoid");
    match Batch::with(&m, 2_000_000_000, on(backend)) {
        Err(Error::Size { what, need, have }) => {
            assert!(need > have);
            assert!(what.contains("fit"), "{what}");
        }
        other => panic!("{:?}", other.map(|batch| batch.nworld())),
    }
}

fn wrong_arguments_are_errors_with_a_remedy(backend: Backend) {
    let m = model("cartpole");
    let mut batch = worlds(&m, 4, backend);
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
        "the mask has 3 entries for 4 worlds: give one for each world"
    );
    assert_eq!(
        says(batch.ints("qpos").unwrap_err()),
        "qpos holds reals: read it with reals"
    );
    assert_eq!(
        says(batch.reset(To::Key(0)).unwrap_err()),
        "keyframe 0: the model has 0, counted from 0"
    );
    assert!(Batch::with(&m, 0, on(backend)).is_err());
}

// removes the bar that marks the unsupported element of a model, and returns its place
fn marked(xml: &str) -> (String, String) {
    let at = xml.find('|').unwrap_or_else(|| panic!("{xml}"));
    let (line, col) = (
        1 + xml[..at].matches('\n').count(),
        1 + xml[..at].chars().rev().take_while(|c| *c != '\n').count(),
    );
    (xml.replace('|', ""), format!("model.xml:{line}:{col}"))
}

fn a_feature_that_no_stage_computes_is_refused_with_its_place(backend: Backend) {
    let with = |option: &str, geom: &str, rest: &str| {
        format!(
            "<mujoco>\n<option {option}/>\n<worldbody><site name='s' size='.1'/><body name='b'><joint name='j'/><geom name='g' size='.1'/></body>\n\
             <body pos='0 0 1'><freejoint/><geom name='h' size='.1' {geom}/></body></worldbody>\n{rest}\n</mujoco>"
        )
    };
    let flag = |said: &str| {
        with("", "", "").replace("<option />", &format!("<option><flag |{said}/></option>"))
    };
    for (xml, what) in [
        (
            with("integrator='discrete'", "", "").replace(
                "</worldbody>",
                "<flexcomp |name='f' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' mass='1'><edge damping='1'/><contact contype='0' conaffinity='0' selfcollide='none'/></flexcomp></worldbody>",
            ),
            "springs and dampers of the edges of flexes with the integrator \"discrete\"",
        ),
        (
            flag("sleep='enable' island='disable'").replace("<option>", "<option integrator='discrete'>"),
            "the flag \"sleep\" without islands with the integrator \"discrete\"",
        ),
        (
            flag("sleep='enable'").replace(
                "</mujoco>",
                "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><equality><tendon tendon1='t'/></equality></mujoco>",
            ),
            "the flag \"sleep\" with equalities of tendons",
        ),
        (
            flag("ipc='enable'"),
            "the flag \"ipc\" with another integrator than \"discrete\"",
        ),
    ] {
        let (xml, place) = marked(&xml);
        let m = Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{xml}\n{e}"));
        let wanted = [format!("{place}: {what}")];
        assert_eq!(compile::missing(&m), wanted, "{xml}");
        match Batch::with(&m, 1, on(backend)) {
            Err(Error::Missing(list)) => assert_eq!(list, wanted),
            other => panic!("{:?}", other.map(|batch| batch.nworld())),
        }
    }
    let m = Model::from_xml_str(&with("", "", "")).unwrap_or_else(|e| panic!("{e}"));
    assert!(compile::missing(&m).is_empty());
}

// the patterns of this many pairs have no masks: the rows of touching pairs must find the same dofs as with one pair alone
fn what_many_shapes_that_may_touch_feel_is_what_few_feel(backend: Backend) {
    const MANY: usize = 300;
    // balls on a grid, each with three slides; the second ball of a touching pair is moved nearer
    let of = |balls: usize, touches: &dyn Fn(usize) -> bool| {
        let ball = |k: usize| {
            let nearer = if k % 2 == 1 && touches(k) { 0.11 } else { 0.0 };
            let [x, y, z] = [k % 8, k / 8 % 8, k / 64].map(|at| 0.3 * at as f64);
            let slides = ["1 0 0", "0 1 0", "0 0 1"]
                .map(|axis| format!("<joint type='slide' axis='{axis}'/>"))
                .concat();
            let x = x - nearer;
            format!("<body pos='{x} {y} {z}'>{slides}<geom size='.1' mass='1'/></body>")
        };
        let bodies: String = (0..balls).map(ball).collect();
        let text = format!("<mujoco><option solver='CG'/><worldbody>{bodies}</worldbody></mujoco>");
        Model::from_xml_str(&text).unwrap_or_else(|e| panic!("{e}"))
    };
    let accelerations = |m: &Model| {
        let lanes = (backend == Backend::Gpu).then_some(32);
        let settings = on(backend).lanes(lanes).unroll(Unroll::Never);
        let mut batch = Batch::with(m, 1, settings).unwrap_or_else(|e| panic!("{backend:?}: {e}"));
        batch.forward().unwrap();
        batch.reals("qacc").unwrap().to_vec()
    };
    let pair = of(2, &|_| true);
    let many = of(MANY, &|k| [1, 151, 299].contains(&k));
    assert!(pair.nJpatword > 0 && many.nJpatword == 0);
    let want = accelerations(&pair);
    assert!(want[0] < -10.0 && want[3] > 10.0, "{want:?}");
    let tolerance = by_precision(backend, 1e-9, 1e-3);
    for (k, have) in accelerations(&many).chunks(6).enumerate() {
        let free = [0.0, 0.0, -9.81].repeat(2);
        let want = if [0, 75, 149].contains(&k) {
            &want
        } else {
            &free
        };
        for (have, want) in have.iter().zip(want) {
            let e = (have - want).abs();
            assert!(
                e < tolerance * want.abs().max(1.0),
                "pair {k}: {have} {want}"
            );
        }
    }
}
