// sleeping trees: their state, the conditions that wake them, and the values that they keep (`sleep`)
//
//   tree_asleep   -11 … -2  awake; counts the steps at rest      -1  ready       t  asleep; tree t is the next tree of its sleep cycle
//   latent        [ qpos ][ qfrc_smooth ][ act_dot ][ sensordata ]   values from when their trees fell asleep
//
// A sleeping tree has no rows, no contacts with static bodies, and does not move; the rest of a step is computed as if it were awake
// and at rest. Forces, positions and velocities set by the user wake it, and so does an awake tree that comes near.

// trees of the model may sleep
const SLEEPS: bool = ntreesleep > 0;

// value of `tree_asleep` of a tree that has just been woken
const AWAKE: i32 = -11;

// where a tree is awake; nowhere for the tree -1 of static bodies
fn tree_is_awake(tree: i32) -> bool {
    return tree >= 0 && tree_awake(max(tree, 0)) == 1;
}

// where a body is awake; a mocap body always is, a static body never
fn body_is_awake(body: i32) -> bool {
    return body_awake(body) == 1;
}

// where one of the two geoms of a pair is awake, so that they may touch. A flex that sleeps does not touch mocap bodies, as in MuJoCo
fn pair_awake(k: i32) -> bool {
    let second = body_is_awake(side_body(k, 1));
    if (ncollisionflex > 0) {
        if (collision_geom2(k) < 0 && body_treeid(side_body(k, 0)) < 0) {
            return second;
        }
    }
    return second || body_is_awake(side_body(k, 0));
}

// body of a side of a pair by which the side sleeps: of the geom, or one of the flex
fn side_body(k: i32, side: i32) -> i32 {
    if (ncollisionflex > 0) {
        let f = collision_flex(k, side);
        if (f >= 0) {
            return flex_bodyid(f);
        }
    }
    return geom_bodyid(select(collision_geom1(k), collision_geom2(k), side == 1));
}

// where a tree of a tendon is awake; everywhere if it has more than two trees
fn tendon_awake(i: i32) -> bool {
    let num = tendon_treenum(i);
    if (num == 0 || num > 2) {
        return num > 2;
    }
    return tree_is_awake(tendon_treeid(i, 0)) || tree_is_awake(tendon_treeid(i, 1));
}

// the two bodies of an equality; no second one for a joint equality with one joint, and for one that holds a flex
fn held_bodies(i: i32) -> vec2i {
    let type_ = eq_type(i);
    if (type_ == EQ_JOINT) {
        let other = eq_obj2id(i);
        return vec2i(jnt_bodyid(eq_obj1id(i)), select(-1, jnt_bodyid(max(other, 0)), other >= 0));
    }
    if (type_ == EQ_CONNECT || type_ == EQ_WELD) {
        return bodies(i);
    }
    if (nflex > 0 && (type_ == EQ_FLEX || type_ == EQ_FLEXVERT || type_ == EQ_FLEXSTRAIN)) {
        return vec2i(flex_bodyid(eq_obj1id(i)), -1);
    }
    return vec2i(-1);
}

// where a body of an equality is awake
fn equality_awake(i: i32) -> bool {
    let held = held_bodies(i);
    return (held[0] >= 0 && body_is_awake(max(held[0], 0))) || (held[1] >= 0 && body_is_awake(max(held[1], 0)));
}

// where the body of a site is awake; nowhere without a site
fn site_is_awake(id: i32) -> bool {
    return id >= 0 && body_is_awake(site_bodyid(max(id, 0)));
}

// 1 where a tree of a tendon is awake, 0 where they sleep, -1 where it has none
fn tendon_state(i: i32) -> i32 {
    return select(awake_state(tendon_awake(i)), -1, tendon_treenum(i) == 0);
}

// 1 where the target of an actuator is awake or it has none, 0 where it sleeps, -1 where it is static. A target of two static sites
// sleeps, as in MuJoCo
fn actuator_state(i: i32) -> i32 {
    let id = actuator_trnid(i, 0);
    let other = actuator_trnid(i, 1);
    let type_ = actuator_trntype(i);
    if (type_ == TRN_JOINT || type_ == TRN_JOINTINPARENT || (type_ == TRN_SO3 && other < 0)) {
        return body_awake(jnt_bodyid(id));
    }
    if (type_ == TRN_SO3 || type_ == TRN_SLIDERCRANK) {
        return awake_state(site_is_awake(id) || site_is_awake(other));
    }
    if (type_ == TRN_SITE) {
        return body_awake(site_bodyid(id));
    }
    if (type_ == TRN_TENDON) {
        return tendon_state(id);
    }
    if (type_ == TRN_BODY) {
        return body_awake(id);
    }
    return 1;
}

