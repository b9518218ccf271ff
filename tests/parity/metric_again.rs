//! Parity of `metric_again`.

#[test]
fn shader_and_twin_agree() {
    let inout = ["M", "qLD", "qLDiagInv", "qH", "qHDiagInv", "efm_M"];
    super::body::parity("metric_again", 1e-6, &inout);
}
