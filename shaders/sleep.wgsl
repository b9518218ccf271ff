// Trees at rest fall asleep (`mj_sleep`), and some sleep from the start.

// at rest for long enough
const READY: i32 = -1;

fn mj_sleep() {
    let fell = fall_asleep();
    if (lane == 0) {
        set_sleep_changed(select(0, 1, fell));
    }
}

// counts the steps of trees at rest, and puts ready trees to sleep together with all trees coupled to them; true in worlds where any
// fell asleep
fn fall_asleep() -> bool {
    let known = couplings_are_known();
    var some = false;
    for (var t = lane; t < ntree && known; t += LANES) {
        let ready = count_rest(t);
        some = some || ready;
    }
    let ready = team_any(some);
    team_sync();
    var fell = false;
    for (var t = lane; t < ntree && ready; t += LANES) {
        let tied = tie(t);
        fell = fell || tied;
    }
    return team_any(fell);
}

// without islands the coupling of trees is unknown
fn couplings_are_known() -> bool {
    return (opt_disableflags & DSBL_ISLAND) == 0 || nefc() == 0;
}

// counts the step of an awake tree if it is at rest; true if it is ready to sleep
fn count_rest(t: i32) -> bool {
    if (asleep(t)) {
        return false;
    }
    let count = select(AWAKE, min(tree_asleep(t) + 1, READY), can_sleep(t));
    set_tree_asleep(t, count);
    return count == READY;
}

// puts the island of its first tree to sleep if all of its trees are ready; true if they are. A lane writes only the trees of islands
// that begin with its own
fn tie(root: i32) -> bool {
    if (tree_asleep(root) != READY) {
        return false;
    }
    for (var t = 0; t < ntree; t++) {
        if (is_tied(root, t) && (t < root || tree_asleep(t) != READY)) {
            return false;
        }
    }
    var before = root;
    for (var t = root + 1; t < ntree; t++) {
        if (is_tied(root, t)) {
            set_tree_asleep(before, t);
            lie_down(before);
            before = t;
        }
    }
    set_tree_asleep(before, root);
    lie_down(before);
    return true;
}

// true if rows or the metric couple two trees
fn is_tied(t: i32, u: i32) -> bool {
    let coupled = COUPLED && tree_tied(t) == tree_tied(u);
    return t == u || coupled || (ISLANDS && tree_island(t) >= 0 && tree_island(t) == tree_island(u));
}

// notes the position of a tree that falls asleep, and stops it
fn lie_down(t: i32) {
    // with Runge-Kutta they were noted in its last evaluation
    if (opt_integrator != INT_RK4) {
        let at = positions(t);
        for (var q = at[0]; q < at[1]; q++) {
            set_latent(q, qpos(q));
        }
    }
    for (var i = tree_dofadr(t); i < tree_dofadr(t) + tree_dofnum(t); i++) {
        set_qvel(i, 0.0);
    }
}
