//! Interleaved sweeps over the rows of several problems: a row waits for the row before it, which leaves the processor idle; a
//! row of another problem does not.

/// Number of problems in progress at once.
pub const SIDE: usize = 8;

/// A problem that is solved by sweeps.
pub trait Sweeps: Default {
    /// Data that all problems share.
    type Shared;
    /// Begins a sweep; returns its number of steps.
    fn begin(&mut self, shared: &mut Self::Shared) -> usize;
    /// A step of the sweep.
    fn step(&mut self, k: usize);
    /// Ends the sweep; true if it was the last one.
    fn end(&mut self) -> bool;
}

/// Solves problems until there are no more: `exchange` takes a finished problem, or none, and puts the next in its place; false
/// if there is none. Results do not depend on the other problems in progress.
pub fn in_turn<S: Sweeps>(
    problems: &mut Vec<S>,
    shared: &mut S::Shared,
    mut exchange: impl FnMut(&mut S, bool) -> bool,
) {
    problems.resize_with(SIDE, S::default);
    let mut live = 0;
    while live < SIDE && exchange(&mut problems[live], false) {
        live += 1;
    }
    let mut num = [0; SIDE];
    while live > 0 {
        let under_way = &mut problems[..live];
        for (num, problem) in num.iter_mut().zip(&mut *under_way) {
            *num = problem.begin(shared);
        }
        for k in 0..num[..live].iter().copied().max().unwrap_or(0) {
            for (num, problem) in num.iter().zip(&mut *under_way) {
                if k < *num {
                    problem.step(k);
                }
            }
        }
        for k in (0..live).rev() {
            if problems[k].end() && !exchange(&mut problems[k], true) {
                live -= 1;
                problems.swap(k, live);
            }
        }
    }
}
