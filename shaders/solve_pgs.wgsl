// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`): one row or contact after the
// other gets its best force, in a random order for every sweep, with Nesterov's momentum.
//
// B. O'Donoghue, E. Candès: Adaptive restart for accelerated gradient schemes, 2015.

fn mj_solve_pgs() {
    // no rows: qacc is the unconstrained acceleration
    find_islands();
    if (nsolver > 0) {
        clear_notes();
    }
    start_forces();
    var niter = 0;
    for (var k = 0; k < MAX_ISLANDS; k++) {
        if (!group_any(k < nisland())) {
            break;
        }
        niter += pgs_sweeps(island_of(k));
    }
    if (lane == 0) {
        set_solver_niter(niter);
    }
    finish();
}

// starts with the forces of the last acceleration, unless zero forces cost less
fn start_forces() {
    residuals();
    if ((opt_disableflags & DSBL_WARMSTART) == 0) {
        _ = update_constraint(Island(0, nv, 0, nefc()));
    }
    var cost = 0.0;
    for (var k = 0; k < MAX_ISLANDS; k++) {
        if (!group_any(k < nisland())) {
            break;
        }
        let g = island_of(k);
        prepare(g);
        if ((opt_disableflags & DSBL_WARMSTART) == 0) {
            accelerate(g);
        }
        for (var n = lane; n < g.nefc; n += LANES) {
            // block of A for the rows updated together, and the cost of the row's force
            let r = row_at(g, n);
            make_block(r, first_of(r), rows_of(r), true);
            let b = efc_b(r);
            cost += efc_force(r) * (b + 0.5 * (residual(r, true) - b));
        }
    }
    let cold = (opt_disableflags & DSBL_WARMSTART) != 0 || !(team_sum(cost) <= 0.0);
    for (var r = lane; r < nefc() && cold; r += LANES) {
        set_efc_force(r, 0.0);
    }
    team_sync();
}

// first of the rows that are updated together with a row
fn first_of(r: i32) -> i32 {
    if (is_elliptic(r)) {
        return contact_efc_address(efc_id(r));
    }
    return r;
}

// sweeps over an island's rows until a sweep gains little; returns the number of sweeps
fn pgs_sweeps(island: Island) -> i32 {
    let scale = scale_of(island);
    let num = blocks(island);
    let most = group_max(num);
    if (nsolver > 0) {
        _ = find_states(island);
    }
    var random = vec2u(1u, 0u);
    var live = island.nefc > 0;
    var steady = 0;
    var niter = 0;
    for (var iteration = 0; iteration < opt_iterations; iteration++) {
        if (!group_any(live)) {
            break;
        }

        // momentum along the last change, larger the more sweeps there were since a restart
        let g = only(island, live);
        let momentum = select(0.0, f32(steady - 1) / f32(steady + 2), iteration > 0);
        extrapolate(g, momentum);

        // one sweep in random order
        if (lane == 0 && live) {
            random = shuffle(num, random);
        }
        team_sync();
        var improvement = 0.0;
        for (var k = 0; k < most; k++) {
            var r = -1;
            if (k < num && live) {
                r = solver_order(k);
            }
            improvement -= relax(g, r);
        }

        // restart the momentum if it was against the sweep's change
        let along = alignment(g);
        steady = select(steady + 1, 0, iteration > 0 && along < 0.0);
        niter += select(0, 1, live);
        if (nsolver > 0) {
            note_sweep(g, iteration, scale * improvement);
        }
        // done when the sweep gained little, or f32 cannot resolve its changes
        let told = moved(g);
        live = live && scale * improvement >= opt_tolerance && told;
    }
    return niter;
}

// lists the first rows of the sets that are updated together; returns their number
fn blocks(g: Island) -> i32 {
    var num = 0;
    for (var k = 0; k < g.nefc; k++) {
        let r = row_at(g, k);
        if (first_of(r) == r) {
            if (lane == 0) {
                set_solver_order(num, r);
            }
            num++;
        }
    }
    team_sync();
    return num;
}

// extrapolates the forces by a multiple of the last change, within their bounds; keeps the forces before (Jaref) and after (Jv)
fn extrapolate(g: Island, momentum: f32) {
    for (var n = lane; n < g.nefc; n += LANES) {
        let r = row_at(g, n);
        if (first_of(r) != r) {
            continue;
        }
        let num = rows_of(r);
        var force: array<f32, 6>;
        for (var k = 0; k < num; k++) {
            let old = efc_force(r + k);
            force[k] = old;
            if (momentum > 0.0) {
                force[k] += momentum * (old - solver_Jaref(r + k));
            }
            set_solver_Jaref(r + k, old);
        }
        if (momentum > 0.0) {
            force = projected(r, force);
        }
        for (var k = 0; k < num; k++) {
            set_efc_force(r + k, force[k]);
            set_solver_Jv(r + k, force[k]);
        }
    }
    team_sync();
    accelerate(g);
}

// projects forces on the bounds of their row or contact
fn projected(r: i32, force: array<f32, 6>) -> array<f32, 6> {
    var out = force;
    if (!is_elliptic(r)) {
        out[0] = clamped(r, force[0]);
        return out;
    }
    let c = contact_of(r);
    let reach = contact_reach(c, force);
    var scale = 1.0;
    if (reach > force[0]) {
        scale = force[0] / reach;
    }
    for (var k = 0; k < MAXDIM; k++) {
        if (force[0] < 0.0) {
            out[k] = 0.0;
        } else if (k > 0) {
            out[k] *= scale;
        }
    }
    return out;
}

