// equality constraints of two bodies: their points, orientations, and the motion of these

struct Points {
    first: vec3f,
    second: vec3f,
}

struct Orientations {
    first: vec4f,
    second: vec4f,
}

// the two bodies of a connect or weld
fn bodies(i: i32) -> vec2i {
    let ids = vec2i(eq_obj1id(i), eq_obj2id(i));
    if (eq_objtype(i) == OBJ_SITE) {
        return vec2i(site_bodyid(ids[0]), site_bodyid(ids[1]));
    }
    return ids;
}

// the two points that a connect or weld holds together (m)
fn anchors(i: i32) -> Points {
    let id1 = eq_obj1id(i);
    let id2 = eq_obj2id(i);
    if (eq_objtype(i) == OBJ_SITE) {
        return Points(site_xpos(id1), site_xpos(id2));
    }

    // eq_data has the anchor of the first body first in a connect, last in a weld
    let early = vec3f(eq_data(i, 0), eq_data(i, 1), eq_data(i, 2));
    let late = vec3f(eq_data(i, 3), eq_data(i, 4), eq_data(i, 5));
    let weld = eq_type(i) == EQ_WELD;
    let local1 = select(early, late, weld);
    let local2 = select(late, early, weld);
    return Points(xmat(id1) * local1 + xpos(id1), xmat(id2) * local2 + xpos(id2));
}

// the two orientations that a weld holds together, the relative pose included
fn orientations(i: i32) -> Orientations {
    let body = bodies(i);
    if (eq_objtype(i) == OBJ_SITE) {
        return Orientations(
            mul_quat(xquat(body[0]), site_quat(eq_obj1id(i))),
            mul_quat(xquat(body[1]), site_quat(eq_obj2id(i))));
    }
    let relpose = vec4f(eq_data(i, 6), eq_data(i, 7), eq_data(i, 8), eq_data(i, 9));
    return Orientations(mul_quat(xquat(body[0]), relpose), xquat(body[1]));
}

// torque of a weld on its first body, from the forces of the rows that hold the orientation: half its scale times
// `quat2 force inverse(quat1)`
fn weld_torque(i: i32, force: vec3f) -> vec3f {
    let quats = orientations(i);
    let turned = mul_quat(mul_quat(quats.second, vec4f(0.0, force)), neg_quat(quats.first));
    return turned.yzw * (0.5 * eq_data(i, 10));
}

// Jdot v of a point of a body: rotation and translation
fn jac_dot_vel(point: vec3f, body: i32) -> Spatial {
    // rate of the motion axes, and the angular velocity due to the dofs
    var rate = Spatial(vec3f(0.0), vec3f(0.0));
    var spin = vec3f(0.0);
    for (var i = body_lastdof(body); i >= 0; i = dof_parentid(i)) {
        let joint = dof_jntid(i);
        let type_ = jnt_type(joint);
        let axis = cdof(i);
        var change = cdof_dot(i);
        if (type_ == JNT_BALL || (type_ == JNT_FREE && i >= jnt_dofadr(joint) + 3)) {
            change = cross_motion(cvel(dof_bodyid(i)), axis);
        }
        rate = add_scl6(rate, change, qvel(i));
        spin += axis.rot * qvel(i);
    }

    // at the point itself
    let offset = point - subtree_com(body_rootid(body));
    let motion = cvel(body);
    let vel = motion.lin + cross(motion.rot, offset);
    return Spatial(rate.rot, rate.lin + cross(rate.rot, offset) + cross(spin, vel));
}
