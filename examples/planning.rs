//! Swings a pole up by planning on the way (MPPI): at each of 75 instants 4096 worlds try forces, and those that did well are followed.
//!
//!     cargo run --release --example planning

use manyworlds::batch::{Backend, In, Out, Settings, random::normal};
use manyworlds::{Batch, Model, Result};
use std::time::Instant;

const CART: &str = r#"<mujoco> <option timestep="0.02"/> <worldbody> <body>
  <joint name="rail" type="slide" axis="1 0 0"/> <geom type="box" size="0.2 0.1 0.1" mass="1"/> <body>
    <joint name="hinge" axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 0 0 -0.8" size="0.04" mass="0.2"/>
</body> </body> </worldbody> <actuator> <motor joint="rail" gear="20" ctrlrange="-1 1"/> </actuator> </mujoco>"#;
const WORLDS: usize = 4096;
const INSTANTS: usize = 75;
// a plan has 30 controls, each for two timesteps
const AHEAD: usize = 30;
const HELD: usize = 2;

// cost of a place on the rail (m), an angle (rad; pi is up) and their velocities
fn cost(x: &[f32], v: &[f32]) -> f32 {
    1.0 + x[1].cos() + 0.2 * x[0] * x[0] + 0.01 * (v[0] * v[0] + v[1] * v[1])
}

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_str(CART)?;
    let settings = Settings::default().backend(Backend::Cpu);
    let mut cart = Batch::with(&model, 1, settings.clone())?;
    let mut worlds = Batch::with(&model, WORLDS, settings.backend(Backend::Simd))?;
    let (mut qpos, mut qvel) = (vec![0.0; 2 * WORLDS], vec![0.0; 2 * WORLDS]);
    let (mut plan, mut longest, mut last) = (vec![0.0; AHEAD], 0.0_f64, 0.0);
    let start = Instant::now();
    for instant in 0..INSTANTS {
        let clock = Instant::now();
        let noise = |w, k| 0.5 * normal(instant as u64, w as u64, k as u64) as f32;
        let (x, v) = (cart.reals("qpos")?.to_vec(), cart.reals("qvel")?.to_vec());
        worlds.set("qpos", &x)?;
        worlds.set("qvel", &v)?;
        let mut costs = vec![0.0; WORLDS];
        for (k, u) in plan.iter().enumerate() {
            let ctrl: Vec<f32> = (0..WORLDS).map(|w| u + noise(w, k)).collect();
            let out = &mut [("qpos", Out::F32(&mut qpos)), ("qvel", Out::F32(&mut qvel))];
            worlds.control(&[("ctrl", In::F32(&ctrl))], HELD, out)?;
            let states = qpos.chunks(2).zip(qvel.chunks(2));
            costs
                .iter_mut()
                .zip(states)
                .for_each(|(sum, (x, v))| *sum += cost(x, v));
        }
        // each world's noise counts by how much it costs more than the best
        let least = costs.iter().copied().fold(f32::MAX, f32::min);
        let weights: Vec<f32> = costs.iter().map(|x| (least - x).exp()).collect();
        let all: f32 = weights.iter().sum();
        for (k, u) in plan.iter_mut().enumerate() {
            *u += weights
                .iter()
                .enumerate()
                .map(|(w, x)| x * noise(w, k))
                .sum::<f32>()
                / all;
            *u = u.clamp(-1.0, 1.0);
        }
        cart.set("ctrl", &[f64::from(plan[0])])?;
        cart.step(HELD)?;
        plan.rotate_left(1);
        plan[AHEAD - 1] = 0.0;
        longest = longest.max(clock.elapsed().as_secs_f64());
        last = x[1].cos();
        println!(
            "{:.2} s: cart {:.3} m, pole {:.3} rad",
            0.04 * instant as f64,
            x[0],
            x[1]
        );
    }
    println!(
        "{:.2} s, a plan takes {longest:.4} s at most",
        start.elapsed().as_secs_f64()
    );
    assert!(last < -0.98);
    Ok(())
}
