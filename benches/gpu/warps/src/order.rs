//! Order of the instructions within a block, as the compiler to machine code chooses it: loads as early as their operands allow, so that
//! several are under way at once. nvrtc writes each load just before its first use.

use crate::ptx::{Instruction, Kind, Space, read};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Words that a lane may have under way at once: more would need too many registers.
const UNDER_WAY: usize = 32;

/// Reorders the instructions of each block. Blocks begin at targets of branches, and end at branches, barriers and votes.
pub fn blocks(code: &mut [Instruction]) {
    let mut starts = vec![false; code.len() + 1];
    for k in 0..code.len() {
        if let Kind::Branch(to) = code[k].kind {
            starts[to] = true;
        }
        if !moves(&code[k]) {
            starts[k] = true;
            starts[k + 1] = true;
        }
    }
    let mut first = 0;
    for end in 1..=code.len() {
        if end == code.len() || starts[end] {
            let block = &mut code[first..end];
            let order = order(block);
            let sorted: Vec<Instruction> = order.iter().map(|&k| block[k].clone()).collect();
            block.clone_from_slice(&sorted);
            first = end;
        }
    }
}

fn moves(instruction: &Instruction) -> bool {
    matches!(
        instruction.kind,
        Kind::Value(..) | Kind::Load(..) | Kind::Store(..)
    )
}

fn is_load(instruction: &Instruction) -> bool {
    matches!(instruction.kind, Kind::Load(..))
}

// for each instruction of a block, the earlier ones that it must follow, and whether it needs the result of each
fn needs(block: &[Instruction]) -> Vec<Vec<(usize, bool)>> {
    let mut writer: HashMap<usize, usize> = HashMap::new();
    let mut readers: HashMap<usize, Vec<usize>> = HashMap::new();
    // the last store of each memory, and the loads since
    let mut stored: HashMap<Space, (Option<usize>, Vec<usize>)> = HashMap::new();
    let mut out = Vec::with_capacity(block.len());
    for (k, instruction) in block.iter().enumerate() {
        let mut own: Vec<(usize, bool)> = Vec::new();
        for register in read(instruction) {
            own.extend(writer.get(&register).map(|&j| (j, true)));
            readers.entry(register).or_default().push(k);
        }
        if let Some(to) = instruction.to {
            own.extend(writer.get(&to).map(|&j| (j, true)));
            let before = readers.remove(&to).unwrap_or_default();
            own.extend(before.into_iter().filter(|&j| j != k).map(|j| (j, false)));
            writer.insert(to, k);
        }
        match instruction.kind {
            Kind::Load(space, ..) => {
                let (store, loads) = stored.entry(space).or_default();
                own.extend(store.map(|j| (j, false)));
                loads.push(k);
            }
            Kind::Store(space, ..) => {
                let (store, loads) = stored.entry(space).or_default();
                own.extend(store.map(|j| (j, false)));
                own.extend(loads.drain(..).map(|j| (j, false)));
                *store = Some(k);
            }
            _ => {}
        }
        own.sort_unstable();
        own.dedup();
        out.push(own);
    }
    out
}

// the order of a block: all loads that can be issued, then all that needs no load under way, then a wait for these loads, and so on
fn order(block: &[Instruction]) -> Vec<usize> {
    let needs = needs(block);
    let mut left: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); block.len()];
    for (k, own) in needs.iter().enumerate() {
        own.iter().for_each(|&(j, _)| after[j].push(k));
    }
    // the wait with which the result of a load arrives; 0: it is there
    let mut arrives = vec![0; block.len()];
    let (mut wait, mut under_way) = (1, 0);
    let (mut loads, mut others) = (BinaryHeap::new(), BinaryHeap::new());
    let mut blocked: Vec<usize> = Vec::new();
    let mut ready: Vec<usize> = (0..block.len()).filter(|&k| left[k] == 0).collect();
    let mut out = Vec::with_capacity(block.len());
    loop {
        for k in ready.drain(..) {
            let waits = |&(j, result): &(usize, bool)| result && arrives[j] == wait;
            match needs[k].iter().any(waits) {
                true => blocked.push(k),
                false if is_load(&block[k]) => loads.push(Reverse(k)),
                false => others.push(Reverse(k)),
            }
        }
        let next = match under_way < UNDER_WAY {
            true => loads.pop().or_else(|| others.pop()),
            false => others.pop(),
        };
        let Some(Reverse(k)) = next else {
            if blocked.is_empty() && loads.is_empty() {
                return out;
            }
            // the loads under way arrive
            wait += 1;
            under_way = 0;
            ready.append(&mut blocked);
            continue;
        };
        if is_load(&block[k]) {
            arrives[k] = wait;
            under_way += 1;
        }
        out.push(k);
        for &next in &after[k] {
            left[next] -= 1;
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::Program;

    #[test]
    fn loads_come_first_and_nothing_overtakes_what_it_needs() {
        let text = ".visible .entry entry()\n{\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd1+4];\n\
                    add.s32 %r4, %r3, %r2;\nst.global.u32 [%rd1+8], %r4;\nld.global.u32 %r5, [%rd1+8];\nadd.s32 %r1, %r5, 1;\n}\n";
        let program = Program::read(text).unwrap();
        let loads: Vec<bool> = program.code.iter().map(is_load).collect();
        assert_eq!(loads, [true, true, false, false, false, true, false]);
        let offsets = program.code.iter().filter_map(|it| match it.kind {
            Kind::Load(_, _, offset) | Kind::Store(_, _, offset, _) => Some(offset),
            _ => None,
        });
        assert_eq!(offsets.collect::<Vec<_>>(), [0, 4, 8, 8]);
    }
}
