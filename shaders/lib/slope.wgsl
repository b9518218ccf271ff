// derivatives of the bias force with respect to velocity. For the force on a body b that dof k moves: I W_k + G S_k, with the
// inertia I and the velocity v of the body, the axis S of the dof, and
//   G x = v ×* (I x) − I (v × x) + x ×* (I v)
// a matrix of the body alone, so that I and G of the bodies of a subtree add up (Singh, Russell, Wensing 2022)

// a matrix of six columns
struct Columns {
    c: array<Spatial, 6>,
}

// unit motion along one coordinate
fn unit_motion(c: i32) -> Spatial {
    var rot = vec3f(0.0);
    var lin = vec3f(0.0);
    if (c < 3) {
        rot[c] = 1.0;
    } else {
        lin[c - 3] = 1.0;
    }
    return Spatial(rot, lin);
}

// the matrix G of an inertia that moves with a velocity, by columns
fn gyroscopic(inertia: Inert, vel: Spatial) -> Columns {
    let momentum = mul_inert_vec(inertia, vel);
    var out: Columns;
    for (var c = 0; c < 6; c++) {
        let x = unit_motion(c);
        let moved = cross_force(vel, mul_inert_vec(inertia, x));
        let turned = mul_inert_vec(inertia, cross_motion(vel, x));
        out.c[c] = add_scl6(add_scl6(moved, turned, -1.0), cross_force(x, momentum), 1.0);
    }
    return out;
}

// the vector W of a dof
fn axis_turn(k: i32) -> Spatial {
    let rate = cdof_dot(k);
    let twice = add_scl6(rate, rate, 1.0);
    let j = dof_jntid(k);
    let kind = jnt_type(j);

    // the axes of a ball joint rotate with each other
    let first = jnt_dofadr(j) + select(0, 3, kind == JNT_FREE);
    if ((kind != JNT_BALL && kind != JNT_FREE) || k < first) {
        return twice;
    }
    var spin = Spatial(vec3f(0.0), vec3f(0.0));
    for (var l = first; l < first + 3; l++) {
        spin = add_scl6(spin, cdof(l), qvel(l));
    }
    return add_scl6(twice, cross_motion(spin, cdof(k)), 1.0);
}

// true for a dof of a free joint whose tree has no other dofs: the tree is one rigid body
fn rigid(i: i32) -> bool {
    return model_rigid && jnt_type(dof_jntid(i)) == JNT_FREE && tree_dofnum(dof_treeid(i)) == 6;
}

// row of a dof in qLU: M - h D, with D the derivative of the forces with respect to velocity
fn less_slope(i: i32) {
    let adr = D_rowadr(i);
    for (var k = adr; k < adr + D_rownnz(i); k++) {
        let at = m_address(i, D_colind(k));
        var inertia = 0.0;
        if (at >= 0) {
            inertia = M(at);
        }
        set_qLU(k, inertia - opt_timestep * qDeriv(k));
    }
}

// row of a dof in qH: M - h D, symmetric since D leaves the bias force out; M alone for a free rigid body
fn less_symmetric_slope(i: i32) {
    let bent = !rigid(i);
    let adr = M_rowadr(i);
    for (var k = adr; k < adr + M_rownnz(i); k++) {
        var x = M(k);
        if (bent) {
            x -= opt_timestep * qDeriv(d_address(i, M_colind(k)));
        }
        set_qH(k, x);
    }
}

// adds the derivative of a free rigid body's bias force to a row of qLU (`mjd_freeMhat`)
fn add_bias(i: i32) {
    var slope = bias_slope(i);
    let adr = jnt_dofadr(dof_jntid(i));
    for (var n = 0; n < 6; n++) {
        let at = d_address(i, adr + n);
        set_qLU(at, qLU(at) + opt_timestep * slope[n]);
    }
}

// derivative of a free rigid body's bias force on dof `i` with respect to the velocities of its six dofs
fn bias_slope(i: i32) -> array<f32, 6> {
    let body = dof_bodyid(i);
    var slope = gyroscopic(crb(body), cvel(body));
    let axis = cdof(i);
    let by_motion = Spatial(
        vec3f(dot6(slope.c[0], axis), dot6(slope.c[1], axis), dot6(slope.c[2], axis)),
        vec3f(dot6(slope.c[3], axis), dot6(slope.c[4], axis), dot6(slope.c[5], axis)));
    let momentum = mul_inert_vec(crb(body), axis);
    let adr = jnt_dofadr(dof_jntid(i));
    var out: array<f32, 6>;
    for (var n = 0; n < 6; n++) {
        out[n] = dot6(momentum, axis_turn(adr + n)) + dot6(by_motion, cdof(adr + n));
    }
    return out;
}
