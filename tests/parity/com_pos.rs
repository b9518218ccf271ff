//! Parity of `com_pos`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("com_pos", 2e-4, &[]);
}
