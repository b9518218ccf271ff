//! Parity of `solve_newton`.

use manyworlds::types::Cone;

use super::solver::parity;

#[test]
fn shader_and_twin_agree() {
    parity("solve_newton", |_, _| true);
}

#[test]
fn shader_and_twin_agree_on_elliptic_cones() {
    parity("solve_newton", |_, m| {
        m.opt.cone = Cone::Elliptic as i32;
        m.ncollision > 0
    });
}
