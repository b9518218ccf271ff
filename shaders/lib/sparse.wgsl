// the inertia matrix and its factor: symmetric, in sparse rows (M_rownnz M_rowadr M_colind), each row holding a dof's ancestors
// in ascending order and the dof itself last. Every lane of the team must call these functions; inputs of a function were written
// before a team_sync(), and its outputs are visible after its own

// turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below MINVAL becomes MINVAL. Returns whether any did
fn factor_i<mat, diaginv>() -> bool {
    var clamped = false;
    for (var k = nv - 1; k >= 0; k--) {
        let start = M_rowadr(k);
        let num = M_rownnz(k) - 1;

        // pivot
        let diag = mat(start + num);
        let small = diag < MINVAL;
        let pivot = select(diag, MINVAL, small);
        clamped |= small;
        let inv = 1.0 / pivot;

        // rows of the ancestors
        for (var a = lane; a < num; a += LANES) {
            let adr = M_rowadr(M_colind(start + a));
            let scale = mat(start + a) * inv;
            for (var b = 0; b <= a; b++) {
                set_mat(adr + b, mat(adr + b) - mat(start + b) * scale);
            }
        }
        team_sync();

        // this row becomes L; no lane reads it before the next team_sync()
        for (var a = lane; a < num; a += LANES) {
            set_mat(start + a, mat(start + a) * inv);
        }
        if (lane == 0) {
            set_mat(start + num, pivot);
            set_diaginv(k, inv);
        }
    }
    team_sync();
    return clamped;
}

// solves LᵀDL x = b in place
fn solve_ld<mat, diaginv, x>() {
    // Lᵀ, from the leaves
    for (var i = nv - 1; i > 0; i--) {
        let adr = M_rowadr(i);
        let xi = x(i);
        for (var a = lane; a < M_rownnz(i) - 1; a += LANES) {
            let j = M_colind(adr + a);
            set_x(j, x(j) - mat(adr + a) * xi);
        }
        team_sync();
    }

    // D
    for (var i = lane; i < nv; i += LANES) {
        set_x(i, x(i) * diaginv(i));
    }
    team_sync();

    // L, from the root: bodies level by level, their dofs in order
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            for (var c = 0; c < body_dofnum(i); c++) {
                let dof = body_dofadr(i) + c;
                let adr = M_rowadr(dof);
                var sum = 0.0;
                for (var a = 0; a < M_rownnz(dof) - 1; a++) {
                    sum += mat(adr + a) * x(M_colind(adr + a));
                }
                set_x(dof, x(dof) - sum);
            }
        }
        team_sync();
    }
}

// a row of M times `x`: entries of the mirrored column are gathered from the dofs below
fn mul_m_row<mat, x>(i: i32) -> f32 {
    let adr = M_rowadr(i);
    let num = M_rownnz(i) - 1;
    var sum = mat(adr + num) * x(i);
    for (var a = 0; a < num; a += 4) {
        let at = vec4i(adr) + four_from(a, num);
        let m = vec4f(mat(at.x), mat(at.y), mat(at.z), mat(at.w));
        let dof = vec4i(M_colind(at.x), M_colind(at.y), M_colind(at.z), M_colind(at.w));
        sum = plus_dot(sum, first_few(m, num - a), vec4f(x(dof.x), x(dof.y), x(dof.z), x(dof.w)));
    }
    // its descendants follow it, unless it is simple and has none; the index of i in their rows is its depth among dofs
    let end = i + D_rownnz(i) - D_diag(i);
    if (M_rownnz(min(i + 1, nv - 1)) > num + 1) {
        for (var j = i + 1; j < end; j += 8) {
            let dof = four_from(j, end);
            let more = four_from(j + 4, end);
            let row = vec4i(M_rowadr(dof.x), M_rowadr(dof.y), M_rowadr(dof.z), M_rowadr(dof.w)) + num;
            let next = vec4i(M_rowadr(more.x), M_rowadr(more.y), M_rowadr(more.z), M_rowadr(more.w)) + num;
            let m = vec4f(mat(row.x), mat(row.y), mat(row.z), mat(row.w));
            let n = vec4f(mat(next.x), mat(next.y), mat(next.z), mat(next.w));
            sum = plus_dot(sum, first_few(m, end - j), vec4f(x(dof.x), x(dof.y), x(dof.z), x(dof.w)));
            sum = plus_dot(sum, first_few(n, end - j - 4), vec4f(x(more.x), x(more.y), x(more.z), x(more.w)));
        }
    }
    return sum;
}

