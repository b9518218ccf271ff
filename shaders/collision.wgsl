// Contacts (`mj_collision`).
//
// The list of pairs that may collide is a constant of the model. Each lane tries one pair at a time, by its bounding spheres and
// then by the function of its shapes, and holds the contacts found; a scan over the lanes gives the contacts their slots, in the
// order of the list. If they do not fit, the lanes store them one after the other and the deepest contacts stay. A pair that does not
// touch yet is also tried for the rest of the timestep (`narrow/impact.wgsl`).

// a geom at its pose
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

// maximum number of contacts of a pair: eight of two boxes, eleven of a box and a triangle, many of a height field or a signed distance
// field, five of the older convex collider, four of all others; and four of a later impact beside them
const COLLISION_MOST: i32 = 4 * i32(model_speculates) +
    max(4 + i32(CCD_OLDER) + 8 * i32(collides_box_box || flexes_of_triangles || rods_boxed), 50 * i32(solid_hfield || searches_fields));

// contacts of the present pair, whether they are those of an impact within the timestep, and the preferred direction of the first
// tangent
var<private> found: i32;
var<private> found_soon: bool;
var<private> found_point: array<MeetPoint, COLLISION_MOST>;
var<private> found_tangent: vec3f;

fn mj_collision() {
    let off = (opt_disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT)) != 0;
    var all = 0;
    ccd_unsure = false;
    if (flexes_swept) {
        swept_flex = -1;
    }
    if (model_blocks) {
        bound_elements();
        bound_runs();
    }
    var block = 0;
    for (var first = 0; first < ncollision && !off; ) {
        // the pairs before the next block, then the block
        var end = ncollision;
        if (model_blocks && block < nblock) {
            end = block_collision(block);
        }
        for (var base = first; base < end; base += LANES) {
            let k = base + lane;
            forget_found();
            if (k < end) {
                try_pair(k);
            }
            all = put_found(k, all);
        }
        first = end;
        if (model_blocks && block < nblock) {
            all = try_block(block, all);
            block++;
            first++;
        }
    }
    let unsure = team_any(ccd_unsure);
    team_sync();
    if (lane == 0) {
        set_ncon(min(all, nconmax));
        if (flexes_crowd) {
            thin_out();
        }
        // a search of convex solids stopped before it converged
        if (unsure) {
            set_overflow(overflow() | OVERFLOW_CCD);
        }

        // flag an overflow
        set_needed(0, max(needed(0), all));
        if (all > nconmax) {
            set_overflow(overflow() | OVERFLOW_CONTACT);
        }
    }
}

// forgets the contacts of the pair before
fn forget_found() {
    found = 0;
    if (model_speculates) {
        found_soon = false;
    }
    found_tangent = vec3f(0.0);
    if (model_blocks) {
        pair_elem = vec2i(-1);
    }
    if (flexes_swept) {
        soft_reversed = false;
    }
}

// stores the contacts that each lane found of its pair k behind the `all` contacts before; returns the number of all
fn put_found(k: i32, all: i32) -> i32 {
    if (!group_any(team_any(found > 0))) {
        return all;
    }
    let before = all + team_scan(found);
    let num = all + team_sum_i(found);
    let full = group_any(num > nconmax);
    if (!full) {
        for (var n = 0; n < found; n++) {
            put_contact(before + n, k, found_point[n]);
        }
        return num;
    }
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
    return num;
}

fn put_contact(slot: i32, k: i32, point: MeetPoint) {
    set_contact_collision(slot, k);
    if (model_blocks) {
        write_pair(slot, k);
    }
    set_contact_dist(slot, point.dist);
    set_contact_pos(slot, point.pos);
    var frame = contact_frame_of(point.normal, found_tangent);
    if (flexes_swept && soft_reversed) {
        frame = -1.0 * frame;
    }
    set_contact_frame(slot, frame);
    set_contact_efc_address(slot, select(-1, CONTACT_SOON, model_speculates && found_soon));
}

