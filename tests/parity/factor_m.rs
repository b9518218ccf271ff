//! Parity of `factor_m`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("factor_m", 5e-5, &["warning", "overflow"]);
}
