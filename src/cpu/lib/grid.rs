//! Contacts seen in a grid of angles around a site (`mujoco.sensor.touch_grid`). Each lane has its own contacts, so lanes are
//! processed one by one.

use super::math::*;
use super::sensor::Slots;
use super::spatial::*;
use super::touch::{Seen, contact_wrench, of_lane};
use crate::fields::{Data, Model};
use crate::real::Real;

/// Cell of an angle among `count` cells between `-half` and `half`; a larger `gamma` makes the cells in the middle smaller. -1 outside.
pub fn grid_cell(angle: f64, count: i32, half: f64, gamma: f64) -> i32 {
    let step = 2.0 / f64::from(count);
    let mut edge = -1.0_f64;
    let mut below = 0;
    for _ in 0..=count {
        let bent = gamma * edge.powi(5) + (1.0 - gamma) * edge;
        if half * bent < angle {
            below += 1;
        }
        edge += step;
    }
    // at least one edge is below the angle, and at least one is not
    if below == count + 1 { -1 } else { below - 1 }
}

/// Forces, then torques, of the contacts of a site's body and bodies welded to it, along the site's axes z, x, y; each is added to
/// the cell in which the site, looking down, sees the contact; in one lane.
pub fn grid_report<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, i: usize, slots: Slots) {
    let (adr, dim) = (m.sensor_adr[i] as usize, m.sensor_dim[i] as usize);
    for x in &mut d.sensordata[adr..adr + dim] {
        x.set_lane(lane, 0.0);
    }
    // of several sensors with the same plugin instance, the first one reports
    let instance = m.sensor_plugin[i];
    if m.sensor_plugin[..i].contains(&instance) {
        return;
    }
    let prm: [f64; 6] =
        std::array::from_fn(|k| d.own.plugin_prm(m, 6 * instance as usize + k).lane(lane));
    let [columns, rows] = [prm[1] as i32, prm[2] as i32];
    let degree = std::f64::consts::PI / 180.0;
    let site = m.sensor_objid[i] as usize;
    let body = m.body_weldid[m.site_bodyid[site] as usize];
    let mat = of_lane(d.site_xmat[site], lane);
    let place = of_lane(d.site_xpos[site], lane);

    for c in 0..slots.contacts {
        let Some(contact) = Seen::new(d, lane, c) else {
            continue;
        };
        let bodies = contact.bodies(m);
        let welded = |b: i32| usize::try_from(b).is_ok_and(|b| m.body_weldid[b] == body);
        if !bodies.into_iter().any(welded) {
            continue;
        }

        // direction in which the site sees the contact
        let [x, y, z] = mul_mat_t_vec3(mat, sub3(contact.pos, place));
        let azimuth = f64::atan2(x, -z);
        let elevation = f64::atan2(y, (x * x + z * z).sqrt());
        let column = grid_cell(azimuth, columns, prm[3] * degree, prm[5]);
        let row = grid_cell(elevation, rows, prm[4] * degree, prm[5]);
        if column < 0 || row < 0 {
            continue;
        }

        // force on the body with the lower number
        let sign = if body < bodies[0].max(bodies[1]) {
            -1.0
        } else {
            1.0
        };
        let wrench = contact_wrench(m, d, lane, &contact).map(|x| sign * x);
        let turned = |v: [f64; 3]| mul_mat_t_vec3(mat, mul_mat_t_vec3(contact.frame, v));
        let [force, torque] = [turned(rot(wrench)), turned(lin(wrench))];
        let channels = [
            force[2], force[0], force[1], torque[2], torque[0], torque[1],
        ];
        for (k, x) in channels.iter().take(prm[0] as usize).enumerate() {
            let at = adr + ((k as i32 * rows + row) * columns + column) as usize;
            let sum = d.sensordata[at].lane(lane) + x;
            d.sensordata[at].set_lane(lane, sum);
        }
    }
}
