// Friction forces solved again without regularization (`mj_solNoSlip`): sweeps over the friction losses of joints and tendons
// and the friction of contacts, at the normal forces of the solver.

fn mj_solve_noslip() {
    var niter = 0;
    for (var k = 0; k < MAX_ISLANDS; k++) {
        if (!group_any(k < nisland())) {
            break;
        }
        niter += noslip_sweeps(island_of(k));
    }
    if (lane == 0) {
        set_solver_niter(solver_niter() + niter);
    }
    finish();
}

// sweeps over an island's friction forces until a sweep gains little; returns the number of sweeps
fn noslip_sweeps(island: Island) -> i32 {
    let scale = scale_of(island);
    prepare(island);
    accelerate(island);

    // count the cost of regularization as gained
    var cost = 0.0;
    for (var n = lane; n < island.nefc; n += LANES) {
        let r = row_at(island, n);
        cost += 0.5 * efc_force(r) * efc_force(r) * efc_R(r);
        make_slip_block(r);
    }
    var improvement = team_sum(cost);
    team_sync();
    let most = group_max(island.nefc);
    // behind the iterations of the solver
    var before = 0;
    if (nsolver > 0) {
        before = noted_of(island);
        _ = find_states(island);
    }
    var live = island.nefc > 0;
    var niter = 0;
    for (var iteration = 0; iteration < opt_noslip_iterations; iteration++) {
        if (!group_any(live)) {
            break;
        }
        let g = only(island, live);
        var n = 0;
        for (var k = 0; k < most; k++) {
            // one row or contact after the other, while one is left
            if (!group_any(n < g.nefc)) {
                break;
            }
            var r = -1;
            if (n < g.nefc) {
                r = row_at(g, n);
                n += slip_rows(r);
            }
            improvement -= hold(g, r);
        }
        niter += select(0, 1, live);
        if (nsolver > 0) {
            note_sweep(g, before + iteration, scale * improvement);
        }
        live = live && scale * improvement >= opt_noslip_tolerance;
        improvement = 0.0;
    }
    return niter;
}

// number of rows that a row's update covers: all of a contact with an elliptic cone, two opposite edges of a pyramid
fn slip_rows(r: i32) -> i32 {
    return select(rows_of(r), 2, efc_type(r) == CNSTR_CONTACTPYRAMIDAL);
}

// block of A for the rows updated together with a row's friction
fn make_slip_block(r: i32) {
    if (is_elliptic(r)) {
        make_block(r, contact_efc_address(efc_id(r)), rows_of(r), false);
    } else if (efc_type(r) == CNSTR_CONTACTPYRAMIDAL) {
        let first = contact_efc_address(efc_id(r));
        make_block(r, first + ((r - first) / 2) * 2, 2, false);
    } else {
        make_block(r, r, 1, false);
    }
}

// updates friction forces at the given forces of the others; returns the change of the cost. A row of -1: none
fn hold(g: Island, r: i32) -> f32 {
    var first = r;
    var num = 0;
    var old: array<f32, 6>;
    var force: array<f32, 6>;
    var cost = 0.0;
    if (r >= ne()) {
        var a: Block;
        var res: array<f32, 6>;
        if (r < ne() + nf()) {
            // friction loss of a dof or tendon
            num = 1;
            a = soft_block(r, 1, 0, MINVAL);
            res = residuals_of(r, 1, false);
            old = of_rows<efc_force>(r, 1);
            let loss = efc_frictionloss(r);
            force[0] = min(max(old[0] - res[0] / a.a[0][0], -loss), loss);
        } else if (is_elliptic(r)) {
            // friction forces of an elliptic contact
            let c = contact_of(r);
            first = r + 1;
            num = c.dim - 1;
            a = soft_block(r, num, 1, NOISE);
            res = residuals_of(first, num, false);
            old = of_rows<efc_force>(first, num);
            if (efc_force(r) >= MINVAL) {
                var friction: array<f32, 6>;
                for (var k = 0; k < num; k++) {
                    friction[k] = c.scale[k + 1];
                }
                force = friction_forces(a, num, without(a, num, res, old), friction, efc_force(r));
            }
        } else if (efc_type(r) == CNSTR_CONTACTPYRAMIDAL) {
            // two opposite edges of a pyramid: their sum stays
            num = 2;
            a = soft_block(r, 2, 0, NOISE);
            res = residuals_of(r, 2, false);
            old = of_rows<efc_force>(r, 2);
            let b = without(a, 2, res, old);
            let middle = 0.5 * (old[0] + old[1]);
            let curvature = a.a[0][0] + a.a[1][1] - a.a[0][1] - a.a[1][0];
            let slope = middle * (a.a[0][0] - a.a[1][1]) + b[0] - b[1];
            var half_ = 0.0;
            if (curvature >= MINVAL) {
                half_ = min(max(-slope / curvature, -middle), middle);
            }
            force[0] = middle + half_;
            force[1] = middle - half_;
        }

        // undo a change that raises the cost
        cost = cost_change(a, num, difference(force, old), res);
        if (cost > NOISE && r >= ne() + nf()) {
            cost = 0.0;
            num = 0;
        }
    }
    // every lane has read its inputs
    team_sync();
    set_forces(only(g, num > 0), first, num, old, force);
    team_sync();
    return cost;
}

// residuals without the contributions of the rows themselves
fn without(a: Block, num: i32, res: array<f32, 6>, force: array<f32, 6>) -> array<f32, 6> {
    var b = res;
    for (var i = 0; i < num; i++) {
        for (var j = 0; j < num; j++) {
            b[i] -= a.a[i][j] * force[j];
        }
    }
    return b;
}

// A without R, with a minimum diagonal for division
fn soft_block(r: i32, num: i32, skip: i32, least: f32) -> Block {
    var a = block(r, num, skip);
    for (var k = 0; k < num; k++) {
        a.a[k][k] = max(a.a[k][k], least);
    }
    return a;
}
