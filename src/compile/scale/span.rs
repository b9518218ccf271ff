//! Displacements of joints, tendons and actuators, which are lengths or angles, and their factors in a frame that scales.

use super::{Named, ONE, Scale};
use crate::mjcf::schema::{Tendon, TendonTag, WrapTag};
use crate::mjcf::spec::Actuator;
use crate::types::{JointType, TrnType};

/// Factors of quantities along a displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Factor of the displacement, and of its rate.
    pub length: f64,
    /// Factor of the force along the displacement.
    pub force: f64,
    /// Factor of a force for a unit of displacement or of its rate, and of an inertia.
    pub rate: f64,
    /// Factor of the unit of displacement, which forces follow.
    pub unit: f64,
}

impl Span {
    /// Factors for a displacement along a line, or else about an axis.
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

/// A scale, and whether the displacement is along a line.
pub(super) type Line = (Scale, bool);

/// The scale of a tendon: the common scale of all elements on its path, or none if they differ; the coefficients of its joints
/// convert their displacements into the unit of the tendon.
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

/// The scale of an actuator's target.
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
