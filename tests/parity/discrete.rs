//! Parity of `discrete`.

#[test]
fn shader_and_twin_agree() {
    let inout = ["act", "qpos", "qvel", "time", "plastic"];
    super::body::parity("discrete", 2e-5, &inout);
}
