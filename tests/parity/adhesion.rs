//! Parity of `adhesion`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("adhesion", 2e-5, &[]);
}
