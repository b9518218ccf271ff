// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//
// On purpose there are three Hessians. The twin, for one world in f64, keeps the Hessian of an island and adds the rows that
// entered and takes away those that left. Worlds side by side make the whole Hessian, of an island or a union of the lanes'
// islands, with its rows from the diagonal to the last dof that is coupled in any lane. Kernels make the whole triangle of an
// island. In f32 what is taken away leaves its last bits behind, which may be as large as the inertia.
//
// Both stop where forces balance, and where a step gained little or the next would. In f64 that is all. An f32 tells no more
// earlier: here it also ends where no force is out of balance by more than the last bits of its terms, where a step changes no
// bit of the acceleration, and where a slight step would gain no less than half of the one before, which is what rounding leaves.
//
// The Hessian is made and factored again only where a row's cost has changed. It is a triangle of rows over an island's dofs:
//
//        0 1 2 3
//   0  [ * * * * ]   row i holds H[i][i..nv]; elimination goes from the last dof to the first:
//   1  [   * * * ]   with U D U' = H, column k of U is column k of what is left when k is reached,
//   2  [     * * ]   times 1 / D[k]. The column is kept as it is, and 1 / D beside it.
//   3  [       * ]

// a step that gains less than this part of the cost moves the acceleration by 2e-4 of what rows do to it
const SLIGHT: f32 = 4e-8;

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

