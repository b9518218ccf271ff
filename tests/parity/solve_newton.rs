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

#[test]
fn cold_worlds_find_the_optimum() {
    super::cold::converges("solve_newton", r#"tolerance="1e-13""#, 8, 256);
}
