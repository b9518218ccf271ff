//! `contact`, `equality` and `tendon`.

use super::words::*;

elements! {
    /// `<pair>`: two geoms that may touch whatever their masks are.
    Pair {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        geom1: ref<geom> (nodefault required), "First geom.";
        geom2: ref<geom> (nodefault required), "Second geom.";
        condim: int, "Dimensions of contacts: 1, 3, 4 or 6; mixed from the geoms if absent.";
        friction: real[1..5], "Friction: two tangential, torsional, two rolling; mixed from the geoms if absent.";
        solref: real[1..2], "Solver reference; mixed from the geoms if absent.";
        solreffriction: real[1..2], "Solver reference along the friction directions.";
        solimp: real[1..5], "Solver impedance; mixed from the geoms if absent.";
        gap: real, "Gap (m); mixed from the geoms if absent.";
        margin: real, "Margin (m); mixed from the geoms if absent.";
        adhesion: real, "Adhesion; mixed from the geoms if absent.";
    }

    /// `<exclude>`: two bodies that never touch.
    Exclude {
        name: name, "Name.";
        body1: ref<body> (required), "First body.";
        body2: ref<body> (required), "Second body.";
    }

    /// `<connect>`, `<weld>`, `<joint>`, `<tendon>`, `<flex>`, `<flexstrain>` under `<equality>`; the tag determines which attributes apply.
    Equality {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        active: bool = true, "Is on.";
        solref: real[1..2] = [0.02, 1.0], "Solver reference.";
        solimp: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance.";
        body1: ref<body> (nodefault), "First body.";
        body2: ref<body> (nodefault), "Second body, or the world.";
        site1: ref<site> (nodefault), "First site, instead of bodies.";
        site2: ref<site> (nodefault), "Second site.";
        anchor: real[3] (nodefault), "Anchor: of a connect in body1, of a weld in body2 (m).";
        relpose: real[7] (nodefault), "Pose of body2 in body1; a zero quaternion means as in qpos0.";
        torquescale: real (nodefault) = 1.0, "Weight of rotation in a weld.";
        joint1: ref<joint> (nodefault), "Joint that is constrained.";
        joint2: ref<joint> (nodefault), "Joint on which it depends.";
        tendon1: ref<tendon> (nodefault), "Tendon that is constrained.";
        tendon2: ref<tendon> (nodefault), "Tendon on which it depends.";
        flex: ref<flex> (nodefault), "Flex whose edges keep their lengths, or whose cells keep their strains.";
        cell: int[3] (nodefault), "Cell of the flex along the axes of its grid.";
        polycoef: real[1..5] (nodefault) = [0.0, 1.0, 0.0, 0.0, 0.0], "Polynomial between the two.";
    } with {
        /// The kind of constraint.
        tag: EqualityTag,
    }

    /// `<spatial>` and `<fixed>`.
    Tendon {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        group: int = 0, "Group for drawing.";
        limited: key<Tri> = Tri::Auto, "Whether `range` is enforced.";
        actuatorfrclimited: key<Tri> = Tri::Auto, "Whether `actuatorfrcrange` is enforced.";
        range: real[2] = [0.0, 0.0], "Limits of the length (m).";
        actuatorfrcrange: real[2] = [0.0, 0.0], "Limits of the total actuator force (N).";
        solreflimit: real[1..2] = [0.02, 1.0], "Solver reference of the limit.";
        solimplimit: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of the limit.";
        solreffriction: real[1..2] = [0.02, 1.0], "Solver reference of dry friction.";
        solimpfriction: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of dry friction.";
        frictionloss: real = 0.0, "Dry friction (N).";
        springlength: real[1..2] = [-1.0, -1.0], "Rest length, or dead band (m); reading doubles a single number, -1 is the length in qpos0.";
        springyield: real = 0.0, "Displacement beyond which the spring yields (m), if positive.";
        width: real = 0.003, "Width when drawn (m).";
        material: ref<material>, "Material.";
        margin: real = 0.0, "Distance from the limit at which it becomes active (m).";
        stiffness: real[1..3] = [0.0, 0.0, 0.0], "Spring polynomial.";
        damping: real[1..3] = [0.0, 0.0, 0.0], "Damper polynomial.";
        armature: real = 0.0, "Inertia (kg).";
        rgba: real[4] = [0.5, 0.5, 0.5, 1.0], "Colour.";
        user: real[..], "User numbers.";
    } with {
        /// Spatial or fixed.
        tag: TendonTag,
        /// The path, in order.
        path: Vec<Wrap>,
    }

    /// One step of a tendon's path: `<site>`, `<geom>`, `<pulley>` of a spatial one, `<joint>` of a fixed one.
    Wrap {
        site: ref<site>, "Site to pass through.";
        geom: ref<geom>, "Geom to wrap around.";
        sidesite: ref<site> (nodefault), "Site that says on which side.";
        divisor: real, "Divisor of a pulley.";
        joint: ref<joint>, "Joint.";
        coef: real, "Coefficient of the joint.";
    } with {
        /// The kind of step.
        tag: WrapTag,
    }
}

tags! {
    /// The kinds of equality constraints.
    EqualityTag {
        "connect" Connect [body1 body2 anchor site1 site2];
        "weld" Weld [body1 body2 relpose anchor site1 site2 torquescale];
        "joint" Joint [joint2 polycoef] [joint1];
        "tendon" Tendon [tendon2 polycoef] [tendon1];
        "flex" Flex [] [flex];
        "flexstrain" Flexstrain [cell] [flex];
    }
}

tags! {
    /// The two kinds of tendons; `width`, `material` and `rgba` belong to spatial ones.
    TendonTag {
        "spatial" Spatial [width material rgba];
        "fixed" Fixed [];
    }
}

tags! {
    /// The steps of a path.
    WrapTag {
        "site" Site [] [site];
        "geom" Geom [sidesite] [geom];
        "pulley" Pulley [] [divisor];
        "joint" Joint [] [joint coef];
    }
}
