//! `cargo run --release -- cartpole|ant [WORLDS] [UPDATES]`: learns, and prints what an action earns.

use burn_ppo::Result;
use burn_ppo::ppo::{Ppo, Settings};
use burn_ppo::share::Shared;
use burn_ppo::task::{Ant, Cartpole, Task, Worlds};

fn learn<T: Task>(task: T, nworld: usize, updates: usize) -> Result<()> {
    let worlds = Worlds::new(task, Shared::open(1)?, nworld)?;
    let settings = Settings::default();
    let mut ppo = Ppo::new(worlds, settings);
    println!("{}", ppo.worlds.batch().device());
    let start = std::time::Instant::now();
    for k in 1..=updates {
        let [reward, done] = ppo.update()?;
        let actions = k * settings.horizon * nworld;
        let seconds = start.elapsed().as_secs_f64();
        let length = 1.0 / f64::from(done).max(1e-9);
        println!(
            "{actions:>9} actions  {seconds:6.1} s  reward of an action {reward:6.3}  actions of an episode {length:8.1}"
        );
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_else(|| "cartpole".to_owned());
    let mut number = |or: usize| words.next().map_or(Ok(or), |word| word.parse());
    let (nworld, updates) = (number(256)?, number(60)?);
    match task.as_str() {
        "cartpole" => learn(Cartpole, nworld, updates),
        "ant" => learn(Ant, nworld, updates),
        _ => Err(format!("{task}: not one of the tasks cartpole, ant").into()),
    }
}
