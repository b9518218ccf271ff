//! Parity of `flex`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("flex", 2e-5, &[]);
}
