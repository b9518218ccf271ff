//! Problems that are solved by sweeps over their rows, some at a time: a row waits for the one before it, which leaves a
//! processor idle; the row of another problem waits for nothing.

/// How many problems are under way at once.
pub const SIDE: usize = 8;

/// A problem that is solved by sweeps.
pub trait Sweeps: Default {
    /// What all problems share.
    type Shared;
    /// Begins a sweep; how many steps it has.
    fn begin(&mut self, shared: &mut Self::Shared) -> usize;
    /// A step of the sweep.
    fn step(&mut self, k: usize);
    /// Ends the sweep; true if it was the last one.
    fn end(&mut self) -> bool;
}

/// Solves problems until there are no more: `exchange` is handed one that is done, or none, and puts the next in its place;
/// false if there is none. What is found does not depend on what else is under way.
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
