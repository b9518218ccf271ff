//! Parity of `crb`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("crb", 5e-6, &[]);
}
