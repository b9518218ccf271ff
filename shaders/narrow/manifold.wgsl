// contacts of faces, as in src/cpu/collision/manifold.rs: the face or edge of one solid is clipped to the face of the other, and
// every corner left is a contact

// cosine of the angle up to which two faces count as parallel, and sine of the angle up to which an edge counts as parallel to a face
const MANIFOLD_FACE: f32 = 0.996;
const MANIFOLD_EDGE: f32 = 0.0888;

// part of a solid in the nearest face of the polytope: a vertex, an edge or a face of the solid
struct Part {
    id: vec3i,
    // number of distinct vertices
    num: i32,
    point: vec3f,
    other: vec3f,
    // the witness point, with the margin
    deepest: vec3f,
}

// outward normals (xyz) of the faces that contain a part, and the numbers of these faces (w), of both parts
var<private> manifold_facing: array<vec4f, 2 * SOLID_FACINGS>;
var<private> part1: Part;
var<private> part2: Part;

struct Edge {
    begin: vec3f,
    end: vec3f,
    dir: vec3f,
}

fn manifold_part(id: vec3i, p: mat3x3f, deepest: vec3f) -> Part {
    if (id.x == id.y && id.x == id.z) {
        return Part(id, 1, p[0], p[1], deepest);
    }
    if (id.x == id.y) {
        return Part(id.xzz, 2, p[0], p[2], deepest);
    }
    return Part(id, select(3, 2, id.z == id.x || id.z == id.y), p[0], p[1], deepest);
}

fn manifold_flat(solid: Solid) -> bool {
    return solid.kind == GEOM_CAPSULE || solid.kind == GEOM_CYLINDER || solid.kind == GEOM_BOX || solid.kind == GEOM_MESH;
}

fn convex_manifold(margin: f32) {
    if (ccd_corners == 0 || ccd_corners > 3 || !manifold_flat(solid1) || !manifold_flat(solid2)) {
        return;
    }
    // a vertex or a segment repeats its last corner
    if (ccd_corners < 2) {
        corner1 = corner0;
    }
    if (ccd_corners < 3) {
        corner2 = corner1;
    }
    let bare = select(0.5 * solid1.margin, 0.0, ccd_bare);
    let on1 = mat3x3f(corner0.on1 - corner0.dir * bare, corner1.on1 - corner1.dir * bare, corner2.on1 - corner2.dir * bare);
    let on2 = mat3x3f(
        corner0.on1 - corner0.diff + corner0.dir * bare, corner1.on1 - corner1.diff + corner1.dir * bare,
        corner2.on1 - corner2.diff + corner2.dir * bare);
    solid1.margin = margin;
    solid2.margin = margin;
    part1 = manifold_part(vec3i(corner0.id1, corner1.id1, corner2.id1), on1, ccd_point1);
    part2 = manifold_part(vec3i(corner0.id2, corner1.id2, corner2.id2), on2, ccd_point2);
    var num = vec2i(0);
    for (var side = 0; side < 2; side++) {
        let count = manifold_facings(side);
        num = select(num, vec2i(count), vec2i(0, 1) == vec2i(side));
    }

    // face and face: the most opposed pair
    var least = -MANIFOLD_FACE;
    var normal = vec3f(0.0);
    var dir = vec3f(0.0);
    var face = 0;
    var other = -1;
    for (var i = 0; i < num.x; i++) {
        let facing1 = manifold_facing[i];
        for (var j = 0; j < num.y; j++) {
            let facing2 = manifold_facing[SOLID_FACINGS + j];
            let cosine = dot(facing1.xyz, facing2.xyz);
            if (cosine < least) {
                least = cosine;
                normal = facing1.xyz;
                face = i32(facing1.w);
                dir = facing2.xyz;
                other = i32(facing2.w);
            }
        }
    }

    // edge of the first and face of the second, or the reverse
    var turned = false;
    var edge = Edge(vec3f(0.0), vec3f(0.0), vec3f(0.0));
    var there = other >= 0;
    for (var order = 0; order < 2 && !there; order++) {
        let reverse = order == 1;
        let out = select(-ccd_normal, ccd_normal, reverse);
        for (var k = 0; k < select(num.y, num.x, reverse) && !there; k++) {
            let facing = manifold_facing[k + select(SOLID_FACINGS, 0, reverse)];
            if (dot(facing.xyz, out) <= MINVAL) {
                continue;
            }
            let edges = manifold_edges(reverse);
            for (var e = 0; e < edges && !there; e++) {
                edge = manifold_edge(reverse, e, -facing.xyz);
                there = abs(dot(edge.dir, facing.xyz)) < MANIFOLD_EDGE;
            }
            normal = facing.xyz;
            dir = -facing.xyz;
            face = i32(facing.w);
            turned = !reverse;
        }
    }
    if (there) {
        clip_point[0] = edge.begin;
        clip_point[1] = edge.end;
        clip_to_face(turned, face, normal, other, dir, margin);
    }
}

