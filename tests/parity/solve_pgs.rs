//! Parity of `solve_pgs`.

use manyworlds::model::Arrays;
use manyworlds::types::Solver;

use super::solver::{Way, parity};

fn choose(m: &mut Arrays) {
    m.opt.solver = Solver::Pgs as i32;
}

#[test]
fn shader_and_twin_agree() {
    let models = ["limits", "equalities", "elliptic", "humanoid"];
    parity("solve_pgs", Way::Whole(&[32]), &models, choose);
}

#[test]
fn the_first_steps_agree() {
    let models = ["limits", "equalities", "elliptic", "cones"];
    parity("solve_pgs", Way::First(8), &models, choose);
}
