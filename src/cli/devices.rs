//! `devices`: lists the CPU and the adapters on which worlds can run.

#[cfg(feature = "gpu")]
mod adapters;
#[cfg(not(feature = "gpu"))]
#[path = "devices/no_adapters.rs"]
mod adapters;

use super::Fault;
use crate::cli::say::data;
use clap::Args;
use manyworlds::level::Level;
use manyworlds::real::Real;
use manyworlds::simd::Lanes;
use serde_json::json;

/// The adapters that the kernels can run on, best first.
#[derive(Args, Debug)]
pub struct Devices {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl Devices {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if self.json {
            let adapters = adapters::values();
            let (built, machine) = (Level::built().to_string(), Level::machine().to_string());
            data!(
                "{:#}",
                json!({ "threads": threads, "built_for": built, "machine": machine, "adapters": adapters })
            )?;
            return Ok(());
        }
        data!("CPU: {threads} threads, f64 (--backend cpu)")?;
        let width = Lanes::WIDTH;
        data!("CPU: {threads} threads, f32, {width} worlds side by side (--backend simd)")?;
        data!(
            "    built for {}, this machine has {}",
            Level::built(),
            Level::machine()
        )?;
        adapters::print()
    }
}
