//! Common parts of sensors: frames of objects, their motion, rows of limits, the range of a reading.

use super::math::*;
use super::spatial::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Number of slots to search: in worlds side by side, slots outnumber the rows or contacts of any lane.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Number of rows.
    pub rows: usize,
    /// Number of contacts.
    pub contacts: usize,
}

impl Slots {
    /// The slots of one world.
    pub fn of(d: &Data) -> Self {
        Self {
            rows: d.nefc[0] as usize,
            contacts: d.ncon[0] as usize,
        }
    }
}

/// True if a sensor is computed. Where sensors are disabled, those with a history still are, for its samples.
pub fn is_computed(m: &Model, i: usize) -> bool {
    !m.opt.disabled(DSBL_SENSOR) || m.sensor_historyadr[i] >= 0
}

/// The sensors that are computed at a stage.
pub fn of_stage(m: &Model, stage: NeedStage) -> impl Iterator<Item = usize> + '_ {
    (0..m.nsensor).filter(move |&i| m.sensor_needstage[i] == stage && is_computed(m, i))
}

/// Body to which an object belongs; a body belongs to itself.
pub fn body_of(m: &Model, kind: i32, id: usize) -> usize {
    let body = match ObjType::from_i32(kind) {
        Some(ObjType::Geom) => m.geom_bodyid[id],
        Some(ObjType::Site) => m.site_bodyid[id],
        Some(ObjType::Camera) => m.cam_bodyid[id],
        _ => id as i32,
    };
    body as usize
}

/// Position and orientation of an object; for a body those of its inertial frame, for an xbody of its own frame.
#[inline(always)]
pub fn frame_of<R: Real>(d: &Data<R>, kind: i32, id: usize) -> ([R; 3], [R; 9]) {
    match ObjType::from_i32(kind) {
        Some(ObjType::XBody) => (d.xpos[id], d.xmat[id]),
        Some(ObjType::Geom) => (d.geom_xpos[id], d.geom_xmat[id]),
        Some(ObjType::Site) => (d.site_xpos[id], d.site_xmat[id]),
        Some(ObjType::Camera) => (d.cam_xpos[id], d.cam_xmat[id]),
        _ => (d.xipos[id], d.ximat[id]),
    }
}

/// Orientation of an object as a quaternion.
#[inline(always)]
pub fn quat_of<R: Real>(m: &Model, d: &Data<R>, kind: i32, id: usize) -> [R; 4] {
    let local = match ObjType::from_i32(kind) {
        Some(ObjType::XBody) => return d.xquat[id],
        Some(ObjType::Geom) => d.own.geom_quat(m, id),
        Some(ObjType::Site) => d.own.site_quat(m, id),
        Some(ObjType::Camera) => d.own.cam_quat(m, id),
        _ => d.own.body_iquat(m, id),
    };
    mul_quat(d.xquat[body_of(m, kind, id)], local)
}

/// Velocity of an object at its position, along the world's axes (`mj_objectVelocity`).
#[inline(always)]
pub fn object_velocity<R: Real>(m: &Model, d: &Data<R>, kind: i32, id: usize) -> [R; 6] {
    let body = body_of(m, kind, id);
    let (pos, _) = frame_of(d, kind, id);
    let com = d.subtree_com[m.body_rootid[body] as usize];
    seen_from(d.cvel[body], sub3(pos, com))
}

/// Velocity of an object relative to another: at the first one's position, along the axes of the second one, which rotate.
#[inline(always)]
pub fn relative_velocity<R: Real>(
    m: &Model,
    d: &Data<R>,
    object: (i32, usize),
    other: (i32, usize),
) -> [R; 6] {
    let ((pos, _), (origin, mat)) = (
        frame_of(d, object.0, object.1),
        frame_of(d, other.0, other.1),
    );
    let vel = object_velocity(m, d, object.0, object.1);
    let frame = object_velocity(m, d, other.0, other.1);
    let apart = sub3(lin(vel), lin(frame));
    let turning = cross(sub3(pos, origin), rot(frame));
    let seen = spatial(sub3(rot(vel), rot(frame)), add3(apart, turning));
    along(mat, seen)
}

/// `value` of the first row of a limit, in each lane; zero where there is none.
#[inline(always)]
pub fn of_limit<R: Real>(
    d: &Data<R>,
    nrow: usize,
    kind: ConstraintType,
    id: i32,
    value: impl Fn(usize) -> R,
) -> R {
    let (mut out, mut open) = (R::zero(), R::zero().le(R::zero()));
    for r in 0..nrow {
        if R::int_lane(d.efc_type[r], 0) == kind as i32 && R::int_lane(d.efc_id[r], 0) == id {
            let here = open & R::zero().lt(d.efc_D[r]);
            out = R::select(here, value(r), out);
            open = open & !here;
            if !open.any() {
                break;
            }
        }
    }
    out
}

