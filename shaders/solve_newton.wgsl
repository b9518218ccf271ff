// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//
// Minimises 1/2 (a - qacc_smooth)' M (a - qacc_smooth) + s(J a - aref) over the acceleration a, where s is the sum of the
// rows' costs: quadratic, linear, or nothing. All islands of a world together; worlds that are done wait for the others of
// their workgroup, so that every lane meets every barrier. The Hessian is a triangle of rows:
//
//        0 1 2 3
//   0  [ * * * * ]   row i holds H[i][i..nv]; elimination goes from the last dof to the first:
//   1  [   * * * ]   with U D U' = H, column k of U is column k of what is left when k is reached,
//   2  [     * * ]   times 1 / D[k]. The column is kept as it is, and 1 / D beside it.
//   3  [       * ]

fn mj_solve_newton() {
    // no rows: nothing holds the unconstrained acceleration up
    for (var i = lane; i < nv; i += LANES) {
        set_qacc(i, qacc_smooth(i));
        set_solver_Ma(i, 0.0);
        set_qfrc_constraint(i, 0.0);
    }
    var niter = 0;
    team_sync();
    if (group_any(nefc() > 0)) {
        niter = newton();
    }
    if (lane == 0) {
        set_solver_niter(niter);
    }
}

// place of H[i][j] in the triangle, i <= j
fn entry(i: i32, j: i32) -> i32 {
    return i * nv - (i * (i - 1)) / 2 + j - i;
}

// cost of one row with a residual
fn row_cost(r: i32, x: f32) -> f32 {
    let quadratic = 0.5 * efc_D(r) * x * x;
    if (r < ne()) {
        return quadratic;
    }
    if (r < ne() + nf()) {
        let loss = efc_frictionloss(r);
        let bound = efc_R(r) * loss;
        return select(loss * (abs(x) - 0.5 * bound), quadratic, abs(x) < bound);
    }
    return select(0.0, quadratic, x < 0.0);
}

// begins at the cheaper of the last acceleration and the unconstrained one; leaves qacc, Ma, Jaref
fn start() {
    var cost = 0.0;
    if ((opt_disableflags & DSBL_WARMSTART) == 0) {
        mul_m<M, solver_Mv, qacc_warmstart>();
        for (var i = lane; i < nv; i += LANES) {
            set_solver_Mv(i, solver_Mv(i) - qfrc_smooth(i));
            cost += 0.5 * solver_Mv(i) * (qacc_warmstart(i) - qacc_smooth(i));
        }
    }
    for (var r = lane; r < nefc(); r += LANES) {
        // residual of the rows at the unconstrained acceleration, and at the last one
        let x = row_dot<qacc_smooth>(r) - efc_aref(r);
        set_solver_Jaref(r, x);
        if ((opt_disableflags & DSBL_WARMSTART) == 0) {
            let warm = row_dot<qacc_warmstart>(r) - efc_aref(r);
            set_solver_Jv(r, warm);
            cost += row_cost(r, warm) - row_cost(r, x);
        }
    }
    let warm = (opt_disableflags & DSBL_WARMSTART) == 0 && team_sum(cost) <= 0.0;
    if (warm && nefc() > 0) {
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, qacc_warmstart(i));
            set_solver_Ma(i, solver_Mv(i));
        }
        for (var r = lane; r < nefc(); r += LANES) {
            set_solver_Jaref(r, solver_Jv(r));
        }
    }
    team_sync();
}

// iterates until every world of the workgroup has converged; number of iterations of this one
fn newton() -> i32 {
    start();

    // improvements and gradients are measured against the trace of M
    var trace = 0.0;
    for (var i = lane; i < nv; i += LANES) {
        trace += M(M_rowadr(i) + M_rownnz(i) - 1);
    }
    let scale = 1.0 / team_sum(trace);
    var live = nefc() > 0;
    var improvement = 0.0;
    var niter = 0;
    for (var iteration = 0; iteration <= opt_iterations; iteration++) {
        // forces, and what is left of the equation of motion
        let moved = niter > 0;
        update_constraint(live);
        let gradient = scale * update_gradient(live);
        live = live && !(moved && gradient < opt_tolerance);

        // Hessian, its factor, and the direction
        if (!group_any(live)) {
            break;
        }
        make_hessian(live);
        factor(live);
        let decrement = scale * direction(live);

        // done when the last step gained little, the force is balanced, or the next step would gain little
        if (moved) {
            live = live && !(improvement > 0.0 && improvement < opt_tolerance) && decrement >= opt_tolerance;
        } else {
            live = live && !(gradient < opt_tolerance && decrement < opt_tolerance);
        }
        live = live && iteration < opt_iterations;
        if (!group_any(live)) {
            break;
        }

        // step along the direction
        let found = line_search(live, scale);
        live = live && found.x != 0.0;
        improvement = scale * found.y;
        advance_solver(live, found.x);
        niter += select(0, 1, live);
    }
    return niter;
}

