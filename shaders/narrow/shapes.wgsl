// signed distances of the shapes of MuJoCo's plugins with their slopes, as in src/asset/sdf.rs: a quantity is its slope (xyz) and its
// value (w). The reference takes slopes by differences over 1e-8 m, for which single precision is too coarse

// sine and cosine of 45°
const SHAPE_SLANT: f32 = 0.70710678;
// turns of a thread in a unit of length
const SHAPE_TURNS: f32 = 12.0;

// a number, which has no slope
fn level(x: f32) -> vec4f {
    return vec4f(0.0, 0.0, 0.0, x);
}

fn larger(a: vec4f, b: vec4f) -> vec4f {
    return select(b, a, a.w > b.w);
}

fn smaller(a: vec4f, b: vec4f) -> vec4f {
    return select(b, a, a.w < b.w);
}

fn magnitude(a: vec4f) -> vec4f {
    return select(a, -a, a.w < 0.0);
}

// length of a vector of two quantities
fn hypotenuse(a: vec4f, b: vec4f) -> vec4f {
    return (a * a.w + b * b.w) / max(length(vec2f(a.w, b.w)), MINVAL);
}

// distance of a point from the z axis
fn from_axis(p: vec3f) -> vec4f {
    let across = length(p.xy);
    return vec4f(p.xy / max(across, MINVAL), 0.0, across);
}

// angle of a point about the z axis (rad)
fn azimuth(p: vec3f) -> vec4f {
    return vec4f(vec2f(-p.y, p.x) / max(dot(p.xy, p.xy), MINVAL), 0.0, arc_tangent(p.y, p.x));
}

fn shape_height(p: vec3f) -> vec4f {
    return vec4f(0.0, 0.0, 1.0, p.z);
}

// signed distance of a point from the shape of a plugin instance
fn shape_at(id: i32, p: vec3f) -> vec4f {
    let kind = plugin(id);
    if (field_bolt && kind == PLUGIN_BOLT) {
        return shape_bolt(plugin_prm(id, 0), p);
    }
    if (field_bowl && kind == PLUGIN_BOWL) {
        return shape_bowl(plugin_prm(id, 0), plugin_prm(id, 1), plugin_prm(id, 2), p);
    }
    if (field_gear && kind == PLUGIN_GEAR) {
        let flat = shape_gear(id, p);
        let high = magnitude(shape_height(p)) - level(0.5 * plugin_prm(id, 3));
        if (max(flat.w, high.w) <= 0.0) {
            return larger(flat, high);
        }
        return hypotenuse(larger(flat, level(0.0)), larger(high, level(0.0)));
    }
    if (field_nut && kind == PLUGIN_NUT) {
        return shape_nut(plugin_prm(id, 0), p);
    }
    if (field_torus && kind == PLUGIN_TORUS) {
        return hypotenuse(from_axis(p) - level(plugin_prm(id, 0)), shape_height(p)) - level(plugin_prm(id, 1));
    }
    return level(MAXVAL);
}

// a hexagonal head with bevelled corners
fn shape_head(radius: vec4f, p: vec3f) -> vec4f {
    let turn = -floor(arc_tangent(p.y, p.x) * 0.95492966 + 0.5) * 1.0471976;
    let sc = sin_cos(turn);
    let side = vec4f(sc.y, -sc.x, 0.0, sc.y * p.x - sc.x * p.y - 0.5);
    let flat = larger(side, magnitude(shape_height(p) + level(0.25)) - level(0.25));
    return larger(flat, (shape_height(p) + radius - level(0.22)) * SHAPE_SLANT);
}

// the wave of a thread around the axis
fn shape_thread(radius: vec4f, p: vec3f) -> vec4f {
    let wave = shape_height(p) * SHAPE_TURNS - azimuth(p) * 0.15915494;
    let triangle = magnitude(wave - level(floor(wave.w) + 0.5));
    return (radius - triangle / SHAPE_TURNS) * SHAPE_SLANT;
}

