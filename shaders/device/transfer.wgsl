// copies arrays between the worlds of a chunk and a row of worlds in the host's order: words of world 0, words of world 1, …

struct Move {
    // first word in the image of a world
    offset: u32,
    // number of words per world
    words: u32,
    // number of worlds
    count: u32,
    // first world of the chunk, if there is no list
    first: u32,
    // 1: `list` has the numbers of the worlds
    listed: u32,
    // 1: every world gets the same words
    same: u32,
    tile: u32,
    world_words: u32,
    // invocations of one row of the dispatch
    row: u32,
    // first word of the worlds in the host's order
    start: u32,
}

@group(0) @binding(0) var<uniform> step: Move;
@group(0) @binding(1) var<storage, read_write> data_words: array<u32>;
@group(0) @binding(2) var<storage, read_write> host_words: array<u32>;
@group(0) @binding(3) var<storage, read> list: array<u32>;

// address of the word `id` of the row in the chunk
fn place(id: u32) -> u32 {
    let k = id / step.words;
    var w = step.first + k;
    if (step.listed == 1u) {
        w = list[k];
    }
    let e = step.offset + id % step.words;
    return (w / step.tile) * (step.world_words * step.tile) + e * step.tile + w % step.tile;
}

// worlds to host
@compute @workgroup_size(64) fn gather(@builtin(global_invocation_id) at: vec3u) {
    let id = at.y * step.row + at.x;
    if (id < step.words * step.count) {
        host_words[step.start + id] = data_words[place(id)];
    }
}

// host to worlds
@compute @workgroup_size(64) fn scatter(@builtin(global_invocation_id) at: vec3u) {
    let id = at.y * step.row + at.x;
    if (id < step.words * step.count) {
        let word = select(id, id % step.words, step.same == 1u);
        data_words[place(id)] = host_words[step.start + word];
    }
}
