// Solids of many worlds. An instance names a world and a part of it. The look of a part is the same in all worlds, its pose
// comes from the world's poses.

// whether there are textures; whether the model has lights (a painter of a model without them writes `false`, so that unused code is not run)
const TEXTURED = true;
const LIT = true;

// a light, in the sense of OpenGL
struct Light {
    // position (m), if it has one
    pos: vec3f,
    has_place: f32,
    // unit vector along which it shines; cosine of the cutoff angle about it
    dir: vec3f,
    cutoff: f32,
    // coefficients a, b (1/m), c (1/m²) of the divisor a + b d + c d² of its light at a distance d
    attenuation: vec3f,
    exponent: f32,
    ambient: vec3f,
    // 1: it is the sun
    shadow: f32,
    diffuse: vec3f,
    specular: vec3f,
}

struct Frame {
    to_clip: mat4x4f,
    // from world coordinates to those of the shadow map
    to_sun: mat4x4f,
    from_clip: mat4x4f,
    // position of the camera (m); side of a square of the floor (m)
    eye: vec3f,
    square: f32,
    // unit vector to the sun; side of a texel of the shadow map (m)
    sun: vec3f,
    texel: f32,
    // colour of the horizon; distance at which the floor's own colour has decayed by half (m)
    haze: vec3f,
    far: f32,
    // index of the sky's texture plus 1; 0: none
    sky: u32,
    // number of lights of the model; 0: sun, sky, and a weak light at the camera
    nlight: u32,
    lights: array<Light, 8>,
}

struct Part {
    // scale of the mesh along its axes (m)
    scale: vec3f,
    // displacement of a capsule's caps, half of its length (m)
    half_length: f32,
    // linear colour and opacity
    color: vec4f,
    // 1: a floor, which fades into the haze
    floor_: u32,
    shininess: f32,
    // index of its texture plus 1; 0: none
    cover: u32,
    // mapping of the texture: 0 by the mesh's coordinates, 1 projected along z, 2 projected from the origin; `stretch`: factors of the coordinates
    map: u32,
    stretch: vec3f,
}

struct World {
    // position of the world in the picture (m); opacity
    offset: vec3f,
    alpha: f32,
    // linear colour of the tint, and its fraction
    tint: vec4f,
}

struct Instance {
    world: u32,
    part: u32,
}

struct Layer {
    nparts: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
// heads of 16 words: width, height, sides, levels, first texel of each level; then texels, one byte each for red, green, blue
@group(0) @binding(1) var<storage, read> textures: array<u32>;
@group(1) @binding(0) var<uniform> layer: Layer;
@group(1) @binding(1) var<storage, read> parts: array<Part>;
// position and orientation, row by row, of each part of each world
@group(1) @binding(2) var<storage, read> poses: array<f32>;
@group(1) @binding(3) var<storage, read> worlds: array<World>;
@group(1) @binding(4) var<storage, read> instances: array<Instance>;
@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

struct Vertex {
    @location(0) pos: vec3f,
    @location(1) normal: vec3f,
    // -1 or 1 on the caps of a capsule
    @location(2) end: f32,
    @location(3) uv: vec2f,
    @builtin(instance_index) instance: u32,
}

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) pos: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) instance: u32,
    // texture coordinates
    @location(3) at: vec3f,
}

fn linear(color: vec3f) -> vec3f {
    return pow(max(color, vec3f(0.0)), vec3f(2.2));
}

fn place(v: Vertex) -> Point {
    let it = instances[v.instance];
    let part = parts[it.part];
    let at = 12u * (it.world * layer.nparts + it.part);
    let pos = vec3f(poses[at], poses[at + 1u], poses[at + 2u]);
    // rows of the orientation
    let x = vec3f(poses[at + 3u], poses[at + 4u], poses[at + 5u]);
    let y = vec3f(poses[at + 6u], poses[at + 7u], poses[at + 8u]);
    let z = vec3f(poses[at + 9u], poses[at + 10u], poses[at + 11u]);
    let local = v.pos * part.scale + vec3f(0.0, 0.0, v.end * part.half_length);
    let normal = v.normal / part.scale;
    var out: Point;
    out.pos = pos + vec3f(dot(x, local), dot(y, local), dot(z, local)) + worlds[it.world].offset;
    out.normal = vec3f(dot(x, normal), dot(y, normal), dot(z, normal));
    out.instance = v.instance;
    out.at = select(local, vec3f(v.uv, 0.0), part.map == 0u) * part.stretch;
    return out;
}

