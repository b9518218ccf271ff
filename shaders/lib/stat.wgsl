// statistics of each iteration of a solver (`mjSolverStat`), kept where ENBL_SOLVERSTAT is set: other models have no room for them, and none
// are computed. Every lane of the team must call these functions

// of the step in hand: rows that have a force, that changed their state, and that the Hessian is to be changed by; the slope that the line search
// left, and at how many points it looked
var<private> noted_rows: vec3i;
var<private> noted_slope: f32;
var<private> noted_neval: i32;

// clears the statistics of all iterations
fn clear_notes() {
    for (var i = 0; i < ntree; i++) {
        for (var k = lane; k < nsolver; k += LANES) {
            set_solver_improvement(i, k, 0.0);
            set_solver_gradient(i, k, 0.0);
            set_solver_lineslope(i, k, 0.0);
            set_solver_nactive(i, k, 0);
            set_solver_nchange(i, k, 0);
            set_solver_neval(i, k, 0);
            set_solver_nupdate(i, k, 0);
        }
    }
    for (var i = lane; i < ntreestat; i += LANES) {
        set_solver_noted(i, 0);
    }
    team_sync();
}

// which of the world's islands it is
fn number_of(g: Island) -> i32 {
    if (!ISLANDS) {
        return 0;
    }
    return tree_island(dof_treeid(dof_at(g, 0)));
}

// the number of its iterations whose statistics are written
fn noted_of(g: Island) -> i32 {
    if (g.nefc == 0) {
        return 0;
    }
    return solver_noted(number_of(g));
}

// whether a row has a force, whether it changed its state, and whether the Hessian is to be changed by it
fn told_of(was: i32, now: i32) -> vec3i {
    let crossed = (was == CNSTRSTATE_QUADRATIC) != (now == CNSTRSTATE_QUADRATIC);
    return vec3i(
        select(1, 0, now == CNSTRSTATE_SATISFIED),
        select(1, 0, now == was),
        select(0, 1, crossed) + select(0, 1, now == CNSTRSTATE_CONE));
}

// over the team
fn sum_told(told: vec3i) -> vec3i {
    return vec3i(team_sum_i(told.x), team_sum_i(told.y), team_sum_i(told.z));
}

// writes the statistics of a step, and the gradient that it left; none for an empty island
fn note_step(g: Island, k: i32, improvement: f32, gradient: f32) {
    if (lane == 0 && g.nefc > 0 && k < nsolver) {
        let i = number_of(g);
        set_solver_improvement(i, k, improvement);
        set_solver_gradient(i, k, gradient);
        set_solver_lineslope(i, k, noted_slope);
        set_solver_nactive(i, k, noted_rows.x);
        set_solver_nchange(i, k, noted_rows.y);
        set_solver_neval(i, k, noted_neval);
        set_solver_nupdate(i, k, select(0, noted_rows.z, opt_solver == SOL_NEWTON));
        set_solver_noted(i, k + 1);
    }
}

// writes the statistics of a sweep
fn note_sweep(g: Island, k: i32, improvement: f32) {
    let told = find_states(g);
    if (lane == 0 && g.nefc > 0 && k < nsolver) {
        let i = number_of(g);
        set_solver_improvement(i, k, improvement);
        set_solver_nactive(i, k, told.x);
        set_solver_nchange(i, k, told.y);
        set_solver_noted(i, k + 1);
    }
}

// the states of rows whose forces these are; how many have a force, how many have another than before
fn find_states(g: Island) -> vec3i {
    var told = vec3i(0);
    for (var n = lane; n < g.nefc; n += LANES) {
        let r = row_at(g, n);
        if (is_elliptic(r) && !is_normal(r)) {
            continue;
        }
        let num = rows_of(r);
        let was = efc_state(r);
        let now = state_of(r);
        told += num * told_of(was, now);
        for (var k = 0; k < num; k++) {
            set_efc_state(r + k, now);
        }
    }
    let sum = sum_told(told);
    team_sync();
    return sum;
}
