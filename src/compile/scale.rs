//! What frames with a scale make of a spec before it is compiled: the numbers that a model of that size and mass has.
//!
//! A frame scales all that stands in it about its own origin: lengths by `scale`, masses by `massscale`. What follows from
//! units (forces, torques, stiffness) does so if `scaling` is `similar`, and stays if it is `geometry`.

mod assets;
mod outside;

use std::collections::HashMap;

use crate::error::Result;
use crate::mjcf::schema::{Body, Camera, Frame, Geom, Inertial, Joint, Light, Scaling, Site};
use crate::mjcf::source::Sources;
use crate::mjcf::spec::Spec;
use crate::types::{GeomType, JointType};

/// Factors of what stands in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// Of lengths.
    length: f64,
    /// Of masses.
    mass: f64,
    /// Of the unit of length, which forces follow.
    unit_length: f64,
    /// Of the unit of mass, which forces follow.
    unit_mass: f64,
}

/// Nothing is scaled.
const ONE: Scale = Scale {
    length: 1.0,
    mass: 1.0,
    unit_length: 1.0,
    unit_mass: 1.0,
};

impl Scale {
    /// Of forces.
    fn force(&self) -> f64 {
        self.unit_mass * self.unit_length
    }

    /// Of torques.
    fn torque(&self) -> f64 {
        self.force() * self.unit_length
    }

    /// Between this and another: the geometric mean.
    fn mean(&self, other: &Scale) -> Scale {
        let mean = |a: f64, b: f64| (a * b).sqrt();
        Scale {
            length: mean(self.length, other.length),
            mass: mean(self.mass, other.mass),
            unit_length: mean(self.unit_length, other.unit_length),
            unit_mass: mean(self.unit_mass, other.unit_mass),
        }
    }
}

/// The scales of what has a name, by kind; what has none, or is as it was said, is not in it.
#[derive(Default)]
struct Named {
    body: HashMap<String, Scale>,
    joint: HashMap<String, (Scale, JointType)>,
    geom: HashMap<String, Scale>,
    site: HashMap<String, Scale>,
    camera: HashMap<String, Scale>,
}

/// The spec with all scales of frames carried out; `None` if there are none.
pub(super) fn scaled(spec: &Spec) -> Result<Option<Spec>> {
    let said = |f: &Frame| f.scale.is_some() || f.scaling.is_some() || f.massscale.is_some();
    let mut any = false;
    spec.each_body(&mut |_, body| any |= body.frames.iter().any(said));
    if !any {
        return Ok(None);
    }
    let mut out = spec.clone();
    let mut assets = assets::Instances::default();
    let mut named = Named::default();
    let (mut joints, mut mocaps) = (Vec::new(), false);
    // from the world down, in the order of ids
    let mut stack = vec![(&mut out.world, ONE)];
    while let Some((body, own)) = stack.pop() {
        let scales = frames(&spec.sources, &mut body.frames, own)?;
        let at = |frame: Option<usize>| frame.and_then(|f| scales.get(f).copied()).unwrap_or(own);
        named.note(body, &own, &at);
        mocaps |= body.mocap() && own.length != 1.0;
        if let Some(inertial) = &mut body.inertial {
            self::inertial(inertial, &at(inertial.frame));
        }
        for joint in &mut body.joints {
            let scale = at(joint.frame);
            joints.push((scale, kind_of(joint)));
            self::joint(joint, &scale);
        }
        for geom in &mut body.geoms {
            let scale = at(geom.frame);
            self::geom(geom, &scale);
        }
        body.sites.iter_mut().for_each(|s| site(s, &at(s.frame)));
        body.cameras
            .iter_mut()
            .for_each(|c| camera(c, &at(c.frame)));
        body.lights.iter_mut().for_each(|l| light(l, &at(l.frame)));
        let geoms = body.geoms.iter_mut();
        let geoms = geoms.map(|g| (at(g.frame).length, &mut g.mesh, &mut g.hfield));
        assets.use_geoms(&out.meshes, &out.hfields, geoms);
        let sites = body.sites.iter_mut();
        assets.later(sites.filter_map(|s| Some((at(s.frame).length, s.mesh.clone()?))));
        for child in body.bodies.iter_mut().rev() {
            let scale = at(child.frame);
            lengths(&mut child.pos, scale.length);
            stack.push((child, scale));
        }
    }
    assets.rename_sites(&mut out)?;
    assets.fill(&mut out)?;
    outside::scale(&mut out, &named, &joints, mocaps)?;
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
        for x in &body.joints {
            let scale = at(x.frame);
            one(&mut self.joint, &x.name, scale, (scale, kind_of(x)));
        }
        for x in &body.geoms {
            one(&mut self.geom, &x.name, at(x.frame), at(x.frame));
        }
        for x in &body.sites {
            one(&mut self.site, &x.name, at(x.frame), at(x.frame));
        }
        for x in &body.cameras {
            one(&mut self.camera, &x.name, at(x.frame), at(x.frame));
        }
    }
}

