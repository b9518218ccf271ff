// Constraint rows and their parameters (`mj_makeConstraint`).
//
// Rows are in MuJoCo's order: equalities, friction losses of dofs and tendons, limits of joints and tendons, contacts; within a
// kind in the order of the model's elements. All possible sources of rows are one list; every lane takes one entry at a time, and
// a scan over the lanes gives it its rows:
//
//   equalities | friction of dofs | of tendons | limits of joints, below and above | of tendons | contacts
//   entries    0  1  2  3 | 4  5  6  7 |     four lanes, two iterations
//   rows       0  1  1  0 | 1  0  4  4 |     number of rows of each entry
//   first row     0  1    | 2     3  7 |     scan over the lanes, after the rows of earlier iterations

// beginnings of the kinds in the list
const BEGIN_FRICTION_DOF: i32 = neq;
const BEGIN_FRICTION_TENDON: i32 = BEGIN_FRICTION_DOF + nv;
const BEGIN_LIMIT_JOINT: i32 = BEGIN_FRICTION_TENDON + ntendon;
const BEGIN_LIMIT_TENDON: i32 = BEGIN_LIMIT_JOINT + 2 * njnt;
const BEGIN_CONTACT: i32 = BEGIN_LIMIT_TENDON + 2 * ntendon;

// number of rows that fit, of one lane or of all
struct Kept {
    all: i32,
    equality: i32,
    friction: i32,
    limit: i32,
}

fn mj_make_constraint() {
    if (SLEEPS && neq > 0) {
        wake_held();
    }
    var rows = 0;  // number asked for so far
    var kept = Kept();
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
        kept.all += n;
        kept.equality += select(0, n, entry < BEGIN_FRICTION_DOF);
        kept.friction += select(0, n, entry >= BEGIN_FRICTION_DOF && entry < BEGIN_LIMIT_JOINT);
        kept.limit += select(0, n, entry >= BEGIN_LIMIT_JOINT && entry < BEGIN_CONTACT);
    }
    kept.equality = team_sum_i(kept.equality);
    team_sync();

    // Jacobians of connects, welds and contacts, dof by dof
    for (var r = 0; r < kept.equality;) {
        let i = efc_id(r);
        let n = equality_rows(i);
        if (model_strains && eq_type(i) == EQ_FLEXSTRAIN) {
            strains_jacobian(i, r, n);
        } else if (n > 1 && eq_type(i) != EQ_FLEX) {
            two_bodies_jacobian(i, r, n);
        }
        r += n;
    }
    for (var c = 0; c < ncon(); c++) {
        if (contact_efc_address(c) >= 0) {
            contact_jacobian(c);
        }
    }
    kept.friction = team_sum_i(kept.friction);
    kept.limit = team_sum_i(kept.limit);
    kept.all = team_sum_i(kept.all);
    if (lane == 0) {
        set_ne(kept.equality);
        set_nf(kept.friction);
        set_nl(kept.limit);
        set_nefc(kept.all);
        // flag an overflow
        set_needed(1, max(needed(1), rows));
        if (rows > kept.all) {
            set_overflow(overflow() | OVERFLOW_CONSTRAINT);
        }
    }
}

