//! Parity of `solve_noslip`.

use manyworlds::model::Arrays;

use super::solver::{Way, parity};

fn choose(m: &mut Arrays) {
    m.opt.noslip_iterations = 10;
}

#[test]
fn shader_and_twin_agree() {
    let models = ["limits", "equalities", "elliptic", "humanoid"];
    parity("solve_noslip", Way::Whole(&[32]), &models, choose);
}

#[test]
fn the_first_steps_agree() {
    let models = ["limits", "equalities", "elliptic", "cones"];
    parity("solve_noslip", Way::First(8), &models, choose);
}
