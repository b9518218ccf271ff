//! Parity of `write_history`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("write_history", 1e-6, &["history"]);
}
