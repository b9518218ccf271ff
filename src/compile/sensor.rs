//! Sensors: their objects, their outputs, and the stage that computes them.

use super::actuator::check_history;
use super::names::Names;
use super::plugin::Plugins;
use super::tree::Tree;
use crate::cpu::collision::enclosure::geoms_of;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::limits::MOST_REPORTED;
use crate::mjcf::schema::{Sensor, SensorTag};
use crate::mjcf::table::Keyword;
use crate::types::*;

/// A row of the table of sensors: type, kind of data, stage, dimension.
struct Row(SensorType, DataType, NeedStage, usize);

/// An object by kind and id.
type Object = (ObjType, i32);

const NOTHING: Object = (ObjType::Unknown, -1);

/// Fills `sensor_*` (`mjCSensor::Compile`).
pub(super) fn fill(m: &mut Arrays, tree: &Tree, names: &Names, plugins: &Plugins) -> Result<()> {
    for (i, said) in tree.spec.sensors.iter().enumerate() {
        let mut row = row(tree, said)?;
        let (obj, refobj) = objects(tree, names, said)?;
        if said.tag == SensorTag::Plugin {
            row.3 = plugins.width(i);
        }
        let intprm = special(m, tree, said, &mut row, obj, refobj)?;
        check(m, tree, said, &row, obj, refobj)?;
        let Row(kind, datatype, stage, dim) = row;
        m.sensor_type.push(kind as i32);
        m.sensor_datatype.push(datatype as i32);
        m.sensor_needstage.push(stage as i32);
        m.sensor_objtype.push(obj.0 as i32);
        m.sensor_objid.push(obj.1);
        m.sensor_reftype.push(refobj.0 as i32);
        m.sensor_refid.push(refobj.1);
        m.sensor_intprm.extend(intprm);
        m.sensor_dim.push(dim as i32);
        m.sensor_adr.push(m.nsensordata as i32);
        m.nsensordata += dim;
        m.sensor_cutoff.push(said.cutoff());
        m.sensor_noise.push(said.noise());
        history(m, tree, said, dim)?;
    }
    m.nsensor = tree.spec.sensors.len();
    Ok(())
}

fn history(m: &mut Arrays, tree: &Tree, said: &Sensor, dim: usize) -> Result<()> {
    let origin = said.origin;
    let (nsample, delay) = (said.nsample(), said.delay());
    check_history(tree, origin, nsample, delay)?;
    let [period, phase] = said.interval();
    let msg = "interval needs a period that is not negative";
    tree.ensure(period >= 0.0, origin, Some("interval"), msg)?;
    let msg = "the phase, the second number of interval, must not be positive";
    tree.ensure(phase <= 0.0, origin, Some("interval"), msg)?;
    let msg = "the phase, the second number of interval, must be greater than -period";
    let within = period == 0.0 || phase > -period;
    tree.ensure(within, origin, Some("interval"), msg)?;
    m.sensor_history.extend([nsample, said.interp() as i32]);
    m.sensor_delay.push(delay);
    m.sensor_interval.extend([period, phase]);
    m.sensor_historyadr.push(-1);
    if nsample > 0 {
        if let Some(adr) = m.sensor_historyadr.last_mut() {
            *adr = m.nhistory as i32;
        }
        m.nhistory += 2 + nsample as usize * (1 + dim);
    }
    Ok(())
}