// `res` = M `x`
fn mul_m<mat, res, x>() {
    for (var i = lane; i < nv; i += LANES) {
        set_res(i, mul_m_row<mat, x>(i));
    }
    team_sync();
}

// address of M(i, j) in its row; -1 if there is none: a simple dof is coupled to no other
fn m_address(i: i32, j: i32) -> i32 {
    let low = min(i, j);
    let high = max(i, j);
    if (dof_simplenum(high) == 0) {
        return M_rowadr(high) + D_diag(low);
    }
    return select(-1, M_rowadr(high), low == high);
}

// true if dof `low` is dof `high` or one of its ancestors
fn ancestor(low: i32, high: i32) -> bool {
    let place = D_diag(low);
    return place <= D_diag(high) && D_colind(D_rowadr(high) + place) == low;
}

// address of the entry (i, j) of a full matrix in its rows (D_rowadr D_diag), if one of the dofs is an ancestor of the other. The
// descendants of a dof are those that follow it
fn d_address(i: i32, j: i32) -> i32 {
    return D_rowadr(i) + D_diag(min(i, j)) + max(j - i, 0);
}

// a row of a full matrix times `x`
fn mul_d_row<mat, x>(i: i32) -> f32 {
    let adr = D_rowadr(i);
    var sum = 0.0;
    for (var k = adr; k < adr + D_rownnz(i); k++) {
        sum += mat(k) * x(D_colind(k));
    }
    return sum;
}

// factors an unsymmetric matrix in place, all rows or those of free rigid bodies only: A = U L, with ones on the diagonal of U,
// without fill-in, since the leaves go first. A pivot below MINVAL becomes MINVAL; returns whether any did
fn factor_lu<mat>(rigid_only: bool) -> bool {
    var clamped = false;
    for (var k = nv - 1; k >= 0; k--) {
        let start = D_rowadr(k);
        let num = D_diag(k);
        let taken = !rigid_only || rigid(k);

        // pivot
        let diag = mat(start + num);
        let small = abs(diag) < MINVAL;
        let pivot = select(diag, MINVAL, small);
        clamped |= taken && small;

        // rows of the ancestors
        for (var a = lane; a < num && taken; a += LANES) {
            let i = D_colind(start + a);
            let above = d_address(i, k);
            let scale = mat(above) / pivot;
            set_mat(above, scale);
            for (var b = 0; b < num; b++) {
                let to = d_address(i, D_colind(start + b));
                set_mat(to, mat(to) - mat(start + b) * scale);
            }
        }
        team_sync();
        if (lane == 0 && taken) {
            set_mat(start + num, pivot);
        }
    }
    team_sync();
    return clamped;
}

// solves U L x = b over the dofs of the factor in place
fn solve_lu<mat, x>(rigid_only: bool) {
    // U, from the leaves
    for (var k = nv - 1; k >= 0; k--) {
        let adr = D_rowadr(k);
        let taken = !rigid_only || rigid(k);
        let xk = x(k);
        for (var a = lane; a < D_diag(k) && taken; a += LANES) {
            let i = D_colind(adr + a);
            set_x(i, x(i) - mat(d_address(i, k)) * xk);
        }
        team_sync();
    }

    // L, from the root: each dof is subtracted from its descendants
    for (var k = 0; k < nv; k++) {
        let taken = !rigid_only || rigid(k);
        let depth = D_diag(k);
        let xk = x(k) / mat(D_rowadr(k) + depth);
        team_sync();
        for (var j = k + 1 + lane; j < k + D_rownnz(k) - depth && taken; j += LANES) {
            set_x(j, x(j) - mat(D_rowadr(j) + depth) * xk);
        }
        if (lane == 0 && taken) {
            set_x(k, xk);
        }
        team_sync();
    }
}
