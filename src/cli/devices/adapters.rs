//! Lists the adapters on which the kernels can run.

use crate::cli::Fault;
use crate::cli::say::{data, remark};
use manyworlds::gpu::device::{Adapter, adapters};
use serde_json::{Value, json};

/// The adapters as JSON, best first.
pub fn values() -> Vec<Value> {
    adapters().iter().map(value).collect()
}

/// Prints the adapters, best first.
pub fn print() -> Result<(), Fault> {
    let adapters = adapters();
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
