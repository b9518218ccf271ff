// sums over lists in memory, four entries at a time. The reads of four entries are under way together, so that a lane waits once for
// all four; the sums are those of one entry after the other

// k to k + 3; past the end of the list, its last index
fn four_from(k: i32, end: i32) -> vec4i {
    return min(vec4i(k, k + 1, k + 2, k + 3), vec4i(end - 1));
}

// the first components of four; the others are zero
fn first_few(x: vec4f, num: i32) -> vec4f {
    return select(vec4f(0.0), x, vec4i(0, 1, 2, 3) < vec4i(num));
}
