//! Actuator forces (`mj_fwdActuation`).

use crate::cpu::lib::actuator::*;
use crate::cpu::lib::dcmotor::*;
use crate::cpu::lib::math::{clip, nonzero};
use crate::cpu::lib::plugin::*;
use crate::cpu::lib::servo::*;
use crate::cpu::lib::sleep::{rest_actuators, sleeps};
use crate::cpu::lib::warning::warn;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
use crate::user::{UserPart, of_user};

/// Actuator forces (`mj_fwdActuation`).
pub fn fwd_actuation<R: Real>(m: &Model, d: &mut Data<R>) {
    d.actuator_force.fill(R::zero());
    d.qfrc_actuator.fill(R::zero());
    if m.nactuator == 0 || m.opt.disabled(DSBL_ACTUATION) {
        return;
    }

    // one bad control sets all controls to zero
    let bad = bad_ctrl(m, d);
    warn(d, Warning::BadCtrl, Some(bad));

    // rate of activation, then force
    for i in 0..m.nactuator {
        if m.actuator_actnum[i] > 0 {
            activation_rate(m, d, i, bad);
        }
        // an actuator with a plugin is not disabled with its group
        if !m.actuator_disabled(i) || has_plugin(m, i) {
            force(m, d, i, bad);
        }
    }

    if sleeps(m) {
        rest_actuators(m, d);
    }

    // limit the sum of the actuator forces on each tendon
    for t in 0..m.ntendon {
        if m.tendon_actfrclimited[t] != 0 && limits_hold(m) {
            limit_tendon(m, d, t);
        }
    }

    // limit each actuator force
    for i in 0..m.nactuator {
        if m.actuator_forcelimited[i] != 0 {
            limit_actuator(m, d, i);
        }
    }

    // cogging and friction of motors are not limited
    for i in 0..m.nactuator {
        if m.actuator_biastype[i] == BiasType::DcMotor && !m.actuator_disabled(i) {
            let friction = motor_friction(m, d, i);
            d.actuator_force[m.actuator_outadr[i] as usize] += friction;
        }
    }

    // as generalized forces
    for r in 0..m.nout {
        let force = d.actuator_force[r];
        let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
        for k in adr..adr + num {
            d.qfrc_actuator[m.moment_colind[k] as usize] += d.actuator_moment[k] * force;
        }
    }

    // gravity compensation by actuators
    let pull = !m.opt.disabled(DSBL_GRAVITY) && d.own.has_gravity(m);
    if m.ngravcomp > 0 && pull {
        for i in 0..m.nv {
            if m.jnt_actgravcomp[m.dof_jntid[i] as usize] != 0 {
                d.qfrc_actuator[i] += d.qfrc_gravcomp[i];
            }
        }
    }

    // limit the sum of the actuator forces on each joint
    for j in 0..m.njnt {
        if m.jnt_actfrclimited[j] != 0 {
            let i = m.jnt_dofadr[j] as usize;
            let lo = d.own.jnt_actfrcrange(m, 2 * j);
            let hi = d.own.jnt_actfrcrange(m, 2 * j + 1);
            d.qfrc_actuator[i] = clip(d.qfrc_actuator[i], lo, hi);
        }
    }
}

#[inline(always)]
fn limit_actuator<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let lo = d.own.actuator_forcerange(m, 2 * i);
    let hi = d.own.actuator_forcerange(m, 2 * i + 1);
    let adr = m.actuator_outadr[i] as usize;
    let forces = &mut d.actuator_force[adr..adr + m.actuator_outnum[i] as usize];
    if m.actuator_gaintype[i] == GainType::So3 {
        limit_norm(forces, hi);
        return;
    }
    for force in forces {
        *force = clip(*force, lo, hi);
    }
}

#[inline(always)]
fn activation_rate<R: Real>(m: &Model, d: &mut Data<R>, i: usize, bad: R::Mask) {
    let adr = m.actuator_actadr[i] as usize;
    let num = m.actuator_actnum[i] as usize;
    let (last, u) = (adr + num - 1, m.actuator_ctrladr[i] as usize);
    let prm = |k: usize| d.own.actuator_dynprm(m, 10 * i + k);
    d.act_dot[adr..=last].fill(R::zero());
    match DynType::from_i32(m.actuator_dyntype[i]) {
        Some(DynType::Integrator) => {
            let inputs = m.actuator_ctrlnum[i] as usize;
            for k in 0..inputs {
                d.act_dot[last + 1 - inputs + k] = control(m, d, bad, u + k);
            }
        }
        Some(DynType::Filter | DynType::FilterExact) => {
            let target = control(m, d, bad, u);
            let target = wrap_setpoint(target, d.act[last], wrap_period(m, d, i));
            let excess = target - d.act[last];
            d.act_dot[last] = excess / prm(0).max(R::splat(MINVAL));
        }
        Some(DynType::Muscle) => {
            d.act_dot[last] =
                muscle_dynamics(control(m, d, bad, u), d.act[last], std::array::from_fn(prm));
        }
        Some(DynType::Pid) => {
            let [slew, integral] = pid_rate(m, d, i, |u| control(m, d, bad, u));
            // each state exists only if its parameter asks for it
            if m.actuator_dynprm[10 * i + 1] > 0.0 {
                d.act_dot[adr] = slew;
            }
            if m.actuator_gainprm[10 * i] != 0.0 {
                d.act_dot[last] = integral;
            }
        }
        Some(DynType::DcMotor) => motor_rate(m, d, i, |d, u| control(m, d, bad, u)),
        Some(DynType::User) => {
            let mut rates = vec![R::zero(); num];
            of_user(m, d, i, UserPart::Dyn, bad, &mut rates);
            d.act_dot[adr..=last].copy_from_slice(&rates);
        }
        _ => {}
    }
    if has_plugin(m, i) {
        plugin_rate(m, d, i);
    }
}