// whether a polygon of a mesh contains a vertex
fn manifold_around(vertex: i32, polygon: i32) -> bool {
    let adr = mesh_polymapadr(vertex);
    var there = false;
    for (var o = 0; o < mesh_polymapnum(vertex); o++) {
        there |= mesh_polymap(adr + o) == polygon;
    }
    return there;
}

// outward normals of the faces that contain a part; returns their number
fn manifold_facings(side: i32) -> i32 {
    var solid = solid1;
    var part = part1;
    var dir = ccd_normal;
    if (side == 1) {
        solid = solid2;
        part = part2;
        dir = -dir;
    }
    let first = side * SOLID_FACINGS;
    var num = 0;
    if (solid_box && solid.kind == GEOM_BOX) {
        // sides that contain all corners
        for (var axis = 0; axis < 3; axis++) {
            let high = (part.id >> vec3u(u32(axis))) & vec3i(1);
            let n = high.x + select(0, high.y, part.num > 1) + select(0, high.z, part.num > 2);
            if (n == part.num || n == 0) {
                let sign = select(1.0, -1.0, n == 0);
                manifold_facing[first + num] = vec4f(solid.mat[axis] * sign, f32(2 * axis + select(0, 1, n == 0)));
                num++;
            }
        }

        // corners without a common face or edge: the side whose normal is along dir, if there is one
        if (num != 4 - part.num) {
            let local = normalize3(transpose(solid.mat) * dir).xyz;
            let at = abs(local) > vec3f(MANIFOLD_FACE);
            num = select(0, 1, any(at));
            let axis = select(select(2, 1, at.y), 0, at.x);
            let low = local[axis] < 0.0;
            manifold_facing[first] = vec4f(solid.mat[axis] * select(1.0, -1.0, low), f32(2 * axis + select(0, 1, low)));
        }
    } else if (solid_cylinder && solid.kind == GEOM_CYLINDER && part.num == 1) {
        manifold_facing[first] = vec4f(solid.mat[2] * select(1.0, -1.0, part.id.x != 0), f32(part.id.x));
        num = 1;
    } else if (solid_mesh && solid.kind == GEOM_MESH) {
        // polygons that contain all vertices; of two vertices the first two polygons count, as in MuJoCo, even if they share more
        let vertadr = mesh_vertadr(solid.mesh);
        let adr = mesh_polymapadr(vertadr + part.id.x);
        let most = select(4 - part.num, SOLID_FACINGS, part.num == 1);
        var both = 0;
        for (var j = 0; j < mesh_polymapnum(vertadr + part.id.x) && num < most && both <= 2; j++) {
            let polygon = mesh_polymap(adr + j);
            var holds = part.num == 1 || manifold_around(vertadr + part.id.y, polygon);
            both += select(0, 1, holds && part.num > 1);
            holds &= part.num < 3 || manifold_around(vertadr + part.id.z, polygon);
            if (holds && both <= 2) {
                let normal = solid.mat * mesh_polynormal(mesh_polyadr(solid.mesh) + polygon);
                manifold_facing[first + num] = vec4f(normal, f32(polygon));
                num++;
            }
        }
    }
    return num;
}

// number of edges that may contain a part
fn manifold_edges(second: bool) -> i32 {
    var solid = solid1;
    var part = part1;
    if (second) {
        solid = solid2;
        part = part2;
    }
    if (solid.kind == GEOM_CAPSULE) {
        return 1;
    }
    if (part.num == 3) {
        return 0;
    }
    if (solid.kind == GEOM_CYLINDER || part.num == 2) {
        return 1;
    }
    if (solid.kind == GEOM_BOX) {
        return 3;
    }
    return mesh_polymapnum(mesh_vertadr(solid.mesh) + part.id.x);
}

