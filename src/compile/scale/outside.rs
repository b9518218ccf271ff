//! Elements outside of the tree that refer to scaled elements.

use super::actuator::{UNITLESS, actuator};
use super::key::{Scales, keys};
use super::span::{self, Line, Span};
use super::stretch::Stretch;
use super::{Moves, Named, ONE, Scale, lengths, number, powers, width};
use crate::error::Result;
use crate::mjcf::schema::{Equality, EqualityTag, Flex, Pair, Sensor, SensorTag, Skin, Tendon};
use crate::mjcf::spec::Spec;
use crate::mjcf::table::fill;
use crate::types::{JointType, ObjType};

/// Scales elements that refer to scaled elements of a model; `before` is the spec before scaling. Kinds that are not handled are refused by name.
pub(super) fn scale(
    before: &Spec,
    spec: &mut Spec,
    named: &mut Named,
    joints: &[Moves],
    mocaps: &[Scale],
) -> Result<()> {
    let sources = spec.sources.clone();
    for x in &mut spec.pairs {
        pair(x, named);
    }
    let mut yielding = Vec::new();
    for x in &mut spec.tendons {
        let line = span::tendon(x, named);
        tendon(x, line);
        named.note_tendon(x, line);
        if x.springyield() > 0.0 {
            yielding.push(line);
        }
    }
    let mut flexes = Vec::new();
    for x in &mut spec.flexes {
        let scale = flex(x, named);
        flexes.push(scale);
        named.flex.extend(x.name.clone().map(|name| (name, scale)));
    }
    for x in &mut spec.equalities {
        equality(x, named);
    }
    for x in &mut spec.actuators {
        if !actuator(x, named) {
            return Err(sources.error(x.origin, None, UNITLESS));
        }
        named.note_actuator(x);
    }
    for x in &mut spec.sensors {
        let (tactile, plugin) = (SensorTag::Tactile, SensorTag::Plugin);
        let tactile = x.tag == tactile && !named.geom(x.geom.as_deref()).is_one();
        if tactile || x.tag == plugin && !object(x, named).is_one() {
            let msg = "tactile sensors and sensors of plugins cannot be scaled; keep their geoms out of the frame";
            return Err(sources.error(x.origin, None, msg));
        }
        if x.cutoff() > 0.0 {
            let factor = cutoff(x, named);
            number(&mut x.cutoff, factor);
        }
    }
    for x in &mut spec.skins {
        if !skin(x, named) {
            let msg = "the bones of a skin must have the same scale";
            return Err(sources.error(x.origin, None, msg));
        }
    }
    let scales = Scales {
        named,
        joints,
        yielding: &yielding,
        mocaps,
        flexes: &flexes,
    };
    keys(before, spec, &scales)
}

/// Scales a tendon, whose lengths are angles if it is one of hinges alone.
fn tendon(x: &mut Tendon, (scale, slides): Line) {
    if scale == ONE {
        return;
    }
    let along = Span::new(&scale, slides);
    let (limit, friction) = (x.solimplimit(), x.solimpfriction());
    lengths(&mut x.range, along.length);
    lengths(&mut x.actuatorfrcrange, along.force);
    width(&mut x.solimplimit, limit, along.length);
    width(&mut x.solimpfriction, friction, along.length);
    number(&mut x.frictionloss, along.force);
    if x.springlength()[0] >= 0.0 {
        let rest = x.springlength.iter_mut().flatten();
        rest.for_each(|l| *l *= along.length);
    }
    for own in [&mut x.springyield, &mut x.margin] {
        number(own, along.length);
    }
    powers(&mut x.stiffness, along.rate, 1.0 / along.unit);
    powers(&mut x.damping, along.rate, 1.0 / along.unit);
    number(&mut x.armature, along.rate);
    x.width = Some(x.width() * scale.length);
}

