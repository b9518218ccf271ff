//! Parity of `rne`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("rne", 5e-4, &[]);
}
