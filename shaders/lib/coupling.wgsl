// couplings in the metric of a discrete step for which M's sparsity has no room, and the factor of the whole metric. A row of couplings
// belongs to the lane of its dof

// true if a model has couplings beyond M's sparsity
const COUPLED: bool = nefmK > 0;

// address of the coupling of two dofs; -1: there is none
fn coupling(i: i32, j: i32) -> i32 {
    let low = min(i, j);
    var first = efm_K_rowadr(max(i, j));
    let end = first + efm_K_rownnz(max(i, j));
    var last = end;
    while (first < last) {
        let middle = (first + last) / 2;
        if (efm_K_colind(middle) < low) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    let found = first < end && efm_K_colind(min(first, nefmK - 1)) == low;
    return select(-1, first, found);
}

// adds K `x` to a product with the metric, for one dof
fn add_couplings<x>(sum: f32, i: i32) -> f32 {
    var all = sum;
    let adr = efm_S_rowadr(i);
    for (var a = adr; a < adr + efm_S_rownnz(i); a++) {
        all += efm_K_val(efm_S_adr(a)) * x(efm_S_colind(a));
    }
    return all;
}

// adds what soft bodies add to the diagonal of the metric to `qH`, from which the exact diagonal of A follows
fn add_own_couplings() {
    for (var i = lane; i < nv; i += LANES) {
        let k = coupling(i, i);
        if (k >= 0) {
            let at = on_diagonal(i);
            set_qH(at, qH(at) + efm_K_val(k));
        }
    }
    team_sync();
}

// factors the whole metric; `efm_M` holds what M's sparsity has room for, and M and its factor are in their own places
fn factor_metric() {
    for (var k = lane; k < nefmL; k += LANES) {
        set_efm_L(k, 0.0);
    }
    team_sync();

    // a lane has the entries of a dof and earlier ones: a column of the factor
    for (var i = lane; i < nv; i += LANES) {
        for (var a = M_rowadr(i); a < M_rowadr(i) + M_rownnz(i); a++) {
            let at = efm_L_adr(M_colind(a)) + i;
            set_efm_L(at, efm_L(at) + efm_M(a));
        }
        for (var a = efm_K_rowadr(i); a < efm_K_rowadr(i) + efm_K_rownnz(i); a++) {
            let at = efm_L_adr(efm_K_colind(a)) + i;
            set_efm_L(at, efm_L(at) + efm_K_val(a));
        }
    }
    team_sync();

    for (var k = nv - 1; k >= 0; k--) {
        // springs and dampers only add to inertia, also where rounding errors would reduce it
        let at = efm_L_adr(k) + k;
        let pivot = max(efm_L(at), max(MINVAL, 1.0 / qLDiagInv(k)));
        for (var i = lane; i < k; i += LANES) {
            if (efm_L_end(i) >= k) {
                let row = efm_L_adr(i);
                let u = efm_L(row + k) / pivot;
                for (var j = i; j < k; j++) {
                    if (efm_L_end(j) >= k) {
                        set_efm_L(row + j, efm_L(row + j) - u * efm_L(efm_L_adr(j) + k));
                    }
                }
            }
        }
        team_sync();
        if (lane == 0) {
            set_efm_L(at, pivot);
            set_efm_LDiagInv(k, 1.0 / pivot);
        }
    }
    team_sync();

    for (var i = lane; i < nv; i += LANES) {
        let row = efm_L_adr(i);
        for (var k = i + 1; k <= efm_L_end(i); k++) {
            set_efm_L(row + k, efm_L(row + k) * efm_LDiagInv(k));
        }
    }
    team_sync();
}

// solves with the whole metric in place
fn solve_coupled<x>() {
    for (var k = nv - 1; k > 0; k--) {
        let xk = x(k);
        for (var i = lane; i < k; i += LANES) {
            if (efm_L_end(i) >= k) {
                set_x(i, x(i) - efm_L(efm_L_adr(i) + k) * xk);
            }
        }
        team_sync();
    }

    for (var i = lane; i < nv; i += LANES) {
        set_x(i, x(i) * efm_LDiagInv(i));
    }
    team_sync();

    for (var k = 0; k < nv; k++) {
        let xk = x(k);
        let row = efm_L_adr(k);
        for (var i = k + 1 + lane; i <= efm_L_end(k); i += LANES) {
            set_x(i, x(i) - efm_L(row + i) * xk);
        }
        team_sync();
    }
}

// solves with the metric that is in M's place
fn solve_metric<x>() {
    if (COUPLED) {
        solve_coupled<x>();
    } else {
        solve_ld<qLD, qLDiagInv, x>();
    }
}

// `x` = inv(metric) grad for the dofs of an island, with which no other dof is coupled; their product
fn solve_dofs<x>(g: Island) -> f32 {
    for (var i = lane; i < nv; i += LANES) {
        set_x(i, 0.0);
    }
    team_sync();
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        set_x(i, solver_grad(i));
    }
    team_sync();
    solve_metric<x>();
    var sum = 0.0;
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        sum += solver_grad(i) * x(i);
    }
    return team_sum(sum);
}
