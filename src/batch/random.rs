//! Random numbers for initial states and controls of worlds.

use super::Batch;
use crate::error::Result;
use crate::types::JointType;

/// A uniform random number in [0, 1). It depends on seed, world and index only, so world 7 gets the same numbers however many
/// worlds there are.
pub fn uniform(seed: u64, world: u64, index: u64) -> f64 {
    // splitmix64, three times
    let mix = |x: u64| {
        let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let bits = mix(mix(mix(seed) ^ world) ^ index);
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A standard normal random number (Box–Muller).
pub fn normal(seed: u64, world: u64, index: u64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(seed, world, 2 * index)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(seed, world, 2 * index + 1)).cos()
}

impl Batch {
    /// Adds normal random numbers times `size` to the positions of hinges and slides and to all velocities of every world (rad, m, 1/s).
    ///
    /// Fails with [`Error::Device`](crate::Error::Device) where the device does.
    pub fn scatter(&mut self, seed: u64, size: f64) -> Result<()> {
        let (qpos, qvel) = (self.reals("qpos")?.to_vec(), self.reals("qvel")?.to_vec());
        self.scatter_from(seed, size, qpos, qvel)
    }

    /// Like [`Batch::scatter`], for worlds whose `qpos` and `qvel` are known.
    pub(crate) fn scatter_from(
        &mut self,
        seed: u64,
        size: f64,
        mut qpos: Vec<f64>,
        mut qvel: Vec<f64>,
    ) -> Result<()> {
        let m = self.model();
        for w in 0..self.nworld() {
            for j in 0..m.njnt {
                let scalar = m.jnt_type[j] == JointType::Hinge || m.jnt_type[j] == JointType::Slide;
                if scalar {
                    qpos[w * m.nq + m.jnt_qposadr[j] as usize] +=
                        size * normal(seed, w as u64, j as u64);
                }
            }
            for i in 0..m.nv {
                qvel[w * m.nv + i] += size * normal(seed ^ 1, w as u64, i as u64);
            }
        }
        self.set("qpos", &qpos)?;
        self.set("qvel", &qvel)
    }

    /// Sets every control of every world to a random number, the same for the same seed and index. It is uniform in the fraction `share` of the
    /// control's range (-1 to 1 where it has none), centred on the middle of the range.
    ///
    /// Fails with [`Error::Device`](crate::Error::Device) where the device does.
    pub fn shake(&mut self, seed: u64, index: usize, share: f64) -> Result<()> {
        let m = self.model();
        let mut ctrl = Vec::with_capacity(self.nworld() * m.nu);
        for w in 0..self.nworld() {
            for i in 0..m.nu {
                let [lo, hi] = match m.actuator_ctrllimited[i] {
                    0 => [-1.0, 1.0],
                    _ => [m.actuator_ctrlrange[2 * i], m.actuator_ctrlrange[2 * i + 1]],
                };
                let margin = 0.5 * (1.0 - share) * (hi - lo);
                let (lo, hi) = (lo + margin, hi - margin);
                let x = uniform(seed, w as u64, (index * m.nu + i) as u64);
                ctrl.push(lo + (hi - lo) * x);
            }
        }
        self.set("ctrl", &ctrl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::batch::{Backend, Settings};

    #[test]
    fn controls_stay_in_their_share_of_the_range() -> Result<()> {
        let m = Model::from_xml_path("models/humanoid.xml")?;
        for backend in [Backend::Cpu, Backend::Simd] {
            let settings = Settings {
                backend,
                ..Settings::default()
            };
            let mut batch = Batch::with(&m, 20, settings)?;
            for share in [1.0, 0.25] {
                batch.shake(7, 3, share)?;
                let ctrl = batch.reals("ctrl")?;
                let most = ctrl.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                assert!(most <= share && most > 0.9 * share, "{most} of {share}");
            }
            batch.scatter(7, 0.1)?;
            let all = batch.reals("qvel")?.to_vec();
            let mut few = Batch::with(&m, 3, batch.settings.clone())?;
            few.scatter(7, 0.1)?;
            assert_eq!(few.reals("qvel")?, &all[..3 * m.nv]);
        }
        Ok(())
    }
}
