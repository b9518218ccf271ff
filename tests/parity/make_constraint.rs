//! Parity of `make_constraint`.

#[test]
fn shader_and_twin_agree() {
    // the derivative of the impedance of a satisfied equality: rounding errors of two positions, divided by the square of a millimetre
    let slope = [("efc_KBIP", 2e-2)];
    super::body::parity_but("make_constraint", 2e-5, &["needed", "overflow"], &slope);
}
