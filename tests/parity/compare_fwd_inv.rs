//! Parity of `compare_fwd_inv`.

use super::body::parity_at;

#[test]
fn shader_and_twin_agree() {
    // the first occurrence of the stage, before inverse dynamics, and the second, after it
    let kept = [
        "fwdinv_stage",
        "fwdinv_qfrc",
        "fwdinv_force",
        "solver_fwdinv",
    ];
    let inout: Vec<&str> = kept
        .into_iter()
        .chain(["qfrc_constraint", "efc_force"])
        .collect();
    for turn in 0..2 {
        parity_at(turn, "compare_fwd_inv", 1e-4, &inout, &[]);
    }
}
