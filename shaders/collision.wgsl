// Contacts (`mj_collision`).
//
// The list of pairs that may collide is a constant of the model. Each lane tries one pair at a time, by its bounding spheres
// and then by the function of its shapes, and holds what it finds; a scan over the lanes gives the contacts their slots, in the
// order of the list. Where they do not fit, the lanes go one after the other and the deepest stay.

// a geom in its place
struct Shape {
    pos: vec3f,
    mat: mat3x3f,
    size: vec3f,
}

// one contact of a pair: normal from the first geom to the second
struct MeetPoint {
    dist: f32,
    pos: vec3f,
    normal: vec3f,
}

// contacts that a pair can make: eight of two boxes, fewer of all others
const COLLISION_MOST: i32 = 4 + 8 * i32(collides_box_box);

// what the pair in hand has made, and the wished direction of the first tangent
var<private> found: i32;
var<private> found_point: array<MeetPoint, COLLISION_MOST>;
var<private> found_tangent: vec3f;

fn mj_collision() {
    let off = (opt_disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT)) != 0;
    var all = 0;
    for (var base = 0; base < ncollision && !off; base += LANES) {
        let k = base + lane;
        found = 0;
        found_tangent = vec3f(0.0);
        if (k < ncollision) {
            try_pair(k);
        }
        let before = all + team_scan(found);
        all += team_sum_i(found);
        let full = group_any(all > nconmax);
        if (!full) {
            for (var n = 0; n < found; n++) {
                put_contact(before + n, k, found_point[n]);
            }
        } else {
            // one lane after the other
            if (lane == 0) {
                set_ncon(min(before, nconmax));
            }
            team_sync();
            for (var turn = 0; turn < LANES; turn++) {
                if (turn == lane) {
                    for (var n = 0; n < found; n++) {
                        keep_contact(k, found_point[n]);
                    }
                }
                team_sync();
            }
        }
    }
    team_sync();
    if (lane == 0) {
        set_ncon(min(all, nconmax));
        // what did not fit is told
        set_needed(0, max(needed(0), all));
        if (all > nconmax) {
            set_overflow(overflow() | OVERFLOW_CONTACT);
        }
    }
}

fn put_contact(slot: i32, k: i32, point: MeetPoint) {
    set_contact_collision(slot, k);
    set_contact_dist(slot, point.dist);
    set_contact_pos(slot, point.pos);
    set_contact_frame(slot, contact_frame_of(point.normal, found_tangent));
    set_contact_efc_address(slot, -1);
}

// the next slot, or that of the shallowest contact if this one is deeper: the deepest stay, in the order of the list
fn keep_contact(k: i32, point: MeetPoint) {
    var slot = ncon();
    if (slot == nconmax) {
        // the later of equals
        var shallowest = -1;
        for (var c = 0; c < slot; c++) {
            if (shallowest < 0 || contact_dist(c) >= contact_dist(max(shallowest, 0))) {
                shallowest = c;
            }
        }
        if (shallowest < 0 || point.dist >= contact_dist(max(shallowest, 0))) {
            return;
        }
        for (var c = shallowest; c < slot - 1; c++) {
            set_contact_collision(c, contact_collision(c + 1));
            set_contact_dist(c, contact_dist(c + 1));
            set_contact_pos(c, contact_pos(c + 1));
            set_contact_frame(c, contact_frame(c + 1));
        }
        slot--;
    }
    put_contact(slot, k, point);
    set_ncon(slot + 1);
}

// frame of a contact, in rows: the normal, then tangents, the first in the wished direction if there is one
fn contact_frame_of(normal: vec3f, tangent: vec3f) -> mat3x3f {
    let x = normalize3(normal).xyz;

    // no wish: y, or z where the normal is near y
    var wish = tangent;
    if (dot(wish, wish) < 0.25) {
        wish = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), x.y < 0.5 && x.y > -0.5);
    }

    // orthogonal to the normal
    let y = normalize3(wish - x * dot(x, wish)).xyz;
    return transpose(mat3x3f(x, y, cross(x, y)));
}

