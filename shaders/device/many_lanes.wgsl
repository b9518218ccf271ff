// what a team is where LANES invocations work on one world; a workgroup holds WORLDS teams
//
//   workgroup   | team 0: lane 0 1 2 3 | team 1: lane 0 1 2 3 | …
//
// every function here must be called by all lanes of the workgroup at the same place

var<workgroup> team_reals: array<f32, WORLDS * LANES>;
var<workgroup> team_ints: array<i32, WORLDS * LANES>;
var<workgroup> group_flag: i32;

// what any lane wrote before is seen by every lane of the team after
fn team_sync() {
    storageBarrier();
    workgroupBarrier();
}

// sum over the team, in order of the lanes, so that every lane gets the same bits
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

// true if any lane of any team of the workgroup says yes: the same answer everywhere, so that a loop with barriers may end on it
fn group_any(yes: bool) -> bool {
    const ALL: i32 = WORLDS * LANES;
    const COLUMNS: i32 = min(8, ALL);
    let at = team * LANES + lane;
    team_ints[at] = select(0, 1, yes);
    workgroupBarrier();
    // columns first, then their ends: one invocation alone would need a turn for each
    if (at < COLUMNS) {
        var any = team_ints[at];
        for (var k = at + COLUMNS; k < ALL; k += COLUMNS) {
            any |= team_ints[k];
        }
        team_ints[at] = any;
    }
    workgroupBarrier();
    if (at == 0) {
        var any = 0;
        for (var k = 0; k < COLUMNS; k++) {
            any |= team_ints[k];
        }
        group_flag = any;
    }
    return workgroupUniformLoad(&group_flag) != 0;
}

// true if any lane of the team says yes
fn team_any(yes: bool) -> bool {
    return team_sum_i(select(0, 1, yes)) > 0;
}

// the largest of the workgroup: the same answer everywhere, so that a loop with barriers may end on it
fn group_max(x: i32) -> i32 {
    team_ints[team * LANES + lane] = x;
    workgroupBarrier();
    if (team * LANES + lane == 0) {
        var most = 0;
        for (var k = 0; k < WORLDS * LANES; k++) {
            most = max(most, team_ints[k]);
        }
        group_flag = most;
    }
    return workgroupUniformLoad(&group_flag);
}
