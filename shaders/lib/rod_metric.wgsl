// what elastic rods add to the metric of a discrete step: the squares of the slopes of their curvatures and twists. The slopes of the
// material's axes are left out, and of what is negative nothing is taken: the metric stays positive. The twist that moving vertices
// cause is in the metric, but not in the change of forces over a timestep

// weights of what a rod holds: of springs, of the twist by moving vertices, and of dampers
struct Weights {
    spring: Weight,
    twist: Weight,
    damper: Weight,
}

// adds the material of a rod to `efm_K_val` and `efm_c`: `shift` is the timestep, or zero without springs
fn stiffen_rod(f: i32, shift: f32, damping: f32) {
    let h = opt_timestep;
    let weights = Weights(Weight(h * shift, shift), Weight(h * shift, 0.0), Weight(h * damping, 0.0));
    for (var k = 0; k < hinges(f); k++) {
        let adr = record(f, k);
        if (twists(f)) {
            twisting_metric(f, k, weights);
        } else if (flex_bending(adr + 3) < 0.0) {
            let b = bend_at(vec3i(rod_corner(f, k, 0), rod_corner(f, k, 1), rod_corner(f, k, 2)));
            held_metric(b, flex_bending(adr + 4), smoothed(b, flex_bending(adr + 6)), vec3f(), weights);
        } else {
            pair_metric(f, k, weights);
        }
    }
}

// x y', given by its rows
fn outer(x: vec3f, y: vec3f) -> mat3x3f {
    return mat3x3f(y * x.x, y * x.y, y * x.z);
}

// adds a quadratic form of the curvature
fn add_curved(weight: Weight, b: Bend, form: mat3x3f) {
    var slopes: array<vec3f, 12>;
    for (var k = 0; k < 3; k++) {
        let over = vec3f(select(0.0, 1.0, k == 0), select(0.0, 1.0, k == 1), select(0.0, 1.0, k == 2));
        let edges = bend_slopes(b, over, 0.0);
        slopes[4 * k] = -edges[0];
        slopes[4 * k + 1] = edges[0] - edges[1];
        slopes[4 * k + 2] = edges[1];
    }
    add_form(weight, vec4i(b.v, 0), 3, 3, slopes, form);
}

// what the damping of a hinge without twist holds: only the angle between its edges, unless they are aligned
fn damped_form(b: Bend, stiffness: f32) -> mat3x3f {
    let size = bend_size(b);
    let dir = bend_direction(b, size);
    return unit_mat3() * select(stiffness, 0.0, nonzero(size)) + outer(dir, dir) * stiffness;
}

// a hinge that holds the size of its curvature; a tension resists its turning unless it is negative, of a pair's hinge only across the
// edge between both
fn held_metric(b: Bend, stiffness: f32, size: Size, edge: vec3f, weights: Weights) {
    let dir = b.curvature / size.smooth_;
    let tension = max(1.0 - size.held / size.smooth_, 0.0);
    let across = unit_mat3() - outer(edge, edge);
    let form = across * (2.0 * stiffness * tension) + outer(dir, dir) * (2.0 * stiffness * (1.0 - tension));
    add_curved(weights.spring, b, form);
    add_curved(weights.damper, b, damped_form(b, 2.0 * stiffness));
}

// two neighbours that are bent at rest, and the angle between their planes
fn pair_metric(f: i32, k: i32, weights: Weights) {
    let pair = pair_at(f, k);
    let adr = record(f, k);
    let edge = pair.bend0.tangent[1];
    held_metric(pair.bend0, flex_bending(adr + 4), pair.size0, edge, weights);
    held_metric(pair.bend1, flex_bending(adr + 5), pair.size1, edge, weights);

    var angle = fold(pair.v);
    let held = vec2f(flex_bending(adr + 8), flex_bending(adr + 9));
    let weight = pair.size0.weight * pair.size1.weight;
    let own = 2.0 * weight * length(held);
    let both = -2.0 * weight * (angle.cosine * held.x + angle.sine * held.y);
    let drag = own * weight / (1.0 + ROD_SMOOTH);
    var slopes: array<vec3f, 12>;
    for (var i = 0; i < 8; i++) {
        slopes[i] = angle.turns[i];
    }
    add_form(weights.spring, pair.v, 4, 2, slopes, mat3x3f(vec3f(own, both, 0.0), vec3f(both, own, 0.0), vec3f()));
    add_form(weights.damper, pair.v, 4, 2, slopes, mat3x3f(vec3f(drag, -drag, 0.0), vec3f(-drag, drag, 0.0), vec3f()));
}

// a hinge of an open chain whose edges twist
fn twisting_metric(f: i32, k: i32, weights: Weights) {
    let adr = record(f, k);
    let v = vec3i(rod_corner(f, k, 0), rod_corner(f, k, 1), rod_corner(f, k, 2));
    let b = bend_at(v);
    var edges = array<Axes, 2>(axes(f, k), axes(f, k + 1));
    let weak = flex_bending(adr + 4);
    let strong = weak + flex_bending(adr + 5);
    let stiff = vec2f(strong, weak);
    let damp = vec2f(strong, sqrt(weak * strong));
    let rest = flex_rodadr(f) + ROD_REST + ROD_CURVATURES * k;
    let size = bend_size(b);
    let dir = bend_direction(b, size);
    var form = mat3x3f();
    var aligned = mat3x3f();
    var bent = 0.0;
    var turning = vec2f();
    for (var j = 0; j < 2; j++) {
        let side = vec2f(dot(b.curvature, edges[j].axes[0]), dot(b.curvature, edges[j].axes[1]));
        turning[j] = stiff.x * side.y * side.y + stiff.y * side.x * side.x;
        for (var axis = 0; axis < 2; axis++) {
            let along = edges[j].axes[axis];
            turning[j] -= stiff[axis] * (side[axis] - flex_rod(rest + 2 * j + axis)) * side[axis];
            form += outer(along, along) * stiff[axis];
            aligned += outer(along, along) * damp[axis];
            let part = dot(dir, along);
            bent += damp[axis] * part * part;
        }
    }
    add_curved(weights.spring, b, form);
    if (nonzero(size)) {
        aligned = outer(dir, dir) * bent;
    }
    add_curved(weights.damper, b, aligned);

    // torsion: by moving vertices, and by the hinges of joints
    let two = 2.0 * flex_bending(adr + 8);
    let over = bend_slopes(b, vec3f(), 1.0);
    var slopes: array<vec3f, 12>;
    slopes[0] = -over[0];
    slopes[1] = over[0] - over[1];
    slopes[2] = over[1];
    let joints = vec2i(edges[0].joint, edges[1].joint);
    let twist = mat3x3f(vec3f(two, 0.0, 0.0), vec3f(), vec3f());
    add_form(weights.twist, vec4i(v, 0), 3, 1, slopes, twist);
    add_form(weights.damper, vec4i(v, 0), 3, 1, slopes, twist);
    add_hinges(weights.spring, joints, two, max(turning, vec2f()));
    add_hinges(weights.damper, joints, two, vec2f());
}
