//! Steps 256 humanoids with different initial velocities, and prints how many still stand.
//!
//!     cargo run --release --example rollout

use manyworlds::{Batch, Model, Result};

const WORLDS: usize = 256;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_path("models/humanoid.xml")?;
    let mut batch = Batch::new(&model, WORLDS)?;
    println!("{WORLDS} worlds on {}", batch.device());

    // N x nv generalized velocities (m/s, rad/s)
    let qvel: Vec<f64> = (0..WORLDS * model.nv)
        .map(|k| 0.5 * (1.7 * k as f64).sin())
        .collect();
    batch.set("qvel", &qvel)?;
    for tenth in 1..=10 {
        batch.step(20)?;
        let heights = batch.reals("qpos")?.chunks(model.nq).map(|qpos| qpos[2]);
        let standing = heights.filter(|&height| height > 0.8).count();
        println!(
            "after {:.1} s {standing} stand",
            20.0 * f64::from(tenth) * model.opt.timestep
        );
    }

    // names the worlds that diverged or overflowed
    for flag in batch.flags()? {
        println!("{flag}");
    }
    Ok(())
}
