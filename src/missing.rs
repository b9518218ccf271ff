//! What a model needs that no stage computes yet. It is refused rather than left out: a wrong step is worse than none.

use crate::cpu::collision;
use crate::fields::Model;
use crate::types::*;

impl Model {
    /// What the dynamics of this model need that is missing: a batch of it is refused.
    pub fn missing(&self) -> Vec<String> {
        let mut out = Vec::new();
        let opt = &self.opt;
        match Integrator::from_i32(opt.integrator) {
            Some(Integrator::Euler | Integrator::Rk4) => {}
            Some(Integrator::Implicit) => out.push("integrator=\"implicit\"".to_owned()),
            Some(Integrator::ImplicitFast) => out.push("integrator=\"implicitfast\"".to_owned()),
            Some(Integrator::Discrete) | None => out.push("integrator=\"discrete\"".to_owned()),
        }
        if opt.cone == Cone::Elliptic {
            out.push("cone=\"elliptic\"".to_owned());
        }
        if opt.noslip_iterations > 0 {
            out.push("noslip_iterations".to_owned());
        }
        for (bit, flag) in [
            (ENBL_SLEEP, "sleep"),
            (ENBL_DIAGEXACT, "diagexact"),
            (ENBL_IPC, "ipc"),
            (ENBL_SPECULATIVE, "speculative"),
        ] {
            if opt.enabled(bit) {
                out.push(format!("flag {flag}=\"enable\""));
            }
        }
        if self.nhistory > 0 {
            out.push("delays (nsample, delay, interval)".to_owned());
        }
        if self.nplastic > 0 {
            out.push("springs that yield".to_owned());
        }
        out.extend(self.pairs_without_function());
        out
    }

    /// What is read and kept but not computed: the dynamics do not need it.
    pub fn not_computed(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.nsensor > 0 {
            out.push("sensordata".to_owned());
        }
        if self.opt.enabled(ENBL_ENERGY) {
            out.push("energy".to_owned());
        }
        out
    }

    // shapes that may meet, but for which there is no function
    fn pairs_without_function(&self) -> Vec<String> {
        let kind = |geom: i32| self.geom_type[geom as usize];
        let mut types: Vec<(i32, i32)> = (0..self.ncollision)
            .map(|k| (kind(self.collision_geom1[k]), kind(self.collision_geom2[k])))
            .collect();
        types.sort_unstable();
        types.dedup();
        let name = |kind| match GeomType::from_i32(kind) {
            Some(kind) => format!("{kind:?}").to_lowercase(),
            None => kind.to_string(),
        };
        types
            .into_iter()
            .filter(|&(type1, type2)| collision::function(type1, type2).is_none())
            .map(|(type1, type2)| format!("contact of {} and {}", name(type1), name(type2)))
            .collect()
    }
}
