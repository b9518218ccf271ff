//! Applies the scales of frames to a spec before it is compiled: its numbers become those of a model of that size and mass.
//!
//! A frame scales its contents about its own origin: lengths by `scale`, masses by `massscale`. Quantities that follow from units
//! (forces, torques, stiffness) scale too if `scaling` is `similar`, and stay if it is `geometry`.

mod actuator;
mod assets;
mod key;
mod outside;
mod span;
mod stretch;

use std::collections::HashMap;

use crate::error::Result;
use crate::mjcf::schema::{
    Body, Camera, Frame, Geom, Inertial, Joint, Light, Mesh, MeshInertia, Scaling, Site, Tendon,
};
use crate::mjcf::source::Sources;
use crate::mjcf::spec::{Actuator, Spec};
use crate::types::{GeomType, JointType};

use super::pose::Units;
use super::tree::units;
use span::{Line, Span};
use stretch::Stretch;

/// Factors of the contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// Factor of lengths; of lengths without a direction if there is a stretch.
    length: f64,
    /// Factor of masses.
    mass: f64,
    /// Factor of the unit of length, which forces follow.
    unit_length: f64,
    /// Factor of the unit of mass, which forces follow.
    unit_mass: f64,
    /// Map of positions, if their factors differ by axis.
    stretch: Option<Stretch>,
    /// The last frame that set the scale, counted from 1; 0: none.
    said: usize,
}

/// The scale that changes nothing.
const ONE: Scale = Scale {
    length: 1.0,
    mass: 1.0,
    unit_length: 1.0,
    unit_mass: 1.0,
    stretch: None,
    said: 0,
};

impl Scale {
    /// Whether the scale changes nothing, whichever frame set it.
    fn is_one(&self) -> bool {
        Scale { said: 0, ..*self } == ONE
    }

    /// Factor of forces.
    fn force(&self) -> f64 {
        self.unit_mass * self.unit_length
    }

    /// Factor of torques.
    fn torque(&self) -> f64 {
        self.force() * self.unit_length
    }

    /// Factor of pressures, stiffness of matter among them.
    fn pressure(&self) -> f64 {
        self.unit_mass / self.unit_length
    }

    /// The geometric mean of two scales.
    fn mean(&self, other: &Scale) -> Scale {
        let mean = |a: f64, b: f64| (a * b).sqrt();
        Scale {
            length: mean(self.length, other.length),
            mass: mean(self.mass, other.mass),
            unit_length: mean(self.unit_length, other.unit_length),
            unit_mass: mean(self.unit_mass, other.unit_mass),
            stretch: None,
            said: 0,
        }
    }
}

/// Scales of named elements, by kind. Elements without a name or a scale are left out, except joints and tendons.
#[derive(Default)]
struct Named {
    body: HashMap<String, Scale>,
    /// Scale of a joint's displacement, and (`joint_frame`) of quantities of the joint without a direction.
    joint: HashMap<String, (Scale, JointType)>,
    joint_frame: HashMap<String, Scale>,
    geom: HashMap<String, Scale>,
    site: HashMap<String, Scale>,
    camera: HashMap<String, Scale>,
    flex: HashMap<String, Scale>,
    tendon: HashMap<String, Line>,
    actuator: HashMap<String, Line>,
}

/// A joint: the scale of its displacement, its kind, and whether its spring yields.
struct Moves {
    scale: Scale,
    kind: JointType,
    yields: bool,
}

fn says(f: &Frame) -> bool {
    f.scale.is_some() || f.scaling.is_some() || f.massscale.is_some()
}

/// Whether a frame of a spec scales what is in it.
pub(super) fn scales(spec: &Spec) -> bool {
    let mut any = false;
    spec.each_body(&mut |_, body| any |= body.frames.iter().any(says));
    any
}

