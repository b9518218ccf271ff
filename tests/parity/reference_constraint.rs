//! Parity of `reference_constraint`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("reference_constraint", 2e-5, &[]);
}
