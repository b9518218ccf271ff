//! Queries of the worlds, on every backend against MuJoCo 4.0.0 (tests/golden/make_calls.py).

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::{Golden, error};
use manyworlds::batch::{Among, Backend, Look};
use manyworlds::types::{ENBL_RNEPOST, ObjType};
use manyworlds::{Batch, Error, Model};

const WORLDS: usize = 3;
const NRAY: usize = 12;
const MODELS: [(&str, &str); 2] = [
    ("edit", "tests/golden/edit.xml"),
    ("humanoid", "models/humanoid.xml"),
];

/// A model, its worlds in the states of the golden, and MuJoCo's results.
struct Case {
    name: &'static str,
    golden: Golden,
    batch: Batch,
    most: f64,
}

impl Case {
    fn new(name: &'static str, path: &str, backend: Backend) -> Self {
        let golden = Golden::open("tests/golden/calls.npz");
        let mut m = Model::from_xml_path(path).unwrap();
        m.edit(|m| {
            (m.opt.tolerance, m.opt.ls_tolerance) = (1e-15, 1e-6);
            (m.opt.iterations, m.opt.ls_iterations) = (200, 100);
            m.opt.enableflags |= ENBL_RNEPOST;
            for (geom, group) in m.geom_group.iter_mut().enumerate() {
                *group = geom as i32 % 4;
            }
        })
        .unwrap();
        let mut case = Self {
            name,
            golden,
            batch: worlds(&m, WORLDS, backend),
            most: by_precision(backend, 1e-10, 1e-4),
        };
        for input in ["qpos", "qvel", "act", "ctrl"] {
            let values = case.get(&format!("in/{input}"));
            case.batch.set(input, &values).unwrap();
        }
        case
    }

    fn all(backend: Backend) -> impl Iterator<Item = Self> {
        MODELS
            .iter()
            .map(move |(name, path)| Self::new(name, path, backend))
    }

    fn get(&self, what: &str) -> Vec<f64> {
        let name = format!("{}/{what}", self.name);
        let values = self.golden.get(&name);
        values.unwrap_or_else(|| panic!("no {name}")).to_vec()
    }

    fn id(&self, what: &str, k: usize) -> usize {
        self.get(&format!("ask/{what}"))[k] as usize
    }

    fn check(&self, what: &str, have: &[f64]) {
        self.check_within(what, have, self.most);
    }

    fn check_within(&self, what: &str, have: &[f64], most: f64) {
        let e = error(have, &self.get(what));
        assert!(e <= most, "{}: {what}: {e:e}", self.name);
    }

    // both halves of a Jacobian, world after world
    fn check_jac(&self, what: &str, have: &manyworlds::batch::Jacobian) {
        let n = have.jacp.len() / WORLDS;
        let halves = have.jacp.chunks(n).zip(have.jacr.chunks(n));
        let both: Vec<f64> = halves.flat_map(|(p, r)| [p, r].concat()).collect();
        self.check(what, &both);
    }
}

/// Queries that depend on positions and velocities, for the current state and, after `forward`, for the arrays of the last call.
fn what_follows_from_the_state_is_mujocos(backend: Backend) {
    for mut case in Case::all(backend) {
        case.batch.look(Look::State);
        everything(&mut case);
    }
}

fn what_the_last_call_left_is_mujocos(backend: Backend) {
    for mut case in Case::all(backend) {
        case.batch.forward().unwrap();
        everything(&mut case);
        accelerations_of_objects(&mut case);
        forces_of_contacts(&mut case);
    }
}

fn everything(case: &mut Case) {
    jacobians(case);
    inertia(case);
    forces_on_bodies(case);
    velocities_of_objects(case);
    distances_of_geoms(case);
    rays(case);
}