// iterates until an island has converged; number of iterations
fn newton(island: Island) -> i32 {
    let scale = scale_of(island);
    var live = island.nefc > 0;
    var cone = false;
    var still = false;
    var improvement = 0.0;
    var last = 0.0;
    var niter = 0;
    for (var iteration = 0; iteration <= opt_iterations; iteration++) {
        // forces, and what is left of the equation of motion
        let change = update_constraint(only(island, live));
        let gradient = update_gradient(only(island, live));
        let slope = scale * gradient.length;
        let small = iteration == 0 && slope < opt_tolerance;
        if (iteration > 0) {
            // done when the step gained little or forces balance
            live = live && !(improvement > 0.0 && improvement < opt_tolerance) && slope >= opt_tolerance;
        }
        // or when an f32 tells no more of them
        live = live && gradient.tells && !still;
        if (group_any(live && small)) {
            // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do if that is small
            let left = scale * gap(only(island, live && small));
            live = live && !(small && left < opt_tolerance);
        }
        live = live && iteration < opt_iterations;
        if (!group_any(live)) {
            break;
        }

        // the Hessian changes if a row entered or left it, or a contact slides
        let slides = team_any(change.cone);
        let changed = team_any(change.quadratic);
        let stale = iteration == 0 || slides || cone || changed;
        cone = slides;
        if (group_any(live && stale)) {
            make_hessian(only(island, live && stale));
            factor(only(island, live && stale));
        }

        // done when the next step would gain little, or nothing but what rounding lost in the last
        let next = direction(only(island, live));
        let decrement = scale * next.x;
        live = live && (decrement >= opt_tolerance || (iteration == 0 && !small));
        let stuck = iteration > 1 && next.x > 0.5 * last && next.x <= SLIGHT * next.y;
        last = next.x;
        live = live && !stuck;
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

// place of H[i][j] in the triangle of an island with n dofs, i <= j
fn entry(n: i32, i: i32, j: i32) -> i32 {
    return i * n - (i * (i - 1)) / 2 + j - i;
}

// H = M + J' D J over the quadratic rows, and the cones of contacts that slide; a lane makes whole rows of H
fn make_hessian(g: Island) {
    let n = g.nv;
    let num = (n * (n + 1)) / 2;
    let num4 = (num / 4) * 4;
    for (var at = 4 * lane; at < num4; at += 4 * LANES) {
        set_solver_U(at, 0.0);
        set_solver_U(at + 1, 0.0);
        set_solver_U(at + 2, 0.0);
        set_solver_U(at + 3, 0.0);
    }
    for (var at = num4 + lane; at < num; at += LANES) {
        set_solver_U(at, 0.0);
    }
    team_sync();
    for (var k = lane; k < n; k += LANES) {
        // inertia: a row of M is a column of the triangle
        let i = dof_at(g, k);
        let adr = M_rowadr(i);
        for (var a = adr; a < adr + M_rownnz(i); a++) {
            set_solver_U(entry(n, place_of(M_colind(a)), k), M(a));
        }
    }
    team_sync();
    for (var k = lane; k < n; k += LANES) {
        add_rows(g, k);
    }
    team_sync();
}

// what the rows add to a row of H
fn add_rows(g: Island, k: i32) {
    let i = dof_at(g, k);
    let first = entry(g.nv, k, k) - k;
    var num = 1;
    for (var row = 0; row < g.nefc; row += num) {
        let r = row_at(g, row);
        let pattern = efc_Jpat(r);
        let place = place_in(pattern, i);
        num = 1;
        if (opt_cone == CONE_ELLIPTIC) {
            if (efc_state(r) == CNSTRSTATE_CONE) {
                let c = contact_of(r);
                num = c.dim;
                if (place >= 0) {
                    add_cone(c, r, place, first);
                }
                continue;
            }
        }

        // up to four rows that touch the same dofs share what they load
        var rows = vec4i(r);
        var weight = vec4f(0.0);
        weight.x = row_weight(r, place);
        for (var k = 1; k < 4 && row + k < g.nefc; k++) {
            let next = row_at(g, row + k);
            if (efc_Jpat(next) != pattern || efc_state(next) == CNSTRSTATE_CONE) {
                break;
            }
            rows[k] = next;
            weight[k] = row_weight(next, place);
            num++;
        }
        if (all(weight == vec4f(0.0))) {
            continue;
        }
        let adr = Jpat_adr(pattern);
        for (var b = place; b < Jpat_num(pattern); b++) {
            let at = first + place_of(Jpat_dof(adr + b));
            let entries = vec4f(efc_J(rows.x, b), efc_J(rows.y, b), efc_J(rows.z, b), efc_J(rows.w, b));
            set_solver_U(at, solver_U(at) + dot(weight, entries));
        }
    }
}

// D of a row times its entry at a place, where its cost is quadratic
fn row_weight(r: i32, place: i32) -> f32 {
    if (place < 0 || efc_state(r) != CNSTRSTATE_QUADRATIC) {
        return 0.0;
    }
    return efc_D(r) * efc_J(r, place);
}

// what a contact that slides adds
fn add_cone(c: Contact, r: i32, place: i32, first: i32) {
    var column: array<f32, 6>;
    for (var k = 0; k < MAXDIM; k++) {
        if (k < c.dim) {
            column[k] = efc_J(r + k, place);
        }
    }
    let weight = contact_hessian(c, r, of_contact<solver_Jaref>(r, c.dim), column);
    let adr = Jpat_adr(efc_Jpat(r));
    for (var b = place; b < Jpat_num(efc_Jpat(r)); b++) {
        var sum = 0.0;
        for (var k = 0; k < MAXDIM; k++) {
            if (k < c.dim) {
                sum += weight[k] * efc_J(r + k, b);
            }
        }
        let at = first + place_of(Jpat_dof(adr + b));
        set_solver_U(at, solver_U(at) + sum);
    }
}

// what column k takes from an entry above it, if that is left of the column
fn eliminate(j: i32, k: i32, to: i32, from_: i32, u: f32) {
    if (j < k) {
        set_solver_U(to, solver_U(to) - u * solver_U(from_));
    }
}

// U D U' in place: columns of U times D above the diagonal, 1 / D beside
fn factor(g: Island) {
    let n = g.nv;
    for (var k = group_max(n) - 1; k >= 0; k--) {
        if (k < n) {
            // pivot; rows only add to that of the inertia, whatever rounding says
            let inv = min(1.0 / max(solver_U(entry(n, k, k)), MINVAL), qLDiagInv(dof_at(g, k)));
            if (lane == 0) {
                set_solver_dinv(k, inv);
            }

            // rows above
            for (var i = lane; i < k; i += LANES) {
                var from_ = entry(n, i, k);
                let u = solver_U(from_) * inv;
                // row i of what is left, and down column k, where the next row begins one entry later
                var to = entry(n, i, i);
                var next = n - i - 1;
                // four entries a turn: some software adapters end a shader's loops after 65,535 turns in all
                for (var j = i; j < k && u != 0.0; j += 4) {
                    eliminate(j, k, to, from_, u);
                    eliminate(j + 1, k, to + 1, from_ + next, u);
                    eliminate(j + 2, k, to + 2, from_ + 2 * next - 1, u);
                    eliminate(j + 3, k, to + 3, from_ + 3 * next - 3, u);
                    to += 4;
                    from_ += 4 * next - 6;
                    next -= 4;
                }
            }
        }
        team_sync();
    }
}

// search = - inv(H) grad; what a full step would gain, 1/2 grad' inv(H) grad, and the cost of what rows did to the
// acceleration so far, 1/2 (qacc - qacc_smooth)' M (qacc - qacc_smooth)
fn direction(g: Island) -> vec2f {
    let n = g.nv;
    let most = group_max(n);
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, -solver_grad(i));
    }
    team_sync();

    // inv(U)
    for (var k = most - 1; k > 0; k--) {
        if (k < n) {
            let x = solver_search(dof_at(g, k)) * solver_dinv(k);
            for (var a = lane; a < k; a += LANES) {
                let i = dof_at(g, a);
                set_solver_search(i, solver_search(i) - solver_U(entry(n, a, k)) * x);
            }
        }
        team_sync();
    }

    // inv(D), inv(U')
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, solver_search(i) * solver_dinv(k));
    }
    team_sync();
    for (var k = 0; k < most; k++) {
        if (k < n) {
            let x = solver_search(dof_at(g, k));
            for (var a = k + 1 + lane; a < n; a += LANES) {
                let i = dof_at(g, a);
                set_solver_search(i, solver_search(i) - solver_U(entry(n, k, a)) * solver_dinv(a) * x);
            }
        }
        team_sync();
    }
    var sum = vec2f(0.0);
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        sum += vec2f(-solver_search(i) * solver_grad(i), (qacc(i) - qacc_smooth(i)) * solver_Ma(i));
    }
    return 0.5 * vec2f(team_sum(sum.x), team_sum(sum.y));
}
