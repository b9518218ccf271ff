// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//
// On purpose there are three Hessians. The twin, for one world in f64, keeps the Hessian of an island, adds the rows that became
// active and subtracts the rows that left. Worlds side by side make the whole Hessian, of an island or a union of the lanes'
// islands, with its rows from the diagonal to the last dof that is coupled in any lane. Kernels make the whole triangle of an
// island. In f32 removed rows leave rounding errors behind, which may be as large as the inertia.
//
// Both stop when the forces balance, and when the gain of a step, or of the next one, is small. In f64 there is no other
// criterion. f32 reaches its limit of resolution earlier: this kernel also ends when the imbalance of the forces is within the
// rounding of their terms, and when a step changes no bit of the acceleration.
//
// The Hessian is made and factored again only where a row's cost has changed. It is a triangle of tiles (`lib/tiles`): row i holds
// H[i][i..nv], and later U[i][i..nv] with U U' = H, which is computed from the last four columns to the first.

fn mj_solve_newton() {
    by_island();
    var niter = 0;
    for (var k = 0; k < MAX_ISLANDS; k++) {
        if (!group_any(k < nisland())) {
            break;
        }
        niter += newton(island_of(k));
    }
    if (lane == 0) {
        set_solver_niter(niter);
    }
}

// iterates until an island has converged; returns the number of iterations
fn newton(island: Island) -> i32 {
    let scale = scale_of(island);
    var live = island.nefc > 0;
    var cone = false;
    var still = false;
    var improvement = 0.0;
    var niter = 0;
    for (var iteration = 0; iteration <= opt_iterations; iteration++) {
        // constraint forces, and the gradient: the residual of the equation of motion
        let change = update_constraint(only(island, live));
        let gradient = update_gradient(only(island, live), scale);
        let slope = scale * gradient.length;
        if (nsolver > 0 && iteration > 0) {
            note_step(only(island, live), iteration - 1, improvement, slope);
        }
        let small = iteration == 0 && slope < opt_tolerance;
        if (iteration > 0) {
            // done when the step gained little or the forces balance
            live = live && !(improvement > 0.0 && improvement < opt_tolerance) && slope >= opt_tolerance;
        }
        // or when f32 cannot resolve them
        live = live && gradient.tells && !still;
        if (group_any(live && small)) {
            // the gap to the optimum is at most 1/2 grad' inv(M) grad: converged if that is small
            let left = scale * gap(only(island, live && small));
            live = live && !(small && left < opt_tolerance);
        }
        live = live && iteration < opt_iterations;
        if (!group_any(live)) {
            break;
        }

        // the Hessian changes if a row became quadratic or is no longer, or a contact slides
        let stale = iteration == 0 || change.cone || cone || change.quadratic;
        cone = change.cone;
        if (group_any(live && stale)) {
            make_hessian(only(island, live && stale));
            factor(only(island, live && stale));
        }

        // done when the next step would gain little
        let decrement = scale * direction(only(island, live));
        live = live && (decrement >= opt_tolerance || (iteration == 0 && !small));
        if (!group_any(live)) {
            break;
        }

        // step along the direction
        let found = line_search(only(island, live), scale);
        live = live && found.x != 0.0;
        improvement = scale * found.y;
        still = !take_step(only(island, live), found.x);
        niter += select(0, 1, live);
    }
    return niter;
}

