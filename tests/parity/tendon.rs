//! Parity of `tendon`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("tendon", 2e-5, &[]);
}
