//! Worlds that are heaps, beside worlds that are not, on every backend.

use crate::common::backends::{on_every_backend, worlds};
use manyworlds::batch::Backend;
use manyworlds::{Batch, Model};

on_every_backend!(a_heap_is_solved_as_by_the_reference);

const BALLS: usize = 12;
const RADIUS: f64 = 0.1;

fn balls(option: &str) -> Model {
    let ball = format!(r#"<body><freejoint/><geom size="{RADIUS}"/></body>"#).repeat(BALLS);
    let xml = format!(
        r#"<mujoco>{option}<worldbody><geom type="plane" size="5 5 1"/>{ball}</worldbody></mujoco>"#
    );
    Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{e}"))
}

// a winding row of balls on the floor, so far from each other
fn row(apart: f64) -> Vec<f64> {
    let ball = |k: usize| {
        let x = k as f64 * apart;
        [x, 0.03 * (7.0 * x).sin(), 0.099, 1.0, 0.0, 0.0, 0.0]
    };
    (0..BALLS).flat_map(ball).collect()
}

// the numbers of each world after a call of the forward pipeline
fn forward(batch: &mut Batch, rows: &[f64]) -> Vec<Vec<f64>> {
    let qpos: Vec<f64> = rows.iter().flat_map(|&apart| row(apart)).collect();
    batch.set("qpos", &qpos).unwrap();
    batch.forward().unwrap();
    let nefc = batch.ints("nefc").unwrap().to_vec();
    let mut all = vec![Vec::new(); rows.len()];
    for name in ["qacc", "qfrc_constraint", "efc_force"] {
        let reals = batch.reals(name).unwrap();
        let worlds = reals.chunks(reals.len() / rows.len());
        for ((all, world), &nefc) in all.iter_mut().zip(worlds).zip(&nefc) {
            // behind the last row are values of earlier calls
            let used = if name == "efc_force" {
                nefc as usize
            } else {
                world.len()
            };
            all.extend_from_slice(&world[..used]);
        }
    }
    all
}

fn a_heap_is_solved_as_by_the_reference(backend: Backend) {
    // in two of the worlds the balls touch each other
    let rows = [0.19, 0.21, 0.195, 0.3];
    for option in [
        r#"<option solver="Newton"/>"#,
        r#"<option solver="CG" cone="elliptic" iterations="300" tolerance="1e-10"/>"#,
    ] {
        let m = balls(option);
        let mut beside = worlds(&m, rows.len(), backend);
        let mut alone = worlds(&m, 1, backend);
        let mut reference = worlds(&m, rows.len(), Backend::Cpu);
        let have = forward(&mut beside, &rows);
        let want = forward(&mut reference, &rows);
        for batch in [&mut beside, &mut reference] {
            assert_eq!(batch.ints("nisland").unwrap(), [1, 12, 1, 12], "{option}");
        }
        for (k, &apart) in rows.iter().enumerate() {
            let place = format!("{backend:?} {option} {apart}");
            let largest = want[k].iter().fold(0f64, |most, x| most.max(x.abs()));
            assert!(largest > 1.0, "{place}");
            for (have, want) in have[k].iter().zip(&want[k]) {
                let off = (have - want).abs() / largest;
                assert!(off < 1e-4, "{place}: {have}, {want}");
            }
            // its neighbours change no bit
            assert_eq!(have[k..=k], forward(&mut alone, &[apart]), "{place}");
        }
    }
}