fn row(tree: &Tree, said: &Sensor) -> Result<Row> {
    use DataType as T;
    use NeedStage::{Acc, Pos, Vel};
    use SensorType as S;
    Ok(match said.tag {
        SensorTag::Touch => Row(S::Touch, T::Positive, Acc, 1),
        SensorTag::Accelerometer => Row(S::Accelerometer, T::Real, Acc, 3),
        SensorTag::Velocimeter => Row(S::Velocimeter, T::Real, Vel, 3),
        SensorTag::Gyro => Row(S::Gyro, T::Real, Vel, 3),
        SensorTag::Force => Row(S::Force, T::Real, Acc, 3),
        SensorTag::Torque => Row(S::Torque, T::Real, Acc, 3),
        SensorTag::Magnetometer => Row(S::Magnetometer, T::Real, Pos, 3),
        SensorTag::Rangefinder => Row(S::Rangefinder, T::Real, Pos, 1),
        SensorTag::CamProjection => Row(S::CamProjection, T::Real, Pos, 2),
        SensorTag::JointPos => Row(S::JointPos, T::Real, Pos, 1),
        SensorTag::JointVel => Row(S::JointVel, T::Real, Vel, 1),
        SensorTag::TendonPos => Row(S::TendonPos, T::Real, Pos, 1),
        SensorTag::TendonVel => Row(S::TendonVel, T::Real, Vel, 1),
        SensorTag::ActuatorPos => Row(S::ActuatorPos, T::Real, Pos, 1),
        SensorTag::ActuatorVel => Row(S::ActuatorVel, T::Real, Vel, 1),
        SensorTag::ActuatorFrc => Row(S::ActuatorFrc, T::Real, Acc, 1),
        SensorTag::JointActuatorFrc => Row(S::JointActFrc, T::Real, Acc, 1),
        SensorTag::TendonActuatorFrc => Row(S::TendonActFrc, T::Real, Acc, 1),
        SensorTag::BallQuat => Row(S::BallQuat, T::Quaternion, Pos, 4),
        SensorTag::BallAngVel => Row(S::BallAngVel, T::Real, Vel, 3),
        SensorTag::JointLimitPos => Row(S::JointLimitPos, T::Real, Pos, 1),
        SensorTag::JointLimitVel => Row(S::JointLimitVel, T::Real, Vel, 1),
        SensorTag::JointLimitFrc => Row(S::JointLimitFrc, T::Real, Acc, 1),
        SensorTag::TendonLimitPos => Row(S::TendonLimitPos, T::Real, Pos, 1),
        SensorTag::TendonLimitVel => Row(S::TendonLimitVel, T::Real, Vel, 1),
        SensorTag::TendonLimitFrc => Row(S::TendonLimitFrc, T::Real, Acc, 1),
        SensorTag::FramePos => Row(S::FramePos, T::Real, Pos, 3),
        SensorTag::FrameQuat => Row(S::FrameQuat, T::Quaternion, Pos, 4),
        SensorTag::FrameXAxis => Row(S::FrameXAxis, T::Axis, Pos, 3),
        SensorTag::FrameYAxis => Row(S::FrameYAxis, T::Axis, Pos, 3),
        SensorTag::FrameZAxis => Row(S::FrameZAxis, T::Axis, Pos, 3),
        SensorTag::FrameLinVel => Row(S::FrameLinVel, T::Real, Vel, 3),
        SensorTag::FrameAngVel => Row(S::FrameAngVel, T::Real, Vel, 3),
        SensorTag::FrameLinAcc => Row(S::FrameLinAcc, T::Real, Acc, 3),
        SensorTag::FrameAngAcc => Row(S::FrameAngAcc, T::Real, Acc, 3),
        SensorTag::SubtreeCom => Row(S::SubtreeCom, T::Real, Pos, 3),
        SensorTag::SubtreeLinVel => Row(S::SubtreeLinVel, T::Real, Vel, 3),
        SensorTag::SubtreeAngMom => Row(S::SubtreeAngMom, T::Real, Vel, 3),
        SensorTag::InsideSite => Row(S::InsideSite, T::Positive, Pos, 1),
        SensorTag::Distance => Row(S::GeomDist, T::Real, Pos, 1),
        SensorTag::Normal => Row(S::GeomNormal, T::Axis, Pos, 3),
        SensorTag::FromTo => Row(S::GeomFromTo, T::Real, Pos, 6),
        SensorTag::Contact => Row(S::Contact, T::Real, Pos, 1),
        SensorTag::EPotential => Row(S::EPotential, T::Real, Pos, 1),
        SensorTag::EKinetic => Row(S::EKinetic, T::Real, Pos, 1),
        SensorTag::Clock => Row(S::Clock, T::Real, Pos, 1),
        SensorTag::User => Row(
            S::User,
            said.datatype(),
            said.needstage(),
            usize::try_from(said.dim.unwrap_or(0)).unwrap_or(0),
        ),
        SensorTag::Tactile => Row(S::Tactile, T::Real, Vel, 0),
        SensorTag::Plugin => Row(S::Plugin, T::Real, Acc, 0),
        SensorTag::Unsaid => return Err(tree.error(said.origin, None, "says no sensor")),
    })
}

