// distance of two geoms, as in src/cpu/collision/distance.rs

// signed distance of two geoms, their nearest points, and the unit direction from the first of these to the second
struct Apart {
    dist: f32,
    dir: vec3f,
    begin: vec3f,
    end: vec3f,
}

// signed distance of two geoms at their poses and their nearest points; `most` and zeros if they are farther apart than `most`,
// or cannot collide
fn geom_distance(first: i32, second: i32, most: f32) -> Apart {
    let type1 = min(geom_type(first), geom_type(second));
    let type2 = max(geom_type(first), geom_type(second));
    let boxes = type1 == GEOM_BOX && type2 == GEOM_BOX;
    let solids = measures_convex && type1 > GEOM_HFIELD && (boxes || pair_is_convex(type1, type2));
    let field = measures_hfield && type1 == GEOM_HFIELD && type2 > GEOM_HFIELD;
    let flip = !solids && type1 != geom_type(first);
    let geom1 = select(first, second, flip);
    let geom2 = select(second, first, flip);
    let a = shape_of(geom1);
    let b = shape_of(geom2);
    var out = Apart(most, vec3f(0.0), vec3f(0.0), vec3f(0.0));
    found = 0;
    if (solids || field) {
        ccd_beyond = select(most, 0.0, field);
        ccd_newer = solids;
        ccd_search(a, b, geom1, geom2, select(0.0, most, field));
        ccd_newer = false;
        ccd_beyond = 0.0;
        if (solids && ccd_dist < most && ccd_dist != CCD_FAR) {
            let dir = a.mat * ccd_normal * sign(ccd_dist);
            out = Apart(ccd_dist, dir, a.mat * ccd_point1 + a.pos, a.mat * ccd_point2 + a.pos);
        }
    } else {
        closed_form(a, b, geom2, vec2i(type1, type2), most);
        if (searches_fields && type2 == GEOM_SDF) {
            in_field(type1, geom1, geom2);
        }
    }
    if (!solids) {
        // the deepest contact
        for (var n = 0; n < found; n++) {
            let point = found_point[n];
            if (point.dist < out.dist) {
                let normal = normalize3(point.normal).xyz;
                let half = normal * (0.5 * point.dist);
                out = Apart(point.dist, normal * sign(point.dist), point.pos - half, point.pos + half);
            }
        }
    }
    if (flip) {
        return Apart(out.dist, -out.dir, out.end, out.begin);
    }
    return out;
}

// contacts of two shapes by a closed form, the lower type first
fn closed_form(a: Shape, b: Shape, geom2: i32, types: vec2i, most: f32) {
    if (types.x == GEOM_PLANE) {
        if (measures_plane_sphere && types.y == GEOM_SPHERE) {
            plane_point(a.pos, a.mat[2], b.pos, b.size[0], most);
        } else if (measures_plane_capsule && types.y == GEOM_CAPSULE) {
            plane_capsule(a, b, most);
        } else if (measures_plane_ellipsoid && types.y == GEOM_ELLIPSOID) {
            plane_ellipsoid(a, b, most);
        } else if (measures_plane_cylinder && types.y == GEOM_CYLINDER) {
            plane_cylinder(a, b, most);
        } else if (measures_plane_box && types.y == GEOM_BOX) {
            plane_box(a, b, most);
        } else if ((measures_plane_mesh && types.y == GEOM_MESH) || (measures_plane_sdf && types.y == GEOM_SDF)) {
            plane_mesh(a, geom2, most);
        }
    } else if (types.x == GEOM_SPHERE) {
        if (measures_sphere_sphere && types.y == GEOM_SPHERE) {
            balls(a, a.pos, a.size[0], b, b.pos, b.size[0], most);
        } else if (measures_sphere_capsule && types.y == GEOM_CAPSULE) {
            sphere_capsule(a, b, most);
        } else if (measures_sphere_cylinder && types.y == GEOM_CYLINDER) {
            sphere_cylinder(a, b, most);
        } else if (measures_sphere_box && types.y == GEOM_BOX) {
            ball_box(transpose(b.mat) * (a.pos - b.pos), a.size[0], b, most);
        }
    } else if (types.x == GEOM_CAPSULE) {
        if (measures_capsule_capsule && types.y == GEOM_CAPSULE) {
            capsule_capsule(a, b, most);
        } else if (measures_capsule_box && types.y == GEOM_BOX) {
            capsule_box(a, b, most);
        }
    }
}
