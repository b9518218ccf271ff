//! Parity of `collision`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("collision", 1e-4, &["needed", "overflow"]);
}
