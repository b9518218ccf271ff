//! Parity of `check_pos`.

#[test]
fn shader_and_twin_agree() {
    let state = [
        "qpos",
        "qvel",
        "act",
        "history",
        "plastic",
        "qacc_warmstart",
        "rk_stage",
        "ctrl",
        "qfrc_applied",
        "xfrc_applied",
        "eq_active",
        "mocap_pos",
        "mocap_quat",
        "warning",
        "overflow",
        "needed",
        "time",
    ];
    super::body::parity("check_pos", 0.0, &state);
}
