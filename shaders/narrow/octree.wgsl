// signed distance of a mesh from its octree, as in src/cpu/collision/octree.rs

// distance that a point outside of the root is put inside
const OCT_INSIDE: f32 = 1e-6;

fn oct_center(cell: i32) -> vec3f {
    return vec3f(oct_aabb(cell, 0), oct_aabb(cell, 1), oct_aabb(cell, 2));
}

fn oct_half(cell: i32) -> vec3f {
    return vec3f(oct_aabb(cell, 3), oct_aabb(cell, 4), oct_aabb(cell, 5));
}

// signed distance at a point (w), and its slope (xyz)
fn octree_at(mesh: i32, p: vec3f) -> vec4f {
    let root = max(mesh_octadr(mesh), 0);

    // distance of a point from the root cell, 0 inside; and the point itself, or if it is outside, the nearest point a little
    // inside the root
    let apart = p - oct_center(root);
    let beyond = abs(apart) - oct_half(root);
    let outer = (beyond >= vec3f(0.0)) & vec3<bool>(any(beyond > vec3f(0.0)));
    let way = select(vec3f(-1.0), vec3f(1.0), apart > vec3f(0.0));
    let over = select(vec3f(0.0), beyond, outer);
    let outside = length(over);
    let at = p - select(vec3f(0.0), way * (over + OCT_INSIDE), outer);

    // the cell that contains it, and its position in it, 0 to 1 along each axis
    var cell = root;
    var size = vec3f(1.0);
    var share = vec3f(0.0);
    var deeper = true;
    while (deeper) {
        let low = oct_center(cell) - oct_half(cell);
        size = oct_center(cell) + oct_half(cell) - low;
        share = (at - low) / size;
        let part = dot(select(vec3i(0), vec3i(1, 2, 4), share >= vec3f(0.5)), vec3i(1));
        let next = oct_child(cell, part);
        deeper = next > 0;
        cell = select(cell, root + next, deeper);
    }

    // along x, then y, then z
    let low = vec4f(oct_coeff(cell, 0), oct_coeff(cell, 2), oct_coeff(cell, 4), oct_coeff(cell, 6));
    let high = vec4f(oct_coeff(cell, 1), oct_coeff(cell, 3), oct_coeff(cell, 5), oct_coeff(cell, 7));
    let line = mix(low, high, share.x);
    let plane = mix(line.xz, line.yw, share.y);
    let across = mix(high.xz - low.xz, high.yw - low.yw, share.y);
    let along = line.yw - line.xz;
    let slope = vec3f(mix(across.x, across.y, share.z), mix(along.x, along.y, share.z), plane.y - plane.x) / size;
    let out = way * over / max(outside, MINVAL);
    return vec4f(select(slope, out, outer), mix(plane.x, plane.y, share.z) + outside);
}
