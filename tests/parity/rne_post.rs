//! Parity of `rne_post`.

#[test]
fn shader_and_twin_agree() {
    // what a body takes to move and what pushes it from outside cancel to what its parent gives
    let between = [("cfrc_int", 2e-3)];
    super::body::parity_but("rne_post", 5e-4, &[], &between);
}
