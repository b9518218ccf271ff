// bodies in a fluid: their shapes in the fluid models, and their velocities relative to the fluid

// force and torque, or linear and angular velocity
struct Medium {
    lin: vec3f,
    rot: vec3f,
}

const FLUID_PI: f32 = 3.141592653589793;

// true if the inertia box model applies to a body: none of its geoms is an ellipsoid to the fluid
fn box_like(i: i32) -> bool {
    let adr = max(body_geomadr(i), 0);
    var boxy = true;
    for (var g = adr; g < adr + body_geomnum(i); g++) {
        boxy = boxy && geom_fluid(g, 0) <= 0.0;
    }
    return boxy;
}

// drag coefficients of a box: linear in the speed, and quadratic along each axis
struct BoxDrag {
    linear: f32,
    angular: f32,
    face: vec3f,
    spin: vec3f,
}

// drag coefficients of the box with a body's mass and inertia
fn box_drag(i: i32) -> BoxDrag {
    // edges of the box of the same inertia
    let inertia = body_inertia(i);
    let other = vec3f(
        inertia.y + inertia.z - inertia.x,
        inertia.x + inertia.z - inertia.y,
        inertia.x + inertia.y - inertia.z);
    let edge = sqrt(max(other, vec3f(MINVAL)) / body_mass(i) * 6.0);

    // viscosity acts on a sphere of the mean diameter
    let diam = (edge.x + edge.y + edge.z) / 3.0;
    let viscosity = max(opt_viscosity, 0.0);
    let linear = 3.0 * FLUID_PI * diam * viscosity;
    let angular = FLUID_PI * diam * diam * diam * viscosity;

    // density acts on the faces
    let density = max(opt_density, 0.0);
    let face = 0.5 * density * edge.yxx * edge.zzy;
    let fourth = edge * edge * edge * edge;
    let spin = density * edge * (fourth.yxx + fourth.zzy) / 64.0;
    return BoxDrag(linear, angular, face, spin);
}

// velocity of a frame of a body relative to the fluid, in that frame: angular, linear
fn fluid_velocity(i: i32, pos: vec3f, mat: mat3x3f) -> Medium {
    let motion = cvel(i);
    let offset = pos - subtree_com(body_rootid(i));
    let vel = motion.lin + cross(motion.rot, offset);
    return Medium(transpose(mat) * (vel - opt_wind), transpose(mat) * motion.rot);
}

// semiaxes of the ellipsoid that approximates a geom (`mju_geomSemiAxes`)
fn semi_axes(g: i32) -> vec3f {
    let size = geom_size(g);
    let type_ = geom_type(g);
    if (type_ == GEOM_SPHERE) {
        return size.xxx;
    }
    if (type_ == GEOM_CAPSULE) {
        return vec3f(size.x, size.x, size.x + size.y);
    }
    if (type_ == GEOM_CYLINDER) {
        return vec3f(size.x, size.x, size.y);
    }
    return size;
}
