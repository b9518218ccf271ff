// solver parameters of a constraint: reference stiffness and damping, impedance and regularisation

// solref and solimp of a constraint, brought into range
struct Solver {
    solref: vec2f,
    solimp: array<f32, 5>,
}

// impedance and its derivative with respect to the violation
struct Impedance {
    value: f32,
    slope: f32,
}

// solref and solimp, brought into range: a mixed solref is replaced by the default, a standard one is kept at two timesteps or
// more unless refsafe is off
fn solver(solref: vec2f, solimp: array<f32, 5>) -> Solver {
    var ref_ = solref;
    if ((ref_[0] > 0.0) != (ref_[1] > 0.0)) {
        ref_ = vec2f(0.02, 1.0);
    }
    if ((opt_disableflags & DSBL_REFSAFE) == 0 && opt_integrator != INT_DISCRETE && ref_[0] > 0.0) {
        ref_[0] = max(ref_[0], 2.0 * opt_timestep);
    }
    return Solver(ref_, array<f32, 5>(
        clamp(solimp[0], MINIMP, MAXIMP),
        clamp(solimp[1], MINIMP, MAXIMP),
        max(solimp[2], 0.0),
        clamp(solimp[3], MINIMP, MAXIMP),
        max(solimp[4], 1.0)));
}

// damping ratio of a standard solref whose spring a discrete step may be unable to resolve; 0 where it can at any impedance, or if
// refsafe is off. It cannot where its stiffness is above the stiffest that is resolved
fn unresolved(s: Solver) -> f32 {
    let tc = s.solref[0];
    let dr = s.solref[1];
    if (opt_integrator != INT_DISCRETE || (opt_disableflags & DSBL_REFSAFE) != 0) {
        return 0.0;
    }
    return select(0.0, dr, tc > 0.0 && dr > 0.0 && s.solimp[1] * tc * dr < opt_timestep);
}

// reference stiffness K
fn stiffness(s: Solver) -> f32 {
    let dmax2 = s.solimp[1] * s.solimp[1];
    let tc = s.solref[0];
    let dr = s.solref[1];
    if (tc > 0.0) {
        return 1.0 / max(dmax2 * tc * tc * dr * dr, MINVAL);
    }
    return -tc / max(dmax2, MINVAL);
}

// reference damping B
fn damping(s: Solver) -> f32 {
    let dmax = s.solimp[1];
    if (s.solref[1] > 0.0) {
        return 2.0 / max(dmax * s.solref[0], MINVAL);
    }
    return -s.solref[1] / max(dmax, MINVAL);
}

// violation at which a contact stops an approach so that its two sides just touch when the timestep ends: `time` is the fraction of the
// timestep after which they touch, `way` how much nearer they would come in the whole timestep (m)
fn arrest(s: Solver, time: f32, way: f32) -> f32 {
    let dmax = s.solimp[1];
    let ratio = unresolved(s);
    let firm = resolved(dmax, ratio);
    var k = stiffness(s);
    var b = damping(s);
    if (ratio > 0.0 && firm[0] < k) {
        k = firm[0];
        b = firm[1];
    }
    let spring = opt_timestep * opt_timestep * k * dmax * dmax;
    let damper = opt_timestep * b * dmax;

    // spring and damper of a discrete step act with the velocity at its end, which is the present one times `time`
    let resists = select(damper, time * (damper + spring), opt_integrator == INT_DISCRETE);
    if (spring < MINVAL) {
        return s.solimp[2];
    }
    return (1.0 - time - resists) / spring * way;
}

// a nonnegative number to a constant power; the powers 1 and 2 are common
fn power(x: f32, p: f32) -> f32 {
    if (p == 0.0) {
        return 1.0;
    }
    if (p == 1.0) {
        return x;
    }
    if (p == 2.0) {
        return x * x;
    }
    return pow(x, p);
}

// impedance at a violation `pos - margin`: a sigmoid of the violation's size in units of the width
fn impedance(s: Solver, violation: f32) -> Impedance {
    let dmin = s.solimp[0];
    let dmax = s.solimp[1];
    let width = s.solimp[2];
    let midpoint = s.solimp[3];
    let p = s.solimp[4];

    // flat
    if (dmin == dmax || width <= MINVAL) {
        return Impedance(0.5 * (dmin + dmax), 0.0);
    }
    let x = abs(violation) / width;

    // two powers that meet at the midpoint
    var y = x;
    var dy = 1.0;
    if (p != 1.0) {
        if (x <= midpoint) {
            let a = 1.0 / power(midpoint, p - 1.0);
            y = a * power(x, p);
            dy = p * a * power(x, p - 1.0);
        } else {
            let b = 1.0 / power(1.0 - midpoint, p - 1.0);
            let rest = 1.0 - min(x, 1.0);
            y = 1.0 - b * power(rest, p);
            dy = p * b * power(rest, p - 1.0);
        }
    }

    // saturated outside
    if (x >= 1.0) {
        y = 1.0;
        dy = 0.0;
    } else if (x <= 0.0) {
        y = 0.0;
        dy = 0.0;
    }
    let sign = select(1.0, -1.0, violation < 0.0);
    return Impedance(dmin + y * (dmax - dmin), dy * sign * (dmax - dmin) / width);
}

// R of a row, from its impedance and the approximate diagonal of A
fn regularization(imp: Impedance, diag: f32) -> f32 {
    return max((1.0 - imp.value) * diag / imp.value, MINVAL);
}
