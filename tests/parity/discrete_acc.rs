//! Parity of `discrete_acc`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("discrete_acc", 2e-4, &["qacc"]);
}
