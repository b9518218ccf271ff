//! Unrolled kernels compared with plain ones, stage by stage: one lane per world, CPU seconds of this process.
//! For software adapters, where the CPU is the device; on hardware use `manyworlds bench --tune`.
//!
//!     cargo bench --bench unroll -- models/humanoid.xml

use manyworlds::Model;
use manyworlds::batch::clock::process_seconds as now;
use manyworlds::gpu::device::{Choice, Device, Request};
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::{Config, Gpu, Unroll};

const NWORLD: usize = 1024;
/// CPU seconds that each kernel is measured for.
const ENOUGH: f64 = 0.4;

// ns per world, and seconds until the kernel has run for the first time
type Cost = (f64, f64);

fn main() {
    let device = Device::open(&Request {
        choice: Choice::Software,
        ..Request::default()
    })
    .expect("a software adapter is needed");
    for path in std::env::args().skip(1).filter(|arg| arg != "--bench") {
        let m = Model::from_xml_path(&path).expect("a model");
        let [plain, short] =
            [Unroll::Never, Unroll::Always].map(|unroll| costs(&device, &m, unroll));
        println!("{path}, {}, {NWORLD} worlds\n", device.adapter);
        println!(
            "| stage | plain (ns) | unrolled (ns) | ratio | plain, first (s) | unrolled, first (s) |"
        );
        println!("|---|---:|---:|---:|---:|---:|");
        let mut sum = [(0.0, 0.0); 2];
        let row = |name: &str, [a, b]: [Cost; 2]| {
            println!(
                "| {name} | {:.0} | {:.0} | {:.1} × | {:.2} | {:.2} |",
                a.0,
                b.0,
                a.0 / b.0,
                a.1,
                b.1
            );
        };
        for (name, cost) in &short {
            // stages that are not unrolled are skipped
            if let (Some(b), Some((_, Some(a)))) = (cost, plain.iter().find(|p| p.0 == *name)) {
                row(name, [*a, *b]);
                for (sum, x) in sum.iter_mut().zip([a, b]) {
                    *sum = (sum.0 + x.0, sum.1 + x.1);
                }
            }
        }
        row("all", sum);
        println!();
    }
}

fn costs(device: &Device, m: &Model, unroll: Unroll) -> Vec<(&'static str, Option<Cost>)> {
    let config = Config {
        nworld: NWORLD,
        lanes: 1,
        unroll,
        checked: false,
        ..Config::default()
    };
    let mut gpu = Gpu::new(device, m, &config).expect("worlds");
    let mut out: Vec<(&str, Option<Cost>)> = Vec::new();
    for stage in step_walk(m) {
        if out.iter().any(|(name, _)| *name == stage.name) {
            continue;
        }
        let start = now();
        let plan = gpu.plan(&[stage]).expect("a kernel");
        let stays = gpu.forms().last().is_some_and(|(_, why)| why.is_some());
        if unroll == Unroll::Always && stays {
            out.push((stage.name, None));
            continue;
        }
        let run = |times| {
            gpu.run(&plan, times).expect("a run");
            gpu.wait().expect("a run");
        };
        run(1);
        let (first, start) = (now() - start, now());
        let mut n = 0;
        while now() - start < ENOUGH {
            run(20);
            n += 20;
        }
        let ns = (now() - start) * 1e9 / (n * NWORLD) as f64;
        out.push((stage.name, Some((ns, first))));
    }
    out
}
