//! The step of a cart with a pole, linearised at the upright and at the hanging pole.
//!
//!     cargo run --release --example derivative

use manyworlds::batch::{Backend, Settings};
use manyworlds::{Batch, Model, Result};
use std::f64::consts::PI;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_path("models/cartpole.xml")?;
    let settings = Settings::default().backend(Backend::Cpu);
    let mut batch = Batch::with(&model, 2, settings)?;
    // N x nq: position of the cart (m), angle of the pole (rad)
    batch.set("qpos", &[0.0, 0.0, 0.0, PI])?;

    // next state = A state + B control, state = (dq, qvel)
    let slopes = batch.transition(None)?;
    let n = slopes.ndx;
    for (world, name) in ["stands", "hangs"].iter().enumerate() {
        println!("where the pole {name}, A =");
        for row in slopes.A[world * n * n..][..n * n].chunks(n) {
            let row: Vec<String> = row.iter().map(|x| format!("{x:9.5}")).collect();
            println!("  {}", row.join(" "));
        }
        let push: Vec<String> = slopes.B[world * n * model.nu..][..n * model.nu]
            .iter()
            .map(|x| format!("{x:9.5}"))
            .collect();
        println!("B = {}", push.join(" "));
    }
    Ok(())
}
