//! Parity of `implicit`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity(
        "implicit",
        5e-4,
        &[
            "act",
            "qpos",
            "qvel",
            "time",
            "warning",
            "qH",
            "qHDiagInv",
            "qLU",
        ],
    );
}
