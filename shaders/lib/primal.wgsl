// common parts of Newton's method and conjugate gradients: start, forces from residuals, gradient, line search. The primal
// problem is to minimise 1/2 (a - qacc_smooth)' M (a - qacc_smooth) + s(J a - aref) over the acceleration a, where s is the sum
// of the rows' costs. solver_Ma is M a - qfrc_smooth, solver_Jaref is J a - aref.
//
// Worlds that have finished wait for the others of their workgroup in uniform control flow: their island is empty

// an island by its number
fn island_of(k: i32) -> Island {
    if (!ISLANDS) {
        return Island(0, select(0, nv, nefc() > 0), 0, nefc());
    }
    if (k >= nisland()) {
        return Island();
    }
    return Island(island_idofadr(k), island_nv(k), island_iefcadr(k), island_nefc(k));
}

// `mj_fwdConstraint`: finds the start; the islands can then be solved one after the other
fn by_island() {
    for (var i = lane; i < nv; i += LANES) {
        set_qacc(i, qacc_smooth(i));
        set_solver_Ma(i, 0.0);
        set_qfrc_constraint(i, 0.0);
    }
    find_islands();
    if (nsolver > 0) {
        clear_notes();
    }
    // no rows: qacc is the unconstrained acceleration
    if (group_any(nefc() > 0)) {
        start();
    }
}

// 1 / trace of an island's inertia: the scale of improvements and gradients
fn scale_of(g: Island) -> f32 {
    var trace = 0.0;
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        trace += M(M_rowadr(i) + M_rownnz(i) - 1);
    }
    return 1.0 / team_sum(trace);
}

// residuals of the rows at the unconstrained acceleration (efc_b) and at the last one (Jaref), and M qacc - qfrc_smooth at the
// last one (Ma)
fn residuals() {
    mul_m<M, solver_Ma, qacc_warmstart>();
    for (var i = lane; i < nv; i += LANES) {
        var force = solver_Ma(i);
        if (COUPLED) {
            force = add_couplings<qacc_warmstart>(force, i);
        }
        set_solver_Ma(i, force - qfrc_smooth(i));
    }
    for (var r = lane; r < nefc(); r += LANES) {
        let dots = row_dots<qacc_smooth, qacc_warmstart>(r) - efc_aref(r);
        set_efc_b(r, dots.x);
        set_solver_Jaref(r, dots.y);
    }
    team_sync();
}

// starts at the acceleration of lower cost, the last one or the unconstrained one; sets qacc, Ma, Jaref (warmstart)
fn start() {
    residuals();
    var warm = false;
    if ((opt_disableflags & DSBL_WARMSTART) == 0) {
        // cost of both accelerations
        var cost = 0.0;
        for (var r = lane; r < nefc(); r += LANES) {
            cost += row_cost<solver_Jaref>(r) - row_cost<efc_b>(r);
        }
        for (var i = lane; i < nv; i += LANES) {
            cost += 0.5 * solver_Ma(i) * (qacc_warmstart(i) - qacc_smooth(i));
        }
        warm = team_sum(cost) <= 0.0 && nefc() > 0;
    }
    for (var i = lane; i < nv; i += LANES) {
        if (!warm) {
            set_solver_Ma(i, 0.0);
        } else if (!ISLANDS || place_of(i) >= 0) {
            // the solver leaves dofs without rows alone
            set_qacc(i, qacc_warmstart(i));
        }
    }
    for (var r = lane; r < nefc(); r += LANES) {
        if (!warm) {
            set_solver_Jaref(r, efc_b(r));
        }
    }
    team_sync();
}

// cost of a row with residuals x; the first row of an elliptic contact has the cost of the whole contact
fn row_cost<x>(r: i32) -> f32 {
    if (is_elliptic(r)) {
        if (is_normal(r)) {
            let c = contact_of(r);
            return contact_cost(c, r, of_contact<x>(r, c.dim));
        }
        return 0.0;
    }
    let res = x(r);
    let quadratic = 0.5 * efc_D(r) * res * res;
    if (r < ne()) {
        return quadratic;
    }
    if (r < ne() + nf()) {
        return friction_cost(r, res);
    }
    // a NaN residual stays NaN
    return select(quadratic, 0.0, res >= 0.0);
}

// quadratic inside a bound, linear outside
fn friction_cost(r: i32, x: f32) -> f32 {
    let loss = efc_frictionloss(r);
    let bound = efc_R(r) * loss;
    return select(loss * (abs(x) - 0.5 * bound), 0.5 * efc_D(r) * x * x, abs(x) < bound);
}

