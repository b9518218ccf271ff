//! World-steps per second over models and numbers of worlds, on the CPU backend: `cargo bench --bench steps`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use manyworlds::batch::{Backend, Overflow, Settings};
use manyworlds::{Batch, Model};
use std::time::Duration;

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("steps");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for name in ["cartpole", "quadruped", "humanoid", "hand", "boxes"] {
        let model = Model::from_xml_path(format!("models/{name}.xml")).expect("our models load");
        for nworld in [64, 1024] {
            let settings = Settings::default()
                .backend(Backend::Cpu)
                .overflow(Overflow::Grow);
            let mut batch = Batch::with(&model, nworld, settings).expect("so many worlds fit");
            // until there are contacts
            batch.step(200).expect("room grows");
            let start = batch.save().expect("what can be read can be saved");
            group.throughput(Throughput::Elements(nworld as u64 * 10));
            group.bench_function(BenchmarkId::new(name, nworld), |b| {
                batch.restore(&start).expect("the state is of this batch");
                b.iter(|| batch.step(10));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
