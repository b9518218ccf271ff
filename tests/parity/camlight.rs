//! Parity of `camlight`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("camlight", 2e-4, &[]);
}
