//! Contacts of pairs of geoms against MuJoCo 4.0.0, in random and in aligned poses (`tests/golden/make_collision.py`).

mod common;

use std::collections::BTreeMap;

use common::Golden;
use manyworlds::stages;
use manyworlds::types::GeomType;
use manyworlds::{Data, Model};

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
        let d = collide(&golden, k);
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
    let mut error = 0.0f64;
    for c in 0..num {
        let have = [d.contact_dist[c]].into_iter();
        let have = have.chain(d.contact_pos[c]).chain(d.contact_frame[c]);
        for (have, want) in have.zip(&want[13 * c..]) {
            error = error.max((have - want).abs());
        }
    }
    error
}

// a world of two geoms in the pose of a row
fn collide(golden: &Golden, k: usize) -> Data {
    let mut m = Model {
        ngeom: 2,
        ncollision: 1,
        nconmax: 50,
        ..Model::default()
    };
    m.allocate();
    m.geom_type = golden.state("type", k).iter().map(|&t| t as i32).collect();
    m.geom_size = rows(golden.state("size", k));
    m.collision_geom2 = vec![1];
    m.collision_detect = golden.state("margin", k).to_vec();
    let mut d = Data::new(&m);
    d.geom_xpos = rows(golden.state("pos", k));
    d.geom_xmat = rows(golden.state("mat", k));
    (stages::collision.twin)(&m, &mut d);
    d
}

fn rows<const N: usize>(x: &[f64]) -> Vec<[f64; N]> {
    x.chunks_exact(N)
        .map(|row| row.try_into().unwrap())
        .collect()
}
