// Constraint rows and their parameters (`mj_makeConstraint`).
//
// Rows are in MuJoCo's order: equalities, friction losses of dofs and tendons, limits of joints and tendons, contacts; inside
// a kind by the model's elements. What may make rows is one list; every lane takes one entry at a time, and a scan over the
// lanes gives it its rows:
//
//   friction of dofs | of tendons | limits of joints, below and above | of tendons | contacts
//   entries    0  1  2  3 | 4  5  6  7 |     four lanes, two turns
//   rows       0  1  1  0 | 1  0  4  4 |     how many each makes
//   first row     0  1    | 2     3  7 |     scan of the turn, behind the turns before

// where the kinds begin in the list
const BEGIN_FRICTION_TENDON: i32 = nv;
const BEGIN_LIMIT_JOINT: i32 = nv + ntendon;
const BEGIN_LIMIT_TENDON: i32 = nv + ntendon + 2 * njnt;
const BEGIN_CONTACT: i32 = nv + ntendon + 2 * njnt + 2 * ntendon;

fn mj_make_constraint() {
    var rows = 0;  // asked for so far
    var kept = 0;  // made so far
    var kept_friction = 0;
    var kept_limit = 0;
    for (var base = 0; base < BEGIN_CONTACT + nconmax; base += LANES) {
        if (!group_any(base < BEGIN_CONTACT + ncon())) {
            break;
        }
        let entry = base + lane;
        var ask = wanted(entry);
        let first = rows + team_scan(ask.n);
        let n = select(0, ask.n, first + ask.n <= njmax);
        if (n > 0) {
            make_rows(first, ask);
        }
        if (entry >= BEGIN_CONTACT && entry < BEGIN_CONTACT + ncon()) {
            set_contact_efc_address(entry - BEGIN_CONTACT, select(-1, first, n > 0));
        }
        rows += team_sum_i(ask.n);
        kept += team_sum_i(n);
        kept_friction += team_sum_i(select(0, n, entry < BEGIN_LIMIT_JOINT));
        kept_limit += team_sum_i(select(0, n, entry >= BEGIN_LIMIT_JOINT && entry < BEGIN_CONTACT));
    }
    team_sync();

    // Jacobians of contacts, dof by dof
    for (var c = 0; c < ncon(); c++) {
        if (contact_efc_address(c) >= 0) {
            contact_jacobian(c);
        }
    }
    if (lane == 0) {
        set_ne(0);
        set_nf(kept_friction);
        set_nl(kept_limit);
        set_nefc(kept);
        // what did not fit is told
        set_needed(1, max(needed(1), rows));
        if (rows > kept) {
            set_overflow(overflow() | OVERFLOW_CONSTRAINT);
        }
    }
}

// what an entry of the list asks for; n = 0: nothing
struct Ask {
    n: i32,
    kind: i32,
    id: i32,
    pattern: i32,
    pos: f32,
    margin: f32,
    loss: f32,
    sign: f32,
}

fn wanted(entry: i32) -> Ask {
    let off = opt_disableflags;
    if ((off & DSBL_CONSTRAINT) != 0) {
        return Ask();
    }
    // friction losses
    if (entry < BEGIN_LIMIT_JOINT) {
        if ((off & DSBL_FRICTIONLOSS) != 0) {
            return Ask();
        }
        if (entry < BEGIN_FRICTION_TENDON) {
            let loss = dof_frictionloss(entry);
            return Ask(select(0, 1, loss > 0.0), CNSTR_FRICTIONDOF, entry, dof_Jpat(entry), 0.0, 0.0, loss, 1.0);
        }
        let i = entry - BEGIN_FRICTION_TENDON;
        let loss = tendon_frictionloss(i);
        return Ask(select(0, 1, loss > 0.0), CNSTR_FRICTIONTENDON, i, tendon_Jpat(i), 0.0, 0.0, loss, 1.0);
    }
    // limits
    if (entry < BEGIN_CONTACT) {
        if ((off & DSBL_LIMIT) != 0) {
            return Ask();
        }
        if (entry < BEGIN_LIMIT_TENDON) {
            return joint_limit((entry - BEGIN_LIMIT_JOINT) / 2, (entry - BEGIN_LIMIT_JOINT) % 2);
        }
        return tendon_limit((entry - BEGIN_LIMIT_TENDON) / 2, (entry - BEGIN_LIMIT_TENDON) % 2);
    }
    // contacts
    if (entry - BEGIN_CONTACT >= ncon()) {
        return Ask();
    }
    return contact_ask(entry - BEGIN_CONTACT);
}

