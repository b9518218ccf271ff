//! Simulates the kernels of a step, as PTX, a warp at a time on the CPU, and counts the work of a GPU.
//!
//! ```text
//! warps FOLDER WORLDS [WORLDS_OF_WORKGROUP INVOCATIONS KERNEL.ptx]…
//! ```
//!
//! `FOLDER/model.words` and `FOLDER/before.words` are the initial contents of memory (`manyworlds kernels --state`), `FOLDER/found.words`
//! the contents after the step. It prints a line of JSON per kernel with its counts, over all worlds. A file `KERNEL.chains` beside each
//! kernel has the numbers of warp instructions and of waits for memory for each source line: the line itself, then the lines at which it was
//! inlined. Races of each kernel are in its line too (`race.rs`).

mod count;
mod flow;
mod memory;
mod order;
mod ptx;
mod race;
#[cfg(test)]
mod tests;
mod value;
mod warp;

use count::Count;
use memory::{Global, Shared};
use ptx::Program;
use race::Races;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use warp::{Stopped, Warp};

/// Lanes of a warp.
pub const WARP: usize = 32;

/// The worlds, and their division into workgroups.
struct Grid {
    worlds: usize,
    of_workgroup: usize,
    invocations: usize,
}

fn main() -> ExitCode {
    let said: Vec<String> = std::env::args().skip(1).collect();
    match run(&said) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(said: &[String]) -> Result<(), String> {
    let usage = "FOLDER WORLDS [WORLDS_OF_WORKGROUP INVOCATIONS KERNEL.ptx]… are needed";
    let [folder, worlds, kernels @ ..] = said else {
        return Err(usage.into());
    };
    let (kernels, []) = kernels.as_chunks::<3>() else {
        return Err(usage.into());
    };
    let number = |said: &String| said.parse().map_err(|e| format!("{said}: {e}"));
    let worlds = number(worlds)?;
    let folder = Path::new(folder);
    let mut global = Global::new(
        words(&folder.join("before.words"))?,
        words(&folder.join("model.words"))?,
    );
    let mut races = Races::new(global.data.len());
    for [of_workgroup, invocations, path] in kernels {
        let grid = Grid {
            worlds,
            of_workgroup: number(of_workgroup)?,
            invocations: number(invocations)?,
        };
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let program = Program::read(&text).map_err(|e| format!("{path}: {e}"))?;
        let (count, times) = dispatch(&program, &grid, &mut global, &mut races)
            .map_err(|e| format!("{path}: {e}"))?;
        println!("{}", count.json(path, &races.json(&program.chains)));
        let chains = Path::new(path).with_extension("chains");
        std::fs::write(&chains, told(&program, &times)).map_err(|e| e.to_string())?;
    }
    let found = global.data.iter().flat_map(|word| word.to_le_bytes());
    let path = folder.join("found.words");
    std::fs::write(&path, found.collect::<Vec<u8>>())
        .map_err(|e| format!("{}: {e}", path.display()))
}

fn words(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (words, rest) = bytes.as_chunks::<4>();
    match rest {
        [] => Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect()),
        _ => Err(format!("{}: these are no words", path.display())),
    }
}

/// How often an instruction was issued, and how often a warp waited for memory there.
pub type Times = [u64; 2];

/// Runs all workgroups of a kernel, one after the other; returns the counts, and those of each instruction.
fn dispatch(
    program: &Program,
    grid: &Grid,
    global: &mut Global,
    races: &mut Races,
) -> Result<(Count, Vec<Times>), String> {
    let mut count = Count::default();
    let mut times = vec![[0; 2]; program.code.len()];
    global.constants.clone_from(&program.constants);
    let workgroups = grid.worlds.div_ceil(grid.of_workgroup);
    let mut longest = 0;
    races.next_dispatch(program.shared_bytes);
    for workgroup in 0..workgroups {
        let before = count.instructions;
        global.next_workgroup();
        races.next_workgroup();
        let mut shared = Shared::new(program.shared_bytes);
        let mut warps: Vec<Warp> = (0..grid.invocations.div_ceil(WARP))
            .map(|k| Warp::new(program, workgroup, k, grid.invocations))
            .collect();
        loop {
            let mut waiting = None;
            for warp in warps.iter_mut().filter(|warp| !warp.done()) {
                match warp.run(program, global, &mut shared, races, &mut count, &mut times)? {
                    Stopped::AtBarrier(orders) => waiting = Some(orders),
                    Stopped::AtEnd => {}
                }
            }
            let Some(orders) = waiting else { break };
            count.barriers += 1;
            races.barrier(orders);
        }
        longest = longest.max(count.instructions - before);
    }
    count.workgroups = workgroups as u64;
    count.warps = (workgroups * grid.invocations.div_ceil(WARP)) as u64;
    count.of_longest_workgroup = longest;
    (count.bytes_read, count.bytes_written) = global.traffic();
    Ok((count, times))
}

/// A text line for each place in the source: the numbers of warp instructions and of waits for memory, then the source lines.
fn told(program: &Program, times: &[Times]) -> String {
    let mut of_chain = vec![[0; 2]; program.chains.len()];
    for (instruction, [issued, waits]) in program.code.iter().zip(times) {
        let [all, all_waits] = &mut of_chain[instruction.chain];
        *all += issued;
        *all_waits += waits;
    }
    let mut out = String::new();
    for (chain, [n, waits]) in program.chains.iter().zip(of_chain) {
        let lines: Vec<String> = chain.iter().map(u32::to_string).collect();
        if n > 0 {
            let _ = writeln!(out, "{n} {waits} {}", lines.join(" "));
        }
    }
    out
}
