// sphere, box and capsule against a triangle inflated by `radius`, as in src/cpu/collision/triangle.rs: the geom comes first

// a sphere
fn sphere_triangle(center: vec3f, around: f32, triangle: array<vec3f, 4>, radius: f32, margin: f32) {
    let way = normalize3(nearest_point(triangle, 3, center) - center);
    let dist = way.w - around - radius;
    if (dist <= margin) {
        add_contact(dist, center + way.xyz * (around + 0.5 * dist), way.xyz);
    }
}

// a box: corners of the triangle against the face of least depth, then corners of the box
fn box_triangle(cube: Shape, triangle_: array<vec3f, 4>, radius: f32, margin: f32) {
    var triangle = triangle_;
    for (var n = 0; n < 3; n++) {
        let corner = triangle[n];
        let local = transpose(cube.mat) * (corner - cube.pos);
        let over = abs(local) - cube.size;
        if (any(over > vec3f(margin + radius))) {
            continue;
        }
        var axis = 0;
        for (var i = 1; i < 3; i++) {
            if (over[i] > over[axis]) {
                axis = i;
            }
        }
        let normal = cube.mat[axis] * select(-1.0, 1.0, local[axis] > 0.0);
        let dist = over[axis] - radius;
        add_contact(dist, corner + normal * (-radius - 0.5 * dist), normal);
    }
    for (var i = 0; i < 8; i++) {
        let high = vec3<bool>((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
        sphere_triangle(cube.pos + cube.mat * select(-cube.size, cube.size, high), 0.0, triangle, radius, margin);
    }
}

// a capsule: its ends, then corners of the triangle beside its segment
fn capsule_triangle(capsule: Shape, triangle_: array<vec3f, 4>, radius: f32, margin: f32) {
    var triangle = triangle_;
    let half = capsule.size[1];
    let axis = capsule.mat[2];
    for (var end = 0; end < 2; end++) {
        sphere_triangle(capsule.pos + axis * select(-half, half, end == 1), capsule.size[0], triangle, radius, margin);
    }
    for (var n = 0; n < 3; n++) {
        // between the ends only
        let along = dot(triangle[n] - capsule.pos, axis);
        let share = 0.5 * (along / half + 1.0);
        if (share <= MINVAL || share >= 1.0 - MINVAL) {
            continue;
        }
        let nearest = capsule.pos + axis * along;
        let way = normalize3(triangle[n] - nearest);
        let dist = way.w - capsule.size[0] - radius;
        if (dist <= margin) {
            add_contact(dist, nearest + way.xyz * (capsule.size[0] + 0.5 * dist), way.xyz);
        }
    }
}
