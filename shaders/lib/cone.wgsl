// elliptic contacts: a normal row and its friction rows. Their cost depends on the position of the residual relative to the cone.
// Scaled by the friction coefficients the cone is circular: N is the normal, T the length of the tangential residual
//
//        T          mu T <= N       top      no force
//        |  middle  /               middle   distance to the cone, squared
//  bottom|\    /  top               bottom   quadratic in every row
//        |  \/______ N              mu N + T <= 0

// number of rows of the largest contact
const MAXDIM: i32 = 6;

// an elliptic contact: number of rows, friction of the regularized cone, factors that make the cone circular
struct Contact {
    dim: i32,
    mu: f32,
    scale: array<f32, 6>,
}

// true if a row belongs to an elliptic contact
fn is_elliptic(r: i32) -> bool {
    if (opt_cone == CONE_ELLIPTIC) {
        return efc_type(r) == CNSTR_CONTACTELLIPTIC;
    }
    return false;
}

// true if a row is the first of its contact
fn is_normal(r: i32) -> bool {
    return r == contact_efc_address(efc_id(r));
}

// the contact whose first row is `r`
fn contact_of(r: i32) -> Contact {
    let pair = contact_collision(efc_id(r));
    var c: Contact;
    c.dim = collision_condim(pair);
    c.mu = collision_friction(pair, 0) * sqrt(efc_R(r + 1) / efc_R(r));
    c.scale[0] = c.mu;
    for (var k = 1; k < MAXDIM; k++) {
        c.scale[k] = collision_friction(pair, k - 1);
    }
    return c;
}

// values of an array for the rows of a contact
fn of_contact<x>(r: i32, dim: i32) -> array<f32, 6> {
    var v: array<f32, 6>;
    for (var k = 0; k < MAXDIM; k++) {
        if (k < dim) {
            v[k] = x(r + k);
        }
    }
    return v;
}

// a residual scaled so that the cone is circular, and its tangential length
struct Round {
    u: array<f32, 6>,
    t: f32,
}

fn round_of(c: Contact, x: array<f32, 6>) -> Round {
    var v: Round;
    var square = 0.0;
    for (var k = 0; k < MAXDIM; k++) {
        v.u[k] = x[k] * c.scale[k];
        if (k > 0) {
            square += v.u[k] * v.u[k];
        }
    }
    v.t = sqrt(square);
    return v;
}

// the smallest normal force that allows these friction forces
fn contact_reach(c: Contact, force: array<f32, 6>) -> f32 {
    var square = 0.0;
    for (var k = 1; k < MAXDIM; k++) {
        if (k < c.dim) {
            let part = force[k] / c.scale[k];
            square += part * part;
        }
    }
    return sqrt(square);
}

// true if the friction forces are as large as the normal force allows
fn contact_slides(c: Contact, force: array<f32, 6>) -> bool {
    return contact_reach(c, force) >= force[0] * (1.0 - 1e-6);
}

// zone of the residual relative to the cone
fn zone(mu: f32, n: f32, t: f32) -> i32 {
    if (n >= mu * t || (t <= 0.0 && n >= 0.0)) {
        return CNSTRSTATE_SATISFIED;
    }
    if (mu * n + t <= 0.0 || t <= 0.0) {
        return CNSTRSTATE_QUADRATIC;
    }
    return CNSTRSTATE_CONE;
}

// stiffness of the squared distance to the cone
fn cone_stiffness(mu: f32, inertia: f32) -> f32 {
    return inertia / (mu * mu * (1.0 + mu * mu));
}

// cost of the rows with residuals `x`
fn contact_cost(c: Contact, r: i32, x: array<f32, 6>) -> f32 {
    let v = round_of(c, x);
    let state = zone(c.mu, v.u[0], v.t);
    var cost = 0.0;
    if (state == CNSTRSTATE_QUADRATIC) {
        for (var k = 0; k < c.dim; k++) {
            cost += 0.5 * efc_D(r + k) * x[k] * x[k];
        }
    } else if (state == CNSTRSTATE_CONE) {
        let distance = v.u[0] - c.mu * v.t;
        cost = 0.5 * cone_stiffness(c.mu, efc_D(r)) * distance * distance;
    }
    return cost;
}

// sets the forces of the rows with residuals `x`; returns their state
fn contact_force(c: Contact, r: i32, x: array<f32, 6>) -> i32 {
    let v = round_of(c, x);
    let state = zone(c.mu, v.u[0], v.t);
    let normal = -cone_stiffness(c.mu, efc_D(r)) * (v.u[0] - c.mu * v.t) * c.mu;
    for (var k = 0; k < c.dim; k++) {
        var force = 0.0;
        if (state == CNSTRSTATE_QUADRATIC) {
            force = -efc_D(r + k) * x[k];
        } else if (state == CNSTRSTATE_CONE) {
            force = select(-normal / v.t * v.u[k] * c.scale[k], normal, k == 0);
        }
        set_efc_force(r + k, force);
    }
    return state;
}

