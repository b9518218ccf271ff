//! Contacts of pairs of geoms against MuJoCo 4.0.0, in random and in aligned poses (`tests/golden/make_collision.py`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::common::Golden;
use manyworlds::model::Arrays;
use manyworlds::types::{DSBL_MULTICCD, DSBL_NATIVECCD, GeomType};
use manyworlds::{Data, Model, cpu, stages};

/// Largest error of a distance, a position (m) or a frame.
const TOL: f64 = 1e-9;

#[test]
fn contacts_of_a_pair_are_those_of_mujoco() {
    let golden = Golden::open("tests/golden/collision.npz");
    let num = golden.get("margin").unwrap().len();
    let mut worst = BTreeMap::new();
    let mut wrong = Vec::new();
    for k in 0..num {
        let types = [0, 1].map(|i| GeomType::from_i32(golden.state("type", k)[i] as i32).unwrap());
        let d = collide(&golden, k, 0);
        let want = golden.state("ncon", k)[0] as usize;
        let error = match d.ncon[0] as usize == want {
            true => error(&d, golden.state("con", k), want),
            false => f64::INFINITY,
        };
        let entry = worst.entry(types).or_insert(0.0);
        *entry = f64::max(*entry, error);
        if error > TOL {
            wrong.push((k, types, d.ncon[0], want, error));
        }
    }
    println!("{worst:#?}");
    assert!(
        wrong.is_empty(),
        "{} of {num}: {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
}

fn error(d: &Data, want: &[f64], num: usize) -> f64 {
    let errors = (0..num).map(|c| contact_error(d, c, &want[13 * c..]));
    errors.fold(0.0, f64::max)
}

fn contact_error(d: &Data, c: usize, want: &[f64]) -> f64 {
    let have = [d.contact_dist[c]].into_iter();
    let have = have.chain(d.contact_pos[c]).chain(d.contact_frame[c]);
    have.zip(want)
        .map(|(have, want)| (have - want).abs())
        .fold(0.0, f64::max)
}

// a search ends within its tolerance, and on parallel faces all points are equally near: only the same operations in the same order give
// the same contact. Random and aligned poses, curved pairs to a tighter tolerance, and places of a lattice, where many ways out of each
// other are equally short
#[test]
fn contacts_of_convex_pairs_are_those_of_mujoco() {
    for (name, tolerance) in [("convex", 1e-6), ("tight", 1e-7), ("lattice", 1e-6)] {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let all = golden.get("margin").unwrap().len();
        let mut wrong = Vec::new();
        for k in 0..all {
            let d = collide_to(&golden, k, DSBL_MULTICCD, tolerance);
            let (num, want) = (golden.state("ncon", k)[0] as usize, golden.state("con", k));
            let error = match d.ncon[0] as usize == num {
                true => error(&d, want, num),
                false => f64::INFINITY,
            };
            if error > 1e-14 {
                wrong.push((k, error));
            }
        }
        assert!(
            wrong.is_empty(),
            "{name}, {} of {all}: {wrong:?}",
            wrong.len()
        );
    }
}

// a clipped edge has each of its two ends twice, and rounding decides which pair is the longest: in two rows two contacts are the other
// way round
#[test]
fn faces_meet_in_several_contacts_as_in_mujoco() {
    let golden = Golden::open("tests/golden/faces.npz");
    let num = golden.get("margin").unwrap().len();
    let (mut exact, mut several, mut ordered) = (0, 0, 0);
    for k in 0..num {
        let d = collide(&golden, k, 0);
        let (num, want) = (golden.state("ncon", k)[0] as usize, golden.state("con", k));
        assert_eq!(d.ncon[0] as usize, num, "row {k}");
        several += usize::from(num > 1);
        ordered += usize::from(error(&d, want, num) < 1e-12);
        let mut worst = 0.0f64;
        for want in want.chunks_exact(13).take(num) {
            let errors = (0..num).map(|c| contact_error(&d, c, want));
            worst = worst.max(errors.fold(f64::INFINITY, f64::min));
            let normal = crate::common::error(&d.contact_frame[0][..3], &want[4..7]);
            assert!(normal < 2e-6, "row {k}: {normal}");
        }
        exact += usize::from(worst < TOL);
        assert!(worst < 2e-6, "row {k}: {worst}");
    }
    println!(
        "{exact} of {num} to {TOL}, {ordered} in their order, {several} with several contacts"
    );
    assert!(several > num / 2, "{several} of {num}");
    assert!(
        exact == num && ordered + 2 >= num,
        "{exact} and {ordered} of {num}"
    );
}

// the quadrilaterals of a regular polygon have equal areas in many ways, and the last bits of its corners choose one
#[test]
fn ends_of_cylinders_meet_in_mujocos_corners() {
    let golden = Golden::open("tests/golden/caps.npz");
    let rows = golden.get("margin").unwrap().len();
    let mut pruned = 0;
    for k in 0..rows {
        let d = collide(&golden, k, 0);
        let (num, want) = (golden.state("ncon", k)[0] as usize, golden.state("con", k));
        assert_eq!(d.ncon[0] as usize, num, "row {k}");
        for (c, want) in want.chunks_exact(13).take(num).enumerate() {
            let e = contact_error(&d, c, want);
            assert!(e < TOL, "row {k}, contact {c}: {e}");
        }
        pruned += usize::from(num == 4);
    }
    assert!(pruned > 60, "{pruned} of {rows}");
}

// a portal search ends within its tolerance, and at another corner if the last bits differ: with coincident faces or
// centers other corners are found, which the counts allow
#[test]
fn the_older_collider_finds_what_mujocos_finds() {
    for name in ["older", "older_hfield", "sunk"] {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let num = golden.get("margin").unwrap().len();
        let (mut all, mut near, mut exact, mut other) = (0, 0, 0, 0);
        for k in 0..num {
            let d = collide(&golden, k, DSBL_NATIVECCD);
            let (num, want) = (golden.state("ncon", k)[0] as usize, golden.state("con", k));
            if d.ncon[0] as usize != num {
                println!("{name} row {k}: {} contacts, not {num}", d.ncon[0]);
                other += 1;
                continue;
            }
            for (c, want) in want.chunks_exact(13).take(num).enumerate() {
                let e = contact_error(&d, c, want);
                let dist = (d.contact_dist[c] - want[0]).abs();
                assert!(dist < 2e-4, "{name} row {k}: {dist}");
                if e > 2e-6 {
                    println!("{name} row {k}, contact {c} of {num}: {dist:.1e} {e:.1e}");
                }
                all += 1;
                near += usize::from(e < 2e-6);
                exact += usize::from(e < TOL);
            }
        }
        println!("{name}: of {all} {near} near, {exact} to {TOL}; {other} of {num} other");
        assert!(other * 100 <= num, "{name}: {other} of {num}");
        assert!(near * 100 >= all * 97, "{name}: {near} of {all}");
        assert!(exact * 100 >= all * 95, "{name}: {exact} of {all}");
    }
}

// prisms of a height field and solids, with their contacts in MuJoCo's order
#[test]
fn height_fields_meet_convex_solids_as_in_mujoco() {
    let golden = Golden::open("tests/golden/hfield.npz");
    let (mut all, mut worst) = (0, 0.0);
    for k in 0..golden.get("margin").unwrap().len() {
        let d = collide(&golden, k, 0);
        let (num, want) = (golden.state("ncon", k)[0] as usize, golden.state("con", k));
        assert_eq!(d.ncon[0] as usize, num, "row {k}");
        let error = error(&d, want, num);
        assert!(error < 1e-14, "row {k}: {error}");
        worst = f64::max(worst, error);
        all += num;
    }
    println!("{all} contacts to {worst}");
    assert!(all > 500, "{all}");
}

// meshes with few and many vertices, and a height field, as MuJoCo compiled them
fn solids() -> Model {
    Golden::open("tests/golden/solids.npz").model()
}

// a world with two geoms in the pose of a golden's row
fn collide(golden: &Golden, k: usize, disableflags: i32) -> Data {
    collide_to(golden, k, disableflags, 1e-6)
}

fn collide_to(golden: &Golden, k: usize, disableflags: i32, tolerance: f64) -> Data {
    static SOLIDS: LazyLock<Model> = LazyLock::new(solids);
    let mut m = SOLIDS.clone().into_arrays();
    (m.ncollision, m.nconmax) = (1, 50);
    m.opt.disableflags |= disableflags;
    m.opt.ccd_tolerance = tolerance;
    for i in 0..2 {
        m.geom_type[i] = golden.state("type", k)[i] as i32;
        m.geom_dataid[i] = golden.state("mesh", k)[i] as i32;
        m.geom_rbound[i] = golden.state("rbound", k)[i];
    }
    m.geom_size[..2].copy_from_slice(&rows(golden.state("size", k)));
    for i in 0..2 {
        let bounds = bounds(&m, i);
        m.geom_aabb[6 * i..6 * i + 6].copy_from_slice(&bounds);
    }
    one_pair(&mut m, golden.state("margin", k)[0]);
    let m = Model::from_arrays(m).unwrap_or_else(|e| panic!("{e}"));
    let mut d = Data::new(&m);
    d.geom_xpos[..2].copy_from_slice(&rows(golden.state("pos", k)));
    d.geom_xmat[..2].copy_from_slice(&rows(golden.state("mat", k)));
    (stages::collision.twin)(&m, &mut d);
    d
}

// center and half sizes of a geom's bounding box in its frame
fn bounds(m: &Arrays, geom: usize) -> [f64; 6] {
    let [x, y, z] = m.geom_size[geom];
    match GeomType::from_i32(m.geom_type[geom]).unwrap() {
        GeomType::Sphere => [0.0, 0.0, 0.0, x, x, x],
        GeomType::Capsule => [0.0, 0.0, 0.0, x, x, x + y],
        GeomType::Cylinder => [0.0, 0.0, 0.0, x, x, y],
        GeomType::Mesh => {
            let mesh = m.geom_dataid[geom] as usize;
            let (adr, num) = (m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]);
            let own = &m.mesh_vert[adr as usize..(adr + num) as usize];
            let most =
                |f: fn(f64, f64) -> f64, i: usize| own.iter().map(|v| v[i]).reduce(f).unwrap();
            let (low, high) = (
                [0, 1, 2].map(|i| most(f64::min, i)),
                [0, 1, 2].map(|i| most(f64::max, i)),
            );
            std::array::from_fn(|k| match k {
                0..3 => 0.5 * (high[k] + low[k]),
                _ => 0.5 * (high[k - 3] - low[k - 3]),
            })
        }
        _ => [0.0, 0.0, 0.0, x, y, z],
    }
}

