// Tendon lengths and Jacobian (`mj_tendon`).

fn mj_tendon() {
    // number of path points from earlier iterations
    var before = 0;
    for (var base = 0; base < ntendon; base += LANES) {
        let t = base + lane;
        let is = t < ntendon;
        var num = 0;
        if (is) {
            if (tendon_type(t) == TENDON_FIXED) {
                fixed_tendon(t);
            }
        }
        if (model_spatial_tendons) {
            // lengths and rows first; the addresses of the points are known when all are counted
            var adr = 0;
            for (var turn = 0; turn < 2; turn++) {
                if (is && tendon_type(t) == TENDON_SPATIAL) {
                    num = spatial_tendon(t, adr, turn == 1);
                }
                if (turn == 0) {
                    adr = before + team_scan(num);
                }
            }
            if (is) {
                set_ten_wrapadr(t, adr);
            }
            before += team_sum_i(num);
        } else if (is) {
            set_ten_wrapadr(t, 0);
        }
        if (is) {
            set_ten_wrapnum(t, num);
        }
    }
    if (SLEEPS) {
        team_sync();
        wake_tied();
    }
}

// a linear combination of joint coordinates
fn fixed_tendon(t: i32) {
    let adr = ten_J_rowadr(t);
    let end = adr + ten_J_rownnz(t);
    for (var k = adr; k < end; k++) {
        set_ten_J(k, 0.0);
    }
    let start = tendon_adr(t);
    var len = 0.0;
    for (var w = start; w < start + tendon_num(t); w++) {
        let j = wrap_objid(w);
        let coef = wrap_prm(w);
        len += coef * qpos(jnt_qposadr(j));
        // the row's columns are in the order of dofs, the path in that of the model file
        for (var k = adr; k < end; k++) {
            if (ten_J_colind(k) == jnt_dofadr(j)) {
                set_ten_J(k, coef);
            }
        }
    }
    set_ten_length(t, len);
}

// stores a point of the path
fn put_wrap(n: i32, point: vec3f, points: bool) {
    if (points) {
        for (var k = 0; k < 3; k++) {
            let word = 3 * n + k;
            set_wrap_xpos(word / 6, word % 6, point[k]);
        }
    }
}

// a path from site to site, possibly around geoms, in branches divided by pulleys: writes its points, from `first` on, or else
// its length and row. Returns the number of points
fn spatial_tendon(t: i32, first: i32, points: bool) -> i32 {
    let adr = ten_J_rowadr(t);
    let rownnz = ten_J_rownnz(t);
    if (!points) {
        for (var k = adr; k < adr + rownnz; k++) {
            set_ten_J(k, 0.0);
        }
    }
    var w = tendon_adr(t);
    let end = w + tendon_num(t);
    var n = first;
    var divisor = 1.0;
    var len = 0.0;
    while (w + 1 < end) {
        // a pulley starts a branch
        if (wrap_type(w) == WRAP_PULLEY) {
            divisor = wrap_prm(w);
            put_wrap(n, vec3f(0.0), points);
            n++;
            w++;
            continue;
        }
        let kind = wrap_type(w + 1);
        if (kind == WRAP_PULLEY) {
            w++;
            continue;
        }

        // from a site, possibly around a geom, to the next site
        let geom = kind != WRAP_SITE;
        let next = select(w + 1, w + 2, geom);
        let site0 = wrap_objid(w);
        let site1 = wrap_objid(next);
        let pos0 = site_xpos(site0);
        let pos1 = site_xpos(site1);
        put_wrap(n, pos0, points);
        n++;
        var touch = Touch();
        if (model_wraps && geom) {
            let g = wrap_objid(w + 1);
            let side = i32(round(wrap_prm(w + 1)));
            var obstacle = Obstacle(geom_xpos(g), geom_xmat(g), geom_size(g)[0], kind, side >= 0, vec3f(0.0));
            if (side >= 0) {
                obstacle.side = site_xpos(side);
            }
            touch = wrap(pos0, pos1, obstacle);
            if (touch.held) {
                put_wrap(n, touch.on, points);
                put_wrap(n + 1, touch.off, points);
                n += 2;
            }
        }

        // straight parts: one, or one on either side of the geom
        let scale = 1.0 / divisor;
        let legs = select(1, 2, touch.held);
        for (var leg = 0; leg < legs && !points; leg++) {
            var from_ = pos0;
            var to = pos1;
            var body0 = site_bodyid(site0);
            var body1 = site_bodyid(site1);
            if (touch.held && leg == 0) {
                to = touch.on;
                body1 = geom_bodyid(wrap_objid(w + 1));
            } else if (touch.held) {
                from_ = touch.off;
                body0 = geom_bodyid(wrap_objid(w + 1));
            }
            let dir = normalize3(to - from_);
            len += dir.w * scale;

            // rate of the distance of its ends, by dof; roundings of ends that keep their distance would be a lever for forces without bound
            let apart = body_weldid(body0) != body_weldid(body1);
            for (var e = 0; e < 2 && apart; e++) {
                let second = e == 1;
                let pull = dir.xyz * select(-scale, scale, second);
                add_jac<ten_J, ten_J_colind>(
                    adr, rownnz, select(body0, body1, second), select(from_, to, second), pull, vec3f(0.0));
            }
        }
        len += touch.length * scale;

        // the last site of a branch
        w = next;
        var last = w + 1 == end;
        if (!last) {
            last = wrap_type(w + 1) == WRAP_PULLEY;
        }
        if (last) {
            put_wrap(n, pos1, points);
            n++;
        }
    }
    if (!points) {
        set_ten_length(t, len);
    }
    return n - first;
}
