//! Parity of `make_constraint`.

#[test]
fn shader_and_twin_agree() {
    // the slope of the impedance of an equality that is met: the last bits of two positions, over the square of a millimetre
    let slope = [("efc_KBIP", 2e-2)];
    super::body::parity_but("make_constraint", 2e-5, &["needed", "overflow"], &slope);
}
