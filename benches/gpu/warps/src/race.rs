//! Races: two lanes access a word without a barrier between them, and at least one of them writes it.
//!
//! The simulator runs lanes in lockstep and warps one after the other; a GPU may run them in any order between two barriers. So a
//! kernel with a race can be right here and wrong there.

use crate::memory::DATA;
use crate::ptx::Space;
use std::collections::BTreeMap;

/// The access that finds another lane's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clash {
    /// It reads a word that another lane wrote.
    ReadOfWritten,
    /// It writes a word that another lane read.
    WriteOfRead,
    /// It writes a word that another lane wrote.
    WriteOfWritten,
    /// It accesses a word that another workgroup accessed in the same dispatch.
    OtherWorkgroup,
}

impl Clash {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        match self {
            Self::ReadOfWritten => "reads what another lane wrote",
            Self::WriteOfRead => "writes what another lane read",
            Self::WriteOfWritten => "writes what another lane wrote",
            Self::OtherWorkgroup => "is of two workgroups",
        }
    }
}

/// The memory that a barrier orders: accesses before it come before those after it, also for other lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// None: lanes only meet (`subgroupBarrier`).
    Nothing,
    /// That of the workgroup (`workgroupBarrier`).
    Workgroup,
    /// That of the workgroup and that of the worlds (with `storageBarrier`).
    All,
}

/// Lanes between two barriers: a number that grows with each of them.
type Epoch = u64;

/// The last access of a kind to a word.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    epoch: Epoch,
    // the invocation in its workgroup; `SEVERAL`: more than one in this epoch
    lane: u32,
}

const SEVERAL: u32 = u32::MAX;

/// The last accesses to a word.
#[derive(Clone, Copy, Debug, Default)]
struct Trace {
    write: Last,
    read: Last,
}

/// The accesses to a memory.
#[derive(Debug, Default)]
struct Memory {
    traces: Vec<Trace>,
    // where the epochs of the dispatch, of the workgroup and of what runs now begin
    dispatch: Epoch,
    workgroup: Epoch,
    now: Epoch,
}

impl Memory {
    fn next_workgroup(&mut self) {
        self.now += 1;
        self.workgroup = self.now;
    }

    // takes note of an access to a word, and returns what it clashes with; `common`: workgroups have this memory in common
    fn access(&mut self, at: usize, writes: bool, lane: u32, common: bool) -> Option<Clash> {
        let trace = self.traces.get_mut(at)?;
        let beside = |last: Last| last.epoch == self.now && last.lane != lane;
        let elsewhere =
            |last: Last| common && (self.dispatch..self.workgroup).contains(&last.epoch);
        let (read, write) = (trace.read, trace.write);
        let clash = match writes {
            true if beside(write) => Some(Clash::WriteOfWritten),
            true if beside(read) => Some(Clash::WriteOfRead),
            false if beside(write) => Some(Clash::ReadOfWritten),
            true if elsewhere(read) => Some(Clash::OtherWorkgroup),
            _ if elsewhere(write) => Some(Clash::OtherWorkgroup),
            _ => None,
        };
        let last = match writes {
            true => &mut trace.write,
            false => &mut trace.read,
        };
        *last = Last {
            epoch: self.now,
            lane: match beside(*last) {
                true => SEVERAL,
                false => lane,
            },
        };
        clash
    }
}

/// The accesses to the memories of a kernel, and the races among them.
#[derive(Debug, Default)]
pub struct Races {
    worlds: Memory,
    shared: Memory,
    // the first address, for each place in the source and clash
    found: BTreeMap<(usize, Clash), (Space, u64)>,
}

impl Races {
    /// For buffers of the worlds with a number of words.
    pub fn new(words: usize) -> Self {
        let mut races = Self::default();
        races.worlds.traces = vec![Trace::default(); words];
        races
    }

    /// Begins another dispatch, with a number of bytes of workgroup memory.
    pub fn next_dispatch(&mut self, shared_bytes: usize) {
        self.found.clear();
        self.worlds.next_workgroup();
        self.worlds.dispatch = self.worlds.now;
        self.shared.traces.clear();
        let words = shared_bytes.div_ceil(4);
        self.shared.traces.resize(words, Trace::default());
    }

    /// Begins another workgroup.
    pub fn next_workgroup(&mut self) {
        self.worlds.next_workgroup();
        self.shared.next_workgroup();
    }

    /// All lanes of the workgroup met at a barrier.
    pub fn barrier(&mut self, orders: Orders) {
        self.worlds.now += u64::from(orders == Orders::All);
        self.shared.now += u64::from(orders != Orders::Nothing);
    }

    /// Takes note of an access by the invocation `lane` of the workgroup, at the place `chain` of the source.
    pub fn access(&mut self, space: Space, address: u64, writes: bool, lane: usize, chain: usize) {
        let (at, lane) = ((address as u32 / 4) as usize, lane as u32);
        let clash = match space {
            Space::Global if address & !0xffff_ffff == DATA => {
                self.worlds.access(at, writes, lane, true)
            }
            Space::Shared => self.shared.access(at, writes, lane, false),
            // the model and constants are never written, private memory has one lane
            Space::Global | Space::Local => None,
        };
        if let Some(clash) = clash {
            let place = self.found.entry((chain, clash));
            place.or_insert((space, address));
        }
    }

    /// The races of this dispatch as a list of JSON: the lines of the source, as in the file of chains, the memory and its word.
    pub fn json(&self, chains: &[Vec<u32>]) -> String {
        let one = |(&(chain, clash), &(space, address)): (&(usize, Clash), &(Space, u64))| {
            let lines: Vec<String> = chains[chain].iter().map(u32::to_string).collect();
            let memory = match space {
                Space::Shared => "workgroup",
                Space::Global | Space::Local => "worlds",
            };
            let (lines, what, word) = (lines.join(","), clash.word(), address as u32 / 4);
            format!(
                "{{\"lines\":[{lines}],\"what\":\"{what}\",\"memory\":\"{memory}\",\"word\":{word}}}"
            )
        };
        let races: Vec<String> = self.found.iter().map(one).collect();
        format!("[{}]", races.join(","))
    }
}
