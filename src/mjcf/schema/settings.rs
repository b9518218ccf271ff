//! Settings of the whole model: `compiler`, `option`, `size`, `statistic`, `visual`.

use super::words::*;
use crate::types::{Cone, Integrator, Jacobian, Solver};

elements! {
    /// `<compiler>`: settings that turn the text into a model.
    Compiler {
        autolimits: bool = true, "Infer whether limits are on from the presence of their ranges.";
        boundmass: real = 0.0, "Lower bound of every body's mass (kg).";
        boundinertia: real = 0.0, "Lower bound of every body's principal inertias (kg m²).";
        settotalmass: real = -1.0, "Scale all masses and inertias to this total mass, if positive (kg).";
        balanceinertia: bool = false, "Average principal inertias that violate the triangle inequality.";
        strippath: bool = false, "Drop the directories of file names.";
        coordinate: key<Coordinate>, "Only `local` is supported.";
        angle: key<Angle> = Angle::Degree, "Unit of angles.";
        fitaabb: bool = false, "Fit primitives to the bounding box of a mesh instead of its inertia box.";
        eulerseq: text = "xyz".to_owned(), "Axes of Euler rotations; lower case rotates with the frame, upper case does not.";
        meshdir: text, "Directory of mesh and height field files.";
        texturedir: text, "Directory of texture files.";
        assetdir: text, "Directory of both; the two above take precedence.";
        discardvisual: bool = false, "Drop elements that have no effect on the physics.";
        usethread: bool = true, "Compile with several threads; has no effect on the result.";
        fusestatic: bool = false, "Fuse static bodies with their parents.";
        inertiafromgeom: key<Tri> = Tri::Auto, "Infer body inertia from geoms: never, always, or where none is given.";
        inertiagrouprange: int[2] = [0, 5], "Range of geom groups that count for inertia.";
        saveinertial: bool = false, "Save explicit inertias; kept, no effect here.";
        savecompiled: bool = true, "Save compiled values; kept, no effect here.";
        savecanonical: bool = true, "Save in canonical notation; kept, no effect here.";
        alignfree: bool = false, "Align the frames of free bodies without children with their inertia.";
        conflict: key<Conflict> = Conflict::Warning, "What to do when attached models disagree about global settings.";
        passthrough: key<Passthrough> = Passthrough::None, "Which assets stay by reference.";
        <lengthrange>: LengthRange, "How length ranges of actuators are computed.";
    }

    /// `<compiler><lengthrange>`: how length ranges of actuators are computed.
    LengthRange {
        mode: key<LrMode> = LrMode::Muscle, "Actuators whose length range is computed.";
        useexisting: bool = true, "Keep a length range that is given.";
        uselimit: bool = false, "Use the limits of the joint or tendon where there are any.";
        accel: real = 20.0, "Target acceleration of the pulling force (m/s² or rad/s²).";
        maxforce: real = 0.0, "Largest pulling force, if positive.";
        timeconst: real = 1.0, "Time constant of velocity damping (s).";
        timestep: real = 0.01, "Time step of the internal simulation (s).";
        inttotal: real = 10.0, "Length of the internal simulation (s).";
        interval: real = 2.0, "Final interval over which lengths are recorded (s).";
        tolrange: real = 0.05, "Largest relative spread that counts as converged.";
    }

    /// `<option>`: options of the simulation.
    Options {
        timestep: real = 0.002, "Time step (s).";
        impratio: real = 1.0, "Ratio of frictional to normal constraint impedance.";
        tolerance: real = 1e-8, "Tolerance at which the solver stops.";
        ls_tolerance: real = 0.01, "Tolerance of the line search.";
        noslip_tolerance: real = 1e-6, "Tolerance of the no-slip solver.";
        ccd_tolerance: real = 1e-6, "Tolerance of the convex collider.";
        sleep_tolerance: real = 0.001, "Velocity below which a tree may sleep.";
        gravity: real[3] = [0.0, 0.0, -9.81], "Gravity (m/s²).";
        wind: real[3] = [0.0, 0.0, 0.0], "Velocity of the medium (m/s).";
        magnetic: real[3] = [0.0, -0.5, 0.0], "Magnetic flux that magnetometers see.";
        density: real = 0.0, "Density of the medium (kg/m³).";
        viscosity: real = 0.0, "Viscosity of the medium (Pa s).";
        o_margin: real = 0.0, "Contact margin under `override` (m).";
        o_solref: real[1..2] = [0.02, 1.0], "Contact solref under `override`.";
        o_solimp: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Contact solimp under `override`.";
        o_friction: real[1..5] = [1.0, 1.0, 0.005, 0.0001, 0.0001], "Contact friction under `override`.";
        integrator: key<Integrator> = Integrator::Euler, "Integrator.";
        cone: key<Cone> = Cone::Pyramidal, "Friction cone.";
        jacobian: key<Jacobian> = Jacobian::Auto, "Storage of the constraint Jacobian.";
        solver: key<Solver> = Solver::Newton, "Constraint solver.";
        iterations: int = 100, "Most iterations of the solver.";
        ls_iterations: int = 50, "Most iterations of the line search.";
        noslip_iterations: int = 0, "Iterations of the no-slip solver.";
        ccd_iterations: int = 35, "Most iterations of the convex collider.";
        sdf_iterations: int = 10, "Iterations of collisions with signed distance fields.";
        sdf_initpoints: int = 40, "Starting points of collisions with signed distance fields.";
        actuatorgroupdisable: int[..], "Actuator groups that are switched off, 0 to 30.";
        <flag>: Flag, "What is switched on and off.";
    }

    /// `<option><flag>`: features that are switched on and off.
    Flag {
        constraint: key<Able> = Able::Enable, "All constraints.";
        equality: key<Able> = Able::Enable, "Equality constraints.";
        frictionloss: key<Able> = Able::Enable, "Dry friction of joints and tendons.";
        limit: key<Able> = Able::Enable, "Limits of joints and tendons.";
        contact: key<Able> = Able::Enable, "Contacts.";
        spring: key<Able> = Able::Enable, "Springs of joints and tendons.";
        damper: key<Able> = Able::Enable, "Dampers of joints and tendons.";
        gravity: key<Able> = Able::Enable, "Gravity.";
        clampctrl: key<Able> = Able::Enable, "Clamping of controls.";
        warmstart: key<Able> = Able::Enable, "Warm start of the solver.";
        filterparent: key<Able> = Able::Enable, "No collisions of a body with its parent.";
        actuation: key<Able> = Able::Enable, "Actuators.";
        refsafe: key<Able> = Able::Enable, "Time constants of solref are at least two time steps.";
        sensor: key<Able> = Able::Enable, "Sensors.";
        midphase: key<Able> = Able::Enable, "Mid phase of collision.";
        eulerdamp: key<Able> = Able::Enable, "Implicit damping in the Euler integrator.";
        autoreset: key<Able> = Able::Enable, "Reset when the state goes bad.";
        nativeccd: key<Able> = Able::Enable, "Native convex collider.";
        island: key<Able> = Able::Enable, "Islands of constraints.";
        multiccd: key<Able> = Able::Enable, "Several contacts from the convex collider.";
        override_: key<Able> = Able::Disable, "Contact parameters of the options replace all others.";
        energy: key<Able> = Able::Disable, "Compute energy.";
        fwdinv: key<Able> = Able::Disable, "Compare forward and inverse dynamics.";
        invdiscrete: key<Able> = Able::Disable, "Inverse dynamics of discrete time.";
        sleep: key<Able> = Able::Disable, "Let trees sleep.";
        diagexact: key<Able> = Able::Disable, "Exact diagonal of the constraint inertia.";
        ipc: key<Able> = Able::Disable, "Incremental potential contact of flexes.";
        speculative: key<Able> = Able::Disable, "Speculative contacts.";
    }

    /// `<size>`: sizes of buffers.
    Size {
        memory: text, "Bytes of the arena, with an optional suffix K, M, G, T, P or E.";
        njmax: int = -1, "Largest number of constraint rows; -1 lets the compiler choose.";
        nconmax: int = -1, "Largest number of contacts; -1 lets the compiler choose.";
        nstack: int = -1, "Numbers on the stack (obsolete); -1 lets the compiler choose.";
        nuserdata: int = 0, "Numbers of user data.";
        nkey: int = 0, "Least number of keyframes.";
        nuser_body: int = -1, "User numbers of a body; -1 is what the model says.";
        nuser_jnt: int = -1, "User numbers of a joint; -1 is what the model says.";
        nuser_geom: int = -1, "User numbers of a geom; -1 is what the model says.";
        nuser_site: int = -1, "User numbers of a site; -1 is what the model says.";
        nuser_cam: int = -1, "User numbers of a camera; -1 is what the model says.";
        nuser_tendon: int = -1, "User numbers of a tendon; -1 is what the model says.";
        nuser_actuator: int = -1, "User numbers of an actuator; -1 is what the model says.";
        nuser_sensor: int = -1, "User numbers of a sensor; -1 is what the model says.";
    }

    /// `<statistic>`: statistics that replace the computed ones.
    Statistic {
        meaninertia: real, "Mean diagonal of the inertia matrix at qpos0.";
        meanmass: real, "Mean body mass (kg).";
        meansize: real, "Mean body size (m).";
        extent: real, "Half the size of the model's bounding box (m).";
        center: real[3], "Centre of the model (m).";
    }

    /// `<visual>`: settings of the visualizer, kept for renderers.
    Visual {
        <global>: Global, "Camera, window and line settings.";
        <quality>: Quality, "Quality of the picture.";
        <headlight>: Headlight, "The light at the camera.";
        <map>: VisualMap, "Scales between physics and picture.";
        <scale>: VisualScale, "Sizes of decorations relative to the mean body size.";
        <rgba>: VisualRgba, "Colours of decorations.";
    }

    /// `<visual><global>`: camera, window and line settings.
    Global {
        cameraid: int = -1, "Camera that is used at the start; -1 is the free camera.";
        orthographic: bool = false, "The free camera is orthographic.";
        fovy: real = 45.0, "Vertical field of view of the free camera (degrees, or m if orthographic).";
        ipd: real = 0.068, "Distance of the eyes (m).";
        azimuth: real = 90.0, "Azimuth of the free camera (degrees).";
        elevation: real = -45.0, "Elevation of the free camera (degrees).";
        linewidth: real = 1.0, "Width of lines (pixels).";
        glow: real = 0.3, "Emission of the selected body.";
        offwidth: int = 640, "Width of the off-screen picture (pixels).";
        offheight: int = 480, "Height of the off-screen picture (pixels).";
        realtime: real = 1.0, "Speed of the simulation in the viewer.";
        ellipsoidinertia: bool = false, "Draw inertias as ellipsoids.";
        bvactive: bool = false, "Mark active bounding volumes.";
    }

    /// `<visual><quality>`: quality of the picture.
    Quality {
        shadowsize: int = 4096, "Size of the shadow map.";
        offsamples: int = 4, "Samples a pixel of the off-screen picture.";
        numslices: int = 28, "Slices of built-in shapes.";
        numstacks: int = 16, "Stacks of built-in shapes.";
        numquads: int = 4, "Rectangles of a box face.";
    }

    /// `<visual><headlight>`: the light at the camera.
    Headlight {
        ambient: real[3] = [0.1, 0.1, 0.1], "Ambient colour.";
        diffuse: real[3] = [0.4, 0.4, 0.4], "Diffuse colour.";
        specular: real[3] = [0.5, 0.5, 0.5], "Specular colour.";
        active: key<Tri> = Tri::Auto, "Off, on, or on if the model has no light.";
    }

    /// `<visual><map>`: scales between physics and picture.
    VisualMap {
        stiffness: real = 100.0, "Strength of mouse perturbation of position.";
        stiffnessrot: real = 500.0, "Strength of mouse perturbation of rotation.";
        force: real = 0.005, "Length of a force arrow (m/N).";
        torque: real = 0.1, "Length of a torque arrow.";
        alpha: real = 0.3, "Opacity when transparent.";
        fogstart: real = 3.0, "Start of fog in extents.";
        fogend: real = 10.0, "End of fog in extents.";
        znear: real = 0.01, "Near plane in extents.";
        zfar: real = 50.0, "Far plane in extents.";
        haze: real = 0.3, "Haze proportion.";
        shadowclip: real = 1.0, "Size of the shadow's frustum in extents.";
        shadowscale: real = 0.6, "Part of a spot light's cone that casts shadow.";
        actuatortendon: real = 2.0, "Width of actuated tendons.";
    }

    /// `<visual><scale>`: sizes of decorations relative to the mean body size.
    VisualScale {
        forcewidth: real = 0.1, "Force arrow.";
        contactwidth: real = 0.3, "Contact width.";
        contactheight: real = 0.1, "Contact height.";
        connect: real = 0.2, "Autoconnect capsule.";
        com: real = 0.4, "Centre of mass.";
        camera: real = 0.3, "Camera.";
        light: real = 0.3, "Light.";
        selectpoint: real = 0.2, "Selection point.";
        jointlength: real = 1.0, "Joint length.";
        jointwidth: real = 0.1, "Joint width.";
        actuatorlength: real = 0.7, "Actuator length.";
        actuatorwidth: real = 0.2, "Actuator width.";
        framelength: real = 1.0, "Frame axis length.";
        framewidth: real = 0.1, "Frame axis width.";
        constraint: real = 0.1, "Constraint width.";
        slidercrank: real = 0.2, "Slider-crank width.";
        frustum: real = 10.0, "Depth of a camera's frustum.";
    }

    /// `<visual><rgba>`: colours of decorations.
    VisualRgba {
        fog: real[4] = [0.0, 0.0, 0.0, 1.0], "Fog.";
        haze: real[4] = [1.0, 1.0, 1.0, 1.0], "Haze.";
        force: real[4] = [1.0, 0.5, 0.5, 1.0], "External force.";
        inertia: real[4] = [0.8, 0.2, 0.2, 0.6], "Inertia box.";
        joint: real[4] = [0.2, 0.6, 0.8, 1.0], "Joint.";
        actuator: real[4] = [0.2, 0.25, 0.2, 1.0], "Actuator, neutral.";
        actuatornegative: real[4] = [0.2, 0.6, 0.9, 1.0], "Actuator, negative limit.";
        actuatorpositive: real[4] = [0.9, 0.4, 0.2, 1.0], "Actuator, positive limit.";
        com: real[4] = [0.9, 0.9, 0.9, 1.0], "Centre of mass.";
        camera: real[4] = [0.6, 0.9, 0.6, 1.0], "Camera.";
        light: real[4] = [0.6, 0.6, 0.9, 1.0], "Light.";
        selectpoint: real[4] = [0.9, 0.9, 0.1, 1.0], "Selection point.";
        connect: real[4] = [0.2, 0.2, 0.8, 1.0], "Autoconnect capsule.";
        contactpoint: real[4] = [0.9, 0.6, 0.2, 1.0], "Contact point.";
        contactforce: real[4] = [0.7, 0.9, 0.9, 1.0], "Contact force.";
        contactfriction: real[4] = [0.9, 0.8, 0.4, 1.0], "Contact friction.";
        contacttorque: real[4] = [0.9, 0.7, 0.9, 1.0], "Contact torque.";
        contactgap: real[4] = [0.5, 0.8, 0.9, 1.0], "Contact within its gap.";
        rangefinder: real[4] = [1.0, 1.0, 0.1, 1.0], "Rangefinder ray.";
        constraint: real[4] = [0.9, 0.0, 0.0, 1.0], "Violated constraint.";
        slidercrank: real[4] = [0.5, 0.3, 0.8, 1.0], "Slider-crank.";
        crankbroken: real[4] = [0.9, 0.0, 0.0, 1.0], "Slider-crank out of reach.";
        frustum: real[4] = [1.0, 1.0, 0.0, 0.2], "Camera frustum.";
        bv: real[4] = [0.0, 1.0, 0.0, 0.5], "Bounding volume.";
        bvactive: real[4] = [1.0, 0.0, 0.0, 0.5], "Active bounding volume.";
    }
}