// how an update changed the rows' part of the Hessian: a row became quadratic or is no longer; a contact slides, whose part
// changes with every step
struct Change {
    quadratic: bool,
    cone: bool,
}

// force and state of a row
struct RowForce {
    force: f32,
    state: i32,
}

// force and state of a row from its residual; rows of an elliptic contact are computed together
fn row_force(r: i32, x: f32) -> RowForce {
    if (r < ne()) {
        // equality
    } else if (r < ne() + nf()) {
        // friction loss
        let loss = efc_frictionloss(r);
        let bound = efc_R(r) * loss;
        if (x <= -bound) {
            return RowForce(loss, CNSTRSTATE_LINEARNEG);
        } else if (x >= bound) {
            return RowForce(-loss, CNSTRSTATE_LINEARPOS);
        }
    } else if (x >= 0.0) {
        // limit or contact
        return RowForce(0.0, CNSTRSTATE_SATISFIED);
    }
    return RowForce(-efc_D(r) * x, CNSTRSTATE_QUADRATIC);
}

// force and state of every row from its residual (`mj_constraintUpdate`)
fn update_constraint(g: Island) -> Change {
    var change = Change();
    var told = vec3i(0);
    for (var k = lane; k < g.nefc; k += LANES) {
        let r = row_at(g, k);
        if (is_elliptic(r)) {
            // its lane alone reads and writes the states of a contact
            if (is_normal(r)) {
                let was = efc_state(r);
                let c = contact_of(r);
                let state = contact_force(c, r, of_contact<solver_Jaref>(r, c.dim));
                for (var n = 0; n < c.dim; n++) {
                    set_efc_state(r + n, state);
                }
                if (nsolver > 0) {
                    told += c.dim * told_of(was, state);
                }
                change.quadratic |= (was == CNSTRSTATE_QUADRATIC) != (state == CNSTRSTATE_QUADRATIC);
                change.cone |= state == CNSTRSTATE_CONE;
            }
            continue;
        }
        let was = efc_state(r);
        let now = row_force(r, solver_Jaref(r));
        set_efc_force(r, now.force);
        set_efc_state(r, now.state);
        if (nsolver > 0) {
            told += told_of(was, now.state);
        }
        change.quadratic |= (was == CNSTRSTATE_QUADRATIC) != (now.state == CNSTRSTATE_QUADRATIC);
    }
    if (nsolver > 0) {
        noted_rows = sum_told(told);
    }
    let changes = team_or(select(0, 1, change.quadratic) | select(0, 2, change.cone));
    team_sync();
    return Change((changes & 1) != 0, (changes & 2) != 0);
}

// the norm of a gradient, and whether it exceeds the rounding of its terms in a dof where it counts
struct Gradient {
    length: f32,
    tells: bool,
}

// relative rounding of f32
const ULP: f32 = 6e-8;

// imbalance relative to the other forces of a dof that their rounding does not explain
const OFF: f32 = 1e-4;

// grad = M qacc - qfrc_smooth - J' force; returns its norm
fn update_gradient(g: Island, scale: f32) -> Gradient {
    apply_rows(g);
    var sum = 0.0;
    var tells = false;
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        let size = abs(solver_Ma(i)) + solver_grad(i);
        let force = solver_Mv(i);
        let grad = solver_Ma(i) - force;
        let told = abs(grad) > 4.0 * ULP * size;
        // a constraint force that is lost in rounding is the one that balances the acceleration
        let lost = !told && abs(grad) > OFF * (abs(solver_Ma(i)) + abs(qfrc_smooth(i)));
        set_qfrc_constraint(i, select(force, solver_Ma(i), lost));
        set_solver_grad(i, grad);
        sum += grad * grad;
        tells |= told && scale * abs(grad) >= opt_tolerance;
    }
    let total = team_sum4(vec4f(sum, select(0.0, 1.0, tells), 0.0, 0.0));
    team_sync();
    return Gradient(sqrt(total.x), total.y > 0.0);
}

