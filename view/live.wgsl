// Gathers the poses of a layer from the words of worlds: word e of world t of a tile is at e * tile + t behind the
// preceding tiles.

struct Source {
    // number of shown worlds in the buffer, and the index of the first in the picture
    nworld: u32,
    first: u32,
    // worlds per tile, and words per world
    tile: u32,
    world_words: u32,
    nparts: u32,
    // invocations in a row of workgroups
    row: u32,
    // a part farther than this from the origin of its world is ignored in the box (m)
    reach: f32,
}

struct Spot {
    // first words of position and orientation in a world
    pos: u32,
    mat: u32,
    // 1: the part counts for the box of its world
    counts: u32,
}

@group(0) @binding(0) var<uniform> source: Source;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> spots: array<Spot>;
// 12 words of each part of each world: position, orientation
@group(0) @binding(3) var<storage, read_write> poses: array<u32>;
// for each world the least and the greatest position of its parts (m)
@group(0) @binding(4) var<storage, read_write> boxes: array<f32>;

fn word(world: u32, e: u32) -> u32 {
    let tile = world / source.tile;
    return words[source.tile * (tile * source.world_words + e) + world % source.tile];
}

// consecutive invocations take consecutive worlds of one part
@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    let k = id.y * source.row + id.x;
    if (k >= source.nworld * source.nparts) {
        return;
    }
    let world = k % source.nworld;
    let part = k / source.nworld;
    let spot = spots[part];
    let to = 12u * ((source.first + world) * source.nparts + part);
    for (var i = 0u; i < 3u; i++) {
        poses[to + i] = word(world, spot.pos + i);
    }
    for (var i = 0u; i < 9u; i++) {
        poses[to + 3u + i] = word(world, spot.mat + i);
    }
}

fn finite(bits: u32) -> bool {
    return (bits & 0x7f800000u) != 0x7f800000u;
}

// a world without a part that counts gets an empty box, with low above high
@compute @workgroup_size(64)
fn surround(@builtin(global_invocation_id) id: vec3u) {
    let world = id.y * source.row + id.x;
    if (world >= source.nworld) {
        return;
    }
    var low = vec3f(3.4e38);
    var high = vec3f(-3.4e38);
    for (var part = 0u; part < source.nparts; part++) {
        let spot = spots[part];
        let bits = vec3u(word(world, spot.pos), word(world, spot.pos + 1u), word(world, spot.pos + 2u));
        let at = bitcast<vec3f>(bits);
        let there = finite(bits.x) && finite(bits.y) && finite(bits.z) && length(at) <= source.reach;
        if (spot.counts == 1u && there) {
            low = min(low, at);
            high = max(high, at);
        }
    }
    let to = 6u * (source.first + world);
    for (var i = 0u; i < 3u; i++) {
        boxes[to + i] = low[i];
        boxes[to + 3u + i] = high[i];
    }
}
