//! Parity of `collision`.

use manyworlds::gpu::ties::Ties;
use manyworlds::gpu::verify::{compare, round_data, round_model, up_to};
use manyworlds::types::{DSBL_MULTICCD, DSBL_NATIVECCD};
use manyworlds::{Data, Model, stages};

use super::body::{Random, TEAMS, device, differences, worlds};
use super::fields::{for_pairs, posed};
use crate::common::Golden;

#[test]
fn shader_and_twin_agree() {
    super::body::parity("collision", 1e-4, &["needed", "overflow"]);
}

// a wheel whose faces have 100 unevenly spaced corners lies on a box and on a plane: four of the corners become contacts
#[test]
fn of_large_faces_all_corners_are_looked_at() {
    let rim = |k: usize| {
        let angle = std::f64::consts::TAU * (k as f64 + 0.4 * (7.0 * k as f64).sin()) / 100.0;
        format!("{} {}", 0.3 * angle.cos(), 0.2 * angle.sin())
    };
    let wheel: String = (0..100)
        .map(|k| format!("{0} -0.05 {0} 0.05 ", rim(k)))
        .collect();
    let xml = format!(
        "<mujoco><asset><mesh name='wheel' vertex='{wheel}'/></asset><worldbody>
           <geom type='plane' size='1 1 1' pos='2 0 0'/><geom type='box' size='.25 .5 .5' pos='0 0 -.5'/>
           <body pos='0 0 .05'><freejoint/><geom type='mesh' mesh='wheel'/></body>
           <body pos='2 0 .05'><freejoint/><geom type='mesh' mesh='wheel'/></body>
         </worldbody></mujoco>"
    );
    let mut m = Model::from_xml_str(&xml).unwrap();
    round_model(&mut m);
    let mut random = Random::new(3);
    let mut worlds: Vec<Data> = (0..8)
        .map(|_| {
            let mut d = Data::new(&m);
            for body in 0..2 {
                let place = &mut d.qpos[7 * body..7 * body + 7];
                place[2] -= 1e-3;
                place[4] = 2e-3 * random.uniform();
                place[5] = 2e-3 * random.uniform();
                place[6] = random.uniform();
            }
            round_data(&mut d);
            d
        })
        .collect();
    let stage = stages::stage("collision").unwrap();
    up_to(&m, stage, 0, &mut worlds);
    for team in &TEAMS {
        let report = compare(device(), &m, stage, &worlds, &team.config()).unwrap();
        assert!(
            report.ties.met > 0 && report.ties.ties * 3 <= report.ties.met,
            "{:?}",
            report.ties
        );
        for (field, worst) in report.worst {
            assert!(worst.error < 1e-4, "{team:?}: {field}: {worst:?}");
        }
    }
}

// the older convex collider, with and without its further searches
#[test]
fn the_older_collider_of_shader_and_twin_agree() {
    for (flags, models) in [
        (DSBL_NATIVECCD, ["meshes", "stones"]),
        (DSBL_NATIVECCD | DSBL_MULTICCD, ["pairs", "terrain"]),
    ] {
        super::body::parity_without("collision", &models, flags, 1e-4);
    }
}