// force and state of every row from its residual (mj_constraintUpdate)
fn update_constraint(live: bool) {
    for (var r = lane; r < nefc() && live; r += LANES) {
        let x = solver_Jaref(r);
        var force = -efc_D(r) * x;
        var state = CNSTRSTATE_QUADRATIC;
        if (r < ne()) {
            // equality
        } else if (r < ne() + nf()) {
            // friction loss
            let loss = efc_frictionloss(r);
            let bound = efc_R(r) * loss;
            if (x <= -bound) {
                force = loss;
                state = CNSTRSTATE_LINEARNEG;
            } else if (x >= bound) {
                force = -loss;
                state = CNSTRSTATE_LINEARPOS;
            }
        } else if (x >= 0.0) {
            // limit or contact, let go
            force = 0.0;
            state = CNSTRSTATE_SATISFIED;
        }
        set_efc_force(r, force);
        set_efc_state(r, state);
    }
    team_sync();
}

// place of a dof among those that a row touches; -1: it does not
fn place_in(pattern: i32, i: i32) -> i32 {
    let adr = Jpat_adr(pattern);
    let num = Jpat_num(pattern);
    for (var k = 0; k < num; k++) {
        let dof = Jpat_dof(adr + k);
        if (dof >= i) {
            return select(-1, k, dof == i);
        }
    }
    return -1;
}

// grad = M qacc - qfrc_smooth - J' force; its length
fn update_gradient(live: bool) -> f32 {
    var sum = 0.0;
    for (var i = lane; i < nv && live; i += LANES) {
        var force = 0.0;
        var pattern = -1;
        var k = -1;
        for (var r = 0; r < nefc(); r++) {
            if (efc_Jpat(r) != pattern) {
                pattern = efc_Jpat(r);
                k = place_in(pattern, i);
            }
            if (k >= 0) {
                force += efc_J(r, k) * efc_force(r);
            }
        }
        let grad = solver_Ma(i) - force;
        set_qfrc_constraint(i, force);
        set_solver_grad(i, grad);
        sum += grad * grad;
    }
    let total = team_sum(sum);
    team_sync();
    return sqrt(total);
}

// H = M + J' D J over the quadratic rows; a lane makes whole rows of H
fn make_hessian(live: bool) {
    const NTRI4: i32 = (ntri / 4) * 4;
    for (var at = 4 * lane; at < NTRI4 && live; at += 4 * LANES) {
        set_solver_U(at, 0.0);
        set_solver_U(at + 1, 0.0);
        set_solver_U(at + 2, 0.0);
        set_solver_U(at + 3, 0.0);
    }
    for (var at = NTRI4 + lane; at < ntri && live; at += LANES) {
        set_solver_U(at, 0.0);
    }
    team_sync();
    for (var i = lane; i < nv && live; i += LANES) {
        // inertia: row i of M is a column of the triangle
        let adr = M_rowadr(i);
        for (var k = adr; k < adr + M_rownnz(i); k++) {
            set_solver_U(entry(M_colind(k), i), M(k));
        }
    }
    team_sync();
    for (var i = lane; i < nv && live; i += LANES) {
        var pattern = -1;
        var k = -1;
        for (var r = 0; r < nefc(); r++) {
            if (efc_Jpat(r) != pattern) {
                pattern = efc_Jpat(r);
                k = place_in(pattern, i);
            }
            if (k < 0 || efc_state(r) != CNSTRSTATE_QUADRATIC) {
                continue;
            }
            let weight = efc_D(r) * efc_J(r, k);
            let adr = Jpat_adr(pattern);
            for (var b = k; b < Jpat_num(pattern); b++) {
                let at = entry(i, Jpat_dof(adr + b));
                set_solver_U(at, solver_U(at) + weight * efc_J(r, b));
            }
        }
    }
    team_sync();
}

fn eliminate(i: i32, j: i32, k: i32, u: f32) {
    if (j < k) {
        let at = entry(i, j);
        set_solver_U(at, solver_U(at) - u * solver_U(entry(j, k)));
    }
}

