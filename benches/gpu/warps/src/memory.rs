//! The memories of a warp, and records of its accesses.

use crate::WARP;

/// Start address of the buffer of the worlds.
pub const DATA: u64 = 1 << 32;
/// Start address of the buffer of the model.
pub const MODEL: u64 = 2 << 32;
/// Start address of the constants of the text.
pub const CONSTANTS: u64 = 3 << 32;

/// Words of a sector, the smallest unit of a memory transfer.
const SECTOR: usize = 8;

/// The device's memory.
#[derive(Debug, Default)]
pub struct Global {
    /// The worlds.
    pub data: Vec<u32>,
    model: Vec<u32>,
    /// Constants of the running kernel.
    pub constants: Vec<u32>,
    // for each sector, the workgroup (from 1) that last read it before a write, or wrote it
    read: Vec<u32>,
    written: Vec<u32>,
    workgroup: u32,
    sectors: (u64, u64),
}

impl Global {
    /// Memory with these contents.
    pub fn new(data: Vec<u32>, model: Vec<u32>) -> Self {
        let sectors = |words: &[u32]| vec![0; words.len().div_ceil(SECTOR)];
        Self {
            read: sectors(&data),
            written: sectors(&data),
            data,
            model,
            ..Self::default()
        }
    }

    /// Begins the accesses of another workgroup.
    pub fn next_workgroup(&mut self) {
        self.workgroup += 1;
    }

    /// Bytes of the worlds that workgroups read before they wrote them, and bytes that they wrote, since the last call.
    pub fn traffic(&mut self) -> (u64, u64) {
        let (read, written) = std::mem::take(&mut self.sectors);
        let bytes = 4 * SECTOR as u64;
        (read * bytes, written * bytes)
    }

    /// Reads a word.
    pub fn load(&mut self, address: u64) -> Result<u32, String> {
        let at = (address as u32 / 4) as usize;
        let buffer = match address & !0xffff_ffff {
            DATA => &self.data,
            MODEL => &self.model,
            CONSTANTS => &self.constants,
            _ => return Err(format!("nothing lies at {address:#x}")),
        };
        let word = *buffer
            .get(at)
            .ok_or_else(|| format!("word {at} is beyond a buffer of {}", buffer.len()))?;
        // the model is shared by all workgroups and stays in the cache
        if address & !0xffff_ffff == DATA {
            let seen = &mut self.read[at / SECTOR];
            if *seen != self.workgroup && self.written[at / SECTOR] != self.workgroup {
                *seen = self.workgroup;
                self.sectors.0 += 1;
            }
        }
        Ok(word)
    }

    /// Writes a word of the worlds.
    pub fn store(&mut self, address: u64, word: u32) -> Result<(), String> {
        let at = (address as u32 / 4) as usize;
        let place = self
            .data
            .get_mut(at)
            .filter(|_| address & !0xffff_ffff == DATA);
        *place.ok_or_else(|| format!("{address:#x} cannot be written"))? = word;
        let seen = &mut self.written[at / SECTOR];
        if *seen != self.workgroup {
            *seen = self.workgroup;
            self.sectors.1 += 1;
        }
        Ok(())
    }
}

/// Sectors that contain these addresses.
pub fn sectors(addresses: &[u64]) -> u64 {
    distinct(
        addresses
            .iter()
            .map(|address| address / (4 * SECTOR as u64)),
    )
}

/// Cycles of an access to workgroup memory: the largest number of words in one bank.
pub fn turns(addresses: &[u64]) -> u64 {
    let of_bank = |bank| {
        addresses
            .iter()
            .map(|a| a / 4)
            .filter(move |word| word % WARP as u64 == bank)
    };
    let turns = (0..WARP as u64).map(|bank| distinct(of_bank(bank)));
    turns.max().unwrap_or(0)
}

fn distinct(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut seen = [0; WARP];
    let mut n = 0;
    for number in numbers {
        if !seen[..n].contains(&number) {
            seen[n] = number;
            n += 1;
        }
    }
    n as u64
}

/// Memory of a workgroup, or private memory of an invocation.
#[derive(Clone, Debug, Default)]
pub struct Shared(Vec<u32>);

impl Shared {
    /// Zeroed memory of a number of bytes.
    pub fn new(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(4)])
    }

    /// A word.
    pub fn word(&mut self, address: u64) -> Result<&mut u32, String> {
        let (at, have) = ((address as u32 / 4) as usize, self.0.len());
        let word = self.0.get_mut(at);
        word.ok_or_else(|| format!("word {at} is beyond memory of {have} words"))
    }
}