// the measured object, and the reference object
fn objects(tree: &Tree, names: &Names, said: &Sensor) -> Result<(Object, Object)> {
    let origin = said.origin;
    let by = |kind: ObjType, attr: &str, name: &Option<String>| -> Result<Option<Object>> {
        let (Some(name), Some(ids)) = (name, names.of(kind)) else {
            return Ok(None);
        };
        let id = ids.find(tree, origin, attr, name)?;
        Ok(Some((kind, id as i32)))
    };
    let named = |kind: Option<ObjType>, attr: &str, name: &Option<String>| match kind {
        Some(kind) if names.of(kind).is_none() => {
            let msg = format!("there is nothing to sense at a {}", kind.word());
            Err(tree.error(origin, None, msg))
        }
        Some(kind) => by(kind, attr, name),
        None => Ok(None),
    };
    // in the order of precedence: the measured object …
    let mut obj = named(said.objtype, "objname", &said.objname)?;
    for (kind, attr, name) in [
        (ObjType::Site, "site", &said.site),
        (ObjType::Joint, "joint", &said.joint),
        (ObjType::Tendon, "tendon", &said.tendon),
        (ObjType::Actuator, "actuator", &said.actuator),
        (ObjType::Body, "body", &said.body),
        (ObjType::Camera, "camera", &said.camera),
        (ObjType::Body, "body1", &said.body1),
        (ObjType::XBody, "subtree1", &said.subtree1),
        (ObjType::Geom, "geom1", &said.geom1),
    ] {
        let inside = said.tag == SensorTag::InsideSite && attr == "site";
        if obj.is_none() && !inside {
            obj = by(kind, attr, name)?;
        }
    }
    // … and the reference object
    let mut refobj = named(said.reftype, "refname", &said.refname)?;
    if said.tag == SensorTag::InsideSite {
        refobj = by(ObjType::Site, "site", &said.site)?;
    }
    if said.tag == SensorTag::Tactile {
        obj = by(ObjType::Mesh, "mesh", &said.mesh)?;
        refobj = by(ObjType::Geom, "geom", &said.geom)?;
    }
    if said.tag == SensorTag::CamProjection {
        refobj = by(ObjType::Camera, "camera", &said.camera)?;
    }
    for (kind, attr, name) in [
        (ObjType::Body, "body2", &said.body2),
        (ObjType::XBody, "subtree2", &said.subtree2),
        (ObjType::Geom, "geom2", &said.geom2),
    ] {
        if refobj.is_none() {
            refobj = by(kind, attr, name)?;
        }
    }
    Ok((obj.unwrap_or(NOTHING), refobj.unwrap_or(NOTHING)))
}

// sensors whose outputs depend on their attributes; integer parameters
fn special(
    m: &Arrays,
    tree: &Tree,
    said: &Sensor,
    row: &mut Row,
    obj: Object,
    refobj: Object,
) -> Result<[i32; 3]> {
    let origin = said.origin;
    match said.tag {
        SensorTag::InsideSite if said.enclosed() => {
            row.1 = DataType::Real;
            enclosed(m, tree, said, obj)?;
            Ok([1, 0, 0])
        }
        SensorTag::Tactile => {
            row.3 = tactile(m, tree, said, obj, refobj)?;
            Ok([0; 3])
        }
        SensorTag::ActuatorPos | SensorTag::ActuatorVel | SensorTag::ActuatorFrc => {
            row.3 = usize::try_from(obj.1)
                .ok()
                .and_then(|id| m.actuator_outnum.get(id))
                .map_or(1, |n| *n as usize);
            Ok([0; 3])
        }
        SensorTag::CamProjection => {
            let resolution = resolution(m, refobj.1);
            let msg = "camera needs a resolution of positive width and height";
            let ok = resolution.is_some_and(|[w, h]| w > 0 && h > 0);
            tree.ensure(ok, origin, Some("camera"), msg)?;
            Ok([0; 3])
        }
        SensorTag::Rangefinder => rangefinder(m, tree, said, row, obj),
        SensorTag::Contact => contact(tree, said, row),
        _ => Ok([0; 3]),
    }
}

// three outputs for each vertex of the sensor's mesh
fn tactile(m: &Arrays, tree: &Tree, said: &Sensor, obj: Object, refobj: Object) -> Result<usize> {
    let (Ok(mesh), Ok(geom)) = (usize::try_from(obj.1), usize::try_from(refobj.1)) else {
        let msg = "needs the attributes geom and mesh";
        return Err(tree.error(said.origin, None, msg));
    };
    let touches = |g: usize| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
    let body = m.geom_bodyid[geom];
    let some = (0..m.ngeom).any(|g| m.geom_bodyid[g] == body && touches(g));
    let msg = "the body of the geom needs a geom that collides";
    tree.ensure(some, said.origin, Some("geom"), msg)?;
    Ok(3 * m.mesh_vertnum[mesh] as usize)
}

