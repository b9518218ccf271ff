// two convex solids without a closed form, as in src/cpu/collision/convex.rs: GJK finds their distance, EPA their penetration depth
//
// Shader compilers inline functions at every call, so large functions must be called from one place only. All uses of the support
// function are therefore in one loop with one call per iteration:
//
//   prism ─▶ begin ─▶ gjk ─▶ last ─▶ start ─▶ corner ─▶ faces ─▶ grow ─▶ found
//     ▲         ▲             │ bare    │        └─ while corners lack  └─ until it is deep enough
//     └─────────┼─────────────┼─────────┼──────────────────────────────────┘ next prism of a height field
//               └─────────────┘         └─▶ found
const CCD_BEGIN: i32 = 0;
const CCD_GJK: i32 = 1;
const CCD_LAST: i32 = 2;
const CCD_START: i32 = 3;
const CCD_CORNER: i32 = 4;
const CCD_FACES: i32 = 5;
const CCD_GROW: i32 = 6;
const CCD_FOUND: i32 = 7;
const CCD_DONE: i32 = 8;
const CCD_BOX: i32 = 9;
const CCD_PRISM: i32 = 10;
const CCD_TELL: i32 = 11;
const CCD_AGAIN: i32 = 12;
const CCD_PORTAL: i32 = 13;

// larger than any squared distance
const CCD_FAR: f32 = 3e38;
// maximum number of steps of a search; a larger `ccd_iterations` has no effect
const CCD_STEPS: i32 = clamp(opt_ccd_iterations, 0, 500);
// rounding of a length computed from coordinates, relative to the size of the solids
const CCD_GRAIN: f32 = 2e-7;

// a vertex of the Minkowski difference: its position, the point of the first solid, the direction in which it is the support
// point, and the vertex numbers in both solids
struct Corner {
    diff: vec3f,
    on1: vec3f,
    dir: vec3f,
    id1: i32,
    id2: i32,
}

var<private> ccd_phase: i32;
var<private> ccd_step: i32;
// both solids in the frame of the first, or in the frame of the height field with its origin at the solid
var<private> solid1: Solid;
var<private> solid2: Solid;
var<private> ccd_margin: f32;
var<private> ccd_bare: bool;
var<private> ccd_grain: f32;
var<private> ccd_tolerance: f32;
var<private> ccd_discrete: bool;
var<private> ccd_cutoff: f32;
// distance up to which separate solids are reported; 0: contacts only
var<private> ccd_beyond: f32;
// results: distance, the witness points of both solids, unit normal from the first to the second
var<private> ccd_dist: f32;
var<private> ccd_point1: vec3f;
var<private> ccd_point2: vec3f;
var<private> ccd_normal: vec3f;
// nearest vertices of the simplex, or of the face of the polytope; their number
var<private> corner0: Corner;
var<private> corner1: Corner;
var<private> corner2: Corner;
var<private> corner3: Corner;
var<private> ccd_corners: i32;
// true if a search of this lane stopped before it converged
var<private> ccd_unsure: bool;

