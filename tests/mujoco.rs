//! The twins against MuJoCo 4.0.0, stage by stage, on the goldens of `models/`.

mod common;

use common::Golden;

#[test]
fn a_golden_is_read() {
    let golden = Golden::open("tests/golden/cartpole.npz");
    let m = golden.model();
    assert!(m.nv > 0 && golden.nstate() > 0);
}
