//! Parity of `inverse_skip`.

#[test]
fn shader_and_twin_agree() {
    // inertia, bias and constraints cancel to what is applied
    super::body::parity("inverse_skip", 5e-3, &["qacc"]);
}
