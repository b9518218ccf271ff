//! Solvers from cold, deep, stiff and slippery states: the share of some thousand worlds that reach the optimum.
//!
//! Twins compute the input of the solver, rounded to `f32`; shader and twin then solve the same problem. The option
//! `tolerance` is far below the precision of `f32`, so that the shader's stopping rule for `f32` decides.

use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::verify::round_data;
use manyworlds::gpu::{Config, Gpu};
use manyworlds::stages;
use manyworlds::types::OVERFLOW_TURNS;

use super::body::device;
use crate::common::cold::{Tally, models, narrow, off, worlds};

/// At most one world in a thousand has an error above 1e-4 in acceleration or force; on narrow cones one in fifty.
pub fn converges(name: &str, option: &str, lanes: u32, n: usize) {
    let tolerance = 1e-4;
    let stage = stages::stage(name).unwrap();
    let mut tallies = [(); 2].map(|()| (Tally::default(), String::new()));
    for (place, m) in models(option) {
        let walk = step_walk(&m);
        assert!(walk.iter().any(|s| s.name == name), "{place}");
        let mut before = worlds(&m, n);
        for d in &mut before {
            let stages = walk.iter().take_while(|s| s.name != name);
            stages.for_each(|stage| (stage.twin)(&m, d));
            round_data(d);
        }
        let config = Config {
            nworld: n,
            lanes,
            checked: false,
            fuse: 1,
            ..Config::default()
        };
        let mut gpu = Gpu::new(device(), &m, &config).unwrap();
        gpu.set_data(&before).unwrap();
        gpu.run_stages(&[stage]).unwrap();
        let mut here = Tally::default();
        for (w, (have, mut want)) in gpu.data().unwrap().iter().zip(before).enumerate() {
            assert_eq!(have.overflow[0] & OVERFLOW_TURNS, 0, "{place}: world {w}");
            if want.nefc[0] == 0 {
                continue;
            }
            (stage.twin)(&m, &mut want);
            let force = off(&have.qfrc_constraint, &want.qfrc_constraint);
            let error = off(&have.qacc, &want.qacc).max(force);
            let iterations = [have, &want].map(|d| d.solver_niter[0]);
            here.add(w, error, tolerance, iterations);
        }
        let (all, said) = &mut tallies[usize::from(narrow(&place))];
        said.push_str(&all.join(&place, here));
    }
    let [(wide, said), (slim, slim_said)] = &tallies;
    wide.at_most_one_in(1000, 1e-3, said);
    slim.at_most_one_in(50, 0.05, slim_said);
}
