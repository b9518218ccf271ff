//! Memory of worlds, and memory available.

use crate::error::{Error, Result};
use crate::fields::{Elem, FIELDS, Model, Room};

/// Memory that a batch takes (bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The model's arrays, once.
    pub model: u64,
    /// One world.
    pub world: u64,
    /// Everything together.
    pub total: u64,
}

impl Memory {
    /// Memory of worlds on the CPU, with `real` bytes per real.
    pub fn cpu(m: &Model, nworld: usize, real: u64) -> Self {
        let size = |room: &dyn Fn(Room) -> bool, real: u64| -> u64 {
            let fields = FIELDS.iter().filter(|field| room(field.room));
            let bytes = fields.map(|field| {
                let word = if field.elem == Elem::Int { 4 } else { real };
                // the `Vec` itself, and the allocator's overhead for its contents
                let rest = size_of::<Vec<f64>>() as u64 + if field.len(m) > 0 { 16 } else { 0 };
                field.words(m) as u64 * word + rest
            });
            bytes.sum()
        };
        let model = size(&|room| room == Room::Model, 8);
        let world = size(&|room| room != Room::Model, real);
        Self {
            model,
            world,
            total: model + world.saturating_mul(nworld as u64),
        }
    }

    /// The same memory where every world has a model of its own.
    pub(super) fn with_models(self, nworld: usize) -> Self {
        let models = self.model.saturating_mul(nworld as u64);
        Self {
            world: self.world + self.model,
            total: self.total.saturating_add(models),
            ..self
        }
    }

    /// Memory of one world on a hardware GPU.
    pub fn device(m: &Model) -> Result<Self> {
        super::gpu::world(m)
    }

    /// Size of each array of a world on a hardware GPU, the largest first: its name, its bytes, and true if it is on
    /// chip, which is no part of [`Memory::world`].
    pub fn device_arrays(m: &Model) -> Result<Vec<(&'static str, u64, bool)>> {
        super::gpu::arrays(m)
    }

    /// Fails with [`Error::Size`] if the total is more than `have`, and says how many worlds would fit.
    pub(super) fn check(&self, nworld: usize, have: u64) -> Result<()> {
        if self.total <= have {
            return Ok(());
        }
        let fit = have.saturating_sub(self.model) / self.world.max(1);
        let what = format!("bytes for {nworld} worlds (at most {fit} fit)");
        Err(Error::Size {
            what,
            need: self.total,
            have,
        })
    }
}

/// Memory that a page may still take (bytes): half of its free address space, since reads need memory too.
#[cfg(target_arch = "wasm32")]
pub(super) fn available() -> u64 {
    let taken = (core::arch::wasm32::memory_size(0) as u64) << 16;
    ((1 << 32) - taken) / 2
}

/// Memory that this process may still take (bytes); the largest number where the system does not tell.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn available() -> u64 {
    let number =
        |path: &str| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    let system = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find(|line| line.starts_with("MemAvailable:"))?;
            let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
            Some(kib * 1024)
        });
    // a container's limit may be below the machine's memory
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(max, current)| max.saturating_sub(current));
    system.unwrap_or(u64::MAX).min(group.unwrap_or(u64::MAX))
}
