//! Sensors of position (`mj_sensorPos`).

use crate::cpu::collision::distance::geom_distance;
use crate::cpu::collision::enclosure::{geom_out_of_site, geoms_of, site_out_of_site};
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::history::hold_back;
use crate::cpu::lib::math::*;
use crate::cpu::lib::ray::*;
use crate::cpu::lib::sensor::*;
use crate::cpu::lib::sleep::{keep_reading, sensor_awake, sleeps};
use crate::cpu::lib::spatial::spatial;
use crate::cpu::lib::touch::contact_report;
use crate::fields::{Arrays, Data, Model, OwnLane};
use crate::real::{Mask, Real};
use crate::types::*;
use crate::user::read_sensors;

/// Sensors of position (`mj_sensorPos`).
pub fn sensor_pos(m: &Model, d: &mut Data) {
    let slots = Slots::of(d);
    sense(m, d, slots);
}

/// The stage for worlds side by side.
pub fn sense<R: Real>(m: &Model, d: &mut Data<R>, slots: Slots) {
    for i in of_stage(m, NeedStage::Pos) {
        if !sleeps(m) || sensor_awake(m, d, i).any() {
            read(m, d, i, slots);
            cutoff(m, d, i);
        }
        if sleeps(m) {
            keep_reading(m, d, i);
        }
        if m.nfresh > 0 {
            hold_back(m, d, i);
        }
    }
    read_sensors(m, d, NeedStage::Pos);
}

fn read<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let (kind, id) = (m.sensor_objtype[i], m.sensor_objid[i]);
    let object = (kind, id.max(0) as usize);
    let other = (m.sensor_reftype[i], m.sensor_refid[i]);
    let id = object.1;
    let adr = m.sensor_adr[i] as usize;
    let dim = m.sensor_dim[i] as usize;
    let sensor = SensorType::from_i32(m.sensor_type[i]);
    match sensor {
        Some(SensorType::Magnetometer) => {
            let field = d.own.magnetic(m);
            give(d, adr, mul_mat_t_vec3(d.site_xmat[id], field));
        }
        Some(SensorType::CamProjection) => give(d, adr, cam_project(m, d, id, other.1 as usize)),
        Some(SensorType::JointPos) => give(d, adr, [d.qpos[m.jnt_qposadr[id] as usize]]),
        Some(SensorType::TendonPos) => give(d, adr, [d.ten_length[id]]),
        Some(SensorType::ActuatorPos) => {
            let out = m.actuator_outadr[id] as usize;
            for k in 0..dim {
                d.sensordata[adr + k] = d.actuator_length[out + k];
            }
        }
        Some(SensorType::BallQuat) => {
            let qadr = m.jnt_qposadr[id] as usize;
            give(d, adr, normalize4([0, 1, 2, 3].map(|k| d.qpos[qadr + k])));
        }
        Some(SensorType::JointLimitPos) => {
            let x = limit_pos(d, slots, ConstraintType::LimitJoint, id);
            give(d, adr, [x]);
        }
        Some(SensorType::TendonLimitPos) => {
            let x = limit_pos(d, slots, ConstraintType::LimitTendon, id);
            give(d, adr, [x]);
        }
        Some(SensorType::FramePos) => {
            let (pos, _) = frame_of(d, object.0, id);
            let x = match usize::try_from(other.1) {
                Ok(refid) => {
                    let (origin, mat) = frame_of(d, other.0, refid);
                    mul_mat_t_vec3(mat, sub3(pos, origin))
                }
                Err(_) => pos,
            };
            give(d, adr, x);
        }
        Some(SensorType::FrameXAxis | SensorType::FrameYAxis | SensorType::FrameZAxis) => {
            let column = (m.sensor_type[i] - SensorType::FrameXAxis as i32) as usize;
            let (_, mat) = frame_of(d, object.0, id);
            let axis = [0, 3, 6].map(|k| mat[k + column]);
            let x = match usize::try_from(other.1) {
                Ok(refid) => mul_mat_t_vec3(frame_of(d, other.0, refid).1, axis),
                Err(_) => axis,
            };
            give(d, adr, x);
        }
        Some(SensorType::FrameQuat) => {
            let quat = quat_of(m, d, object.0, id);
            let x = match usize::try_from(other.1) {
                Ok(refid) => mul_quat(neg_quat(quat_of(m, d, other.0, refid)), quat),
                Err(_) => quat,
            };
            give(d, adr, x);
        }
        Some(SensorType::Rangefinder) => {
            find_range(m, d, i);
        }
        Some(SensorType::GeomDist | SensorType::GeomNormal | SensorType::GeomFromTo) => {
            for lane in 0..R::WIDTH {
                if !repeats(m, d, lane, i) {
                    find_distance(m, d, lane, i);
                }
            }
        }
        Some(SensorType::Contact) => {
            contact_report(m, d, i, slots);
        }
        Some(SensorType::SubtreeCom) => give(d, adr, d.subtree_com[id]),
        Some(SensorType::InsideSite) if asks_enclosure(m, i) => {
            (0..R::WIDTH).for_each(|lane| find_enclosure(m, d, lane, i));
        }
        Some(SensorType::InsideSite) => {
            let (pos, _) = frame_of(d, object.0, id);
            let site = other.1 as usize;
            let place = (d.site_xpos[site], d.site_xmat[site]);
            let x = match m.site_type[site] == GeomType::Mesh {
                true => inside_mesh(m, place, m.site_dataid[site] as usize, pos),
                false => inside_geom(place, d.own.site_size(m, site), m.site_type[site], pos),
            };
            give(d, adr, [x]);
        }
        Some(SensorType::EPotential) => give(d, adr, [d.energy[0]]),
        Some(SensorType::EKinetic) => give(d, adr, [d.energy[1]]),
        Some(SensorType::Clock) => give(d, adr, [d.time[0]]),
        // all other types read zero
        _ => d.sensordata[adr..adr + dim].fill(R::zero()),
    }
}

