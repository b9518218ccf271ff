// Spring and damper forces, gravity compensation (`mj_passive`).

const SPRING: bool = (opt_disableflags & DSBL_SPRING) == 0;
const DAMPER: bool = (opt_disableflags & DSBL_DAMPER) == 0;

fn mj_passive() {
    // no passive forces if springs and dampers are both disabled
    if (!SPRING && !DAMPER) {
        for (var i = lane; i < nv; i += LANES) {
            set_qfrc_spring(i, 0.0);
            set_qfrc_damper(i, 0.0);
            set_qfrc_gravcomp(i, 0.0);
            set_qfrc_passive(i, 0.0);
        }
        return;
    }

    // springs of joints
    for (var j = lane; j < njnt; j += LANES) {
        joint_spring(j);
    }

    // dampers of dofs
    for (var i = lane; i < nv; i += LANES) {
        dof_damper(i);
    }
    team_sync();

    // springs and dampers of flexes
    if (nflexstiffness > 0 || nflexbending > 0) {
        elastic();
    }
    for (var f = 0; f < nflex; f++) {
        edges_spring_damper(f);
    }

    // passive contacts of flexes
    if (model_penalties) {
        push_apart();
    }

    // springs and dampers of tendons
    for (var t = 0; t < ntendon; t++) {
        tendon_spring_damper(t);
    }

    compensate_gravity();

    // the sum; gravity compensation by actuators is not passive
    for (var i = lane; i < nv; i += LANES) {
        var sum = qfrc_spring(i) + qfrc_damper(i) + qfrc_fluid(i);
        if (jnt_actgravcomp(dof_jntid(i)) == 0) {
            sum += qfrc_gravcomp(i);
        }
        if (nadhesion > 0) {
            sum += qfrc_adhesion(i);
        }
        set_qfrc_passive(i, sum);
    }
}

fn dof_damper(i: i32) {
    var force = 0.0;
    if (DAMPER) {
        let poly = vec2f(dof_dampingpoly_all(i, 0), dof_dampingpoly_all(i, 1));
        let v = qvel(i);
        force = -v * poly_force(dof_damping_all(i), poly, v, true);
    }
    set_qfrc_damper(i, force);
}

fn compensate_gravity() {
    let pull = ngravcomp > 0 && (opt_disableflags & DSBL_GRAVITY) == 0 && any(opt_gravity != vec3f(0.0));
    for (var i = lane; i < nv; i += LANES) {
        var sum = 0.0;
        // bodies that a dof moves have at least the number of its own body
        for (var b = dof_bodyid(i); pull && b < nbody; b++) {
            let compensated = body_gravcomp(b);
            if (compensated != 0.0) {
                let weight = -(body_mass(b) * compensated);
                sum += apply_ft(i, b, xipos(b), opt_gravity * weight, vec3f(0.0));
            }
        }
        set_qfrc_gravcomp(i, sum);
    }
}

fn joint_spring(j: i32) {
    let linear = jnt_stiffness(j);
    let poly = vec2f(jnt_stiffnesspoly(j, 0), jnt_stiffnesspoly(j, 1));
    let none = !SPRING || (linear == 0.0 && all(poly == vec2f(0.0)));
    var padr = jnt_qposadr(j);
    var dadr = jnt_dofadr(j);
    let type_ = jnt_type(j);

    // one coordinate
    if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
        var force = 0.0;
        if (!none) {
            let x = qpos(padr) - joint_rest(j, 0);
            force = -x * poly_force(linear, poly, x, false);
        }
        set_qfrc_spring(dadr, force);
        return;
    }

    // three coordinates: the distance from rest counts
    let free = type_ == JNT_FREE;
    for (var part = select(1, 0, free); part < 2; part++) {
        var x = vec3f(0.0);
        if (!none && part == 0) {
            for (var k = 0; k < 3; k++) {
                x[k] = qpos(padr + k) - joint_rest(j, k);
            }
        }

        // an orientation: the angle from rest counts
        if (!none && part == 1) {
            let quat = normalize4(vec4f(qpos(padr), qpos(padr + 1), qpos(padr + 2), qpos(padr + 3)));
            let first = padr - jnt_qposadr(j);
            let rest =
                vec4f(joint_rest(j, first), joint_rest(j, first + 1), joint_rest(j, first + 2), joint_rest(j, first + 3));
            x = sub_quat(quat, rest);
        }
        let force = -x * poly_force(linear, poly, length(x), false);
        for (var k = 0; k < 3; k++) {
            set_qfrc_spring(dadr + k, force[k]);
        }
        padr += 3;
        dadr += 3;
    }
}

