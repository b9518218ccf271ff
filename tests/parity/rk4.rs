//! Parity of `rk4`.

#[test]
fn shader_and_twin_agree() {
    // arrays that the stage changes; and arrays that only the first evaluation computes
    let inout = [
        "qpos",
        "qvel",
        "act",
        "time",
        "plastic",
        "qacc",
        "qacc_warmstart",
        "rk_qpos",
        "rk_qvel",
        "rk_act",
        "ten_length",
        "ten_J",
        "rk_ten_length",
        "rk_ten_J",
        "rk_time",
        "rk_stage",
        "rk_vel",
        "rk_dqpos",
        "rk_dqvel",
        "rk_dact",
    ];
    for evaluation in 0..4 {
        super::body::parity_at(evaluation, "rk4", 1e-4, &inout, &[]);
    }
}
