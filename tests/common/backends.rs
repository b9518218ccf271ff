//! Runs a test on every backend.
#![allow(unused_imports, unused_macros, reason = "each test binary uses a part")]

use manyworlds::batch::{Backend, Settings};
use manyworlds::{Batch, Model};

/// Every backend; `Auto` resolves to one of them.
pub const BACKENDS: [Backend; 3] = [Backend::Cpu, Backend::Simd, Backend::Gpu];

/// Makes a test for each backend from functions that take a backend: `cpu::name`, `simd::name`, `gpu::name`.
macro_rules! on_every_backend {
    ($($name:ident),+ $(,)?) => {
        $crate::common::backends::on_every_backend!(@ cpu Cpu $($name)+);
        $crate::common::backends::on_every_backend!(@ simd Simd $($name)+);
        $crate::common::backends::on_every_backend!(@ gpu Gpu $($name)+);
    };
    (@ $module:ident $backend:ident $($name:ident)+) => {
        mod $module {
            $(
                #[test]
                fn $name() {
                    super::$name(manyworlds::batch::Backend::$backend);
                }
            )+
        }
    };
}
pub(crate) use on_every_backend;

/// Default settings with a backend.
pub fn on(backend: Backend) -> Settings {
    Settings::default().backend(backend)
}

/// Worlds at `qpos0` on a backend, with default settings otherwise.
pub fn worlds(m: &Model, n: usize, backend: Backend) -> Batch {
    Batch::with(m, n, on(backend)).unwrap_or_else(|e| panic!("{backend:?}: {e}"))
}

/// The first value for the backend that computes in `f64`, the second for the backends that compute in `f32`.
pub fn by_precision<T>(backend: Backend, f64: T, f32: T) -> T {
    match backend {
        Backend::Cpu => f64,
        _ => f32,
    }
}
