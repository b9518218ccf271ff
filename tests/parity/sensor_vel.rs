//! Parity of `sensor_vel`.

use manyworlds::gpu::verify::{round_data, round_model, up_to};
use manyworlds::{Data, Model, stages};

use super::body::{TEAMS, differences};
use crate::common::Golden;

#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_vel", 2e-5, &["sensordata"]);
}

// taxels in the shape of a plugin and in a mesh with an octree, in the states of tests/golden/make_sdf.py
#[test]
fn signed_distance_fields_are_felt_alike() {
    let golden = Golden::open("tests/golden/sdf.npz");
    let lines: Vec<&str> = include_str!("../golden/sdf_felt.txt").lines().collect();
    let stage = stages::stage("sensor_vel").unwrap();
    let mut faults = Vec::new();
    for (k, xml) in lines.iter().skip(1).step_by(2).enumerate() {
        let mut m = Model::from_xml_str(xml).unwrap();
        round_model(&mut m);
        let states = golden.get(&format!("felt/{k}")).unwrap().len() / m.nsensordata;
        let at = |i: usize| {
            let mut d = Data::new(&m);
            let of = |what: &str| golden.state(&format!("{what}/{k}"), i);
            d.qpos.copy_from_slice(of("felt_qpos"));
            d.qvel.copy_from_slice(of("felt_qvel"));
            round_data(&mut d);
            d
        };
        let mut before: Vec<Data> = (0..states).map(at).collect();
        up_to(&m, stage, 0, &mut before);
        differences(
            lines[2 * k],
            &m,
            stage,
            &before,
            &TEAMS[2..],
            2e-5,
            &mut faults,
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
