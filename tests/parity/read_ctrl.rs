//! Parity of `read_ctrl`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("read_ctrl", 2e-5, &[]);
}