fn shape_bolt(size: f32, p: vec3f) -> vec4f {
    let radius = from_axis(p) - level(size);

    // cut above and below, and bevelled
    let cut = larger(shape_thread(radius, p), magnitude(shape_height(p) + level(0.5)) - level(0.5));
    let cone = (shape_height(p) - radius) * SHAPE_SLANT;
    return smaller(larger(cut, -cone - level(SHAPE_SLANT)), shape_head(radius, p));
}

fn shape_nut(size: f32, p: vec3f) -> vec4f {
    let radius = from_axis(p) - level(size);

    // the hole
    let cone = (shape_height(p) - radius) * SHAPE_SLANT;
    let hole = larger(shape_thread(radius, p), -cone - level(0.5 * SHAPE_SLANT));
    return larger(shape_head(radius, p), -smaller(hole, -cone - level(0.05 * SHAPE_SLANT)));
}

// height, radius, thickness: a part of a sphere's shell, and its rim
fn shape_bowl(height: f32, radius: f32, thickness: f32, p: vec3f) -> vec4f {
    let width = sqrt(radius * radius - height * height);
    let across = from_axis(p);
    var shell = magnitude(hypotenuse(across, shape_height(p)) - level(radius));
    if (height * across.w < width * p.z) {
        shell = hypotenuse(across - level(width), shape_height(p) - level(height));
    }
    return shell - level(thickness);
}

fn smooth_union(a: vec4f, b: vec4f, k: f32) -> vec4f {
    let h = saturate(0.5 + 0.5 * (b.w - a.w) / k);
    return mix(b, a, h) - level(k * h * (1.0 - h));
}

fn smooth_intersection(a: vec4f, b: vec4f, k: f32) -> vec4f {
    return larger(larger(a, b), -smooth_union(larger(a, -b), larger(b, -a), k));
}

// the section of a gear with teeth of involutes; attributes: turn, diameter, teeth, thickness, diameter of the hole
fn shape_gear(id: i32, p: vec3f) -> vec4f {
    let diameter = plugin_prm(id, 1);
    let count = plugin_prm(id, 2);
    let pressure = 3.096e-5 * count * count - 6.557e-3 * count + 0.551;
    let pitch = 0.5 * diameter;
    let rho = from_axis(p);
    let outside = pitch + diameter / count;
    let depth = 2.2 * diameter / count;
    let hole = plugin_prm(id, 4);
    let inside = select(outside - depth - 0.14 * diameter, 0.5 * hole, hole >= 0.0);

    // far from the teeth the distance is that of a circle
    if (inside - rho.w > 0.0) {
        return level(inside) - rho;
    }
    if (outside - rho.w < -0.2) {
        return rho - level(outside);
    }

    // place within a tooth
    let base = pitch * sin_cos(pressure).y;
    let angle = azimuth(p) + level(plugin_prm(id, 0));
    let stride = 6.2831853 / count;
    let lean = base / pitch;
    let rise = sqrt((1.0 - lean) * (1.0 + lean));
    let shift = 0.5 * stride - 2.0 * (rise / lean - arc_tangent(rise, lean));
    let left = angle - level(stride * floor((angle.w + 0.5 * shift) / stride));
    let right = -angle - level(shift + stride * floor((-angle.w - 0.5 * shift) / stride));
    var flank = level(-1e6);
    if (base < rho.w) {
        let along = sqrt((rho.w - base) * (rho.w + base));
        // a circle's involute: its slope along the radius
        let swing = along - base * arc_tangent(along, base);
        let wound = vec4f(rho.xyz * (along / rho.w), swing);
        flank = larger(wound - left * base, wound - right * base);
    }

    // teeth between their walls, on the wheel, around the hole
    let walls = larger(left, right) - level(stride - shift);
    let teeth = smooth_intersection(rho - level(outside), larger(walls, flank), 0.0035 * diameter);
    let wheel = smooth_union(rho - level(outside - depth), teeth, base - outside + depth);
    return larger(wheel, level(inside) - rho);
}
