//! Layout and run settings of worlds, and their defaults.

use std::path::PathBuf;

pub use crate::batch::Unroll;
use crate::error::{Error, Result};
use crate::fields::{Elem, Model};
use crate::gpu::device::{Adapter, Device};
use crate::gpu::wgsl::{LaneOrder, Team};

/// Layout and run settings of worlds.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of worlds.
    pub nworld: usize,
    /// Lanes per team, a power of two; 0: chosen from model and adapter.
    pub lanes: u32,
    /// Worlds per workgroup, a power of two; 0: chosen.
    pub worlds: u32,
    /// Worlds whose words are interleaved, a power of two; 0: chosen.
    pub tile: u32,
    /// Lanes of a workgroup that is one subgroup of the device exchange registers, in sums of another order than by workgroup memory.
    pub subgroups: bool,
    /// Bounds-checked accessors, and wgpu's own checks. Off in every build, so that what is tested is what runs.
    pub checked: bool,
    /// Largest number of stages in one kernel; 0: as many as can share one on hardware, one on a software adapter, whose
    /// compiler is slow on large kernels.
    pub fuse: usize,
    /// Which kernels are unrolled (see [`crate::gpu::unroll`]).
    pub unroll: Unroll,
    /// Folder of earlier measurements ([`crate::gpu::tune`]), for settings that are left open here; none: no look-up.
    pub tuned: Option<PathBuf>,
    /// Fields of the model that may differ from world to world.
    pub varies: Vec<String>,
    /// Memory that may be used (bytes).
    pub memory: Option<u64>,
    /// The lane number of each invocation, for tests.
    pub order: LaneOrder,
    /// Largest number of worlds in a chunk, for tests; none: as many as the device's limits allow.
    pub chunk: Option<u64>,
    /// Largest number of dispatches per submission, so that none occupies the device too long.
    pub dispatches: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            nworld: 1,
            lanes: 0,
            worlds: 0,
            tile: 0,
            subgroups: true,
            checked: false,
            fuse: 0,
            unroll: Unroll::Auto,
            tuned: None,
            varies: Vec::new(),
            memory: None,
            order: LaneOrder::Straight,
            chunk: None,
            dispatches: 256,
        }
    }
}

/// The values of an array for several worlds, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers.
    Int(Vec<i32>),
    /// Reals.
    Real(Vec<f32>),
}

impl Values {
    pub(crate) fn words(&self) -> Vec<u32> {
        match self {
            Values::Int(x) => x.iter().map(|&x| x as u32).collect(),
            Values::Real(x) => x.iter().map(|x| x.to_bits()).collect(),
        }
    }

    pub(crate) fn from_words(elem: Elem, words: &[u32]) -> Self {
        match elem {
            Elem::Int => Values::Int(words.iter().map(|&x| x as i32).collect()),
            _ => Values::Real(words.iter().map(|&x| f32::from_bits(x)).collect()),
        }
    }
}

fn lanes_for(m: &Model, software: bool) -> u32 {
    match software {
        // a software adapter ends the loops of an invocation after 65,535 iterations in all: large models need many lanes; with 2 or 4
        // its compiler takes up to three times as long as with 1 or 8
        true => match (m.nv * m.nv / 200 + 1).next_power_of_two() {
            1 => 1,
            lanes => lanes.clamp(8, 64) as u32,
        },
        // measured (docs/performance.md): with more lanes, lanes wait for each other in loops over few dofs and rows
        false => (m.nv.max(1) as u32).next_power_of_two().min(8),
    }
}

// Worlds per workgroup of `invocations` invocations, and worlds per tile. On hardware a tile has the worlds of a workgroup: then both
// kernels with several lanes per world and kernels with one touch whole sectors of memory.
fn worlds_for(lanes: u32, invocations: u32, software: bool) -> (u32, u32) {
    let worlds = (invocations / lanes).clamp(1, 32);
    let tile = match software {
        true if lanes >= 8 => 1,
        true => 32 / lanes,
        false => worlds,
    };
    (worlds, tile)
}

/// Worlds of a workgroup in a kernel with one lane per world, of worlds whose other kernels have `team`.
/// `lockstep` is the number of invocations that the device runs in step.
pub fn single(team: Team, tile: u32, lockstep: u32, nworld: u64) -> u32 {
    let most = nworld.next_power_of_two().min(lockstep.into()) as u32;
    most.max(team.worlds).max(tile.min(64))
}

// workgroup size that a device runs in step: a barrier in it costs next to nothing, and no half of the hardware group is idle
fn invocations_of(adapter: &Adapter) -> u32 {
    match adapter.software {
        true => 64,
        false => lockstep(adapter),
    }
}

/// Number of invocations that a device runs in step; a software adapter gains nothing by more.
pub(crate) fn lockstep(adapter: &Adapter) -> u32 {
    match adapter.software {
        true => 1,
        false => adapter.subgroup.1.clamp(32, 64),
    }
}

/// The default team and tile of a model on a hardware GPU with subgroups of 32 invocations.
pub fn hardware_team(m: &Model) -> (Team, u32) {
    team_of(lanes_for(m, false), 32)
}

/// The default team and tile with `lanes` lanes, a power of two, on a hardware GPU with subgroups of
/// `subgroup` invocations.
pub fn team_of(lanes: u32, subgroup: u32) -> (Team, u32) {
    let (worlds, tile) = worlds_for(lanes, subgroup, false);
    (Team::new(lanes, worlds), tile)
}

// the team and the tile: powers of two, within the limits on a workgroup
pub(crate) fn choose_team(config: &Config, m: &Model, device: &Device) -> Result<(Team, u32)> {
    let most = device
        .limits()
        .max_compute_invocations_per_workgroup
        .min(256);
    let software = device.adapter.software;
    let lanes = match config.lanes {
        0 => lanes_for(m, software),
        lanes => lanes,
    };
    let chosen = worlds_for(lanes.max(1), invocations_of(&device.adapter), software);
    let worlds = match config.worlds {
        0 => chosen.0,
        worlds => worlds,
    };
    let tile = match config.tile {
        0 => chosen.1,
        tile => tile,
    };
    for (what, n) in [
        ("lanes of a team", lanes),
        ("worlds of a workgroup", worlds),
        ("worlds of a tile", tile),
    ] {
        if !n.is_power_of_two() {
            return Err(Error::Input(format!(
                "{what}: a power of two is needed, found {n}"
            )));
        }
    }
    if lanes * worlds > most {
        return Err(Error::Size {
            what: "invocations of a workgroup (lanes × worlds)".to_owned(),
            need: u64::from(lanes * worlds),
            have: u64::from(most),
        });
    }
    let team = Team::new(lanes, worlds);
    let straight = config.order == LaneOrder::Straight;
    let subgroup = config.subgroups && straight && lanes > 1;
    let subgroup = subgroup && device.is_subgroup(team.invocations())?;
    Ok((Team { subgroup, ..team }, tile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lane_per_world_fills_a_subgroup_unless_there_are_few_worlds() {
        let (team, tile) = team_of(8, 32);
        assert_eq!((team.worlds, tile), (4, 4));
        let worlds = [1, 4, 5, 31, 32, 4096].map(|nworld| single(team, tile, 32, nworld));
        assert_eq!(worlds, [4, 4, 8, 32, 32, 32]);
        let (team, tile) = team_of(8, 64);
        assert_eq!(single(team, tile, 64, 4096), 64);
    }
}
