//! Plastic springs: a spring that is stretched too far gets a new rest position.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{DSBL_SPRING, JointType};

/// Moves the rest positions of plastic springs that a step stretched beyond their yield limit.
pub fn yield_springs<R: Real>(m: &Model, d: &mut Data<R>, qvel: Option<&[R]>) {
    if m.opt.disabled(DSBL_SPRING) {
        return;
    }
    for j in (0..m.njnt).filter(|&j| m.jnt_plasticadr[j] >= 0) {
        yield_joint(m, d, j);
    }

    // tendon lengths after this step
    for t in (0..m.ntendon).filter(|&t| m.tendon_plasticadr[t] >= 0) {
        let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
        let mut speed = R::zero();
        for k in adr..adr + num {
            let i = m.ten_J_colind[k] as usize;
            let vel = qvel.map_or(d.qvel[i], |qvel| qvel[i]);
            speed += d.ten_J[k] * vel;
        }
        yield_tendon(m, d, t, d.ten_length[t] + d.own.timestep(m) * speed);
    }
}

// one coordinate, or the angle of an orientation
fn yield_joint<R: Real>(m: &Model, d: &mut Data<R>, j: usize) {
    let (adr, q) = (m.jnt_plasticadr[j] as usize, m.jnt_qposadr[j] as usize);
    let most = d.own.jnt_springyield(m, j);
    if m.jnt_type[j] != JointType::Ball {
        let x = d.qpos[q] - d.plastic[adr];
        d.plastic[adr] += x - clip(x, -most, most);
        return;
    }
    let quat = normalize4(std::array::from_fn(|k| d.qpos[q + k]));
    let rest: [R; 4] = std::array::from_fn(|k| d.plastic[adr + k]);
    let x = sub_quat(quat, rest);
    let angle = norm3(x);
    let over = most.lt(angle);
    let share = (angle - most) / R::select(over, angle, R::one());
    let moved = quat_integrate(rest, x, share);
    for k in 0..4 {
        d.plastic[adr + k] = R::select(over, moved[k], rest[k]);
    }
}

// moves both ends of the slack range, except a lower end at zero
fn yield_tendon<R: Real>(m: &Model, d: &mut Data<R>, t: usize, length: R) {
    let adr = m.tendon_plasticadr[t] as usize;
    let (lower, upper) = (d.plastic[adr], d.plastic[adr + 1]);
    let most = d.own.tendon_springyield(m, t);
    let below = R::select(length.lt(lower), length - lower, R::zero());
    let x = R::select(upper.lt(length), length - upper, below);
    let moved = x - clip(x, -most, most);
    let [begin, end] = [0, 1].map(|k| d.own.tendon_lengthspring(m, 2 * t + k));
    let slack = !nonzero(begin) & R::zero().lt(end);
    d.plastic[adr] = R::select(slack, lower, lower + moved);
    d.plastic[adr + 1] = upper + moved;
}
