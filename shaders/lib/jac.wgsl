// velocity and acceleration of a point of a body

struct PointMotion {
    vel: vec3f,
    acc: vec3f,
}

// velocity of a point of a body, and its acceleration from the bodies' accelerations, without gravity
fn point_motion<acc_>(body: i32, point: vec3f) -> PointMotion {
    let offset = point - subtree_com(body_rootid(body));
    let motion = cvel(body);
    let vel = motion.lin + cross(motion.rot, offset);
    let rate = add_scl6(acc_(body), acc_(0), -1.0);
    let acc = rate.lin + cross(rate.rot, offset);
    return PointMotion(vel, acc + cross(motion.rot, vel));
}

// second time derivative of the length of a spatial tendon without geoms, from the accelerations of the bodies
fn tendon_acceleration<acc_>(t: i32) -> f32 {
    let start = tendon_adr(t);
    var divisor = 1.0;
    var acc = 0.0;
    for (var p = start; p < start + tendon_num(t) - 1; p++) {
        // a pulley starts a branch; there are no geoms
        if (wrap_type(p) == WRAP_PULLEY) {
            divisor = wrap_prm(p);
            continue;
        }
        if (wrap_type(p + 1) == WRAP_PULLEY) {
            continue;
        }
        let site0 = wrap_objid(p);
        let site1 = wrap_objid(p + 1);
        let body0 = site_bodyid(site0);
        let body1 = site_bodyid(site1);
        if (body0 == body1) {
            continue;
        }

        // acceleration along the direction, and the term due to its rotation
        let pos0 = site_xpos(site0);
        let pos1 = site_xpos(site1);
        let way = normalize3(pos1 - pos0);
        let end0 = point_motion<acc_>(body0, pos0);
        let end1 = point_motion<acc_>(body1, pos1);
        let vel = end1.vel - end0.vel;
        let aside = vel - way.xyz * dot(way.xyz, vel);
        var turning = 0.0;
        if (way.w > MINVAL) {
            turning = dot(aside, vel) / way.w;
        }
        acc += (dot(way.xyz, end1.acc - end0.acc) + turning) * (1.0 / divisor);
    }
    return acc;
}

// adds to a sparse row the Jacobian of a point of a body along `dir`, and of the body's rotation about `axis`. The row has the
// entries `adr` to `adr + num` with the dofs in `colind`; dofs without an entry are skipped
fn add_jac<row, colind>(adr: i32, num: i32, body: i32, point: vec3f, dir: vec3f, axis: vec3f) {
    let offset = point - subtree_com(body_rootid(body));
    let moment = axis + cross(offset, dir);
    // both lists descend
    var k = adr + num - 1;
    var i = body_lastdof(body);
    while (i >= 0 && k >= adr) {
        let column = colind(k);
        if (column == i) {
            let motion = cdof(i);
            set_row(k, row(k) + dot(motion.rot, moment) + dot(motion.lin, dir));
        }
        // on to the next dof if the row has no entry above it
        if (column > i) {
            k--;
        } else {
            i = dof_parentid(i);
        }
    }
}
