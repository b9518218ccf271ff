//! Pipelines that a device has made: worlds of a model that it had worlds of before find their kernels compiled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gpu::module::Module;

/// Pipelines that are kept at most. Beyond, all are let go but those that worlds still use.
const MOST: usize = 1024;

/// What a pipeline is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    text: String,
    // whether all of WGSL's checks are on
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

/// The pipelines of a device, by what they were made from.
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

    /// Keeps one that the device found no fault with.
    pub(super) fn keep(&self, key: Key, pipeline: &wgpu::ComputePipeline) {
        let mut made = self.made();
        if made.len() >= MOST {
            made.clear();
        }
        made.insert(key, pipeline.clone());
    }
}
