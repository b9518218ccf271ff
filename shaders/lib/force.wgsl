// generalized forces of forces on bodies; polynomial springs and dampers

// coefficient of the force of a spring or damper, to be multiplied by `-x`: `linear + poly[0] x + poly[1] x²`, with the
// absolute value of `x` for dampers, so that they oppose motion either way
fn poly_force(linear: f32, poly: vec2f, x: f32, damper: bool) -> f32 {
    let y = select(x, abs(x), damper);
    return linear + y * (poly[0] + y * poly[1]);
}

// forces of a tendon's spring and damper along its length
fn tendon_passive(t: i32) -> vec2f {
    let stiffness_ = tendon_stiffness(t);
    let stiffnesspoly = vec2f(tendon_stiffnesspoly(t, 0), tendon_stiffnesspoly(t, 1));
    let damping_ = tendon_damping_all(t);
    let dampingpoly = vec2f(tendon_dampingpoly_all(t, 0), tendon_dampingpoly_all(t, 1));
    let spring = (opt_disableflags & DSBL_SPRING) == 0 && (stiffness_ != 0.0 || any(stiffnesspoly != vec2f(0.0)));
    let damper = (opt_disableflags & DSBL_DAMPER) == 0 && (damping_ != 0.0 || any(dampingpoly != vec2f(0.0)));

    // a spring acts outside its range of slack lengths
    let len = ten_length(t);
    let rest = rest_length(t);
    let x = select(select(0.0, len - rest.x, len < rest.x), len - rest.y, rest.y < len);
    let frc_spring = select(0.0, -x * poly_force(stiffness_, stiffnesspoly, x, false), spring);

    // a damper acts at any length
    let v = ten_velocity(t);
    return vec2f(frc_spring, select(0.0, -v * poly_force(damping_, dampingpoly, v, true), damper));
}

// rest position of a joint's spring, number `k` of its coordinates
fn joint_rest(j: i32, k: i32) -> f32 {
    if (nplastic > 0) {
        let adr = jnt_plasticadr(j);
        if (adr >= 0) {
            return plastic(adr + k);
        }
    }
    return qpos_spring(jnt_qposadr(j) + k);
}

// range of lengths in which a tendon's spring is slack
fn rest_length(t: i32) -> vec2f {
    if (nplastic > 0) {
        let adr = tendon_plasticadr(t);
        if (adr >= 0) {
            return vec2f(plastic(adr), plastic(adr + 1));
        }
    }
    return vec2f(tendon_lengthspring(t, 0), tendon_lengthspring(t, 1));
}

// energy of a spring: the integral of `x` times poly_force
fn spring_energy(linear: f32, poly: vec2f, x: f32) -> f32 {
    return x * x * (0.5 * linear + x * (poly[0] / 3.0 + x * poly[1] / 4.0));
}

// derivative of `x` times poly_force
fn poly_force_slope(linear: f32, poly: vec2f, x: f32, damper: bool) -> f32 {
    let y = select(x, abs(x), damper);
    return linear + y * (2.0 * poly[0] + y * (3.0 * poly[1]));
}

// derivative of the force of a dof's damper, including its actuators' damping, with respect to its velocity
fn damping_slope(i: i32) -> f32 {
    let poly = vec2f(dof_dampingpoly_all(i, 0), dof_dampingpoly_all(i, 1));
    return poly_force_slope(dof_damping_all(i), poly, qvel(i), true);
}

// generalized force on dof `i` of a force and a torque on a body at a point
fn apply_ft(i: i32, body: i32, point: vec3f, force: vec3f, torque: vec3f) -> f32 {
    // dofs that move the body
    var dof = body_lastdof(body);
    while (dof > i) {
        dof = dof_parentid(dof);
    }
    if (dof != i) {
        return 0.0;
    }

    // torque about the centre of mass of the tree
    let offset = point - subtree_com(body_rootid(body));
    let axis = cdof(i);
    return dot(axis.rot, torque + cross(offset, force)) + dot(axis.lin, force);
}