fn joint_limit(j: i32, side: i32) -> Ask {
    if (jnt_limited(j) == 0 || jnt_type(j) == JNT_FREE) {
        return Ask();
    }
    let q = jnt_qposadr(j);
    let margin = jnt_margin(j);
    var dist: f32;
    if (jnt_type(j) == JNT_BALL) {
        // angle from the reference orientation, about the axis of that rotation
        let quat = normalize4(vec4f(qpos(q), qpos(q + 1), qpos(q + 2), qpos(q + 3)));
        dist = select(max(jnt_range(j, 0), jnt_range(j, 1)) - length(quat2vel(quat)), margin, side == 1);
    } else {
        // below, then above
        dist = select(qpos(q) - jnt_range(j, 0), jnt_range(j, 1) - qpos(q), side == 1);
    }
    return Ask(
        select(0, 1, dist < margin), CNSTR_LIMITJOINT, j, jnt_Jpat(j), dist, margin, 0.0, select(1.0, -1.0, side == 1));
}

fn tendon_limit(i: i32, side: i32) -> Ask {
    if (tendon_limited(i) == 0) {
        return Ask();
    }
    // below, then above
    let dist = select(ten_length(i) - tendon_range(i, 0), tendon_range(i, 1) - ten_length(i), side == 1);
    let margin = tendon_margin(i);
    return Ask(
        select(0, 1, dist < margin), CNSTR_LIMITTENDON, i, tendon_Jpat(i), dist, margin, 0.0, select(1.0, -1.0, side == 1));
}

fn contact_ask(c: i32) -> Ask {
    let k = contact_collision(c);
    let dist = contact_dist(c);
    let margin = collision_margin(k);
    let pattern = collision_Jpat(k);

    // in the gap, or between bodies that nothing moves
    if (dist >= margin || Jpat_num(pattern) == 0) {
        return Ask();
    }

    // rows: one for the normal, or two edges of the pyramid for each friction
    let dim = collision_condim(k);
    let frictionless = dim == 1;
    return Ask(
        select(2 * (dim - 1), 1, frictionless),
        select(CNSTR_CONTACTPYRAMIDAL, CNSTR_CONTACTFRICTIONLESS, frictionless),
        c, pattern, dist, margin, 0.0, 1.0);
}