// the object to enclose has a shape; all its geoms are convex and finite
fn enclosed(m: &Arrays, tree: &Tree, said: &Sensor, obj: Object) -> Result<()> {
    let wrong = |msg: &str| Err(tree.error(said.origin, Some("enclosed"), msg));
    let Ok(id) = usize::try_from(obj.1) else {
        return Ok(());
    };
    match obj.0 {
        ObjType::Site => return Ok(()),
        ObjType::Camera => return wrong("a camera has no shape that a site may enclose"),
        _ => {}
    }
    let geoms = geoms_of(m, obj.0 as i32, id);
    if geoms.is_empty() {
        return wrong("there is no geom that the site may enclose");
    }
    match geoms.into_iter().all(|g| is_compact(m.geom_type[g])) {
        true => Ok(()),
        false => wrong("planes, height fields and SDFs are no compact convex shapes"),
    }
}

/// True for the types of geoms of finite extent.
pub(super) fn is_compact(geom_type: i32) -> bool {
    let solid = |t: GeomType| (GeomType::Sphere..=GeomType::Mesh).contains(&t);
    GeomType::from_i32(geom_type).is_some_and(solid)
}

fn resolution(m: &Arrays, camera: i32) -> Option<[i32; 2]> {
    let at = 2 * usize::try_from(camera).ok()?;
    Some([*m.cam_resolution.get(at)?, *m.cam_resolution.get(at + 1)?])
}

// the fields of a list of words as bits; they must come in order
fn fields<K: Keyword>(tree: &Tree, said: &Sensor) -> Result<i32> {
    let mut bits = 0;
    for word in said.data.as_deref().unwrap_or_default().split_whitespace() {
        let Some(bit) = K::WORDS.iter().position(|w| *w == word) else {
            let msg = format!("data {word:?} is not one of {}", K::WORDS.join(", "));
            return Err(tree.error(said.origin, Some("data"), msg));
        };
        let msg = format!(
            "data needs its words in this order: {}",
            K::WORDS.join(", ")
        );
        let ok = bits < 1 << bit;
        tree.ensure(ok, said.origin, Some("data"), &msg)?;
        bits |= 1 << bit;
    }
    Ok(if bits == 0 { 1 } else { bits })
}

fn has(bits: i32, field: i32) -> bool {
    bits & 1 << field != 0
}

/// Number of outputs of one ray, by the bits of its fields.
pub(super) fn ray_width(bits: i32) -> usize {
    let said = RayDataField::ALL.iter().filter(|f| has(bits, **f as i32));
    said.map(|field| match field {
        RayDataField::Dist | RayDataField::Depth => 1,
        _ => 3,
    })
    .sum()
}

/// Number of outputs of one contact, by the bits of its fields.
pub(super) fn contact_width(bits: i32) -> usize {
    let said = ConDataField::ALL.iter().filter(|f| has(bits, **f as i32));
    said.map(|field| match field {
        ConDataField::Found | ConDataField::Dist => 1,
        _ => 3,
    })
    .sum()
}

fn rangefinder(
    m: &Arrays,
    tree: &Tree,
    said: &Sensor,
    row: &mut Row,
    obj: Object,
) -> Result<[i32; 3]> {
    let bits = fields::<RayDataField>(tree, said)?;
    let width = ray_width(bits);
    let mut rays = 1;
    if obj.0 == ObjType::Camera {
        let [w, h] = resolution(m, obj.1).unwrap_or([0, 0]);
        let msg = "camera needs a resolution of positive width and height";
        tree.ensure(w > 0 && h > 0, said.origin, Some("camera"), msg)?;
        rays = (w as usize).saturating_mul(h as usize);
    }
    let msg = "camera has more pixels than a sensor can give";
    let fits = rays.saturating_mul(width) <= 1 << 28;
    tree.ensure(fits, said.origin, Some("camera"), msg)?;
    row.3 = width * rays;
    Ok([bits, 0, 0])
}