/// The spec with all scales of frames applied; `None` if there are none.
pub(super) fn scaled(spec: &Spec) -> Result<Option<Spec>> {
    if !scales(spec) {
        return Ok(None);
    }
    let mut out = spec.clone();
    let mut assets = assets::Instances::default();
    let mut named = Named::default();
    let (mut joints, mut mocaps) = (Vec::new(), Vec::new());
    let units = units(spec)?;
    let sources = &spec.sources;
    let mut said = 0;
    // from the world down, in the order of ids
    let mut stack = vec![(&mut out.world, ONE)];
    while let Some((body, own)) = stack.pop() {
        let scales = frames(sources, &units, &mut body.frames, own, &mut said)?;
        let at = |frame: Option<usize>| frame.and_then(|f| scales.get(f).copied()).unwrap_or(own);
        if body.mocap() {
            mocaps.push(own);
        }
        named.note(body, &own, &at);
        if let Some(inertial) = &mut body.inertial {
            self::inertial(inertial, &units, &at(inertial.frame));
        }
        for joint in &mut body.joints {
            let origin = joint.origin;
            let wrong = |msg| sources.error(origin, None, msg);
            let scale = of_joint(joint, at(joint.frame)).map_err(wrong)?;
            joints.push(Moves {
                scale,
                kind: kind_of(joint),
                yields: joint.springyield() > 0.0,
            });
            named.note_joint(joint, scale, at(joint.frame));
            at(joint.frame).place(&mut joint.pos);
            self::joint(joint, &scale);
        }
        let mut factors = Vec::with_capacity(body.geoms.len());
        for geom in &mut body.geoms {
            let scale = at(geom.frame);
            let origin = geom.origin;
            let wrong = |msg| sources.error(origin, None, msg);
            // a shape that is fitted to a mesh is solid
            let own = matches!(geom.type_(), GeomType::Mesh | GeomType::Sdf);
            let shell = own && has_shell(&spec.meshes, geom.mesh.as_deref());
            let shell = shell || geom.shellinertia();
            factors.push(self::geom(geom, &units, &scale, shell).map_err(wrong)?);
        }
        let geoms = body.geoms.iter_mut().zip(factors);
        let geoms = geoms.map(|(g, factors)| (factors, &mut g.mesh, &mut g.hfield));
        assets.use_geoms(&out.meshes, &out.hfields, geoms);
        for site in &mut body.sites {
            let scale = at(site.frame);
            let factors = self::site(site, &units, &scale);
            assets.later(site.mesh.iter().map(|mesh| (factors, mesh.clone())));
        }
        body.cameras
            .iter_mut()
            .for_each(|c| camera(c, &at(c.frame)));
        body.lights.iter_mut().for_each(|l| light(l, &at(l.frame)));
        for child in body.bodies.iter_mut().rev() {
            let scale = at(child.frame);
            scale.place(&mut child.pos);
            let scale = scale.turned(&units, &child.orientation);
            stack.push((child, scale));
        }
    }
    assets.rename_sites(&mut out)?;
    assets.fill(&mut out)?;
    outside::scale(spec, &mut out, &mut named, &joints, &mocaps)?;
    Ok(Some(out))
}

impl Named {
    fn note(&mut self, body: &Body, own: &Scale, at: &dyn Fn(Option<usize>) -> Scale) {
        fn one<T>(map: &mut HashMap<String, T>, name: &Option<String>, scale: Scale, value: T) {
            if let Some(name) = name
                && scale != ONE
            {
                map.insert(name.clone(), value);
            }
        }
        one(&mut self.body, &body.name, *own, *own);
        for x in &body.geoms {
            let scale = at(x.frame);
            one(&mut self.geom, &x.name, scale, scale.straight(scale.length));
        }
        for x in &body.sites {
            let scale = at(x.frame);
            one(&mut self.site, &x.name, scale, scale.straight(scale.length));
        }
        for x in &body.cameras {
            one(&mut self.camera, &x.name, at(x.frame), at(x.frame));
        }
    }