// H = M + J' D J over the quadratic rows, and the cones of sliding contacts
fn make_hessian(g: Island) {
    let quads = quads_of(g);
    for (var q = lane; q < quads; q += LANES) {
        // inertia: a row of M is a column of the triangle. One lane has all columns of a quad, since a lane that writes an entry
        // may write all four
        for (var i = 0; i <= q; i++) {
            let at = tile_at(quads, i, q);
            set_solver_tile(at, vec4f(0.0));
            set_solver_tile(at + 1, vec4f(0.0));
            set_solver_tile(at + 2, vec4f(0.0));
            set_solver_tile(at + 3, vec4f(0.0));
        }
        for (var k = 4 * q; k < 4 * q + 4; k++) {
            if (k < g.nv) {
                let i = dof_at(g, k);
                set_solver_search(i, qLDiagInv(i));
                let adr = M_rowadr(i);
                let end = adr + M_rownnz(i);
                for (var a = adr; a < end; a += 4) {
                    // an entry that is repeated is written again
                    let at = four_from(a, end);
                    let col = vec4i(M_colind(at.x), M_colind(at.y), M_colind(at.z), M_colind(at.w));
                    let m = vec4f(M(at.x), M(at.y), M(at.z), M(at.w));
                    set_solver_tile_at(row_of(quads, place_of(col.x)) + 4 * q, k & 3, m.x);
                    set_solver_tile_at(row_of(quads, place_of(col.y)) + 4 * q, k & 3, m.y);
                    set_solver_tile_at(row_of(quads, place_of(col.z)) + 4 * q, k & 3, m.z);
                    set_solver_tile_at(row_of(quads, place_of(col.w)) + 4 * q, k & 3, m.w);
                }
                if (COUPLED) {
                    add_row_couplings(quads, i, k);
                }
            } else {
                set_solver_tile_at(row_of(quads, k) + 4 * q, k & 3, 1.0);
            }
        }
    }
    team_sync();
    for (var k = 0;;) {
        let rows = rows_from(g, k);
        let most = group_max(rows.way);
        if (most == NO_ROWS) {
            break;
        }
        var num = 0;
        var touched = 0;
        var weight = vec4f(0.0);
        if (most == SINGLES) {
            num = singles(g, k);
        }
        if (rows.way == ROWS) {
            for (var i = lane; i < 4 * quads; i += LANES) {
                set_solver_rows(0, i, vec4f(0.0));
            }
        }
        team_sync();
        if (rows.way == ROWS) {
            weight = weights_of(rows);
            touched = lay_out(rows);
        }
        touched = team_or(touched);
        team_sync();
        if (rows.way == SINGLES) {
            if (lane < num) {
                add_single(g, row_at(g, k + lane));
            }
            k += num;
        } else if (rows.way == ROWS) {
            k += add_rows(g, rows, weight, u32(touched));
        }
        team_sync();
    }
}

// contribution of a dof's couplings with earlier dofs to H, of which column k is its own
fn add_row_couplings(quads: i32, i: i32, k: i32) {
    for (var a = efm_K_rowadr(i); a < efm_K_rowadr(i) + efm_K_rownnz(i); a++) {
        let at = row_of(quads, place_of(efm_K_colind(a))) + 4 * (k >> 2u);
        set_solver_tile_at(at, k & 3, solver_tile_at(at, k & 3) + efm_K_val(a));
    }
}

// contribution of a row with one dof to H
fn add_single(g: Island, r: i32) {
    let k = place_of(single_of(r));
    let at = row_of(quads_of(g), k) + 4 * (k >> 2u);
    set_solver_tile_at(at, k & 3, solver_tile_at(at, k & 3) + row_weight(r) * efc_J(r, 0) * efc_J(r, 0));
}

// number of quads per bit in the bits of quads with nonzero entries
const SPAN: i32 = max((nquad + 31) / 32, 1);

// the bit of the first quads
const FIRST: u32 = 0x80000000u;

// entries of rows, by the index of the dof in the island, in solver_rows, where all else is zero; returns the bits of their quads
fn lay_out(rows: Rows) -> i32 {
    var touched = 0;
    for (var a = lane; a < rows.dofs; a += LANES) {
        let k = place_of(pattern_dof(rows.adr + a));
        set_solver_rows(0, k, entries(rows, a));
        touched |= i32(FIRST >> u32((k >> 2u) / SPAN));
    }
    return touched;
}

// weights of rows in H; zero where a row is missing
fn weights_of(rows: Rows) -> vec4f {
    return vec4f(
        row_weight(rows.ids[0]),
        select(0.0, row_weight(rows.ids[1]), rows.num > 1),
        select(0.0, row_weight(rows.ids[2]), rows.num > 2),
        select(0.0, row_weight(rows.ids[3]), rows.num > 3));
}

