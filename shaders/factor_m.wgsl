// L'DL of M (`mj_factorM`).

fn mj_factor_m() {
    // the factorization works in place on a copy
    for (var k = lane; k < nC; k += LANES) {
        set_qLD(k, M(k));
    }
    team_sync();
    let clamped = factor_i<qLD, qLDiagInv>();

    // a matrix that is not positive definite is warned of once per call
    warn(WARN_INERTIA, clamped);

    // a matrix whose rounding alone changes accelerations is flagged
    var coarse = false;
    for (var i = lane; i < nv; i += LANES) {
        coarse |= MAXLOSS / ROUNDING < cancellation(i);
    }
    tell(OVERFLOW_PRECISION, team_any(coarse));
}
