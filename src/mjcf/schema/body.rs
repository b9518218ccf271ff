//! The tree: `body`, `frame`, `replicate`, `attach`, and the elements of bodies.

use super::plugin::PluginUse;
use super::words::*;
use crate::mjcf::spec::FrameId;
use crate::types::{CamLight, GeomType, JointType, LightType, Projection, SleepPolicy};

elements! {
    /// An orientation, given in one of five ways; any of them replaces the orientation of a class.
    Orientation exclusive {
        quat: real[4], "Quaternion, real part first; normalised on compiling.";
        axisangle: real[4], "Axis, and angle about it.";
        xyaxes: real[6], "Directions of the x axis and of the y axis, made orthogonal.";
        zaxis: real[3], "Direction of the z axis, by the smallest rotation.";
        euler: real[3], "Euler angles about the axes of `compiler eulerseq`.";
    }

    /// `<body>`: a rigid body, in its parent's frame. The world is a body without attributes.
    Body {
        name: name, "Name.";
        childclass: class, "Default class of everything inside that names none.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the parent (m).";
        mocap: bool = false, "Moved by `mocap_pos` and `mocap_quat`, not by physics.";
        gravcomp: real = 0.0, "Part of gravity that is compensated.";
        sleep: key<SleepPolicy> = SleepPolicy::Auto, "Sleep policy of the tree.";
        simple: key<FalseAuto> = FalseAuto::Auto, "Whether the simple-body optimization is allowed.";
        fuse: key<FalseAuto> = FalseAuto::Auto, "Whether `compiler fusestatic` may fuse this body.";
        user: real[..], "User numbers.";
        .. orientation: Orientation, "Orientation in the parent.";
    } with {
        /// Explicit inertia.
        inertial: Option<Inertial>,
        /// Joints, in order; free joints among them.
        joints: Vec<Joint>,
        /// Geoms, in order.
        geoms: Vec<Geom>,
        /// Sites, in order.
        sites: Vec<Site>,
        /// Cameras, in order.
        cameras: Vec<Camera>,
        /// Lights, in order.
        lights: Vec<Light>,
        /// The frames within this body, each after the one around it.
        frames: Vec<Frame>,
        /// The innermost frame around it, one of the parent's.
        frame: Option<FrameId>,
        /// The attachment that it came with, while the model is read; then 0.
        part: u32,
        /// Index into `Spec::compilers`: the settings of the model that the body came from.
        compiler: usize,
    } within itself {
        /// Child bodies, in order.
        bodies
    }

    /// `<frame>`: a coordinate frame that vanishes on compiling.
    Frame {
        name: name, "Name.";
        childclass: class, "Default class of everything inside that names none.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the parent body or frame (m).";
        scale: real[1..3], "Scale of the contents.";
        scaling: key<Scaling>, "What scaling changes besides size and mass.";
        massscale: real, "Scale of masses.";
        .. orientation: Orientation, "Orientation in the parent body or frame.";
    } with {
        /// The frame around this one, within the same body.
        parent: Option<FrameId>,
    }

    /// `<replicate>`: its contents, several times over.
    Replicate {
        count: int (required), "Number of copies.";
        offset: real[3] = [0.0, 0.0, 0.0], "Translation from one copy to the next, in the frame of the former (m).";
        euler: real[3] = [0.0, 0.0, 0.0], "Rotation from one copy to the next.";
        sep: text = String::new(), "Text between a name and the number of its copy.";
        childclass: class, "Default class of everything inside that names none.";
    }

    /// `<attach>`: a body or frame of this or another model, here.
    Attach {
        model: ref<model>, "Model, or this one.";
        body: ref<body>, "Body to attach.";
        frame: ref<frame>, "Frame to attach.";
        prefix: text (required), "Text before all attached names.";
    }

    /// `<inertial>`: mass and inertia of a body.
    Inertial {
        pos: real[3] (required), "Centre of mass (m).";
        mass: real (required), "Mass (kg).";
        diaginertia: real[3], "Principal moments of inertia (kg m²).";
        fullinertia: real[6], "Inertia matrix in the body's axes: xx yy zz xy xz yz (kg m²).";
        .. orientation: Orientation, "Orientation of the principal axes.";
    } with {
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }

    /// `<joint>`, and `<freejoint>`, which takes nothing from defaults.
    Joint {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        type_: key<JointType> = JointType::Hinge, "Type.";
        group: int = 0, "Group for drawing.";
        pos: real[3] = [0.0, 0.0, 0.0], "Anchor in the body (m).";
        axis: real[3] = [0.0, 0.0, 1.0], "Axis in the body; normalised on compiling.";
        springdamper: real[2] = [0.0, 0.0], "Time constant (s) and damping ratio that replace stiffness and damping, if positive.";
        limited: key<Tri> = Tri::Auto, "Whether `range` is enforced.";
        actuatorfrclimited: key<Tri> = Tri::Auto, "Whether `actuatorfrcrange` is enforced.";
        solreflimit: real[1..2] = [0.02, 1.0], "Solver reference of the limit.";
        solimplimit: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of the limit.";
        solreffriction: real[1..2] = [0.02, 1.0], "Solver reference of dry friction.";
        solimpfriction: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of dry friction.";
        stiffness: real[1..3] = [0.0, 0.0, 0.0], "Spring polynomial.";
        range: real[2] = [0.0, 0.0], "Limits (m or angle).";
        actuatorfrcrange: real[2] = [0.0, 0.0], "Limits of the total actuator force.";
        actuatorgravcomp: bool = false, "Gravity compensation counts as actuator force.";
        margin: real = 0.0, "Distance from the limit at which it becomes active (m or angle).";
        ref_: real = 0.0, "Position of the initial configuration (m or angle).";
        springref: real = 0.0, "Position at which the spring is at rest (m or angle).";
        springyield: real = 0.0, "Displacement beyond which the spring yields (m or angle), if positive.";
        armature: real = 0.0, "Inertia of the rotor (kg or kg m²).";
        damping: real[1..3] = [0.0, 0.0, 0.0], "Damper polynomial.";
        frictionloss: real = 0.0, "Dry friction (N or N m).";
        user: real[..], "User numbers.";
        align: key<Tri> (nodefault) = Tri::Auto, "Only of `<freejoint>`: align the body frame with the inertia.";
    } with {
        /// Written as `<freejoint>`.
        free: bool,
        /// The attachment that it came with, while the model is read; then 0.
        part: u32,
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }

    /// `<geom>`: a shape, which collides, has mass and is visible.
    Geom {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        type_: key<GeomType> = GeomType::Sphere, "Type.";
        contype: int = 1, "Bits of the contact type.";
        conaffinity: int = 1, "Bits of the contact affinity.";
        condim: int = 3, "Dimensions of contacts: 1, 3, 4 or 6.";
        group: int = 0, "Group for drawing and inertia.";
        priority: int = 0, "The geom of higher priority sets the contact's parameters.";
        size: real[1..3], "Size; how many numbers depends on the type (m).";
        material: ref<material>, "Material.";
        friction: real[1..3] = [1.0, 0.005, 0.0001], "Sliding, torsional (m) and rolling (m) friction.";
        mass: real, "Mass (kg); takes precedence over density.";
        density: real = 1000.0, "Density (kg/m³), or per area for shells.";
        shellinertia: bool = false, "Mass is on the surface.";
        solmix: real = 1.0, "Weight when solver parameters are mixed.";
        solref: real[1..2] = [0.02, 1.0], "Solver reference of contacts.";
        solimp: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of contacts.";
        margin: real = 0.0, "Distance below which contacts exist (m).";
        gap: real = 0.0, "Part of the margin in which contacts are not active (m).";
        surfacevel: real[1..6] = [0.0; 6], "Velocity of the surface: linear, angular, in the geom's frame.";
        adhesion: real = 0.0, "Adhesion.";
        fromto: real[6], "Ends of the axis of a capsule, box, cylinder or ellipsoid, instead of pose and length (m).";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the body (m).";
        hfield: ref<hfield>, "Height field.";
        mesh: ref<mesh>, "Mesh, or mesh to which the primitive is fitted.";
        fitscale: real = 1.0, "Scale of a fitted primitive.";
        rgba: real[4] = [0.5, 0.5, 0.5, 1.0], "Colour.";
        castshadow: bool = true, "Casts shadows.";
        fluidshape: key<FluidShape> = FluidShape::None, "Model of fluid forces.";
        fluidcoef: real[1..5] = [0.5, 0.25, 1.5, 1.0, 1.0], "Coefficients of the ellipsoid fluid model.";
        user: real[..], "User numbers.";
        .. orientation: Orientation, "Orientation in the body.";
    } with {
        /// The plugin that gives its signed distance.
        plugin: Option<Box<PluginUse>>,
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }

    /// `<site>`: a marked place on a body.
    Site {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        type_: key<GeomType> = GeomType::Sphere, "Shape: sphere, capsule, ellipsoid, cylinder, box or mesh.";
        group: int = 0, "Group for drawing.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the body (m).";
        material: ref<material>, "Material.";
        mesh: ref<mesh>, "Mesh of the shape.";
        size: real[1..3] = [0.005, 0.005, 0.005], "Size (m).";
        fromto: real[6], "Ends of the axis, instead of pose and length (m).";
        rgba: real[4] = [0.5, 0.5, 0.5, 1.0], "Colour.";
        user: real[..], "User numbers.";
        .. orientation: Orientation, "Orientation in the body.";
    } with {
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }

    /// `<camera>`.
    Camera {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        projection: key<Projection> = Projection::Perspective, "Projection.";
        fovy: real = 45.0, "Vertical field of view (degrees always, or m if orthographic).";
        ipd: real = 0.068, "Distance of the eyes (m).";
        resolution: int[2] = [1, 1], "Width and height (pixels).";
        output: keys<CamOut> = crate::mjcf::table::Keys(vec![CamOut::Rgb]), "Images that the camera gives.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the body (m).";
        mode: key<CamLight> = CamLight::Fixed, "How the camera moves.";
        target: ref<body> (nodefault), "Body that the camera looks at.";
        focal: real[2], "Focal lengths (m).";
        focalpixel: real[2], "Focal lengths (pixels).";
        principal: real[2], "Principal point (m).";
        principalpixel: real[2], "Principal point (pixels).";
        sensorsize: real[2], "Size of the sensor (m).";
        user: real[..], "User numbers.";
        .. orientation: Orientation, "Orientation in the body; the camera looks along -z.";
    } with {
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }

    /// `<light>`.
    Light {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        directional: bool, "Old way to say the type: directional or spot; reading turns it into `type`.";
        type_: key<LightType> = LightType::Spot, "Type.";
        castshadow: bool = true, "Casts shadows.";
        active: bool = true, "Is on.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the body (m).";
        dir: real[3] = [0.0, 0.0, -1.0], "Direction; normalised on compiling.";
        bulbradius: real = 0.02, "Radius of the bulb (m).";
        intensity: real = 0.0, "Intensity (candela).";
        range: real = 10.0, "Distance that is lit (m).";
        attenuation: real[3] = [1.0, 0.0, 0.0], "Attenuation polynomial.";
        cutoff: real = 45.0, "Cut-off angle of a spot (degrees always).";
        softness: real = 0.2, "Softness of the edge of a spot.";
        exponent: real = 10.0, "Exponent of a spot.";
        ambient: real[3] = [0.0, 0.0, 0.0], "Ambient colour.";
        diffuse: real[3] = [0.7, 0.7, 0.7], "Diffuse colour.";
        specular: real[3] = [0.3, 0.3, 0.3], "Specular colour.";
        mode: key<CamLight> = CamLight::Fixed, "How the light moves.";
        target: ref<body> (nodefault), "Body that the light points at.";
        texture: ref<texture> (nodefault), "Texture of an image light.";
    } with {
        /// The innermost frame around it.
        frame: Option<FrameId>,
    }
}
