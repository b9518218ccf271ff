//! Parity of `inverse_metric`.

#[test]
fn shader_and_twin_agree() {
    let inout = [
        "warning",
        "M",
        "qLD",
        "qLDiagInv",
        "qH",
        "qHDiagInv",
        "efm_M",
        "efm_c",
        "efc_R",
        "efc_D",
        "efc_diagA",
        "efc_aref",
    ];
    super::body::parity("inverse_metric", 2e-4, &inout);
}
