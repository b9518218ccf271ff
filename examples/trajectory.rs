//! Swings a pendulum up with the least effort, by shooting: every timestep of the swing is a world, and all are linearised at once.
//!
//!     cargo run --release --example trajectory

use manyworlds::batch::{Backend, Settings, To};
use manyworlds::{Batch, Model, Result};
use std::f64::consts::PI;

const PENDULUM: &str = r#"<mujoco> <option timestep="0.02"/> <worldbody> <body>
  <joint name="hinge" axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.04" mass="1"/>
</body> </worldbody> <actuator> <motor joint="hinge"/> </actuator> </mujoco>"#;
const STEPS: usize = 100;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_str(PENDULUM)?;
    let settings = Settings::default().backend(Backend::Cpu);
    let mut pendulum = Batch::with(&model, 1, settings.clone())?;
    let mut instants = Batch::with(&model, STEPS, settings)?;
    let (mut torque, mut change, mut effort, mut qpos) = (vec![0.0; STEPS], 1.0, 0.0, vec![]);
    while change > 1e-6 {
        // simulates the swing with these torques (N m), from rest at the bottom
        pendulum.reset(To::Qpos0)?;
        let mut qvel = vec![0.0];
        qpos = vec![0.0];
        for u in &torque {
            pendulum.set("ctrl", &[*u])?;
            pendulum.step(1)?;
            qpos.extend(pendulum.reals("qpos")?);
            qvel.extend(pendulum.reals("qvel")?);
        }
        instants.set("qpos", &qpos[..STEPS])?;
        instants.set("qvel", &qvel[..STEPS])?;
        instants.set("ctrl", &torque)?;
        let slopes = instants.transition(None)?;
        // derivative of the last state by the torque of each timestep
        let (mut rows, mut g) = ([[1.0, 0.0], [0.0, 1.0]], vec![[0.0; 2]; STEPS]);
        for t in (0..STEPS).rev() {
            let (a, b) = (&slopes.A[4 * t..], &slopes.B[2 * t..]);
            g[t] = rows.map(|r| r[0] * b[0] + r[1] * b[1]);
            rows = rows.map(|r| [0, 1].map(|k| r[0] * a[k] + r[1] * a[2 + k]));
        }
        // torques of least norm that end at rest at the top, to first order: g (g' g)^-1 times the required change of the last state
        let sum = |of: &dyn Fn(usize) -> f64| (0..STEPS).map(of).sum::<f64>();
        let [p, q, r] = [(0, 0), (0, 1), (1, 1)].map(|(i, j)| sum(&|t| g[t][i] * g[t][j]));
        let miss = [PI - qpos[STEPS], -qvel[STEPS]];
        let [x, y] = [0, 1].map(|i| miss[i] + sum(&|t| g[t][i] * torque[t]));
        let by = [r * x - q * y, p * y - q * x].map(|x| x / (p * r - q * q));
        let least = g.iter().map(|g| g[0] * by[0] + g[1] * by[1]).collect();
        let before = std::mem::replace(&mut torque, least);
        change = sum(&|t| (torque[t] - before[t]).abs());
        effort = sum(&|t| 0.02 * torque[t] * torque[t]);
        println!("swings with an effort of {effort:.4} N2 m2 s");
    }
    for (angle, u) in qpos.iter().zip(&torque) {
        println!("at {angle:.4} rad with {u:.4} N m");
    }
    assert!((effort - 9.2414).abs() < 1e-3);
    Ok(())
}
