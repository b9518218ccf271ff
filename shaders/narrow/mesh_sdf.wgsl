// contacts of a mesh with a signed distance field, as in src/cpu/collision/mesh_sdf.rs: triangles that may reach into the solid are found in
// the tree of boxes of the mesh. On each, from points spread over it, a descent among its corners (that of Frank and Wolfe) looks for the
// deepest point; a point within the solid is a contact

// maximum number of points found in the solid by one search
const SDF_MOST: i32 = 50;

// number of points found in the present search, whether only the deepest becomes a contact, and whether the last look began within its ball
var<private> sdf_met: i32;
var<private> sdf_single: bool;
var<private> sdf_near: bool;

// contacts of two geoms in their places: a mesh, and a signed distance field
fn mesh_sdf(geom1: i32, geom2: i32) {
    let frame = sdf_frame(geom2);
    let map = sdf_between(Place(geom_xpos(geom1), geom_xmat(geom1)), frame);
    let mesh = geom_dataid(geom1);
    let first = max(mesh_bvhadr(mesh), 0);
    // the triangles of a mesh whose boxes, and all boxes around those, are near: the second half of each box first
    var boxes: array<i32, MESH_BOXES>;
    var num = min(mesh_bvhnum(mesh), 1);
    sdf_met = 0;
    sdf_single = false;
    while (num > 0 && sdf_met < SDF_MOST) {
        num--;
        let own = first + boxes[num];
        let face = bvh_nodeid(own);
        let half = vec3f(bvh_aabb(own, 3), bvh_aabb(own, 4), bvh_aabb(own, 5));
        let center = map.mat * vec3f(bvh_aabb(own, 0), bvh_aabb(own, 1), bvh_aabb(own, 2)) + map.pos;
        let row = mesh_faceadr(mesh) + max(face, 0);
        let corners = mat3x3f(
            look_corner(mesh, row, 0, map), look_corner(mesh, row, 1, map), look_corner(mesh, row, 2, map));
        look(geom2, corners, vec4f(center, length(half)), select(opt_sdf_initpoints, 0, face < 0));
        if (sdf_near && face < 0) {
            boxes[num] = bvh_child(own, 0);
            boxes[num + 1] = bvh_child(own, 1);
            num += 2;
        }
    }
    sdf_place(frame);
}

// the deepest contact of a signed distance field and a triangle in the world; what is found around the triangle does not count
fn triangle_sdf(geom: i32) {
    let frame = sdf_frame(geom);
    let local = mat3x3f(element2[0] - frame.pos, element2[1] - frame.pos, element2[2] - frame.pos);
    sdf_met = 0;
    sdf_single = true;
    look(geom, transpose(frame.mat) * local, vec4f(0.0, 0.0, 0.0, MAXVAL), opt_sdf_initpoints);
    sdf_place(frame);
    if (found > 0) {
        found_point[0].normal = -found_point[0].normal;
    }
}

fn look_corner(mesh: i32, row: i32, k: i32, map: Place) -> vec3f {
    return map.mat * mesh_vert(mesh_vertadr(mesh) + mesh_face(row, k)) + map.pos;
}

// looks where a triangle is deepest, from each of some points that are spread over it, unless the ball (center, radius) around it does not
// reach into the solid; a box that has parts has no triangle and no start points
fn look(geom: i32, corners: mat3x3f, ball: vec4f, starts: i32) {
    let turns = opt_sdf_iterations + 1;
    sdf_near = true;
    var x = ball.xyz;
    for (var turn = -1; turn < starts * turns && sdf_near && sdf_met < SDF_MOST; turn++) {
        let step = turn % turns;
        if (turn >= 0 && step == 0) {
            x = corners * look_start(turn / turns + 1);
        }
        let at = sdf_at(geom, x);
        if (turn < 0) {
            sdf_near = at.w < ball.w;
        } else if (step < opt_sdf_iterations) {
            x = look_towards(corners, at.xyz, x, 2.0 / (f32(step) + 2.0));
        } else if (at.w < 0.0) {
            look_found(geom, at, x);
        }
    }
}

// shares of the corners in a start point
fn look_start(start: i32) -> vec3f {
    var u = halton(start, 2);
    var v = halton(start, 3);
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    return vec3f(1.0 - u - v, u, v);
}

// towards the corner that the slope leads to, less far each time; the first step comes to that corner exactly
fn look_towards(corners: mat3x3f, slope: vec3f, x: vec3f, share: f32) -> vec3f {
    let down = slope * corners;
    var to = corners[0];
    to = select(to, corners[1], down.y < down.x);
    to = select(to, corners[2], down.z < min(down.x, down.y));
    return x * (1.0 - share) + to * share;
}

// a point in the solid as a contact, each place once
fn look_found(geom: i32, at: vec4f, x: vec3f) {
    sdf_met++;
    if (searches_elements && sdf_single) {
        if (found > 0 && at.w >= found_point[0].dist) {
            return;
        }
        found = 0;
    }
    let steep = length(at.xyz);
    if (steep >= MINVAL && !sdf_known(geom, x)) {
        add_contact(at.w, x, at.xyz / -steep);
    }
}
