//! Parity of `metric`.

#[test]
fn shader_and_twin_agree() {
    let inout = [
        "warning",
        "M",
        "qLD",
        "qLDiagInv",
        "qfrc_smooth",
        "efc_R",
        "efc_D",
        "efc_diagA",
        "efc_aref",
    ];
    super::body::parity("metric", 2e-4, &inout);
}
