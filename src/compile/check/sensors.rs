//! Sensors: their objects, and the addresses of their outputs.

use super::objects::history;
use super::{bad, ensure, id, runs};
use crate::compile::sensor::{contact_width, is_compact, ray_width};
use crate::cpu::collision::enclosure::geoms_of;
use crate::error::Result;
use crate::fields::Arrays;
use crate::types::*;

/// Kinds of objects that a sensor may be of.
type Kinds = &'static [ObjType];

const NOTHING: Kinds = &[ObjType::Unknown];
const FRAMES: Kinds = &[
    ObjType::Body,
    ObjType::XBody,
    ObjType::Geom,
    ObjType::Site,
    ObjType::Camera,
];
const FRAMES_OR_NOTHING: Kinds = &[
    ObjType::Unknown,
    ObjType::Body,
    ObjType::XBody,
    ObjType::Geom,
    ObjType::Site,
    ObjType::Camera,
];
const CONTACTS: Kinds = &[
    ObjType::Unknown,
    ObjType::Body,
    ObjType::XBody,
    ObjType::Geom,
    ObjType::Site,
];

pub(super) fn check(m: &Arrays) -> Result<()> {
    runs(
        ["sensor_adr", "sensor_dim"],
        &m.sensor_adr,
        &m.sensor_dim,
        m.nsensordata,
    )?;
    for i in 0..m.nsensor {
        let Some(kind) = SensorType::from_i32(m.sensor_type[i]) else {
            return Err(bad("sensor_type", i, "is no sensor"));
        };
        let (of, relative) = objects(kind);
        let id = object(
            m,
            ["sensor_objtype", "sensor_objid"],
            i,
            [m.sensor_objtype[i], m.sensor_objid[i]],
            of,
        )?;
        let refid = object(
            m,
            ["sensor_reftype", "sensor_refid"],
            i,
            [m.sensor_reftype[i], m.sensor_refid[i]],
            relative,
        )?;
        camera(m, kind, i, id, refid)?;
        if kind == SensorType::InsideSite && m.sensor_intprm[3 * i] != 0 {
            enclosed(m, i, id)?;
        }
        let ball = kind == SensorType::BallQuat || kind == SensorType::BallAngVel;
        let turns = !ball || m.jnt_type[id] == JointType::Ball;
        ensure(turns, "sensor_objid", i, "is no ball joint")?;
        let (need, have) = (width(m, kind, i, id), m.sensor_dim[i]);
        let why = format_args!("is {have}, and a sensor of this type gives {need} numbers");
        ensure(
            matches!(kind, SensorType::User | SensorType::Plugin) || i64::from(have) == need as i64,
            "sensor_dim",
            i,
            why,
        )?;
        let (adr, num) = (m.sensor_historyadr[i], m.sensor_history[2 * i]);
        history(m, "sensor_history", i, [adr, num, m.sensor_dim[i]])?;
    }
    Ok(())
}

// the object that a site is to enclose is a site, or has geoms of finite extent
fn enclosed(m: &Arrays, i: usize, id: usize) -> Result<()> {
    let kind = m.sensor_objtype[i];
    let has_shape = kind != ObjType::Camera;
    ensure(has_shape, "sensor_objtype", i, "has no shape to enclose")?;
    if kind == ObjType::Site {
        return Ok(());
    }
    let geoms = geoms_of(m, kind, id);
    let compact = !geoms.is_empty() && geoms.into_iter().all(|g| is_compact(m.geom_type[g]));
    ensure(
        compact,
        "sensor_objid",
        i,
        "has no geoms, or some without an end, and a site is to enclose them",
    )
}

