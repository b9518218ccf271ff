//! Parity of `fwd_velocity`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("fwd_velocity", 1e-5, &[]);
}
