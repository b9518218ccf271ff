// some software adapters end the loops of an invocation after so many turns in all, without a word: every loop then makes one
// turn and ends. This one makes two, or tells

fn tell_if_loops_ended() {
    var turns = 0;
    // never negative, but only we know
    for (var k = min(ncon(), 0); k < 2; k++) {
        turns++;
    }
    if (turns < 2) {
        set_overflow(overflow() | OVERFLOW_TURNS);
    }
}