#[inline(always)]
fn has_plugin(m: &Model, i: usize) -> bool {
    m.nplugin > 0 && m.actuator_plugin[i] >= 0
}

// gain times control or activation, plus bias
#[inline(always)]
fn force<R: Real>(m: &Model, d: &mut Data<R>, i: usize, bad: R::Mask) {
    let ctrl = |u: usize| control(m, d, bad, u);
    let r = m.actuator_outadr[i] as usize;

    // a plugin computes its force itself
    if has_plugin(m, i) {
        d.actuator_force[r] = plugin_force(m, d, i);
        return;
    }

    // a servo of an orientation has three force outputs
    if m.actuator_gaintype[i] == GainType::So3 {
        let torque = so3_force(m, d, i, ctrl);
        d.actuator_force[r..r + 3].copy_from_slice(&torque);
        return;
    }
    if m.actuator_gaintype[i] == GainType::DcMotor {
        d.actuator_force[r] = motor_force(m, d, i, ctrl);
        return;
    }
    let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
    let lengthrange = || [0, 1].map(|k| d.own.actuator_lengthrange(m, 2 * r + k));
    let acc0 = || d.own.actuator_acc0(m, r);
    let affine = |prm: [R; 3]| prm[0] + prm[1] * length + prm[2] * velocity;

    // gain
    let prm = |k: usize| d.own.actuator_gainprm(m, 10 * i + k);
    let gain = match GainType::from_i32(m.actuator_gaintype[i]) {
        Some(GainType::Fixed) => prm(0),
        Some(GainType::Affine) => affine([0, 1, 2].map(prm)),
        Some(GainType::Muscle) => {
            let prm = std::array::from_fn(prm);
            muscle_gain(length, velocity, lengthrange(), acc0(), prm)
        }
        Some(GainType::User) => user(m, d, i, UserPart::Gain, bad),
        _ => R::one(),
    };

    // input
    let input = match m.actuator_gaintype[i] == GainType::Pid {
        true => pid_force(m, d, i, ctrl),
        false => actuator_input(m, d, i, bad),
    };
    let input = wrap_setpoint(input, length, wrap_period(m, d, i));

    // bias
    let prm = |k: usize| d.own.actuator_biasprm(m, 10 * i + k);
    let bias = match BiasType::from_i32(m.actuator_biastype[i]) {
        Some(BiasType::Affine) => affine([0, 1, 2].map(prm)),
        Some(BiasType::Muscle) => {
            muscle_bias(length, lengthrange(), acc0(), std::array::from_fn(prm))
        }
        Some(BiasType::User) => user(m, d, i, UserPart::Bias, bad),
        _ => R::zero(),
    };
    d.actuator_force[r] = gain * input + bias;
}

// in models with plugins, tendon limits hold only if an enabled actuator without a plugin acts on a limited tendon
fn limits_hold(m: &Model) -> bool {
    let asks = |i: usize| {
        let tendon = m.actuator_trnid[2 * i] as usize;
        m.actuator_trntype[i] == TrnType::Tendon
            && m.tendon_actfrclimited[tendon] != 0
            && !has_plugin(m, i)
            && !m.actuator_disabled(i)
    };
    m.nplugin == 0 || (0..m.nactuator).any(asks)
}

// output of a user function with one number
fn user<R: Real>(m: &Model, d: &Data<R>, i: usize, part: UserPart, bad: R::Mask) -> R {
    let mut out = [R::zero()];
    of_user(m, d, i, part, bad, &mut out);
    out[0]
}

#[inline(always)]
fn limit_tendon<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let on_tendon = |i: usize| {
        m.actuator_trntype[i] == TrnType::Tendon && m.actuator_trnid[2 * i] as usize == t
    };
    let mut sum = R::zero();
    for i in (0..m.nactuator).filter(|&i| on_tendon(i)) {
        sum += d.actuator_force[m.actuator_outadr[i] as usize];
    }

    // scale the forces of all actuators on the tendon by the same factor
    let lo = d.own.tendon_actfrcrange(m, 2 * t);
    let hi = d.own.tendon_actfrcrange(m, 2 * t + 1);
    let some = nonzero(sum);
    let over = some & (sum.lt(lo) | hi.lt(sum));
    if !over.any() {
        return;
    }
    let scale = R::select(sum.lt(lo), lo, hi) / R::select(over, sum, R::one());
    let scale = R::select(over, scale, R::one());
    for i in (0..m.nactuator).filter(|&i| on_tendon(i)) {
        d.actuator_force[m.actuator_outadr[i] as usize] *= scale;
    }
}
