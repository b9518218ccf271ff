//! Worlds in cold states on `simd` (single precision): accelerations compared with those of the reference.
//! For the device, `tests/parity` compares the solvers alone.

use crate::common::cold::{Tally, models, narrow, off, worlds};
use manyworlds::Batch;
use manyworlds::batch::{Backend, Settings};

const NWORLD: usize = 512;

#[test]
fn cold_worlds_find_the_optimum_side_by_side() {
    let mut tallies = [(); 2].map(|()| (Tally::default(), String::new()));
    // the last bits may decide whether a cylinder stands on its cap or its rim: a difference of contacts, not of the solver
    let plain = models(r#"tolerance="1e-13""#);
    for (place, m) in plain
        .into_iter()
        .filter(|(place, _)| !place.contains("light body"))
    {
        let states = worlds(&m, NWORLD);
        let mut sides = [Backend::Simd, Backend::Cpu].map(|backend| {
            let settings = Settings::default().backend(backend);
            let mut batch = Batch::with(&m, NWORLD, settings).unwrap();
            let all = |field: fn(&manyworlds::Data) -> &Vec<f64>| -> Vec<f64> {
                states.iter().flat_map(field).copied().collect()
            };
            batch.set("qpos", &all(|d| &d.qpos)).unwrap();
            batch.set("qvel", &all(|d| &d.qvel)).unwrap();
            batch
                .set("qacc_warmstart", &all(|d| &d.qacc_warmstart))
                .unwrap();
            batch.forward().unwrap();
            batch
        });
        let mut here = Tally::default();
        let niter = sides
            .each_mut()
            .map(|b| b.ints("solver_niter").unwrap().to_vec());
        let both = sides
            .each_mut()
            .map(|b| ["qacc", "qfrc_constraint"].map(|name| b.reals(name).unwrap().to_vec()));
        for w in 0..NWORLD {
            let own = w * m.nv..(w + 1) * m.nv;
            let error = (0..2).map(|k| off(&both[0][k][own.clone()], &both[1][k][own.clone()]));
            here.add(
                w,
                error.fold(0.0, f64::max),
                1e-4,
                [niter[0][w], niter[1][w]],
            );
        }
        let (all, said) = &mut tallies[usize::from(narrow(&place))];
        said.push_str(&all.join(&place, here));
    }
    let [(wide, said), (slim, slim_said)] = &tallies;
    println!("{said}{slim_said}");
    wide.at_most_one_in(1000, 1e-3, said);
    slim.at_most_one_in(50, 0.05, slim_said);
}
