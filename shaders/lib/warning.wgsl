// counters of warnings, and overflow flags

// counts a warning once for the team; every lane must say the same
fn warn(kind: i32, yes: bool) {
    if (yes && lane == 0) {
        set_warning(kind, warning(kind) + 1);
    }
}

// sets an overflow bit (OVERFLOW_*); every lane must say the same
fn tell(bit: i32, yes: bool) {
    if (yes && lane == 0) {
        set_overflow(overflow() | bit);
    }
}
