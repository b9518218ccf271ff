//! Parity of `implicit`.

// the force is a sum of M's entries times accelerations, which nearly cancel; the digits that an f32 keeps suffice for the state
#[test]
fn shader_and_twin_agree() {
    let inout = [
        "act",
        "qpos",
        "qvel",
        "time",
        "warning",
        "qH",
        "qHDiagInv",
        "qLU",
    ];
    let but = [("implicit_qfrc", 3e-3), ("implicit_qacc", 3e-3)];
    super::body::parity_but("implicit", 5e-4, &inout, &but);
}
