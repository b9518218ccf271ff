//! Flexes that yield beyond what a plastic strain may be, against MuJoCo 4.0.0 (`tests/golden/make_squash.py`).

use crate::common::Golden;
use crate::common::backends::{BACKENDS, by_precision, worlds};
use manyworlds::Model;
use manyworlds::batch::To;

#[test]
fn plastic_strains_have_mujocos_bounds() {
    let golden = Golden::open("tests/golden/squash.npz");
    let cases: Vec<_> = include_str!("../golden/squash_cases.txt").lines().collect();
    for (k, case) in cases.chunks_exact(2).enumerate() {
        let m = Model::from_xml_str(case[1]).unwrap_or_else(|e| panic!("{}: {e}", case[0]));
        for backend in BACKENDS {
            let mut batch = worlds(&m, 1, backend);
            batch.reset(To::Key(0)).unwrap();
            for step in 0..10 {
                batch.step(1).unwrap();
                for field in ["plastic", "qpos"] {
                    let want = golden.get(&format!("{field}/{k}")).unwrap();
                    let have = batch.reals(field).unwrap();
                    let e = crate::common::error(have, &want[step * have.len()..][..have.len()]);
                    let tolerance = by_precision(backend, 1e-9, 2e-4);
                    assert!(e < tolerance, "{} {backend:?} {field} {step}: {e}", case[0]);
                }
            }
        }
    }
}
