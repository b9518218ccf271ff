//! The overhead of `Batch::control` over its steps: `cargo bench --bench control -- [MODEL.xml [WORLDS [THREADS]]]`.
//!
//! In turn, many times, from the same state: `control` with growing capacity; `set`, `step`, `read` with the same data; and the steps
//! alone, which save no state. Times are processor time of the process (all threads), the median of the repetitions.

use manyworlds::batch::{Backend, In, Out, Overflow, Settings, clock};
use manyworlds::{Batch, Model, Result};

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&String> = given.iter().filter(|arg| *arg != "--bench").collect();
    let number = |k: usize, or: usize| given.get(k).map_or(or, |x| x.parse().unwrap_or(or));
    let path = given.first().map_or("models/humanoid.xml", |x| x.as_str());
    let (nworld, threads) = (number(1, 4096), number(2, 1));
    let m = Model::from_xml_path(path)?;
    let batch = |overflow, room: Option<(usize, usize)>| {
        let settings = Settings::default()
            .nconmax(room.map(|room| room.0))
            .njmax(room.map(|room| room.1))
            .backend(Backend::Simd)
            .overflow(overflow)
            .threads(threads);
        Batch::with(&m, nworld, settings)
    };
    let mut fused = batch(Overflow::Grow, None)?;
    let noise = |k: usize| ((k * 7919) % 1000) as f64 / 1000.0 - 0.5;
    let u: Vec<f64> = (0..nworld * m.nu).map(noise).collect();
    let v: Vec<f32> = u.iter().map(|&x| x as f32).collect();
    let (mut qpos, mut qvel) = (vec![0f32; nworld * m.nq], vec![0f32; nworld * m.nv]);
    // until the worlds have fallen into different states with contacts, and the capacity has grown
    fused.set("ctrl", &u)?;
    fused.step(300)?;
    let room = Some((fused.model().nconmax, fused.model().njmax));
    println!("{path}, {nworld} worlds, room for {room:?}");
    let mut by_hand = batch(Overflow::Grow, room)?;
    let mut alone = batch(Overflow::Continue, room)?;
    let start = fused.save()?;
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..40 {
        for batch in [&mut fused, &mut by_hand, &mut alone] {
            batch.restore(&start)?;
        }
        let mut time = |k: usize, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let begin = clock::process_seconds();
            run()?;
            times[k].push(clock::process_seconds() - begin);
            Ok(())
        };
        time(0, &mut || {
            let mut out = [("qpos", Out::F32(&mut qpos)), ("qvel", Out::F32(&mut qvel))];
            fused.control(&[("ctrl", In::F32(&v))], 1, &mut out)
        })?;
        time(1, &mut || {
            by_hand.set("ctrl", &u)?;
            by_hand.step(1)?;
            by_hand.reals("qpos")?;
            by_hand.reals("qvel")?;
            Ok(())
        })?;
        time(2, &mut || alone.step(1))?;
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    };
    let [fused, by_hand, alone] = times.each_mut().map(median);
    println!("control {fused:.3} ms, set + step + read {by_hand:.3} ms, steps alone {alone:.3} ms");
    println!(
        "beside the steps: {:.1} % of control",
        100.0 * (1.0 - alone / fused)
    );
    Ok(())
}
