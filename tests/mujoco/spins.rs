//! Contacts foreseen within the timestep (`speculative`) of bodies that fall and spin fast, against MuJoCo 4.0.0
//! (`tests/golden/make_spins.py`).

use crate::common::Golden;
use crate::common::backends::{BACKENDS, by_precision, worlds};
use manyworlds::Model;
use manyworlds::batch::Backend;

// a bound on the speed of a shape that turns fast is far above its speed: after 16 steps the rest of the way is taken at the present
// speed. On a device tests/parity/collision.rs compares the kernel with its twin
#[test]
fn spinning_bodies_are_met_ahead_of_time_as_in_mujoco() {
    let golden = Golden::open("tests/golden/spins.npz");
    let m = Model::from_xml_path("tests/golden/spins.xml").unwrap();
    let num = golden.get("ncon").unwrap();
    for backend in BACKENDS.into_iter().filter(|b| *b != Backend::Gpu) {
        let mut batch = worlds(&m, num.len(), backend);
        for field in ["qpos", "qvel"] {
            batch.set(field, golden.get(field).unwrap()).unwrap();
        }
        batch.forward().unwrap();
        let ncon = batch.ints("ncon").unwrap().to_vec();
        let dist = batch.reals("contact_dist").unwrap().to_vec();
        let pos = batch.reals("contact_pos").unwrap();
        let places = dist.len() / num.len();
        let (mut met, mut near) = (0, 0);
        for (k, &num) in num.iter().enumerate() {
            let want = golden.state("con", k);
            assert_eq!(f64::from(ncon[k]), num, "{backend:?}, state {k}");
            for (c, want) in want.chunks_exact(9).take(num as usize).enumerate() {
                let at = k * places + c;
                let mut have = vec![dist[at]];
                have.extend(&pos[3 * at..3 * at + 3]);
                let error = crate::common::error(&have, &want[2..6]);
                met += 1;
                near += u32::from(error < by_precision(backend, 1e-6, 1e-3));
            }
        }
        println!("{backend:?}: {near} of {met}");
        assert!(met > 100 && near == met, "{backend:?}: {near} of {met}");
    }
}