fn contact(tree: &Tree, said: &Sensor, row: &mut Row) -> Result<[i32; 3]> {
    let bits = fields::<ConDataField>(tree, said)?;
    let num = said.num();
    let msg = format!("num must be 1 to {MOST_REPORTED}, found {num}");
    let ok = (1..=MOST_REPORTED).contains(&num);
    tree.ensure(ok, said.origin, Some("num"), &msg)?;
    row.3 = contact_width(bits) * num as usize;

    let moving = has(bits, ConDataField::LinVel as i32) || has(bits, ConDataField::AngVel as i32);
    let msg = "the net force of contacts has no velocity: leave out linvel and angvel, or take another reduce";
    let ok = said.reduce() != Reduce::NetForce || !moving;
    tree.ensure(ok, said.origin, Some("reduce"), msg)?;

    // forces need accelerations, relative motion needs velocities
    let by_force = matches!(said.reduce(), Reduce::MaxForce | Reduce::NetForce);
    let has = |field: ConDataField| has(bits, field as i32);
    row.2 = if by_force || has(ConDataField::Force) || has(ConDataField::Torque) {
        NeedStage::Acc
    } else if has(ConDataField::LinVel) || has(ConDataField::AngVel) {
        NeedStage::Vel
    } else {
        NeedStage::Pos
    };
    Ok([bits, said.reduce() as i32, num])
}

fn check(
    m: &Arrays,
    tree: &Tree,
    said: &Sensor,
    row: &Row,
    obj: Object,
    refobj: Object,
) -> Result<()> {
    let origin = said.origin;
    let msg = "noise must not be negative";
    tree.ensure(said.noise() >= 0.0, origin, Some("noise"), msg)?;
    let msg = "cutoff must not be negative";
    tree.ensure(said.cutoff() >= 0.0, origin, Some("cutoff"), msg)?;
    let Row(kind, datatype, _, dim) = *row;
    let unit = datatype == DataType::Quaternion
        || (datatype == DataType::Axis && kind != SensorType::GeomNormal);
    let msg = "cutoff cannot be applied to directions and quaternions";
    let ok = !(unit && said.cutoff() > 0.0);
    tree.ensure(ok, origin, Some("cutoff"), msg)?;

    let global = matches!(
        kind,
        SensorType::EPotential
            | SensorType::EKinetic
            | SensorType::Clock
            | SensorType::User
            | SensorType::Plugin
            | SensorType::Contact
    );
    let msg = "needs an object to measure";
    tree.ensure(global || obj.0 != ObjType::Unknown, origin, None, msg)?;
    match kind {
        SensorType::GeomDist | SensorType::GeomNormal | SensorType::GeomFromTo => {
            let spatial = |o: Object| matches!(o.0, ObjType::Body | ObjType::Geom);
            let msg = "needs two geoms or bodies that differ";
            let ok = spatial(obj) && spatial(refobj) && obj != refobj;
            tree.ensure(ok, origin, None, msg)?;
            let field =
                |o: Object| o.0 == ObjType::Geom && m.geom_type[o.1 as usize] == GeomType::Hfield;
            let msg = "distances to height fields are not defined";
            tree.ensure(!field(obj) && !field(refobj), origin, None, msg)
        }
        SensorType::JointPos | SensorType::JointVel | SensorType::JointActFrc => {
            let jnt = m.jnt_type[obj.1 as usize];
            let ok = jnt == JointType::Slide || jnt == JointType::Hinge;
            let msg = "joint must be a slide or hinge joint";
            tree.ensure(ok, origin, Some("joint"), msg)
        }
        SensorType::BallQuat | SensorType::BallAngVel => {
            let ok = m.jnt_type[obj.1 as usize] == JointType::Ball;
            tree.ensure(ok, origin, Some("joint"), "joint must be a ball joint")
        }
        SensorType::JointLimitPos | SensorType::JointLimitVel | SensorType::JointLimitFrc => {
            let ok = m.jnt_limited[obj.1 as usize] != 0;
            let msg = "joint must have a limit: give it a range";
            tree.ensure(ok, origin, Some("joint"), msg)
        }
        SensorType::TendonLimitPos | SensorType::TendonLimitVel | SensorType::TendonLimitFrc => {
            let ok = m.tendon_limited[obj.1 as usize] != 0;
            let msg = "tendon must have a limit: give it a range";
            tree.ensure(ok, origin, Some("tendon"), msg)
        }
        SensorType::User => {
            let msg = "dim must be 3 for datatype=\"axis\"";
            let ok = datatype != DataType::Axis || dim == 3;
            tree.ensure(ok, origin, Some("dim"), msg)?;
            let msg = "dim must be 4 for datatype=\"quaternion\"";
            let ok = datatype != DataType::Quaternion || dim == 4;
            tree.ensure(ok, origin, Some("dim"), msg)?;
            let msg = "dim must not be negative, nor too large";
            let dim = said.dim.unwrap_or(0);
            tree.ensure((0..=1 << 20).contains(&dim), origin, Some("dim"), msg)
        }
        _ => Ok(()),
    }
}
