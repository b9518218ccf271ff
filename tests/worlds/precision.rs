//! Inertia matrices that single precision cannot resolve: worlds are flagged, and `auto` does not take single precision. Roundings are
//! no levers.

use std::fmt::Write as _;

use crate::common::backends::BACKENDS;
use manyworlds::batch::{Backend, Settings};
use manyworlds::types::{MAXLOSS, OVERFLOW_PRECISION};
use manyworlds::{Batch, Model};

/// Largest error of accelerations without a flag: errors were at most 1.5 times the estimate (393 states of 18 chains).
const BOUND: f64 = 1.5 * MAXLOSS;

const NWORLD: usize = 11;

/// A chain of balls on links of 0.3 m; `turns` has the joint axes, repeated cyclically.
fn chain(links: usize, turns: &[&str]) -> Model {
    let mut xml = "<mujoco><worldbody>".to_owned();
    for axis in turns.iter().cycle().take(links) {
        let _ = write!(
            xml,
            "<body pos='0.3 0 0'><joint axis='{axis}'/><geom size='0.1' contype='0' conaffinity='0'/>"
        );
    }
    let _ = write!(xml, "{}</worldbody></mujoco>", "</body>".repeat(links));
    Model::from_xml_str(&xml).unwrap()
}

fn batch(m: &Model, backend: Backend) -> Batch {
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(m, NWORLD, settings).unwrap();
    // the first world is straight and at rest, the others are bent more and more; all numbers are representable in f32
    let state = |seed: usize| -> Vec<f64> {
        let number = |k: usize| {
            let bend = 0.06 * (k / m.nv) as f64;
            f64::from((bend * (1.0 + 12.9898 * (k + seed) as f64).sin()) as f32)
        };
        (0..NWORLD * m.nv).map(number).collect()
    };
    batch.set("qpos", &state(1)).unwrap();
    batch.set("qvel", &state(7)).unwrap();
    batch.forward().unwrap();
    batch
}

/// The worlds flagged for insufficient precision.
fn told(batch: &mut Batch) -> Vec<usize> {
    let flags = batch.flags().unwrap();
    flags
        .iter()
        .filter(|flag| flag.overflow & OVERFLOW_PRECISION != 0)
        .map(|flag| flag.world)
        .collect()
}

/// Error of every world's accelerations relative to their length.
fn errors(have: &[f64], want: &[f64]) -> Vec<f64> {
    let length = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let rows = have.chunks(have.len() / NWORLD);
    rows.zip(want.chunks(want.len() / NWORLD))
        .map(|(have, want)| {
            let off = length(&mut have.iter().zip(want).map(|(a, b)| a - b));
            off / length(&mut want.iter().copied())
        })
        .collect()
}

#[test]
fn accelerations_of_long_chains_are_right_or_told_to_be_coarse() {
    let turns = ["0 1 0", "1 1 0", "0 0 1"];
    for (links, kinds) in [(10, 1), (20, 1), (40, 3), (80, 1)] {
        let m = chain(links, &turns[..kinds]);
        let want = batch(&m, Backend::Cpu).reals("qacc").unwrap().to_vec();
        for backend in BACKENDS {
            let mut batch = batch(&m, backend);
            let errors = errors(batch.reals("qacc").unwrap(), &want);
            let told = told(&mut batch);
            for (w, error) in errors.iter().enumerate() {
                assert!(
                    *error <= BOUND || told.contains(&w),
                    "{links} links, {backend:?}, world {w}: off by {error:e}, untold"
                );
            }
            // chains of up to 20 links are not flagged, all worlds of 80 links are
            let single = backend != Backend::Cpu;
            let few = links <= 20 || !single;
            assert!(
                !few || told.is_empty(),
                "{links} links, {backend:?}: {told:?}"
            );
            let all = links == 80 && single;
            assert!(
                !all || told.len() == NWORLD,
                "{links} links, {backend:?}: {told:?}"
            );
        }
    }
}

#[test]
fn a_flag_says_what_is_coarse() {
    let m = chain(80, &["0 1 0"]);
    for backend in [Backend::Simd, Backend::Gpu] {
        let flag = batch(&m, backend).flags().unwrap()[0].to_string();
        let what = "world 0: this precision is too coarse for the inertia matrix";
        assert!(flag.starts_with(what), "{backend:?}: {flag}");
    }
}

// a light tool far from its tree's centre of mass: its own inertia is lost in the inertia about that centre
#[test]
fn a_light_tool_far_away_is_told() {
    let xml = "<mujoco><worldbody><body name='mast'><joint axis='0 0 1'/><geom type='box' size='0.2 0.2 3' density='8000'/>
        <body name='tool' pos='30 0 0'><joint axis='0 1 0' pos='-0.01 0 0'/><geom size='0.01'/></body></body></worldbody></mujoco>";
    let m = Model::from_xml_str(xml).unwrap();
    for (backend, worlds) in BACKENDS.into_iter().zip([0, NWORLD, NWORLD]) {
        assert_eq!(told(&mut batch(&m, backend)).len(), worlds, "{backend:?}");
    }
}

#[test]
fn auto_takes_the_precision_that_a_model_needs() {
    let auto = |links: usize| {
        let batch = Batch::new(&chain(links, &["0 1 0"]), 64).unwrap();
        batch.device()
    };
    let long = auto(80);
    let why = "f64 (auto: the inertia matrix at qpos0 is too coarse in single precision)";
    assert!(long.contains(why), "{long}");
    assert!(!auto(10).contains("coarse"), "{}", auto(10));
}

#[test]
fn a_tendon_within_a_rigid_body_pulls_at_nothing() {
    let turned = r#"euler="17 -55 32""#;
    for (jacobian, rows) in [("dense", 0), ("sparse", 1)] {
        let text = format!(
            r#"<mujoco><option jacobian="{jacobian}"/><worldbody><body pos=".2 .5 .8" {turned}><freejoint/><geom size=".1" pos=".1 .2 .1"/>
            <site name="a" pos=".03 .1 .07"/><body pos=".4 .3 -.1" {turned}><geom size=".1"/><site name="b" pos=".1 -.2 .13"/></body></body></worldbody>
            <tendon><spatial range=".1 .2" limited="true"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        for backend in BACKENDS {
            let mut batch = Batch::with(&m, 2, Settings::default().backend(backend)).unwrap();
            batch.forward().unwrap();
            let told = format!("{jacobian}, {backend:?}");
            assert_eq!(batch.ints("nefc").unwrap(), [rows; 2], "{told}");
            let lever = batch.reals("ten_J").unwrap();
            assert!(lever.iter().all(|x| *x == 0.0), "{told}: {lever:?}");
            let qacc = batch.reals("qacc").unwrap();
            let fall = [0.0, 0.0, -9.81, 0.0, 0.0, 0.0];
            for (got, want) in qacc.iter().zip(fall.iter().cycle()) {
                assert!((got - want).abs() < 1e-3, "{told}: {qacc:?}");
            }
        }
    }
}
