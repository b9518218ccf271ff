//! Parity of `fwd_acceleration`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("fwd_acceleration", 1e-4, &[]);
}
