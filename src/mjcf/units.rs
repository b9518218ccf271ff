//! Conversion of a model to the conventions of another: angles, Euler sequences, automatic limits.

use super::copies::euler_quat;
use super::schema::{Angle, Body, Compiler, Joint, Orientation, Tri};
use super::spec::Spec;
use crate::types::JointType;

/// Converts a model from the conventions `from` to the conventions `to`, without changing its meaning.
pub(crate) fn convert(spec: &mut Spec, from: &Compiler, to: &Compiler) {
    let c = Conversion {
        angle: match (from.angle(), to.angle()) {
            (Angle::Degree, Angle::Radian) => std::f64::consts::PI / 180.0,
            (Angle::Radian, Angle::Degree) => 180.0 / std::f64::consts::PI,
            _ => 1.0,
        },
        // angles of the same sequence, in the same unit, need no quaternion
        euler: (from.eulerseq() != to.eulerseq())
            .then(|| (from.angle() == Angle::Degree, from.eulerseq())),
        limits: (from.autolimits() != to.autolimits()).then(|| from.autolimits()),
    };
    c.body(&mut spec.world);
    for t in &mut spec.tendons {
        c.limit(&mut t.limited, t.range);
        c.limit(&mut t.actuatorfrclimited, t.actuatorfrcrange);
    }
    for a in &mut spec.actuators {
        for (limited, range) in [
            (&mut a.ctrllimited, a.ctrlrange),
            (&mut a.forcelimited, a.forcerange),
            (&mut a.actlimited, a.actrange),
        ] {
            let mut said = Some(*limited);
            c.limit(&mut said, Some(range));
            *limited = said.unwrap_or(Tri::Auto);
        }
    }
}

struct Conversion {
    /// Factor of angles.
    angle: f64,
    /// Unit and letters of Euler angles that must become quaternions.
    euler: Option<(bool, String)>,
    /// Whether limits that were not given were inferred from their ranges.
    limits: Option<bool>,
}

impl Conversion {
    fn body(&self, body: &mut Body) {
        self.orientation(&mut body.orientation);
        body.frames
            .iter_mut()
            .for_each(|f| self.orientation(&mut f.orientation));
        body.inertial
            .iter_mut()
            .for_each(|i| self.orientation(&mut i.orientation));
        body.geoms
            .iter_mut()
            .for_each(|g| self.orientation(&mut g.orientation));
        body.sites
            .iter_mut()
            .for_each(|s| self.orientation(&mut s.orientation));
        body.cameras
            .iter_mut()
            .for_each(|c| self.orientation(&mut c.orientation));
        body.joints.iter_mut().for_each(|j| self.joint(j));
        body.bodies.iter_mut().for_each(|b| self.body(b));
    }

    fn orientation(&self, o: &mut Orientation) {
        if let Some([.., angle]) = &mut o.axisangle {
            *angle *= self.angle;
        }
        if let Some(euler) = o.euler {
            match &self.euler {
                Some((degree, seq)) => {
                    (o.euler, o.quat) = (None, Some(euler_quat(euler, *degree, seq)))
                }
                None => o.euler = Some(euler.map(|e| e * self.angle)),
            }
        }
    }

    fn joint(&self, j: &mut Joint) {
        let scale = |x: &mut Option<f64>| *x = x.map(|x| x * self.angle);
        let kind = j.type_();
        if matches!(kind, JointType::Hinge | JointType::Ball) {
            j.range = j.range.map(|r| r.map(|x| x * self.angle));
            scale(&mut j.springyield);
        }
        if kind == JointType::Hinge {
            scale(&mut j.ref_);
            scale(&mut j.springref);
        }
        self.limit(&mut j.limited, j.range);
        self.limit(&mut j.actuatorfrclimited, j.actuatorfrcrange);
    }

    fn limit(&self, limited: &mut Option<Tri>, range: Option<[f64; 2]>) {
        if let (Some(inferred), None | Some(Tri::Auto)) = (self.limits, *limited) {
            let on = inferred && range.is_some_and(|r| r != [0.0; 2]);
            *limited = Some(if on { Tri::True } else { Tri::False });
        }
    }
}
