//! Actuators of scaled elements: their limits, gains and biases in the units of the frame.

use super::span::{self, Span};
use super::{Named, ONE, Scale};
use crate::mjcf::spec::Actuator;
use crate::types::{BiasType, CtrlInput, DynType, GainType, JointType, TrnType};

/// Error message for an actuator whose parameters have no units, in frames whose units differ.
pub(super) const UNITLESS: &str =
    "the parameters of this actuator cannot be scaled: set scaling=\"geometry\" of the frame";

/// Scales an actuator; false if its parameters have no units that follow those of the frame.
pub(super) fn actuator(x: &mut Actuator, named: &Named) -> bool {
    let (scale, slides) = span::actuator(x, named);
    if scale == ONE {
        return true;
    }
    let along = Span::new(&scale, slides);

    // geometry
    x.cranklength *= scale.length;
    x.lengthrange = x.lengthrange.map(|l| l * along.length);
    let of_free = named.joint(x.target.as_deref()).1 == JointType::Free;
    let joint = matches!(x.trntype, TrnType::Joint | TrnType::JointInParent);
    if slides && (x.trntype == TrnType::Site || joint && of_free) {
        x.gear[3..].iter_mut().for_each(|g| *g *= scale.length);
    }
    ranges(x, &along);
    if scale.unit_length == 1.0 && scale.unit_mass == 1.0 {
        return true;
    }
    let known = parameters(x, &scale, &along);
    x.forcerange = x.forcerange.map(|f| f * along.force);
    let mut factor = along.rate;
    for d in &mut x.damping {
        *d *= factor;
        factor /= along.unit;
    }
    x.armature *= along.rate;
    known
}

/// Whether the controls of an actuator are displacements, or their rates.
pub(super) fn places(x: &Actuator) -> bool {
    let input = CtrlInput::Pos as i32 | CtrlInput::Vel as i32;
    x.gaintype == GainType::Pid || x.ctrlspec & input != 0
}

// limits of displacements and of forces
fn ranges(x: &mut Actuator, along: &Span) {
    if !places(x) {
        return;
    }
    let scaled = |range: [f64; 2]| range.map(|r| r * along.length);
    x.ctrlrange = scaled(x.ctrlrange);
    x.velrange = scaled(x.velrange);
    x.ffrange = x.ffrange.map(|f| f * along.force);
    if x.dyntype == DynType::Integrator {
        x.actrange = scaled(x.actrange);
    }
    if x.dyntype == DynType::Pid {
        x.dynprm[0] *= along.length;
        x.dynprm[1] *= along.length;
    }
}

// gains and biases; false if their units are not known
fn parameters(x: &mut Actuator, scale: &Scale, along: &Span) -> bool {
    let input = match () {
        () if places(x) => along.rate,
        () if x.ctrlspec == CtrlInput::Pressure as i32 => {
            along.force * scale.unit_length / scale.unit_mass
        }
        () => along.force,
    };
    match x.gaintype {
        GainType::Fixed | GainType::Pid | GainType::So3 => x.gainprm[0] *= input,
        GainType::Affine => {
            x.gainprm[0] *= input;
            x.gainprm[1] *= along.rate;
            x.gainprm[2] *= along.rate;
        }
        // a peak force that is not positive follows from the inertia
        GainType::Muscle if x.gainprm[2] > 0.0 => x.gainprm[2] *= along.force,
        GainType::Muscle => {}
        GainType::DcMotor | GainType::User => return false,
    }
    match x.biastype {
        BiasType::None => {}
        BiasType::Affine | BiasType::So3 => {
            x.biasprm[0] *= along.force;
            x.biasprm[1] *= along.rate;
            // a positive third one is a damping ratio
            if x.biasprm[2] <= 0.0 {
                x.biasprm[2] *= along.rate;
            }
        }
        BiasType::Muscle if x.biasprm[2] > 0.0 => x.biasprm[2] *= along.force,
        BiasType::Muscle => {}
        BiasType::DcMotor | BiasType::User => return false,
    }
    !matches!(x.dyntype, DynType::DcMotor | DynType::User) && x.plugin.is_none()
}
