//! Ranges of actuator lengths, found by pushing and pulling each actuator in a simulation (`mj_setLengthRange`; chapter
//! Modeling, "Length range").

use rayon::prelude::*;

use super::tree::Tree;
use crate::asset::vec3::MINVAL;
use crate::cpu;
use crate::cpu::lib::sparse::solve_ld;
use crate::error::{Error, Result};
use crate::fields::{Arrays, Data, Model};
use crate::mjcf::schema::{LengthRange, LrMode};
use crate::mjcf::spec::Spec;
use crate::types::*;

/// Most steps of a simulation that searches for a length.
const MOST_STEPS: f64 = 1e5;

/// Sets `actuator_lengthrange` of the actuators that need it.
///
/// Every actuator has its own simulations, so they run on all cores and the result is the same as one after the other. Fails
/// when a simulation is unstable or does not come to rest.
pub(super) fn fill(m: &mut Model, tree: &Tree) -> Result<()> {
    let said = &tree.spec.compiler().lengthrange;
    let mut wanted = Vec::new();
    for i in 0..m.nactuator {
        if !needs(m, said, i) {
            continue;
        }
        let limit = if said.uselimit() { limits(m, i) } else { None };
        match limit {
            Some(range) => set(m.arrays_mut(), i, range),
            None => wanted.push(i),
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }

    let origin = tree.spec.actuators[wanted[0]].origin;
    let timestep = match said.timestep() {
        dt if dt > 0.0 => dt,
        _ => m.opt.timestep,
    };
    let msg = format!(
        "lengthrange would be simulated for more than {MOST_STEPS} steps: choose a shorter inttotal, or a longer timestep"
    );
    let short = said.inttotal() / timestep <= MOST_STEPS;
    tree.ensure(short, origin, Some("lengthrange"), &msg)?;

    // nothing but inertia, limits, equalities and the pull
    let mut still = m.clone();
    let at_rest = still.arrays_mut();
    at_rest.opt.disableflags = DSBL_FRICTIONLOSS
        | DSBL_CONTACT
        | DSBL_SPRING
        | DSBL_DAMPER
        | DSBL_GRAVITY
        | DSBL_ACTUATION;
    at_rest.opt.timestep = timestep;
    if at_rest.opt.integrator == Integrator::Rk4 {
        at_rest.opt.integrator = Integrator::Euler as i32;
    }
    at_rest.ncollision = 0;
    at_rest.ntreesleep = 0;
    let found: Vec<_> = wanted.par_iter().map(|&i| range(&still, said, i)).collect();
    for (i, found) in wanted.into_iter().zip(found) {
        match found {
            Ok(range) => set(m.arrays_mut(), i, range),
            Err(msg) => {
                let origin = tree.spec.actuators[i].origin;
                return Err(tree.error(origin, Some("lengthrange"), msg));
            }
        }
    }
    Ok(())
}

impl Spec {
    /// Takes over the length ranges of actuators from this spec's compiled model: [`Spec::to_mjcf`] saves them, as MuJoCo does, and a
    /// model from that text does not compute them again.
    ///
    /// # Errors
    /// [`Error::Input`] if the model has another number of actuators, or a frame scales lengths.
    pub fn keep_lengthranges(&mut self, m: &Model) -> Result<()> {
        if self.actuators.len() != m.nactuator {
            let msg = format!(
                "the model has {} actuators and the spec {}: give the model compiled from this spec",
                m.nactuator,
                self.actuators.len()
            );
            return Err(Error::Input(msg));
        }
        if super::scale::scales(self) {
            let msg = "a frame scales lengths, and would scale those of the model again";
            return Err(Error::Input(msg.to_owned()));
        }
        for (i, actuator) in self.actuators.iter_mut().enumerate() {
            let out = 2 * m.actuator_outadr[i] as usize;
            let [short, long] = [0, 1].map(|k| m.actuator_lengthrange[out + k]);
            if short < long {
                actuator.lengthrange = [short, long];
            }
        }
        Ok(())
    }
}

fn needs(m: &Arrays, said: &LengthRange, i: usize) -> bool {
    let muscle =
        m.actuator_gaintype[i] == GainType::Muscle || m.actuator_biastype[i] == BiasType::Muscle;
    let user = m.actuator_gaintype[i] == GainType::User || m.actuator_biastype[i] == BiasType::User;
    let asked = match said.mode() {
        LrMode::None => false,
        LrMode::Muscle => muscle,
        LrMode::MuscleUser => muscle || user,
        LrMode::All => true,
    };
    let out = m.actuator_outadr[i] as usize;
    let given = m.actuator_lengthrange[2 * out] < m.actuator_lengthrange[2 * out + 1];
    asked && !(said.useexisting() && given)
}

// the limits of the target, if it has any
fn limits(m: &Arrays, i: usize) -> Option<[f64; 2]> {
    let id = m.actuator_trnid[2 * i] as usize;
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) => {
            (m.jnt_limited[id] != 0).then(|| [m.jnt_range[2 * id], m.jnt_range[2 * id + 1]])
        }
        Some(TrnType::Tendon) => (m.tendon_limited[id] != 0)
            .then(|| [m.tendon_range[2 * id], m.tendon_range[2 * id + 1]]),
        _ => None,
    }
}

