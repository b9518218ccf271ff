// penetration depth of two convex solids, as in src/cpu/collision/epa.rs: a polytope inside their Minkowski difference is grown
// until its face nearest to the origin lies on the surface (expanding polytope algorithm, van den Bergen)

// upper bound of the depth
var<private> epa_upper: f32;
// the nearest face: its point nearest to the origin and the squared distance of that point, its corners; and whether there is
// such a face
var<private> epa_best: vec4f;
var<private> epa_best_corners: u32;
var<private> epa_has: bool;
// number of corners from which the search starts anew
var<private> epa_again: i32;

// lower bound of the depth: the distance of the face nearest to the origin
fn epa_nearest() {
    var lower2 = CCD_FAR;
    var face = -1;
    for (var f = 0; f < polytope_faces; f++) {
        let dist2 = polytope_plane[f].w;
        if (dist2 < lower2 && (polytope_link[f].x & POLYTOPE_LISTED) != 0u) {
            lower2 = dist2;
            face = f;
        }
    }
    if (face < 0 || lower2 > epa_upper * epa_upper) {
        epa_end(face >= 0 || epa_has);
        return;
    }
    polytope_nearest = face;
    epa_best = polytope_plane[face];
    epa_best_corners = polytope_link[face].x;
    epa_has = true;
    if (lower2 <= 0.0 || ccd_step == CCD_STEPS) {
        epa_end(false);
    }
}

// upper bound of the depth: the support point beyond the nearest face
fn epa_grow(corner: Corner) {
    let lower = sqrt(epa_best.w);
    let depth = dot(epa_best.xyz, corner.diff) / lower;
    epa_upper = min(epa_upper, depth);
    let tolerance = select(ccd_tolerance, ccd_grain, ccd_discrete);
    if (depth - lower < tolerance) {
        // the origin is outside of the first polytope
        if (ccd_step == 0 && depth < lower - max(tolerance, 4.0 * ccd_grain)) {
            epa_has = false;
        }
        epa_end(true);
        return;
    }

    // polyhedra: a vertex met before lies on the surface, so the face does too
    if (ccd_discrete) {
        var met = false;
        for (var k = 0; k < polytope_corners - 1; k++) {
            let id = polytope_id[k];
            met |= id.x == corner.id1 && id.y == corner.id2;
        }
        if (met) {
            epa_end(true);
            return;
        }
    }
    ccd_step++;
    polytope_see(corner.diff);
}

// the search is over
fn epa_end(sure: bool) {
    ccd_unsure |= !sure;
    ccd_phase = CCD_TELL;
}

// corners of the nearest face, and the witness points of both solids; or the triangle from which to start anew
fn epa_tell() {
    let again = ccd_phase == CCD_AGAIN;
    ccd_phase = select(CCD_FOUND, CCD_START, again);
    ccd_dist = 0.0;
    if (!epa_has && !again) {
        return;
    }
    corner0 = polytope_corner(polytope_at(epa_best_corners, 0));
    corner1 = polytope_corner(polytope_at(epa_best_corners, 1));
    corner2 = polytope_corner(polytope_at(epa_best_corners, 2));
    ccd_corners = 3;
    if (again) {
        ccd_corners = epa_again;
        return;
    }
    let near = epa_best.xyz;
    let area = simplex_areas(corner0.diff, corner1.diff, corner2.diff, near);
    let whole = area.x + area.y + area.z;
    let w = select(vec3f(1.0, 0.0, 0.0), area.xyz / whole, whole > 0.0);
    let depth = sqrt(epa_best.w);
    ccd_point1 = corner0.on1 * w.x + corner1.on1 * w.y + corner2.on1 * w.z;
    ccd_point2 = ccd_point1 - near;
    ccd_normal = near / depth;
    ccd_dist = -depth;
}
