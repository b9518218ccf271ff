//! Parity of `inv_constraint`.

#[test]
fn shader_and_twin_agree() {
    // forces of stiff rows nearly cancel in the sum for a dof
    let felt = [("qfrc_constraint", 5e-3)];
    super::body::parity_but("inv_constraint", 1e-3, &[], &felt);
}
