// common parts of the solvers of the dual problem: find the rows' forces f that minimise 1/2 f' (A + R) f + f' b, where A = J
// inv(M) J' and b = J qacc_smooth - aref, within the bounds of each row.
//
// A is not formed: the acceleration due to all forces is updated instead (solver_search), with the acceleration of each row's
// unit force (solver_JMinv). A among the rows of a contact is stored (solver_block). All lanes of a team compute the forces of a
// row or contact, and share the updates

// a change that raises the cost by more than this is undone
const NOISE: f32 = 1e-10;

// maximum number of rows updated together: those of an elliptic contact, two edges of a pyramid, or one
const MAXROWS: i32 = select(select(1, 2, opt_noslip_iterations > 0), MAXDIM, opt_cone == CONE_ELLIPTIC);

// block of A for the rows of one contact
struct Block {
    a: array<array<f32, 6>, 6>,
}

// number of rows updated together
fn rows_of(r: i32) -> i32 {
    if (is_elliptic(r)) {
        return collision_condim(contact_collision(efc_id(r)));
    }
    return 1;
}

// J inv(M) of an island's rows, one row per lane
fn prepare(g: Island) {
    for (var k = lane; k < g.nefc; k += LANES) {
        unit_acceleration(g, row_at(g, k));
    }
    team_sync();
}

fn unit_acceleration(g: Island, r: i32) {
    for (var k = 0; k < g.nv; k++) {
        set_solver_JMinv(r, dof_at(g, k), 0.0);
    }
    let pattern = efc_Jpat(r);
    for (var k = 0; k < pattern_num(pattern); k++) {
        set_solver_JMinv(r, pattern_dof(pattern_adr(pattern) + k), efc_J(r, k));
    }

    // Lᵀ, from the leaves
    for (var k = g.nv - 1; k > 0; k--) {
        let i = dof_at(g, k);
        let x = solver_JMinv(r, i);
        let adr = M_rowadr(i);
        for (var a = 0; a < M_rownnz(i) - 1 && x != 0.0; a++) {
            let j = M_colind(adr + a);
            set_solver_JMinv(r, j, solver_JMinv(r, j) - qLD(adr + a) * x);
        }
    }

    // D; L, from the root
    for (var k = 0; k < g.nv; k++) {
        let i = dof_at(g, k);
        let adr = M_rowadr(i);
        var x = solver_JMinv(r, i) * qLDiagInv(i);
        for (var a = 0; a < M_rownnz(i) - 1; a++) {
            x -= qLD(adr + a) * solver_JMinv(r, M_colind(adr + a));
        }
        set_solver_JMinv(r, i, x);
    }
}

// the acceleration due to the forces of an island's rows
fn accelerate(g: Island) {
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        var sum = 0.0;
        // four rows per iteration: some software adapters end a shader's loops after 65,535 iterations in all
        let num4 = (g.nefc / 4) * 4;
        for (var n = 0; n < num4; n += 4) {
            sum += caused(g, n, i) + caused(g, n + 1, i) + caused(g, n + 2, i) + caused(g, n + 3, i);
        }
        for (var n = num4; n < g.nefc; n++) {
            sum += caused(g, n, i);
        }
        set_solver_search(i, sum);
    }
    team_sync();
}

fn caused(g: Island, n: i32, i: i32) -> f32 {
    let r = row_at(g, n);
    return efc_force(r) * solver_JMinv(r, i);
}

// changes forces of consecutive rows, and updates the acceleration. Every lane has both, and has read its inputs
fn set_forces(g: Island, r: i32, num: i32, old: array<f32, 6>, force: array<f32, 6>) {
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        var sum = solver_search(i);
        for (var n = 0; n < MAXROWS; n++) {
            if (n < num) {
                sum += (force[n] - old[n]) * solver_JMinv(r + n, i);
            }
        }
        set_solver_search(i, sum);
    }
    if (MAXROWS == 1) {
        if (lane == 0 && num > 0) {
            set_efc_force(r, force[0]);
        }
    } else {
        for (var n = lane; n < num; n += LANES) {
            set_efc_force(r + n, force[n]);
        }
    }
}

