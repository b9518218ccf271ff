//! Estimates the joint angles of an arm from noisy positions of its tip. World 0 is the arm, the others are Kalman filters.
//!
//!     cargo run --release --example estimation

use manyworlds::batch::{Backend, Settings, random::normal};
use manyworlds::{Batch, Model, Result};
use std::array::from_fn;

const ARM: &str = r#"<mujoco> <option timestep="0.01"/> <default> <joint axis="0 1 0" damping="0.05"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/> </default> <worldbody> <body> <joint/> <geom/>
    <body pos="0 0 -0.5"> <joint/> <geom/> <site name="tip" pos="0 0 -0.5"/> </body> </body> </worldbody>
  <sensor> <framepos objtype="site" objname="tip"/> </sensor> </mujoco>"#;
const ANGLES: [f64; 8] = [1.0, -0.5, 0.8, -0.4, 1.2, -0.3, 0.7, -0.8];

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(crate) fn main() -> Result<()> {
    let settings = Settings::default().backend(Backend::Cpu);
    let mut batch = Batch::with(&Model::from_xml_str(ARM)?, 4, settings)?;
    batch.set("qpos", &ANGLES)?;
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let mut spreads: [[[f64; 4]; 4]; 4] = [from_fn(|i| from_fn(|j| 0.1 * unit(i, j))); 4];
    for k in 0..400 {
        batch.forward()?;
        let tips = batch.reals("sensordata")?.to_vec();
        let slopes = batch.transition(None)?;
        let mut states = [batch.reals("qpos")?.to_vec(), batch.reals("qvel")?.to_vec()];
        for (w, p) in spreads.iter_mut().enumerate().skip(1) {
            // update: the measured position of the tip, x and z (m), corrects the guess
            let mut x = [0.0; 4];
            for j in [0, 2] {
                let seen = tips[j] + 0.01 * normal(1, k, j as u64);
                let c = &slopes.C[12 * w + 4 * j..][..4];
                let pc = p.map(|row| dot(&row, c));
                let by = (seen - tips[3 * w + j] - dot(c, &x)) / (dot(&pc, c) + 1e-3);
                *p = from_fn(|i| from_fn(|l| p[i][l] - pc[i] * pc[l] / (dot(&pc, c) + 1e-3)));
                x = from_fn(|i| x[i] + pc[i] * by);
            }
            let of_world = states.iter_mut().flat_map(|x| &mut x[2 * w..2 * w + 2]);
            of_world.zip(x).for_each(|(to, x)| *to += x);
            // prediction over a timestep: A P A' plus the process noise
            let a = |i: usize| &slopes.A[16 * w + 4 * i..][..4];
            let ap: [[f64; 4]; 4] = from_fn(|i| from_fn(|j| dot(a(i), &p[j])));
            *p = from_fn(|i| from_fn(|j| dot(&ap[i], a(j)) + unit(i, j) * [1e-6, 1e-4][i / 2]));
        }
        batch.set("qpos", &states[0])?;
        batch.set("qvel", &states[1])?;
        batch.step(1)?;
    }
    let angles = batch.reals("qpos")?;
    println!("the arm, then the guesses: {angles:.3?} rad");
    assert!((2..8).all(|i| (angles[i] - angles[i % 2]).abs() < 0.01));
    Ok(())
}