// solref and solimp of what asks
fn solver_of(ask: Ask) -> Solver {
    var ref_: vec2f;
    var imp: array<f32, 5>;
    let i = ask.id;
    if (ask.kind == CNSTR_FRICTIONDOF) {
        ref_ = vec2f(dof_solref(i, 0), dof_solref(i, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = dof_solimp(i, k);
        }
    } else if (ask.kind == CNSTR_FRICTIONTENDON) {
        ref_ = vec2f(tendon_solref_fri(i, 0), tendon_solref_fri(i, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = tendon_solimp_fri(i, k);
        }
    } else if (ask.kind == CNSTR_LIMITJOINT) {
        ref_ = vec2f(jnt_solref(i, 0), jnt_solref(i, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = jnt_solimp(i, k);
        }
    } else if (ask.kind == CNSTR_LIMITTENDON) {
        ref_ = vec2f(tendon_solref_lim(i, 0), tendon_solref_lim(i, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = tendon_solimp_lim(i, k);
        }
    } else {
        let pair = contact_collision(i);
        ref_ = vec2f(collision_solref(pair, 0), collision_solref(pair, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = collision_solimp(pair, k);
        }
    }
    return solver(ref_, imp);
}

// approximate diagonal of A of the first row
fn diagonal(ask: Ask) -> f32 {
    if (ask.kind == CNSTR_FRICTIONDOF) {
        return dof_invweight0(ask.id);
    }
    if (ask.kind == CNSTR_LIMITJOINT) {
        return dof_invweight0(jnt_dofadr(ask.id));
    }
    if (ask.kind == CNSTR_FRICTIONTENDON || ask.kind == CNSTR_LIMITTENDON) {
        return tendon_invweight0(ask.id);
    }
    let k = contact_collision(ask.id);
    let body1 = geom_bodyid(collision_geom1(k));
    let body2 = geom_bodyid(collision_geom2(k));
    let tran = body_invweight0(body1, 0) + body_invweight0(body2, 0);
    if (ask.kind == CNSTR_CONTACTFRICTIONLESS) {
        return tran;
    }
    let friction = collision_friction(k, 0);
    return tran + friction * friction * tran;
}

// rows but for the Jacobians of contacts
fn make_rows(first: i32, ask: Ask) {
    let s = solver_of(ask);
    let imp = impedance(s, ask.pos - ask.margin);
    let friction = ask.kind == CNSTR_FRICTIONDOF || ask.kind == CNSTR_FRICTIONTENDON;
    let stiffness_ = select(stiffness(s), 0.0, friction);
    let damping_ = damping(s);

    // edges share what makes the pyramid's friction impedance that of the elliptic cone
    var shared_ = regularization(imp, diagonal(ask));
    if (ask.kind == CNSTR_CONTACTPYRAMIDAL) {
        let slide = collision_friction(contact_collision(ask.id), 0);
        shared_ *= 2.0 * slide * slide / max(opt_impratio, MINVAL);
    }
    for (var r = first; r < first + ask.n; r++) {
        set_efc_type(r, ask.kind);
        set_efc_id(r, ask.id);
        set_efc_Jpat(r, ask.pattern);
        set_efc_pos(r, ask.pos);
        set_efc_margin(r, ask.margin);
        set_efc_frictionloss(r, ask.loss);
        set_efc_KBIP(r, 0, stiffness_);
        set_efc_KBIP(r, 1, damping_);
        set_efc_KBIP(r, 2, imp.value);
        set_efc_KBIP(r, 3, imp.slope);
        // R, its inverse, and the diagonal of A that they stand for
        set_efc_R(r, shared_);
        set_efc_D(r, 1.0 / shared_);
        set_efc_diagA(r, shared_ * imp.value / (1.0 - imp.value));
    }

    // Jacobian of a dof, a joint or a tendon
    if (ask.kind == CNSTR_FRICTIONTENDON || ask.kind == CNSTR_LIMITTENDON) {
        for (var k = 0; k < ten_J_rownnz(ask.id); k++) {
            set_efc_J(first, k, ask.sign * ten_J(ten_J_rowadr(ask.id) + k));
        }
    } else if (ask.kind == CNSTR_LIMITJOINT && jnt_type(ask.id) == JNT_BALL) {
        let q = jnt_qposadr(ask.id);
        let quat = normalize4(vec4f(qpos(q), qpos(q + 1), qpos(q + 2), qpos(q + 3)));
        let axis = normalize3(quat2vel(quat));
        for (var k = 0; k < 3; k++) {
            set_efc_J(first, k, -axis[k]);
        }
    } else if (ask.kind == CNSTR_FRICTIONDOF || ask.kind == CNSTR_LIMITJOINT) {
        set_efc_J(first, 0, ask.sign);
    }
}

// difference of the bodies' point Jacobians in the frame of the contact: second minus first
fn contact_jacobian(c: i32) {
    let first = contact_efc_address(c);
    let k = contact_collision(c);
    let dim = collision_condim(k);
    let body1 = geom_bodyid(collision_geom1(k));
    let body2 = geom_bodyid(collision_geom2(k));
    let pos = contact_pos(c);
    let frame = contact_frame(c);
    let arm1 = pos - subtree_com(body_rootid(body1));
    let arm2 = pos - subtree_com(body_rootid(body2));
    let pattern = collision_Jpat(k);
    for (var n = lane; n < Jpat_num(pattern); n += LANES) {
        // which of the two does the dof move
        let i = Jpat_dof(Jpat_adr(pattern) + n);
        var last2 = body_lastdof(body2);
        while (last2 > i) {
            last2 = dof_parentid(last2);
        }
        let second = last2 == i;
        let axis = cdof(i);
        let sign = select(-1.0, 1.0, second);
        let lin = (frame * (axis.lin + cross(axis.rot, select(arm1, arm2, second)))) * sign;
        if (dim == 1) {
            set_efc_J(first, n, lin[0]);
            continue;
        }
        let rot = (frame * axis.rot) * sign;
        for (var e = 0; e < dim - 1; e++) {
            var tangent = lin[min(e + 1, 2)];
            if (e >= 2) {
                tangent = rot[e - 2];
            }
            let slide = tangent * collision_friction(k, e);
            set_efc_J(first + 2 * e, n, lin[0] + slide);
            set_efc_J(first + 2 * e + 1, n, lin[0] - slide);
        }
    }
}
