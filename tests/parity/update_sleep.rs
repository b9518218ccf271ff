//! Parity of `update_sleep`.

#[test]
fn shader_and_twin_agree() {
    super::sleep::of_sleepers(&["update_sleep"], 0.0);
}
