//! Parity of `exact_diagonal`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("exact_diagonal", 2e-5, &["efc_R", "efc_D", "efc_diagA"]);
}