// second derivative of the cost with respect to the residuals in the middle zone, times a vector
fn contact_hessian(c: Contact, r: i32, x: array<f32, 6>, y: array<f32, 6>) -> array<f32, 6> {
    let v = round_of(c, x);
    let bend = c.mu * v.u[0] / v.t;
    let k = cone_stiffness(c.mu, efc_D(r));

    // the vector scaled so that the cone is circular, and its component along the tangent
    var w = round_of(c, y).u;
    var along = 0.0;
    for (var i = 1; i < MAXDIM; i++) {
        along += v.u[i] / v.t * w[i];
    }
    let normal = w[0];
    w[0] = k * c.scale[0] * (normal - c.mu * along);
    for (var i = 1; i < MAXDIM; i++) {
        let direction = v.u[i] / v.t;
        w[i] = k * c.scale[i] * ((bend * along - c.mu * normal) * direction + (c.mu * c.mu - bend) * w[i]);
    }
    return w;
}

// coefficients for path_eval of rows with residuals that change: normal and its change by a unit step; squared length of the
// tangent, its product with the change, squared length of the change; coefficients of the cost in the bottom zone
struct Path {
    normal: vec2f,
    tangent: vec3f,
    quad: vec3f,
    stiffness: f32,
    mu: f32,
}

fn contact_path(c: Contact, r: i32, x: array<f32, 6>, y: array<f32, 6>) -> Path {
    var p: Path;
    for (var k = 0; k < MAXDIM; k++) {
        if (k < c.dim) {
            p.quad += efc_D(r + k) * vec3f(0.5 * x[k] * x[k], x[k] * y[k], 0.5 * y[k] * y[k]);
            let u = c.scale[k] * x[k];
            let w = c.scale[k] * y[k];
            if (k == 0) {
                p.normal = vec2f(u, w);
            } else {
                p.tangent += vec3f(u * u, u * w, w * w);
            }
        }
    }
    p.stiffness = cone_stiffness(c.mu, efc_D(r));
    p.mu = c.mu;
    return p;
}

// cost by the distance to the cone, and by the distance to its polar cone
fn cone_cost(p: Path, n: f32, t: f32) -> f32 {
    let distance = n - p.mu * t;
    return 0.5 * p.stiffness * distance * distance;
}

fn polar_cost(p: Path, n: f32, t: f32) -> f32 {
    let distance = p.mu * n + t;
    return 0.5 * p.stiffness * distance * distance;
}

// cost, minus the cost at the start, and its derivatives at a step (`PrimalEval`); sum of the absolute values of the slope's terms
fn path_eval(p: Path, alpha: f32) -> vec4f {
    let t0 = sqrt(p.tangent.x);
    let moved = alpha * (2.0 * p.tangent.y + alpha * p.tangent.z);
    let n0 = p.normal.x;
    let n = n0 + alpha * p.normal.y;
    let t = sqrt(max(p.tangent.x + moved, 0.0));
    let zone0 = zone(p.mu, n0, t0);
    let zone1 = zone(p.mu, n, t);

    // cost differences are formed from the coefficients, so that they do not cancel
    var out = vec4f(0.0);
    let quad = alpha * (alpha * p.quad.z + p.quad.y);
    if (zone0 == zone1) {
        if (zone0 == CNSTRSTATE_QUADRATIC) {
            out.x = quad;
        } else if (zone0 == CNSTRSTATE_CONE) {
            let change = alpha * p.normal.y - p.mu * moved / (t + t0);
            out.x = 0.5 * p.stiffness * change * (2.0 * (n0 - p.mu * t0) + change);
        }
    } else if (zone0 == CNSTRSTATE_CONE) {
        out.x = select(-cone_cost(p, n0, t0), quad + polar_cost(p, n0, t0), zone1 == CNSTRSTATE_QUADRATIC);
    } else if (zone0 == CNSTRSTATE_QUADRATIC) {
        out.x = select(-p.quad.x, quad - polar_cost(p, n, t), zone1 == CNSTRSTATE_CONE);
    } else {
        out.x = select(p.quad.x + quad, cone_cost(p, n, t), zone1 == CNSTRSTATE_CONE);
    }

    // derivatives
    if (zone1 == CNSTRSTATE_QUADRATIC) {
        out.y = 2.0 * alpha * p.quad.z + p.quad.y;
        out.z = 2.0 * p.quad.z;
        out.w = abs(p.quad.y) + 2.0 * abs(alpha) * p.quad.z;
    } else if (zone1 == CNSTRSTATE_CONE) {
        let t1 = (p.tangent.y + alpha * p.tangent.z) / t;
        let t2 = (p.tangent.z - t1 * t1) / t;
        let slope = p.normal.y - p.mu * t1;
        let distance = n - p.mu * t;
        out.y = p.stiffness * distance * slope;
        out.z = p.stiffness * (slope * slope - distance * p.mu * t2);
        out.w = p.stiffness * (abs(n0) + abs(alpha * p.normal.y) + p.mu * (t0 + t)) * abs(slope);
    }
    return out;
}
