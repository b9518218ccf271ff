//! Parity of `settle`.

#[test]
fn shader_and_twin_agree() {
    let inout = [
        "M",
        "qLD",
        "qLDiagInv",
        "qH",
        "qHDiagInv",
        "efm_M",
        "qacc",
        "qfrc_smooth",
    ];
    super::body::parity("settle", 2e-4, &inout);
}
