// clipping of a polygon to a face, and its reduction to a few corners, as in src/cpu/collision/clip.rs

// corners of a face that is clipped by the sides of another, before and after one side
const CLIP_MOST: i32 = 2 * SOLID_CORNERS + 2;
var<private> clip_point: array<vec3f, 2 * CLIP_MOST>;
var<private> clip_num: i32;

// clips a face of the second solid, or the present edge, to a face of the first solid, or, if turned, of the second
fn clip_to_face(turned: bool, face: i32, normal: vec3f, other: i32, dir: vec3f, margin: f32) {
    // corners are computed in one place: those of the face to clip, then those of the clipping face, the first one again at the end
    var solid = solid1;
    if (turned) {
        solid = solid2;
    }
    let edge = other < 0;
    let others = select(face_corners(solid2, max(other, 0)), 0, edge);
    clip_num = 2;
    let sides = face_corners(solid, face);
    var begin = vec3f(0.0);
    var foot = begin;
    var half = 0;
    for (var t = 0; t < others + sides + 1; t++) {
        let reading = t < others;
        var of_solid = solid;
        var of_face = face;
        var k = t - others;
        if (reading) {
            of_solid = solid2;
            of_face = other;
            k = t;
        } else if (k == sides) {
            k = 0;
        }
        let end = face_corner(of_solid, of_face, k);
        if (reading) {
            clip_point[t] = end;
            clip_num = t + 1;
        } else if (t == others) {
            foot = end;
        } else {
            // inward normal of the plane through this side of the face, perpendicular to the face
            let inward = normalize3(cross(end - begin, normal)).xyz;
            let old = half * CLIP_MOST;
            half = 1 - half;
            let new_ = half * CLIP_MOST;
            var left = 0;
            var p = clip_point[old];
            let p0 = p;
            var p_height = dot(p - begin, inward);
            for (var i = 0; i < clip_num; i++) {
                var q = p0;
                if (i + 1 < clip_num) {
                    q = clip_point[old + i + 1];
                }
                let q_height = dot(q - begin, inward);
                if ((p_height > -MINVAL) != (q_height > -MINVAL)) {
                    let s = p_height / (p_height - q_height);
                    if (s >= 0.0 && s <= 1.0 && left < CLIP_MOST) {
                        clip_point[new_ + left] = p + (q - p) * s;
                        left++;
                    }
                }
                if (q_height > -MINVAL && left < CLIP_MOST) {
                    clip_point[new_ + left] = q;
                    left++;
                }
                p = q;
                p_height = q_height;
            }
            clip_num = left;
        }
        begin = end;
    }

    clip_few(half, foot, normal, dir, edge, turned, margin);
}

// contacts of the corners of the clipped polygon that are at most `margin` above the face through `foot`: at most four
fn clip_few(half: i32, foot: vec3f, normal: vec3f, dir: vec3f, edge: bool, turned: bool, margin: f32) {
    // corners farther above the face than the margin make no contact
    mesh_corners = 0;
    for (var k = 0; k < clip_num; k++) {
        let p = clip_point[half * CLIP_MOST + k];
        if (dot(p - foot, normal) <= margin && mesh_corners < MESH_CORNERS) {
            mesh_corner[mesh_corners] = p;
            mesh_corners++;
        }
    }

    // the four corners of largest area, or the two ends of an edge, or all
    var pick = vec4i(0, 1, 2, 3);
    var num = mesh_corners;
    if (num > 4) {
        pick = mesh_widest(mesh_corners);
        num = 4;
    } else if (edge && num > 2) {
        pick = clip_farthest();
        num = 2;
    }
    for (var k = 0; k < num; k++) {
        // contact of a corner and the face: midway between the foot of the corner on the face and the point at the contact's
        // distance from it along the other solid's normal
        let corner = mesh_corner[pick[k]];
        let height = dot(corner - foot, normal);
        let dist = -height * dot(dir, normal);
        add_contact(dist, corner - normal * height - dir * (0.5 * dist), select(-dir, dir, turned));
    }
}

fn clip_farthest() -> vec4i {
    var best = vec4i(0, 1, 0, 0);
    var most = 0.0;
    for (var i = 0; i < mesh_corners; i++) {
        for (var j = i + 1; j < mesh_corners; j++) {
            let dif = mesh_corner[j] - mesh_corner[i];
            if (dot(dif, dif) > most) {
                most = dot(dif, dif);
                best = vec4i(i, j, 0, 0);
            }
        }
    }
    return best;
}
