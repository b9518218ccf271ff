//! Cache of a device's pipelines: new worlds of a model that had worlds before find their kernels compiled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gpu::module::Module;

/// Largest number of cached pipelines. Beyond it the cache is cleared; pipelines in use by worlds stay alive.
const MOST: usize = 1024;

/// The source of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    text: String,
    // whether all of wgpu's runtime checks are on
    checked: bool,
}

impl Key {
    pub(super) fn of(module: &Module, checked: bool) -> Self {
        Self {
            text: module.text.clone(),
            checked: checked || !module.own.is_empty(),
        }
    }
}

/// The pipelines of a device, by their source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipelines(Arc<Mutex<HashMap<Key, wgpu::ComputePipeline>>>);

impl Pipelines {
    fn made(&self) -> MutexGuard<'_, HashMap<Key, wgpu::ComputePipeline>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<wgpu::ComputePipeline> {
        self.made().get(key).cloned()
    }

    pub(super) fn len(&self) -> usize {
        self.made().len()
    }

    /// Adds a pipeline that the device compiled without an error.
    pub(super) fn keep(&self, key: Key, pipeline: &wgpu::ComputePipeline) {
        let mut made = self.made();
        if made.len() >= MOST {
            made.clear();
        }
        made.insert(key, pipeline.clone());
    }
}
