// team functions for LANES invocations per world; a workgroup holds WORLDS teams
//
//   workgroup   | team 0: lane 0 1 2 3 | team 1: lane 0 1 2 3 | …
//
// every function here must be called in uniform control flow of the workgroup

var<workgroup> team_reals: array<f32, WORLDS * LANES>;
var<workgroup> team_fours: array<vec4f, WORLDS * LANES>;
var<workgroup> team_ints: array<i32, WORLDS * LANES>;
var<workgroup> group_most: i32;

// makes earlier writes of every lane visible to all lanes of the team
fn team_sync() {
    storageBarrier();
    workgroupBarrier();
}

// sum over the team, in the order of the lanes, so that every lane gets the same bits
fn team_sum(x: f32) -> f32 {
    let first = team * LANES;
    team_reals[first + lane] = x;
    workgroupBarrier();
    var sum = 0.0;
    for (var k = 0; k < LANES; k++) {
        sum += team_reals[first + k];
    }
    workgroupBarrier();
    return sum;
}

// sums of four numbers over the team
fn team_sum4(x: vec4f) -> vec4f {
    let first = team * LANES;
    team_fours[first + lane] = x;
    workgroupBarrier();
    var sum = vec4f(0.0);
    for (var k = 0; k < LANES; k++) {
        sum += team_fours[first + k];
    }
    workgroupBarrier();
    return sum;
}

// bitwise or over the team
fn team_or(x: i32) -> i32 {
    let first = team * LANES;
    team_ints[first + lane] = x;
    workgroupBarrier();
    var bits = 0;
    for (var k = 0; k < LANES; k++) {
        bits |= team_ints[first + k];
    }
    workgroupBarrier();
    return bits;
}

// maximum over the team
fn team_max(x: i32) -> i32 {
    let first = team * LANES;
    team_ints[first + lane] = x;
    workgroupBarrier();
    var most = team_ints[first];
    for (var k = 1; k < LANES; k++) {
        most = max(most, team_ints[first + k]);
    }
    workgroupBarrier();
    return most;
}

// sum of integers over the team
fn team_sum_i(x: i32) -> i32 {
    let first = team * LANES;
    team_ints[first + lane] = x;
    workgroupBarrier();
    var sum = 0;
    for (var k = 0; k < LANES; k++) {
        sum += team_ints[first + k];
    }
    workgroupBarrier();
    return sum;
}

// sum of integers over the lanes before this one
fn team_scan(x: i32) -> i32 {
    let first = team * LANES;
    team_ints[first + lane] = x;
    workgroupBarrier();
    var sum = 0;
    for (var k = 0; k < lane; k++) {
        sum += team_ints[first + k];
    }
    workgroupBarrier();
    return sum;
}

// true if it is true for any lane of the team
fn team_any(yes: bool) -> bool {
    return team_or(select(0, 1, yes)) > 0;
}

// true if it is true for any team of the workgroup; all lanes of a team pass the same value. The result is uniform, so that a
// loop with barriers may end on it
fn group_any(yes: bool) -> bool {
    return group_max(select(0, 1, yes)) > 0;
}

// maximum over the teams of the workgroup; all lanes of a team pass the same value. The result is uniform, so that a loop with
// barriers may end on it
fn group_max(x: i32) -> i32 {
    if (lane == 0) {
        team_ints[team] = x;
    }
    workgroupBarrier();
    if (team == 0 && lane == 0) {
        var most = team_ints[0];
        for (var k = 1; k < WORLDS; k++) {
            most = max(most, team_ints[k]);
        }
        group_most = most;
    }
    return workgroupUniformLoad(&group_most);
}
