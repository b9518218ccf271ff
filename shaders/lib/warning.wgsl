// counters of warnings, and overflow flags

// counts a warning once for the team; every lane must pass the same value
fn warn(kind: i32, yes: bool) {
    if (yes && lane == 0) {
        set_warning(kind, warning(kind) + 1);
    }
}

// sets an overflow bit (OVERFLOW_*); every lane must pass the same value
fn tell(bit: i32, yes: bool) {
    if (yes && lane == 0) {
        set_overflow(overflow() | bit);
    }
}