// 1 where something is awake, 0 where it sleeps
fn awake_state(awake: bool) -> i32 {
    return select(0, 1, awake);
}

// where a sensor is read: where none of its objects sleeps, or one of them is awake
fn sensor_awake(i: i32) -> bool {
    let kinds = vec2i(sensor_objtype(i), sensor_reftype(i));
    let ids = vec2i(sensor_objid(i), sensor_refid(i));
    let type_ = sensor_type(i);
    let at_site = kinds[0] == OBJ_SITE || kinds[1] == OBJ_SITE;
    let always = type_ == SENS_USER || type_ == SENS_PLUGIN || type_ == SENS_RANGEFINDER || (type_ == SENS_CONTACT && at_site);
    var state = -2;
    for (var k = 0; k < 2; k++) {
        if (!always && kinds[k] != OBJ_UNKNOWN) {
            state = max(state, object_state(kinds[k], max(ids[k], 0)));
        }
    }
    // static objects are read too, and delayed sensors are always read
    return state != 0 || sensor_delay(i) > 0.0;
}

// 1 where an object is awake, 0 where it sleeps, -1 where it is static
fn object_state(kind: i32, id: i32) -> i32 {
    if (kind == OBJ_BODY || kind == OBJ_XBODY || kind == OBJ_GEOM || kind == OBJ_SITE || kind == OBJ_CAMERA) {
        return body_awake(body_of(kind, id));
    }
    if (kind == OBJ_JOINT) {
        return body_awake(jnt_bodyid(id));
    }
    if (kind == OBJ_TENDON) {
        return tendon_state(id);
    }
    if (kind == OBJ_ACTUATOR) {
        return actuator_state(id);
    }
    return 1;
}

// sets `tree_awake` and `body_awake` from `tree_asleep` (`mj_updateSleep`). All lanes do it together
fn tell_awake() {
    for (var t = lane; t < ntree; t += LANES) {
        set_tree_awake(t, select(1, 0, asleep(t)));
    }
    for (var b = lane; b < nbody; b += LANES) {
        let tree = body_treeid(b);
        let mocap = body_mocapid(body_rootid(b)) >= 0;
        set_body_awake(b, select(select(-1, 1, mocap), select(1, 0, asleep(max(tree, 0))), tree >= 0));
    }
    team_sync();
}

// true if a tree of one world sleeps
fn asleep(t: i32) -> bool {
    return tree_asleep(t) >= 0;
}

// wakes a tree and the trees of its sleep cycle; true if it slept
fn rouse(t: i32, value: i32) -> bool {
    if (!asleep(t)) {
        set_tree_asleep(t, min(tree_asleep(t), value));
        return false;
    }
    var at = t;
    for (var k = 0; k < ntree && at >= 0; k++) {
        let link = tree_asleep(at);
        set_tree_asleep(at, value);
        at = select(-1, link, link < ntree);
    }
    return true;
}

// wakes trees whose state or forces were set by the user (`mj_wake`). Every lane marks trees in `tree_awake`, then one wakes them
fn wake() {
    var some = false;
    for (var t = lane; t < ntree; t += LANES) {
        let disturbed = asleep(t) && !(may_sleep(t) && is_as_left(t));
        set_tree_awake(t, select(0, 1, disturbed));
        some = some || disturbed;
    }
    some = team_any(some);
    team_sync();
    if (some && lane == 0) {
        for (var t = 0; t < ntree; t++) {
            if (tree_awake(t) == 1) {
                _ = rouse(t, AWAKE);
            }
        }
    }
    team_sync();
    tell_awake();
}

fn may_sleep(t: i32) -> bool {
    let policy = tree_sleep_policy(t);
    return policy != SLEEP_NEVER && policy != SLEEP_AUTONEVER;
}

