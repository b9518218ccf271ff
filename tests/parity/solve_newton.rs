//! Parity of `solve_newton`.

use manyworlds::types::Cone;

use super::solver::{Way, parity};

#[test]
fn shader_and_twin_agree() {
    let models = [
        "limits",
        "equalities",
        "elliptic",
        "cones",
        "quadruped",
        "humanoid",
    ];
    parity("solve_newton", Way::Whole(&[1, 16, 32]), &models, |_| {});
}

#[test]
fn shader_and_twin_agree_on_a_humanoid_with_elliptic_cones() {
    parity("solve_newton", Way::Whole(&[32]), &["humanoid"], |m| {
        m.opt.cone = Cone::Elliptic as i32;
    });
}