fn set(m: &mut Arrays, i: usize, range: [f64; 2]) {
    let out = m.actuator_outadr[i] as usize;
    m.actuator_lengthrange[2 * out..2 * out + 2].copy_from_slice(&range);
}

// shortest and longest length at rest under a pull, or an error message
fn range(m: &Model, said: &LengthRange, i: usize) -> std::result::Result<[f64; 2], String> {
    let hint = "give lengthrange, or limit the joints that it moves";
    let [(short, spread0), (spread1, long)] = [side(m, said, i, -1.0)?, side(m, said, i, 1.0)?];
    if long <= short {
        return Err(format!("lengthrange comes out as {short} {long}; {hint}"));
    }
    let spread = f64::max(spread0 - short, long - spread1);
    if spread > said.tolrange() * (long - short) {
        return Err(format!(
            "lengthrange did not come to rest: it moves by {spread:.3} at the end of the simulation; {hint}"
        ));
    }
    Ok([short, long])
}

// smallest and largest length in the last interval
fn side(
    m: &Model,
    said: &LengthRange,
    i: usize,
    sign: f64,
) -> std::result::Result<(f64, f64), String> {
    let mut d = Data::new(m);
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    while d.time[0] < said.inttotal() {
        let before = d.time[0];
        let length = pull(m, said, &mut d, i, sign);
        // a world with bad numbers was reset
        if d.time[0] <= before || !length.is_finite() {
            return Err(
                "the simulation that finds lengthrange is unstable; give lengthrange".to_owned(),
            );
        }
        if d.time[0] > said.inttotal() - said.interval() {
            lo = lo.min(length);
            hi = hi.max(length);
        }
    }
    Ok((lo, hi))
}

// one step under a force that gives the wanted acceleration; velocity decays
fn pull(m: &Model, said: &LengthRange, d: &mut Data, i: usize, sign: f64) -> f64 {
    let decay = (-m.opt.timestep / f64::max(0.01, said.timeconst())).exp();
    d.qvel.iter_mut().for_each(|v| *v *= decay);
    super::qpos0::position(m, d);

    let out = m.actuator_outadr[i] as usize;
    let mut force = vec![0.0; m.nv];
    super::invweight::moment_row(m, d, out, &mut force);
    let mut acc = force.clone();
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut acc);
    let norm = |v: &[f64]| v.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    let scale = sign * said.accel() / f64::max(MINVAL, norm(&acc));
    force.iter_mut().for_each(|f| *f *= scale);
    let size = norm(&force);
    if said.maxforce() > 0.0 && size > said.maxforce() {
        let scale = said.maxforce() / f64::max(MINVAL, size);
        force.iter_mut().for_each(|f| *f *= scale);
    }
    d.qfrc_applied = force;
    cpu::step(m, d);
    d.actuator_length[out]
}