fn jacobians(case: &mut Case) {
    let [hand, arm] = [0, 1].map(|k| case.id("body", k));
    let (site, geom) = (case.id("site", 0), case.id("geom", 0));
    let points = case.get("ask/point");
    let batch = &mut case.batch;
    let jac = batch.jac(&points, &[hand]).unwrap();
    let each = batch.jac(&points, &[hand; WORLDS]).unwrap();
    assert!(jac == each);
    let body = batch.jac_body(hand).unwrap();
    let com = batch.jac_body_com(hand).unwrap();
    let of_site = batch.jac_site(site).unwrap();
    let of_geom = batch.jac_geom(geom).unwrap();
    let subtree = batch.jac_subtree_com(arm).unwrap();
    case.check_jac("jac", &jac);
    case.check_jac("jac_body", &body);
    case.check_jac("jac_body_com", &com);
    case.check_jac("jac_site", &of_site);
    case.check_jac("jac_geom", &of_geom);
    case.check("jac_subtree_com", &subtree);
}

fn inertia(case: &mut Case) {
    let vec = case.get("ask/vec");
    let full = case.batch.full_m().unwrap();
    case.check("full_m", &full);
    let product = case.batch.mul_m(&vec).unwrap();
    case.check("mul_m", &product);
    let solution = case.batch.solve_m(&vec).unwrap();
    case.check("solve_m", &solution);
}

fn forces_on_bodies(case: &mut Case) {
    let [force, torque, point] =
        ["force", "torque", "point"].map(|x| case.get(&format!("ask/{x}")));
    let body = case.id("body", 0);
    let qfrc = case.batch.apply_ft(&force, &torque, &point, body).unwrap();
    case.check("apply_ft", &qfrc);
}

// object types, their names in the golden, and the ids that are queried
fn objects(case: &Case) -> Vec<(ObjType, &'static str, usize)> {
    let mut objects = vec![
        (ObjType::Body, "body", case.id("body", 0)),
        (ObjType::XBody, "xbody", case.id("body", 0)),
        (ObjType::Geom, "geom", case.id("geom", 0)),
        (ObjType::Site, "site", case.id("site", 0)),
    ];
    if case.batch.model().ncam > 0 {
        objects.push((ObjType::Camera, "camera", case.id("camera", 0)));
    }
    objects
}

fn velocities_of_objects(case: &mut Case) {
    for (kind, name, id) in objects(case) {
        for local in [false, true] {
            let vel = case.batch.object_velocity(kind, id, local).unwrap();
            case.check(&format!("object_velocity/{name}{}", u8::from(local)), &vel);
        }
    }
}

fn accelerations_of_objects(case: &mut Case) {
    for (kind, name, id) in objects(case) {
        for local in [false, true] {
            let acc = case.batch.object_acceleration(kind, id, local).unwrap();
            case.check(
                &format!("object_acceleration/{name}{}", u8::from(local)),
                &acc,
            );
        }
    }
}

fn forces_of_contacts(case: &mut Case) {
    let have = case.batch.contact_force().unwrap();
    let ncon: Vec<f64> = have.ncon.iter().map(|&n| n as f64).collect();
    case.check("ncon", &ncon);
    // the golden has a larger capacity for contacts
    let (own, room) = (6 * have.nconmax, 600);
    let mut force = vec![0.0; WORLDS * room];
    for (to, from) in force.chunks_mut(room).zip(have.force.chunks(own)) {
        let n = own.min(room);
        to[..n].copy_from_slice(&from[..n]);
    }
    case.check("contact_force", &force);
}

fn distances_of_geoms(case: &mut Case) {
    let pairs = case.get("ask/pairs");
    let n = pairs.len() / 2;
    for (most, name) in [(0.05, "0.05"), (10.0, "10")] {
        let (mut dist, mut fromto) = (vec![0.0; WORLDS * n], vec![0.0; WORLDS * n * 6]);
        for (k, pair) in pairs.chunks(2).enumerate() {
            let [first, second] = [0, 1].map(|i| pair[i] as usize);
            let have = case.batch.geom_distance(first, second, most).unwrap();
            for w in 0..WORLDS {
                dist[w * n + k] = have.dist[w];
                fromto[(w * n + k) * 6..][..6].copy_from_slice(&have.fromto[6 * w..][..6]);
            }
        }
        case.check(&format!("geom_distance/{name}"), &dist);
        case.check(&format!("fromto/{name}"), &fromto);
    }
}