// true if a tree has no velocity and no force, and is at the position where it fell asleep
fn is_as_left(t: i32) -> bool {
    var same = is_unforced(t);
    for (var k = 0; k < tree_dofnum(t) && same; k++) {
        same = bitcast<u32>(qvel(tree_dofadr(t) + k)) == 0u;
    }
    let at = positions(t);
    for (var q = at[0]; q < at[1] && same; q++) {
        same = bitcast<u32>(qpos(q)) == bitcast<u32>(latent(q));
    }
    return same;
}

fn is_unforced(t: i32) -> bool {
    var bits = 0u;
    for (var b = tree_bodyadr(t); b < tree_bodyadr(t) + tree_bodynum(t); b++) {
        for (var k = 0; k < 6; k++) {
            bits |= bitcast<u32>(xfrc_applied_at(b, k));
        }
    }
    for (var i = tree_dofadr(t); i < tree_dofadr(t) + tree_dofnum(t); i++) {
        bits |= bitcast<u32>(qfrc_applied(i));
    }
    return bits == 0u;
}

// range of a tree in qpos
fn positions(t: i32) -> vec2i {
    let first = tree_dofadr(t);
    let last = dof_jntid(first + tree_dofnum(t) - 1);
    let type_ = jnt_type(last);
    let words = select(select(1, 4, type_ == JNT_BALL), 7, type_ == JNT_FREE);
    return vec2i(jnt_qposadr(dof_jntid(first)), jnt_qposadr(last) + words);
}

// true if a tree is slow enough to count the step towards its sleep
fn can_sleep(t: i32) -> bool {
    var slow = may_sleep(t) && !kept_awake(t) && is_unforced(t);
    for (var i = tree_dofadr(t); i < tree_dofadr(t) + tree_dofnum(t) && slow; i++) {
        // zero tolerance: the velocity must be exactly zero
        if (opt_sleep_tolerance == 0.0) {
            slow = bitcast<u32>(qvel(i)) == 0u;
        } else {
            slow = dof_length(i) * abs(qvel(i)) < opt_sleep_tolerance;
        }
    }
    return slow;
}

// true for a tree of a flex that nothing holds together: where its equality is off
fn kept_awake(t: i32) -> bool {
    if (ntreeflex == 0) {
        return false;
    }
    let i = tree_flexeq(t);
    let off = (opt_disableflags & (DSBL_CONSTRAINT | DSBL_EQUALITY)) != 0;
    return i != -1 && (i < 0 || off || eq_active(max(i, 0)) == 0);
}

// one side of a contact or an equality: its `body_awake`, and its tree; none for a static or mocap body
fn sleep_side(body: i32) -> vec2i {
    return vec2i(body_awake(body), body_treeid(body));
}

// wakes trees in contact with an awake tree or a mocap body (`mj_wakeCollision`); `sleep_changed` tells where a tree was
// woken. One lane wakes them, if any lane finds one
fn wake_touched() {
    var some = false;
    for (var c = lane; c < ncon(); c += LANES) {
        some = some || sleeper_of(contact_collision(c))[0] >= 0;
    }
    some = team_any(some);
    team_sync();
    var woke = false;
    if (some && lane == 0) {
        for (var c = 0; c < ncon(); c++) {
            let pair = sleeper_of(contact_collision(c));
            var value = AWAKE;
            if (pair[1] >= 0) {
                value = tree_asleep(pair[1]);
            }
            if (pair[0] >= 0 && value < 0 && rouse(pair[0], value)) {
                woke = true;
            }
        }
    }
    if (lane == 0) {
        set_sleep_changed(select(0, 1, woke));
    }
    team_sync();
    tell_awake();
}

// the sleeping tree of a pair that touches, and the tree of the other side if that is awake; without one -1
fn sleeper_of(k: i32) -> vec2i {
    let first = sleep_side(side_body(k, 0));
    let second = sleep_side(side_body(k, 1));
    if (first[0] == 0 && first[1] >= 0) {
        return vec2i(first[1], select(-1, second[1], second[0] == 1));
    }
    if (second[0] == 0 && second[1] >= 0) {
        return vec2i(second[1], select(-1, first[1], first[0] == 1));
    }
    return vec2i(-1);
}