    /// Records a joint with the scale of its displacement.
    fn note_joint(&mut self, x: &Joint, scale: Scale, frame: Scale) {
        let of = (scale, kind_of(x));
        if let Some(name) = &x.name {
            self.joint.insert(name.clone(), of);
            let frame = frame.straight(frame.length);
            self.joint_frame.insert(name.clone(), frame);
        }
    }

    /// Records a tendon that has been scaled.
    fn note_tendon(&mut self, x: &Tendon, line: Line) {
        let name = x.name.clone();
        self.tendon.extend(name.map(|name| (name, line)));
    }

    /// Records an actuator that has been scaled.
    fn note_actuator(&mut self, x: &Actuator) {
        let line = span::actuator(x, self);
        let name = x.name.clone();
        self.actuator.extend(name.map(|name| (name, line)));
    }

    fn body(&self, name: Option<&str>) -> Scale {
        of(&self.body, name, ONE)
    }

    fn geom(&self, name: Option<&str>) -> Scale {
        of(&self.geom, name, ONE)
    }

    fn site(&self, name: Option<&str>) -> Scale {
        of(&self.site, name, ONE)
    }

    fn camera(&self, name: Option<&str>) -> Scale {
        of(&self.camera, name, ONE)
    }

    fn joint(&self, name: Option<&str>) -> (Scale, JointType) {
        of(&self.joint, name, (ONE, JointType::Hinge))
    }

    fn joint_frame(&self, name: Option<&str>) -> Scale {
        of(&self.joint_frame, name, ONE)
    }

    fn tendon(&self, name: Option<&str>) -> Line {
        of(&self.tendon, name, (ONE, true))
    }

    fn actuator(&self, name: Option<&str>) -> Line {
        of(&self.actuator, name, (ONE, true))
    }
}

// the scale of a name; an element that is not recorded has the scale `none`
fn of<T: Copy>(known: &HashMap<String, T>, name: Option<&str>, none: T) -> T {
    name.and_then(|name| known.get(name))
        .copied()
        .unwrap_or(none)
}

/// The scale within each frame of a body; removes the scales from the frames.
fn frames(
    sources: &Sources,
    units: &Units,
    frames: &mut [Frame],
    own: Scale,
    said: &mut usize,
) -> Result<Vec<Scale>> {
    let mut scales: Vec<Scale> = Vec::with_capacity(frames.len());
    for frame in frames {
        let around = frame
            .parent
            .and_then(|p| scales.get(p).copied())
            .unwrap_or(own);
        around.place(&mut frame.pos);
        let around = around.turned(units, &frame.orientation);
        if !says(frame) {
            scales.push(around);
            continue;
        }
        *said += 1;
        let [x, y, z] = factors_of(sources, frame)?;
        let volume = x * y * z;
        let length = if x == y && y == z { x } else { volume.cbrt() };
        let mass = match frame.massscale.take() {
            None | Some(0.0) => volume,
            Some(m) if m > 0.0 => m,
            Some(_) => {
                let msg = "massscale may not be negative; 0 is the ratio of volumes";
                return Err(sources.error(frame.origin, Some("massscale"), msg));
            }
        };
        let (unit_length, unit_mass) = match frame.scaling.take() {
            None | Some(Scaling::Similar) => (length, mass),
            Some(Scaling::Geometry) => (1.0, 1.0),
        };
        scales.push(Scale {
            length: around.length * length,
            mass: around.mass * mass,
            unit_length: around.unit_length * unit_length,
            unit_mass: around.unit_mass * unit_mass,
            said: *said,
            stretch: match around.stretch {
                None if x == y && y == z => None,
                outer => {
                    let outer = outer.unwrap_or_else(|| Stretch::uniform(around.length));
                    Some(outer.around(Stretch::along([x, y, z])))
                }
            },
        });
    }
    Ok(scales)
}