#[inline(always)]
fn limit_pos<R: Real>(d: &Data<R>, slots: Slots, kind: ConstraintType, id: usize) -> R {
    let value = |r: usize| d.efc_pos[r] - d.efc_margin[r];
    of_limit(d, slots.rows, kind, id as i32, value)
}

// pixel of a camera image at which a site appears
fn cam_project<R: Real>(m: &Model, d: &Data<R>, site: usize, cam: usize) -> [R; 2] {
    let (mut size, mut focal) = ([R::zero(); 2], [R::zero(); 2]);
    for lane in 0..R::WIDTH {
        let [pixels, lengths, _] = cam_intrinsics(m, d, lane, cam);
        (0..2).for_each(|k| size[k].set_lane(lane, pixels[k]));
        (0..2).for_each(|k| focal[k].set_lane(lane, lengths[k]));
    }

    // a camera looks along its negative z axis; depth zero is avoided, as a divisor
    let offset = sub3(d.site_xpos[site], d.cam_xpos[cam]);
    let local = mul_mat_t_vec3(d.cam_xmat[cam], offset);
    let least = R::splat(MINVAL);
    let ahead = local[2].max(least);
    let behind = local[2].min(-least);
    let depth = R::select(local[2].lt(R::zero()), behind, ahead);
    let [fx, fy] = focal;
    let [w, h] = size.map(|n| R::splat(0.5) * n);
    [
        (w * local[2] - fx * local[0]) / depth,
        (h * local[2] + fy * local[1]) / depth,
    ]
}

// true if a sensor asks for the distance that the sensor before it found in that lane
fn repeats<R: Real>(m: &Model, d: &Data<R>, lane: usize, i: usize) -> bool {
    let asks = |i: usize| {
        let cutoff = d.own.sensor_cutoff(m, i).lane(lane);
        let of = [m.sensor_objtype[i], m.sensor_objid[i]];
        (of, [m.sensor_reftype[i], m.sensor_refid[i]], cutoff)
    };
    i > 0 && tells_distance(m, i - 1) && asks(i) == asks(i - 1)
}

fn tells_distance(m: &Model, i: usize) -> bool {
    use SensorType as T;
    let kind = SensorType::from_i32(m.sensor_type[i]);
    matches!(kind, Some(T::GeomDist | T::GeomNormal | T::GeomFromTo))
}

