//! `actuator`: `general` and its shortcuts.

use super::words::*;
use crate::types::{BiasType, DynType, GainType, Interp, PluginKind};

elements! {
    /// An actuator as written, with any of the tags; the tag determines which attributes apply.
    ///
    /// `Spec` holds the equivalent [`crate::mjcf::spec::Actuator`].
    SaidActuator {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        group: int, "Group for drawing and switching off.";
        nsample: int, "Samples in the history buffer.";
        interp: key<Interp>, "How the history is read between samples.";
        delay: real, "Delay of the control (s).";
        ctrlrange: real[2], "Limits of the control.";
        user: real[..], "User numbers.";
        ctrllimited: key<Tri>, "Whether `ctrlrange` is enforced.";
        forcelimited: key<Tri>, "Whether `forcerange` is enforced.";
        actlimited: key<Tri>, "Whether `actrange` is enforced.";
        forcerange: real[2], "Limits of the force.";
        actrange: real[2], "Limits of the activation.";
        velrange: real[2], "Limits of the velocity setpoint.";
        ffrange: real[2], "Limits of the feed-forward input.";
        posrange: real[2], "Limits of the position setpoint: `ctrlrange` by another name.";
        lengthrange: real[2] (nodefault), "Range of feasible lengths.";
        gear: real[1..6], "Scale of the length and direction of the force.";
        damping: real[1..3], "Damper polynomial added to the target.";
        armature: real, "Inertia added to the target.";
        cranklength: real, "Length of the connecting rod (m).";
        joint: ref<joint> (nodefault), "Joint to act on.";
        jointinparent: ref<joint> (nodefault), "Joint to act on, in the parent's frame.";
        tendon: ref<tendon> (nodefault), "Tendon to act on.";
        slidersite: ref<site> (nodefault), "Site of the slider.";
        cranksite: ref<site> (nodefault), "Site of the crank.";
        site: ref<site> (nodefault), "Site to act on.";
        refsite: ref<site> (nodefault), "Site relative to which the action is.";
        body: ref<body> (nodefault), "Body whose contacts get adhesion.";
        actdim: int, "Number of activations; -1 is what the dynamics says.";
        dyntype: key<DynType>, "Activation dynamics.";
        gaintype: key<GainType>, "Gain.";
        biastype: key<BiasType>, "Bias.";
        dynprm: real[1..10], "Parameters of the dynamics.";
        gainprm: real[1..10], "Parameters of the gain.";
        biasprm: real[1..10], "Parameters of the bias.";
        actearly: bool, "Force uses the next activation.";
        input: text, "What the controls are.";
        inheritrange: real, "Set the range from the target's, scaled by this.";
        kp: real, "Position gain.";
        kv: real, "Velocity gain.";
        dampratio: real, "Damping ratio, instead of `kv`.";
        ki: real, "Integral gain.";
        imax: real, "Limit of the integral.";
        slewmax: real, "Limit of the setpoint's rate.";
        timeconst: real[1..2], "Time constants (s): one, or two of a muscle.";
        area: real, "Area of the cylinder (m²).";
        diameter: real, "Diameter of the cylinder, instead of its area (m).";
        bias: real[3], "Bias of the cylinder.";
        tausmooth: real (nodefault), "Width of the smooth transition between a muscle's time constants.";
        range: real[2], "Operating range of a muscle in units of its optimal length.";
        force: real, "Peak force of a muscle; if negative, `scale` over acc0.";
        scale: real, "Scale of a muscle's force.";
        lmin: real, "Lower end of a muscle's length curve.";
        lmax: real, "Upper end of a muscle's length curve.";
        vmax: real, "Shortening velocity at which a muscle's force vanishes.";
        fpmax: real, "Passive force of a muscle at `lmax`.";
        fvmax: real, "Active force of a muscle at saturating lengthening velocity.";
        gain: real, "Gain of adhesion.";
        motorconst: real[1..2], "Torque and back-EMF constants of a DC motor.";
        resistance: real, "Resistance of a DC motor (ohm).";
        nominal: real[1..3], "Nominal voltage, stall torque and no-load speed.";
        saturation: real[1..3], "Limits of torque, current and voltage.";
        inductance: real[1..2], "Inductance (H), or time constant.";
        cogging: real[1..3], "Cogging: amplitude, periodicity, phase.";
        controller: real[1..6], "Gains and limits of the motor's own controller.";
        thermal: real[1..6], "Thermal parameters.";
        lugre: real[1..5], "LuGre friction parameters.";
        plugin: key<PluginKind> (nodefault), "Plugin, for an instance of its own.";
        instance: ref<plugin> (nodefault), "Instance of a plugin that `<extension>` declares.";
    } with {
        /// The element that was written.
        tag: ActuatorTag,
    }
}

// attributes of all tags, and attributes of all tags with a transmission
tags! {
    /// The elements that describe an actuator.
    ActuatorTag {
        "general" General [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited actlimited forcerange
            actrange body actdim input velrange ffrange inheritrange dyntype gaintype biastype dynprm gainprm biasprm actearly];
        "motor" Motor [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange];
        "position" Position [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange
            inheritrange kp kv dampratio timeconst];
        "velocity" Velocity [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange kv];
        "intvelocity" IntVelocity [name class group nsample interp delay ctrlrange user lengthrange gear damping armature
            cranklength joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange
            actlimited actrange inheritrange kp kv dampratio];
        "orientation" Orientation [name class group nsample interp delay ctrlrange user forcelimited forcerange
            joint site refsite kp kv dampratio input];
        "pid" Pid [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange
            posrange velrange ffrange inheritrange kp kv dampratio ki imax slewmax input];
        "damper" Damper [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite forcelimited forcerange kv];
        "cylinder" Cylinder [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited forcelimited forcerange
            timeconst area diameter bias];
        "muscle" Muscle [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite ctrllimited forcelimited forcerange
            timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax];
        "adhesion" Adhesion [name class group nsample interp delay ctrlrange user forcelimited forcerange body gain];
        "dcmotor" DcMotor [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site refsite ctrllimited
            motorconst resistance nominal saturation inductance cogging controller thermal lugre input];
        "plugin" Plugin [name class group nsample interp delay ctrlrange user lengthrange gear damping armature cranklength
            joint jointinparent tendon slidersite cranksite site ctrllimited forcelimited forcerange actlimited actrange
            actdim dyntype dynprm actearly plugin instance];
    }
}
