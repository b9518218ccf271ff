//! What of a sensor of distance is compared where the last bits decide.

use super::{MOVE, Random, TIE, TRIALS, Ties, nudge, square};
use crate::cpu::collision::Kind;
use crate::cpu::lib::contact::Shape;
use crate::cpu::sensor_pos::sensor_pos;
use crate::fields::{Data, Model};
use crate::gpu::solids::{measured_by, tells_distance};
use crate::types::*;

/// Makes a shader's readings of distances of one world comparable with the twin's: those at a tie become the twin's, errors of
/// places and directions on round solids are squared. `before` is the world that both were given.
pub fn settle_distances(m: &Model, before: &Data, twin: &Data, shader: &mut Data) -> Ties {
    let mut out = Ties::default();
    let sensors: Vec<usize> = (0..m.nsensor).filter(|&i| tells_distance(m, i)).collect();
    if sensors.is_empty() {
        return out;
    }
    let mut random = Random::default();
    let moved: Vec<Data> = (0..TRIALS).map(|_| moved(m, before, &mut random)).collect();
    for i in sensors {
        let adr = m.sensor_adr[i] as usize;
        let at = adr..adr + m.sensor_dim[i] as usize;
        let round = measured_by(m, i).any(|(geoms, how)| how == Kind::Convex && is_round(m, geoms));
        let apart = |d: &Data| {
            let both = d.sensordata[at.clone()]
                .iter()
                .zip(&twin.sensordata[at.clone()]);
            both.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        };
        let spread = moved.iter().map(apart).fold(0.0, f64::max);
        out.met += 1;
        if spread > TIE[usize::from(round)] {
            out.ties += 1;
            shader.sensordata[at.clone()].copy_from_slice(&twin.sensordata[at]);
        } else if round && m.sensor_type[i] != SensorType::GeomDist {
            at.for_each(|k| square(&mut shader.sensordata[k], twin.sensordata[k]));
        }
    }
    out
}

fn is_round(m: &Model, geoms: [usize; 2]) -> bool {
    let round = [GeomType::Ellipsoid, GeomType::Cylinder];
    let is = |geom: usize| round.iter().any(|t| m.geom_type[geom] == *t);
    geoms.into_iter().any(is)
}

// the world with all its geoms moved by the last bits, and what the twin then reads
fn moved(m: &Model, before: &Data, random: &mut Random) -> Data {
    let mut d = before.clone();
    for geom in 0..m.ngeom {
        let shape = Shape {
            pos: d.geom_xpos[geom],
            mat: d.geom_xmat[geom],
            size: m.geom_size[geom],
        };
        let far = MOVE * m.geom_rbound[geom];
        let Shape { pos, mat, .. } = nudge(shape, far, random);
        (d.geom_xpos[geom], d.geom_xmat[geom]) = (pos, mat);
    }
    sensor_pos(m, &mut d);
    d
}