// distance of two geoms, or of the nearest geoms of two bodies; in one lane, for this sensor and those after it that repeat it
fn find_distance<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, i: usize) {
    let cutoff = d.own.sensor_cutoff(m, i).lane(lane);
    let (mut dist, mut points) = (cutoff, [[0.0; 3]; 2]);
    for geom1 in geoms(m, m.sensor_objtype[i], m.sensor_objid[i]) {
        for geom2 in geoms(m, m.sensor_reftype[i], m.sensor_refid[i]) {
            let shapes = [geom1, geom2].map(|geom| shape_of(m, d, lane, geom));
            let own = OwnLane::new(&d.own, lane);
            let (next, ends) = geom_distance(m, own, [geom1, geom2], shapes, cutoff);
            if next < dist {
                (dist, points) = (next, ends);
            }
        }
    }
    tell_distance(m, d, lane, i, dist, points);
    let mut next = i + 1;
    while next < m.nsensor && tells_distance(m, next) && repeats(m, d, lane, next) {
        tell_distance(m, d, lane, next, dist, points);
        next += 1;
    }
}

// what a sensor reads of a distance and the nearest points
fn tell_distance<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    lane: usize,
    i: usize,
    dist: f64,
    points: [[f64; 3]; 2],
) {
    let [from, to] = points;
    let apart = sub3(to, from);
    let normal = match apart == [0.0; 3] {
        true => apart,
        false => normalize3(apart).0,
    };
    let adr = m.sensor_adr[i] as usize;
    let fromto = spatial(from, to);
    let numbers: &[f64] = match SensorType::from_i32(m.sensor_type[i]) {
        Some(SensorType::GeomDist) => &[dist],
        Some(SensorType::GeomNormal) => &normal,
        _ => &fromto,
    };
    let data = d.sensordata[adr..adr + numbers.len()].iter_mut();
    data.zip(numbers).for_each(|(to, x)| to.set_lane(lane, *x));
}

// how far an object sticks out of a site; in one lane
fn find_enclosure<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, i: usize) {
    let (kind, id) = (m.sensor_objtype[i], m.sensor_objid[i] as usize);
    let place = |site: usize| {
        let shape = Shape {
            pos: d.site_xpos[site].map(|x| x.lane(lane)),
            mat: d.site_xmat[site].map(|x| x.lane(lane)),
            size: d.own.site_size(m, site).map(|x| x.lane(lane)),
        };
        (site, shape)
    };
    let site = place(m.sensor_refid[i] as usize);
    let out = match kind == ObjType::Site {
        true => site_out_of_site(m, place(id), site),
        false => geoms_of(m, kind, id)
            .map(|geom| geom_out_of_site(m, (geom, shape_of(m, d, lane, geom)), site))
            .fold(f64::NEG_INFINITY, f64::max),
    };
    d.sensordata[m.sensor_adr[i] as usize].set_lane(lane, out);
}

/// True if a sensor reports how far an object sticks out of a site
pub(crate) fn asks_enclosure(m: &Arrays, i: usize) -> bool {
    m.sensor_type[i] == SensorType::InsideSite && m.sensor_intprm[3 * i] != 0
}

/// A geom, or the geoms of a body.
pub(crate) fn geoms(m: &Arrays, kind: i32, id: i32) -> std::ops::Range<usize> {
    let id = id as usize;
    if kind != ObjType::Body {
        return id..id + 1;
    }
    let first = m.body_geomadr[id].max(0) as usize;
    first..first + m.body_geomnum[id] as usize
}

// side of the squares of pixels that are looked through together
const SQUARE: usize = 4;

// number of rays of a rangefinder
fn rays(m: &Model, i: usize) -> usize {
    let id = m.sensor_objid[i] as usize;
    match m.sensor_objtype[i] == ObjType::Camera {
        true => (m.cam_resolution[2 * id] * m.cam_resolution[2 * id + 1]) as usize,
        false => 1,
    }
}

// resolution, focal lengths and principal point of a camera (pixels)
type View = [[f64; 2]; 3];

// intersections of the rays of a rangefinder: one ray along the z axis of a site, or one for each pixel of a camera
fn find_range<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let id = m.sensor_objid[i] as usize;
    let mut views = [View::default(); LANES];
    if m.sensor_objtype[i] != ObjType::Camera {
        return look_along::<R, 1>(m, d, i, &views, std::iter::once(0));
    }
    for (lane, view) in views[..R::WIDTH].iter_mut().enumerate() {
        *view = cam_intrinsics(m, d, lane, id);
    }
    let [columns, rows] = [0, 1].map(|k| m.cam_resolution[2 * id + k] as usize);
    for top in (0..rows).step_by(SQUARE) {
        for left in (0..columns).step_by(SQUARE) {
            let across = left..columns.min(left + SQUARE);
            let down = top..rows.min(top + SQUARE);
            let pixels = down.flat_map(|row| across.clone().map(move |k| row * columns + k));
            look_along::<R, { SQUARE * SQUARE }>(m, d, i, &views, pixels);
        }
    }
}

