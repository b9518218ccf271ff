// distance of two convex solids, as in src/cpu/collision/gjk.rs: the point of their Minkowski difference nearest to the origin
// (Gilbert, Johnson and Keerthi)

// nearest point so far, its distance and the previous distance, weights of the vertices
var<private> gjk_x: vec3f;
var<private> gjk_norm: f32;
var<private> gjk_before: f32;
var<private> gjk_weights: vec4f;

fn gjk_begin() {
    ccd_point1 = solid_center(solid1);
    ccd_point2 = solid2.pos;
    gjk_x = ccd_point1 - ccd_point2;
    gjk_norm = length(gjk_x);
    gjk_before = CCD_FAR;

    // the difference of the centers only gives a first direction: it need not be a vertex of the Minkowski difference. Solids
    // with the same center start along x
    if (gjk_norm < ccd_grain) {
        gjk_x = vec3f(1.0, 0.0, 0.0);
        gjk_norm = 1.0;
    }
    gjk_weights = vec4f(0.0);
    ccd_corners = 0;
    ccd_step = 0;
    ccd_phase = CCD_GJK;
}

// near enough, or no nearer than before
fn gjk_check() {
    let least = select(ccd_tolerance, ccd_grain, ccd_discrete);
    let near = gjk_norm < least || abs(gjk_before - gjk_norm) <= 0.1 * ccd_grain;
    if ((ccd_step > 0 && near) || ccd_step == CCD_STEPS) {
        ccd_phase = CCD_LAST;
    }
}

fn gjk_apart() {
    ccd_dist = CCD_FAR;
    ccd_phase = CCD_FOUND;
}

fn gjk_move(corner: Corner) {
    if (ccd_corners == 0) {
        corner0 = corner;
    } else if (ccd_corners == 1) {
        corner1 = corner;
    } else if (ccd_corners == 2) {
        corner2 = corner;
    } else {
        corner3 = corner;
    }
    let height = dot(gjk_x, corner.diff);
    let enough = select(0.5 * opt_ccd_tolerance * opt_ccd_tolerance, 0.0, ccd_discrete);
    if (ccd_step > 0 && dot(gjk_x, gjk_x - corner.diff) < max(enough, gjk_norm * 0.1 * ccd_grain)) {
        ccd_phase = CCD_LAST;
        return;
    }

    // a plane separates them by more than the cutoff
    if (height > 0.0 && height >= (ccd_cutoff + ccd_beyond) * gjk_norm) {
        gjk_apart();
        return;
    }

    // nearest point of the simplex; where rounding keeps it from coming nearer, the simplex before stays
    let next = on_simplex(ccd_corners + 1);
    let point = corner0.diff * next.x + corner1.diff * next.y + corner2.diff * next.z + corner3.diff * next.w;
    let dist = length(point);
    if (ccd_step > 0 && dist >= gjk_norm) {
        ccd_phase = CCD_LAST;
        return;
    }

    // drops the vertices with zero weight
    gjk_weights = next;
    let kept = gjk_weights != vec4f(0.0);
    ccd_corners = dot(select(vec4i(0), vec4i(1), kept), vec4i(1));
    if (ccd_corners == 0) {
        gjk_apart();
        return;
    }
    if (!kept.z) {
        corner2 = corner3;
        gjk_weights = gjk_weights.xyww;
    }
    if (!kept.y) {
        corner1 = corner2;
        corner2 = corner3;
        gjk_weights = gjk_weights.xzww;
    }
    if (!kept.x) {
        corner0 = corner1;
        corner1 = corner2;
        corner2 = corner3;
        gjk_weights = gjk_weights.yzww;
    }
    gjk_weights = select(vec4f(0.0), gjk_weights, vec4i(0, 1, 2, 3) < vec4i(ccd_corners));
    gjk_x = point;
    gjk_before = select(CCD_FAR, gjk_norm, ccd_step > 0);
    gjk_norm = dist;
    ccd_step++;
    if (ccd_corners == 4) {
        ccd_phase = CCD_LAST;
    }
}

// witness points, and whether the plane across x separates the solids
fn gjk_end(corner: Corner) {
    if (ccd_corners > 0) {
        ccd_point1 = corner0.on1 * gjk_weights.x + corner1.on1 * gjk_weights.y + corner2.on1 * gjk_weights.z + corner3.on1 * gjk_weights.w;
        ccd_point2 = ccd_point1 - gjk_x;
    }
    let separated = gjk_norm > 0.0 && dot(gjk_x, corner.diff) > 0.0;
    ccd_dist = select(gjk_norm, 0.0, ccd_corners == 4 && !separated);
    if (ccd_bare) {
        if (ccd_dist > ccd_tolerance) {
            // add the margins and the radius of spheres and capsules where the cores are apart
            ccd_normal = -gjk_x / gjk_norm;
            ccd_point1 += ccd_normal * (solid_skin(solid1) + 0.5 * ccd_margin);
            ccd_point2 -= ccd_normal * (solid_skin(solid2) + 0.5 * ccd_margin);
            ccd_dist -= ccd_cutoff;
            ccd_phase = CCD_FOUND;
        } else {
            ccd_thin(true);
            ccd_phase = CCD_BEGIN;
        }
        return;
    }

    // touching solids: EPA starts from the simplex that holds the origin
    if (ccd_dist > ccd_tolerance || ccd_corners < 2 || separated) {
        ccd_phase = CCD_FOUND;
        if (ccd_beyond > 0.0) {
            ccd_normal = -gjk_x / max(gjk_norm, 1e-30);
        } else {
            ccd_dist = CCD_FAR;
        }
    } else {
        ccd_dist = 0.0;
        epa_start_edges = true;
        ccd_phase = CCD_START;
    }
}

// start point of the search
fn solid_center(solid: Solid) -> vec3f {
    if (solid_hfield && solid.kind == GEOM_HFIELD) {
        return prism_center();
    }
    return solid.pos;
}
