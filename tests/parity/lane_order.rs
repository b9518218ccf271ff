//! Which lane an invocation is makes no difference by a bit: a `team_sync` that is missing shows here, and otherwise only on hardware.

use manyworlds::fields::{FIELDS, Room, View};
use manyworlds::gpu::wgsl::LaneOrder;
use manyworlds::gpu::{Config, Gpu};
use manyworlds::{Data, Model};

use super::body::{device, goldens_of, worlds};

const ORDERS: [LaneOrder; 3] = [
    LaneOrder::ScatteredMirrored,
    LaneOrder::Scattered,
    LaneOrder::Mirrored,
];

// the worlds after some steps with teams of 32
fn stepped(m: &Model, before: &[Data], order: LaneOrder) -> Vec<Data> {
    let config = Config {
        nworld: before.len(),
        lanes: 32,
        worlds: 2,
        tile: 1,
        fuse: 1,
        order,
        ..Config::default()
    };
    let mut gpu = Gpu::new(device(), m, &config).unwrap();
    gpu.set_data(before).unwrap();
    gpu.step(2).unwrap();
    gpu.data().unwrap()
}

// fields whose bits differ
fn differing(a: &Data, b: &Data) -> Vec<&'static str> {
    let bits = |d: &Data, name: &str| -> Vec<u64> {
        match d.field(name) {
            Some(View::Real(x)) => x.iter().map(|x| x.to_bits()).collect(),
            Some(View::Int(x)) => x.iter().map(|&x| x as u64).collect(),
            None => Vec::new(),
        }
    };
    FIELDS
        .iter()
        .filter(|field| field.room == Room::Data && bits(a, field.name) != bits(b, field.name))
        .map(|field| field.name)
        .collect()
}

#[test]
fn lanes_may_come_in_any_order() {
    let all = std::env::var("PARITY").is_ok_and(|x| x == "all");
    let orders = if all { &ORDERS[..] } else { &ORDERS[..1] };
    let mut faults = Vec::new();
    let goldens = goldens_of(&["elliptic", "tendons"]);
    assert!(!goldens.is_empty());
    for (name, golden) in goldens {
        let m = golden.model();
        let before = worlds(&golden, &m, 7);
        let want = stepped(&m, &before, LaneOrder::Straight);
        for &order in orders {
            for (w, (a, b)) in stepped(&m, &before, order).iter().zip(&want).enumerate() {
                let fields = differing(a, b);
                if !fields.is_empty() {
                    faults.push(format!(
                        "{name}, {order:?}, world {w}: {}",
                        fields.join(" ")
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