// what at most N rays of a rangefinder meet: those of a camera's pixels, or the one of a site. Rays of neighbouring pixels are near few geoms
fn look_along<R: Real, const N: usize>(
    m: &Model,
    d: &mut Data<R>,
    i: usize,
    views: &[View; LANES],
    pixels: impl Iterator<Item = usize> + Clone,
) {
    let (kind, id) = (m.sensor_objtype[i], m.sensor_objid[i] as usize);
    let (pos, mat) = frame_of(d, kind, id);
    let place = |lane: usize| (pos.map(|x| x.lane(lane)), mat.map(|x| x.lane(lane)));
    let mut bundle = [[Ray::default(); LANES]; N];
    let mut num = 0;
    for (k, beams) in pixels.clone().zip(&mut bundle) {
        for (lane, beam) in beams[..R::WIDTH].iter_mut().enumerate() {
            let (pos, mat) = place(lane);
            *beam = match kind == ObjType::Camera {
                true => pixel_ray(m, d, lane, [id, k], views[lane], (pos, mat)),
                false => Ray {
                    pnt: pos,
                    vec: [mat[2], mat[5], mat[8]],
                },
            };
        }
        num += 1;
    }
    let body = body_of(m, kind, id) as i32;
    let (adr, width) = (
        m.sensor_adr[i] as usize,
        m.sensor_dim[i] as usize / rays(m, i),
    );
    let near = match num {
        1 => Near::ALL,
        _ => Near::of(m, d, &bundle[..num]),
    };
    for (k, beams) in pixels.zip(&bundle) {
        let hits = ray(m, d, beams, body, &near);
        for lane in 0..R::WIDTH {
            let to = [i, adr + k * width];
            tell_range(m, d, lane, to, place(lane), beams[lane], hits[lane]);
        }
    }
}

// what a rangefinder tells of one of its rays in one lane, from the number `at` of the readings on
fn tell_range<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    lane: usize,
    [i, at]: [usize; 2],
    (pos, mat): ([f64; 3], [f64; 9]),
    beam: Ray,
    hit: Hit,
) {
    let camera = m.sensor_objtype[i] == ObjType::Camera;
    let back = [mat[2], mat[5], mat[8]];
    let met = hit.dist >= 0.0;
    let seen = |v: [f64; 3]| if met { v } else { [0.0; 3] };
    let point = add_scl3(beam.pnt, beam.vec, hit.dist);
    let depth = match met && camera {
        true => -dot3(sub3(point, pos), back),
        false => hit.dist,
    };
    let fields: [&[f64]; 6] = [
        &[hit.dist],
        &seen(beam.vec),
        &beam.pnt,
        &seen(point),
        &hit.normal,
        &[depth],
    ];
    let bits = m.sensor_intprm[3 * i];
    let asked = fields.iter().enumerate();
    let asked = asked.filter(|(bit, _)| bits >> bit & 1 != 0);
    let numbers = asked.flat_map(|(_, field)| field.iter());
    let data = d.sensordata[at..].iter_mut();
    data.zip(numbers).for_each(|(to, x)| to.set_lane(lane, *x));
}

// the ray through the center of a pixel, counted row by row from the upper left
fn pixel_ray<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    [cam, pixel]: [usize; 2],
    [size, focal, principal]: View,
    (pos, mat): ([f64; 3], [f64; 9]),
) -> Ray {
    let ncol = m.cam_resolution[2 * cam] as usize;
    let (row, col) = (pixel / ncol, pixel % ncol);
    let x = [col as f64 + 0.5, row as f64 + 0.5];
    if m.cam_projection[cam] == Projection::Orthographic {
        // fovy is the width and the height of the view
        let extent = d.own.cam_fovy(m, cam).lane(lane);
        let at = [0, 1].map(|k| (x[k] / size[k] - 0.5) * extent);
        return Ray {
            pnt: add3(pos, mul_mat_vec3(mat, [at[0], -at[1], 0.0])),
            vec: [-mat[2], -mat[5], -mat[8]],
        };
    }
    let at = [0, 1].map(|k| (x[k] - principal[k]) / focal[k]);
    Ray {
        pnt: pos,
        vec: normalize3(mul_mat_vec3(mat, [at[0], -at[1], -1.0])).0,
    }
}