// edge `e` that may contain a part; `out` points to the face in which it may lie
fn manifold_edge(second: bool, e: i32, out: vec3f) -> Edge {
    var solid = solid1;
    var part = part1;
    if (second) {
        solid = solid2;
        part = part2;
    }
    if (solid_capsule && solid.kind == GEOM_CAPSULE) {
        // the line along the side through the witness point, from bottom to top
        let axis = solid.mat[2];
        let middle = part.deepest - axis * dot(part.deepest - solid.pos, axis) - out * (0.5 * solid.margin);
        return Edge(middle - axis * solid.size.y, middle + axis * solid.size.y, axis);
    }
    if (solid_cylinder && solid.kind == GEOM_CYLINDER) {
        // the line along the side
        let dir = solid.mat[2] * select(-1.0, 1.0, part.id.x != 0);
        return Edge(part.point, part.point + dir * (2.0 * solid.size.y), dir);
    }
    var end = part.other;
    if (part.num == 1) {
        if (solid_box && solid.kind == GEOM_BOX) {
            let high = ((vec3i(part.id.x ^ (1 << u32(e))) >> vec3u(0u, 1u, 2u)) & vec3i(1)) != vec3i(0);
            end = solid.mat * select(-solid.size, solid.size, high) + solid.pos;
        } else if (solid_mesh) {
            // edge to the corner before the vertex in a polygon that contains it
            let vertadr = mesh_vertadr(solid.mesh);
            let polygon = mesh_polyadr(solid.mesh) + mesh_polymap(mesh_polymapadr(vertadr + part.id.x) + e);
            let adr = mesh_polyvertadr(polygon);
            let num = mesh_polyvertnum(polygon);
            var before = mesh_polyvert(adr + num - 1);
            var vertex = before;
            for (var k = 0; k < num; k++) {
                let next = mesh_polyvert(adr + k);
                if (next == part.id.x) {
                    vertex = before;
                }
                before = next;
            }
            end = solid.mat * mesh_vert(vertadr + vertex) + solid.pos;
        }
    }
    return Edge(part.point, end, normalize3(end - part.point).xyz);
}

// number of corners of a face
fn face_corners(solid: Solid, face: i32) -> i32 {
    if (solid.kind == GEOM_BOX) {
        return 4;
    }
    if (solid.kind == GEOM_CYLINDER) {
        return 16;
    }
    return min(mesh_polyvertnum(mesh_polyadr(solid.mesh) + face), SOLID_CORNERS);
}

// a corner of a face, clockwise seen from outside
fn face_corner(solid: Solid, face: i32, k: i32) -> vec3f {
    var local = vec3f(0.0);
    if (solid_box && solid.kind == GEOM_BOX) {
        // sides of the four corners along the two axes of the face, four bits for each of the six faces
        let bit = u32(4 * face + k);
        let across = select(vec2f(-1.0), vec2f(1.0), ((vec2u(0x966633u, 0x333c69u) >> vec2u(bit)) & vec2u(1u)) != vec2u(0u));
        let up = select(1.0, -1.0, face % 2 == 1);
        local = solid.size * select(select(vec3f(across, up), vec3f(across.x, up, across.y), face / 2 == 1), vec3f(up, across), face / 2 == 0);
    } else if (solid_cylinder && solid.kind == GEOM_CYLINDER) {
        let up = select(1.0, -1.0, face != 0);
        let sc = sin_cos(f32(k) * 0.39269908169872414);
        local = vec3f(sc.y * solid.size.x, -sc.x * solid.size.x * up, up * solid.size.y);
    } else if (solid_mesh) {
        let polygon = mesh_polyadr(solid.mesh) + face;
        let num = mesh_polyvertnum(polygon);
        let at = num - 1 - k * num / min(num, SOLID_CORNERS);
        local = mesh_vert(mesh_vertadr(solid.mesh) + mesh_polyvert(mesh_polyvertadr(polygon) + at));
    }
    return solid.mat * local + solid.pos;
}
