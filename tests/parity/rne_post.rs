//! Parity of `rne_post`.

#[test]
fn shader_and_twin_agree() {
    // the inertial force of a body and the external forces nearly cancel in the force of its parent
    let between = [("cfrc_int", 2e-3)];
    super::body::parity_but("rne_post", 5e-4, &[], &between);
}
