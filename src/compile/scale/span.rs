//! What joints, tendons and actuators displace, and how much of it there is in a frame that scales: lengths or angles.

use super::{Named, ONE, Scale};
use crate::mjcf::schema::{Tendon, TendonTag, WrapTag};
use crate::mjcf::spec::Actuator;
use crate::types::{JointType, TrnType};

/// Factors of what goes along a displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Of the displacement, and of its rate.
    pub length: f64,
    /// Of the force along it.
    pub force: f64,
    /// Of a force for a unit of displacement or of its rate, and of an inertia.
    pub rate: f64,
    /// Of the unit of displacement, which forces follow.
    pub unit: f64,
}

impl Span {
    /// Of a displacement along a line, or else about an axis.
    pub fn new(s: &Scale, slides: bool) -> Span {
        match slides {
            true => Span {
                length: s.length,
                force: s.force(),
                rate: s.unit_mass,
                unit: s.unit_length,
            },
            false => Span {
                length: 1.0,
                force: s.torque(),
                rate: s.torque(),
                unit: 1.0,
            },
        }
    }
}

/// A scale, and whether something displaces along a line.
pub(super) type Line = (Scale, bool);

/// The scale of a tendon, which is that of all that its path touches, or none if they differ; the coefficients of its joints
/// measure what they displace in the unit of the tendon.
pub(super) fn tendon(x: &mut Tendon, named: &Named) -> Line {
    let mut common = None;
    let mut slides = x.tag == TendonTag::Spatial;
    let mut note = |scale: Scale| match common {
        None => common = Some(scale),
        Some(one) if one != scale => common = Some(ONE),
        Some(_) => {}
    };
    for step in &x.path {
        match step.tag {
            WrapTag::Site => note(named.site(step.site.as_deref())),
            WrapTag::Geom => {
                note(named.geom(step.geom.as_deref()));
                if step.sidesite.is_some() {
                    note(named.site(step.sidesite.as_deref()));
                }
            }
            WrapTag::Joint => {
                let (_, kind) = named.joint(step.joint.as_deref());
                note(named.joint_frame(step.joint.as_deref()));
                slides |= kind == JointType::Slide;
            }
            _ => {}
        }
    }
    let scale = common.unwrap_or(ONE);
    let own = Span::new(&scale, slides).length;
    for step in x.path.iter_mut().filter(|step| step.tag == WrapTag::Joint) {
        let (scale, kind) = named.joint(step.joint.as_deref());
        let displaced = Span::new(&scale, kind == JointType::Slide).length;
        if own != displaced {
            step.coef = Some(step.coef.unwrap_or(0.0) * own / displaced);
        }
    }
    (scale, slides)
}

/// The scale of what an actuator acts on.
pub(super) fn actuator(x: &Actuator, named: &Named) -> Line {
    let target = x.target.as_deref();
    let pushes = x.gear[..3].iter().any(|g| *g != 0.0);
    match x.trntype {
        TrnType::Joint | TrnType::JointInParent => {
            let (scale, kind) = named.joint(target);
            let slides = kind == JointType::Slide || (kind == JointType::Free && pushes);
            (scale, slides)
        }
        TrnType::Tendon => named.tendon(target),
        TrnType::Site => (named.site(target), pushes),
        TrnType::SliderCrank => (named.site(target), true),
        _ => (named.body(target), true),
    }
}
