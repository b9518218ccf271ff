//! Comparison of distance and enclosure sensors of shader and twin where the last bits decide.

use super::{ALIKE, MOVE, Random, TIE, TRIALS, Ties, is_round, nudge, square};
use crate::cpu::collision::Kind;
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::norm3;
use crate::cpu::sensor_pos::{asks_enclosure, sensor_pos};
use crate::fields::{Data, Model};
use crate::gpu::solids::{measured_by, tells_distance};
use crate::types::*;

/// Makes a shader's readings of distance and enclosure sensors of one world comparable with the twin's. Readings at a tie
/// become the twin's, errors of positions and directions on round solids are squared. `before` is the common input world.
pub fn settle_distances(m: &Model, before: &Data, twin: &Data, shader: &mut Data) -> Ties {
    let mut out = Ties::default();
    let searches = |&i: &usize| tells_distance(m, i) || asks_enclosure(m, i);
    let sensors: Vec<usize> = (0..m.nsensor).filter(searches).collect();
    if sensors.is_empty() {
        return out;
    }
    let mut random = Random::default();
    let moved: Vec<Data> = (0..TRIALS).map(|_| moved(m, before, &mut random)).collect();
    for i in sensors {
        let adr = m.sensor_adr[i] as usize;
        let at = adr..adr + m.sensor_dim[i] as usize;
        let round = measured_by(m, i).any(|(geoms, how)| {
            matches!(how, Kind::Convex | Kind::Hfield) && is_round(m, geoms.map(|g| m.geom_type[g]))
        });
        let apart = |d: &Data| {
            let both = d.sensordata[at.clone()]
                .iter()
                .zip(&twin.sensordata[at.clone()]);
            both.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        };
        let spread = moved.iter().map(apart).fold(0.0, f64::max);
        out.met += 1;
        let mut kinds = measured_by(m, i).map(|(_, how)| how);
        let descends = kinds.any(|how| matches!(how, Kind::Sdf | Kind::MeshSdf));
        if descends && apart(shader) <= ALIKE {
            continue;
        }
        if spread > TIE[usize::from(round)] {
            out.ties += 1;
            shader.sensordata[at.clone()].copy_from_slice(&twin.sensordata[at]);
        } else if round && m.sensor_type[i] != SensorType::GeomDist {
            at.for_each(|k| square(&mut shader.sensordata[k], twin.sensordata[k]));
        }
    }
    out
}

// the twin's world after `sensor_pos` with all geoms and sites moved by the last bits
fn moved(m: &Model, before: &Data, random: &mut Random) -> Data {
    let mut d = before.clone();
    let mut place = |pos: &mut [f64; 3], mat: &mut [f64; 9], size: [f64; 3], radius: f64| {
        let shape = Shape {
            pos: *pos,
            mat: *mat,
            size,
        };
        let moved = nudge(shape, MOVE * radius, random);
        (*pos, *mat) = (moved.pos, moved.mat);
    };
    for geom in 0..m.ngeom {
        let (pos, mat) = (&mut d.geom_xpos[geom], &mut d.geom_xmat[geom]);
        place(pos, mat, m.geom_size[geom], m.geom_rbound[geom]);
    }
    // a hill climb begins at an axis of its site, where the last bits decide between equally far points of the site
    for site in 0..m.nsite {
        let size = m.site_size[site];
        let (pos, mat) = (&mut d.site_xpos[site], &mut d.site_xmat[site]);
        place(pos, mat, size, norm3(size));
    }
    sensor_pos(m, &mut d);
    d
}
