//! The choice of [`super::Backend::Auto`]: the fastest backend that the machine and the model allow.
//!
//! ```text
//! single precision ──does not hold the model's inertia──────────────────────────────────────────────────────▶ reference
//!   └▶ hardware GPU ──refuses the model, or there is none──▶ worlds side by side ──fewer than pay for the lanes──▶
//! ```

use super::{Settings, Worlds, cpu, gpu};
use crate::cpu::lib::precision::cancellation;
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::simd::Lanes;
use crate::stages;
use crate::types::MAXLOSS;

/// The smallest number of worlds that runs faster in a tile than one world after the other, whatever the number of lanes.
const PAYS: usize = 4;

/// The worlds, and the reason for their backend in a few words.
///
/// Software adapters are not chosen: they are slower than the cores they run on.
pub(super) fn open(
    m: &Model,
    nworld: usize,
    settings: &Settings,
) -> Result<(Box<dyn Worlds>, String)> {
    // settings that name an adapter want that adapter or an error
    if settings.adapter.is_some() {
        let why = "its name was given".to_owned();
        return Ok((gpu::open(m, nworld, settings)?, why));
    }
    if is_coarse(m) {
        let why = "the inertia matrix at qpos0 is too coarse in single precision".to_owned();
        return Ok((cpu::open(m, nworld, settings)?, why));
    }
    let no_gpu = match gpu::hardware() {
        _ if settings.rne_post => {
            "a device does not compute forces between bodies after the last step (rne_post)"
                .to_owned()
        }
        None => gpu::NO_HARDWARE.to_owned(),
        Some(_) if let Some(stage) = stages::hosted(m) => {
            format!("the stage {} of a step has no kernel", stage.name)
        }
        Some(name) => match gpu::open_hardware(m, nworld, settings) {
            Ok(worlds) => return Ok((worlds, "the hardware GPU".to_owned())),
            Err(e @ (Error::Missing(_) | Error::Device(_))) => format!("{name} refuses: {e}"),
            Err(e) => return Err(e),
        },
    };
    if nworld < PAYS {
        let why = format!("{no_gpu}, and too few worlds for simd");
        return Ok((cpu::open(m, nworld, settings)?, why));
    }
    Ok((cpu::open_simd(m, nworld, settings)?, no_gpu))
}

/// Whether single precision loses more than `MAXLOSS` of the accelerations at `qpos0`.
fn is_coarse(m: &Model) -> bool {
    let inertia = ["kinematics", "com_pos", "tendon", "crb", "factor_m"];
    let mut d = Data::new(m);
    stages::fwd_position(m, &mut |stage| {
        if inertia.contains(&stage.name) {
            (stage.twin)(m, &mut d);
        }
    });
    (0..m.nv).any(|i| MAXLOSS / Lanes::ROUNDING < cancellation(m, &d, i))
}
