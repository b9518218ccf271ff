// a capsule, or a sphere, and a tetrahedron inflated by `radius`, as in src/cpu/collision/tetrahedron.rs: the capsule comes first

const TETRAHEDRON_EDGES: array<vec2i, 6> = array<vec2i, 6>(
    vec2i(0, 1), vec2i(0, 2), vec2i(0, 3), vec2i(1, 2), vec2i(1, 3), vec2i(2, 3));

// meeting of a segment and a tetrahedron: signed distance, point of the segment, unit normal from it to the tetrahedron
struct SegmentMeeting {
    dist: f32,
    point: vec3f,
    normal: vec3f,
}

// a point of a face and its outward normal
struct OuterFace {
    point: vec3f,
    normal: vec3f,
}

// one contact: at the nearest points, or along the shortest way out of the tetrahedron
fn capsule_tetrahedron(a: vec3f, b: vec3f, thick: f32, corner: array<vec3f, 4>, radius: f32, margin: f32) {
    var met: SegmentMeeting;
    if (tetrahedron_holds(corner, a, b)) {
        met = shortest_way(corner, a, b);
    } else {
        met = segment_apart(corner, a, b);
    }
    let dist = met.dist - thick - radius;
    if (dist <= margin) {
        add_contact(dist, met.point + met.normal * (thick + 0.5 * dist), met.normal);
    }
}

fn outer_face(corner_: array<vec3f, 4>, i: i32) -> OuterFace {
    var corner = corner_;
    let face = TETRAHEDRON_FACES[i];
    let a = corner[face.x];
    let opposite = corner[6 - face.x - face.y - face.z];
    let normal = normalize3(cross(corner[face.y] - a, corner[face.z] - a)).xyz;
    return OuterFace(a, select(normal, -normal, dot(normal, opposite - a) > 0.0));
}

// true if a part of a segment is behind all faces
fn tetrahedron_holds(corner: array<vec3f, 4>, a: vec3f, b: vec3f) -> bool {
    var first = 0.0;
    var last = 1.0;
    for (var i = 0; i < 4; i++) {
        let face = outer_face(corner, i);
        let height = dot(face.normal, a - face.point);
        let climb = dot(face.normal, b - a);
        if (climb > 0.0) {
            last = min(last, -height / climb);
        } else if (climb < 0.0) {
            first = max(first, -height / climb);
        } else if (height > 0.0) {
            return false;
        }
    }
    return first <= last;
}

// nearest points of the tetrahedron and an end of the segment, or of an edge and the segment
fn segment_apart(corner_: array<vec3f, 4>, a: vec3f, b: vec3f) -> SegmentMeeting {
    var corner = corner_;
    var here = a;
    var there = a;
    var least = CCD_FAR;
    for (var n = 0; n < 8; n++) {
        var first = select(a, b, n == 1);
        var second = vec3f();
        if (n < 2) {
            second = nearest_point(corner, 4, first);
        } else {
            let edge = TETRAHEDRON_EDGES[n - 2];
            let points = nearest_of_segments(a, b, corner[edge.x], corner[edge.y]);
            first = points[0];
            second = points[1];
        }
        let far = nearest_far(second - first);
        if (far < least) {
            least = far;
            here = first;
            there = second;
        }
    }
    let way = normalize3(there - here);
    return SegmentMeeting(way.w, here, way.xyz);
}

// shortest way out: along a face normal, or along the cross product of the segment and an edge
fn shortest_way(corner_: array<vec3f, 4>, a: vec3f, b: vec3f) -> SegmentMeeting {
    var corner = corner_;
    var best = SegmentMeeting(-CCD_FAR, a, vec3f());
    for (var i = 0; i < 4; i++) {
        let face = outer_face(corner, i);
        let depth_a = dot(face.normal, face.point - a);
        let depth_b = dot(face.normal, face.point - b);
        let depth = max(depth_a, depth_b);
        if (-depth > best.dist) {
            best = SegmentMeeting(-depth, select(b, a, depth_a >= depth_b), -face.normal);
        }
    }
    for (var n = 0; n < 6; n++) {
        let edge = TETRAHEDRON_EDGES[n];
        let across = normalize3(cross(b - a, corner[edge.y] - corner[edge.x]));
        if (across.w < MINVAL) {
            continue;
        }
        for (var side = 0; side < 2; side++) {
            let out = across.xyz * select(1.0, -1.0, side == 1);
            var depth = -CCD_FAR;
            for (var i = 0; i < 4; i++) {
                depth = max(depth, dot(out, corner[i] - a));
            }
            // the edge must be the outermost part of the tetrahedron in this direction
            let outermost = max(dot(out, corner[edge.x] - a), dot(out, corner[edge.y] - a));
            if (outermost >= depth && -depth > best.dist) {
                let points = nearest_of_segments(a, b, corner[edge.x], corner[edge.y]);
                best = SegmentMeeting(-depth, points[0], -out);
            }
        }
    }
    return best;
}

// nearest points of two segments
fn nearest_of_segments(a: vec3f, b: vec3f, c: vec3f, d: vec3f) -> array<vec3f, 2> {
    let along1 = b - a;
    let along2 = d - c;
    let dif = a - c;
    let len1 = dot(along1, along1);
    let len2 = dot(along2, along2);
    let both = dot(along1, along2);
    let on1 = dot(along1, dif);
    let on2 = dot(along2, dif);
    let det = len1 * len2 - both * both;
    var first = select(0.0, clip((both * on2 - on1 * len2) / det, 0.0, 1.0), det > 0.0);
    let second = select(0.0, clip((both * first + on2) / len2, 0.0, 1.0), len2 > 0.0);
    first = select(0.0, clip((both * second - on1) / len1, 0.0, 1.0), len1 > 0.0);
    return array<vec3f, 2>(a + along1 * first, c + along2 * second);
}
