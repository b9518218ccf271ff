//! Parity of `euler`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity(
        "euler",
        5e-4,
        &["act", "plastic", "qpos", "qvel", "time", "warning"],
    );
}