/// The scale within each frame of a body; the frames themselves say no scale any more.
fn frames(sources: &Sources, frames: &mut [Frame], own: Scale) -> Result<Vec<Scale>> {
    let mut scales: Vec<Scale> = Vec::with_capacity(frames.len());
    for frame in frames {
        let around = frame
            .parent
            .and_then(|p| scales.get(p).copied())
            .unwrap_or(own);
        lengths(&mut frame.pos, around.length);
        let length = length_of(sources, frame)?;
        let volume = length * length * length;
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
        });
    }
    Ok(scales)
}

/// The factor of lengths that a frame says; it forgets it.
fn length_of(sources: &Sources, frame: &mut Frame) -> Result<f64> {
    let error = |msg: &str| Err(sources.error(frame.origin, Some("scale"), msg));
    let said = frame.scale.take().unwrap_or_else(|| vec![1.0]);
    if !said.iter().all(|s| *s > 0.0) {
        return error("scale must be positive");
    }
    match said.as_slice() {
        [s] => Ok(*s),
        [x, y, z] if x == y && y == z => Ok(*x),
        [_, _, _] if frame.scaling != Some(Scaling::Geometry) => {
            error("three different factors need scaling=\"geometry\"")
        }
        [_, _, _] => {
            let feature = "scale of a frame by three different factors";
            Err(sources.unsupported(frame.origin, Some("scale"), feature))
        }
        _ => error("scale needs one number or three"),
    }
}

/// Multiplies numbers, if they are said.
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

fn inertial(i: &mut Inertial, s: &Scale) {
    let inertia = s.mass * s.length * s.length;
    lengths(&mut i.pos, s.length);
    number(&mut i.mass, s.mass);
    lengths(&mut i.diaginertia, inertia);
    lengths(&mut i.fullinertia, inertia);
}

fn kind_of(joint: &Joint) -> JointType {
    match joint.free {
        true => JointType::Free,
        false => joint.type_(),
    }
}

fn joint(j: &mut Joint, s: &Scale) {
    lengths(&mut j.pos, s.length);
    let kind = kind_of(j);
    if kind == JointType::Free {
        return;
    }
    let slides = kind == JointType::Slide;
    // of inertia, of what a spring has a unit of displacement for, of the force; and of a displacement
    let (inertia, force, ratio, displacement) = match slides {
        true => (s.unit_mass, s.force(), 1.0 / s.unit_length, s.length),
        false => (s.torque(), s.torque(), 1.0, 1.0),
    };
    powers(&mut j.stiffness, inertia, ratio);
    powers(&mut j.damping, inertia, ratio);
    number(&mut j.armature, inertia);
    number(&mut j.frictionloss, force);
    lengths(&mut j.actuatorfrcrange, force);
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

fn geom(g: &mut Geom, s: &Scale) {
    let length = s.length;
    lengths(&mut g.pos, length);
    lengths(&mut g.fromto, length);
    let shape = g.type_();
    sizes(&mut g.size, shape, length);
    number(&mut g.margin, length);
    number(&mut g.gap, length);
    number(&mut g.adhesion, s.force());
    number(&mut g.mass, s.mass);
    let room = match g.shellinertia() {
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
    let linear = g.surfacevel.iter_mut().flatten().take(3);
    linear.for_each(|v| *v *= length);
}

fn site(x: &mut Site, s: &Scale) {
    lengths(&mut x.pos, s.length);
    lengths(&mut x.fromto, s.length);
    if s.length != 1.0 {
        // a size that is not said is a length, too
        let holds = x.size().to_vec();
        x.size.get_or_insert(holds);
        let shape = x.type_();
        sizes(&mut x.size, shape, s.length);
    }
}

/// Multiplies the numbers of a size that the shape has; others are not looked at.
fn sizes(said: &mut Option<Vec<f64>>, shape: GeomType, factor: f64) {
    let count = match shape {
        GeomType::Sphere => 1,
        GeomType::Capsule | GeomType::Cylinder => 2,
        GeomType::Ellipsoid | GeomType::Box | GeomType::Plane => 3,
        _ => 0,
    };
    let numbers = said.iter_mut().flatten().take(count);
    numbers.for_each(|x| *x *= factor);
}

fn camera(c: &mut Camera, s: &Scale) {
    let length = s.length;
    lengths(&mut c.pos, length);
    for x in [&mut c.focal, &mut c.principal, &mut c.sensorsize] {
        *x = x.map(|x| x.map(|x| single(x) * length));
    }
    if length != 1.0 {
        c.ipd = Some(c.ipd() * length);
    }
}

fn light(l: &mut Light, s: &Scale) {
    let length = s.length;
    lengths(&mut l.pos, length);
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
