//! The elements and attributes of URDF that MuJoCo's reader uses.
//!
//! URDF has no schema that everyone follows, so attributes and elements that are not here are assumed to be other programs' and
//! are ignored. Units are metres, radians, kilograms and newtons.

keywords! {
    /// Type of a joint; `spherical` is Bullet's.
    enum JointKind {
        "revolute" Revolute, "continuous" Continuous, "prismatic" Prismatic, "fixed" Fixed, "floating" Floating,
        "planar" Planar, "spherical" Spherical,
    }
}

elements! {
    /// `<robot>`: a model.
    Robot {
        name: text, "Name of the model.";
    }

    /// `<link>`: a body.
    Link {
        name: name (required), "Name; a link called `world` is the world body.";
    }

    /// `<joint>`: the connection of a link to another.
    Joint {
        name: name (required), "Name; of two joints of one name the second has none.";
        type_: key<JointKind> (required), "Type of the joint.";
    }

    /// `<parent>` or `<child>` of a joint.
    End {
        link: ref<link> (required), "Name of the link.";
    }

    /// `<origin>`: a pose.
    Place {
        xyz: real[3] = [0.0, 0.0, 0.0], "Position (m).";
        rpy: real[3] = [0.0, 0.0, 0.0], "Angles about the fixed axes x, y and z, in this order (rad).";
    }

    /// `<axis>` of a joint.
    Axis {
        xyz: real[3] (required), "Axis in the frame of the joint; of a planar joint the normal of the plane.";
    }

    /// `<mass>` of a link.
    Mass {
        value: real (required), "Mass (kg).";
    }

    /// `<inertia>` of a link, in the frame of `<inertial>`; if all six are zero the inertia is unknown.
    Inertia {
        ixx: real (required), "Element of the inertia matrix (kg m²).";
        iyy: real (required), "Element of the inertia matrix (kg m²).";
        izz: real (required), "Element of the inertia matrix (kg m²).";
        ixy: real (required), "Element of the inertia matrix (kg m²).";
        ixz: real (required), "Element of the inertia matrix (kg m²).";
        iyz: real (required), "Element of the inertia matrix (kg m²).";
    }

    /// `<dynamics>` of a joint.
    Dynamics {
        damping: real = 0.0, "Damping (N s/m or N m s/rad).";
        friction: real = 0.0, "Dry friction (N or N m).";
    }

    /// `<limit>` of a joint.
    Limit {
        lower: real = 0.0, "Lower end of the range (m or rad).";
        upper: real = 0.0, "Upper end of the range (m or rad).";
        effort: real = 0.0, "Largest force of all actuators together (N or N m), if not zero.";
    }

    /// `<mimic>`: the joint follows another.
    Mimic {
        joint: ref<joint> (required), "Name of the joint that it follows.";
        multiplier: real = 1.0, "What the other joint's position is multiplied by.";
        offset: real = 0.0, "What is added to that (m or rad).";
    }

    /// `<visual>` or `<collision>`: a geom.
    Shape {
        name: name, "Name; of two geoms of one name the second has none.";
    }

    /// `<material>`: a colour by name.
    Material {
        name: name, "Name.";
    }

    /// `<color>` of a material.
    Color {
        rgba: real[4] (required), "Red, green, blue and opacity.";
    }

    /// `<box>`.
    Cuboid {
        size: real[3] (required), "Edges (m).";
    }

    /// `<cylinder>` or `<capsule>`, along z.
    Round {
        radius: real (required), "Radius (m).";
        length: real (required), "Length of the cylinder, without caps (m).";
    }

    /// `<sphere>`.
    Sphere {
        radius: real (required), "Radius (m).";
    }

    /// `<mesh>`.
    MeshFile {
        filename: file (required), "File, relative to the model's folder or as `package://PACKAGE/FILE`.";
        scale: real[3] = [1.0, 1.0, 1.0], "Scale along the axes; negative values mirror.";
    }
}
