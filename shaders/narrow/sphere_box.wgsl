// a ball and a box, as in src/cpu/collision/sphere_box.rs

// ball with its center in the frame of the box: contact with the nearest point of the box, or with the nearest face if the center
// is inside
fn ball_box(center: vec3f, radius: f32, cube: Shape, margin: f32) {
    let size = cube.size;
    let clamped = select(center, clamp(center, -size, size), size > vec3f(0.0));
    let inward = normalize3(clamped - center);
    if (inward.w - radius > margin) {
        return;
    }

    // center outside: midway between the nearest point of the box and the deepest point of the ball
    var normal = inward.xyz;
    var dist = inward.w - radius;
    var pos = clamped * 0.5 + (center + normal * radius) * 0.5;

    // center inside: pushed out by the nearest face
    if (inward.w <= MINVAL) {
        var closest = 2.0 * (size[0] + size[1] + size[2]);
        normal = vec3f(0.0);
        for (var i = 0; i < 6; i++) {
            let side = select(-1.0, 1.0, i % 2 == 1);
            let depth = abs(side * size[i / 2] - center[i / 2]);
            if (closest > depth) {
                closest = depth;
                normal = vec3f(0.0);
                normal[i / 2] = -side;
            }
        }
        dist = -closest - radius;
        pos = center + normal * (0.5 * (radius - closest));
    }

    // transforms a contact from the frame of the box to the world
    add_contact(dist, cube.mat * pos + cube.pos, cube.mat * normal);
}
