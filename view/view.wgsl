// Solids of many worlds. An instance names a world and a part of it; what the part looks like is the same in all worlds, where it
// is comes from the world's poses.

struct Frame {
    to_clip: mat4x4f,
    // from world coordinates to those of the shadow map
    to_sun: mat4x4f,
    from_clip: mat4x4f,
    // where the camera is (m); side of a square of the floor (m)
    eye: vec3f,
    square: f32,
    // unit vector to the sun; side of a texel of the shadow map (m)
    sun: vec3f,
    texel: f32,
    // colour of the horizon; distance at which the floor has half of it (m)
    haze: vec3f,
    far: f32,
}

struct Part {
    // stretches the mesh along its axes (m)
    scale: vec3f,
    // moves the caps of a capsule apart, half of its length (m)
    half_length: f32,
    color: vec4f,
    // 1: a floor of squares in two shades, which fades into the haze
    floor_: u32,
    shininess: f32,
}

struct World {
    // where the world lies in the picture (m); how opaque it is
    offset: vec3f,
    alpha: f32,
    // a colour that it is tinted with, and how much
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
    @builtin(instance_index) instance: u32,
}

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) pos: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) instance: u32,
}

fn linear(color: vec3f) -> vec3f {
    return pow(max(color, vec3f(0.0)), vec3f(2.2));
}

fn place(v: Vertex) -> Point {
    let it = instances[v.instance];
    let part = parts[it.part];
    let at = 12u * (it.world * layer.nparts + it.part);
    let pos = vec3f(poses[at], poses[at + 1u], poses[at + 2u]);
    // rows
    let x = vec3f(poses[at + 3u], poses[at + 4u], poses[at + 5u]);
    let y = vec3f(poses[at + 6u], poses[at + 7u], poses[at + 8u]);
    let z = vec3f(poses[at + 9u], poses[at + 10u], poses[at + 11u]);
    let local = v.pos * part.scale + vec3f(0.0, 0.0, v.end * part.half_length);
    let normal = v.normal / part.scale;
    var out: Point;
    out.pos = pos + vec3f(dot(x, local), dot(y, local), dot(z, local)) + worlds[it.world].offset;
    out.normal = vec3f(dot(x, normal), dot(y, normal), dot(z, normal));
    out.instance = v.instance;
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

// share of the sun that reaches a point: the mean of nine texels
fn sunlight(pos: vec3f, normal: vec3f) -> f32 {
    let clip = frame.to_sun * vec4f(pos + 1.5 * frame.texel * normal, 1.0);
    let uv = clip.xy * vec2f(0.5, -0.5) + 0.5;
    let size = 1.0 / f32(textureDimensions(shadow_map).x);
    var sum = 0.0;
    for (var i = -1; i <= 1; i++) {
        for (var j = -1; j <= 1; j++) {
            let at = uv + size * vec2f(f32(i), f32(j));
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, at, clip.z);
        }
    }
    let inside = all(abs(clip.xy) < vec2f(1.0)) && clip.z < 1.0;
    return select(1.0, sum / 9.0, inside);
}

// squares in two shades, lines between them; what is smaller than a pixel is their mean
fn squares(pos: vec2f, width: vec2f) -> f32 {
    let at = pos / frame.square;
    let w = max(width / frame.square, vec2f(1e-5));
    // the integral of a square wave over a pixel (I. Quilez: filterable procedurals)
    let wave = 2.0 * (abs(fract((at - 0.5 * w) * 0.5) - 0.5) - abs(fract((at + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * wave.x * wave.y;
}

@fragment
fn shade(p: Point) -> @location(0) vec4f {
    let it = instances[p.instance];
    let part = parts[it.part];
    let world = worlds[it.world];
    let width = fwidth(p.pos.xy);
    var color = linear(part.color.rgb);
    if (part.floor_ == 1u) {
        color *= mix(0.42, 0.60, squares(p.pos.xy, width));
    }
    color = mix(color, linear(world.tint.rgb), world.tint.a);
    var normal = normalize(p.normal);
    let toward = normalize(frame.eye - p.pos);
    if (dot(normal, toward) < 0.0 && part.floor_ == 0u) {
        normal = -normal;
    }
    let sun = max(dot(normal, frame.sun), 0.0) * sunlight(p.pos, normal);
    // the sky above, the floor below, a little from the camera
    let sky = mix(vec3f(0.16, 0.15, 0.15), vec3f(0.34, 0.38, 0.44), 0.5 + 0.5 * normal.z);
    let head = 0.12 * max(dot(normal, toward), 0.0);
    let half_way = normalize(frame.sun + toward);
    let shine = part.shininess * pow(max(dot(normal, half_way), 0.0), 40.0) * sun;
    var light = color * (sky + head + 0.85 * sun * vec3f(1.0, 0.96, 0.90)) + shine;
    let distance = length(frame.eye - p.pos);
    let clear = exp2(-pow(distance / frame.far, 2.0));
    if (part.floor_ == 1u) {
        light = mix(linear(frame.haze), light, clear);
    }
    return vec4f(light, part.color.a * world.alpha);
}

// number of the world and of the part, both from 1
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
    return Sky(vec4f(at, 1.0, 1.0), at);
}

@fragment
fn sky(p: Sky) -> @location(0) vec4f {
    let beyond = frame.from_clip * vec4f(p.at, 0.5, 1.0);
    let dir = normalize(beyond.xyz / beyond.w - frame.eye);
    let up = pow(clamp(dir.z, 0.0, 1.0), 0.6);
    return vec4f(linear(mix(frame.haze, vec3f(0.36, 0.52, 0.74), up)), 1.0);
}
