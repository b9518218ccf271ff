// team functions for one invocation per world: no barriers and no reductions

fn team_sync() {}

fn team_sum(x: f32) -> f32 {
    return x;
}

fn team_sum4(x: vec4f) -> vec4f {
    return x;
}

fn team_or(x: i32) -> i32 {
    return x;
}

fn team_max(x: i32) -> i32 {
    return x;
}

fn team_sum_i(x: i32) -> i32 {
    return x;
}

fn team_scan(x: i32) -> i32 {
    return 0;
}

fn team_any(yes: bool) -> bool {
    return yes;
}

fn group_max(x: i32) -> i32 {
    return x;
}

fn group_any(yes: bool) -> bool {
    return yes;
}