// 1/2 grad' inv(M) grad (`mj_solveLD`)
fn gap(g: Island) -> f32 {
    if (COUPLED) {
        return 0.5 * solve_dofs<solver_search>(g);
    }
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, solver_grad(i));
    }
    team_sync();

    // x = inv(L') grad; then grad' inv(M) grad = x' inv(D) x
    var sum = 0.0;
    for (var k = group_max(g.nv) - 1; k >= 0; k--) {
        if (k < g.nv) {
            let i = dof_at(g, k);
            let adr = M_rowadr(i);
            let x = solver_search(i);
            for (var a = lane; a < M_rownnz(i) - 1; a += LANES) {
                let j = M_colind(adr + a);
                set_solver_search(j, solver_search(j) - qLD(adr + a) * x);
            }
            sum += x * x * qLDiagInv(i);
        }
        team_sync();
    }
    return 0.5 * sum;
}

// a point of the line: step, cost relative to the start, first and second derivative; whether the slope counts as zero
struct Point {
    alpha: f32,
    cost: f32,
    slope: f32,
    curvature: f32,
    flat_: bool,
}

// the cost at a step, of the rows and of the parts that are quadratic everywhere (`PrimalEval`). A slope counts as zero below
// `gtol`, and within the rounding of its terms
fn line_eval(g: Island, smooth_: vec2f, alpha: f32, gtol: f32) -> Point {
    var sum = vec4f(0.0);
    for (var k = lane; k < g.nefc; k += LANES) {
        let r = row_at(g, k);
        if (r < ne()) {
            continue;
        }
        if (is_elliptic(r)) {
            if (is_normal(r)) {
                let c = contact_of(r);
                let p = contact_path(c, r, of_contact<solver_Jaref>(r, c.dim), of_contact<solver_Jv>(r, c.dim));
                sum += path_eval(p, alpha);
            }
            continue;
        }
        let x0 = solver_Jaref(r);
        let v = solver_Jv(r);
        let d = efc_D(r);
        let x = x0 + alpha * v;
        let size = d * abs(v) * (abs(x0) + abs(alpha * v));
        if (r < ne() + nf()) {
            // quadratic inside a bound, linear outside; differences of cost are formed so that they do not cancel
            let loss = efc_frictionloss(r);
            let bound = efc_R(r) * loss;
            let side0 = select(0, 1, x0 >= bound) - select(0, 1, x0 <= -bound);
            let side = select(0, 1, x >= bound) - select(0, 1, x <= -bound);
            if (side0 != side) {
                sum.x += friction_cost(r, x) - friction_cost(r, x0);
            } else if (side == 0) {
                sum.x += 0.5 * d * (x - x0) * (x + x0);
            } else {
                sum.x += loss * f32(side) * (x - x0);
            }
            if (side == 0) {
                sum += vec4f(0.0, d * x * v, d * v * v, size);
            } else {
                sum += vec4f(0.0, loss * f32(side) * v, 0.0, loss * abs(v));
            }
        } else {
            // quadratic where the residual is negative, else zero
            let now = x < 0.0;
            let before = select(0.0, 0.5 * d * x0 * x0, x0 < 0.0);
            sum += select(
                vec4f(-before, 0.0, 0.0, 0.0),
                vec4f(0.5 * d * x0 * x0 - before + alpha * d * v * (x0 + 0.5 * alpha * v), d * x * v, d * v * v, size),
                now);
        }
    }
    sum = team_sum4(sum);
    let cost = sum.x + alpha * (alpha * smooth_.y + smooth_.x);
    let slope = sum.y + 2.0 * alpha * smooth_.y + smooth_.x;
    let curvature = sum.z + 2.0 * smooth_.y;
    let size = sum.w + abs(smooth_.x) + 2.0 * abs(alpha) * smooth_.y;
    return Point(alpha, cost, slope, max(curvature, MINVAL), abs(slope) < max(gtol, 4.0 * ULP * size));
}

fn newton_step(p: Point) -> f32 {
    return p.alpha - p.slope / p.curvature;
}

// true if a candidate is nearer to the minimum than an end of the bracket, on the same side
fn nearer(p: Point, c: Point) -> bool {
    return (p.slope < 0.0 && c.slope < 0.0 && p.slope < c.slope) || (p.slope > 0.0 && c.slope > 0.0 && p.slope > c.slope);
}

// the nearest of three candidates on the side of an end of the bracket
fn narrow(p: Point, candidates: array<Point, 3>) -> Point {
    var best = p;
    for (var k = 0; k < 3; k++) {
        if (nearer(best, candidates[k])) {
            best = candidates[k];
        }
    }
    return best;
}