/// Scales a flex: its vertices and nodes in the frames of their bodies, all else by the scale of the bodies if one frame sets it for
/// all, which is returned.
fn flex(x: &mut Flex, named: &Named) -> Scale {
    let bodies = scales_of(x.body.as_deref(), named);
    let nodes = scales_of(x.node.as_deref(), named);
    points(&mut x.vertex, &bodies);
    points(&mut x.nodecoord, &nodes);
    let Some(first) = bodies.first() else {
        return ONE;
    };
    let mut all = bodies.iter().chain(&nodes);
    if first.is_one() || all.any(|body| body.said != first.said) {
        return ONE;
    }
    let (length, along) = (first.length, Span::new(first, true));
    x.radius = Some(x.radius() * length);
    number(&mut x.edge.stiffness, along.rate);
    number(&mut x.edge.damping, along.rate);
    let pressure = first.pressure();
    number(&mut x.elasticity.young, pressure);
    number(&mut x.elasticity.shear, pressure);
    number(&mut x.elasticity.thickness, length);
    lengths(&mut x.elasticity.sectionsize, length);
    let contact = &mut x.contact;
    number(&mut contact.margin, length);
    number(&mut contact.gap, length);
    if length != 1.0 {
        let [slide, spin, roll] = contact.friction();
        contact.friction = Some(vec![slide, spin * length, roll * length]);
        let solimp = contact.solimp();
        width(&mut contact.solimp, solimp, length);
    }
    *first
}

// the scales of the bodies of a list of names
fn scales_of(list: Option<&str>, named: &Named) -> Vec<Scale> {
    let names = list.unwrap_or_default().split_ascii_whitespace();
    names.map(|name| named.body(Some(name))).collect()
}

// scales points in the frames of their bodies; one body is that of all points
fn points(list: &mut Option<Vec<f64>>, bodies: &[Scale]) {
    let Some(last) = bodies.last() else { return };
    let points = list.iter_mut().flat_map(|v| v.chunks_exact_mut(3));
    for (k, point) in points.enumerate() {
        let pos = [point[0], point[1], point[2]];
        point.copy_from_slice(&bodies.get(k).unwrap_or(last).mapped(pos));
    }
}

/// Scales a skin with its bones along the axes of their bodies; false if they have several scales. Masses and units do not count.
fn skin(x: &mut Skin, named: &Named) -> bool {
    let scales = x.bones.iter().map(|bone| named.body(bone.body.as_deref()));
    let scales: Vec<Scale> = scales.collect();
    let Some(first) = scales.first() else {
        return true;
    };
    let factors = |s: &Scale| s.stretch.map_or([s.length; 3], Stretch::factors);
    let by = factors(first);
    // frames that are turned differ in the last bits
    let same = |s: &Scale| {
        factors(s)
            .iter()
            .zip(by)
            .all(|(a, b)| (a - b).abs() <= 1e-12 * b)
    };
    if !scales.iter().all(same) {
        return false;
    }
    number(&mut x.inflate, first.length);
    let vertices = x.vertex.iter_mut().flat_map(|v| v.chunks_mut(3));
    let bound = x.bones.iter_mut().filter_map(|bone| bone.bindpos.as_mut());
    for pos in vertices.chain(bound.map(|pos| pos.as_mut_slice())) {
        pos.iter_mut().zip(by).for_each(|(p, f)| *p *= f);
    }
    true
}

/// Scales a pair by the mean of its geoms' scales; attributes that it leaves open get their built-in values, scaled too.
fn pair(x: &mut Pair, named: &Named) {
    let scale = |name: &Option<String>| {
        let name = name.as_deref();
        name.and_then(|n| named.geom.get(n)).copied().unwrap_or(ONE)
    };
    let scale = scale(&x.geom1).mean(&scale(&x.geom2));
    if scale == ONE {
        return;
    }
    number(&mut x.margin, scale.length);
    number(&mut x.gap, scale.length);
    number(&mut x.adhesion, scale.force());
    let friction = fill(x.friction.as_deref(), [1.0, 1.0, 0.005, 0.0001, 0.0001]);
    let [slide, other, rest @ ..] = friction;
    let rest = rest.map(|f| f * scale.length);
    x.friction = Some([&[slide, other], rest.as_slice()].concat());
    let solimp = fill(x.solimp.as_deref(), [0.9, 0.95, 0.001, 0.5, 2.0]);
    width(&mut x.solimp, solimp, scale.length);
}