fn add_contact(dist: f32, pos: vec3f, normal: vec3f) {
    if (found < COLLISION_MOST) {
        found_point[found] = MeetPoint(dist, pos, normal);
        found++;
    }
}

fn shape_of(geom: i32) -> Shape {
    return Shape(geom_xpos(geom), geom_xmat(geom), geom_size(geom));
}

fn try_pair(k: i32) {
    let geom1 = collision_geom1(k);
    let geom2 = collision_geom2(k);
    let type1 = geom_type(geom1);
    let type2 = geom_type(geom2);
    let detect = collision_detect(k);

    // bounding spheres, or a bounding sphere and a plane
    let bound1 = geom_rbound(geom1);
    let bound2 = geom_rbound(geom2);
    let dif = geom_xpos(geom2) - geom_xpos(geom1);
    if (bound1 > 0.0 && bound2 > 0.0) {
        let bound = bound1 + bound2 + detect;
        if (dot(dif, dif) > bound * bound) {
            return;
        }
    } else if (type1 == GEOM_PLANE && bound2 > 0.0 && dot(dif, geom_xmat(geom1)[2]) > detect + bound2) {
        return;
    }

    // the function of two shapes, of which the first has the lower type
    let a = shape_of(geom1);
    let b = shape_of(geom2);
    if (type1 == GEOM_PLANE) {
        if (collides_plane_sphere && type2 == GEOM_SPHERE) {
            plane_point(a.pos, a.mat[2], b.pos, b.size[0], detect);
        } else if (collides_plane_capsule && type2 == GEOM_CAPSULE) {
            plane_capsule(a, b, detect);
        } else if (collides_plane_ellipsoid && type2 == GEOM_ELLIPSOID) {
            plane_ellipsoid(a, b, detect);
        } else if (collides_plane_cylinder && type2 == GEOM_CYLINDER) {
            plane_cylinder(a, b, detect);
        } else if (collides_plane_box && type2 == GEOM_BOX) {
            plane_box(a, b, detect);
        } else if (collides_plane_mesh && type2 == GEOM_MESH) {
            plane_mesh(a, geom2, detect);
        }
    } else if (type1 == GEOM_SPHERE) {
        if (collides_sphere_sphere && type2 == GEOM_SPHERE) {
            balls(a, a.pos, a.size[0], b, b.pos, b.size[0], detect);
        } else if (collides_sphere_capsule && type2 == GEOM_CAPSULE) {
            sphere_capsule(a, b, detect);
        } else if (collides_sphere_cylinder && type2 == GEOM_CYLINDER) {
            sphere_cylinder(a, b, detect);
        } else if (collides_sphere_box && type2 == GEOM_BOX) {
            ball_box(transpose(b.mat) * (a.pos - b.pos), a.size[0], b, detect);
        }
    } else if (type1 == GEOM_CAPSULE) {
        if (collides_capsule_capsule && type2 == GEOM_CAPSULE) {
            capsule_capsule(a, b, detect);
        } else if (collides_capsule_box && type2 == GEOM_BOX) {
            capsule_box(a, b, detect);
        }
    } else if (collides_box_box && type1 == GEOM_BOX && type2 == GEOM_BOX) {
        box_box(a, b, detect);
    }
}

// ---- planes: a plane and a convex shape

// a plane and a ball round a point; the contact is midway between the surfaces
fn plane_point(origin: vec3f, normal: vec3f, center: vec3f, radius: f32, margin: f32) {
    let height = dot(center - origin, normal);
    if (height > margin + radius) {
        return;
    }
    let dist = height - radius;
    add_contact(dist, center + normal * (-0.5 * dist - radius), normal);
}

// a ball at each end
fn plane_capsule(plane: Shape, capsule: Shape, margin: f32) {
    for (var end = 0; end < 2; end++) {
        let side = 1.0 - 2.0 * f32(end);
        let center = capsule.pos + capsule.mat[2] * (side * capsule.size[1]);
        plane_point(plane.pos, plane.mat[2], center, capsule.size[0], margin);
    }

    // the first tangent is along the capsule
    found_tangent = capsule.mat[2];
}