/// Takes the factors of lengths along its axes out of a frame.
fn factors_of(sources: &Sources, frame: &mut Frame) -> Result<[f64; 3]> {
    let error = |msg: &str| Err(sources.error(frame.origin, Some("scale"), msg));
    let said = frame.scale.take().unwrap_or_else(|| vec![1.0]);
    if !said.iter().all(|s| *s > 0.0) {
        return error("scale must be positive");
    }
    match said.as_slice() {
        [s] => Ok([*s; 3]),
        [x, y, z] if x == y && y == z => Ok([*x; 3]),
        [_, _, _] if frame.scaling != Some(Scaling::Geometry) => {
            error("three different factors need scaling=\"geometry\"")
        }
        [x, y, z] => Ok([*x, *y, *z]),
        _ => error("scale needs one number or three"),
    }
}

/// Multiplies numbers, if they are given.
fn lengths<const N: usize>(said: &mut Option<[f64; N]>, factor: f64) {
    if let Some(numbers) = said {
        *numbers = numbers.map(|x| x * factor);
    }
}

fn number(said: &mut Option<f64>, factor: f64) {
    *said = said.map(|x| x * factor);
}

/// Multiplies each number by the next power of a factor: the coefficients of a polynomial.
fn powers(said: &mut Option<Vec<f64>>, first: f64, ratio: f64) {
    let mut factor = first;
    for x in said.iter_mut().flatten() {
        *x *= factor;
        factor *= ratio;
    }
}

/// The width of an impedance is a length.
fn width(said: &mut Option<Vec<f64>>, holds: [f64; 5], factor: f64) {
    if factor != 1.0 {
        let [d0, dwidth, w, mid, power] = holds;
        *said = Some(vec![d0, dwidth, w * factor, mid, power]);
    }
}

fn inertial(i: &mut Inertial, units: &Units, s: &Scale) {
    s.place(&mut i.pos);
    number(&mut i.mass, s.mass);
    match s.stretch {
        Some(stretch) => stretch.inertia(i, units, s.mass),
        None => {
            let inertia = s.mass * s.length * s.length;
            lengths(&mut i.diaginertia, inertia);
            lengths(&mut i.fullinertia, inertia);
        }
    }
}

/// The scale of a joint's displacement, or an error message.
fn of_joint(j: &Joint, s: Scale) -> std::result::Result<Scale, &'static str> {
    match (s.stretch, kind_of(j)) {
        (Some(stretch), JointType::Slide | JointType::Hinge) => {
            let along = stretch.along_axis(j.axis());
            let along = along.ok_or(
                "the axis of this joint must be aligned with those of the frame that stretches it",
            )?;
            Ok(s.straight(along))
        }
        _ => Ok(s),
    }
}

fn kind_of(joint: &Joint) -> JointType {
    match joint.free {
        true => JointType::Free,
        false => joint.type_(),
    }
}

fn joint(j: &mut Joint, s: &Scale) {
    let kind = kind_of(j);
    if kind == JointType::Free {
        return;
    }
    let along = Span::new(s, kind == JointType::Slide);
    let displacement = along.length;
    powers(&mut j.stiffness, along.rate, 1.0 / along.unit);
    powers(&mut j.damping, along.rate, 1.0 / along.unit);
    number(&mut j.armature, along.rate);
    number(&mut j.frictionloss, along.force);
    lengths(&mut j.actuatorfrcrange, along.force);
    lengths(&mut j.range, displacement);
    for x in [
        &mut j.margin,
        &mut j.ref_,
        &mut j.springref,
        &mut j.springyield,
    ] {
        number(x, displacement);
    }
    let (limit, friction) = (j.solimplimit(), j.solimpfriction());
    width(&mut j.solimplimit, limit, displacement);
    width(&mut j.solimpfriction, friction, displacement);
}

// whether the mass of a mesh is on its surface
fn has_shell(meshes: &[Mesh], name: Option<&str>) -> bool {
    let mesh = meshes
        .iter()
        .find(|m| name.is_some() && m.name.as_deref() == name);
    mesh.is_some_and(|m| m.inertia() == MeshInertia::Shell)
}

