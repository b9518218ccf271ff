//! A world with a bad acceleration is reset and takes its first step at once (`mj_checkAcc`), on every backend: from there on it
//! equals a new world.

use manyworlds::batch::{Backend, Settings};
use manyworlds::types::Warning;
use manyworlds::{Batch, Model};

/// A model with all state that a reset must set: a falling pendulum, a spring, an activation, a mocap body, a ball on a plane.
fn model(integrator: &str) -> Model {
    let text = r#"<mujoco><option integrator="INTEGRATOR"/>
      <worldbody><geom type="plane" size="1 1 1"/>
        <body mocap="true" pos=".5 .5 1"><geom size=".02" contype="0" conaffinity="0"/></body>
        <body pos="0 0 1"><joint name="hinge" axis="0 1 0" damping=".3" stiffness="2" springref="30"/>
          <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body>
        <body pos="-.5 0 .049"><freejoint/><geom size=".05"/></body></worldbody>
      <actuator><general joint="hinge" dyntype="filter" dynprm=".1" gainprm="3" biasprm=".4" biastype="affine"/></actuator>
      <sensor><jointpos joint="hinge"/><jointvel joint="hinge"/></sensor></mujoco>"#;
    Model::from_xml_str(&text.replace("INTEGRATOR", integrator)).unwrap()
}

const STATE: [&str; 9] = [
    "time",
    "qpos",
    "qvel",
    "act",
    "qacc",
    "qacc_warmstart",
    "mocap_pos",
    "xpos",
    "sensordata",
];

/// Bad applied forces, on the hinge or on the ball.
const POISONS: [(usize, f64); 3] = [(0, 1e20), (0, f64::NAN), (1, f64::NAN)];

fn begins_anew(backend: Backend, integrator: &str, tolerance: f64) {
    for (dof, poison) in POISONS {
        begins_anew_after(backend, integrator, tolerance, dof, poison);
    }
}

fn begins_anew_after(backend: Backend, integrator: &str, tolerance: f64, dof: usize, poison: f64) {
    let m = model(integrator);
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(&m, 3, settings).unwrap();

    // the first world is new, the second will get a bad force, the third is in another state
    let mask = [false, true, true];
    let mut qpos = m.qpos0.clone();
    qpos[0] += 0.4;
    batch.set_where("qpos", &mask, &qpos).unwrap();
    batch.set_where("qvel", &mask, &[1.5; 7]).unwrap();
    batch.set_where("ctrl", &mask, &[0.7]).unwrap();
    batch.set_where("act", &mask, &[0.3]).unwrap();
    batch.set_where("time", &mask, &[2.0]).unwrap();
    batch.set_where("mocap_pos", &mask, &[0.1; 3]).unwrap();
    let mut force = [0.0; 7];
    force[dof] = poison;
    let only = [false, true, false];
    batch.set_where("qfrc_applied", &only, &force).unwrap();
    for steps in [1, 4] {
        batch.step(steps).unwrap();
        for name in STATE {
            let x = batch.reals(name).unwrap();
            let n = x.len() / 3;
            for k in 0..n {
                let (new, anew) = (x[k], x[n + k]);
                assert!(
                    (new - anew).abs() <= tolerance * (1.0 + new.abs()),
                    "{backend:?}, {integrator}, force {dof} = {poison}, {steps} steps: {name}[{k}] is {anew}, of a new world {new}"
                );
            }
        }
        let time = batch.reals("time").unwrap()[2];
        assert!(time > 2.0, "{backend:?}: the third world goes on: {time}");
    }
    let flags = batch.flags().unwrap();
    let flag = flags.iter().find(|flag| flag.world == 1).unwrap();
    assert_eq!(flag.count(Warning::BadQacc), 1, "{backend:?}, {integrator}");
    assert!(flags.iter().all(|flag| flag.world == 1), "{backend:?}");
}

#[test]
fn a_world_that_goes_wrong_begins_anew() {
    for integrator in ["Euler", "RK4", "implicit", "implicitfast"] {
        begins_anew(Backend::Cpu, integrator, 0.0);
        begins_anew(Backend::Simd, integrator, 0.0);
    }
}

#[test]
fn on_a_device_too() {
    for integrator in ["Euler", "implicit"] {
        begins_anew(Backend::Gpu, integrator, 2e-5);
    }
}