fn rays(case: &mut Case) {
    let (pnt, vec) = (case.get("ask/pnt"), case.get("in/ray"));
    let exclude = case.id("exclude", 0) as i32;
    let moving = Among::default()
        .flg_static(false)
        .bodyexclude(vec![exclude; WORLDS * NRAY]);
    let groups = Among::default().geomgroup([true, false, true, false, false, true]);
    for (name, among) in [
        ("plain", Among::default()),
        ("moving", moving),
        ("groups", groups),
    ] {
        let hits = case.batch.ray(NRAY, &pnt, &vec, &among).unwrap();
        check_hits(case, &format!("ray/{name}"), &hits);
    }
    let first: Vec<f64> = pnt
        .chunks(3 * NRAY)
        .flat_map(|row| &row[..3])
        .copied()
        .collect();
    for (cutoff, name) in [(1.2, "1.2"), (1e10, "1e+10")] {
        let hits = case
            .batch
            .multi_ray(NRAY, &first, &vec, &Among::default(), cutoff);
        check_hits(case, &format!("multi_ray/{name}"), &hits.unwrap());
    }
}

fn check_hits(case: &Case, name: &str, hits: &manyworlds::batch::Hits) {
    let geomid: Vec<f64> = hits.geomid.iter().map(|&id| f64::from(id)).collect();
    case.check_within(&format!("{name}/geomid"), &geomid, 0.0);
    case.check(&format!("{name}/dist"), &hits.dist);
    case.check(&format!("{name}/normal"), &hits.normal);
}

fn positions_and_the_way_between_them(backend: Backend) {
    for case in Case::all(backend) {
        let start = case.get("in/qpos");
        let mut qpos = start.clone();
        case.batch
            .integrate_pos(&mut qpos, &case.get("ask/vec"), 0.3)
            .unwrap();
        case.check_within("integrate_pos", &qpos, 1e-12);
        let rate = case.batch.differentiate_pos(0.7, &start, &qpos).unwrap();
        case.check_within("differentiate_pos", &rate, 1e-12);
    }
}

/// Queries do not change later steps by a bit, and they use the current state or the last call as asked.
fn looking_changes_nothing(backend: Backend) {
    let mut ends = Vec::new();
    for looks in [false, true] {
        let mut case = Case::new("edit", "tests/golden/edit.xml", backend);
        case.batch.step(2).unwrap();
        let before = case.batch.jac_body(9).unwrap();
        for look in [Look::State, Look::LastCall] {
            if looks {
                case.batch.look(look);
                case.batch.full_m().unwrap();
                case.batch.object_velocity(ObjType::Geom, 2, true).unwrap();
                case.batch
                    .object_acceleration(ObjType::Geom, 2, true)
                    .unwrap();
                case.batch.contact_force().unwrap();
                case.batch.geom_distance(2, 3, 1.0).unwrap();
                let down = [0.0, 0.0, -1.0];
                let hits = case
                    .batch
                    .ray(1, &[0.0, 0.0, 3.0], &down, &Among::default());
                assert!(hits.unwrap().dist.iter().all(|&dist| dist > 0.0));
            }
        }
        assert!(case.batch.jac_body(9).unwrap() == before);
        case.batch.step(3).unwrap();
        let read = |name: &str, batch: &mut Batch| batch.reals(name).unwrap().to_vec();
        ends.push(["qpos", "qvel", "xpos", "cvel"].map(|name| read(name, &mut case.batch)));
    }
    assert!(ends[0] == ends[1]);
}

/// `Look::State` sees a new state at once; `Look::LastCall` keeps the arrays of the last call.
fn a_look_is_at_the_state_or_the_last_call(backend: Backend) {
    let mut case = Case::new("edit", "tests/golden/edit.xml", backend);
    case.batch.forward().unwrap();
    let before = case.batch.jac_site(0).unwrap();
    let mut qpos = case.get("in/qpos");
    qpos.iter_mut().for_each(|x| *x += 0.25);
    case.batch.set("qpos", &qpos).unwrap();
    assert!(case.batch.jac_site(0).unwrap() == before);
    case.batch.look(Look::State);
    let now = case.batch.jac_site(0).unwrap();
    case.batch.forward().unwrap();
    case.batch.look(Look::LastCall);
    let then = case.batch.jac_site(0).unwrap();
    assert!(error(&now.jacp, &before.jacp) > 1e-2);
    assert!(error(&now.jacp, &then.jacp) <= case.most);
}

