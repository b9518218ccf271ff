//! The mistakes found while a model is read.

use super::source::{Origin, Sources};
use crate::error::Error;

/// Collects mistakes, so that all mistakes of a file are reported together.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub sources: Sources,
    pub errors: Vec<Error>,
    /// Reading cannot go on.
    pub stopped: bool,
    /// Most mistakes before reading stops.
    pub most: usize,
}

impl Log {
    /// A mistake at an element, or at one of its attributes.
    pub fn mistake(&mut self, at: Origin, attr: Option<&str>, msg: impl Into<String>) {
        self.push(|sources| sources.error(at, attr, msg));
    }

    /// A mistake after which reading stops.
    pub fn stop(&mut self, at: Origin, msg: impl Into<String>) {
        if !self.stopped {
            self.stopped = true;
            self.errors.push(self.sources.error(at, None, msg));
        }
    }

    /// A mistake of XML, at a place that is no element.
    pub fn xml(&mut self, at: Origin, msg: impl Into<String>) {
        self.errors.push(self.sources.error_at(at, msg));
        self.stopped = true;
    }

    /// An error made elsewhere.
    pub fn push(&mut self, error: impl FnOnce(&Sources) -> Error) {
        if !self.stopped {
            self.errors.push(error(&self.sources));
            self.stopped = self.errors.len() >= self.most;
        }
    }
}
