//! Parity of `rk4`.

use manyworlds::gpu::verify::{compare, round_model, up_to};
use manyworlds::{Model, stages};

use super::body::{TEAMS, device, worlds};
use crate::common::Golden;

#[test]
fn shader_and_twin_agree() {
    // arrays that the stage changes; and arrays that only the first evaluation computes
    let inout = [
        "qpos",
        "qvel",
        "act",
        "time",
        "plastic",
        "qacc",
        "qacc_warmstart",
        "rk_qpos",
        "rk_qvel",
        "rk_act",
        "ten_length",
        "ten_J",
        "rk_ten_length",
        "rk_ten_J",
        "rk_time",
        "rk_stage",
        "rk_vel",
        "rk_dqpos",
        "rk_dqvel",
        "rk_dact",
    ];
    for evaluation in 0..4 {
        super::body::parity_at(evaluation, "rk4", 1e-4, &inout, &[]);
    }
}

// the fourth call goes back to the start of the step, and in the fifth flexes yield by their places there
#[test]
fn flexes_yield_alike() {
    let golden = Golden::open("tests/golden/soft_putty.npz");
    let mut m = Model::from_xml_path("tests/golden/soft_putty.xml").unwrap();
    round_model(&mut m);
    let stage = stages::stage("rk4").unwrap();
    for call in [3, 4] {
        let mut before = worlds(&golden, &m, 4);
        up_to(&m, stage, call, &mut before);
        for team in &TEAMS[2..] {
            let report = compare(device(), &m, stage, &before, &team.config()).unwrap();
            let plastic = &report.worst["plastic"];
            println!("call {call}: {plastic:?}");
            for (field, worst) in report.worst {
                assert!(worst.error < 1e-4, "{team:?}: {call} {field}: {worst:?}");
            }
        }
    }
}