// values of an array for rows updated together
fn of_rows<x>(r: i32, num: i32) -> array<f32, 6> {
    var v: array<f32, 6>;
    for (var k = 0; k < MAXROWS; k++) {
        if (k < num) {
            v[k] = x(r + k);
        }
    }
    return v;
}

fn product(r: i32, adr: i32, num: i32, k: i32) -> f32 {
    if (k < num) {
        return efc_J(r, k) * solver_search(pattern_dof(adr + k));
    }
    return 0.0;
}

// a row of A times all forces, plus b; plus R times the row's force if regularized
fn residual(r: i32, regularized: bool) -> f32 {
    let pattern = efc_Jpat(r);
    let adr = pattern_adr(pattern);
    let num = pattern_num(pattern);
    var sum = efc_b(r);
    for (var k = 0; k < num; k += 6) {
        sum += product(r, adr, num, k) + product(r, adr, num, k + 1) + product(r, adr, num, k + 2);
        sum += product(r, adr, num, k + 3) + product(r, adr, num, k + 4) + product(r, adr, num, k + 5);
    }
    if (regularized) {
        sum += efc_R(r) * efc_force(r);
    }
    return sum;
}

// residuals of consecutive rows
fn residuals_of(r: i32, num: i32, regularized: bool) -> array<f32, 6> {
    var res: array<f32, 6>;
    for (var k = 0; k < MAXROWS; k++) {
        if (k < num) {
            res[k] = residual(r + k, regularized);
        }
    }
    return res;
}

// entry of A for two rows
fn entry_of(r: i32, other: i32) -> f32 {
    let pattern = efc_Jpat(r);
    let adr = pattern_adr(pattern);
    var sum = 0.0;
    for (var k = 0; k < pattern_num(pattern); k++) {
        sum += efc_J(r, k) * solver_JMinv(other, pattern_dof(adr + k));
    }
    return sum;
}

// stores a row of the block of A among consecutive rows; one lane per row
fn make_block(r: i32, first: i32, num: i32, regularized: bool) {
    for (var k = 0; k < num; k++) {
        set_solver_block(r, k, entry_of(r, first + k) + select(0.0, efc_R(r), regularized && first + k == r));
    }
}

// A among `num` consecutive rows as stored, from the `skip`-th row on
fn block(r: i32, num: i32, skip: i32) -> Block {
    var b: Block;
    for (var i = 0; i < MAXROWS; i++) {
        for (var j = 0; j < MAXROWS; j++) {
            if (i < num && j < num) {
                b.a[i][j] = solver_block(r + skip + i, skip + j);
            }
        }
    }
    return b;
}

// change of the cost by a change of forces, 1/2 change' A change + change' residual
fn cost_change(b: Block, num: i32, change: array<f32, 6>, res: array<f32, 6>) -> f32 {
    var cost = 0.0;
    for (var i = 0; i < MAXROWS; i++) {
        if (i < num) {
            var ax = 0.0;
            for (var j = 0; j < MAXROWS; j++) {
                if (j < num) {
                    ax += b.a[i][j] * change[j];
                }
            }
            cost += change[i] * (0.5 * ax + res[i]);
        }
    }
    return cost;
}

fn difference(a: array<f32, 6>, b: array<f32, 6>) -> array<f32, 6> {
    var d: array<f32, 6>;
    for (var k = 0; k < MAXROWS; k++) {
        d[k] = a[k] - b[k];
    }
    return d;
}

