//! Parity of `transmission`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("transmission", 2e-5, &[]);
}
