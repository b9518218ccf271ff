//! Parity of `subtree_vel`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("subtree_vel", 2e-5, &[]);
}
