// Inertia in its place again (end of `mj_fwdConstraint`).

fn mj_settle() {
    if (nflexvertipc > 0) {
        // forward dynamics are those without constraints
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, qacc_smooth(i));
        }
    } else {
        spin_free();
    }
    team_sync();
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_smooth(i, efm_qfrc(i));
    }
    exchange_metric();
}

// accelerations of free rigid bodies that none of the rows holds
fn spin_free() {
    hold_dofs();
    for (var i = lane; i < nv && model_rigid; i += LANES) {
        if (begins_free(i)) {
            spin(i);
        }
    }
}

// acceleration of a free rigid body, given by its first dof, with the derivative of its bias force
fn spin(first: i32) {
    if (!is_free(first)) {
        return;
    }
    var mat: array<array<f32, 6>, 6>;
    var x: array<f32, 6>;
    for (var a = 0; a < 6; a++) {
        var slope = bias_slope(first + a);
        for (var b = 0; b < 6; b++) {
            let at = m_address(first + a, first + b);
            mat[a][b] = opt_timestep * slope[b];
            if (at >= 0) {
                mat[a][b] += M(at);
            }
        }
        x[a] = qfrc_smooth(first + a);
    }

    // x = inv(mat) x; the symmetric part of the matrix is positive definite, so no pivoting is needed
    for (var k = 0; k < 6; k++) {
        for (var a = k + 1; a < 6; a++) {
            let factor = mat[a][k] / mat[k][k];
            for (var b = k; b < 6; b++) {
                mat[a][b] -= factor * mat[k][b];
            }
            x[a] -= factor * x[k];
        }
    }
    for (var k = 5; k >= 0; k--) {
        for (var b = k + 1; b < 6; b++) {
            x[k] -= mat[k][b] * x[b];
        }
        x[k] /= mat[k][k];
    }
    for (var a = 0; a < 6; a++) {
        set_qacc(first + a, x[a]);
    }
}
