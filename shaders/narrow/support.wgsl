// convex solids for the convex collider, as in src/cpu/collision/support.rs: the support function

struct Solid {
    kind: i32,
    mesh: i32,
    pos: vec3f,
    mat: mat3x3f,
    size: vec3f,
    // inflation of both solids together, half of it for each
    margin: f32,
    // true if a sphere is reduced to its center and a capsule to its segment
    bare: bool,
    // number of the corner, cap or vertex that was the last support point; -1: none
    vertex: i32,
    // vertex at which the last climb ended; -1: no climb yet
    climbed: i32,
}

struct Top {
    point: vec3f,
    vertex: i32,
    climbed: i32,
}

fn solid_of(geom: i32, mat: mat3x3f, pos: vec3f, size: vec3f) -> Solid {
    return Solid(geom_type(geom), max(geom_dataid(geom), 0), pos, mat, size, 0.0, false, -1, -1);
}

// support point: farthest point in a unit direction, without the margin
fn solid_support(solid: Solid, dir: vec3f) -> Top {
    let size = solid.size;
    let local = transpose(solid.mat) * dir;
    let up = select(-1.0, 1.0, local.z >= 0.0);
    var point = vec3f(0.0);
    var vertex = solid.vertex;
    var climbed = solid.climbed;
    if (solid_sphere && solid.kind == GEOM_SPHERE) {
        point = select(local * size.x, vec3f(0.0), solid.bare);
    } else if (solid_capsule && solid.kind == GEOM_CAPSULE) {
        vertex = select(0, 1, local.z < 0.0);
        point = select(local * size.x, vec3f(0.0), solid.bare) + vec3f(0.0, 0.0, up * size.y);
    } else if (solid_ellipsoid && solid.kind == GEOM_ELLIPSOID) {
        // support point of the unit ball, scaled
        point = normalize3(local * size).xyz * size;
    } else if (solid_cylinder && solid.kind == GEOM_CYLINDER) {
        vertex = select(0, 1, local.z < 0.0);
        let across = length(local.xy);
        let out = select(0.0, size.x / across, across >= MINVAL);
        point = vec3f(out * local.xy, up * size.y);
    } else if (solid_box && solid.kind == GEOM_BOX) {
        let high = local >= vec3f(0.0);
        point = select(-size, size, high);
        vertex = dot(select(vec3i(0), vec3i(1, 2, 4), high), vec3i(1));
    } else if (solid_mesh && solid.kind == GEOM_MESH) {
        let top = mesh_support(solid.mesh, local, vertex, climbed);
        point = top.point;
        vertex = top.vertex;
        climbed = top.climbed;
    }
    point = solid.mat * point + solid.pos;
    if (solid_hfield && solid.kind == GEOM_HFIELD) {
        point = prism_support(dir);
    }
    if (elements_searched && solid.kind == SOLID_ELEMENT) {
        point = element_support(solid.mesh == 1, dir, size.x);
    }
    return Top(point, vertex, climbed);
}

fn mesh_support(mesh: i32, dir: vec3f, last: i32, started: i32) -> Top {
    let vertadr = mesh_vertadr(mesh);
    let climbs = solid_mesh_climbed && mesh_graphadr(mesh) >= 0 && mesh_vertnum(mesh) >= 10;
    var top = Top(vec3f(0.0), max(last, 0), started);
    var most = -CCD_FAR;
    if (solid_mesh_searched && !climbs) {
        // exhaustive search of all vertices; the last support vertex stays if no other is farther
        for (var k = -1; k < mesh_vertnum(mesh); k++) {
            let vertex = select(k, max(last, 0), k < 0);
            let point = mesh_vert(vertadr + vertex);
            let height = dot(dir, point);
            if (height > most) {
                most = height;
                top.point = point;
                top.vertex = vertex;
            }
        }
    }
    if (climbs) {
        // hill climbing along the edges of the hull, from the end of the last climb or from the extreme vertex of that direction
        let edgeadr = mesh_graphadr(mesh) + 2;
        let hull = mesh_graph(edgeadr - 2);
        let lean = vec3i(1) + vec3i(dir > vec3f(0.4)) - vec3i(dir < vec3f(-0.4));
        var next = mesh_extrema(mesh, 9 * lean.x + 3 * lean.y + lean.z);
        var edge = -2;
        var here = -1;
        for (var turn = 0; turn < 8 * hull + 3; turn++) {
            if (next < 0) {
                // no neighbor left: on from the best vertex, if it is a new one
                if (top.climbed == here) {
                    break;
                }
                here = top.climbed;
                edge = edgeadr + 2 * hull + mesh_graph(edgeadr + here);
            } else {
                let vertex = mesh_graph(edgeadr + hull + next);
                let point = mesh_vert(vertadr + vertex);
                let height = dot(dir, point);
                if (height > most || (edge < 0 && height == most)) {
                    most = height;
                    top = Top(point, vertex, next);
                }
            }
            if (edge < 0) {
                // the two start vertices
                next = select(-1, started, edge == -2);
                edge = select(edge + 1, 0, edge == -1 || started < 0);
            } else {
                next = mesh_graph(edge);
                edge++;
            }
        }
    }
    return top;
}
