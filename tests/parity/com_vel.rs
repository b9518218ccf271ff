//! Parity of `com_vel`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("com_vel", 5e-6, &[]);
}
