// planes: a plane and a convex shape, as in src/cpu/collision/plane.rs

// a plane and a ball; the contact is midway between the surfaces
fn plane_point(origin: vec3f, normal: vec3f, center: vec3f, radius: f32, margin: f32) {
    let height = dot(center - origin, normal);
    if (height > margin + radius) {
        return;
    }
    let dist = height - radius;
    add_contact(dist, center + normal * (-0.5 * dist - radius), normal);
}

// plane and capsule: a ball at each end
fn plane_capsule(plane: Shape, capsule: Shape, margin: f32) {
    for (var end = 0; end < 2; end++) {
        let side = 1.0 - 2.0 * f32(end);
        let center = capsule.pos + capsule.mat[2] * (side * capsule.size[1]);
        plane_point(plane.pos, plane.mat[2], center, capsule.size[0], margin);
    }

    // the first tangent is along the capsule
    found_tangent = capsule.mat[2];
}

// plane and ellipsoid: the lowest point
fn plane_ellipsoid(plane: Shape, ellipsoid: Shape, margin: f32) {
    let normal = plane.mat[2];
    let size = ellipsoid.size;

    // support of the unit ball, stretched
    let down = -(transpose(ellipsoid.mat) * normal);
    let local = normalize3(down * size).xyz * size;
    plane_point(plane.pos, normal, ellipsoid.mat * local + ellipsoid.pos, 0.0, margin);
}

// plane and cylinder: two points of the lowest line and two that complete a triangle of the lower disk
fn plane_cylinder(plane: Shape, cylinder: Shape, margin: f32) {
    let normal = plane.mat[2];
    let radius = cylinder.size[0];
    let half = cylinder.size[1];

    // the axis points towards the plane
    var axis = cylinder.mat[2];
    var slope = dot(normal, axis);
    if (slope > 0.0) {
        axis = -axis;
        slope = -slope;
    }
    let height = dot(cylinder.pos - plane.pos, normal);

    // lowest direction of the disk, scaled by the radius; x where the disk is parallel to the plane. In single precision MuJoCo's
    // difference leaves the plane of a disk that is hardly tilted; the double cross product never does
    let across = cross(axis, cross(axis, normal));
    let len = length(across);
    var low = cylinder.mat[0] * radius;
    if (len >= MINVAL) {
        low = across * (radius / len);
    }
    let down = dot(low, normal);
    axis *= half;
    slope *= half;

    // lowest point of the near disk
    var dist = height + slope + down;
    if (dist > margin) {
        return;
    }
    add_contact(dist, cylinder.pos + low + axis + normal * (-0.5 * dist), normal);

    // lowest point of the far disk
    dist = height - slope + down;
    if (dist <= margin) {
        add_contact(dist, cylinder.pos + low - axis + normal * (-0.5 * dist), normal);
    }

    // the two other corners of an equilateral triangle in the near disk
    dist = height + slope - 0.5 * down;
    if (dist <= margin) {
        let side = normalize3(cross(low, axis)).xyz * (radius * 0.8660254037844386);
        for (var n = 0; n < 2; n++) {
            let point = cylinder.pos + side * (1.0 - 2.0 * f32(n)) + axis - low * 0.5;
            add_contact(dist, point + normal * (-0.5 * dist), normal);
        }
    }
}

// plane and box: the first four of the lower corners
fn plane_box(plane: Shape, cube: Shape, margin: f32) {
    let normal = plane.mat[2];
    let height = dot(cube.pos - plane.pos, normal);
    for (var i = 0; i < 8; i++) {
        if (found == 4) {
            return;
        }

        // corner relative to the center
        let corner = cube.mat * (corner_sign(i) * cube.size);
        let below = dot(normal, corner);
        let dist = height + below;
        if (dist <= margin && below <= 0.0) {
            add_contact(dist, corner + cube.pos + normal * (-0.5 * dist), normal);
        }
    }
}

// bit j of a corner's number: on the +j side
fn corner_sign(i: i32) -> vec3f {
    return select(vec3f(-1.0), vec3f(1.0), vec3<bool>((i & 1) != 0, (i & 2) != 0, (i & 4) != 0));
}
