//! Gradients through steps are those of differences, and improve a motion.

use burn_ppo::share::Shared;
use burn_ppo::step::step;
use burn_tensor::{Tensor, TensorData};
use manyworlds::batch::Backend;
use manyworlds::{Batch, Model, Settings};

// a ball joint, and a hinge with a motor and a filter
const BODIES: &str = r#"<mujoco><option timestep="0.01"/><worldbody>
  <body pos="1 0 1"><joint type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 .1 -.5" size=".05"/>
    <body name="lower" pos=".3 .1 -.5"><joint name="elbow" axis="0 1 0" stiffness="5"/><geom type="capsule" fromto="0 0 0 .2 0 -.3" size=".04"/></body></body>
  </worldbody><actuator><motor joint="elbow" gear="3"/><general joint="elbow" dyntype="filter" dynprm=".03" gainprm="2"/></actuator>
  <sensor><framepos objtype="body" objname="lower"/></sensor></mujoco>"#;
const PENDULUM: &str = r#"<mujoco><option timestep="0.02"/><worldbody><body>
  <joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.04" mass="1"/></body></worldbody>
  <actuator><motor joint="hinge"/></actuator></mujoco>"#;
const WORLDS: usize = 2;
const STEPS: usize = 3;

fn wave(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|k| (1.3 * k as f64 + shift).sin()).collect()
}

fn tensor(shared: &Shared, x: &[f64], rows: usize) -> Tensor<2> {
    let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let shape = [rows, x.len() / rows];
    Tensor::from_data(TensorData::new(x, shape), &shared.tensors)
}

fn numbers(tensor: Tensor<2>) -> Vec<f64> {
    let x: Vec<f32> = tensor.into_data().try_to_vec().expect("reals");
    x.into_iter().map(f64::from).collect()
}

// what a rollout of the reference ends with, and its sensors on the way: each number times a weight
fn value(m: &Model, state: &[f64], ctrl: &[f64]) -> f64 {
    let on = Settings::default().backend(Backend::Cpu);
    let mut batch = Batch::with(m, WORLDS, on).unwrap();
    let (mut at, width) = (0, m.nq + m.nv + m.na);
    for (name, n) in [("qpos", m.nq), ("qvel", m.nv), ("act", m.na)] {
        let rows = state.chunks(width).flat_map(|row| &row[at..][..n]);
        batch
            .set(name, &rows.copied().collect::<Vec<f64>>())
            .unwrap();
        at += n;
    }
    let mut sum = 0.0;
    for _ in 0..STEPS {
        batch.set("ctrl", ctrl).unwrap();
        batch.step(1).unwrap();
        sum += batch.reals("sensordata").unwrap().iter().sum::<f64>();
    }
    let parts = ["qpos", "qvel", "act"].map(|name| batch.reals(name).unwrap().to_vec());
    let rows = (0..WORLDS).flat_map(|w| {
        let part = |x: &[f64]| x[w * x.len() / WORLDS..][..x.len() / WORLDS].to_vec();
        parts.iter().flat_map(|x| part(x)).collect::<Vec<f64>>()
    });
    sum + rows
        .zip(wave(WORLDS * width, 0.5))
        .map(|(x, y)| x * y)
        .sum::<f64>()
}

#[test]
fn gradients_are_those_of_differences() {
    let shared = Shared::open(1).expect("an adapter");
    let m = Model::from_xml_str(BODIES).unwrap();
    let width = m.nq + m.nv + m.na;
    let given = [wave(WORLDS * width, 0.2), wave(WORLDS * m.nu, 0.9)];
    let [state, ctrl] = given
        .each_ref()
        .map(|x| tensor(&shared, x, WORLDS).autodiff().require_grad());
    let mut batch = shared.batch(&m, WORLDS).unwrap();
    let (mut now, mut sum) = (
        state.clone(),
        Tensor::<1>::zeros([1], &shared.tensors).autodiff(),
    );
    for _ in 0..STEPS {
        now = step(&shared, &mut batch, now, ctrl.clone()).unwrap();
        sum = sum + now.clone().narrow(1, width, m.nsensordata).sum();
    }
    let now = now.narrow(1, 0, width);
    let weights = tensor(&shared, &wave(WORLDS * width, 0.5), WORLDS);
    let gradients = (sum + (now * weights).sum()).backward();
    let have = [state, ctrl].map(|x| numbers(x.grad(&gradients).expect("a gradient")));
    for (part, have) in have.iter().enumerate() {
        let want: Vec<f64> = (0..have.len())
            .map(|k| {
                let [low, high] = [-1e-6, 1e-6].map(|by| {
                    let mut moved = given.clone();
                    moved[part][k] += by;
                    value(&m, &moved[0], &moved[1])
                });
                (high - low) / 2e-6
            })
            .collect();
        let most = want.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (x, y) in have.iter().zip(&want) {
            assert!((x - y).abs() < 5e-3 * most, "{have:?}\n{want:?}");
        }
        assert!(most > 0.1);
    }
}

#[test]
fn a_pendulum_learns_to_be_elsewhere_at_rest() {
    let shared = Shared::open(1).expect("an adapter");
    let m = Model::from_xml_str(PENDULUM).unwrap();
    let mut batch = shared.batch(&m, WORLDS).unwrap();
    // angles (rad) that the worlds shall come to in 20 steps
    let aim = tensor(&shared, &[0.3, -0.5], WORLDS);
    let mut ctrl = vec![Tensor::<2>::zeros([WORLDS, 1], &shared.tensors); 20];
    let (mut change, mut losses) = (ctrl.clone(), Vec::new());
    for _ in 0..40 {
        let torque: Vec<_> = ctrl
            .iter()
            .map(|u| u.clone().autodiff().require_grad())
            .collect();
        let mut now = Tensor::<2>::zeros([WORLDS, 2], &shared.tensors);
        for u in &torque {
            now = step(&shared, &mut batch, now, u.clone()).unwrap();
        }
        let [angle, speed] = [0, 1].map(|k| now.clone().narrow(1, k, 1));
        let loss = (angle - aim.clone()).square().sum() + speed.square().sum().mul_scalar(0.03);
        let gradients = loss.backward();
        losses.push(loss.inner().into_scalar::<f32>());
        // gradient descent with momentum
        for ((u, change), tracked) in ctrl.iter_mut().zip(&mut change).zip(&torque) {
            let slope = tracked.grad(&gradients).expect("a gradient");
            *change = change.clone().mul_scalar(0.8) - slope.mul_scalar(20.0);
            *u = u.clone() + change.clone();
        }
    }
    assert!(losses[0] > 0.3 && losses[39] < 1e-3, "{losses:?}");
}