// minimum of 1/2 x' A x + x' b over the friction forces that a normal force allows, sum (x / friction)^2 <= normal^2, by
// Newton's method on the multiplier (`mju_QCQP`)
fn friction_forces(b: Block, n: i32, linear: array<f32, 6>, friction: array<f32, 6>, normal: f32) -> array<f32, 6> {
    var x: array<f32, 6>;
    var multiplier = 0.0;
    for (var turn_ = 0; turn_ < 20; turn_++) {
        // x and its derivative, in coordinates where the ellipsoid is a ball
        var l: Block;
        for (var i = 0; i < n; i++) {
            for (var j = 0; j <= i; j++) {
                l.a[i][j] = b.a[i][j] * friction[i] * friction[j];
            }
            l.a[i][i] += multiplier;
        }
        l = cholesky(l, n);
        if (l.a[0][5] == 0.0) {
            return array<f32, 6>();
        }
        for (var i = 0; i < MAXDIM; i++) {
            x[i] = select(0.0, -linear[i] * friction[i], i < n);
        }
        x = cholesky_solve(l, n, x);
        // resolution of f32 for the difference of two squares
        let excess = square(x) - normal * normal;
        if (excess < max(NOISE, 1e-6 * normal * normal)) {
            break;
        }
        let slope = cholesky_solve(l, n, x);
        var along = 0.0;
        for (var i = 0; i < n; i++) {
            along += x[i] * slope[i];
        }
        let change = excess / (2.0 * along);
        if (change < NOISE) {
            break;
        }
        multiplier += change;
    }

    // project onto the ellipsoid, which x is only near
    var scale = 1.0;
    if (multiplier != 0.0) {
        scale = normal / sqrt(max(square(x), MINVAL));
    }
    for (var i = 0; i < MAXDIM; i++) {
        x[i] *= select(0.0, friction[i] * scale, i < n);
    }
    return x;
}

fn square(x: array<f32, 6>) -> f32 {
    var sum = 0.0;
    for (var k = 0; k < MAXDIM; k++) {
        sum += x[k] * x[k];
    }
    return sum;
}

// a = L L'; the last entry of its first row says whether it is regular
fn cholesky(b: Block, n: i32) -> Block {
    var l = b;
    var determinant = 1.0;
    for (var i = 0; i < n; i++) {
        for (var j = 0; j <= i; j++) {
            var sum = l.a[i][j];
            for (var k = 0; k < j; k++) {
                sum -= l.a[i][k] * l.a[j][k];
            }
            if (i > j) {
                l.a[i][j] = sum / l.a[j][j];
            } else {
                determinant *= sum;
                l.a[i][i] = sqrt(max(sum, MINVAL));
            }
        }
    }
    l.a[0][5] = select(0.0, 1.0, determinant >= NOISE || (n > 3 && determinant > 0.0));
    return l;
}

fn cholesky_solve(l: Block, n: i32, b: array<f32, 6>) -> array<f32, 6> {
    var x = b;
    for (var i = 0; i < n; i++) {
        for (var k = 0; k < i; k++) {
            x[i] -= l.a[i][k] * x[k];
        }
        x[i] /= l.a[i][i];
    }
    for (var i = n - 1; i >= 0; i--) {
        for (var k = i + 1; k < n; k++) {
            x[i] -= l.a[k][i] * x[k];
        }
        x[i] /= l.a[i][i];
    }
    return x;
}

// generalized constraint force, acceleration and the rows' states, from the rows' forces (`mj_dualFinish`)
fn finish() {
    for (var i = lane; i < nv; i += LANES) {
        let force = force_on(i);
        set_qfrc_constraint(i, force);
        set_qacc(i, force);
    }
    set_states();
    team_sync();
    solve_metric<qacc>();
    for (var i = lane; i < nv; i += LANES) {
        set_qacc(i, qacc(i) + qacc_smooth(i));
    }
}

// the states of the rows from their forces
fn set_states() {
    for (var r = lane; r < nefc(); r += LANES) {
        if (is_elliptic(r) && !is_normal(r)) {
            continue;
        }
        let state = state_of(r);
        for (var n = 0; n < rows_of(r); n++) {
            set_efc_state(r + n, state);
        }
    }
}

// of a row; that of the first row of a contact stands for all
fn state_of(r: i32) -> i32 {
    let force = efc_force(r);
    if (r < ne()) {
        // equality
        return CNSTRSTATE_QUADRATIC;
    }
    if (r < ne() + nf()) {
        let loss = efc_frictionloss(r);
        if (force >= loss) {
            return CNSTRSTATE_LINEARNEG;
        }
        return select(CNSTRSTATE_QUADRATIC, CNSTRSTATE_LINEARPOS, force <= -loss);
    }
    if (force <= 0.0) {
        return CNSTRSTATE_SATISFIED;
    }
    if (is_elliptic(r)) {
        let c = contact_of(r);
        return select(CNSTRSTATE_QUADRATIC, CNSTRSTATE_CONE, contact_slides(c, of_contact<efc_force>(r, c.dim)));
    }
    return CNSTRSTATE_QUADRATIC;
}
