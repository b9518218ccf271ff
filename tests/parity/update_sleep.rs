//! Parity of `update_sleep`.

#[test]
fn shader_and_twin_agree() {
    super::sleep::of_sleepers(super::sleep::MODELS, &["update_sleep"], 0.0);
}
