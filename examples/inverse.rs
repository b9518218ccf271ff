//! Joint torques that hold a quadruped still in the air: inverse dynamics of many poses at once.
//!
//!     cargo run --release --example inverse

use manyworlds::{Batch, Model, Result};

const WORLDS: usize = 16;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_path("models/quadruped.xml")?;
    let mut batch = Batch::new(&model, WORLDS)?;

    // above the floor without contacts, the legs bent a little more in each world (rad)
    let mut qpos = batch.reals("qpos")?.to_vec();
    for (world, qpos) in qpos.chunks_mut(model.nq).enumerate() {
        qpos[2] = 2.0;
        qpos[7..].iter_mut().for_each(|q| *q += 0.02 * world as f64);
    }
    batch.set("qpos", &qpos)?;
    batch.set("qvel", &vec![0.0; model.nv])?;
    batch.set("qacc", &vec![0.0; model.nv])?;
    batch.inverse()?;

    // the first six numbers act on the trunk's free joint: the third is the whole weight (N)
    let mass: f64 = model.body_mass.iter().sum();
    println!("{:.2} kg weigh {:.2} N", mass, -mass * model.opt.gravity[2]);
    let forces = batch.reals("qfrc_inverse")?;
    for (world, force) in forces.chunks(model.nv).enumerate().step_by(5) {
        let most = force[6..].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        println!(
            "world {world}: lifted by {:.2} N, at most {most:.3} N m in a joint",
            force[2]
        );
    }
    Ok(())
}
