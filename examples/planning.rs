//! Swings a pole up by planning on the way (MPPI): 25 times a second 4096 worlds try forces, and those that did well are followed.
//!
//!     cargo run --release --example planning

use manyworlds::batch::{Backend, Settings, random::normal};
use manyworlds::{Batch, Model, Result};
use std::time::Instant;

const CART: &str = r#"<mujoco> <option timestep="0.02"/> <worldbody> <body>
  <joint name="rail" type="slide" axis="1 0 0"/> <geom type="box" size="0.2 0.1 0.1" mass="1"/> <body>
    <joint name="pole" axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 0 0 -0.8" size="0.04" mass="0.2"/>
</body> </body> </worldbody> <actuator> <motor joint="rail" gear="20" ctrlrange="-1 1"/> </actuator> <sensor>
  <jointpos joint="rail"/> <jointpos joint="pole"/> <jointvel joint="rail"/> <jointvel joint="pole"/> </sensor> </mujoco>"#;
const WORLDS: usize = 4096;
// controls of a plan, each for two timesteps
const AHEAD: usize = 30;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_str(CART)?;
    let on = |backend| Settings::default().backend(backend);
    let mut cart = Batch::with(&model, 1, on(Backend::Cpu))?;
    let mut worlds = Batch::with(&model, WORLDS, on(Backend::Simd))?;
    // what each world adds to the plan
    let draw = |k| (0..WORLDS as u64).map(move |w| 0.5 * normal(k, w, 0));
    let noise: Vec<Vec<f64>> = (0..AHEAD as u64).map(|k| draw(k).collect()).collect();
    let (mut plan, mut angle, start) = (vec![0.0; AHEAD], 0.0_f64, Instant::now());
    for _ in 0..75 {
        let (x, v) = (cart.reals("qpos")?.to_vec(), cart.reals("qvel")?.to_vec());
        worlds.set("qpos", &x)?;
        worlds.set("qvel", &v)?;
        let mut costs = vec![0.0; WORLDS];
        for (u, noise) in plan.iter().zip(&noise) {
            let ctrl: Vec<f64> = noise.iter().map(|n| u + n).collect();
            worlds.set("ctrl", &ctrl)?;
            worlds.step(2)?;
            // of a place on the rail (m), an angle (rad; pi is up) and their velocities
            let states = worlds.reals("sensordata")?.as_chunks::<4>().0;
            for (cost, [x, angle, v, turn]) in costs.iter_mut().zip(states) {
                *cost += 1.0 + angle.cos() + 0.2 * x * x + 0.01 * (v * v + turn * turn);
            }
        }
        // the forces of a world count by how much more than the best it costs
        let least = costs.iter().copied().fold(f64::MAX, f64::min);
        let weights: Vec<f64> = costs.iter().map(|cost| (least - cost).exp()).collect();
        let all: f64 = weights.iter().sum();
        for (u, noise) in plan.iter_mut().zip(&noise) {
            let change: f64 = weights.iter().zip(noise).map(|(x, n)| x * n).sum();
            *u = (*u + change / all).clamp(-1.0, 1.0);
        }
        cart.set("ctrl", &plan[..1])?;
        cart.step(2)?;
        plan.rotate_left(1);
        angle = x[1];
        println!("at {:.3} m and {angle:.3} rad", x[0]);
    }
    println!("3 s were planned in {:.2?}", start.elapsed());
    assert!(angle.cos() < -0.98);
    Ok(())
}