// stores a contact in the next slot; if all are taken, the shallowest contact gives way to a deeper one. The remaining contacts
// keep the order of the list
fn keep_contact(k: i32, point: MeetPoint) {
    var slot = ncon();
    if (slot == nconmax) {
        // the later one of equally shallow contacts
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
            move_contact(c, c + 1);
        }
        slot--;
    }
    put_contact(slot, k, point);
    set_ncon(slot + 1);
}

// copies a contact to another slot
fn move_contact(slot: i32, c: i32) {
    set_contact_collision(slot, contact_collision(c));
    if (model_blocks) {
        move_pair(slot, c);
    }
    set_contact_dist(slot, contact_dist(c));
    set_contact_pos(slot, contact_pos(c));
    set_contact_frame(slot, contact_frame(c));
    if (model_speculates) {
        set_contact_efc_address(slot, contact_efc_address(c));
    }
}

// frame of a contact, in rows: the normal, then two tangents, the first in the preferred direction if there is one
fn contact_frame_of(normal: vec3f, tangent: vec3f) -> mat3x3f {
    let x = normalize3(normal).xyz;

    // no preferred direction: y, or z where the normal is near y
    var wish = tangent;
    if (dot(wish, wish) < 0.25) {
        wish = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), x.y < 0.5 && x.y > -0.5);
    }

    // orthogonalize against the normal
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
    if (SLEEPS && !pair_awake(k)) {
        return;
    }
    let geom1 = collision_geom1(k);
    let geom2 = collision_geom2(k);
    if (ncollisionflex > 0 && is_soft(k)) {
        try_soft(k);
        return;
    }
    let type1 = geom_type(geom1);
    let type2 = geom_type(geom2);
    let detect = collision_detect(k);

    // bounding spheres, or a bounding sphere and a plane
    let bound1 = geom_rbound(geom1);
    let bound2 = geom_rbound(geom2);
    let dif = geom_xpos(geom2) - geom_xpos(geom1);
    var near = true;
    if (bound1 > 0.0 && bound2 > 0.0) {
        let bound = bound1 + bound2 + detect;
        near = dot(dif, dif) <= bound * bound;
    } else if (type1 == GEOM_PLANE && bound2 > 0.0) {
        near = dot(dif, geom_xmat(geom1)[2]) <= detect + bound2;
    }
    let soon = model_speculates && sweeps_meet(k);
    if (!near && !soon) {
        return;
    }
    let a = shape_of(geom1);
    let b = shape_of(geom2);
    if (near) {
        touch_now(a, b, geom1, geom2, detect);
    }
    let search = (collides_convex || collides_hfield) && near && pair_is_convex(type1, type2);
    if (model_speculates) {
        look_ahead(k, a, b, search, soon);
    } else if (search) {
        convex(a, b, geom1, geom2, detect);
    }
}

// contacts by a closed form or in a signed distance field: the function of two geom types, the lower type first
fn touch_now(a: Shape, b: Shape, geom1: i32, geom2: i32, detect: f32) {
    let type1 = geom_type(geom1);
    let type2 = geom_type(geom2);
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
        } else if ((collides_plane_mesh && type2 == GEOM_MESH) || (collides_plane_sdf && type2 == GEOM_SDF)) {
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
    if (searches_fields && type2 == GEOM_SDF) {
        in_field(type1, geom1, geom2);
    }
}

// contacts of a geom that is no plane in a signed distance field
fn in_field(type1: i32, geom1: i32, geom2: i32) {
    if (searches_triangles && type1 == GEOM_MESH) {
        mesh_sdf(geom1, geom2);
    } else if (searches_overlaps && type1 > GEOM_HFIELD) {
        sdf_sdf(geom1, geom2);
    }
}

// true without a closed form: an ellipsoid, a mesh or a height field, or a cylinder with anything but a sphere
fn pair_is_convex(type1: i32, type2: i32) -> bool {
    let round = type1 == GEOM_ELLIPSOID || type2 == GEOM_ELLIPSOID;
    let cylinder = type1 == GEOM_CYLINDER || (type2 == GEOM_CYLINDER && type1 != GEOM_SPHERE);
    if (geoms_sdf && type2 == GEOM_SDF) {
        return false;
    }
    return type1 != GEOM_PLANE && (type1 == GEOM_HFIELD || type2 == GEOM_MESH || round || cylinder);
}
