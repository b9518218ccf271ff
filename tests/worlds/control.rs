//! Features for controllers: a step in two halves, the controls that produce a force, the Jacobian of the rows, on every backend.

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::error;
use manyworlds::batch::Backend;
use manyworlds::{Batch, Error, Model};

on_every_backend!(
    two_halves_are_a_step,
    controls_come_back_from_their_force,
    several_actuators_share_a_force,
    what_makes_no_force_at_once_is_named,
    the_jacobian_tells_how_rows_move,
);

const WORLDS: usize = 3;

/// Worlds that touch the ground in different states.
fn moving(m: &Model, backend: Backend) -> Batch {
    let mut batch = worlds(m, WORLDS, backend);
    let qvel: Vec<f64> = (0..WORLDS * m.nv).map(|i| (i as f64).sin()).collect();
    batch.set("qvel", &qvel).unwrap();
    batch
}

fn two_halves_are_a_step(backend: Backend) {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    let [mut whole, mut halves] = [moving(&m, backend), moving(&m, backend)];
    for _ in 0..3 {
        // a controller that reads the results of the first half
        halves.step1().unwrap();
        let qpos = halves.reals("qpos").unwrap().to_vec();
        whole.forward().unwrap();
        assert_eq!(whole.reals("qpos").unwrap(), qpos, "{backend:?}");
        for seen in ["xpos", "subtree_com", "cvel", "sensordata", "qfrc_bias"] {
            let have = halves.reals(seen).unwrap().to_vec();
            assert_eq!(have, whole.reals(seen).unwrap(), "{backend:?}: {seen}");
        }
        let ctrl: Vec<f64> = halves.reals("xpos").unwrap()[..m.nu].to_vec();
        halves.set("ctrl", &ctrl).unwrap();
        halves.step2().unwrap();
        whole.set("ctrl", &ctrl).unwrap();
        whole.step(1).unwrap();
        for state in ["qpos", "qvel", "time"] {
            let have = halves.reals(state).unwrap().to_vec();
            assert_eq!(have, whole.reals(state).unwrap(), "{backend:?}: {state}");
        }
    }

    let m = Model::from_xml_path("models/rk4.xml").unwrap();
    let mut batch = worlds(&m, 1, backend);
    for half in [batch.step1(), batch.step2()] {
        let Err(Error::Input(msg)) = half else {
            panic!("{half:?}");
        };
        assert!(msg.contains("Runge-Kutta"), "{msg}");
    }
}

const ARM: &str = r#"<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
    <body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/></body></body></worldbody>
    <actuator>ACTUATORS</actuator></mujoco>"#;

fn arm(actuators: &str, backend: Backend) -> Batch {
    let m = Model::from_xml_str(&ARM.replace("ACTUATORS", actuators)).unwrap();
    moving(&m, backend)
}

fn controls_come_back_from_their_force(backend: Backend) {
    let mut batch = arm(
        r#"<position joint="a" kp="7" kv=".3"/><motor joint="b" gear="3"/>"#,
        backend,
    );
    let ctrl = [0.3, -0.2, 0.8, 0.1, -0.5, 0.6];
    batch.set("ctrl", &ctrl).unwrap();
    batch.forward().unwrap();
    let [qfrc, force] =
        ["qfrc_actuator", "actuator_force"].map(|x| batch.reals(x).unwrap().to_vec());
    let most = by_precision(backend, 1e-12, 1e-5);
    let e = error(&batch.recover_force(&qfrc).unwrap(), &force);
    assert!(e < most, "{backend:?}: force {e}");
    let e = error(&batch.recover_ctrl(&qfrc).unwrap(), &ctrl);
    assert!(e < most, "{backend:?}: ctrl {e}");
}

// two motors on a joint, with gears 1 and 3, share 10 N m as 1 to 3; the other joint has no motor, and gets no force
fn several_actuators_share_a_force(backend: Backend) {
    let mut batch = arm(r#"<motor joint="a"/><motor joint="a" gear="3"/>"#, backend);
    batch.forward().unwrap();
    let force = batch.recover_force(&[10.0, 5.0]).unwrap();
    let e = error(&force, &[1.0, 3.0].repeat(WORLDS));
    assert!(e < 1e-6, "{force:?}");
    assert!(matches!(batch.recover_force(&[1.0]), Err(Error::Input(_))));
}

fn what_makes_no_force_at_once_is_named(backend: Backend) {
    let mut batch = arm(
        r#"<motor joint="a"/><general name="late" joint="b" dyntype="filter" dynprm=".1"/>"#,
        backend,
    );
    batch.forward().unwrap();
    let Err(Error::Input(msg)) = batch.recover_ctrl(&[1.0, 2.0]) else {
        panic!("{backend:?}");
    };
    assert!(msg.contains("actuator 1 \"late\""), "{msg}");
    assert_eq!(batch.recover_force(&[1.0, 2.0]).unwrap().len(), 2 * WORLDS);
}

/// Rows of an equality, a friction loss, a violated limit, and a contact with an elliptic cone.
const ROWS: &str = r#"<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="1 0 1"><joint name="a" axis="0 1 0" frictionloss=".1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
    <body pos=".4 0 0"><joint name="b" axis="0 1 0" limited="true" range="10 40"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
    </body></body></worldbody><equality><joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/></equality></mujoco>"#;

fn the_jacobian_tells_how_rows_move(backend: Backend) {
    let m = Model::from_xml_str(ROWS).unwrap();
    let mut batch = moving(&m, backend);
    batch.step(2).unwrap();
    batch.forward().unwrap();
    let [qvel, vel] = ["qvel", "efc_vel"].map(|x| batch.reals(x).unwrap().to_vec());
    let njmax = batch.model().njmax;
    let jacobians = batch.efc_jacobian().unwrap();
    assert_eq!(jacobians.len(), WORLDS);
    for (w, jacobian) in jacobians.iter().enumerate() {
        let num = jacobian.rownnz.len();
        assert!(num > 6, "{backend:?}: world {w} has {num} rows");
        let qvel = &qvel[w * m.nv..][..m.nv];
        let dense = jacobian.dense();
        let moved: Vec<f64> = dense
            .chunks_exact(m.nv)
            .map(|row| row.iter().zip(qvel).map(|(j, v)| j * v).sum())
            .collect();
        let e = error(&moved, &vel[w * njmax..][..num]);
        let most = by_precision(backend, 1e-12, 1e-4);
        assert!(e < most, "{backend:?}, world {w}: {e}");
    }
}
