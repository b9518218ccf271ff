//! Parity of `passive`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("passive", 2e-5, &[]);
}
