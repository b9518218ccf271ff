// some software adapters end the loops of an invocation silently after a total number of iterations: every later loop then makes
// one iteration. This loop makes two iterations, or flags that the loops were ended

fn tell_if_loops_ended() {
    var turns = 0;
    // the start is never negative, but the compiler cannot know that
    for (var k = min(ncon(), 0); k < 2; k++) {
        turns++;
    }
    if (turns < 2) {
        set_overflow(overflow() | OVERFLOW_TURNS);
    }
}
