//! Kernels that check every index make the bits of those that run.

use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::{Config, Gpu};
use manyworlds::{Data, Model};

const NWORLD: usize = 9;

// worlds in different postures that fall onto the ground
fn worlds(m: &Model) -> Vec<Data> {
    let world = |w: usize| {
        let mut d = Data::new(m);
        let swing = |k: usize| (w * (k + 3)) as f64;
        for (k, x) in d.qpos.iter_mut().enumerate().skip(7) {
            *x += 0.4 * swing(k).sin();
        }
        d.qpos[2] -= 0.02 * w as f64;
        for (k, x) in d.qvel.iter_mut().enumerate() {
            *x = swing(k).cos();
        }
        d
    };
    (0..NWORLD).map(world).collect()
}

#[test]
fn checks_of_indices_change_no_bit_not_even_where_there_is_no_room() {
    let device = Device::open(&Request::any())
        .expect("these tests need an adapter; mesa-vulkan-drivers has a software one");
    let full = Model::from_xml_path("models/humanoid.xml").unwrap();
    let mut little = full.clone();
    little.edit(|m| (m.nconmax, m.njmax) = (3, 20)).unwrap();
    let mut overflowed = Vec::new();
    for m in [&full, &little] {
        let run = |checked| {
            let config = Config {
                nworld: NWORLD,
                checked,
                ..Config::default()
            };
            let mut gpu = Gpu::new(&device, m, &config).unwrap();
            gpu.set_data(&worlds(m)).unwrap();
            gpu.step(10).unwrap();
            let reals = ["qpos", "qvel", "qacc", "xpos", "efc_force", "contact_dist"];
            let reals = reals.map(|name| gpu.read_real(name).unwrap());
            let ints = ["overflow", "warning", "ncon", "nefc", "contact_collision"];
            (reals, ints.map(|name| gpu.read_int(name).unwrap()))
        };
        let (checked, runs) = (run(true), run(false));
        assert_eq!(checked, runs);
        overflowed.push(runs.1[0].iter().any(|&bits| bits != 0));
    }
    assert_eq!(overflowed, [false, true]);
}
