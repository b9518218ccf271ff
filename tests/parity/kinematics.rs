//! Parity of `kinematics`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("kinematics", 2e-6, &[]);
}
