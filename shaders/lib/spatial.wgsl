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

// force that a motion needs without acceleration, `vel ×* (i vel)`: velocities add up to an acceleration `ω × v`, and of the
// rotational inertia only what differs between axes counts
fn gyroscopic_force(i: Inert, vel: Spatial) -> Spatial {
    let w = vel.rot;
    let turned = vec3f(
        i.off.x * w.y + i.off.y * w.z,
        i.off.x * w.x + (i.diag.y - i.diag.x) * w.y + i.off.z * w.z,
        i.off.y * w.x + i.off.z * w.y + (i.diag.z - i.diag.x) * w.z);
    let acc = cross(w, vel.lin);
    return Spatial(cross(w, turned) + cross(i.moment, acc), cross(w, cross(w, i.moment)) + acc * i.mass);
}

// inertia about a point at `-offset` from a body's centre of mass, with principal moments `inertia` in the frame `mat`
fn inert_com(inertia: vec3f, mat: mat3x3f, offset: vec3f, mass: f32) -> Inert {
    // what all axes have in common does not change with rotation
    let more = inertia.yz - inertia.x;
    // rows of mat, and of mat · diag(inertia)
    let rows = transpose(mat);
    let x = rows[0].yz * more;
    let y = rows[1].yz * more;
    let z = rows[2].yz * more;
    let moved = mass * offset;
    return Inert(
        inertia.x + vec3f(dot(x, rows[0].yz), dot(y, rows[1].yz), dot(z, rows[2].yz)) + moved.yxx * offset.yxx + moved.zzy * offset.zzy,
        vec3f(dot(x, rows[1].yz), dot(x, rows[2].yz), dot(y, rows[2].yz)) - moved.xxy * offset.yzz,
        moved,
        mass);
}

// motion of a rotation about `axis` through a point, at `offset` from that point
fn dof_com(axis: vec3f, offset: vec3f) -> Spatial {
    return Spatial(axis, cross(axis, offset));
}

// sum of two inertias about one point
fn add_inert(a: Inert, b: Inert) -> Inert {
    return Inert(a.diag + b.diag, a.off + b.off, a.moment + b.moment, a.mass + b.mass);
}

// a motion transferred to a point at `offset`
fn seen_from(v: Spatial, offset: vec3f) -> Spatial {
    return Spatial(v.rot, v.lin + cross(v.rot, offset));
}

// both halves in the axes of a frame
fn along(mat: mat3x3f, v: Spatial) -> Spatial {
    return Spatial(transpose(mat) * v.rot, transpose(mat) * v.lin);
}

// gravity as an upward acceleration of the world (m/s²): the start of a tree's accelerations
fn world_acceleration() -> Spatial {
    var up = -opt_gravity;
    if ((opt_disableflags & DSBL_GRAVITY) != 0) {
        up = vec3f(0.0);
    }
    return Spatial(vec3f(0.0), up);
}
