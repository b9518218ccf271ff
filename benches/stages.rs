//! Time of each twin on one settled world, by the names of the table: `cargo bench --bench stages`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use manyworlds::stages::{self, Stage};
use manyworlds::{Data, Model, cpu};
use std::time::Duration;

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("stages");
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(1));
    for name in ["humanoid", "boxes"] {
        let m = Model::from_xml_path(format!("models/{name}.xml")).expect("our models load");
        let mut d = Data::new(&m);
        for _ in 0..200 {
            cpu::step(&m, &mut d);
        }
        let mut walk: Vec<&'static Stage> = Vec::new();
        stages::forward(&m, &mut |stage| walk.push(stage));
        for stage in walk {
            // each stage runs on the results of the stages before it
            group.bench_function(BenchmarkId::new(stage.name, name), |b| {
                b.iter(|| (stage.twin)(&m, &mut d));
            });
            cpu::forward(&m, &mut d);
        }
    }
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