@vertex
fn seen_by_camera(v: Vertex) -> Point {
    var p = place(v);
    p.clip = frame.to_clip * vec4f(p.pos, 1.0);
    return p;
}

@vertex
fn seen_by_sun(v: Vertex) -> @builtin(position) vec4f {
    return frame.to_sun * vec4f(place(v).pos, 1.0);
}

// fraction of sunlight at a point: the mean of nine samples one texel apart, each interpolated between four texels. Together these are sixteen
// texels, of which the outer ones have less weight
fn sunlight(pos: vec3f, normal: vec3f) -> f32 {
    let clip = frame.to_sun * vec4f(pos + 1.5 * frame.texel * normal, 1.0);
    let size = f32(textureDimensions(shadow_map).x);
    let at = (clip.xy * vec2f(0.5, -0.5) + 0.5) * size - 0.5;
    let low = floor(at);
    let part = at - low;
    var sum = 0.0;
    for (var i = 0; i < 2; i++) {
        for (var j = 0; j < 2; j++) {
            // a corner shared by two columns and two rows of texels
            let between = low + vec2f(f32(2 * i), f32(2 * j));
            let four = textureGatherCompare(shadow_map, shadow_sampler, between / size, clip.z);
            let x = select(vec2f(1.0, part.x), vec2f(1.0 - part.x, 1.0), i == 0);
            let y = select(vec2f(1.0, part.y), vec2f(1.0 - part.y, 1.0), j == 0);
            // left and right of the lower row, then right and left of the upper one
            sum += dot(four, vec4f(x.x * y.y, x.y * y.y, x.y * y.x, x.x * y.x));
        }
    }
    let inside = all(abs(clip.xy) < vec2f(1.0)) && clip.z < 1.0;
    return select(1.0, sum / 9.0, inside);
}