// reduces the list of pairs to the first two geoms
fn one_pair(m: &mut Arrays, detect: f64) {
    (m.collision_geom1, m.collision_geom2) = (vec![0], vec![1]);
    (m.collision_pairid, m.collision_condim) = (vec![-1], vec![3]);
    (m.collision_detect, m.collision_margin) = (vec![detect], vec![detect]);
    m.collision_friction = vec![1.0; 5];
    (m.collision_solref, m.collision_solreffriction) = (vec![0.02, 1.0], vec![0.0; 2]);
    m.collision_solimp = vec![0.9, 0.95, 0.001, 0.5, 2.0];
    m.collision_adhesion = vec![0.0];
    m.collision_Jpat = vec![0];
    m.nJpat = 1;
    (m.Jpat_adr, m.Jpat_num) = (vec![0], vec![0]);
}

fn rows<const N: usize>(x: &[f64]) -> Vec<[f64; N]> {
    x.chunks_exact(N)
        .map(|row| row.try_into().unwrap())
        .collect()
}

const MODELS: &[&str] = &[
    "boxes",
    "cones",
    "hand",
    "humanoid",
    "meshes",
    "pairs",
    "primitives",
    "quadruped",
];

#[test]
fn contacts_of_a_model_are_those_of_mujoco_in_their_order() {
    let mut met = 0;
    for name in MODELS {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        m.edit(|m| m.nconmax = 200).unwrap();
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            cpu::kinematics::kinematics(&m, &mut d);
            cpu::collision::collision(&m, &mut d);
            met += d.ncon[0];
            let have = listed(&m, &d);
            let want = wanted(&golden, k);
            let geoms = |rows: &[Row]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
            assert_eq!(geoms(&have), geoms(&want), "{name} state {k}");
            for (have, want) in have.iter().zip(&want) {
                let error = crate::common::error(&have.1, &want.1);
                assert!(error < TOL, "{name} state {k}: {have:?} {want:?}");
            }
        }
    }
    assert!(met > 300, "{met} contacts met");
}

