//! Parity of `inverse_settle`.

#[test]
fn shader_and_twin_agree() {
    let inout = [
        "M",
        "qLD",
        "qLDiagInv",
        "qH",
        "qHDiagInv",
        "efm_M",
        "qfrc_inverse",
    ];
    super::body::parity("inverse_settle", 2e-4, &inout);
}
