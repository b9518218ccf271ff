//! Sensors against MuJoCo 4.0.0: what all of a model's sensors say of a state, the solver's forces included.

mod common;

use common::{Golden, error};
use manyworlds::cpu;
use manyworlds::types::{DSBL_SENSOR, Integrator, NeedStage, SensorType};

const MODELS: &[&str] = &[
    "sensors",
    "touch",
    "touch_elliptic",
    "rays",
    "distances",
    "sticky",
    "sticky_elliptic",
];

/// How well sensors of a stage agree: forces are as good as the solver.
const TOLERANCE: [(NeedStage, f64); 3] = [
    (NeedStage::Pos, 1e-10),
    (NeedStage::Vel, 1e-10),
    (NeedStage::Acc, 1e-7),
];

#[test]
fn every_sensor_agrees() {
    let mut wrong = Vec::new();
    for name in MODELS {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        Golden::tighten(&mut m);
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            cpu::forward(&m, &mut d);
            let want = golden.state("out/sensordata", k);
            for i in 0..m.nsensor {
                let adr = m.sensor_adr[i] as usize;
                let at = adr..adr + m.sensor_dim[i] as usize;
                let e = error(&d.sensordata[at.clone()], &want[at.clone()]);
                let stage = |(stage, _): &&(NeedStage, f64)| m.sensor_needstage[i] == *stage;
                let (_, tolerance) = TOLERANCE.iter().find(stage).unwrap();
                if e > *tolerance {
                    let kind = SensorType::from_i32(m.sensor_type[i]).unwrap();
                    let (have, want) = (&d.sensordata[at.clone()], &want[at]);
                    wrong.push(format!(
                        "{name} state {k} sensor {i} {kind:?}: {e:.1e}: {have:?} {want:?}"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn sensors_that_are_off_say_nothing() {
    let golden = Golden::open("tests/golden/sensors.npz");
    let mut m = golden.model();
    m.edit(|m| m.opt.disableflags |= DSBL_SENSOR).unwrap();
    let mut d = golden.world(&m, 3);
    cpu::forward(&m, &mut d);
    assert!(d.sensordata.iter().all(|x| *x == 0.0));
    m.edit(|m| m.opt.disableflags &= !DSBL_SENSOR).unwrap();
    cpu::forward(&m, &mut d);
    assert!(d.sensordata.iter().any(|x| *x != 0.0));
}

// the later stages of a step of fourth order are seen by no sensor
#[test]
fn a_step_senses_where_it_begins() {
    let golden = Golden::open("tests/golden/sensors.npz");
    for integrator in [Integrator::Euler, Integrator::Rk4, Integrator::ImplicitFast] {
        let mut m = golden.model();
        m.edit(|m| m.opt.integrator = integrator as i32).unwrap();
        let (mut still, mut moved) = (golden.world(&m, 3), golden.world(&m, 3));
        cpu::forward(&m, &mut still);
        cpu::step(&m, &mut moved);
        assert_eq!(still.sensordata, moved.sensordata, "{integrator:?}");
        assert_ne!(still.qpos, moved.qpos);
    }
}
