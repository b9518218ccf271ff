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
//   0  [ * * * * ]   row i holds H[i][i..nv], and later U[i][i..nv] with U U' = H, which is made from the last column to
//   1  [   * * * ]   the first. The diagonal keeps that of H; 1 / U[k][k]^2 stands beside.
//   2  [     * * ]
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
        let stale = iteration == 0 || change.cone || cone || change.quadratic;
        cone = change.cone;
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
    return ((i * (2 * n - 1 - i)) >> 1u) + j;
}

// H = M + J' D J over the quadratic rows, and the cones of contacts that slide
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
    for (var k = 0;;) {
        let left = rows_left(g, k);
        let most = group_max(left);
        if (most == NO_ROWS) {
            break;
        }
        var num = 0;
        if (most == SINGLES) {
            num = singles(g, k);
        }
        if (left == SINGLES) {
            if (lane < num) {
                add_single(g, row_at(g, k + lane));
            }
            k += num;
        } else if (left == ROWS) {
            k += add_rows(g, k);
        }
        team_sync();
    }
}

// what a row adds to H that touches one dof
fn add_single(g: Island, r: i32) {
    let k = place_of(only_dof(r));
    let at = entry(g.nv, k, k);
    set_solver_U(at, solver_U(at) + row_weight(r) * efc_J(r, 0) * efc_J(r, 0));
}

// what the rows from one on add to H; how many were added. Lanes share the dofs that the rows touch
fn add_rows(g: Island, k: i32) -> i32 {
    let rows = rows_from(g, k);
    if (slides(rows.ids[0])) {
        return add_cone(g, rows.ids[0]);
    }
    let weight = vec4f(
        row_weight(rows.ids[0]),
        select(0.0, row_weight(rows.ids[1]), rows.num > 1),
        select(0.0, row_weight(rows.ids[2]), rows.num > 2),
        select(0.0, row_weight(rows.ids[3]), rows.num > 3));
    if (weight.x + weight.y + weight.z + weight.w != 0.0) {
        let pattern = efc_Jpat(rows.ids[0]);
        for (var a = lane; a < Jpat_num(pattern); a += LANES) {
            let first = begin_of(g, pattern, a);
            let column = weight * entries(rows, a);
            for (var b = a; b < Jpat_num(pattern); b++) {
                let at = first + place_of(Jpat_dof(Jpat_adr(pattern) + b));
                set_solver_U(at, solver_U(at) + dot(column, entries(rows, b)));
            }
        }
    }
    return rows.num;
}

// where the row of H begins that belongs to a dof of a pattern, as if it had all columns
fn begin_of(g: Island, pattern: i32, a: i32) -> i32 {
    let k = place_of(Jpat_dof(Jpat_adr(pattern) + a));
    return entry(g.nv, k, k) - k;
}

// D of a row whose cost is quadratic
fn row_weight(r: i32) -> f32 {
    return select(0.0, efc_D(r), efc_state(r) == CNSTRSTATE_QUADRATIC);
}

// what a contact that slides adds; the number of its rows
fn add_cone(g: Island, r: i32) -> i32 {
    let c = contact_of(r);
    let pattern = efc_Jpat(r);
    let x = of_contact<solver_Jaref>(r, c.dim);
    for (var a = lane; a < Jpat_num(pattern); a += LANES) {
        var column: array<f32, 6>;
        for (var k = 0; k < MAXDIM; k++) {
            if (k < c.dim) {
                column[k] = efc_J(r + k, a);
            }
        }
        let weight = contact_hessian(c, r, x, column);
        let first = begin_of(g, pattern, a);
        for (var b = a; b < Jpat_num(pattern); b++) {
            var sum = 0.0;
            for (var k = 0; k < MAXDIM; k++) {
                if (k < c.dim) {
                    sum += weight[k] * efc_J(r + k, b);
                }
            }
            let at = first + place_of(Jpat_dof(Jpat_adr(pattern) + b));
            set_solver_U(at, solver_U(at) + sum);
        }
    }
    return c.dim;
}

// U U' = H in place, column by column from the last; 1 / U[k][k]^2 beside
fn factor(g: Island) {
    for (var k = group_max(g.nv) - 1; k >= 0; k--) {
        if (k < g.nv) {
            make_column(g, k);
        }
        team_sync();
    }
}

// a column of U, from those after it: what they leave of the column of H, over the root of what they leave of the diagonal
fn make_column(g: Island, k: i32) {
    let n = g.nv;
    let diagonal = entry(n, k, k) - k;
    // two rows a turn, which share what they load of row k; where one is not above k it is row k, and is not kept
    for (var i = lane; i < k || i == lane; i += 2 * LANES) {
        let one = min(i, k);
        let two = min(i + LANES, k);
        let a = entry(n, one, one) - one;
        let b = entry(n, two, two) - two;
        var left = vec3f(solver_U(a + k), solver_U(b + k), solver_U(diagonal + k));
        // four columns a turn: some software adapters end a shader's loops after 65,535 turns in all
        var j = k + 1;
        for (; j + 3 < n; j += 4) {
            let u = four(diagonal + j);
            left -= vec3f(dot(u, four(a + j)), dot(u, four(b + j)), dot(u, u));
        }
        for (; j < n; j++) {
            let u = solver_U(diagonal + j);
            left -= u * vec3f(solver_U(a + j), solver_U(b + j), u);
        }

        // rows only add to the diagonal of the inertia, whatever rounding says
        let inv = min(1.0 / max(left.z, MINVAL), qLDiagInv(dof_at(g, k)));
        let column = left.xy * sqrt(inv);
        if (one < k) {
            set_solver_U(a + k, column.x);
        }
        if (two < k) {
            set_solver_U(b + k, column.y);
        }
        if (i == 0) {
            set_solver_dinv(k, inv);
        }
    }
}

// four entries of U from one on
fn four(at: i32) -> vec4f {
    return vec4f(solver_U(at), solver_U(at + 1), solver_U(at + 2), solver_U(at + 3));
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

    // inv(U), from the last; what is kept lacks the factor 1 / U[k][k]
    for (var k = most - 1; k > 0; k--) {
        if (k < n) {
            let x = solver_search(dof_at(g, k)) * sqrt(solver_dinv(k));
            for (var a = lane; a < k; a += LANES) {
                let i = dof_at(g, a);
                set_solver_search(i, solver_search(i) - solver_U(entry(n, a, k)) * x);
            }
        }
        team_sync();
    }
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, solver_search(i) * sqrt(solver_dinv(k)));
    }
    team_sync();

    // inv(U'), from the first, which lacks it too
    for (var k = 0; k < most; k++) {
        if (k < n) {
            let x = solver_search(dof_at(g, k)) * sqrt(solver_dinv(k));
            let row = entry(n, k, k) - k;
            for (var a = k + 1 + lane; a < n; a += LANES) {
                let i = dof_at(g, a);
                set_solver_search(i, solver_search(i) - solver_U(row + a) * x);
            }
        }
        team_sync();
    }
    var sum = vec2f(0.0);
    for (var k = lane; k < n; k += LANES) {
        let i = dof_at(g, k);
        let x = solver_search(i) * sqrt(solver_dinv(k));
        set_solver_search(i, x);
        sum += vec2f(-x * solver_grad(i), (qacc(i) - qacc_smooth(i)) * solver_Ma(i));
    }
    let sums = team_sum4(vec4f(sum, 0.0, 0.0));
    return 0.5 * sums.xy;
}
