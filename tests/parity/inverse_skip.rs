//! Parity of `inverse_skip`.

#[test]
fn shader_and_twin_agree() {
    // inertial, bias and constraint forces nearly cancel in the result
    super::body::parity("inverse_skip", 5e-3, &["qacc"]);
}
