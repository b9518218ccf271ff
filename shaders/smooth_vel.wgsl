// Derivative of the smooth forces with respect to velocity (`mjd_smooth_vel`).

const SLOPE_BIAS: bool = opt_integrator == INT_IMPLICIT;
const SLOPE_DRAG: bool = has_medium && !((opt_disableflags & DSBL_SPRING) != 0 && (opt_disableflags & DSBL_DAMPER) != 0);

fn mj_smooth_vel() {
    // velocity-dependent forces on bodies
    if (nvslope > 0) {
        slope_bodies();
    } else {
        for (var k = lane; k < nDimp; k += LANES) {
            set_qDeriv(k, 0.0);
        }
    }
    team_sync();

    // actuators
    if (nactuator > 0 && (opt_disableflags & DSBL_ACTUATION) == 0) {
        let bad = bad_ctrl();
        for (var i = 0; i < nactuator; i++) {
            if (!actuator_disabled(i)) {
                slope_actuator(i, bad);
            }
        }
    }

    // dampers of dofs and tendons
    if ((opt_disableflags & DSBL_DAMPER) != 0) {
        return;
    }
    for (var i = lane; i < nv; i += LANES) {
        let at = d_address(i, i);
        set_qDeriv(at, qDeriv(at) - damping_slope(i));
    }
    for (var t = 0; t < ntendon; t++) {
        let poly = vec2f(tendon_dampingpoly_all(t, 0), tendon_dampingpoly_all(t, 1));
        if (tendon_damping_all(t) == 0.0 && all(poly == vec2f(0.0))) {
            continue;
        }
        let slope = poly_force_slope(tendon_damping_all(t), poly, ten_velocity(t), true);
        let adr = ten_J_rowadr(t);
        for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
            for (var l = adr; l < adr + ten_J_rownnz(t); l++) {
                add_slope(ten_J_colind(k), ten_J_colind(l), -slope * ten_J(k) * ten_J(l));
            }
        }
    }
}

// adds to an entry, if it exists: there is none for dofs of two branches. A row is written by the lane of its dof
fn add_slope(i: i32, j: i32, x: f32) {
    if (i % LANES == lane && ancestor(min(i, j), max(i, j))) {
        let at = d_address(i, j);
        set_qDeriv(at, qDeriv(at) + x);
    }
}

// true if dof `low` is dof `high` or one of its ancestors
fn ancestor(low: i32, high: i32) -> bool {
    let place = D_diag(low);
    return place <= D_diag(high) && D_colind(D_rowadr(high) + place) == low;
}

// gyroscopic forces and drag: matrices of bodies, summed over subtrees
fn slope_bodies() {
    // matrices of single bodies; the world body has none
    for (var i = lane; i < nbody; i += LANES) {
        for (var k = 0; k < 36; k++) {
            set_slope_force(i, k, 0.0);
        }
        if (i == 0) {
            continue;
        }
        if (SLOPE_BIAS) {
            var slope = gyroscopic(cinert(i), cvel(i));
            for (var c = 0; c < 6; c++) {
                slope_gather(i, c, slope.c[c], -1.0);
            }
        }
        if (SLOPE_DRAG && body_mass(i) >= MINVAL) {
            slope_resistance(i);
        }
    }
    team_sync();

    // sums over subtrees, children before parents
    for (var level = nlevel - 1; level > 0; level--) {
        for (var n = lane; n < level_num(level); n += LANES) {
            let i = level_body(level_adr(level) + n);
            for (var c = 0; c < body_childnum(i); c++) {
                let child = child_body(body_childadr(i) + c);
                for (var k = 0; k < 36; k++) {
                    set_slope_force(i, k, slope_force(i, k) + slope_force(child, k));
                }
            }
        }
        team_sync();
    }

    // vectors of each dof as the deeper one of two dofs, and as the other one
    for (var k = lane; k < nv; k += LANES) {
        let body = dof_bodyid(k);
        let axis = cdof(k);
        let x = array(axis.rot.x, axis.rot.y, axis.rot.z, axis.lin.x, axis.lin.y, axis.lin.z);
        var own = Spatial(vec3f(0.0), vec3f(0.0));
        for (var c = 0; c < 6; c++) {
            let column = slope_column(body, c);
            own = add_scl6(own, column, x[c]);
            set_slope_axis_at(k, c, dot6(column, axis));
        }
        if (SLOPE_BIAS) {
            let turn = axis_turn(k);
            set_slope_turn(k, turn);
            set_slope_momentum(k, mul_inert_vec(crb(body), axis));
            own = add_scl6(own, mul_inert_vec(crb(body), turn), -1.0);
        }
        set_slope_own(k, own);
    }
    team_sync();

    // entries
    for (var i = lane; i < nv; i += LANES) {
        let adr = D_rowadr(i);
        for (var k = adr; k < adr + D_rownnz(i); k++) {
            let j = D_colind(k);
            if (j > i) {
                set_qDeriv(k, dot6(cdof(i), slope_own(j)));
                continue;
            }
            var slope = dot6(slope_axis(i), cdof(j));
            if (SLOPE_BIAS) {
                slope -= dot6(slope_momentum(i), slope_turn(j));
            }
            set_qDeriv(k, slope);
        }
    }
}

