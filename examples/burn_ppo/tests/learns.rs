//! Worlds and tensors share a device, and a cartpole learns there.

use burn_ppo::ppo::{Ppo, Settings};
use burn_ppo::share::{Shared, set};
use burn_ppo::task::{Ant, Cartpole, Task, Worlds};
use burn_tensor::{Tensor, TensorData};

fn numbers(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("reals")
}

#[test]
fn tensors_hold_what_the_worlds_hold() {
    let shared = Shared::open(3).expect("an adapter");
    let model = manyworlds::Model::from_xml_str(Ant.xml()).unwrap();
    let mut batch = shared.batch(&model, 5).unwrap();
    let rows: Vec<f32> = (0..5 * model.nu).map(|k| (k as f32).sin()).collect();
    let data = TensorData::new(rows.clone(), [model.nu, 5]);
    // the transpose of a tensor lies in memory in another order
    let ctrl = Tensor::<2>::from_data(data, &shared.tensors).transpose();
    set(&mut batch, "ctrl", ctrl.clone()).unwrap();
    assert_eq!(
        numbers(shared.read(&mut batch, "ctrl").unwrap()),
        numbers(ctrl)
    );
    batch.step(10).unwrap();
    let qvel = shared.read(&mut batch, "qvel").unwrap();
    // work on tensors comes behind the copy
    let twice = numbers(qvel.clone() + qvel);
    let known: Vec<f32> = batch
        .reals("qvel")
        .unwrap()
        .iter()
        .map(|x| 2.0 * *x as f32)
        .collect();
    assert_eq!(twice, known);
    assert!(known.iter().any(|x| *x != 0.0));
    // what is set from a tensor is what the worlds step with
    let mut other = shared.batch(&model, 5).unwrap();
    let words: Vec<f64> = (0..5 * model.nu)
        .map(|k| f64::from(rows[k % model.nu * 5 + k / model.nu]))
        .collect();
    other.set("ctrl", &words).unwrap();
    other.step(10).unwrap();
    assert_eq!(
        other.reals("qpos").unwrap().to_vec(),
        batch.reals("qpos").unwrap()
    );
}

#[test]
fn episodes_end_and_begin_anew() {
    let mut worlds = Worlds::new(Ant, Shared::open(4).unwrap(), 3).unwrap();
    let still = Tensor::<2>::zeros([3, worlds.nu()], worlds.device());
    let mut ends = 0.0;
    for _ in 0..Ant.limit() {
        let step = worlds.step(still.clone()).unwrap();
        ends += numbers(step.done).iter().sum::<f32>();
        assert!(numbers(step.observation).iter().all(|x| x.is_finite()));
    }
    // three worlds that stand still reach their limit
    assert!(ends >= 3.0, "{ends}");
    let qpos = worlds.batch().reals("qpos").unwrap();
    assert!(qpos.iter().all(|x| x.is_finite()));
}

#[test]
fn a_pole_learns_to_stay_upright() {
    let worlds = Worlds::new(Cartpole, Shared::open(1).unwrap(), 64).unwrap();
    let mut ppo = Ppo::new(worlds, Settings::default());
    let length = |done: f32| 1.0 / done.max(1e-4);
    let mut lengths = Vec::new();
    for _ in 0..30 {
        let [_, done] = ppo.update().unwrap();
        lengths.push(length(done));
    }
    let (first, last) = (lengths[0], lengths[29]);
    assert!(first < 40.0 && last > 100.0, "{lengths:?}");
}