// the best step along the search direction, and the decrease of the cost (`PrimalSearch`). Each iteration evaluates one point for
// all worlds of the workgroup; a world's phase tells the purpose of its point:
//
//   0 Newton's steps on one side until the slope changes sign
//   1 first end of the bracket, 2 the middle, 3 and 4 Newton's steps from the new ends
//   5 done
//
// On purpose kernels choose the side by the slope at the start, and search between the first two points as soon as the slope
// changes its sign; the twins choose it by the slope at the first step, as MuJoCo does.
fn line_search(g: Island, scale: f32) -> vec2f {
    // the parts that are quadratic everywhere: inertia and equalities
    var smooth_ = vec2f(0.0);
    var square = 0.0;
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        let v = solver_search(i);
        var mv = mul_m_row<M, solver_search>(i);
        if (COUPLED) {
            mv = add_couplings<solver_search>(mv, i);
        }
        set_solver_Mv(i, mv);
        square += v * v;
        smooth_ += vec2f(v * solver_Ma(i), 0.5 * v * mv);
    }
    for (var k = lane; k < g.nefc; k += LANES) {
        let r = row_at(g, k);
        let v = row_dot<solver_search>(r);
        set_solver_Jv(r, v);
        if (r < ne()) {
            smooth_ += efc_D(r) * v * vec2f(solver_Jaref(r), 0.5 * v);
        }
    }
    let sums = team_sum4(vec4f(smooth_, square, 0.0));
    smooth_ = sums.xy;
    let norm = sqrt(sums.z);
    let gtol = opt_tolerance * opt_ls_tolerance * norm / scale;
    team_sync();

    var p0 = Point(0.0, 0.0, 0.0, 0.0, false);
    var p1 = p0;
    var p2 = p0;
    var p1next = p0;
    var p2next = p0;
    var answer = p0;
    var phase = select(5, -1, norm >= MINVAL);
    var alpha = 0.0;
    var looked = 0;
    for (var neval = 0; neval < 3 * opt_ls_iterations + 8; neval++) {
        if (!group_any(phase != 5)) {
            break;
        }
        let p = line_eval(g, smooth_, alpha, gtol);
        if (nsolver > 0) {
            looked += select(0, 1, phase != 5);
        }
        let spent = neval + 1 >= opt_ls_iterations;
        if (phase == -1) {
            // the start; Newton's step from there
            p0 = p;
            p2 = p;
            phase = 0;
            alpha = newton_step(p);
        } else if (phase == 0) {
            // the slope at the start decides the side
            let side = select(-1.0, 1.0, p0.slope < 0.0);
            p1 = p;
            if (p.flat_ || spent) {
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
            // the best of the candidates with slope zero
            let candidates = array<Point, 3>(p1next, p2next, p);
            var best = Point(0.0, 3.0e38, 0.0, 0.0, false);
            for (var k = 0; k < 3; k++) {
                let c = candidates[k];
                if (c.flat_ && c.cost < best.cost) {
                    best = c;
                }
            }
            let new1 = narrow(p1, candidates);
            let new2 = narrow(p2, candidates);
            if (best.cost < 3.0e38) {
                answer = best;
                phase = 5;
            } else if (new1.alpha == p1.alpha && new2.alpha == p2.alpha) {
                // the bracket no longer narrows: machine precision is reached
                answer = p;
                phase = 5;
            } else if (spent) {
                // out of evaluations: the better end, if it is lower than the start
                answer = p2;
                if (p1.cost <= p2.cost) {
                    answer = p1;
                }
                if (answer.cost >= 0.0) {
                    answer = Point(0.0, 0.0, 0.0, 0.0, false);
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
    if (nsolver > 0) {
        noted_slope = abs(answer.slope) * scale / norm;
        noted_neval = looked;
    }
    return vec2f(answer.alpha, -answer.cost);
}

// moves along the search direction; returns whether the acceleration changed
fn take_step(g: Island, alpha: f32) -> bool {
    if (opt_cone == CONE_ELLIPTIC) {
        // the lane of a contact read the residuals of all its rows
        team_sync();
    }
    var moved = false;
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        let change = alpha * solver_search(i);
        moved |= abs(change) > ULP * abs(qacc(i));
        set_qacc(i, qacc(i) + change);
        set_solver_Ma(i, solver_Ma(i) + alpha * solver_Mv(i));
    }
    for (var k = lane; k < g.nefc; k += LANES) {
        let r = row_at(g, k);
        set_solver_Jaref(r, solver_Jaref(r) + alpha * solver_Jv(r));
    }
    let other = team_any(moved);
    team_sync();
    return other;
}