// U D U' in place: columns of U times D above the diagonal, 1 / D beside
fn factor(live: bool) {
    for (var k = nv - 1; k >= 0; k--) {
        // pivot
        let inv = 1.0 / max(solver_U(entry(k, k)), MINVAL);
        if (lane == 0 && live) {
            set_solver_dinv(k, inv);
        }

        // rows above
        for (var i = lane; i < k && live; i += LANES) {
            let u = solver_U(entry(i, k)) * inv;
            // four entries a turn: some software adapters end a shader's loops after 65,535 turns in all
            for (var j = i; j < k && u != 0.0; j += 4) {
                eliminate(i, j, k, u);
                eliminate(i, j + 1, k, u);
                eliminate(i, j + 2, k, u);
                eliminate(i, j + 3, k, u);
            }
        }
        team_sync();
    }
}

// search = - inv(H) grad; what a full step would gain, 1/2 grad' inv(H) grad
fn direction(live: bool) -> f32 {
    for (var i = lane; i < nv && live; i += LANES) {
        set_solver_search(i, -solver_grad(i));
    }
    team_sync();

    // inv(U)
    for (var k = nv - 1; k > 0; k--) {
        let x = solver_search(k) * solver_dinv(k);
        for (var i = lane; i < k && live; i += LANES) {
            set_solver_search(i, solver_search(i) - solver_U(entry(i, k)) * x);
        }
        team_sync();
    }

    // inv(D), inv(U')
    for (var i = lane; i < nv && live; i += LANES) {
        set_solver_search(i, solver_search(i) * solver_dinv(i));
    }
    team_sync();
    for (var k = 0; k < nv; k++) {
        let x = solver_search(k);
        for (var i = k + 1 + lane; i < nv && live; i += LANES) {
            set_solver_search(i, solver_search(i) - solver_U(entry(k, i)) * solver_dinv(i) * x);
        }
        team_sync();
    }
    var sum = 0.0;
    for (var i = lane; i < nv && live; i += LANES) {
        sum -= solver_search(i) * solver_grad(i);
    }
    return 0.5 * team_sum(sum);
}

// a point of the line: step, cost relative to the start, first and second derivative
struct Point {
    alpha: f32,
    cost: f32,
    slope: f32,
    curvature: f32,
}

// the cost at a step, of rows and of what is quadratic everywhere (PrimalEval)
fn eval(live: bool, smooth_: vec2f, alpha: f32) -> Point {
    var sum = vec3f(0.0);
    for (var r = ne() + lane; r < nefc() && live; r += LANES) {
        let x0 = solver_Jaref(r);
        let v = solver_Jv(r);
        let d = efc_D(r);
        let x = x0 + alpha * v;
        if (r < ne() + nf()) {
            // quadratic inside a bound, linear outside
            let loss = efc_frictionloss(r);
            let bound = efc_R(r) * loss;
            let inside = abs(x) < bound;
            sum += vec3f(
                row_cost(r, x) - row_cost(r, x0),
                select(select(-loss, loss, x > 0.0), d * x, inside) * v,
                select(0.0, d * v * v, inside));
        } else {
            // quadratic where the residual is negative, else nothing
            let now = x < 0.0;
            let before = select(0.0, 0.5 * d * x0 * x0, x0 < 0.0);
            sum += select(
                vec3f(-before, 0.0, 0.0),
                vec3f(0.5 * d * x0 * x0 - before + alpha * d * v * (x0 + 0.5 * alpha * v), d * x * v, d * v * v),
                now);
        }
    }
    let cost = team_sum(sum.x) + alpha * (alpha * smooth_.y + smooth_.x);
    let slope = team_sum(sum.y) + 2.0 * alpha * smooth_.y + smooth_.x;
    let curvature = team_sum(sum.z) + 2.0 * smooth_.y;
    return Point(alpha, cost, slope, max(curvature, MINVAL));
}

fn newton_step(p: Point) -> f32 {
    return p.alpha - p.slope / p.curvature;
}

// true if a candidate is nearer to the minimum on the side of an end of the bracket
fn nearer(p: Point, c: Point) -> bool {
    return (p.slope < 0.0 && c.slope < 0.0 && p.slope < c.slope) || (p.slope > 0.0 && c.slope > 0.0 && p.slope > c.slope);
}

// the nearest of three candidates on the side of an end
fn narrow(p: Point, candidates: array<Point, 3>) -> Point {
    var best = p;
    for (var k = 0; k < 3; k++) {
        if (nearer(best, candidates[k])) {
            best = candidates[k];
        }
    }
    return best;
}