// wakes trees that a tendon at its limit couples to an awake tree (`mj_wakeTendon`). One lane does it
fn wake_tied() {
    if (lane == 0) {
        for (var i = 0; i < ntendon; i++) {
            if (tendon_treenum(i) != 2 || tendon_limited(i) == 0) {
                continue;
            }
            let margin = tendon_margin(i);
            let low = ten_length(i) - tendon_range(i, 0);
            let high = tendon_range(i, 1) - ten_length(i);
            let first = tendon_treeid(i, 0);
            let second = tendon_treeid(i, 1);
            let wakes = tree_is_awake(second);
            if ((low < margin || high < margin) && tree_is_awake(first) != wakes) {
                _ = rouse(select(second, first, wakes), tree_asleep(select(first, second, wakes)));
            }
        }
    }
    team_sync();
    tell_awake();
}

// wakes trees that an equality couples to an awake tree, or to a tree of another sleep cycle (`mj_wakeEquality`). One lane does it
fn wake_held() {
    if (lane == 0) {
        for (var i = 0; i < neq; i++) {
            if (eq_active(i) != 0) {
                wake_two(i);
            }
        }
    }
    team_sync();
    tell_awake();
}

fn wake_two(i: i32) {
    let held = held_bodies(i);
    if (held[0] < 0 || held[1] < 0) {
        return;
    }
    let first = sleep_side(held[0]);
    let second = sleep_side(held[1]);
    let sleeps_first = first[0] == 0 && first[1] >= 0;
    let sleeps_second = second[0] == 0 && second[1] >= 0;
    let apart = sleeps_first && sleeps_second && first[1] != second[1] && !sleep_together(max(first[1], 0), second[1]);
    if (apart || (sleeps_first && second[0] == 1)) {
        _ = rouse(first[1], AWAKE);
    }
    if (apart || (sleeps_second && first[0] == 1)) {
        _ = rouse(second[1], AWAKE);
    }
}

// true if two trees are in the same sleep cycle
fn sleep_together(t: i32, u: i32) -> bool {
    var at = t;
    for (var k = 0; k < ntree; k++) {
        let link = tree_asleep(at);
        if (link < 0 || link >= ntree) {
            return false;
        }
        at = link;
        if (at == u) {
            return true;
        }
    }
    return false;
}

// sleeping trees keep the smooth forces with which they fell asleep
fn keep_forces() {
    for (var i = lane; i < nv; i += LANES) {
        if (tree_is_awake(dof_treeid(i))) {
            set_latent(nq + i, qfrc_smooth(i));
        } else {
            set_qfrc_smooth(i, latent(nq + i));
        }
    }
}

// actuators of sleeping trees have no force, and their activation rates stay as they were. A lane has the actuators whose force it
// computed
fn rest_actuators() {
    for (var i = lane; i < nactuator; i += LANES) {
        let awake = actuator_state(i) != 0;
        let out = actuator_outadr(i);
        for (var r = out; r < out + actuator_outnum(i) && !awake; r++) {
            set_actuator_force(r, 0.0);
        }
        let adr = max(actuator_actadr(i), 0);
        for (var k = adr; k < adr + actuator_actnum(i); k++) {
            if (awake) {
                set_latent(nq + nv + k, act_dot(k));
            } else {
                set_act_dot(k, latent(nq + nv + k));
            }
        }
    }
}

// a sensor of sleeping trees keeps its last reading
fn keep_reading(i: i32, awake: bool) {
    let adr = sensor_adr(i);
    let noted = nq + nv + na;
    for (var k = adr; k < adr + sensor_dim(i); k++) {
        if (awake) {
            set_latent(noted + k, sensordata(k));
        } else {
            set_sensordata(k, latent(noted + k));
        }
    }
}

// where awake trees are in the last of the evaluations of Runge-Kutta: one that falls asleep goes back to the start of the step, and
// is taken to be moved from outside if that is elsewhere
fn note_places() {
    for (var t = lane; t < ntree; t += LANES) {
        let at = positions(t);
        for (var q = at[0]; q < at[1] && tree_is_awake(t); q++) {
            set_latent(q, qpos(q));
        }
    }
}

// trees that sleep stay where they are, or were at the start of a step of Runge-Kutta
fn stay_asleep<place>() {
    for (var t = lane; t < ntree; t += LANES) {
        if (tree_is_awake(t)) {
            continue;
        }
        let at = positions(t);
        for (var q = at[0]; q < at[1]; q++) {
            set_qpos(q, place(q));
        }
        for (var i = tree_dofadr(t); i < tree_dofadr(t) + tree_dofnum(t); i++) {
            set_qvel(i, 0.0);
        }
    }
}