fn convex(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {
    ccd_search(a, b, geom1, geom2, margin);
    convex_contacts(a, geom1, margin, 0);
}

// contacts of two solids that a search found, after the first `kept` contacts of the pair
fn convex_contacts(a: Shape, geom1: i32, margin: f32, kept: i32) {
    if (collides_convex && geom_type(geom1) != GEOM_HFIELD && (CCD_OLDER || ccd_dist < 0.0)) {
        if (!CCD_OLDER) {
            convex_manifold(margin);
        }
        if (!CCD_OLDER && found == kept) {
            add_contact(margin + ccd_dist, 0.5 * (ccd_point1 + ccd_point2), ccd_normal);
        }
        for (var n = kept; n < found; n++) {
            found_point[n].pos = a.mat * found_point[n].pos + a.pos;
            found_point[n].normal = a.mat * found_point[n].normal;
        }
    }
}

// signed distance of two solids with their margins, and its witness points, in the frame of the first; for a height field its contacts
fn ccd_search(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {
    let of_field = is_hfield(geom1);
    let turn = transpose(a.mat) * b.mat;
    let apart = transpose(a.mat) * (b.pos - a.pos);
    ccd_margin = margin;
    var around = 0.0;
    if (elements_searched && geom2 < 0) {
        solid2 = element_solid(true, select(apart, vec3f(0.0), of_field), b.size);
        around = element_size(true, b.size.x);
    } else {
        solid2 = solid_of(geom2, turn, select(apart, vec3f(0.0), of_field), b.size);
        around = geom_rbound(geom2);
    }
    if (elements_searched && geom1 < 0) {
        solid1 = element_solid(false, vec3f(0.0), a.size);
        ccd_grain = CCD_GRAIN * (around + element_size(false, a.size.x));
    } else {
        solid1 = solid_of(geom1, unit_mat3(), vec3f(0.0), a.size);
        ccd_grain = CCD_GRAIN * (around + select(geom_rbound(geom1), 0.0, of_field));
    }
    if (ccd_beyond > 0.0) {
        // rounding grows with the distance as with the sizes of the solids
        ccd_grain += CCD_GRAIN * length(apart);
    }
    ccd_phase = CCD_BEGIN;
    ccd_begin();
    if (CCD_OLDER) {
        older_search = 0;
    }
    if (solid_hfield && of_field) {
        field_begin(geom1, apart, around);
    }
    while (ccd_phase != CCD_DONE) {
        // choose the direction of the support point
        if (solid_hfield && ccd_phase == CCD_PRISM) {
            field_prism();
        }
        if (CCD_OLDER && !ccd_newer && ccd_phase == CCD_BEGIN) {
            portal_begin();
        }
        if (CCD_NEWER && ccd_phase == CCD_BEGIN) {
            gjk_begin();
        }
        if (CCD_NEWER && ccd_phase == CCD_GJK) {
            gjk_check();
        }
        if (CCD_NEWER && ccd_phase == CCD_START) {
            epa_start();
        }
        var dir = -gjk_x / max(gjk_norm, 1e-30);
        if (CCD_NEWER && ccd_phase == CCD_CORNER) {
            dir = epa_start_dir;
        } else if (CCD_NEWER && ccd_phase == CCD_GROW) {
            dir = epa_best.xyz / sqrt(epa_best.w);
        } else if (CCD_OLDER && ccd_phase == CCD_PORTAL) {
            dir = portal_dir;
        } else if (solid_hfield && ccd_phase == CCD_BOX) {
            dir = field_dir();
        }
        let corner = ccd_support(dir);

        // use the support point
        if (CCD_NEWER && (ccd_phase == CCD_CORNER || ccd_phase == CCD_GROW)) {
            polytope_put(polytope_corners, corner);
            polytope_corners++;
        }
        if (CCD_NEWER && ccd_phase == CCD_GJK) {
            gjk_move(corner);
        } else if (CCD_NEWER && ccd_phase == CCD_LAST) {
            gjk_end(corner);
        } else if (CCD_NEWER && ccd_phase == CCD_CORNER) {
            epa_corner(corner);
        } else if (CCD_NEWER && ccd_phase == CCD_GROW) {
            epa_grow(corner);
        } else if (CCD_OLDER && ccd_phase == CCD_PORTAL) {
            portal_move(corner);
        } else if (solid_hfield && ccd_phase == CCD_BOX) {
            field_box(corner);
        }
        if (CCD_NEWER && ccd_phase == CCD_FACES) {
            epa_attach();
        }
        if (CCD_NEWER && ccd_phase == CCD_GROW) {
            epa_nearest();
        }
        if (CCD_NEWER && (ccd_phase == CCD_TELL || ccd_phase == CCD_AGAIN)) {
            epa_tell();
        }
        if (CCD_OLDER && !ccd_newer && ccd_phase == CCD_FOUND) {
            older_found(a, b, geom1, geom2);
        }
        if (ccd_phase == CCD_FOUND) {
            ccd_phase = CCD_DONE;
            if (solid_hfield && of_field) {
                if (ccd_dist < 0.0) {
                    let pos = 0.5 * (ccd_point1 + ccd_point2);
                    add_contact(margin + ccd_dist, a.mat * pos + b.pos, a.mat * ccd_normal);
                }
                ccd_phase = CCD_PRISM;
            }
        }
    }
}

// prepares the first search: elements of flexes always keep their radius
fn ccd_begin() {
    ccd_thin(elements_searched && solid2.kind == SOLID_ELEMENT);
}

// prepares the search without margins and without the radius of spheres and capsules, or with them if full
fn ccd_thin(full: bool) {
    let margin = select(ccd_margin, 0.0, !full);
    ccd_bare = !full;
    solid1.margin = margin;
    solid2.margin = margin;
    solid1.bare = !full;
    solid2.bare = !full;
    ccd_cutoff = select(solid_skin(solid1) + solid_skin(solid2) + ccd_margin, 0.0, full);

    // without margin and radius both searches are the same
    if (!full && ccd_cutoff == 0.0) {
        ccd_bare = false;
    }
    ccd_discrete = margin == 0.0 && solid_discrete(solid1) && solid_discrete(solid2);
    ccd_tolerance = max(opt_ccd_tolerance, ccd_grain);
}

// radius that a search without it leaves out
fn solid_skin(solid: Solid) -> f32 {
    let around = (solid_sphere && solid.kind == GEOM_SPHERE) || (solid_capsule && solid.kind == GEOM_CAPSULE);
    return select(0.0, solid.size[0], around);
}

// true for polyhedra: a search then ends after finitely many steps
fn solid_discrete(solid: Solid) -> bool {
    return solid.kind == GEOM_MESH || solid.kind == GEOM_BOX || solid.kind == GEOM_HFIELD;
}

// support point of the difference in a unit direction
fn ccd_support(dir: vec3f) -> Corner {
    var out: Corner;
    out.dir = dir;
    var solid = solid1;
    var point = vec3f(0.0);
    for (var side = 0; side < 2; side++) {
        let way = select(dir, -dir, side == 1);
        let top = solid_support(solid, way);
        let there = top.point + way * (0.5 * solid.margin);
        if (side == 0) {
            out.on1 = there;
            out.id1 = top.vertex;
            solid1.vertex = top.vertex;
            solid1.climbed = top.climbed;
            solid = solid2;
        } else {
            out.diff = out.on1 - there;
            out.id2 = top.vertex;
            solid2.vertex = top.vertex;
            solid2.climbed = top.climbed;
        }
    }
    return out;
}
