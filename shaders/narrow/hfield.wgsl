// a height field and a convex solid, as in src/cpu/collision/hfield.rs: the solid against every prism of the grid within its
// bounding box, in the frame of the field, with the origin at the solid

var<private> field: i32;
// position of the solid in the frame of the field
var<private> field_at: vec3f;
var<private> field_axis: i32;
var<private> field_low: vec3f;
var<private> field_high: vec3f;
// range of the prisms that the solid may meet: rows, and points of both rows alternately; the present one
var<private> field_row: i32;
var<private> field_rows: i32;
var<private> field_col: i32;
var<private> field_point: i32;
var<private> field_points: i32;
// the upper corners of the prism, and its bottom
var<private> prism0: vec3f;
var<private> prism1: vec3f;
var<private> prism2: vec3f;
var<private> prism_bottom: f32;

// true for a height field; an element of a flex has no geom
fn is_hfield(geom: i32) -> bool {
    return solid_hfield && (!elements_searched || geom >= 0) && geom_type(geom) == GEOM_HFIELD;
}

fn field_size() -> vec4f {
    return vec4f(hfield_size(field, 0), hfield_size(field, 1), hfield_size(field, 2), hfield_size(field, 3));
}

// true if a box around the solid lies within the bounds of the field
fn field_meets(low: vec3f, high: vec3f) -> bool {
    let size = field_size();
    return all(low + field_at <= size.xyz) && all(high + field_at >= -size.xyw);
}

fn field_begin(geom: i32, at: vec3f, bound: f32) {
    field = max(geom_dataid(geom), 0);
    field_at = at;
    field_axis = 0;
    field_low = vec3f(0.0);
    field_high = vec3f(0.0);
    solid2.bare = false;
    prism0 = vec3f(0.0);
    prism1 = vec3f(0.0);
    prism2 = vec3f(0.0);
    prism_bottom = 0.0;
    let reach = vec3f(bound + ccd_margin);
    ccd_phase = select(CCD_DONE, CCD_BOX, field_meets(-reach, reach));
}

// the second solid gets the reverse direction
fn field_dir() -> vec3f {
    let unit = vec3f(vec3i(field_axis / 2) == vec3i(0, 1, 2));
    return select(-unit, unit, field_axis % 2 == 1);
}

// its bounding box, and the grid lines within it
fn field_box(corner: Corner) {
    let point = corner.on1 - corner.diff;
    let mask = vec3i(field_axis / 2) == vec3i(0, 1, 2);
    if (field_axis % 2 == 0) {
        field_high = select(field_high, point, mask);
    } else {
        field_low = select(field_low, point, mask);
    }
    field_axis++;
    if (field_axis < 6) {
        return;
    }
    field_low -= ccd_margin;
    field_high += ccd_margin;
    if (!field_meets(field_low, field_high)) {
        ccd_phase = CCD_DONE;
        return;
    }
    let half = field_size().xy;
    let last = vec2f(f32(hfield_ncol(field) - 1), f32(hfield_nrow(field) - 1));
    let low = (field_low.xy + field_at.xy + half) / (2.0 * half) * last;
    let high = (field_high.xy + field_at.xy + half) / (2.0 * half) * last;
    let begin = vec2i(clamp(floor(low), vec2f(0.0), last));
    let end = vec2i(clamp(ceil(high), vec2f(0.0), last));
    field_row = begin.y;
    field_rows = end.y;
    field_col = begin.x;
    field_point = 0;
    field_points = 2 * (end.x + 1 - begin.x);
    ccd_phase = CCD_PRISM;
}

// the next prism that is high enough: each grid point makes one with the two points before it
fn field_prism() {
    let size = field_size();
    let ncol = hfield_ncol(field);
    let step = 2.0 * size.xy / vec2f(f32(ncol - 1), f32(hfield_nrow(field) - 1));
    let adr = hfield_adr(field);
    ccd_phase = CCD_DONE;
    prism_bottom = -size.w - field_at.z;
    while (field_row < field_rows && found < COLLISION_MOST) {
        let r = field_row + 1 - field_point % 2;
        let c = field_col + field_point / 2;
        prism0 = prism1;
        prism1 = prism2;
        prism2 = vec3f(step * vec2f(f32(c), f32(r)) - size.xy, hfield_data(adr + r * ncol + c) * size.z) - field_at;
        let high = max(prism0.z, max(prism1.z, prism2.z)) >= field_low.z;
        let some = field_point >= 2 && high;
        field_point++;
        if (field_point >= field_points) {
            field_point = 0;
            field_row++;
        }
        if (some) {
            ccd_phase = CCD_BEGIN;
            break;
        }
    }
    ccd_grain = CCD_GRAIN * (geom_size_of_prism());
    ccd_begin();
}

fn geom_size_of_prism() -> f32 {
    return length(field_high - field_low) + length(prism2 - prism0) + prism2.z - prism_bottom;
}

// the prism is upright: the sign of z selects its lower or upper triangle
fn prism_support(dir: vec3f) -> vec3f {
    let below = dir.z < 0.0;
    var best = vec3f(prism0.xy, select(prism0.z, prism_bottom, below));
    let second = vec3f(prism1.xy, select(prism1.z, prism_bottom, below));
    let third = vec3f(prism2.xy, select(prism2.z, prism_bottom, below));
    best = select(best, second, dot(second, dir) > dot(best, dir));
    return select(best, third, dot(third, dir) > dot(best, dir));
}

fn prism_center() -> vec3f {
    let top = (prism0 + prism1 + prism2) * (1.0 / 3.0);
    return vec3f(top.xy, 0.5 * (top.z + prism_bottom));
}