// fast bodies of every shape above shapes of every kind: contacts within the timestep, then their rows
#[test]
fn impacts_of_shader_and_twin_agree() {
    let mut m = Model::from_xml_path("tests/golden/impacts.xml").unwrap();
    round_model(&mut m);
    let mut random = Random::new(11);
    let mut falling = |spin: f64| {
        let mut d = Data::new(&m);
        for (b, v) in d.qvel.chunks_exact_mut(6).enumerate() {
            v[2] = -20.0 + 15.0 * random.uniform();
            let spin = if b < 6 { spin } else { 3.0 };
            v[3..].iter_mut().for_each(|x| *x = spin * random.uniform());
        }
        d.qpos
            .iter_mut()
            .for_each(|x| *x += 0.02 * random.uniform());
        round_data(&mut d);
        d
    };
    // bodies that spin fast are advanced in many steps
    let spins = [3.0, 3.0, 3.0, 3.0, 3.0, 150.0];
    let states: Vec<Data> = spins.into_iter().map(&mut falling).collect();
    let mut faults = Vec::new();
    for (name, tolerance) in [("collision", 1e-4), ("make_constraint", 1e-3)] {
        let stage = stages::stage(name).unwrap();
        let mut before = states.clone();
        up_to(&m, stage, 0, &mut before);
        let teams = &TEAMS[1..];
        let ties = differences(name, &m, stage, &before, teams, tolerance, &mut faults);
        println!("{name}: {ties:?}");
        assert!(ties.ties * 3 <= ties.met, "{name}: {ties:?}");
    }
    let mut soon = 0;
    for mut d in states {
        up_to(
            &m,
            stages::stage("make_constraint").unwrap(),
            0,
            std::slice::from_mut(&mut d),
        );
        soon += d.contact_efc_address[..d.ncon[0] as usize]
            .iter()
            .filter(|x| **x == -2)
            .count();
    }
    assert!(soon > 100, "{soon} contacts within the timestep");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// flexes against all shapes, each other and themselves: the contacts, then their rows
#[test]
fn contacts_of_flexes_of_shader_and_twin_agree() {
    let mut faults = Vec::new();
    let newer = [
        "lines", "sheet", "block", "soft", "rigid", "nodes", "tin", "hose", "rope", "lath", "fold",
    ];
    let older = ["old_lines", "old_sheet", "old_block"];
    for name in newer.into_iter().chain(older) {
        let path = format!("tests/golden/soft_{name}");
        let golden = Golden::open(&format!("{path}.npz"));
        let mut m = Model::from_xml_path(format!("{path}.xml")).unwrap();
        round_model(&mut m);
        for (stage, tolerance) in [("collision", 1e-4), ("make_constraint", 1e-3)] {
            // rows of elements of lines and triangles, of cells between nodes, and of rods whose edges turn
            let has_rows = ["sheet", "soft", "nodes", "rope", "lath"].contains(&name);
            if stage == "make_constraint" && !has_rows {
                continue;
            }
            let stage = stages::stage(stage).unwrap();
            let mut before = worlds(&golden, &m, 6);
            if m.nrod > 0 {
                turn_rods(&m, &mut before);
            }
            up_to(&m, stage, 0, &mut before);
            // one model shows where barriers are missing
            let teams = if name == "sheet" {
                &TEAMS[1..]
            } else {
                &TEAMS[2..]
            };
            let mut told = Vec::new();
            // the older collider takes the normal of a triangle that may be thin
            let tolerance = tolerance * if older.contains(&name) { 3.0 } else { 1.0 };
            let ties = differences(name, &m, stage, &before, teams, tolerance, &mut told);
            println!("{name} {}: {ties:?}", stage.name);
            assert!(ties.ties * 3 <= ties.met, "{name}: {ties:?}");
            // the kernel counts contacts before some give way to others
            faults.extend(told.into_iter().filter(|told| !told.contains(" needed: ")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// a cloth of more elements than two runs, a corner of which is folded over
#[test]
fn contacts_of_many_elements_of_shader_and_twin_agree() {
    let text = r#"<mujoco><worldbody><flexcomp name="napkin" type="grid" dim="2" count="8 8 1" spacing=".02 .02 .02" mass="1" radius=".004">
        <contact selfcollide="auto"/></flexcomp></worldbody></mujoco>"#;
    let mut m = Model::from_xml_str(text).unwrap();
    round_model(&mut m);
    assert!(m.nblockrun > 2, "{}", m.nblockrun);
    let mut random = Random::new(5);
    let mut folded = || {
        let mut d = Data::new(&m);
        for (v, q) in d.qpos.chunks_exact_mut(3).enumerate() {
            // how far the vertex is beyond the fold
            let beyond = 0.02 * (5 - (v / 8 + v % 8) as i32).max(0) as f64;
            let up = if beyond > 0.0 { 0.006 } else { 0.0 };
            for (q, moved) in q.iter_mut().zip([beyond, beyond, up]) {
                *q = moved + 1e-3 * random.uniform();
            }
        }
        round_data(&mut d);
        d
    };
    let mut before: Vec<Data> = (0..4).map(|_| folded()).collect();
    let mut faults = Vec::new();
    for stage in ["collision", "make_constraint"] {
        let stage = stages::stage(stage).unwrap();
        up_to(&m, stage, 0, &mut before);
        let teams = &TEAMS[1..];
        differences("napkin", &m, stage, &before, teams, 1e-3, &mut faults);
    }
    // `before` is as the contacts left it
    let contacts: i32 = before.iter().map(|d| d.ncon[0]).sum();
    assert!(contacts > 40, "{contacts} contacts");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// rods keep the frames of another world, so that their edges have turned far from there
fn turn_rods(m: &Model, worlds: &mut [Data]) {
    let mut others = worlds.to_vec();
    others.rotate_left(1);
    for (d, other) in worlds.iter_mut().zip(&mut others) {
        manyworlds::cpu::step(m, other);
        d.plastic.clone_from(&other.plastic);
        round_data(d);
    }
}

// signed distance fields of plugins and meshes with every shape, meshes and each other, in the poses of tests/golden/make_sdf.py
#[test]
fn contacts_of_signed_distance_fields_of_shader_and_twin_agree() {
    let chosen = [
        "plane and nut",
        "sphere and bowl",
        "capsule and torus",
        "ellipsoid and gear",
        "cylinder and bolt",
        "nut and bolt",
        "cylinder and mesh",
        "torus and mesh",
        "star and torus",
        "hull and nut",
        "hull and mesh",
    ];
    let scale = std::env::var("TOL_SCALE").map_or(1.0, |x| x.parse().unwrap());
    let stage = stages::stage("collision").unwrap();
    let (mut faults, mut all) = (Vec::new(), Ties::default());
    for_pairs(&chosen, &mut |pair| {
        let (m, before) = posed(pair.xml, pair.poses(), stage);
        let (name, teams) = (pair.name, &TEAMS[2..]);
        let ties = differences(name, &m, stage, &before, teams, 1e-4 * scale, &mut faults);
        println!("{name}: {ties:?}");
        all.met += ties.met;
        all.ties += ties.ties;
    });
    assert!(all.met >= 60 && all.ties * 8 <= all.met, "{all:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// triangles of flexes on signed distance fields, some of them with corners in common, in a cloth more than the 50 that count
#[test]
fn contacts_of_triangles_and_signed_distance_fields_of_shader_and_twin_agree() {
    let golden = Golden::open("tests/golden/soft_field.npz");
    let scraps = Model::from_xml_path("tests/golden/soft_field.xml").unwrap();
    let cloth = Model::from_xml_str(
        r#"<mujoco><size nconmax="200" njmax="400"/><option sdf_initpoints="6" sdf_iterations="8"/><extension><plugin plugin="mujoco.sdf.torus"/></extension>
        <asset><mesh name="t"><plugin plugin="mujoco.sdf.torus"/></mesh></asset><worldbody>
        <geom type="sdf" mesh="t"><plugin plugin="mujoco.sdf.torus"/></geom><body name="b" pos=".1 .05 .1">
        <flexcomp name="c" type="grid" dim="2" count="11 10 1" spacing=".06 .065 .1" radius=".01" mass="1" euler="4 7 3">
        <edge equality="true"/><contact selfcollide="none"/></flexcomp></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let mut faults = Vec::new();
    for (name, mut m) in [("scraps", scraps), ("cloth", cloth)] {
        round_model(&mut m);
        let mut random = Random::new(5);
        let mut lies = || {
            let mut d = Data::new(&m);
            d.qpos
                .iter_mut()
                .for_each(|x| *x += 0.02 * random.uniform());
            round_data(&mut d);
            d
        };
        let mut before = match name {
            "scraps" => worlds(&golden, &m, 6),
            _ => (0..6).map(|_| lies()).collect(),
        };
        let stage = stages::stage("collision").unwrap();
        up_to(&m, stage, 0, &mut before);
        let mut told = Vec::new();
        let ties = differences(name, &m, stage, &before, &TEAMS[2..], 1e-4, &mut told);
        println!("{name}: {ties:?}");
        assert!(
            ties.met >= 15 && ties.ties * 8 <= ties.met,
            "{name}: {ties:?}"
        );
        // the kernel counts contacts before some give way to others
        faults.extend(told.into_iter().filter(|told| !told.contains(" needed: ")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