// the lowest point
fn plane_ellipsoid(plane: Shape, ellipsoid: Shape, margin: f32) {
    let normal = plane.mat[2];
    let size = ellipsoid.size;

    // support of the unit ball, stretched
    let down = -(transpose(ellipsoid.mat) * normal);
    let local = normalize3(down * size).xyz * size;
    plane_point(plane.pos, normal, ellipsoid.mat * local + ellipsoid.pos, 0.0, margin);
}

// two points of the lowest line and two that complete a triangle of the lower disk
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

    // lowest direction of the disk, scaled by the radius; x where the disk is parallel to the plane
    let across = axis * slope - normal;
    let len = length(across);
    var low = cylinder.mat[0] * radius;
    if (len >= 1e-6) {
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

// the first four of the lower corners
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

// ---- spheres, capsules, and a sphere with a cylinder

// balls of two shapes, each with its own center and radius
fn balls(first: Shape, pos1: vec3f, radius1: f32, second: Shape, pos2: vec3f, radius2: f32, margin: f32) {
    let dif = pos2 - pos1;
    let reach = margin + radius1 + radius2;
    let dist2 = dot(dif, dif);
    if (dist2 > reach * reach) {
        return;
    }
    let dist = sqrt(dist2) - radius1 - radius2;

    // same center: across both z axes, or along x
    var normal = normalize3(dif);
    if (normal.w < MINVAL) {
        normal = normalize3(cross(first.mat[2], second.mat[2]));
    }
    add_contact(dist, pos1 + normal.xyz * (radius1 + 0.5 * dist), normal.xyz);
}

// the nearest ball of the capsule
fn sphere_capsule(sphere: Shape, capsule: Shape, margin: f32) {
    let axis = capsule.mat[2];
    let half = capsule.size[1];
    let x = clip(dot(axis, sphere.pos - capsule.pos), -half, half);
    balls(sphere, sphere.pos, sphere.size[0], capsule, capsule.pos + axis * x, capsule.size[0], margin);
}

// its side, its cap or its rim
fn sphere_cylinder(sphere: Shape, cylinder: Shape, margin: f32) {
    let radius = cylinder.size[0];
    let half = cylinder.size[1];
    let axis = cylinder.mat[2];
    let apart = sphere.pos - cylinder.pos;
    let x = dot(axis, apart);
    let along = axis * x;
    let across = apart - along;
    let across2 = dot(across, across);

    // a center inside the cylinder leaves by the nearer of side and cap
    var side = abs(x) < half;
    var cap = across2 < radius * radius;
    if (side && cap) {
        cap = half - abs(x) < radius - sqrt(across2);
        side = !cap;
    }
    let top = select(-1.0, 1.0, x > 0.0);

    // cap: a plane, with the normal turned since the sphere comes first
    if (cap) {
        let before = found;
        plane_point(cylinder.pos + axis * (top * half), axis * top, sphere.pos, sphere.size[0], margin);
        if (found > before) {
            found_point[before].normal = -found_point[before].normal;
        }
        return;
    }

    // side, or rim
    var nearest = along + cylinder.pos;
    var round_ = radius;
    if (!side) {
        nearest = axis * (top * half) + across * (radius / sqrt(across2)) + cylinder.pos;
        round_ = 0.0;
    }
    balls(sphere, sphere.pos, sphere.size[0], cylinder, nearest, round_, margin);
}

// one contact of the nearest points, or two where the axes are parallel
fn capsule_capsule(first: Shape, second: Shape, margin: f32) {
    let axis1 = first.mat[2] * first.size[1];
    let axis2 = second.mat[2] * second.size[1];
    let across = cross(axis1, axis2);
    let det = dot(across, across);
    let ma = dot(axis1, axis1);
    let mc = dot(axis2, axis2);
    let parallel = det <= 1e-8 * ma * mc;

    // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
    let dif = second.pos - first.pos;
    let mb = -dot(axis1, axis2);
    let u = dot(axis1, dif);
    let v = -dot(axis2, dif);
    var x1 = dot(cross(dif, axis2), across) / det;
    var x2 = dot(cross(dif, axis1), across) / det;

    // clipped to the segments
    if (x1 > 1.0) {
        x1 = 1.0;
        x2 = (v - mb) / mc;
    } else if (x1 < -1.0) {
        x1 = -1.0;
        x2 = (v + mb) / mc;
    }
    if (x2 > 1.0) {
        x2 = 1.0;
        x1 = clip((u - mb) / ma, -1.0, 1.0);
    } else if (x2 < -1.0) {
        x2 = -1.0;
        x1 = clip((u + mb) / ma, -1.0, 1.0);
    }
    for (var n = 0; n < select(1, 2, parallel); n++) {
        var pos1 = first.pos + axis1 * x1;
        var pos2 = second.pos + axis2 * x2;
        if (parallel) {
            let ends = parallel_ends(first, second, f32(2 * n - 1));
            pos1 = ends[0];
            pos2 = ends[1];
        }
        balls(first, pos1, first.size[0], second, pos2, second.size[0], margin);
    }
}

// parallel axes: a contact at each end of the overlap, twice the same where there is none
fn parallel_ends(first: Shape, second: Shape, side: f32) -> array<vec3f, 2> {
    let axis1 = first.mat[2];
    let axis2 = second.mat[2];
    let half1 = first.size[1];
    let half2 = second.size[1];
    let sign = select(-1.0, 1.0, dot(axis1, axis2) >= 0.0);
    let low2 = second.pos - axis2 * (sign * half2);
    let high2 = second.pos + axis2 * (sign * half2);
    let low = dot(axis1, low2 - first.pos);
    let high = dot(axis1, high2 - first.pos);
    let disjoint = low > half1 || high < -half1;

    // disjoint: the facing ends; else the end that comes first, and its neighbor on the other axis
    let lower = select((side < 0.0), (low > half1), disjoint);
    let end2 = select(high2, low2, lower);
    let x2 = select(high, low, lower);
    if (!disjoint && side * x2 >= half1) {
        let pos1 = first.pos + axis1 * (side * half1);
        let x = clip(dot(axis2, pos1 - second.pos), -half2, half2);
        return array<vec3f, 2>(pos1, second.pos + axis2 * x);
    }
    return array<vec3f, 2>(first.pos + axis1 * clip(x2, -half1, half1), end2);
}

// ---- boxes with balls and capsules

// a ball, its center in the frame of the box: the nearest point of the box, or the nearest face for a center inside
fn ball_box(center: vec3f, radius: f32, cube: Shape, margin: f32) {
    let size = cube.size;
    let clamped = select(center, clamp(center, -size, size), size > vec3f(0.0));
    let inward = normalize3(clamped - center);
    if (inward.w - radius > margin) {
        return;
    }

    // center outside: between the nearest point of the box and the deepest of the ball
    var normal = inward.xyz;
    var dist = inward.w - radius;
    var pos = clamped * 0.5 + (center + normal * radius) * 0.5;

    // center inside: leave by the nearest face
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

    // from the frame of the box to the world
    add_contact(dist, cube.mat * pos + cube.pos, cube.mat * normal);
}

// the capsule's segment in the frame of the box
struct Segment {
    center: vec3f,
    axis: vec3f,
    halfaxis: vec3f,
    half: f32,
    // bit i: the axis points along +i
    direction: i32,
}

// what of the box is nearest to the segment: nothing 0, a face 1, an edge 2, a corner 3
struct Nearest {
    kind: i32,
    // squared distance
    dist: f32,
    // where on the segment and on the edge, -1 to 1
    on_segment: f32,
    on_edge: f32,
    // face: its axis, or -1 for a point inside the box
    face: i32,
    // edge: its axis and the corner, bit i: on the +i side
    edge: i32,
    corner: i32,
}

// the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face or an edge
fn capsule_box(capsule: Shape, cube: Shape, margin: f32) {
    let half = capsule.size[1];
    let axis = transpose(cube.mat) * capsule.mat[2];
    let h = axis * half;
    let segment = Segment(
        transpose(cube.mat) * (capsule.pos - cube.pos), axis, h, half,
        i32(h.x > 0.0) + 2 * i32(h.y > 0.0) + 4 * i32(h.z > 0.0));
    let size = cube.size;
    let radius = capsule.size[0];
    let far = margin + 2.0 * (radius + half + size[0] + size[1] + size[2]);
    var near = Nearest(0, far, 0.0, 0.0, -1, 0, 0);
    near = nearest_face(segment, size, near);
    near = nearest_edge(segment, size, near);
    if (near.kind == 0) {
        return;
    }

    // a ball at the nearest point, and one at the second
    var second = -4.0;
    if (near.kind == 1) {
        second = second_on_face(segment, size, near);
    } else if (near.kind == 2) {
        second = second_across_edge(segment, size, near);
    } else {
        second = second_from_corner(segment, size, near);
    }
    for (var n = 0; n < select(1, 2, second > -3.0); n++) {
        let x = near.on_segment + select(0.0, second, n == 1);
        ball_box(segment.center + segment.halfaxis * x, radius, cube, margin);
    }
}

// an end of the segment above a face or inside the box
fn nearest_face(segment: Segment, size: vec3f, start: Nearest) -> Nearest {
    var near = start;
    for (var n = 0; n < 2; n++) {
        let end = f32(2 * n - 1);
        let point = segment.center + segment.halfaxis * end;
        var outside = 0;
        var face = -1;
        var clamped = point;
        for (var j = 0; j < 3; j++) {
            if (abs(point[j]) > size[j]) {
                outside++;
                face = j;
                clamped[j] = select(size[j], -size[j], point[j] < 0.0);
            }
        }
        if (outside > 1) {
            continue;
        }
        let dif = clamped - point;
        let dist = dot(dif, dif);
        if (dist < near.dist) {
            near.kind = 1;
            near.dist = dist;
            near.on_segment = end;
            near.face = face;
        }
    }
    return near;
}

// the segment against each of the twelve edges
fn nearest_edge(segment: Segment, size: vec3f, start: Nearest) -> Nearest {
    var near = start;
    for (var n = 0; n < 24; n++) {
        let j = n / 8;
        let i = n % 8;
        if ((i & (1 << u32(j))) != 0) {
            continue;
        }

        // middle of the edge
        var middle = corner_sign(i) * size;
        middle[j] = 0.0;
        let dif = middle - segment.center;

        // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
        let ma = size[j] * size[j];
        let mb = -size[j] * segment.halfaxis[j];
        let mc = segment.half * segment.half;
        let u = -size[j] * dif[j];
        let v = dot(segment.halfaxis, dif);
        let det = ma * mc - mb * mb;
        if (abs(det) < 1e-6 * ma * mc) {
            continue;
        }
        var x1 = (mc * u - mb * v) / det;
        var x2 = (ma * v - mb * u) / det;

        // clipped to the segments; an edge once clipped at an end counts as that corner
        var end = 0;
        if (x1 > 1.0) {
            x1 = 1.0;
            x2 = (v - mb) / mc;
            end = 1;
        } else if (x1 < -1.0) {
            x1 = -1.0;
            x2 = (v + mb) / mc;
            end = -1;
        }
        if (x2 > 1.0) {
            x2 = 1.0;
            x1 = (u - mb) / ma;
        } else if (x2 < -1.0) {
            x2 = -1.0;
            x1 = (u + mb) / ma;
        }
        if (x1 > 1.0) {
            x1 = 1.0;
            end = 1;
        } else if (x1 < -1.0) {
            x1 = -1.0;
            end = -1;
        }

        // the nearest so far
        var gap = dif - segment.halfaxis * x2;
        gap[j] += size[j] * x1;
        let dist = dot(gap, gap);
        if (dist < near.dist - MINVAL) {
            near.kind = select(2, 3, end != 0);
            near.dist = dist;
            near.on_segment = x2;
            near.on_edge = x1;
            near.edge = j;
            near.corner = i + select(0, 1 << u32(j), end == 1);
        }
    }
    return near;
}

// how far along the segment one may go before it has crossed the box along an axis
fn crossing(segment: Segment, size: vec3f, i: i32) -> f32 {
    return 2.0 * size[i] / max(abs(segment.halfaxis[i]), MINVAL);
}

// nearest to a corner: along an edge or along a face, unless the segment points at the corner
fn second_from_corner(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    var turn = segment.direction ^ near.corner;
    if (turn == 0 || turn == 7) {
        return -4.0;
    }
    var sign = 1.0;
    if (turn == 3 || turn == 5 || turn == 6) {
        turn = 7 - turn;
        sign = -1.0;
    }
    let ahead = 1.0 - sign * near.on_segment;
    let behind = 1.0 + sign * near.on_segment;
    let ax = select(turn - 1, 2, turn == 4);
    if (segment.axis[ax] * segment.axis[ax] > 0.5) {
        // along the edge
        return sign * min(ahead, crossing(segment, size, ax));
    }
    // along the face
    let second = min(behind, crossing(segment, size, (ax + 1) % 3));
    return -sign * min(second, crossing(segment, size, (ax + 2) % 3));
}

// nearest to an edge: the segment crosses it, so the second point is over a face
fn second_across_edge(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    let ax = near.edge;
    let turn = (segment.direction ^ near.corner) & (7 - (1 << u32(ax)));
    if (turn != 1 && turn != 2 && turn != 4) {
        return -4.0;
    }

    // the face at which the segment is flatter
    let side1 = (ax + 1) % 3;
    let side2 = (ax + 2) % 3;
    let across = select(side2, side1, abs(segment.axis[side1]) > abs(segment.axis[side2]));
    let ahead = (turn & (1 << u32(across))) != 0;
    let sign = select(-1.0, 1.0, ahead);

    // up to the end of the segment, the far side of the face, or the end of the edge
    var second = min(1.0 - sign * near.on_segment, crossing(segment, size, across));
    let same = ((segment.direction & (1 << u32(ax))) != 0) == ahead;
    let left = 1.0 + select(near.on_edge, -near.on_edge, same);
    second = min(second, size[ax] * left / max(abs(segment.halfaxis[ax]), MINVAL));
    return sign * second;
}

// an end is nearest to a face: as far towards the other end as is above the face
fn second_on_face(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    if (near.face < 0) {
        return -4.0;
    }
    let sign = -near.on_segment;
    let end = segment.center - segment.halfaxis * sign;
    var second = 2.0;
    for (var n = 0; n < 6; n++) {
        let i = n / 2;
        if (i == near.face || segment.halfaxis[i] == 0.0) {
            continue;
        }
        let side = select(1.0, -1.0, n % 2 == 1);
        let x = (side * size[i] - end[i]) / segment.halfaxis[i] * sign;
        if (x > 0.0) {
            second = min(second, x);
        }
    }
    return sign * second;
}

// ---- two boxes: the axis of greatest separation among 15, then the contacts of the faces or edges that meet along it
//
//   a face wins: the facing face of the other box        an edge pair wins: one contact
//   is cut to the four sides of the face                 midway between the edges

// both boxes, seen from each other
struct Boxes {
    first: Shape,
    second: Shape,
    // axes of the second in the frame of the first, as columns
    rot: mat3x3f,
    // center of the second in the frame of the first, and the reverse
    pos21: vec3f,
    pos12: vec3f,
    margin: f32,
    // margin with slack
    slack: f32,
}

// corners that a cut face can have
const MAXCORNER: i32 = 12;
var<private> box_corner: array<vec3f, MAXCORNER>;

fn box_box(first: Shape, second: Shape, margin: f32) {
    let sizes = first.size + second.size;
    let b = Boxes(
        first, second, transpose(first.mat) * second.mat, transpose(first.mat) * (second.pos - first.pos),
        transpose(second.mat) * (first.pos - second.pos), margin, margin + 1e-7 * (sizes.x + sizes.y + sizes.z));
    let axis = best_axis(b);
    if (axis >= 6) {
        edge_edge(b, axis - 6);
    } else if (axis >= 0) {
        box_face(b, axis);
    }
}

// the axis of greatest separation: 0..2 face of the first, 3..5 of the second, 6 + 3 i + j edges i and j; -1: apart
fn best_axis(b: Boxes) -> i32 {
    var best = -MAXVAL;
    var axis = -1;

    // faces
    for (var n = 0; n < 6; n++) {
        let i = n % 3;
        var separation: f32;
        if (n < 3) {
            separation = abs(b.pos21[i]) - b.first.size[i] - dot(abs(transpose(b.rot)[i]), b.second.size);
        } else {
            separation = abs(b.pos12[i]) - b.second.size[i] - dot(abs(b.rot[i]), b.first.size);
        }
        if (separation > b.slack) {
            return -1;
        }
        if (separation > best) {
            best = separation;
            axis = n;
        }
    }

    // pairs of edges, unless parallel
    let face = axis;
    let best_face = best;
    for (var n = 0; n < 9; n++) {
        let across = edge_cross(b, n / 3, n % 3);
        let norm2 = dot(across, across);
        if (norm2 < 1e-9) {
            continue;
        }
        let dir = across * inverseSqrt(norm2);
        let separation = abs(dot(dir, b.pos21)) - dot(b.first.size, abs(dir)) - dot(b.second.size, abs(transpose(b.rot) * dir));
        if (separation > b.slack) {
            return -1;
        }
        if (separation - 1e-6 * abs(separation) > best && separation > best_face) {
            best = separation;
            axis = 6 + n;
        }
    }

    // a pair of edges that nearly repeats the best face gives way to it: more contacts of about the same depth
    if (axis >= 6) {
        let dir = normalize3(edge_cross(b, (axis - 6) / 3, (axis - 6) % 3)).xyz;
        var along = 0.0;
        if (face < 3) {
            along = dir[face];
        } else {
            along = dot(dir, b.rot[face - 3]);
        }
        let close = best < best_face + 0.05 * abs(best_face) + MINVAL;
        if (abs(along) > 0.99 && close) {
            axis = face;
        }
    }
    return axis;
}

// edge i of the first times edge j of the second, in the frame of the first: component i is zero
fn edge_cross(b: Boxes, i: i32, j: i32) -> vec3f {
    var unit = vec3f(0.0);
    unit[i] = 1.0;
    return cross(unit, b.rot[j]);
}

// one contact midway between two edges
fn edge_edge(b: Boxes, edges: i32) {
    let i = edges / 3;
    let j = edges % 3;

    // the axis points from the first to the second
    var axis = normalize3(edge_cross(b, i, j)).xyz;
    if (dot(axis, b.pos21) < 0.0) {
        axis = -axis;
    }
    let axis2 = transpose(b.rot) * axis;

    // where the axis lies in a face, either of two edges may be nearest: try both
    let turn1 = ambiguous(axis, i);
    let turn2 = ambiguous(axis2, j);
    var gap2 = MAXVAL;
    var point1 = vec3f(0.0);
    var point2 = vec3f(0.0);
    for (var n = 0; n < 4; n++) {
        if ((n % 2 == 1 && turn2 == 3) || (n / 2 == 1 && turn1 == 3)) {
            continue;
        }
        var middle1 = select(vec3f(-1.0), vec3f(1.0), axis >= vec3f(0.0)) * b.first.size;
        if (n / 2 == 1) {
            middle1[turn1] = -middle1[turn1];
        }
        middle1[i] = 0.0;
        var local2 = select(vec3f(1.0), vec3f(-1.0), axis2 >= vec3f(0.0)) * b.second.size;
        if (n % 2 == 1) {
            local2[turn2] = -local2[turn2];
        }
        local2[j] = 0.0;
        let middle2 = b.rot * local2 + b.pos21;

        // nearest points of two edges given by their middles
        let dir2 = b.rot[j];
        let slope = dir2[i];
        let dif = middle2 - middle1;
        let along1 = dif[i];
        let along2 = dot(dir2, dif);
        let half1 = b.first.size[i];
        let half2 = b.second.size[j];
        let sine2 = 1.0 - slope * slope;
        var x1 = 0.0;
        if (sine2 >= 1e-7) {
            x1 = (along1 - slope * along2) / sine2;
        }
        x1 = clip(x1, -half1, half1);
        let x2 = clip(slope * x1 - along2, -half2, half2);
        x1 = clip(along1 + slope * x2, -half1, half1);
        var near1 = middle1;
        near1[i] += x1;
        let near2 = middle2 + dir2 * x2;
        let gap = near2 - near1;
        if (dot(gap, gap) < gap2) {
            gap2 = dot(gap, gap);
            point1 = near1;
            point2 = near2;
        }
    }

    // the contact
    let dist = dot(point2 - point1, axis);
    if (dist > b.slack) {
        return;
    }
    add_contact(dist, b.first.mat * ((point1 + point2) * 0.5) + b.first.pos, b.first.mat * axis);
}

// the other axis along which an axis does not point; 3: both count
fn ambiguous(axis: vec3f, i: i32) -> i32 {
    let k1 = (i + 1) % 3;
    let k2 = (i + 2) % 3;
    if (abs(axis[k1]) < 1e-6) {
        return k1;
    }
    return select(3, k2, abs(axis[k2]) < 1e-6);
}

// a face of one box (reference), met by a face of the other (incident)
fn box_face(b: Boxes, code: i32) {
    let of_first = code < 3;
    let a = code % 3;
    var reference = b.first;
    var incident_size = b.second.size;
    var center = b.pos21;
    // axes of the incident box in the frame of the reference, as columns
    var rot = b.rot;
    if (!of_first) {
        reference = b.second;
        incident_size = b.first.size;
        center = b.pos12;
        rot = transpose(b.rot);
    }
    let sign = select(-1.0, 1.0, center[a] >= 0.0);
    let ax = (a + 1) % 3;
    let ay = (a + 2) % 3;

    // the face of the incident box that looks most against the reference face
    var facing = 0;
    for (var k = 1; k < 3; k++) {
        if (abs(rot[k][a]) > abs(rot[facing][a])) {
            facing = k;
        }
    }
    let side = select(incident_size[facing], -incident_size[facing], sign * rot[facing][a] > 0.0);
    let u = (facing + 1) % 3;
    let v = (facing + 2) % 3;

    // corners of the incident face: x, y in the reference face, z above it
    let middle = center + rot[facing] * side;
    let along_u = rot[u] * incident_size[u];
    let along_v = rot[v] * incident_size[v];
    for (var k = 0; k < 4; k++) {
        let su = select(-1.0, 1.0, k == 0 || k == 3);
        let sv = select(-1.0, 1.0, k < 2);
        let p = middle + along_u * su + along_v * sv;
        box_corner[k] = vec3f(p[ax], p[ay], sign * p[a] - reference.size[a]);
    }

    // cut to the sides of the reference face
    let limit = vec2f(reference.size[ax], reference.size[ay]);
    var num = 4;
    for (var cut = 0; cut < 4; cut++) {
        num = cut_corners(num, cut / 2, select(1.0, -1.0, cut % 2 == 1), limit[cut / 2]);
    }

    // corners near enough, each once
    let normal = reference.mat[a] * select(-sign, sign, of_first);
    let same = 1e-10 * dot(limit, limit);
    var kept = 0;
    for (var k = 0; k < num; k++) {
        let point = box_corner[k];
        var repeated = false;
        for (var o = 0; o < kept; o++) {
            let d = box_corner[o].xy - point.xy;
            repeated |= dot(d, d) < same;
        }
        if (point.z > b.margin || repeated) {
            continue;
        }
        box_corner[kept] = point;
        kept++;
        var local = vec3f(0.0);
        local[ax] = point.x;
        local[ay] = point.y;
        local[a] = sign * (reference.size[a] + 0.5 * point.z);
        add_contact(point.z, reference.mat * local + reference.pos, normal);
    }
}

// keeps of a polygon what is below a limit in one coordinate; returns the number of corners left
fn cut_corners(num: i32, coord: i32, sign: f32, limit: f32) -> i32 {
    let uncut = box_corner;
    var left = 0;
    for (var k = 0; k < num; k++) {
        let p = uncut[k];
        let q = uncut[select(k + 1, 0, k + 1 == num)];
        let dp = sign * p[coord] - limit;
        let dq = sign * q[coord] - limit;
        if (dp <= 0.0 && left < MAXCORNER) {
            box_corner[left] = p;
            left++;
        }
        let crosses = (dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0);
        if (crosses && left < MAXCORNER) {
            box_corner[left] = p + (q - p) * (dp / (dp - dq));
            left++;
        }
    }
    return left;
}