fn slope_column(body: i32, c: i32) -> Spatial {
    return Spatial(
        vec3f(slope_force(body, 6 * c), slope_force(body, 6 * c + 1), slope_force(body, 6 * c + 2)),
        vec3f(slope_force(body, 6 * c + 3), slope_force(body, 6 * c + 4), slope_force(body, 6 * c + 5)));
}

// adds a column times a number
fn slope_gather(body: i32, c: i32, column: Spatial, scale: f32) {
    for (var r = 0; r < 3; r++) {
        set_slope_force(body, 6 * c + r, slope_force(body, 6 * c + r) + scale * column.rot[r]);
        set_slope_force(body, 6 * c + 3 + r, slope_force(body, 6 * c + 3 + r) + scale * column.lin[r]);
    }
}

// drag on a body: its derivatives for unit motions
fn slope_resistance(i: i32) {
    // integrators with a symmetric factor take the symmetric part; free rigid bodies have a full one
    let last = body_lastdof(i);
    let symmetric = opt_integrator == INT_IMPLICITFAST && (last < 0 || !rigid(last));
    if (box_like(i)) {
        slope_along(i, -1, symmetric);
        return;
    }
    let adr = body_geomadr(i);
    for (var g = adr; g < adr + body_geomnum(i); g++) {
        if (geom_fluid(g, 0) != 0.0) {
            slope_along(i, g, symmetric);
        }
    }
}

// six columns: derivative of torque and force, about the centre of mass of the tree, by motion; `g`: the geom, -1: the inertia box
fn slope_along(i: i32, g: i32, symmetric: bool) {
    var pos = xipos(i);
    var mat = ximat(i);
    if (g >= 0) {
        pos = geom_xpos(g);
        mat = geom_xmat(g);
    }
    let offset = pos - subtree_com(body_rootid(i));
    let vel = fluid_velocity(i, pos, mat);
    for (var c = 0; c < 6; c++) {
        let unit = unit_motion(c);
        let motion = Medium(
            transpose(mat) * (unit.lin + cross(unit.rot, offset)),
            transpose(mat) * unit.rot);
        var push: Medium;
        if (g >= 0) {
            push = ellipsoid_slope(g, vel, motion);
        } else {
            push = box_slope(i, vel, motion);
        }
        let force = mat * push.lin;
        let column = Spatial(mat * push.rot + cross(offset, force), force);
        if (!symmetric) {
            slope_gather(i, c, column, 1.0);
            continue;
        }
        slope_gather(i, c, column, 0.5);
        for (var r = 0; r < 3; r++) {
            set_slope_force(i, 6 * r + c, slope_force(i, 6 * r + c) + 0.5 * column.rot[r]);
            set_slope_force(i, 6 * (r + 3) + c, slope_force(i, 6 * (r + 3) + c) + 0.5 * column.lin[r]);
        }
    }
}

// derivatives for the inertia box (`mjd_inertiaBoxFluid`)
fn box_slope(i: i32, vel: Medium, along: Medium) -> Medium {
    let drag = box_drag(i);
    return Medium(
        -along.lin * (drag.linear + 2.0 * drag.face * abs(vel.lin)),
        -along.rot * (drag.angular + 2.0 * drag.spin * abs(vel.rot)));
}

