//! Carts with poles of different masses: each world has its own row of a field of the model.
//!
//!     cargo run --release --example randomised

use manyworlds::{Batch, Model, Result};

const WORLDS: usize = 5;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_path("models/cartpole.xml")?;
    let mut batch = Batch::new(&model, WORLDS)?;

    // masses (kg) and inertias (kg m^2) from half of the model's to one and a half times
    batch.expand(&["body_mass", "body_inertia"])?;
    for name in ["body_mass", "body_inertia"] {
        let mut rows = batch.reals(name)?.to_vec();
        let words = rows.len() / WORLDS;
        for (world, row) in rows.chunks_mut(words).enumerate() {
            let factor = 0.5 + world as f64 / (WORLDS - 1) as f64;
            row.iter_mut().for_each(|x| *x *= factor);
        }
        batch.set(name, &rows)?;
    }
    // derives the fields that depend on the masses
    batch.set_const()?;

    batch.set("ctrl", &[0.3])?;
    batch.step(50)?;
    let carts = batch.reals("qpos")?.chunks(model.nq).map(|qpos| qpos[0]);
    for (world, x) in carts.enumerate() {
        println!("world {world}: the cart is at {x:.4} m");
    }
    Ok(())
}
