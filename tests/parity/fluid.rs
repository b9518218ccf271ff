//! Parity of `fluid`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("fluid", 1e-4, &[]);
}
