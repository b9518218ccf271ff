// Constraint forces and acceleration by conjugate gradients (`mj_solCG`), in the direction of Hager and Zhang.
//
// W. Hager, H. Zhang: A new conjugate gradient method with guaranteed descent and an efficient line search, 2005. The inertia
// matrix is the preconditioner.

// bounds the negative multiple of the last direction
const ETA: f32 = 0.01;

fn mj_solve_cg() {
    by_island();
    var niter = 0;
    for (var k = 0; k < MAX_ISLANDS; k++) {
        if (!group_any(k < nisland())) {
            break;
        }
        niter += conjugate_gradients(island_of(k));
    }
    if (lane == 0) {
        set_solver_niter(niter);
    }
}

// iterates until an island has converged; returns the number of iterations
fn conjugate_gradients(island: Island) -> i32 {
    let scale = scale_of(island);
    var live = island.nefc > 0;
    var still = false;
    var improvement = 0.0;
    var niter = 0;
    for (var iteration = 0; iteration <= opt_iterations; iteration++) {
        // constraint forces, and the gradient: the residual of the equation of motion
        _ = update_constraint(only(island, live));
        let gradient = update_gradient(only(island, live), scale);
        let slope = scale * gradient.length;
        if (nsolver > 0 && iteration > 0) {
            note_step(only(island, live), iteration - 1, improvement, slope);
        }
        if (iteration > 0) {
            // done when the step gained little or the forces balance
            live = live && !(improvement > 0.0 && improvement < opt_tolerance) && slope >= opt_tolerance;
        }
        // or when f32 cannot resolve them
        live = live && gradient.tells && !still;
        live = live && iteration < opt_iterations;
        if (!group_any(live)) {
            break;
        }

        // the gap to the optimum is at most 1/2 grad' inv(M) grad: converged if that is small
        let left = 0.5 * scale * solve_dofs<solver_Mgrad>(only(island, live));
        live = live && (iteration > 0 || left >= opt_tolerance);
        turn(only(island, live), iteration > 0);

        // step along the direction
        shorten(only(island, live));
        let found = line_search(only(island, live), scale);
        live = live && found.x != 0.0;
        improvement = scale * found.y;
        still = !take_step(only(island, live), found.x);
        niter += select(0, 1, live);
    }
    return niter;
}

// 2^30 and 2^-40
const LONG: f32 = 1073741824.0;
const SHORTER: f32 = 9.094947017729282e-13;

// in f32 the curvature along a long direction of hard rows would be infinite; powers of two are no rounding
fn shorten(g: Island) {
    var long = false;
    for (var k = lane; k < g.nv; k += LANES) {
        long = long || abs(solver_search(dof_at(g, k))) > LONG;
    }
    if (team_or(select(0, 1, long)) != 0) {
        for (var k = lane; k < g.nv; k += LANES) {
            let i = dof_at(g, k);
            set_solver_search(i, SHORTER * solver_search(i));
        }
    }
    team_sync();
}

// the next direction: the negative preconditioned gradient, plus a multiple of the last direction by the change of the gradient
fn turn(g: Island, again: bool) {
    var s_y = vec3f(0.0);
    var g_ = vec3f(0.0);
    for (var k = lane; k < g.nv && again; k += LANES) {
        let i = dof_at(g, k);
        let s = solver_search(i);
        let grad = solver_grad(i);
        let y = grad - solver_dinv(i);
        s_y += vec3f(s * y, y * (solver_Mgrad(i) - solver_U(i)), y * solver_Mgrad(i));
        g_ += vec3f(s * grad, s * s, grad * grad);
    }
    let sy = team_sum(s_y.x);
    let yy = team_sum(s_y.y);
    let yg = team_sum(s_y.z);
    let sg = team_sum(g_.x);
    let ss = team_sum(g_.y);
    let gg = team_sum(g_.z);

    // restart if the gradient did not change along the direction
    var beta = 0.0;
    if (again && sy >= MINVAL) {
        let least = -1.0 / max(sqrt(ss) * min(sqrt(gg), ETA), MINVAL);
        beta = max((yg - 2.0 * (yy / sy) * sg) / sy, least);
    }
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        set_solver_search(i, select(0.0, beta * solver_search(i), again) - solver_Mgrad(i));
        // keep the last gradients, in the arrays of the Hessian, which this solver does not need
        set_solver_dinv(i, solver_grad(i));
        set_solver_U(i, solver_Mgrad(i));
    }
    team_sync();
}
