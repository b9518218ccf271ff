//! Work of each stage, and the limits of the machine.

use manyworlds::batch::{Backend, Overflow, Settings};
use manyworlds::fields::{FIELDS, Field, Room};
use manyworlds::gpu::dataflow::dataflow;
use manyworlds::real::counted::take_count;
use manyworlds::real::{Counted, Real};
use manyworlds::simd::{Lanes, Rows, copy_lane};
use manyworlds::stages::{self, STAGES};
use manyworlds::{Batch, Data, Error, Model};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// Work of a stage on one world in one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Operations on reals, counted on the given states.
    pub flop: f64,
    /// Bytes of the arrays that it reads and writes, each array once, only used rows, in single precision.
    pub bytes: f64,
}

/// Work of each stage, averaged over the worlds of a batch. Operations are not counted in code that runs in the
/// reference only: for features of a model that only it has, and for work that worlds side by side leave to it.
pub fn work(batch: &mut Batch) -> Result<BTreeMap<&'static str, Work>, Error> {
    let m = &batch.model().clone();
    let worlds = batch.worlds()?;
    let n = worlds.len() as f64;
    let mean = |get: &dyn Fn(&Data) -> i32| {
        let sum: i32 = worlds.iter().map(get).sum();
        f64::from(sum) / n
    };
    let (ncon, nefc) = (mean(&|d| d.ncon[0]), mean(&|d| d.nefc[0]));
    let bytes = |field: &Field| -> f64 {
        let words = field.words(m) as f64;
        let used = match field.dims[0] {
            "nconmax" => ncon / (m.nconmax.max(1) as f64),
            "njmax" => nefc / (m.njmax.max(1) as f64),
            _ => 1.0,
        };
        4.0 * words * used
    };
    let mut all = BTreeMap::new();
    for stage in STAGES {
        let flow = dataflow(&[stage]);
        let named = |name: &&str| {
            FIELDS
                .iter()
                .find(|f| f.name == *name && f.room != Room::Model)
        };
        let touched = flow.reads.iter().chain(&flow.writes).filter_map(named);
        let bytes = touched.map(bytes).sum();
        all.insert(stage.name, Work { flop: 0.0, bytes });
    }
    for world in &worlds {
        count(m, world, &mut all);
    }
    all.values_mut().for_each(|work| work.flop /= n);
    Ok(all)
}

// adds the operations of one step of a world
fn count(m: &Model, world: &Data, all: &mut BTreeMap<&'static str, Work>) {
    let mut d = Data::<Counted>::new(m);
    copy_lane(&mut d, world, 0, 0);
    let mut rows = Rows::new(m);
    stages::step(m, &mut |stage| {
        take_count();
        (stage.counted)(m, &mut d, &mut rows);
        if let Some(work) = all.get_mut(stage.name) {
            work.flop += take_count() as f64;
        }
    });
}

/// Worlds of the reference in the states of the first worlds of a batch, on which work is counted.
pub fn reference(batch: &mut Batch, n: usize) -> Result<Batch, Error> {
    let settings = Settings {
        backend: Backend::Cpu,
        overflow: Overflow::Continue,
        threads: Some(1),
        ..Settings::default()
    };
    let nworld = batch.nworld();
    let n = nworld.min(n);
    let mut reference = Batch::with(batch.model(), n, settings)?;
    for name in ["time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart"] {
        let x = batch.reals(name)?;
        let row = x.len() / nworld;
        reference.set(name, &x[..n * row])?;
    }
    // computes the contacts and rows of these states
    reference.forward()?;
    Ok(reference)
}

/// Limits of one core: operations and bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Rate of multiply-adds in SIMD lanes (FLOP/s).
    pub flops: f64,
    /// Rate of a sum over an array larger than the caches (bytes/s).
    pub bytes: f64,
}

/// Measures the limits of a core.
pub fn limit() -> Limit {
    // enough independent sums to hide the latency of one
    const ROUNDS: usize = 200_000;
    let (a, b) = (
        black_box(Lanes::splat(0.999)),
        black_box(Lanes::splat(0.001)),
    );
    let flops = best(5, || {
        let mut sum = [Lanes::one(); 16];
        for _ in 0..ROUNDS {
            for x in &mut sum {
                *x = x.mul_add(a, b);
            }
        }
        black_box(sum);
    });
    let far = vec![1.0f32; 32 << 20];
    let bytes = best(3, || {
        let mut sum = [0.0f32; 64];
        for x in far.as_chunks::<64>().0 {
            for k in 0..64 {
                sum[k] += x[k];
            }
        }
        black_box(sum);
    });
    Limit {
        flops: (ROUNDS * 16 * 2 * Lanes::WIDTH) as f64 / flops,
        bytes: 4.0 * far.len() as f64 / bytes,
    }
}

// the least time of `n` runs
fn best(n: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..n {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}