/// Clips a reading to the cutoff of its sensor.
#[inline(always)]
pub fn cutoff<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let (most, datatype) = (d.own.sensor_cutoff(m, i), m.sensor_datatype[i]);
    // contact sensors use the cutoff otherwise, fromto readings have none
    let kind = m.sensor_type[i];
    let other = kind == SensorType::Contact || kind == SensorType::GeomFromTo;
    let limited = R::zero().lt(most);
    if !limited.any() || other {
        return;
    }
    let adr = m.sensor_adr[i] as usize;
    for x in &mut d.sensordata[adr..adr + m.sensor_dim[i] as usize] {
        if datatype == DataType::Real {
            *x = R::select(limited, clip(*x, -most, most), *x);
        } else if datatype == DataType::Positive {
            *x = R::select(limited & most.lt(*x), most, *x);
        }
    }
}

/// One where a point lies inside a shape at its pose (`mju_insideGeom`).
#[inline(always)]
pub fn inside_geom<R: Real>(
    (pos, mat): ([R; 3], [R; 9]),
    size: [R; 3],
    kind: i32,
    point: [R; 3],
) -> R {
    let local = mul_mat_t_vec3(mat, sub3(point, pos));
    let [a, b, c] = size;
    let [x, y, z] = local;
    let round = x * x + y * y;
    let inside = match GeomType::from_i32(kind) {
        Some(GeomType::Sphere) => (round + z * z).lt(a * a),
        Some(GeomType::Capsule) => {
            let over = z - clip(z, -b, b);
            (round + over * over).lt(a * a)
        }
        Some(GeomType::Ellipsoid) => {
            let [x, y, z] = [x / a, y / b, z / c];
            (x * x + y * y + z * z).lt(R::one())
        }
        Some(GeomType::Cylinder) => round.lt(a * a) & z.abs().lt(b),
        Some(GeomType::Box) => x.abs().lt(a) & y.abs().lt(b) & z.abs().lt(c),
        Some(GeomType::Plane) => z.lt(R::zero()),
        _ => R::zero().lt(R::zero()),
    };
    R::select(inside, R::one(), R::zero())
}

/// One where a point lies inside the convex hull of a mesh; the pose is that of the frame in which the mesh was given.
#[inline(always)]
pub fn inside_mesh<R: Real>(
    m: &Model,
    (pos, mat): ([R; 3], [R; 9]),
    mesh: usize,
    point: [R; 3],
) -> R {
    // mesh vertices are given relative to the centre and along the principal axes
    let said = mul_mat_t_vec3(mat, sub3(point, pos));
    let turn = neg_quat(m.mesh_quat[mesh].map(R::splat));
    let local = rot_vec_quat(sub3(said, m.mesh_pos[mesh].map(R::splat)), turn);

    // inside: behind every face of the hull
    let vertadr = m.mesh_vertadr[mesh];
    let polyadr = m.mesh_polyadr[mesh] as usize;
    let mut most = R::splat(-1.0);
    for poly in polyadr..polyadr + m.mesh_polynum[mesh] as usize {
        let corner = m.mesh_polyvert[m.mesh_polyvertadr[poly] as usize];
        let corner = m.mesh_vert[(vertadr + corner) as usize].map(R::splat);
        let normal = m.mesh_polynormal[poly].map(R::splat);
        most = most.max(dot3(normal, sub3(local, corner)));
    }
    R::select(most.lt(R::zero()), R::one(), R::zero())
}

/// Size of a camera's image, its focal lengths and principal point (pixels), in one lane.
pub fn cam_intrinsics<R: Real>(m: &Model, d: &Data<R>, lane: usize, cam: usize) -> [[f64; 2]; 3] {
    let at = |k: usize| 2 * cam + k;
    let size = [0, 1].map(|k| f64::from(m.cam_resolution[at(k)]));
    let sensor = [0, 1].map(|k| d.own.cam_sensorsize(m, at(k)).lane(lane));
    if sensor[0] == 0.0 || sensor[1] == 0.0 {
        let angle = d.own.cam_fovy(m, cam).lane(lane) * std::f64::consts::PI / 360.0;
        let focal = 0.5 / angle.tan() * size[1];
        return [size, [focal; 2], size.map(|n| 0.5 * n)];
    }
    // in single precision, as MuJoCo stores these
    let pixels = |k: usize| {
        let length = d.own.cam_intrinsic(m, 4 * cam + k).lane(lane) as f32;
        f64::from(length / sensor[k % 2] as f32 * size[k % 2] as f32)
    };
    [size, [pixels(0), pixels(1)], [pixels(2), pixels(3)]]
}

/// Writes a reading.
#[inline(always)]
pub fn give<R: Real, const N: usize>(d: &mut Data<R>, adr: usize, x: [R; N]) {
    d.sensordata[adr..adr + N].copy_from_slice(&x);
}
