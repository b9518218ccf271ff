//! Trees that sleep through a whole pass are not computed again; every array has the same bits as if they were.

use crate::common::backends::{on_every_backend, worlds};
use manyworlds::batch::{Backend, To};
use manyworlds::fields::{Elem, FIELDS, Room};
use manyworlds::{Batch, Model};

on_every_backend!(
    what_sleeps_has_the_bits_of_what_is_computed,
    a_flex_that_sleeps_does_not_feel_a_hand,
);

/// Boxes that fall asleep, one that sleeps from the start, one on a static shelf, a chain, a hand that is moved from outside, a motor
/// whose hinge never sleeps, and a ball that falls onto a box when it sleeps.
const SCENE: &str = r#"<mujoco>
  <option timestep="0.005" sleep_tolerance="1e-2"><flag sleep="enable" energy="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="shelf" pos="2 0 .2"><geom type="box" size=".2 .2 .05"/><site name="edge" pos=".1 0 0"/></body>
    <body name="a" pos="0 0 .1"><freejoint/><geom name="a" type="box" size=".1 .1 .1"/><site name="a"/></body>
    <body name="b" pos=".5 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="c" pos="2 0 .3"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
    <body name="d" pos="-.5 0 .1" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="chain" pos="0 1 1"><joint name="root" axis="0 1 0" damping="2" stiffness="1"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.2"/>
      <body pos="0 0 -.2"><joint axis="0 1 0" damping="2"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.2"/></body></body>
    <body name="hand" mocap="true" pos="0 -3 1"><geom size=".05"/></body>
    <body name="motor" pos="0 -1 1"><joint name="motor" axis="0 0 1" damping=".1"/><geom type="capsule" size=".03" fromto="0 0 0 .2 0 0"/></body>
    <body name="ball" pos=".5 0 2.2"><freejoint/><geom size=".08"/></body>
  </worldbody>
  <actuator><motor joint="motor" gear=".1"/></actuator>
  <sensor><framepos objtype="site" objname="a"/><subtreecom body="chain"/><jointpos joint="root"/><clock/><framelinacc objtype="body" objname="b"/></sensor>
</mujoco>"#;

/// Bits of every array of the last pass.
fn bits(batch: &mut Batch) -> Vec<(&'static str, Vec<u64>)> {
    let mut out = Vec::new();
    for field in FIELDS.iter().filter(|field| field.room == Room::Data) {
        let bits = match field.elem {
            Elem::Int => batch
                .ints(field.name)
                .map(|x| x.iter().map(|x| *x as u64).collect()),
            _ => batch
                .reals(field.name)
                .map(|x| x.iter().map(|x| x.to_bits()).collect()),
        };
        if let Ok(bits) = bits {
            out.push((field.name, bits));
        }
    }
    out
}

fn what_sleeps_has_the_bits_of_what_is_computed(backend: Backend) {
    let m = Model::from_xml_str(SCENE).unwrap_or_else(|e| panic!("{e}"));
    let (nworld, long) = (3, 40);
    let mut batches = [worlds(&m, nworld, backend), worlds(&m, nworld, backend)];
    let mut slept = 0;
    for turn in 0..long {
        for (which, batch) in batches.iter_mut().enumerate() {
            let mut ctrl = vec![0.1; nworld];
            ctrl[0] = 0.01 * f64::from(turn);
            batch.set("ctrl", &ctrl).unwrap();
            disturb(batch, turn, nworld);
            // a pass between steps makes the next one compute everything
            for _ in 0..5 {
                if which == 1 {
                    batch.forward().unwrap();
                }
                batch.step(1).unwrap();
            }
        }
        let [first, second] = &mut batches;
        let awake = first.ints("tree_awake").unwrap();
        slept += awake.iter().filter(|awake| **awake == 0).count();
        for ((name, still), (_, anew)) in bits(first).into_iter().zip(bits(second)) {
            assert_eq!(still, anew, "{name} after {} steps", 5 * (turn + 1));
        }
    }
    println!("{slept} times a tree slept");
    assert!(slept > 10 * nworld, "{slept}");
}

/// What happens to sleeping trees from outside: a push, another place, a reset, a hand that moves, a world that diverges.
fn disturb(batch: &mut Batch, turn: i32, nworld: usize) {
    match turn {
        20 => {
            let mut force = vec![0.0; 6 * batch.model().nbody * nworld];
            force[6 * 2 + 2] = 30.0;
            batch.set("xfrc_applied", &force).unwrap();
        }
        21 => {
            let force = vec![0.0; 6 * batch.model().nbody * nworld];
            batch.set("xfrc_applied", &force).unwrap();
        }
        25 => {
            let mut qpos = batch.reals("qpos").unwrap().to_vec();
            qpos[0] += 0.2;
            batch.set("qpos", &qpos).unwrap();
        }
        30 => {
            let mut mask = vec![false; nworld];
            mask[1] = true;
            batch.reset_where(&mask, To::Qpos0).unwrap();
        }
        5 => {
            // the box that sleeps from the start
            let mut qpos = batch.reals("qpos").unwrap().to_vec();
            let nq = batch.model().nq;
            qpos.chunks_mut(nq).for_each(|qpos| qpos[21] -= 0.3);
            batch.set("qpos", &qpos).unwrap();
        }
        37 => {
            // a world that diverges begins anew, and with it that box
            let mut qvel = batch.reals("qvel").unwrap().to_vec();
            qvel[26] = 1e11;
            batch.set("qvel", &qvel).unwrap();
        }
        34 => {
            let place = [0.3, -3.0, 1.0].repeat(nworld);
            batch.set("mocap_pos", &place).unwrap();
        }
        _ => {}
    }
}

/// In MuJoCo 4.0.0 a mocap body that moves into a sleeping flex does not wake it.
fn a_flex_that_sleeps_does_not_feel_a_hand(backend: Backend) {
    let text = r#"<mujoco><option integrator="implicitfast" viscosity="1" sleep_tolerance="1e-2"><flag sleep="enable"/></option><worldbody>
        <geom type="plane" size="5 5 .01"/><body mocap="true" pos="0 0 -.2"><geom size=".04"/></body><body name="b" pos="0 0 .01">
        <flexcomp name="f" type="grid" dim="1" count="3 1 1" spacing=".05 .05 .05" radius=".01" mass="1">
        <edge equality="true" solref=".15 .2"/></flexcomp></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap_or_else(|e| panic!("{e}"));
    let mut batch = worlds(&m, 1, backend);
    batch.step(40).unwrap();
    assert_eq!(batch.ints("tree_awake").unwrap(), [0, 0, 0]);
    let before = batch.reals("qpos").unwrap().to_vec();
    batch.set("mocap_pos", &[0.0, 0.0, -0.02]).unwrap();
    batch.step(3).unwrap();
    assert_eq!(batch.ints("tree_awake").unwrap(), [0, 0, 0]);
    assert_eq!(batch.ints("ncon").unwrap(), [0]);
    assert_eq!(batch.reals("qpos").unwrap(), before);
}
