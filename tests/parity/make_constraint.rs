//! Parity of `make_constraint`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("make_constraint", 2e-5, &["needed", "overflow"]);
}
