//! Parity of `solve_cg`.

use manyworlds::model::Arrays;
use manyworlds::types::Solver;

use super::solver::{Way, parity};

fn choose(m: &mut Arrays) {
    m.opt.solver = Solver::Cg as i32;
}

#[test]
fn shader_and_twin_agree() {
    let models = ["limits", "equalities", "elliptic"];
    parity("solve_cg", Way::Whole(&[16, 32]), &models, choose);
}

#[test]
fn shader_and_twin_agree_on_a_humanoid() {
    parity("solve_cg", Way::Whole(&[32]), &["humanoid"], choose);
}

#[test]
fn the_first_steps_agree() {
    // 33 iterations, since a compiler might unroll 32
    parity("solve_cg", Way::First(33), &["limits"], choose);
}
