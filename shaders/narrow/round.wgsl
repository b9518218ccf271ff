// spheres, capsules, and a sphere with a cylinder, as in src/cpu/collision/round.rs

// two balls of two shapes, each with its own center and radius
fn balls(first: Shape, pos1: vec3f, radius1: f32, second: Shape, pos2: vec3f, radius2: f32, margin: f32) {
    let dif = pos2 - pos1;
    let reach = margin + radius1 + radius2;
    let dist2 = dot(dif, dif);
    if (dist2 > reach * reach) {
        return;
    }
    let dist = sqrt(dist2) - radius1 - radius2;

    // same center, up to rounding: the normal is across both z axes, or along x
    var normal = normalize3(dif);
    if (normal.w < nothing(first.size[0] + second.size[0])) {
        normal = normal_across(first.mat[2], second.mat[2]);
    }
    add_contact(dist, pos1 + normal.xyz * (radius1 + 0.5 * dist), normal.xyz);
}

// the normalized cross product of two unit vectors; x where they are parallel
fn normal_across(axis1: vec3f, axis2: vec3f) -> vec4f {
    let across = normalize3(cross(axis1, axis2));
    return select(across, vec4f(1.0, 0.0, 0.0, across.w), across.w < nothing(1.0));
}

// sphere and capsule: the sphere against the nearest ball of the capsule
fn sphere_capsule(sphere: Shape, capsule: Shape, margin: f32) {
    let axis = capsule.mat[2];
    let half = capsule.size[1];
    let x = clip(dot(axis, sphere.pos - capsule.pos), -half, half);
    balls(sphere, sphere.pos, sphere.size[0], capsule, capsule.pos + axis * x, capsule.size[0], margin);
}

// sphere and cylinder: contact with its side, its cap or its rim
fn sphere_cylinder(sphere: Shape, cylinder: Shape, margin: f32) {
    let radius = cylinder.size[0];
    let half = cylinder.size[1];
    let axis = cylinder.mat[2];
    let apart = sphere.pos - cylinder.pos;
    let x = dot(axis, apart);
    let along = axis * x;
    let across = apart - along;
    let across2 = dot(across, across);

    // a center inside the cylinder is pushed out by the nearer of side and cap
    var side = abs(x) < half;
    var cap = across2 < radius * radius;
    if (side && cap) {
        cap = half - abs(x) < radius - sqrt(across2);
        side = !cap;
    }
    let top = select(-1.0, 1.0, x > 0.0);

    // cap: a plane, with the normal reversed since the sphere comes first
    if (cap) {
        let before = found;
        plane_point(cylinder.pos + axis * (top * half), axis * top, sphere.pos, sphere.size[0], margin);
        if (found > before) {
            found_point[before].normal = -found_point[before].normal;
        }
        return;
    }

    // side, or rim
    var nearest = along + cylinder.pos;
    var round_ = radius;
    if (!side) {
        nearest = axis * (top * half) + across * (radius / sqrt(across2)) + cylinder.pos;
        round_ = 0.0;
    }
    balls(sphere, sphere.pos, sphere.size[0], cylinder, nearest, round_, margin);
}

// two capsules: one contact of the nearest points, or two where the axes are parallel
fn capsule_capsule(first: Shape, second: Shape, margin: f32) {
    let axis1 = first.mat[2] * first.size[1];
    let axis2 = second.mat[2] * second.size[1];
    let across = cross(axis1, axis2);
    let det = dot(across, across);
    let ma = dot(axis1, axis1);
    let mc = dot(axis2, axis2);
    let parallel = det <= 1e-8 * ma * mc;

    // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v; the second is the nearest to the first, so where the lines
    // are nearly parallel, an error of x1 leaves the two near each other
    let dif = second.pos - first.pos;
    let mb = -dot(axis1, axis2);
    let u = dot(axis1, dif);
    let v = -dot(axis2, dif);
    var x1 = dot(cross(dif, axis2), across) / det;

    // clipped to the segments
    x1 = clip(x1, -1.0, 1.0);
    var x2 = (v - mb * x1) / mc;
    if (abs(x2) > 1.0) {
        x2 = clip(x2, -1.0, 1.0);
        x1 = clip((u - mb * x2) / ma, -1.0, 1.0);
    }
    for (var n = 0; n < select(1, 2, parallel); n++) {
        var pos1 = first.pos + axis1 * x1;
        var pos2 = second.pos + axis2 * x2;
        if (parallel) {
            let ends = parallel_ends(first, second, f32(2 * n - 1));
            pos1 = ends[0];
            pos2 = ends[1];
        }
        balls(first, pos1, first.size[0], second, pos2, second.size[0], margin);
    }
}

// parallel axes: a contact at each end of the overlap, the same contact twice where there is none
fn parallel_ends(first: Shape, second: Shape, side: f32) -> array<vec3f, 2> {
    let axis1 = first.mat[2];
    let axis2 = second.mat[2];
    let half1 = first.size[1];
    let half2 = second.size[1];
    let sign = select(-1.0, 1.0, dot(axis1, axis2) >= 0.0);
    let low2 = second.pos - axis2 * (sign * half2);
    let high2 = second.pos + axis2 * (sign * half2);
    let low = dot(axis1, low2 - first.pos);
    let high = dot(axis1, high2 - first.pos);
    let disjoint = low > half1 || high < -half1;

    // disjoint: the facing ends; else the end that comes first, and its neighbor on the other axis
    let lower = select((side < 0.0), (low > half1), disjoint);
    let end2 = select(high2, low2, lower);
    let x2 = select(high, low, lower);
    if (!disjoint && side * x2 >= half1) {
        let pos1 = first.pos + axis1 * (side * half1);
        let x = clip(dot(axis2, pos1 - second.pos), -half2, half2);
        return array<vec3f, 2>(pos1, second.pos + axis2 * x);
    }
    return array<vec3f, 2>(first.pos + axis1 * clip(x2, -half1, half1), end2);
}