// contribution of rows to H; returns their number. Lanes share the dofs of the rows
fn add_rows(g: Island, rows: Rows, weight: vec4f, touched: u32) -> i32 {
    if (slides(rows.ids[0])) {
        return add_cone(g, rows.ids[0]);
    }
    if (weight.x + weight.y + weight.z + weight.w != 0.0) {
        let quads = quads_of(g);
        for (var a = lane; a < rows.dofs; a += LANES) {
            let k = place_of(pattern_dof(rows.adr + a));
            let q = k >> 2u;
            let row = row_of(quads, k);
            let column = weight * solver_rows(0, k);
            for (var left = touched & (0xffffffffu >> u32(q / SPAN)); left != 0u; left ^= FIRST >> countLeadingZeros(left)) {
                let first = SPAN * i32(countLeadingZeros(left));
                let begin = select(max(first, q), first, SPAN == 1);
                let end = select(min(first + SPAN, quads), first + 1, SPAN == 1);
                for (var j = begin; j < end; j++) {
                    let at = row + 4 * j;
                    let h = solver_tile(at);
                    set_solver_tile(at, vec4f(
                        plus_dot(h.x, column, solver_rows(j, 0)),
                        plus_dot(h.y, column, solver_rows(j, 1)),
                        plus_dot(h.z, column, solver_rows(j, 2)),
                        plus_dot(h.w, column, solver_rows(j, 3))));
                }
            }
        }
    }
    return rows.num;
}

// D of a row whose cost is quadratic
fn row_weight(r: i32) -> f32 {
    return select(0.0, efc_D(r), efc_state(r) == CNSTRSTATE_QUADRATIC);
}

// contribution of a sliding contact to H; returns the number of its rows
fn add_cone(g: Island, r: i32) -> i32 {
    let c = contact_of(r);
    let quads = quads_of(g);
    let pattern = efc_Jpat(r);
    let adr = pattern_adr(pattern);
    let x = of_contact<solver_Jaref>(r, c.dim);
    for (var a = lane; a < pattern_num(pattern); a += LANES) {
        var column: array<f32, 6>;
        for (var k = 0; k < MAXDIM; k++) {
            if (k < c.dim) {
                column[k] = efc_J(r + k, a);
            }
        }
        let weight = contact_hessian(c, r, x, column);
        let row = row_of(quads, place_of(pattern_dof(adr + a)));
        for (var b = a; b < pattern_num(pattern); b++) {
            var sum = 0.0;
            for (var k = 0; k < MAXDIM; k++) {
                if (k < c.dim) {
                    sum += weight[k] * efc_J(r + k, b);
                }
            }
            let j = place_of(pattern_dof(adr + b));
            let at = row + 4 * (j >> 2u);
            set_solver_tile_at(at, j & 3, solver_tile_at(at, j & 3) + sum);
        }
    }
    return c.dim;
}

// search = - inv(H) grad; returns the gain of a full step, 1/2 grad' inv(H) grad
fn direction(g: Island) -> f32 {
    let n = g.nv;
    let quads = quads_of(g);
    let most = group_max(quads);
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, -solver_grad(i));
    }
    team_sync();

    // inv(U), from the last quad; solver_Mv gets the intermediate result
    for (var q = most - 1; q >= 0; q--) {
        if (q < quads) {
            let x = solved(corner_of(quads, q), four_dofs<solver_search>(g, q));
            for (var k = lane; k < 4 * q; k += LANES) {
                let i = dof_at(g, k);
                set_solver_search(i, solver_search(i) - dot(solver_tile(row_of(quads, k) + 4 * q), x));
            }
            for (var k = lane; k < 4; k += LANES) {
                if (4 * q + k < n) {
                    set_solver_Mv(dof_at(g, 4 * q + k), part_of(x, k));
                }
            }
        }
        team_sync();
    }

    // inv(U'), from the first quad on
    for (var q = 0; q < most; q++) {
        if (q < quads) {
            let x = solved_across(corner_of(quads, q), four_dofs<solver_Mv>(g, q));
            let row = tile_at(quads, q, 0);
            for (var k = 4 * q + 4 + lane; k < n; k += LANES) {
                let i = dof_at(g, k);
                let at = row + 4 * (k >> 2u);
                let j = k & 3;
                let u = vec4f(
                    solver_tile_at(at, j),
                    solver_tile_at(at + 1, j),
                    solver_tile_at(at + 2, j),
                    solver_tile_at(at + 3, j));
                set_solver_Mv(i, solver_Mv(i) - dot(u, x));
            }
            for (var k = lane; k < 4; k += LANES) {
                if (4 * q + k < n) {
                    set_solver_search(dof_at(g, 4 * q + k), part_of(x, k));
                }
            }
        }
        team_sync();
    }
    var sum = 0.0;
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        sum -= solver_search(i) * solver_grad(i);
    }
    return 0.5 * team_sum(sum);
}
