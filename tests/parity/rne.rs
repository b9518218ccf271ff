//! Parity of `rne`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("rne", 2e-5, &[]);
}
