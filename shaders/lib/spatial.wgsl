// spatial (6D) algebra about the subtree's centre of mass: rotation first, then translation

// a motion or a force
struct Spatial {
    rot: vec3f,
    lin: vec3f,
}

// inertia: Ixx Iyy Izz, Ixy Ixz Iyz, mass times offset, mass
struct Inert {
    diag: vec3f,
    off: vec3f,
    moment: vec3f,
    mass: f32,
}

// inertia times motion: a force
fn mul_inert_vec(i: Inert, v: Spatial) -> Spatial {
    let rot = vec3f(
        i.diag.x * v.rot.x + i.off.x * v.rot.y + i.off.y * v.rot.z,
        i.off.x * v.rot.x + i.diag.y * v.rot.y + i.off.z * v.rot.z,
        i.off.y * v.rot.x + i.off.z * v.rot.y + i.diag.z * v.rot.z);
    return Spatial(rot + cross(i.moment, v.lin), cross(v.rot, i.moment) + i.mass * v.lin);
}

// cross product of motions `vel × v`
fn cross_motion(vel: Spatial, v: Spatial) -> Spatial {
    return Spatial(cross(vel.rot, v.rot), cross(vel.rot, v.lin) + cross(vel.lin, v.rot));
}

// cross product of a motion and a force `vel ×* f`
fn cross_force(vel: Spatial, f: Spatial) -> Spatial {
    return Spatial(cross(vel.rot, f.rot) + cross(vel.lin, f.lin), cross(vel.rot, f.lin));
}

// inner product of two spatial vectors
fn dot6(a: Spatial, b: Spatial) -> f32 {
    return dot(a.rot, b.rot) + dot(a.lin, b.lin);
}

// `a + b * s`
fn add_scl6(a: Spatial, b: Spatial, s: f32) -> Spatial {
    return Spatial(a.rot + b.rot * s, a.lin + b.lin * s);
}
