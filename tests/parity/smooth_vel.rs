//! Parity of `smooth_vel`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("smooth_vel", 2e-4, &["slope_turn", "slope_momentum"]);
}