// squares in two shades; squares smaller than a pixel are averaged
fn squares(pos: vec2f, width: vec2f) -> f32 {
    let at = pos / frame.square;
    let w = max(width / frame.square, vec2f(1e-5));
    // the integral of a square wave over a pixel (I. Quilez: filterable procedurals)
    let wave = 2.0 * (abs(fract((at - 0.5 * w) * 0.5) - 0.5) - abs(fract((at + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * wave.x * wave.y;
}

// a level of a texture's side: its size in pixels, the index of its first texel, and whether it repeats
struct Side {
    size: vec2i,
    first: i32,
    repeats: bool,
}

fn side_of(head: u32, level: u32, side: u32, repeats: bool) -> Side {
    let size = vec2i(max(vec2u(textures[head], textures[head + 1u]) >> vec2u(level), vec2u(1u)));
    return Side(size, i32(textures[head + 4u + level]) + i32(side) * size.x * size.y, repeats);
}

// a texel at most one beyond the edges: there the texture or its edge is repeated
fn texel(it: Side, at: vec2i) -> vec3f {
    let round = select(at, at + it.size, at < vec2i(0));
    let inside = select(clamp(at, vec2i(0), it.size - 1), select(round, round - it.size, round >= it.size), it.repeats);
    return unpack4x8unorm(textures[it.first + inside.y * it.size.x + inside.x]).rgb;
}

// the mean of the four texels around a point
fn smooth_texel(it: Side, uv: vec2f) -> vec3f {
    let at = select(uv, fract(uv), it.repeats) * vec2f(it.size) - 0.5;
    let low = vec2i(floor(at));
    let part = fract(at);
    let above = mix(texel(it, low), texel(it, low + vec2i(1, 0)), part.x);
    let below = mix(texel(it, low + vec2i(0, 1)), texel(it, low + vec2i(1, 1)), part.x);
    return mix(above, below, part.y);
}

// a point of a texture's side, and its change from one pixel to the next
struct Spot {
    side: u32,
    uv: vec2f,
    dx: vec2f,
    dy: vec2f,
    repeats: bool,
}

// colour of a texture over a pixel's footprint: up to four samples along its longer side, at a level chosen by its width
fn seen(head: u32, spot: Spot) -> vec3f {
    let size = vec2f(vec2u(textures[head], textures[head + 1u]));
    let wide = vec2f(length(spot.dx * size), length(spot.dy * size));
    let along = select(spot.dy, spot.dx, wide.x > wide.y);
    let many = clamp(ceil(max(wide.x, wide.y) / max(min(wide.x, wide.y), 1e-6)), 1.0, 4.0);
    let most = max(f32(textures[head + 3u]), 1.0) - 1.0;
    let coarse = clamp(log2(max(max(wide.x, wide.y) / many, 1.0)), 0.0, most);
    let level = u32(coarse);
    let next = min(level + 1u, u32(most));
    let near = side_of(head, level, spot.side, spot.repeats);
    let far = side_of(head, next, spot.side, spot.repeats);
    var sum = vec3f(0.0);
    for (var k = 0.0; k < many; k += 1.0) {
        let at = spot.uv + ((k + 0.5) / many - 0.5) * along;
        sum += mix(smooth_texel(near, at), smooth_texel(far, at), fract(coarse));
    }
    return sum / many;
}

// side and coordinates of a cube texture in a direction, as in OpenGL
fn around(sides: u32, dir: vec3f, dx: vec3f, dy: vec3f) -> Spot {
    let size = abs(dir);
    var axis = 2u;
    if (size.x >= size.y && size.x >= size.z) {
        axis = 0u;
    } else if (size.y >= size.z) {
        axis = 1u;
    }
    let away = select(1.0, -1.0, dir[axis] < 0.0);
    let m = max(size[axis], 1e-12);
    let uv = turned(dir, axis, away).xy / m;
    let ddx = turned(dx, axis, away);
    let ddy = turned(dy, axis, away);
    let side = select(0u, 2u * axis + select(0u, 1u, away < 0.0), sides == 6u);
    return Spot(side, 0.5 + 0.5 * uv, 0.5 * (ddx.xy - uv * ddx.z) / m, 0.5 * (ddy.xy - uv * ddy.z) / m, false);
}

// a vector in the frame of a cube's side: right, down, outward
fn turned(v: vec3f, axis: u32, away: f32) -> vec3f {
    if (axis == 0u) {
        return vec3f(-away * v.z, -v.y, away * v.x);
    }
    if (axis == 1u) {
        return vec3f(v.x, away * v.z, away * v.y);
    }
    return vec3f(away * v.x, -v.y, away * v.z);
}

// colour of a part's texture at a point
fn cover(part: Part, at: vec3f, dx: vec3f, dy: vec3f) -> vec3f {
    let head = 16u * (part.cover - 1u);
    let sides = textures[head + 2u];
    var spot = Spot(0u, at.xy, dx.xy, dy.xy, true);
    if (part.map == 1u) {
        let down = vec2f(0.5, -0.5);
        spot = Spot(0u, at.xy * down - 0.5, dx.xy * down, dy.xy * down, true);
    } else if (part.map == 2u) {
        spot = around(sides, at, dx, dy);
    }
    // a texture without pixels changes nothing
    return select(seen(head, spot), vec3f(1.0), sides == 0u);
}

// colour of the sky in a direction
fn heaven(dir: vec3f) -> vec3f {
    if (TEXTURED && frame.sky > 0u) {
        let head = 16u * (frame.sky - 1u);
        let spot = around(textures[head + 2u], upright(dir), vec3f(0.0), vec3f(0.0));
        return linear(smooth_texel(side_of(head, 0u, spot.side, false), spot.uv));
    }
    let up = pow(clamp(dir.z, 0.0, 1.0), 0.6);
    return linear(mix(frame.haze, vec3f(0.36, 0.52, 0.74), up));
}

// the cube of a sky has y up
fn upright(v: vec3f) -> vec3f {
    return vec3f(v.x, v.z, -v.y);
}

// shaded colour in light from the sun (times its unshadowed fraction), the sky above, the floor below and a weak light at the camera
fn in_the_open(color: vec3f, normal: vec3f, toward: vec3f, shininess: f32, sunny: f32) -> vec3f {
    let sun = max(dot(normal, frame.sun), 0.0) * sunny;
    let sky = mix(vec3f(0.16, 0.15, 0.15), vec3f(0.34, 0.38, 0.44), 0.5 + 0.5 * normal.z);
    let head = 0.12 * max(dot(normal, toward), 0.0);
    let half_way = normalize(frame.sun + toward);
    let shine = shininess * pow(max(dot(normal, half_way), 0.0), 40.0) * sun;
    return color * (sky + head + 0.85 * sun * vec3f(1.0, 0.96, 0.90)) + shine;
}

// shaded colour in the lights of a model; contributions are added gamma-encoded, as in MuJoCo's renderer
fn lit(color: vec3f, pos: vec3f, normal: vec3f, toward: vec3f, shininess: f32, sunny: f32) -> vec3f {
    var sum = vec3f(0.0);
    var shine = vec3f(0.0);
    for (var k = 0u; k < frame.nlight; k++) {
        let light = frame.lights[k];
        let apart = light.pos - pos;
        let far = length(apart);
        let from_light = select(-light.dir, apart / max(far, 1e-9), light.has_place > 0.0);
        let along = -dot(from_light, light.dir);
        var share = 1.0;
        if (light.has_place > 0.0) {
            share = select(0.0, pow(max(along, 1e-6), light.exponent), along >= light.cutoff);
            share /= max(dot(light.attenuation, vec3f(1.0, far, far * far)), 1e-6);
        }
        var direct = share;
        if (light.shadow > 0.0) {
            direct *= sunny;
        }
        let straight = max(dot(normal, from_light), 0.0);
        let mirrored = max(dot(normal, normalize(from_light + toward)), 0.0);
        sum += share * light.ambient + direct * straight * light.diffuse;
        shine += select(0.0, direct * pow(mirrored, 64.0), straight > 0.0) * light.specular;
    }
    return color * linear(sum) + linear(2.0 * shininess * shine);
}

// shades floors and textured parts
@fragment
fn shade(p: Point) -> @location(0) vec4f {
    let it = instances[p.instance];
    let part = parts[it.part];
    let width = fwidth(p.pos.xy);
    let dx = dpdx(p.at);
    let dy = dpdy(p.at);
    var color = part.color.rgb;
    if (TEXTURED && part.cover > 0u) {
        color *= linear(cover(part, p.at, dx, dy));
    } else if (part.floor_ == 1u) {
        color *= mix(0.42, 0.60, squares(p.pos.xy, width));
    }
    var light = lighted(p, color, part, worlds[it.world]);
    let clear = exp2(-pow(length(frame.eye - p.pos) / frame.far, 2.0));
    if (part.floor_ == 1u) {
        // fades into the sky at the horizon
        let level = vec3f((p.pos - frame.eye).xy, 0.0);
        light = mix(heaven(level / max(length(level), 1e-9)), light, clear);
    }
    return vec4f(light, part.color.a * worlds[it.world].alpha);
}

// shades parts with one colour
@fragment
fn shade_plain(p: Point) -> @location(0) vec4f {
    let it = instances[p.instance];
    let part = parts[it.part];
    return vec4f(lighted(p, part.color.rgb, part, worlds[it.world]), part.color.a * worlds[it.world].alpha);
}

// light of a point with this colour
fn lighted(p: Point, plain: vec3f, part: Part, world: World) -> vec3f {
    let color = mix(plain, world.tint.rgb, world.tint.a);
    var normal = normalize(p.normal);
    let toward = normalize(frame.eye - p.pos);
    if (dot(normal, toward) < 0.0 && part.floor_ == 0u) {
        normal = -normal;
    }
    let sunny = sunlight(p.pos, normal);
    if (LIT && frame.nlight > 0u) {
        return lit(color, p.pos, normal, toward, part.shininess, sunny);
    }
    return in_the_open(color, normal, toward, part.shininess, sunny);
}

// indices of world and part, each plus 1
@fragment
fn identify(p: Point) -> @location(0) vec2u {
    let it = instances[p.instance];
    return vec2u(it.world + 1u, it.part + 1u);
}

struct Sky {
    @builtin(position) clip: vec4f,
    @location(0) at: vec2f,
}

@vertex
fn everywhere(@builtin(vertex_index) k: u32) -> Sky {
    let at = vec2f(f32((k << 1u) & 2u), f32(k & 2u)) * 2.0 - 1.0;
    // at infinite distance
    return Sky(vec4f(at, 0.0, 1.0), at);
}

@fragment
fn sky(p: Sky) -> @location(0) vec4f {
    let beyond = frame.from_clip * vec4f(p.at, 0.5, 1.0);
    let dir = normalize(beyond.xyz / beyond.w - frame.eye);
    return vec4f(heaven(dir), 1.0);
}
