// team functions for LANES invocations per world where a workgroup is one subgroup: lanes exchange registers
//
//   subgroup   | team 0: lane 0 1 2 3 | team 1: lane 0 1 2 3 | …
//
// every function here must be called in uniform control flow of the workgroup. Lanes meet before they exchange registers, because those that
// took another branch before may be behind

// makes earlier writes of every lane visible to all lanes of the team. `gpu::barrier` makes one barrier of these
fn team_sync() {
    storageBarrier();
    workgroupBarrier();
    subgroupBarrier();
}

// sum over the team: of pairs, then of pairs of pairs, so that every lane gets the same bits
fn team_sum(x: f32) -> f32 {
    subgroupBarrier();
    var sum = x;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        sum += subgroupShuffleXor(sum, k);
    }
    return sum;
}

// sums of four numbers over the team
fn team_sum4(x: vec4f) -> vec4f {
    subgroupBarrier();
    var sum = x;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        sum += subgroupShuffleXor(sum, k);
    }
    return sum;
}

// bitwise or over the team
fn team_or(x: i32) -> i32 {
    subgroupBarrier();
    var bits = x;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        bits |= subgroupShuffleXor(bits, k);
    }
    return bits;
}

// maximum over the team
fn team_max(x: i32) -> i32 {
    subgroupBarrier();
    var most = x;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        most = max(most, subgroupShuffleXor(most, k));
    }
    return most;
}

// sum of integers over the team
fn team_sum_i(x: i32) -> i32 {
    subgroupBarrier();
    var sum = x;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        sum += subgroupShuffleXor(sum, k);
    }
    return sum;
}

// sum of integers over the lanes before this one
fn team_scan(x: i32) -> i32 {
    subgroupBarrier();
    // `all` is the sum over a group of 1, 2, 4 … lanes, `before` over those of them that come before this one
    var all = x;
    var before = 0;
    for (var k = 1u; k < u32(LANES); k *= 2u) {
        let other = subgroupShuffleXor(all, k);
        before += select(0, other, (lane & i32(k)) != 0);
        all += other;
    }
    return before;
}

// true if it is true for any lane of the team
fn team_any(yes: bool) -> bool {
    return team_or(select(0, 1, yes)) > 0;
}

// true if it is true for any team of the workgroup; all lanes of a team pass the same value. The result is uniform, so that a
// loop with barriers may end on it
fn group_any(yes: bool) -> bool {
    subgroupBarrier();
    return subgroupAny(yes);
}

// maximum over the teams of the workgroup; all lanes of a team pass the same value. The result is uniform, so that a loop with
// barriers may end on it
fn group_max(x: i32) -> i32 {
    subgroupBarrier();
    var most = x;
    for (var k = u32(LANES); k < u32(LANES * WORLDS); k *= 2u) {
        most = max(most, subgroupShuffleXor(most, k));
    }
    return most;
}
