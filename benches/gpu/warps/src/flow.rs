//! Reconvergence of lanes that diverge at a branch: at the first instruction that is on every path from there to the end.

use crate::ptx::{Instruction, Kind};

/// An index beyond the last instruction.
pub const END: usize = usize::MAX;

/// Fills in the reconvergence point of every branch.
pub fn meetings(code: &mut [Instruction]) {
    let after: Vec<Vec<usize>> = (0..code.len()).map(|k| next(code, k)).collect();
    let order = backwards(&after, code.len());
    let meets = dominators(&after, &order, code.len());
    for (instruction, meet) in code.iter_mut().zip(meets) {
        if matches!(instruction.kind, Kind::Branch(_)) {
            instruction.meet = meet;
        }
    }
}

// the possible successors of an instruction; the end is the number of instructions
fn next(code: &[Instruction], k: usize) -> Vec<usize> {
    let end = code.len();
    match (&code[k].kind, code[k].only) {
        (Kind::Branch(to), None) => vec![*to],
        (Kind::Branch(to), Some(_)) => vec![*to, k + 1],
        (Kind::Return, None) => vec![end],
        (Kind::Return, Some(_)) => vec![end, k + 1],
        _ => vec![k + 1],
    }
}

// reverse postorder of the reversed control-flow graph, from the end
fn backwards(after: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut before = vec![Vec::new(); end + 1];
    for (k, after) in after.iter().enumerate() {
        for &to in after {
            before[to].push(k);
        }
    }
    let (mut order, mut seen) = (Vec::new(), vec![false; end + 1]);
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((at, turn)) = stack.pop() {
        match before[at].get(turn) {
            Some(&from) => {
                stack.push((at, turn + 1));
                if !seen[from] {
                    seen[from] = true;
                    stack.push((from, 0));
                }
            }
            None => order.push(at),
        }
    }
    order.reverse();
    order
}

// immediate postdominators, by the algorithm of Cooper, Harvey and Kennedy
fn dominators(after: &[Vec<usize>], order: &[usize], end: usize) -> Vec<usize> {
    let mut rank = vec![END; end + 1];
    for (k, &at) in order.iter().enumerate() {
        rank[at] = k;
    }
    let mut of = vec![END; end + 1];
    of[end] = end;
    let mut changed = true;
    while changed {
        changed = false;
        for &at in &order[1..] {
            let known = after[at].iter().copied().filter(|&to| of[to] != END);
            let meet = known.reduce(|mut a, mut b| {
                while a != b {
                    while rank[a] > rank[b] {
                        a = of[a];
                    }
                    while rank[b] > rank[a] {
                        b = of[b];
                    }
                }
                a
            });
            if let Some(meet) = meet.filter(|&meet| of[at] != meet) {
                of[at] = meet;
                changed = true;
            }
        }
    }
    of.truncate(end);
    let known = |meet: usize| if meet == end { END } else { meet };
    of.into_iter().map(known).collect()
}
