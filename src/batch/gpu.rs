//! The kernels over all worlds.

use std::sync::OnceLock;

use super::{Memory, Settings, Which, Worlds, memory};
use crate::error::Result;
use crate::fields::{Field, Model, View};
use crate::gpu::device::{self, Choice, Device, Request};
use crate::gpu::run::{Plan, forward_walk, step_walk};
use crate::gpu::{Config, Gpu, Values};

/// True if there is an adapter that is no software.
pub(super) fn hardware() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| device::adapters().iter().any(|adapter| !adapter.software))
}

#[derive(Debug)]
struct Kernels {
    gpu: Gpu,
    forward: Plan,
    // the last read
    reals: Vec<f64>,
    ints: Vec<i32>,
}

pub(super) fn open(m: &Model, nworld: usize, settings: &Settings) -> Result<Box<dyn Worlds>> {
    let choice = match &settings.adapter {
        Some(letters) => Choice::Named(letters.clone()),
        None => Choice::Any,
    };
    let request = Request {
        choice,
        ..Request::default()
    };
    let device = Device::open(&request)?;
    let config = Config {
        nworld,
        lanes: settings.lanes.unwrap_or(0),
        // a software adapter's memory is the machine's; a GPU refuses by itself
        memory: device.adapter.software.then(memory::available),
        ..Config::default()
    };
    let mut gpu = Gpu::new(&device, m, &config)?;
    // what a step needs is compiled before the first one
    gpu.prepare()?;
    let forward = gpu.plan(&forward_walk(m))?;
    Ok(Box::new(Kernels {
        gpu,
        forward,
        reals: Vec::new(),
        ints: Vec::new(),
    }))
}

impl Worlds for Kernels {
    fn device(&self) -> String {
        let team = self.gpu.team();
        let plural = if team.lanes == 1 { "" } else { "s" };
        format!(
            "{}, {} lane{plural} a world, f32",
            self.gpu.device().adapter,
            team.lanes
        )
    }

    fn step(&mut self, _m: &Model, n: usize) -> Result<()> {
        self.gpu.step(n)
    }

    fn forward(&mut self, _m: &Model) -> Result<()> {
        self.gpu.run(&self.forward, 1)
    }

    fn read(&mut self, _m: &Model, field: &'static Field) -> Result<View<'_>> {
        Ok(match self.gpu.read(field.name)? {
            Values::Int(x) => {
                self.ints = x;
                View::Int(&self.ints)
            }
            Values::Real(x) => {
                self.reals.clear();
                self.reals.extend(x.into_iter().map(f64::from));
                View::Real(&self.reals)
            }
        })
    }

    fn write(
        &mut self,
        _m: &Model,
        field: &'static Field,
        to: Which<'_>,
        rows: View<'_>,
    ) -> Result<()> {
        let values = match rows {
            View::Int(x) => Values::Int(x.to_vec()),
            View::Real(x) => Values::Real(x.iter().map(|&x| x as f32).collect()),
        };
        match to {
            Which::All => self.gpu.write(field.name, &values),
            Which::Listed(list) => self.gpu.write_worlds(field.name, list, &values),
        }
    }

    fn reset(&mut self, _m: &Model, which: Which<'_>) -> Result<()> {
        match which {
            Which::All => self.gpu.reset(None),
            Which::Listed(list) => self.gpu.reset(Some(list)),
        }
    }

    fn memory(&self) -> Memory {
        let memory = self.gpu.memory();
        Memory {
            model: memory.model,
            world: memory.world,
            total: memory.total(),
        }
    }

    fn stage_times(&mut self, m: &Model, n: usize) -> Result<Option<Vec<(&'static str, f64)>>> {
        if !self.gpu.device().timestamps {
            return Ok(None);
        }
        let walk = step_walk(m);
        let plan = self.gpu.plan_fused(&walk, 1)?;
        let mut times: Vec<(&'static str, f64)> = Vec::new();
        for _ in 0..n {
            for (stage, (_, took)) in walk.iter().zip(self.gpu.time(&plan)?) {
                let took = took / n as f64;
                match times.iter_mut().find(|(name, _)| *name == stage.name) {
                    Some((_, sum)) => *sum += took,
                    None => times.push((stage.name, took)),
                }
            }
        }
        Ok(Some(times))
    }
}