// the force of a single row, clamped to its bounds
fn clamped(r: i32, force: f32) -> f32 {
    if (r < ne()) {
        return force;
    }
    if (r < ne() + nf()) {
        let loss = efc_frictionloss(r);
        return min(max(force, -loss), loss);
    }
    return max(force, 0.0);
}

// sets a row or contact to its best force at the given forces of the others; returns the change of the cost. A row of -1: none
fn relax(g: Island, r: i32) -> f32 {
    var num = 0;
    var old: array<f32, 6>;
    var force: array<f32, 6>;
    var cost = 0.0;
    if (r >= 0) {
        num = rows_of(r);
        let a = block(r, num, 0);
        let res = residuals_of(r, num, true);
        old = of_rows<efc_force>(r, num);
        force = old;
        if (num == 1) {
            force[0] = clamped(r, old[0] - res[0] / a.a[0][0]);
        } else {
            force = relax_contact(contact_of(r), a, res, old);
        }

        // undo a change that raises the cost
        cost = cost_change(a, num, difference(force, old), res);
        if (cost > NOISE) {
            cost = 0.0;
            num = 0;
        }
    }
    // every lane has read its inputs
    team_sync();
    set_forces(only(g, num > 0), r, num, old, force);
    team_sync();
    return cost;
}

// scale all forces along their ray, then update the friction forces at that normal force
fn relax_contact(c: Contact, a: Block, res: array<f32, 6>, old: array<f32, 6>) -> array<f32, 6> {
    let num = c.dim;
    var force = old;
    if (old[0] < MINVAL) {
        force = array<f32, 6>();
        force[0] = max(old[0] - res[0] / a.a[0][0], 0.0);
    } else {
        var curvature = 0.0;
        var slope = 0.0;
        for (var i = 0; i < num; i++) {
            slope += old[i] * res[i];
            for (var j = 0; j < num; j++) {
                curvature += old[i] * a.a[i][j] * old[j];
            }
        }
        if (curvature >= MINVAL) {
            let step = max(-slope / curvature, -1.0);
            for (var i = 0; i < num; i++) {
                force[i] += step * force[i];
            }
        }
    }
    let normal = force[0];
    var out: array<f32, 6>;
    out[0] = normal;
    if (normal < MINVAL) {
        return out;
    }

    // residual of the friction rows without their own forces
    var b: array<f32, 6>;
    var friction: array<f32, 6>;
    var ac: Block;
    for (var i = 1; i < num; i++) {
        b[i - 1] = res[i] + a.a[i][0] * (normal - old[0]);
        friction[i - 1] = c.scale[i];
        for (var j = 1; j < num; j++) {
            ac.a[i - 1][j - 1] = a.a[i][j];
            b[i - 1] -= a.a[i][j] * old[j];
        }
    }
    let tangent = friction_forces(ac, num - 1, b, friction, normal);
    for (var i = 1; i < num; i++) {
        out[i] = tangent[i - 1];
    }
    return out;
}

// the change by the sweep times the momentum before it
fn alignment(g: Island) -> f32 {
    var sum = 0.0;
    for (var n = lane; n < g.nefc; n += LANES) {
        let r = row_at(g, n);
        sum += (efc_force(r) - solver_Jv(r)) * (solver_Jv(r) - solver_Jaref(r));
    }
    let total = team_sum(sum);
    team_sync();
    return total;
}

// true if a sweep changed a force
fn moved(g: Island) -> bool {
    var tells = false;
    for (var n = lane; n < g.nefc; n += LANES) {
        let r = row_at(g, n);
        tells |= abs(efc_force(r) - solver_Jv(r)) > 4.0 * ULP * abs(efc_force(r));
    }
    let told = team_any(tells);
    team_sync();
    return told;
}

// shuffles the first rows; M. O'Neill's generator, at the state at which MuJoCo begins every solve. The state is a 64-bit number,
// low word first
fn shuffle(num: i32, start_: vec2u) -> vec2u {
    var state = start_;
    for (var i = num - 1; i > 0; i--) {
        let j = i32(random_word(state) % u32(i + 1));
        state = random_next(state);
        let swapped = solver_order(i);
        set_solver_order(i, solver_order(j));
        set_solver_order(j, swapped);
    }
    return state;
}

fn random_word(state: vec2u) -> u32 {
    let low = ((state.x >> 18u) | (state.y << 14u)) ^ state.x;
    let high = (state.y >> 18u) ^ state.y;
    let word = (low >> 27u) | (high << 5u);
    let turn_ = state.y >> 27u;
    return (word >> turn_) | (word << ((32u - turn_) & 31u));
}

// state · 6364136223846793005 + 1
fn random_next(state: vec2u) -> vec2u {
    const LOW: u32 = 0x4c957f2du;
    const HIGH: u32 = 0x5851f42du;
    // the product of the low words, from their halves
    let a = state.x & 0xffffu;
    let b = state.x >> 16u;
    let c = LOW & 0xffffu;
    let d = LOW >> 16u;
    let middle = a * d + ((a * c) >> 16u);
    let cross_ = b * c + (middle & 0xffffu);
    let low = state.x * LOW;
    let high = b * d + (middle >> 16u) + (cross_ >> 16u) + state.x * HIGH + state.y * LOW;
    return vec2u(low + 1u, high + select(0u, 1u, low == 0xffffffffu));
}
