//! Parity of `energy`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("energy", 1e-5, &[]);
}
