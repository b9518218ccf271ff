//! Parity of `wake_collision`, and of the stage that it runs again.

#[test]
fn shader_and_twin_agree() {
    super::sleep::of_sleepers(super::sleep::MODELS, &["wake_collision"], 1e-4);
}