// forces on the vertices, then generalized forces of their bodies
fn elastic() {
    vertex_motion();
    team_sync();
    for (var f = 0; f < nflex; f++) {
        if (between_nodes(f)) {
            cell_forces(f);
        } else if (flex_stiffnessadr(f) >= 0 && flex_rigid(f) == 0 && !(model_cages && flex_interp(f) != 0)) {
            stretch_forces(f);
        }
        let hinged = flex_dim(f) == 2 && !(model_cages && flex_interp(f) != 0);
        if (flex_bendingadr(f) >= 0 && flex_rigid(f) == 0 && hinged) {
            bend_forces(f);
        }
        if (is_rod(f)) {
            rod_forces(f);
        }
    }
    team_sync();

    // as generalized forces
    for (var v = 0; v < nflexvert; v++) {
        let body = flex_vertbodyid(v);
        if (!model_cages || body >= 0) {
            push_body(body, flexvert_xpos(v), flexvert_spring(v), flexvert_damper(v));
        }
    }
    for (var f = 0; f < nflex && model_cages; f++) {
        for (var n = flex_nodeadr(f); n < flex_nodeadr(f) + flex_nodenum(f) && between_nodes(f); n++) {
            push_node(n);
        }
    }
}

// whether the vertices of a flex lie between nodes that its material holds; the material of lines there has no forces in MuJoCo
fn between_nodes(f: i32) -> bool {
    return model_cages && flex_interp(f) != 0 && flex_dim(f) > 1 && (flex_stiffnessadr(f) >= 0 || flex_bendingadr(f) >= 0);
}

// forces of springs and dampers at a point of a body; a dof is the lane's that adds to it
fn push_body(body: i32, point: vec3f, spring: vec3f, damper: vec3f) {
    let offset = point - subtree_com(body_rootid(body));
    for (var i = body_lastdof(body); i >= 0; i = dof_parentid(i)) {
        if (i % LANES != lane) {
            continue;
        }
        let motion = cdof(i);
        if (SPRING) {
            set_qfrc_spring(i, qfrc_spring(i) + dot(motion.rot, cross(offset, spring)) + dot(motion.lin, spring));
        }
        if (DAMPER) {
            set_qfrc_damper(i, qfrc_damper(i) + dot(motion.rot, cross(offset, damper)) + dot(motion.lin, damper));
        }
    }
}

// a body with three slide joints passes no force on to its ancestors, as in MuJoCo
fn push_node(n: i32) {
    let body = flex_nodebodyid(n);
    let adr = body_jntadr(body);
    var slides = body_jntnum(body) == 3;
    for (var j = adr; j < adr + 3 && slides; j++) {
        slides = jnt_type(j) == JNT_SLIDE;
    }
    if (!slides) {
        push_body(body, node_xpos(n), flexnode_spring(n), flexnode_damper(n));
        return;
    }
    for (var j = adr; j < adr + 3; j++) {
        let i = jnt_dofadr(j);
        if (i % LANES != lane) {
            continue;
        }
        if (SPRING) {
            set_qfrc_spring(i, qfrc_spring(i) + dot(xaxis(j), flexnode_spring(n)));
        }
        if (DAMPER) {
            set_qfrc_damper(i, qfrc_damper(i) + dot(xaxis(j), flexnode_damper(n)));
        }
    }
}

fn edges_spring_damper(f: i32) {
    let stiffness = flex_edgestiffness(f);
    let damping = flex_edgedamping(f);
    if (flex_rownum(f) == 0 || (stiffness == 0.0 && damping == 0.0)) {
        return;
    }
    for (var e = flex_edgeadr(f); e < flex_edgeadr(f) + flex_edgenum(f); e++) {
        if (flexedge_rigid(e) != 0) {
            continue;
        }
        let adr = flexedge_J_rowadr(e);
        let frc_spring = stiffness * (flexedge_length0(e) - flexedge_length(e));
        let frc_damper = -damping * flexedge_velocity(e);
        for (var k = adr; k < adr + flexedge_J_rownnz(e); k++) {
            let i = flexedge_J_colind(k);
            if (i % LANES == lane) {
                set_qfrc_spring(i, qfrc_spring(i) + select(0.0, flexedge_J(k) * frc_spring, SPRING));
                set_qfrc_damper(i, qfrc_damper(i) + select(0.0, flexedge_J(k) * frc_damper, DAMPER));
            }
        }
    }
}

// every lane computes the forces and adds them to its own dofs
fn tendon_spring_damper(t: i32) {
    let forces = tendon_passive(t);
    if (all(forces == vec2f(0.0))) {
        return;
    }

    // as generalized forces
    let adr = ten_J_rowadr(t);
    for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
        let i = ten_J_colind(k);
        if (i % LANES == lane) {
            set_qfrc_spring(i, qfrc_spring(i) + ten_J(k) * forces.x);
            set_qfrc_damper(i, qfrc_damper(i) + ten_J(k) * forces.y);
        }
    }
}