// the best step along the search direction, and what it gains (PrimalSearch). One evaluation for all worlds of the
// workgroup at a time; a world's phase says what it is for:
//
//   0 Newton's steps on one side until the slope changes sign
//   1 first end of the bracket, 2 the middle, 3 and 4 Newton's steps from the new ends
//   5 done
fn line_search(live: bool, scale: f32) -> vec2f {
    mul_m<M, solver_Mv, solver_search>();
    var smooth_ = vec2f(0.0);
    var norm = 0.0;
    for (var i = lane; i < nv && live; i += LANES) {
        let v = solver_search(i);
        norm += v * v;
        smooth_ += vec2f(v * solver_Ma(i), 0.5 * v * solver_Mv(i));
    }
    for (var r = lane; r < nefc() && live; r += LANES) {
        let v = row_dot<solver_search>(r);
        set_solver_Jv(r, v);
        if (r < ne()) {
            smooth_ += efc_D(r) * v * vec2f(solver_Jaref(r), 0.5 * v);
        }
    }
    smooth_ = vec2f(team_sum(smooth_.x), team_sum(smooth_.y));
    let gtol = opt_tolerance * opt_ls_tolerance * sqrt(team_sum(norm)) / scale;
    team_sync();

    var p0 = Point(0.0, 0.0, 0.0, 0.0);
    var p1 = p0;
    var p2 = p0;
    var p1next = p0;
    var p2next = p0;
    var answer = p0;
    var phase = select(5, -1, live);
    var alpha = 0.0;
    for (var neval = 0; neval < 3 * opt_ls_iterations + 8; neval++) {
        if (!group_any(phase != 5)) {
            break;
        }
        let p = eval(live, smooth_, alpha);
        let spent = neval + 1 >= opt_ls_iterations;
        if (phase == -1) {
            // the start; Newton's step from there
            p0 = p;
            p2 = p;
            phase = 0;
            alpha = newton_step(p);
        } else if (phase == 0) {
            // the slope at the step before tells the side
            let side = select(-1.0, 1.0, p0.slope < 0.0);
            p1 = p;
            if (abs(p.slope) < gtol && (p.cost < 0.0 || p.alpha == 0.0) || spent) {
                answer = p;
                phase = 5;
            } else if (p.slope * side <= -gtol) {
                p2 = p;
                alpha = newton_step(p);
            } else {
                // the minimum lies between p1 and p2
                p2next = p1;
                phase = 1;
                alpha = newton_step(p1);
            }
        } else if (phase == 1) {
            p1next = p;
            phase = 2;
            alpha = 0.5 * (p1.alpha + p2.alpha);
        } else if (phase == 2) {
            // the best of those whose slope is zero
            let candidates = array<Point, 3>(p1next, p2next, p);
            var best = Point(0.0, 3.0e38, 0.0, 0.0);
            for (var k = 0; k < 3; k++) {
                let c = candidates[k];
                if (abs(c.slope) < gtol && c.cost < best.cost) {
                    best = c;
                }
            }
            let new1 = narrow(p1, candidates);
            let new2 = narrow(p2, candidates);
            if (best.cost < 3.0e38) {
                answer = best;
                phase = 5;
            } else if (new1.alpha == p1.alpha && new2.alpha == p2.alpha) {
                // it no longer narrows: the machine's accuracy is reached
                answer = p;
                phase = 5;
            } else if (spent) {
                // out of evaluations: the better end, if it is lower
                answer = p2;
                if (p1.cost <= p2.cost) {
                    answer = p1;
                }
                if (answer.cost >= 0.0) {
                    answer = Point(0.0, 0.0, 0.0, 0.0);
                }
                phase = 5;
            } else {
                p1 = new1;
                p2 = new2;
                phase = 3;
                alpha = newton_step(p1);
            }
        } else if (phase == 3) {
            p1next = p;
            phase = 4;
            alpha = newton_step(p2);
        } else if (phase == 4) {
            p2next = p;
            phase = 2;
            alpha = 0.5 * (p1.alpha + p2.alpha);
        }
    }
    return vec2f(answer.alpha, -answer.cost);
}

// moves along the search direction
fn advance_solver(live: bool, alpha: f32) {
    for (var i = lane; i < nv && live; i += LANES) {
        set_qacc(i, qacc(i) + alpha * solver_search(i));
        set_solver_Ma(i, solver_Ma(i) + alpha * solver_Mv(i));
    }
    for (var r = lane; r < nefc() && live; r += LANES) {
        set_solver_Jaref(r, solver_Jaref(r) + alpha * solver_Jv(r));
    }
    team_sync();
}
