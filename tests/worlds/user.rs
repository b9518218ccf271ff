//! Actuators of type `user`: as in MuJoCo 4.0.0 without callbacks, and with functions bound by name.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use manyworlds::batch::Backend;
use manyworlds::user::{UserActuator, UserPart};
use manyworlds::{Batch, Error, Model};

const TEXT: &str = r#"<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
    <actuator><general name="gain" joint="j" gear="2" gaintype="user" gainprm="3 4 5"/>
    <general name="bias" joint="j" gear="2" gainprm="7" biastype="user" biasprm="2"/>
    <general name="rate" joint="j" gear="2" dyntype="user" actdim="3" dynprm=".5" actlimited="true" actrange="-1 1"/>
    </actuator></mujoco>"#;

// forces and the activations after a step, of two worlds, the second with twice the position
fn stepped(m: &Model, backend: Backend) -> [Vec<f64>; 2] {
    let mut batch = worlds(m, 2, backend);
    batch.set("qpos", &[0.3, 0.6]).unwrap();
    batch.set("qvel", &[0.2; 2]).unwrap();
    batch.set("ctrl", &[0.7; 6]).unwrap();
    batch.set("act", &[0.5, 0.25, 0.75]).unwrap();
    batch.step(1).unwrap();
    ["actuator_force", "act"].map(|name| batch.reals(name).unwrap().to_vec())
}

fn near(backend: Backend, have: &[f64], want: &[f64]) {
    let tolerance = by_precision(backend, 1e-12, 1e-5);
    let off = have
        .iter()
        .zip(want)
        .any(|(x, y)| (x - y).abs() > tolerance);
    assert!(
        have.len() == want.len() && !off,
        "{backend:?}: {have:?}, not {want:?}"
    );
}

// the expected numbers are from mj_step
fn without_functions_a_gain_is_one_and_the_rest_zero(backend: Backend) {
    let m = Model::from_xml_str(TEXT).unwrap();
    let [force, act] = stepped(&m, backend);
    near(backend, &force, &[0.7, 4.9, 0.75, 0.7, 4.9, 0.75]);
    near(backend, &act, &[0.5, 0.25, 0.75, 0.5, 0.25, 0.75]);
}

fn functions_are_called_for_each_world(backend: Backend) {
    let mut m = Model::from_xml_str(TEXT).unwrap();
    m.bind_user("gain", UserPart::Gain, |x: &UserActuator, out| {
        out[0] = x.prm[1] * x.length + x.prm[2] * x.velocity + x.ctrl;
    })
    .unwrap();
    m.bind_user("bias", UserPart::Bias, |x, out| {
        out[0] = -x.prm[0] * x.length
    })
    .unwrap();
    m.bind_user("rate", UserPart::Dyn, |x, out| {
        for (rate, act) in out.iter_mut().zip(x.act) {
            *rate = (x.ctrl - act) / x.prm[0];
        }
    })
    .unwrap();
    match Batch::with(&m, 2, on(backend)) {
        Err(Error::Missing(told)) if backend == Backend::Gpu => {
            assert!(
                told[0].contains("(of the gain of the actuator \"gain\") on a device"),
                "{told:?}"
            );
        }
        made => drop(made.unwrap()),
    }
    for (name, part, text) in [
        (
            "gain",
            UserPart::Gain,
            "fn gain(a: UserActuator) -> f32 {
                return actuator_gainprm(a.id, 1) * a.length + actuator_gainprm(a.id, 2) * a.velocity + a.ctrl;
            }",
        ),
        (
            "bias",
            UserPart::Bias,
            "fn bias(a: UserActuator) -> f32 { return -actuator_biasprm(a.id, 0) * a.length; }",
        ),
        (
            "rate",
            UserPart::Dyn,
            "fn rate(a: UserActuator, k: i32) -> f32 {
                return (a.ctrl - act(actuator_actadr(a.id) + k)) / actuator_dynprm(a.id, 0);
            }",
        ),
    ] {
        m.bind_user_wgsl(name, part, text).unwrap();
    }
    let [force, act] = stepped(&m, backend);
    // the transmission doubles lengths and velocities
    let want = [0.6, 1.2].map(|length| {
        let gain: f64 = 4.0 * length + 5.0 * 0.4 + 0.7;
        [gain * 0.7, 4.9 - 2.0 * length, 0.75]
    });
    near(backend, &force, want.as_flattened());
    let next = [0.5, 0.25, 0.75].map(|a| a + 0.002 * (0.7 - a) / 0.5);
    near(backend, &act, &[next, next].concat());
}

on_every_backend!(
    without_functions_a_gain_is_one_and_the_rest_zero,
    functions_are_called_for_each_world,
);

#[test]
fn a_function_outlives_an_edit_and_is_replaced_by_a_later_one() {
    let mut m = Model::from_xml_str(TEXT).unwrap();
    for gain in [5.0, 6.0] {
        m.bind_user("gain", UserPart::Gain, move |_, out| out[0] = gain)
            .unwrap();
    }
    m.edit(|m| m.opt.timestep = 0.001).unwrap();
    let [force, _] = stepped(&m, Backend::Auto);
    near(Backend::Auto, &force[..1], &[0.7 * 6.0]);
}

#[test]
fn what_cannot_be_bound_is_told() {
    let mut m = Model::from_xml_str(TEXT).unwrap();
    for (name, part, told) in [
        (
            "gian",
            UserPart::Gain,
            "actuator \"gian\": the model has none of that name",
        ),
        (
            "gain",
            UserPart::Bias,
            "actuator \"gain\": its biastype is not \"user\"",
        ),
        (
            "bias",
            UserPart::Dyn,
            "actuator \"bias\": its dyntype is not \"user\"",
        ),
    ] {
        let error = m.bind_user(name, part, |_, _| {}).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
}