fn bad_calls_say_what_is_wrong(backend: Backend) {
    let m = Model::from_xml_path("models/cartpole.xml").unwrap();
    let mut batch = worlds(&m, 2, backend);
    let (zero, down) = ([0.0; 3], [0.0, 0.0, -1.0]);
    let plain = Among::default();
    let mut qpos = vec![0.0; m.nq];
    let two = Among::default().bodyexclude(vec![0, 0, 0]);
    let nobody = Among::default().bodyexclude(vec![-2]);
    let refused = [
        (batch.jac(&[0.0; 4], &[1]).err(), "points: 3 values"),
        (batch.jac(&zero, &[]).err(), "body: 1 values"),
        (batch.jac(&zero, &[99]).err(), "body 99: the model has"),
        (batch.jac_body(99).err(), "body 99"),
        (batch.jac_body_com(99).err(), "body 99"),
        (batch.jac_subtree_com(99).err(), "body 99"),
        (batch.jac_site(99).err(), "site 99"),
        (batch.jac_geom(99).err(), "geom 99"),
        (batch.mul_m(&[0.0; 99]).err(), "vec: "),
        (batch.solve_m(&[0.0; 99]).err(), "vec: "),
        (batch.apply_ft(&zero, &zero, &[0.0; 5], 1).err(), "point: 3"),
        (batch.apply_ft(&zero, &zero, &zero, 99).err(), "body 99"),
        (
            batch.object_velocity(ObjType::Camera, 99, false).err(),
            "camera 99",
        ),
        (
            batch.object_velocity(ObjType::Tendon, 0, false).err(),
            "Tendon: an object",
        ),
        (
            batch.object_acceleration(ObjType::Body, 1, false).err(),
            "ENBL_RNEPOST",
        ),
        (batch.geom_distance(0, 99, 1.0).err(), "geom 99"),
        (batch.geom_distance(0, 1, f64::NAN).err(), "distmax"),
        (
            batch.ray(1, &[0.0; 2], &down, &plain).err(),
            "pnt: 3 values",
        ),
        (
            batch.ray(1, &zero, &[0.0; 2], &plain).err(),
            "vec: 3 values",
        ),
        (
            batch.ray(1, &zero, &zero, &plain).err(),
            "row 0 has no length",
        ),
        (
            batch.ray(1, &zero, &[f64::NAN; 3], &plain).err(),
            "no length",
        ),
        (
            batch.ray(1, &zero, &down, &two).err(),
            "bodyexclude: 1 body",
        ),
        (batch.ray(1, &zero, &down, &nobody).err(), "body -2"),
        (
            batch.multi_ray(1, &[0.0; 2], &down, &plain, 1.0).err(),
            "pnt: 3",
        ),
        (
            batch.multi_ray(1, &zero, &down, &plain, f64::NAN).err(),
            "cutoff",
        ),
        (
            batch.integrate_pos(&mut qpos, &[0.0; 99], 1.0).err(),
            "qpos: ",
        ),
        (batch.differentiate_pos(0.0, &qpos, &qpos).err(), "dt: "),
        (
            batch.differentiate_pos(1.0, &qpos, &[0.0; 99]).err(),
            "qpos2: ",
        ),
    ];
    for (k, (e, words)) in refused.into_iter().enumerate() {
        match e {
            Some(Error::Input(text)) if text.contains(words) => {}
            other => panic!("call {k} ({words}): {other:?}"),
        }
    }
}

on_every_backend!(
    what_follows_from_the_state_is_mujocos,
    what_the_last_call_left_is_mujocos,
    positions_and_the_way_between_them,
    looking_changes_nothing,
    a_look_is_at_the_state_or_the_last_call,
    bad_calls_say_what_is_wrong,
);