// kinds of a sensor's object, and of its reference
fn objects(kind: SensorType) -> (Kinds, Kinds) {
    use SensorType as S;
    match kind {
        S::Touch
        | S::Accelerometer
        | S::Velocimeter
        | S::Gyro
        | S::Force
        | S::Torque
        | S::Magnetometer => (&[ObjType::Site], NOTHING),
        S::Rangefinder => (&[ObjType::Site, ObjType::Camera], NOTHING),
        S::CamProjection => (&[ObjType::Site], &[ObjType::Camera]),
        S::JointPos | S::JointVel | S::JointActFrc | S::BallQuat | S::BallAngVel => {
            (&[ObjType::Joint], NOTHING)
        }
        S::JointLimitPos | S::JointLimitVel | S::JointLimitFrc => (&[ObjType::Joint], NOTHING),
        S::TendonPos | S::TendonVel | S::TendonActFrc => (&[ObjType::Tendon], NOTHING),
        S::TendonLimitPos | S::TendonLimitVel | S::TendonLimitFrc => (&[ObjType::Tendon], NOTHING),
        S::ActuatorPos | S::ActuatorVel | S::ActuatorFrc => (&[ObjType::Actuator], NOTHING),
        S::SubtreeCom | S::SubtreeLinVel | S::SubtreeAngMom => (&[ObjType::Body], NOTHING),
        S::InsideSite => (FRAMES, &[ObjType::Site]),
        S::GeomDist | S::GeomNormal | S::GeomFromTo => (
            &[ObjType::Body, ObjType::Geom],
            &[ObjType::Body, ObjType::Geom],
        ),
        S::Contact => (CONTACTS, CONTACTS),
        S::EPotential | S::EKinetic | S::Clock => (NOTHING, NOTHING),
        S::Tactile => (&[ObjType::Mesh], &[ObjType::Geom]),
        S::User | S::Plugin => (ObjType::ALL, ObjType::ALL),
        _ => (FRAMES, FRAMES_OR_NOTHING),
    }
}

// the id of an object of one of some kinds
fn object(
    m: &Arrays,
    names: [&str; 2],
    i: usize,
    [kind, object]: [i32; 2],
    kinds: Kinds,
) -> Result<usize> {
    let known = kinds.iter().find(|k| kind == **k as i32);
    let Some(known) = known else {
        return Err(bad(
            names[0],
            i,
            format_args!("is {kind}, an object that a sensor of this type cannot have"),
        ));
    };
    let len = match known {
        ObjType::Unknown => return Ok(usize::MAX),
        ObjType::Body | ObjType::XBody => m.nbody,
        ObjType::Joint => m.njnt,
        ObjType::Geom => m.ngeom,
        ObjType::Site => m.nsite,
        ObjType::Camera => m.ncam,
        ObjType::Tendon => m.ntendon,
        ObjType::Actuator => m.nactuator,
        _ => i32::MAX as usize,
    };
    id(names[1], i, object, 0, len)
}

// a camera that a sensor looks through has a resolution
fn camera(m: &Arrays, kind: SensorType, i: usize, id: usize, refid: usize) -> Result<()> {
    let camera = match kind {
        SensorType::CamProjection => refid,
        SensorType::Rangefinder if m.sensor_objtype[i] == ObjType::Camera => id,
        _ => return Ok(()),
    };
    let [w, h] = [
        m.cam_resolution[2 * camera],
        m.cam_resolution[2 * camera + 1],
    ];
    let ok = w > 0 && h > 0 && i64::from(w) * i64::from(h) <= 1 << 28;
    ensure(
        ok,
        "cam_resolution",
        2 * camera,
        "and the next must be positive, and not too large: a sensor looks through it",
    )
}

fn width(m: &Arrays, kind: SensorType, i: usize, id: usize) -> usize {
    use SensorType as S;
    let [bits, _, num] = [0, 1, 2].map(|k| m.sensor_intprm[3 * i + k]);
    match kind {
        S::Touch
        | S::JointPos
        | S::JointVel
        | S::JointActFrc
        | S::JointLimitPos
        | S::JointLimitVel
        | S::JointLimitFrc
        | S::TendonPos
        | S::TendonVel
        | S::TendonActFrc
        | S::TendonLimitPos
        | S::TendonLimitVel
        | S::TendonLimitFrc
        | S::InsideSite
        | S::GeomDist
        | S::EPotential
        | S::EKinetic
        | S::Clock => 1,
        S::Tactile => 3 * usize::try_from(m.mesh_vertnum[id]).unwrap_or(0),
        S::CamProjection => 2,
        S::BallQuat | S::FrameQuat => 4,
        S::GeomFromTo => 6,
        S::ActuatorPos | S::ActuatorVel | S::ActuatorFrc => m.actuator_outnum[id] as usize,
        S::Contact => contact_width(bits).saturating_mul(usize::try_from(num).unwrap_or(0)),
        S::Rangefinder if m.sensor_objtype[i] == ObjType::Camera => {
            let rays =
                i64::from(m.cam_resolution[2 * id]) * i64::from(m.cam_resolution[2 * id + 1]);
            ray_width(bits) * rays as usize
        }
        S::Rangefinder => ray_width(bits),
        _ => 3,
    }
}
