//! Overflows of the capacity for contacts and rows, on every backend: flags, kept contacts, limits of growth.

use crate::common::backends::BACKENDS;
use manyworlds::batch::{Backend, Overflow, Settings};
use manyworlds::{Batch, Error, Model};

/// Balls in a row that can be heaped up, so that each touches every other.
fn balls(n: usize) -> Model {
    let ball = |k: usize| {
        let x = 0.25 * k as f64;
        format!(
            r#"<body pos="{x} 0 0.1"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body>"#
        )
    };
    let balls: String = (0..n).map(ball).collect();
    let xml =
        format!(r#"<mujoco><option gravity="0 0 0"/><worldbody>{balls}</worldbody></mujoco>"#);
    Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{e}"))
}

/// Positions that heap up the first `k` balls of `n`: k (k − 1) / 2 contacts.
fn heap(n: usize, k: usize) -> Vec<f64> {
    let to = |i: usize| {
        if i < k {
            0.01 * i as f64
        } else {
            0.25 * i as f64
        }
    };
    (0..n).map(|i| to(i) - 0.25 * i as f64).collect()
}

fn settings(backend: Backend, overflow: Overflow, nconmax: usize) -> Settings {
    Settings::default()
        .backend(backend)
        .overflow(overflow)
        .nconmax(nconmax)
        .njmax(4 * nconmax)
        .no_cache(true)
}

#[test]
fn a_state_flagged_elsewhere_goes_on_where_there_is_room() {
    let m = balls(6);
    for backend in BACKENDS {
        let mut short = Batch::with(&m, 2, settings(backend, Overflow::Continue, 4)).unwrap();
        short
            .set_where("qpos", &[false, true], &heap(6, 5))
            .unwrap();
        short.step(1).unwrap();
        assert_eq!(short.flags().unwrap().len(), 1, "{backend:?}");
        let state = short.save().unwrap();

        // a growing capacity: up to the largest need of a world so far
        let mut grows = Batch::with(&m, 2, settings(backend, Overflow::Grow, 4)).unwrap();
        grows.restore(&state).unwrap();
        for _ in 0..3 {
            grows.step(1).unwrap_or_else(|e| panic!("{backend:?}: {e}"));
        }
        assert!(grows.model().nconmax >= 10, "{backend:?}");
        assert_eq!(grows.full(), None);
        assert_eq!(
            grows.flags().unwrap().len(),
            1,
            "it was short once, and stays flagged"
        );
    }
}

#[test]
fn a_state_flagged_elsewhere_fails_for_a_reason_or_not_at_all() {
    let m = balls(6);
    let with = |overflow, nconmax| Batch::with(&m, 2, settings(Backend::Cpu, overflow, nconmax));
    let mut short = with(Overflow::Continue, 4).unwrap();
    short
        .set_where("qpos", &[false, true], &heap(6, 5))
        .unwrap();
    short.step(1).unwrap();
    let state = short.save().unwrap();

    // a sufficient capacity
    let mut ample = with(Overflow::Error, 15).unwrap();
    ample.restore(&state).unwrap();
    ample.step(1).unwrap_or_else(|e| panic!("{e}"));

    // too small a capacity
    let mut short = with(Overflow::Error, 4).unwrap();
    short.restore(&state).unwrap();
    let said = short.step(1).unwrap_err().to_string();
    assert_eq!(
        said,
        "world 1 overflowed: 10 contacts needed, nconmax is 4; \
         raise that limit, or let it grow (overflow \"grow\")"
    );
}

#[test]
fn a_perturbed_world_without_room_is_named_by_the_world_that_it_is_of() {
    let m = balls(6);
    for backend in BACKENDS {
        let mut short = Batch::with(&m, 3, settings(backend, Overflow::Error, 4)).unwrap();
        short
            .set_where("qpos", &[false, true, false], &heap(6, 5))
            .unwrap();
        let said = short.transition(None).unwrap_err().to_string();
        assert!(
            said.starts_with("world 1 overflowed: 10 contacts needed, nconmax is 4"),
            "{backend:?}: {said}"
        );
    }
}

#[test]
fn growth_ends_at_its_share_and_the_world_goes_on_flagged() {
    let m = balls(8);
    for backend in BACKENDS {
        let none = settings(backend, Overflow::Grow, 4).growth(0);
        let mut bounded = Batch::with(&m, 3, none).unwrap();
        let mut short = Batch::with(&m, 3, settings(backend, Overflow::Continue, 4)).unwrap();
        for batch in [&mut bounded, &mut short] {
            batch
                .set_where("qpos", &[false, true, false], &heap(8, 7))
                .unwrap();
            batch.step(2).unwrap_or_else(|e| panic!("{backend:?}: {e}"));
        }
        // the same result as with `Overflow::Continue`
        assert_eq!((bounded.model().nconmax, bounded.model().njmax), (4, 16));
        let qpos = short.reals("qpos").unwrap();
        assert_eq!(bounded.reals("qpos").unwrap(), qpos, "{backend:?}");
        let flags = bounded.flags().unwrap();
        assert_eq!(flags, short.flags().unwrap(), "{backend:?}");
        assert_eq!(flags.len(), 1, "{backend:?}");
        assert!(flags[0].world == 1 && flags[0].overflowed(), "{backend:?}");
        assert_eq!(flags[0].needed[0], 21);
        let full = bounded.full().unwrap();
        assert!(
            full.contains("0 % of the available memory are 0 MiB"),
            "{full}"
        );
        assert_eq!(short.full(), None);
    }
}

#[test]
fn room_that_no_machine_has_is_refused() {
    let m = balls(2);
    for backend in BACKENDS {
        for n in [usize::MAX, 1 << 33] {
            let says = Batch::with(&m, 1, settings(backend, Overflow::Grow, n / 4)).unwrap_err();
            let Error::Input(said) = says else {
                panic!("{backend:?}: {says}")
            };
            assert!(
                said.contains("a world has room for 16777216 at most"),
                "{said}"
            );
        }
    }
}

#[test]
fn threads_are_no_more_than_help() {
    let m = balls(2);
    let many = Settings::default().backend(Backend::Cpu).threads(100_000);
    let batch = Batch::with(&m, 1, many).unwrap();
    let most = 4 * std::thread::available_parallelism().unwrap().get();
    assert_eq!(batch.device(), format!("CPU, {most} threads, f64"));
}