// scales a geom, whose mass may be on its surface; gives the map in the coordinates of its mesh or height field, or an error message
fn geom(
    g: &mut Geom,
    units: &Units,
    s: &Scale,
    shell: bool,
) -> std::result::Result<Stretch, &'static str> {
    if g.plugin.is_some() && !s.is_one() {
        return Err("a geom with a plugin cannot be scaled; keep it out of the frame");
    }
    let length = s.length;
    let shape = g.type_();
    let own = s.of_own(units, &g.orientation, g.fromto);
    // between two points, boxes and ellipsoids are stretched as round shapes are
    let factors = match (s.stretch, g.fromto) {
        (None, _) => [length; 3],
        (Some(_), Some(_)) => own.of_shape(GeomType::Capsule)?,
        (Some(_), None) => own.of_shape(shape)?,
    };
    s.place(&mut g.pos);
    match g.fromto {
        Some(_) => lengths_of_first(&mut g.size, factors[0]),
        None => s.size(&mut g.size, shape, factors),
    }
    s.ends(&mut g.fromto);
    number(&mut g.margin, length);
    number(&mut g.gap, length);
    number(&mut g.adhesion, s.force());
    number(&mut g.mass, s.mass);
    let room = match shell {
        true => length * length,
        false => length * length * length,
    };
    if s.mass != room {
        g.density = Some(g.density() * s.mass / room);
    }
    if length != 1.0 {
        let [slide, spin, roll] = g.friction();
        g.friction = Some(vec![slide, spin * length, roll * length]);
        let solimp = g.solimp();
        width(&mut g.solimp, solimp, length);
    }
    let linear = g.surfacevel.iter_mut().flatten();
    linear.zip(factors).for_each(|(v, f)| *v *= f);
    Ok(own)
}

// multiplies the first number of a size: the radius of a shape between two points
fn lengths_of_first(said: &mut Option<Vec<f64>>, factor: f64) {
    if let Some(radius) = said.iter_mut().flatten().next() {
        *radius *= factor;
    }
}

// scales a site; gives the map in the coordinates of its mesh, if it has one
fn site(x: &mut Site, units: &Units, s: &Scale) -> Stretch {
    let shape = x.type_();
    let own = s.of_own(units, &x.orientation, x.fromto);
    s.place(&mut x.pos);
    if s.length != 1.0 || s.stretch.is_some() {
        // a size that is not given is a length, too
        let holds = x.size().to_vec();
        x.size.get_or_insert(holds);
        match x.fromto {
            Some(_) => {
                let [across, other, _] = own.factors();
                lengths_of_first(&mut x.size, (across * other).sqrt());
            }
            None => sizes(&mut x.size, shape, own.of_site(shape, s.length)),
        }
    }
    s.ends(&mut x.fromto);
    own
}

/// Multiplies the numbers of a size that the shape uses; others stay.
fn sizes(said: &mut Option<Vec<f64>>, shape: GeomType, factors: [f64; 3]) {
    let count = match shape {
        GeomType::Sphere => 1,
        GeomType::Capsule | GeomType::Cylinder => 2,
        GeomType::Ellipsoid | GeomType::Box | GeomType::Plane => 3,
        _ => 0,
    };
    let numbers = said.iter_mut().flatten().take(count);
    numbers.zip(factors).for_each(|(x, factor)| *x *= factor);
}

fn camera(c: &mut Camera, s: &Scale) {
    let length = s.length;
    s.place(&mut c.pos);
    for x in [&mut c.focal, &mut c.principal, &mut c.sensorsize] {
        *x = x.map(|x| x.map(|x| single(x) * length));
    }
    if length != 1.0 {
        c.ipd = Some(c.ipd() * length);
    }
}

fn light(l: &mut Light, s: &Scale) {
    let length = s.length;
    s.place(&mut l.pos);
    if length != 1.0 {
        l.bulbradius = Some(single(l.bulbradius()) * length);
        l.range = Some(single(l.range()) * length);
        let [constant, linear, square] = l.attenuation().map(single);
        l.attenuation = Some([constant, linear / length, square / (length * length)]);
    }
}

/// A number as MuJoCo keeps it until the model is compiled, in single precision.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}
