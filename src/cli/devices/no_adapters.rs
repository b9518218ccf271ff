//! Stand-in for the list of adapters in a build without the feature `gpu`.

use crate::cli::Fault;
use crate::cli::say::remark;
use serde_json::Value;

/// No adapters.
pub fn values() -> Vec<Value> {
    Vec::new()
}

/// Says why there are no adapters.
pub fn print() -> Result<(), Fault> {
    remark!("no adapters: built without the feature `gpu`");
    Ok(())
}
