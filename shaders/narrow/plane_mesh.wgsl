// a plane and a mesh, as in src/cpu/collision/plane_mesh.rs: the lowest vertex, and other corners of the face most opposed to the
// plane, at most four that span a large area, without those above the center

// maximum number of corners of a face; of a larger face as many, evenly spaced. A model with larger faces gets room for all their
// corners, up to 512
const MESH_CORNERS: i32 = 64;
var<private> mesh_corner: array<vec3f, MESH_CORNERS>;
var<private> mesh_corners: i32;

// support vertex of a hull in the mesh's frame: its height and its number
struct MeshTop {
    height: f32,
    vertex: i32,
    point: vec3f,
}

// hill climbing along the edges of the hull, from the extreme vertex of that direction
fn mesh_top(mesh: i32, dir: vec3f) -> MeshTop {
    let edgeadr = mesh_graphadr(mesh) + 2;
    let hull = mesh_graph(edgeadr - 2);
    let lean = vec3i(1) + vec3i(dir > vec3f(0.4)) - vec3i(dir < vec3f(-0.4));
    var next = mesh_extrema(mesh, 9 * lean.x + 3 * lean.y + lean.z);
    var edge = -1;
    var best = -1;
    var here = -1;
    var top = MeshTop(-3e38, 0, vec3f(0.0));
    for (var turn = 0; turn < 8 * hull + 2; turn++) {
        if (next < 0) {
            // no neighbor left: on from the best vertex, if it is a new one
            if (best == here) {
                break;
            }
            here = best;
            edge = edgeadr + 2 * hull + mesh_graph(edgeadr + here);
        } else {
            let vertex = mesh_graph(edgeadr + hull + next);
            let point = mesh_vert(mesh_vertadr(mesh) + vertex);
            let height = dot(dir, point);
            if (height > top.height) {
                top = MeshTop(height, vertex, point);
                best = next;
            }
        }
        if (edge < 0) {
            next = -1;
            edge = 0;
        } else {
            next = mesh_graph(edge);
            edge++;
        }
    }
    return top;
}

// four corners of a convex polygon that span a large area: each is moved on as long as the area grows, starting at each of the
// first `begins` corners. With `begins` 1 the first corner stays one of them
fn mesh_area(at: vec4i) -> f32 {
    return 0.5 * length(cross(mesh_corner[at.x] - mesh_corner[at.z], mesh_corner[at.y] - mesh_corner[at.w]));
}

fn mesh_widest(begins: i32) -> vec4i {
    var at = vec4i(0, 1, 2, 3);
    var best = at;
    var most = mesh_area(at);
    for (var turn = 0; turn < 8 * MESH_CORNERS; turn++) {
        if (at.x >= begins) {
            break;
        }
        var walked = false;
        for (var n = 0; n < 3; n++) {
            // move on the last corner, and the ones before it once it has moved
            let k = 3 - n;
            for (var step = 0; step < mesh_corners; step++) {
                var next = at;
                next[k] = (at[k] + 1) % mesh_corners;
                let area = mesh_area(next);
                if (area <= most) {
                    break;
                }
                at = next;
                best = next;
                most = area;
                walked = true;
                if (k == 3) {
                    break;
                }
            }
            if (!walked) {
                break;
            }
        }
        if (walked) {
            continue;
        }

        // move on corners that were caught up with
        for (var k = 1; k < 4; k++) {
            if (at[k] != at[k - 1]) {
                break;
            }
            at[k] = (at[k] + 1) % mesh_corners;
        }
        at.x++;
    }
    return best;
}

// the lowest vertex and other corners of the face most opposed to the plane: at most four corners that span a large area, without
// those above the center
fn plane_mesh(plane: Shape, geom: i32, margin: f32) {
    let normal = plane.mat[2];
    let shape = shape_of(geom);
    let mesh = geom_dataid(geom);
    let down = transpose(shape.mat) * -normal;
    let top = mesh_top(mesh, down);
    let lowest = shape.mat * top.point + shape.pos;
    let dist = dot(lowest - plane.pos, normal);
    if (dist > margin) {
        return;
    }
    add_contact(dist, lowest - normal * (0.5 * dist), normal);

    // the polygon around that vertex that is most opposed to the plane
    let k = mesh_vertadr(mesh) + top.vertex;
    var face = -1;
    var most = -3e38;
    for (var j = 0; j < mesh_polymapnum(k); j++) {
        let at = mesh_polyadr(mesh) + mesh_polymap(mesh_polymapadr(k) + j);
        let slope = dot(down, mesh_polynormal(at));
        if (slope > most) {
            most = slope;
            face = at;
        }
    }
    if (face < 0) {
        return;
    }

    // its corners, starting at that vertex
    let adr = mesh_polyvertadr(face);
    let num = mesh_polyvertnum(face);
    var first = 0;
    for (var j = 0; j < num; j++) {
        if (mesh_polyvert(adr + j) == top.vertex) {
            first = j;
        }
    }
    mesh_corners = min(num, MESH_CORNERS);
    for (var j = 0; j < mesh_corners; j++) {
        let vertex = mesh_polyvert(adr + (first + j * num / mesh_corners) % num);
        mesh_corner[j] = mesh_vert(mesh_vertadr(mesh) + vertex);
    }
    var pick = vec4i(0, 1, 2, 3);
    if (mesh_corners > 4) {
        pick = mesh_widest(1);
    }
    let highest = min(margin, dot(shape.pos - plane.pos, normal));
    for (var j = 0; j < min(mesh_corners, 4); j++) {
        let corner = shape.mat * mesh_corner[pick[j]] + shape.pos;
        let height = dot(corner - plane.pos, normal);
        if (pick[j] > 0 && height <= highest) {
            add_contact(height, corner - normal * (0.5 * height), normal);
        }
    }
}
