//! Parity of `fwd_actuation`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("fwd_actuation", 2e-5, &["warning"]);
}