/// Geoms and dimension of a contact; distance, position, frame and parameters.
type Row = ([i32; 3], Vec<f64>);

fn listed(m: &Model, d: &Data) -> Vec<Row> {
    let row = |c: usize| {
        let k = d.contact_collision[c] as usize;
        let mut numbers = vec![d.contact_dist[c]];
        numbers.extend(d.contact_pos[c]);
        numbers.extend(d.contact_frame[c]);
        numbers.push(m.collision_margin[k]);
        numbers.extend(&m.collision_friction[5 * k..5 * k + 5]);
        numbers.extend(&m.collision_solref[2 * k..2 * k + 2]);
        numbers.extend(&m.collision_solreffriction[2 * k..2 * k + 2]);
        numbers.extend(&m.collision_solimp[5 * k..5 * k + 5]);
        let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
        ([geoms[0], geoms[1], m.collision_condim[k]], numbers)
    };
    (0..d.ncon[0] as usize).map(row).collect()
}

fn wanted(golden: &Golden, k: usize) -> Vec<Row> {
    let part = |name: &str, width: usize, c: usize| {
        let all = golden.state(&format!("out/contact_{name}"), k);
        all[width * c..][..width].to_vec()
    };
    let frames = golden.state("out/contact_frame", k).chunks_exact(9);
    let num = frames.take_while(|x| x.iter().any(|&x| x != 0.0)).count();
    let row = |c: usize| {
        let numbers = [
            part("dist", 1, c),
            part("pos", 3, c),
            part("frame", 9, c),
            part("includemargin", 1, c),
            part("friction", 5, c),
            part("solref", 2, c),
            part("solreffriction", 2, c),
            part("solimp", 5, c),
        ];
        let geoms = part("geom", 2, c);
        let dim = part("dim", 1, c)[0];
        (
            [geoms[0] as i32, geoms[1] as i32, dim as i32],
            numbers.concat(),
        )
    };
    (0..num).map(row).collect()
}
