//! `devices`: the adapters that the kernels can run on.

use super::Fault;
use crate::cli::say::{data, remark};
use clap::Args;
use manyworlds::gpu::device::{Adapter, adapters};
use manyworlds::real::Real;
use manyworlds::simd::Lanes;
use serde_json::{Value, json};

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
        let adapters = adapters();
        if self.json {
            let list: Vec<Value> = adapters.iter().map(value).collect();
            data!("{:#}", json!({ "threads": threads, "adapters": list }))?;
            return Ok(());
        }
        data!("CPU: {threads} threads, f64 (--backend cpu)")?;
        let width = Lanes::WIDTH;
        data!("CPU: {threads} threads, f32, {width} worlds side by side (--backend simd)")?;
        for adapter in &adapters {
            let kind = if adapter.software {
                "software"
            } else {
                "hardware"
            };
            let (subgroup, binding) = (adapter.subgroup, adapter.binding >> 20);
            data!(
                "{} ({}, {kind}), {}",
                adapter.name,
                adapter.backend,
                adapter.driver
            )?;
            data!(
                "    bindings up to {binding} MiB, {} KiB of workgroup memory, subgroups of {} to {}",
                adapter.workgroup_memory >> 10,
                subgroup.0,
                subgroup.1
            )?;
        }
        if adapters.is_empty() {
            remark!("no adapter: install a Vulkan driver to run the kernels");
        }
        Ok(())
    }
}

fn value(adapter: &Adapter) -> Value {
    json!({
        "name": adapter.name,
        "driver": adapter.driver,
        "backend": adapter.backend,
        "software": adapter.software,
        "max_binding_bytes": adapter.binding,
        "workgroup_memory_bytes": adapter.workgroup_memory,
        "subgroup_size": [adapter.subgroup.0, adapter.subgroup.1],
    })
}