// derivatives for an ellipsoid (`mjd_ellipsoidFluid`)
fn ellipsoid_slope(g: i32, vel: Medium, along: Medium) -> Medium {
    // momentum of the fluid that moves along (added mass)
    let mass = opt_density * vec3f(geom_fluid(g, 6), geom_fluid(g, 7), geom_fluid(g, 8));
    let inertia = opt_density * vec3f(geom_fluid(g, 9), geom_fluid(g, 10), geom_fluid(g, 11));
    let added_force = cross(mass * along.lin, vel.rot) + cross(mass * vel.lin, along.rot);
    let moving = cross(mass * along.lin, vel.lin) + cross(mass * vel.lin, along.lin);
    let turning = cross(inertia * along.rot, vel.rot) + cross(inertia * vel.rot, along.rot);

    let drag = flow_slope(g, vel, along);
    return Medium((added_force + drag.lin) * geom_fluid(g, 0), (moving + turning - drag.rot) * geom_fluid(g, 0));
}

fn slope_inverse(x: f32) -> f32 {
    return select(0.0, 1.0 / max(x, MINVAL), x > MINVAL);
}

// derivatives of lift minus drag, and of the drag torque
fn flow_slope(g: i32, vel: Medium, along: Medium) -> Medium {
    let blunt = geom_fluid(g, 1);
    let slender = geom_fluid(g, 2);
    let angular = geom_fluid(g, 3);
    let size = semi_axes(g);
    let widest = max(size.x, max(size.y, size.z));
    let least = min(size.x, min(size.y, size.z));
    let mid = size.x + size.y + size.z - widest - least;

    // area projected along the velocity; faces are scaled by the largest one, since squares of thin shapes lose precision
    let sides = size.yzx * size.zxy;
    var faces = sides * sides;
    let largest = max(faces.x, max(faces.y, faces.z));
    faces /= largest;
    let way = normalize3(vel.lin);
    let inv_speed = slope_inverse(way.w);
    let seen = faces * way.xyz;
    let square = dot(seen, seen);
    let product = dot(seen, way.xyz);
    let inv_square = slope_inverse(square);
    let inv_product = slope_inverse(product);
    let unit = FLUID_PI * sqrt(largest);
    let area = unit * sqrt(square * inv_product);
    let kutta = geom_fluid(g, 4) * opt_density * unit * sqrt(product * inv_square);

    // derivatives of the projected area and of the speed
    let step = faces * along.lin;
    let dsquare = 2.0 * dot(seen, step) * inv_square * inv_speed;
    let dproduct = (dot(step, way.xyz) + dot(seen, along.lin)) * inv_product * inv_speed;
    let dspeed = select(0.0, dot(way.xyz, along.lin), inv_speed > 0.0);
    let darea = area * 0.5 * (dsquare - dproduct);

    // Magnus lift: rotation during translation
    let volume = 4.0 / 3.0 * FLUID_PI * size.x * size.y * size.z;
    let spun = cross(along.rot, vel.lin) + cross(vel.rot, along.lin);
    var lift = spun * (geom_fluid(g, 5) * opt_density * volume);

    // Kutta lift: translation at an angle to the axes
    let askew = cross(seen, vel.lin);
    let daskew = cross(step, way.xyz) + cross(seen, along.lin);
    let growth = 0.5 * (dproduct - dsquare) - dspeed * inv_speed;
    lift += (cross(daskew, vel.lin) + cross(askew, along.lin) + cross(askew, vel.lin) * growth) * kutta;

    // drag of translation: viscous as for a sphere, else between blunt and slender
    let diam = 2.0 / 3.0 * (size.x + size.y + size.z);
    let facing = area * blunt + slender * (FLUID_PI * widest * mid - area);
    let drag = opt_viscosity * 3.0 * FLUID_PI * diam + opt_density * way.w * facing;
    let ddrag = opt_density * (facing * dspeed + way.w * (blunt - slender) * darea);

    // drag of rotation
    let most = 8.0 / 15.0 * FLUID_PI * mid * widest * widest * widest * widest;
    let other = max(size.yzx, size.zxy);
    let about = 8.0 / 15.0 * FLUID_PI * size * other * other * other * other;
    let moments = angular * about + slender * (vec3f(most) - about);
    let resisted = vel.rot * moments;
    let resist = length(resisted);
    let viscous = opt_viscosity * FLUID_PI * diam * diam * diam;
    let dresist = dot(resisted, along.rot * moments) * slope_inverse(resist);
    return Medium(
        lift - along.lin * drag - vel.lin * ddrag,
        along.rot * (viscous + opt_density * resist) + vel.rot * (opt_density * dresist));
}

