//! Identifies the masses of an arm by Gauss-Newton from measured torques, with inverse dynamics of worlds with different masses.
//!
//!     cargo run --release --example identification

use manyworlds::batch::{Backend, Settings, random::normal};
use manyworlds::{Batch, Model, Result};

const ARM: &str = r#"<mujoco>
  <default> <joint axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1"/> </default>
  <worldbody> <body> <joint/> <geom/> <body pos="0 0 -0.5"> <joint/> <geom/> </body> </body> </worldbody>
</mujoco>"#;
// each sample has three worlds: with the guessed masses, and with either mass a little larger
const WORLDS: usize = 3 * 20;
const LARGER: f64 = 1e-4;

// inverse dynamics: joint torques (N m) for each world's masses (kg)
fn torques(batch: &mut Batch, masses: &[[f64; 2]]) -> Result<Vec<f64>> {
    let rows: Vec<f64> = masses.iter().flat_map(|m| [0.0, m[0], m[1]]).collect();
    batch.set("body_mass", &rows)?;
    batch.set_const()?;
    batch.inverse()?;
    Ok(batch.reals("qfrc_inverse")?.to_vec())
}

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_str(ARM)?;
    let mut batch = Batch::with(&model, WORLDS, Settings::default().backend(Backend::Cpu))?;
    batch.expand(&["body_mass"])?;
    for (seed, name) in [(1, "qpos"), (2, "qvel"), (3, "qacc")] {
        let of = |k: usize| 2.0 * normal(seed, (k / 6) as u64, (k % 2) as u64);
        batch.set(name, &(0..2 * WORLDS).map(of).collect::<Vec<f64>>())?;
    }
    let measured = torques(&mut batch, &[[2.5, 0.7]; WORLDS])?;
    let first = torques(&mut batch, &[[1.0, 1.0]; WORLDS])?;
    let mut masses = [1.0, 1.0];
    for _ in 0..3 {
        let [a, b] = masses;
        let guesses = [[a, b], [a + LARGER, b], [a, b + LARGER]].repeat(WORLDS / 3);
        let found = torques(&mut batch, &guesses)?;
        // derivatives of a torque by the masses, and its residual; sums of their products
        let slope = |k: usize, i: usize| (found[k + 2 * i + 2] - found[k]) / LARGER;
        let sum = |of: &dyn Fn(usize) -> f64| {
            (0..WORLDS / 3)
                .map(|n| of(6 * n) + of(6 * n + 1))
                .sum::<f64>()
        };
        let [p, q, r] = [(0, 0), (0, 1), (1, 1)].map(|(i, j)| sum(&|k| slope(k, i) * slope(k, j)));
        let [x, y] = [0, 1].map(|i| sum(&|k| slope(k, i) * (measured[k] - found[k])));
        masses[0] += (r * x - q * y) / (p * r - q * q);
        masses[1] += (p * y - q * x) / (p * r - q * q);
        println!("{:.6} kg and {:.6} kg", masses[0], masses[1]);
    }
    let found = torques(&mut batch, &[masses; WORLDS])?;
    for k in (0..2 * WORLDS).filter(|k| k % 6 < 2) {
        println!("{} {} {} N m", measured[k], first[k], found[k]);
    }
    assert!((masses[0] - 2.5).abs() < 1e-6 && (masses[1] - 0.7).abs() < 1e-6);
    Ok(())
}