// rows that an entry of the list asks for; n = 0: none
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
    // equalities
    if (entry < BEGIN_FRICTION_DOF) {
        if ((off & DSBL_EQUALITY) != 0 || eq_active(entry) == 0 || (SLEEPS && !equality_awake(entry))) {
            return Ask();
        }
        if (ntendon > 0 && eq_type(entry) == EQ_TENDON && !(tendon_moves(eq_obj1id(entry)) || tendon_moves(eq_obj2id(entry)))) {
            return Ask();
        }
        let pattern = eq_Jpat(entry);
        if (eq_type(entry) != EQ_FLEX && pattern_num(max(pattern, 0)) == 0) {
            return Ask();
        }
        return Ask(equality_rows(entry), CNSTR_EQUALITY, entry, pattern, 0.0, 0.0, 0.0, 1.0);
    }
    // friction losses
    if (entry < BEGIN_LIMIT_JOINT) {
        if ((off & DSBL_FRICTIONLOSS) != 0) {
            return Ask();
        }
        if (entry < BEGIN_FRICTION_TENDON) {
            let i = entry - BEGIN_FRICTION_DOF;
            let loss = dof_frictionloss(i);
            let asked = loss != 0.0 && is_awake(dof_treeid(i));
            return Ask(select(0, 1, asked), CNSTR_FRICTIONDOF, i, dof_Jpat(i), 0.0, 0.0, loss, 1.0);
        }
        let i = entry - BEGIN_FRICTION_TENDON;
        let loss = tendon_frictionloss(i);
        let asked = loss != 0.0 && !is_fixed(i) && tendon_is_awake(i) && tendon_moves(i);
        return Ask(select(0, 1, asked), CNSTR_FRICTIONTENDON, i, tendon_Jpat(i), 0.0, 0.0, loss, 1.0);
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

// where a tree is awake; everywhere if none may sleep
fn is_awake(tree: i32) -> bool {
    return !SLEEPS || tree_is_awake(tree);
}

// likewise for a tendon
fn tendon_is_awake(i: i32) -> bool {
    return !SLEEPS || tendon_awake(i);
}

// where a dof changes the length of a tendon; everywhere if J is sparse, which keeps rows of zeros
fn tendon_moves(i: i32) -> bool {
    if (i < 0 || opt_jacobian == JAC_SPARSE || (opt_jacobian == JAC_AUTO && nv >= 60)) {
        return i >= 0;
    }
    for (var k = 0; k < ten_J_rownnz(i); k++) {
        if (ten_J(ten_J_rowadr(i) + k) != 0.0) {
            return true;
        }
    }
    return false;
}

// number of rows: a connect holds a point, a weld a pose, a flex its edges or the strains of a cell, the others one number
fn equality_rows(i: i32) -> i32 {
    let type_ = eq_type(i);
    if (type_ == EQ_CONNECT) {
        return 3;
    }
    if (type_ == EQ_FLEX) {
        return flex_rownum(eq_obj1id(i));
    }
    if (model_strains && type_ == EQ_FLEXSTRAIN) {
        return eq_modenum(i);
    }
    return select(select(0, 1, type_ == EQ_JOINT || type_ == EQ_TENDON), 6, type_ == EQ_WELD);
}

fn joint_limit(j: i32, side: i32) -> Ask {
    if (jnt_limited(j) == 0 || jnt_type(j) == JNT_FREE || !is_awake(dof_treeid(jnt_dofadr(j)))) {
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
        // lower limit, then upper limit
        dist = select(qpos(q) - jnt_range(j, 0), jnt_range(j, 1) - qpos(q), side == 1);
    }
    return Ask(
        select(0, 1, dist < margin), CNSTR_LIMITJOINT, j, jnt_Jpat(j), dist, margin, 0.0, select(1.0, -1.0, side == 1));
}

// whether no dof changes the length of a tendon: it has no rows
fn is_fixed(i: i32) -> bool {
    let pattern = tendon_Jpat(i);
    return pattern < 0 || pattern_num(max(pattern, 0)) == 0;
}

fn tendon_limit(i: i32, side: i32) -> Ask {
    if (tendon_limited(i) == 0 || is_fixed(i) || !tendon_is_awake(i)) {
        return Ask();
    }
    // lower limit, then upper limit
    let dist = select(ten_length(i) - tendon_range(i, 0), tendon_range(i, 1) - ten_length(i), side == 1);
    let margin = tendon_margin(i);
    return Ask(
        select(0, 1, dist < margin && tendon_moves(i)), CNSTR_LIMITTENDON, i, tendon_Jpat(i), dist, margin, 0.0, select(1.0, -1.0, side == 1));
}

fn contact_ask(c: i32) -> Ask {
    let k = contact_collision(c);
    let dist = contact_dist(c);
    let margin = collision_margin(k);
    let pattern = pattern_of(c, k);

    // no rows in the gap, between bodies without dofs, or of passive contacts
    if (pattern_num(pattern) == 0 || (model_penalties && is_passive(k))) {
        return Ask();
    }
    // a contact of an impact within the timestep has rows whatever its distance; where rows are made again, it had some
    let soon = model_speculates && contact_efc_address(c) != -1 && !was_in_gap(c, k);
    if (dist >= margin && !soon) {
        // contacts with adhesion have a frictionless row in the gap
        if (nadhesion > 0 && collision_adhesion(k) != 0.0) {
            return Ask(1, CNSTR_CONTACTFRICTIONLESS, c, pattern, dist, margin, 0.0, 1.0);
        }
        return Ask();
    }

    // rows: one for the normal, two edges of the pyramid for each friction, or the axes of the elliptic cone
    let dim = collision_condim(k);
    if (dim == 1) {
        return Ask(1, CNSTR_CONTACTFRICTIONLESS, c, pattern, dist, margin, 0.0, 1.0);
    }
    if (opt_cone == CONE_ELLIPTIC) {
        return Ask(dim, CNSTR_CONTACTELLIPTIC, c, pattern, dist, margin, 0.0, 1.0);
    }
    return Ask(2 * (dim - 1), CNSTR_CONTACTPYRAMIDAL, c, pattern, dist, margin, 0.0, 1.0);
}

// where rows are made again: whether the contact had the row of the gap alone, which is still in its place
fn was_in_gap(c: i32, k: i32) -> bool {
    let row = contact_efc_address(c);
    return nadhesion > 0 && collision_condim(k) > 1 && row >= 0 && efc_type(max(row, 0)) == CNSTR_CONTACTFRICTIONLESS;
}

// solref and solimp of an entry
fn solver_of(ask: Ask) -> Solver {
    var ref_: vec2f;
    var imp: array<f32, 5>;
    let i = ask.id;
    if (ask.kind == CNSTR_EQUALITY) {
        ref_ = vec2f(eq_solref(i, 0), eq_solref(i, 1));
        for (var k = 0; k < 5; k++) {
            imp[k] = eq_solimp(i, k);
        }
    } else if (ask.kind == CNSTR_FRICTIONDOF) {
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

// approximate diagonal of A of the first row; `soft` are the inverse weights of a contact where a flex takes part
fn diagonal(ask: Ask, soft: vec2f) -> f32 {
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
    let tran = contact_weight(k, 0, soft);
    if (ask.kind != CNSTR_CONTACTPYRAMIDAL) {
        return tran;
    }
    let friction = collision_friction(k, 0);
    return tran + friction * friction * tran;
}

// inverse weight of the bodies of a contact: translation (0) or rotation (1); `soft` are both where a flex takes part
fn contact_weight(k: i32, part: i32, soft: vec2f) -> f32 {
    if (ncollisionflex > 0 && is_soft(k)) {
        return soft[part];
    }
    return body_invweight0(geom_bodyid(collision_geom1(k)), part) + body_invweight0(geom_bodyid(collision_geom2(k)), part);
}

// inverse weights of the bodies of a contact where a flex takes part: translation and rotation
fn soft_weight(c: i32) -> vec2f {
    var sum = vec2f();
    for (var side = 0; side < 2; side++) {
        sum += carried_weight(carriers(c, contact_collision(c), side, contact_pos(c)));
    }
    return sum;
}

// sets a row except its Jacobian, with the impedance at `size`; returns its R
fn put_row(r: i32, ask: Ask, s: Solver, pos: f32, size: f32, margin: f32, diag: f32) -> f32 {
    let imp = impedance(s, size);
    let friction = ask.kind == CNSTR_FRICTIONDOF || ask.kind == CNSTR_FRICTIONTENDON;
    let reg = regularization(imp, diag);
    set_efc_type(r, ask.kind);
    set_efc_id(r, ask.id);
    set_efc_Jpat(r, ask.pattern);
    set_efc_pos(r, pos);
    set_efc_margin(r, margin);
    set_efc_frictionloss(r, ask.loss);
    set_efc_KBIP(r, 0, select(stiffness(s), 0.0, friction));
    set_efc_KBIP(r, 1, damping(s));
    set_efc_KBIP(r, 2, imp.value);
    set_efc_KBIP(r, 3, imp.slope);
    set_regularization(r, reg);
    return reg;
}

// a limit or a contact that is too stiff for a discrete step becomes the stiffest spring that the step resolves
fn firm_up(r: i32, kind: i32, s: Solver) {
    let ratio = unresolved(s);
    if (ratio > 0.0 && one_sided(kind)) {
        let firm = resolved(efc_KBIP(r, 2), ratio);
        if (firm[0] < efc_KBIP(r, 0)) {
            set_efc_KBIP(r, 0, firm[0]);
            set_efc_KBIP(r, 1, firm[1]);
        }
    }
}

// true for a limit or a contact
fn one_sided(kind: i32) -> bool {
    return kind != CNSTR_EQUALITY && kind != CNSTR_FRICTIONDOF && kind != CNSTR_FRICTIONTENDON;
}

// sets R, its inverse D, and the corresponding diagonal of A
fn set_regularization(r: i32, reg: f32) {
    let imp = efc_KBIP(r, 2);
    set_efc_R(r, reg);
    set_efc_D(r, 1.0 / reg);
    set_efc_diagA(r, reg * imp / (1.0 - imp));
}

// sets rows except the Jacobians of connects, welds and contacts
fn make_rows(first: i32, ask: Ask) {
    let s = solver_of(ask);
    if (ask.kind == CNSTR_EQUALITY) {
        make_equality(first, ask, s);
        return;
    }
    var soft = vec2f();
    let limit = ask.kind == CNSTR_LIMITJOINT || ask.kind == CNSTR_LIMITTENDON;
    if (ncollisionflex > 0 && one_sided(ask.kind) && !limit && is_soft(contact_collision(ask.id))) {
        soft = soft_weight(ask.id);
    }
    if (ask.kind == CNSTR_CONTACTELLIPTIC) {
        make_elliptic(first, ask, s, soft);
        return;
    }
    var reg = 0.0;
    let diag = diagonal(ask, soft);
    for (var r = first; r < first + ask.n; r++) {
        reg = put_row(r, ask, s, ask.pos, ask.pos - ask.margin, ask.margin, diag);
        if (opt_integrator == INT_DISCRETE) {
            firm_up(r, ask.kind, s);
        }
    }

    // all edges of a pyramid get the R that gives the friction impedance of the elliptic cone
    if (ask.kind == CNSTR_CONTACTPYRAMIDAL) {
        let slide = collision_friction(contact_collision(ask.id), 0);
        for (var r = first; r < first + ask.n; r++) {
            set_regularization(r, reg * (2.0 * slide * slide / max(opt_impratio, MINVAL)));
        }
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

// normal, then friction axes: friction rows have no stiffness, possibly damping of their own, and R from their friction coefficients
fn make_elliptic(first: i32, ask: Ask, normal: Solver, soft: vec2f) {
    let k = contact_collision(ask.id);
    let own = vec2f(collision_solreffriction(k, 0), collision_solreffriction(k, 1));
    var tangent = normal;
    if ((own[0] > 0.0) == (own[1] > 0.0) && (own[0] != 0.0 || own[1] != 0.0)) {
        tangent = solver(own, normal.solimp);
    }
    let size = ask.pos - ask.margin;
    let tran = contact_weight(k, 0, soft);
    var rot = 0.0;
    if (ask.n > 3) {
        rot = contact_weight(k, 1, soft);
    }
    let reg = put_row(first, ask, normal, ask.pos, size, ask.margin, tran);
    if (opt_integrator == INT_DISCRETE) {
        firm_up(first, ask.kind, normal);
    }
    for (var e = 1; e < ask.n; e++) {
        let r = first + e;
        _ = put_row(r, ask, tangent, 0.0, size, 0.0, select(rot, tran, e < 3));
        set_efc_KBIP(r, 0, 0.0);
        let ratio = collision_friction(k, 0) / collision_friction(k, e - 1);
        set_regularization(r, reg / max(opt_impratio, MINVAL) * (ratio * ratio));
    }
}

fn make_equality(first: i32, ask: Ask, s: Solver) {
    let i = ask.id;
    if (eq_type(i) == EQ_FLEX) {
        make_edges(first, ask, s);
        return;
    }
    if (model_strains && eq_type(i) == EQ_FLEXSTRAIN) {
        make_strains(first, ask, s);
        return;
    }
    if (ask.n == 1) {
        make_coupling(first, ask, s);
        return;
    }

    // connect (3 rows) and weld (6): the points, then the orientations
    let points = anchors(i);
    let apart = points.first - points.second;
    var turned = vec3f(0.0);
    if (ask.n == 6) {
        let quats = orientations(i);
        let dif = mul_quat(neg_quat(quats.second), quats.first);
        turned = dif.yzw * eq_data(i, 10);
    }
    let size = sqrt(dot(apart, apart) + dot(turned, turned));
    let body = bodies(i);
    for (var k = 0; k < ask.n; k++) {
        let part = select(0, 1, k > 2);
        let pos = select(apart[k % 3], turned[k % 3], k > 2);
        _ = put_row(first + k, ask, s, pos, size, 0.0, body_invweight0(body[0], part) + body_invweight0(body[1], part));
    }
}

// rows for the lengths of the edges of a flex, all or none; their Jacobian too
fn make_edges(first: i32, ask: Ask, s: Solver) {
    let f = eq_obj1id(ask.id);
    var r = first;
    for (var e = flex_edgeadr(f); e < flex_edgeadr(f) + flex_edgenum(f); e++) {
        let num = flexedge_J_rownnz(e);
        if (num == 0 || flexedge_rigid(e) != 0) {
            continue;
        }
        let pos = flexedge_length(e) - flexedge_length0(e);
        var row = ask;
        row.pattern = flexedge_Jpat(e);
        _ = put_row(r, row, s, pos, pos, 0.0, flexedge_invweight0(e));
        for (var k = 0; k < num; k++) {
            set_efc_J(r, k, flexedge_J(flexedge_J_rowadr(e) + k));
        }
        r++;
    }
}

// one row for each mode of strain of a cell between nodes, or of a face of a shell
fn make_strains(first: i32, ask: Ask, s: Solver) {
    let f = eq_obj1id(ask.id);
    let c = eq_patch(ask.id);
    let num = patch_size(f);
    let mat = cell_rotation(patch_stretched<node_xpos>(f, c));
    let start = patch_node(f, c, 0);
    var diag = 0.0;
    for (var n = 0; n < num; n++) {
        diag += body_invweight0(flex_nodebodyid(patch_node(f, c, n)), 0);
    }
    for (var r = 0; r < ask.n; r++) {
        var pos = 0.0;
        for (var n = 0; n < num; n++) {
            let node = patch_node(f, c, n);
            let away = transpose(mat) * (node_xpos(node) - node_xpos(start)) - (flex_node0(node) - flex_node0(start));
            pos += dot(strain_mode(f, c, r, n), away);
        }
        _ = put_row(first + r, ask, s, pos, pos, 0.0, diag / f32(num));
    }
}

// what a mode is at a node, in the frame of the cell or the face
fn strain_mode(f: i32, c: i32, r: i32, n: i32) -> vec3f {
    let num = patch_size(f);
    let adr = flex_stiffnessadr(f) + c * 9 * num * num + 1 + 3 * (r * num + n);
    return vec3f(flex_stiffness(adr), flex_stiffness(adr + 1), flex_stiffness(adr + 2));
}

// every dof moves the nodes, and a mode says how much of that is its strain
fn strains_jacobian(i: i32, first: i32, nrow: i32) {
    let f = eq_obj1id(i);
    let c = eq_patch(i);
    let back = transpose(cell_rotation(patch_stretched<node_xpos>(f, c)));
    let adr = pattern_adr(eq_Jpat(i));
    for (var k = lane; k < pattern_num(eq_Jpat(i)); k += LANES) {
        let dof = pattern_dof(adr + k);
        let axis = cdof(dof);
        for (var r = 0; r < nrow; r++) {
            set_efc_J(first + r, k, 0.0);
        }
        for (var n = 0; n < patch_size(f); n++) {
            let node = patch_node(f, c, n);
            let body = flex_nodebodyid(node);
            var at = body_lastdof(body);
            while (at > dof) {
                at = dof_parentid(at);
            }
            if (at != dof) {
                continue;
            }
            let motion = back * (axis.lin + cross(axis.rot, node_xpos(node) - subtree_com(body_rootid(body))));
            for (var r = 0; r < nrow; r++) {
                set_efc_J(first + r, k, efc_J(first + r, k) + dot(strain_mode(f, c, r, n), motion));
            }
        }
    }
}

// coupling: one value as a quartic of another, or constant; its Jacobian too
fn make_coupling(r: i32, ask: Ask, s: Solver) {
    let i = ask.id;
    let id1 = eq_obj1id(i);
    let id2 = eq_obj2id(i);
    let tendons = eq_type(i) == EQ_TENDON;
    var pos: f32;
    var diag: f32;
    var x = 0.0;
    if (tendons) {
        pos = ten_length(id1) - tendon_length0(id1);
        diag = tendon_invweight0(id1);
        if (id2 >= 0) {
            x = ten_length(id2) - tendon_length0(id2);
            diag += tendon_invweight0(id2);
        }
    } else {
        pos = qpos(jnt_qposadr(id1)) - qpos0(jnt_qposadr(id1));
        diag = dof_invweight0(jnt_dofadr(id1));
        if (id2 >= 0) {
            x = qpos(jnt_qposadr(id2)) - qpos0(jnt_qposadr(id2));
            diag += dof_invweight0(jnt_dofadr(id2));
        }
    }
    pos -= eq_data(i, 0);
    var slope = 0.0;
    if (id2 >= 0) {
        pos -= x * (eq_data(i, 1) + x * (eq_data(i, 2) + x * (eq_data(i, 3) + x * eq_data(i, 4))));
        slope = eq_data(i, 1) + x * (2.0 * eq_data(i, 2) + x * (3.0 * eq_data(i, 3) + x * 4.0 * eq_data(i, 4)));
    }
    _ = put_row(r, ask, s, pos, pos, 0.0, diag);

    for (var n = 0; n < pattern_num(ask.pattern); n++) {
        let dof = pattern_dof(pattern_adr(ask.pattern) + n);
        var entry = 0.0;
        if (tendons) {
            entry = tendon_entry(id1, dof);
            if (id2 >= 0) {
                entry -= slope * tendon_entry(id2, dof);
            }
        } else {
            entry = select(0.0, 1.0, jnt_dofadr(id1) == dof);
            if (id2 >= 0) {
                entry -= select(0.0, slope, jnt_dofadr(max(id2, 0)) == dof);
            }
        }
        set_efc_J(r, n, entry);
    }
}

// derivative of a tendon's length with respect to a dof
fn tendon_entry(t: i32, dof: i32) -> f32 {
    for (var k = ten_J_rowadr(t); k < ten_J_rowadr(t) + ten_J_rownnz(t); k++) {
        if (ten_J_colind(k) == dof) {
            return ten_J(k);
        }
    }
    return 0.0;
}

// Jacobian of the first body minus that of the second
fn two_bodies_jacobian(i: i32, first: i32, nrow: i32) {
    let body = bodies(i);
    let points = anchors(i);
    let arm1 = points.first - subtree_com(body_rootid(body[0]));
    let arm2 = points.second - subtree_com(body_rootid(body[1]));
    var quats: Orientations;
    if (nrow == 6) {
        quats = orientations(i);
    }
    let adr = pattern_adr(eq_Jpat(i));
    for (var n = lane; n < pattern_num(eq_Jpat(i)); n += LANES) {
        // motion of the points by one dof
        let side = Jpat_side(adr + n);
        let axis = cdof(pattern_dof(adr + n));
        var dif = vec3f(0.0);
        if (side <= 0) {
            dif = axis.lin + cross(axis.rot, arm1);
        }
        if (side >= 0) {
            dif -= axis.lin + cross(axis.rot, arm2);
        }
        for (var k = 0; k < 3; k++) {
            set_efc_J(first + k, n, dif[k]);
        }
        if (nrow == 3) {
            continue;
        }

        // rotation rows: half of inverse(q2) (rot1 - rot2) q1
        let turn = vec4f(0.0, axis.rot * f32(-side));
        let turned = mul_quat(mul_quat(neg_quat(quats.second), turn), quats.first);
        for (var k = 0; k < 3; k++) {
            set_efc_J(first + 3 + k, n, turned[k + 1] * (0.5 * eq_data(i, 10)));
        }
    }
}

// difference of the bodies' point Jacobians in the frame of the contact: second minus first
fn contact_jacobian(c: i32) {
    let first = contact_efc_address(c);
    let k = contact_collision(c);
    let dim = select(collision_condim(k), 1, efc_type(first) == CNSTR_CONTACTFRICTIONLESS);
    let pos = contact_pos(c);
    let frame = contact_frame(c);
    let soft = ncollisionflex > 0 && is_soft(k);
    var sides: array<Carriers, 2>;
    var levers: array<Lever, 2>;
    var arm1 = vec3f();
    var arm2 = vec3f();
    if (ncollisionflex > 0 && soft) {
        for (var side = 0; side < 2; side++) {
            sides[side] = carriers(c, k, side, pos);
            if (rods_touch) {
                levers[side] = lever_of(c, k, side);
                sides[side].num = select(sides[side].num, 0, levers[side].turns);
            }
        }
    } else {
        arm1 = pos - subtree_com(body_rootid(geom_bodyid(collision_geom1(k))));
        arm2 = pos - subtree_com(body_rootid(geom_bodyid(collision_geom2(k))));
    }
    let pattern = pattern_of(c, k);
    for (var n = lane; n < pattern_num(pattern); n += LANES) {
        // motion of the point by one dof
        let adr = pattern_adr(pattern) + n;
        var second = false;
        if (!(ncollisionflex > 0 && soft)) {
            second = Jpat_side(adr) > 0;
        }
        let i = pattern_dof(adr);
        let axis = cdof(i);
        var sign = select(-1.0, 1.0, second);
        var arm = select(arm1, arm2, second);
        if (ncollisionflex > 0 && soft) {
            sign = carried(sides[1], i) - carried(sides[0], i);
            arm = pos - subtree_com(body_rootid(dof_bodyid(i)));
        }
        var moved = (frame * (axis.lin + cross(axis.rot, arm))) * sign;
        var turn = vec3f();
        if (rods_touch && soft) {
            let more = add_scl6(lever_motion(levers[0], i), lever_motion(levers[1], i), 1.0);
            moved += frame * more.lin;
            turn = frame * more.rot;
        }
        let lin = moved;
        if (dim == 1) {
            set_efc_J(first, n, lin[0]);
            continue;
        }
        var turned = (frame * axis.rot) * sign;
        if (rods_touch && soft) {
            turned += turn;
        }
        let rot = turned;
        if (opt_cone == CONE_ELLIPTIC) {
            for (var e = 0; e < dim; e++) {
                set_efc_J(first + e, n, select(lin[e % 3], rot[e % 3], e > 2));
            }
            continue;
        }
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