/// Scales an equality.
fn equality(x: &mut Equality, named: &Named) {
    let solimp = x.solimp();
    let joint = |name: &Option<String>| {
        let (scale, kind) = named.joint(name.as_deref());
        Span::new(&scale, kind == JointType::Slide).length
    };
    let length = |name: &Option<String>| {
        let (scale, slides) = named.tendon(name.as_deref());
        Span::new(&scale, slides).length
    };
    match x.tag {
        EqualityTag::Joint => follow(x, joint(&x.joint1), joint(&x.joint2)),
        EqualityTag::Tendon => follow(x, length(&x.tendon1), length(&x.tendon2)),
        EqualityTag::Connect | EqualityTag::Weld if x.site1.is_some() => {
            let between = named.site(x.site1.as_deref());
            let between = between.mean(&named.site(x.site2.as_deref())).length;
            width(&mut x.solimp, solimp, between);
            if x.tag == EqualityTag::Weld && between != 1.0 {
                x.torquescale = Some(x.torquescale() * between);
            }
        }
        EqualityTag::Connect => {
            let first = named.body(x.body1.as_deref());
            first.place(&mut x.anchor);
            width(&mut x.solimp, solimp, first.length);
        }
        EqualityTag::Weld => {
            let first = named.body(x.body1.as_deref());
            let second = named.body(x.body2.as_deref());
            let between = first.mean(&second).length;
            second.place(&mut x.anchor);
            if let Some([x, y, z, ..]) = &mut x.relpose {
                let mut pos = Some([*x, *y, *z]);
                first.place(&mut pos);
                [*x, *y, *z] = pos.unwrap_or_default();
            }
            if between != 1.0 {
                x.torquescale = Some(x.torquescale() * between);
            }
            width(&mut x.solimp, solimp, between);
        }
        EqualityTag::Flex | EqualityTag::Flexstrain => {
            let scale = x.flex.as_ref().and_then(|name| named.flex.get(name));
            width(&mut x.solimp, solimp, scale.map_or(1.0, |s| s.length));
        }
        _ => {}
    }
}

// an equality that makes one displacement a polynomial of another, by the factors of both
fn follow(x: &mut Equality, own: f64, other: f64) {
    let solimp = x.solimp();
    width(&mut x.solimp, solimp, own);
    if own == 1.0 && other == 1.0 {
        return;
    }
    let mut factor = own;
    let mut polynomial = fill(x.polycoef.as_deref(), x.polycoef());
    for c in &mut polynomial {
        *c *= factor;
        factor /= other;
    }
    x.polycoef = Some(polynomial.to_vec());
}

// the scale of a sensor's object
fn object(x: &Sensor, named: &Named) -> Scale {
    let name = x.objname.as_deref();
    match x.objtype {
        Some(ObjType::Geom) => named.geom(name),
        Some(ObjType::Site) => named.site(name),
        Some(ObjType::Camera) => named.camera(name),
        _ => named.body(name),
    }
}

/// The factor of a sensor's readings.
fn cutoff(x: &Sensor, named: &Named) -> f64 {
    use SensorTag as T;
    let site = || named.site(x.site.as_deref());
    let joint = || {
        let (scale, kind) = named.joint(x.joint.as_deref());
        Span::new(&scale, kind == JointType::Slide)
    };
    let tendon = || {
        let (scale, slides) = named.tendon(x.tendon.as_deref());
        Span::new(&scale, slides)
    };
    let actuator = || {
        let (scale, slides) = named.actuator(x.actuator.as_deref());
        Span::new(&scale, slides)
    };
    match x.tag {
        T::FramePos | T::FrameLinVel | T::FrameLinAcc => object(x, named).length,
        T::Accelerometer | T::Velocimeter => site().length,
        T::Rangefinder if x.site.is_some() => site().length,
        T::Rangefinder => named.camera(x.camera.as_deref()).length,
        T::Force | T::Touch => site().force(),
        T::Torque => site().torque(),
        T::SubtreeCom | T::SubtreeLinVel => named.body(x.body.as_deref()).length,
        T::SubtreeAngMom => named.body(x.body.as_deref()).torque(),
        T::JointPos | T::JointVel | T::JointLimitPos | T::JointLimitVel => joint().length,
        T::JointActuatorFrc | T::JointLimitFrc => joint().force,
        T::TendonPos | T::TendonVel | T::TendonLimitPos | T::TendonLimitVel => tendon().length,
        T::TendonActuatorFrc | T::TendonLimitFrc => tendon().force,
        T::ActuatorPos | T::ActuatorVel => actuator().length,
        T::ActuatorFrc => actuator().force,
        T::Distance | T::Normal | T::FromTo => {
            let of = |geom: &Option<String>, body: &Option<String>| match geom {
                Some(_) => named.geom(geom.as_deref()),
                None => named.body(body.as_deref()),
            };
            of(&x.geom1, &x.body1).mean(&of(&x.geom2, &x.body2)).length
        }
        _ => 1.0,
    }
}