// derivative of an actuator's force with respect to velocity, added for each output by itself
fn slope_actuator(i: i32, bad: bool) {
    if (saturated(i)) {
        return;
    }
    let slope = force_slope(i, bad);
    let first = actuator_outadr(i);
    for (var r = first; r < first + actuator_outnum(i); r++) {
        let adr = moment_rowadr(r);
        for (var k = adr; k < adr + moment_rownnz(r); k++) {
            for (var l = adr; l < adr + moment_rownnz(r); l++) {
                add_slope(moment_colind(k), moment_colind(l), slope * actuator_moment(k) * actuator_moment(l));
            }
        }
    }
}

// true where a limit holds the force, independent of the velocity
fn saturated(i: i32) -> bool {
    let adr = actuator_outadr(i);

    // force range of the actuator
    if (actuator_forcelimited(i) != 0) {
        let lo = actuator_forcerange(i, 0);
        let hi = actuator_forcerange(i, 1);
        if (model_so3 && actuator_gaintype(i) == GAIN_SO3) {
            let torque = vec3f(actuator_force(adr), actuator_force(adr + 1), actuator_force(adr + 2));
            if (at_limit(length(torque), hi)) {
                return true;
            }
        } else if (actuator_force(adr) <= lo || actuator_force(adr) >= hi) {
            return true;
        }
    }

    // force range of its joint or tendon
    let trn = actuator_trntype(i);
    let id = max(actuator_trnid(i, 0), 0);
    if (trn == TRN_JOINT || trn == TRN_JOINTINPARENT) {
        if (jnt_actfrclimited(id) == 0) {
            return false;
        }
        let force = qfrc_actuator(jnt_dofadr(id));
        return force <= jnt_actfrcrange(id, 0) || force >= jnt_actfrcrange(id, 1);
    }
    if (trn != TRN_TENDON) {
        return false;
    }
    if (tendon_actfrclimited(id) == 0) {
        return false;
    }
    var sum = 0.0;
    for (var k = 0; k < nactuator; k++) {
        if (actuator_trntype(k) == TRN_TENDON && actuator_trnid(k, 0) == id) {
            sum += actuator_force(actuator_outadr(k));
        }
    }
    return at_limit(-sum, -tendon_actfrcrange(id, 0)) || at_limit(sum, tendon_actfrcrange(id, 1));
}

// true for a force that was scaled down to its limit, which it then meets up to rounding (MuJoCo leaves that to chance)
fn at_limit(x: f32, limit: f32) -> bool {
    return limit - 1e-6 * abs(limit) <= x;
}

// derivative of an actuator's force with respect to its velocity
fn force_slope(i: i32, bad: bool) -> f32 {
    let r = actuator_outadr(i);
    var slope = 0.0;

    // bias
    let biastype = actuator_biastype(i);
    if (biastype == BIAS_AFFINE || biastype == BIAS_SO3) {
        slope += actuator_biasprm(i, 2);
    }
    let gaintype = actuator_gaintype(i);
    if (model_dcmotors && (biastype == BIAS_DCMOTOR || gaintype == GAIN_DCMOTOR)) {
        slope += motor_slope(i, bad);
    }

    // derivative of the gain, times the control or the last activation, possibly that of the next timestep
    if (gaintype == GAIN_AFFINE) {
        return slope + actuator_gainprm(i, 2) * actuator_input(i, bad);
    }
    if (model_muscles && gaintype == GAIN_MUSCLE) {
        return slope + muscle_gain_slope(i, actuator_length(r), actuator_velocity(r)) * actuator_input(i, bad);
    }
    return slope;
}
