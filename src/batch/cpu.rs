//! The twins over all worlds: tiles of as many worlds as the number has lanes, over all threads.

use rayon::prelude::*;

use super::{Memory, Settings, Which, Worlds, memory};
use crate::error::{Error, Result};
use crate::fields::{Data, Field, Model, View, ViewMut};
use crate::real::Real;
use crate::stages::{self, Stage};

/// How a tile of worlds is taken through one stage.
type Twin<R> = fn(&'static Stage) -> fn(&Model, &mut Data<R>);

struct Cpu<R: Real> {
    nworld: usize,
    // world w is lane w % WIDTH of tile w / WIDTH; the last tile is filled up with worlds that nobody reads
    tiles: Vec<Data<R>>,
    // a world as it is after a reset
    fresh: Data<R>,
    twin: Twin<R>,
    pool: Option<rayon::ThreadPool>,
    // the last read
    reals: Vec<f64>,
    ints: Vec<i32>,
    memory: Memory,
}

impl<R: Real> std::fmt::Debug for Cpu<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cpu")
            .field("nworld", &self.nworld)
            .finish_non_exhaustive()
    }
}

pub(super) fn open(m: &Model, nworld: usize, settings: &Settings) -> Result<Box<dyn Worlds>> {
    Ok(Box::new(Cpu::<f64>::new(m, nworld, settings, |stage| {
        stage.twin
    })?))
}

impl<R: Real> Cpu<R> {
    fn new(m: &Model, nworld: usize, settings: &Settings, twin: Twin<R>) -> Result<Self> {
        let ntile = nworld.div_ceil(R::WIDTH);
        let memory = Memory::cpu(m, ntile * R::WIDTH, (size_of::<R>() / R::WIDTH) as u64);
        memory.check(nworld, memory::available())?;
        let pool = settings.threads.map(|n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
            pool.map_err(|e| Error::Input(format!("{n} threads: {e}")))
        });
        let fresh = Data::new(m);
        Ok(Self {
            nworld,
            tiles: vec![fresh.clone(); ntile],
            fresh,
            twin,
            pool: pool.transpose()?,
            reals: Vec::new(),
            ints: Vec::new(),
            memory,
        })
    }

    // worlds do not meet: any order over threads gives the same bits
    fn each_tile(&mut self, run: impl Fn(&mut Data<R>) + Send + Sync) {
        let tiles = &mut self.tiles;
        match &self.pool {
            Some(pool) => pool.install(|| tiles.par_iter_mut().for_each(run)),
            None => tiles.par_iter_mut().for_each(run),
        }
    }
}

impl<R: Real> Worlds for Cpu<R> {
    fn device(&self) -> String {
        let threads = match &self.pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        };
        let bits = 8 * size_of::<R>() / R::WIDTH;
        let plural = if threads == 1 { "" } else { "s" };
        format!("CPU, {threads} thread{plural}, f{bits}")
    }

    fn step(&mut self, m: &Model, n: usize) -> Result<()> {
        let twin = self.twin;
        self.each_tile(|d| {
            for _ in 0..n {
                stages::step(m, &mut |stage| twin(stage)(m, d));
            }
        });
        Ok(())
    }

    fn forward(&mut self, m: &Model) -> Result<()> {
        let twin = self.twin;
        self.each_tile(|d| stages::forward(m, &mut |stage| twin(stage)(m, d)));
        Ok(())
    }

    fn read(&mut self, m: &Model, field: &'static Field) -> Result<View<'_>> {
        let words = field.words(m);
        let lane_of = |w: usize| (w / R::WIDTH, w % R::WIDTH);
        self.reals.clear();
        self.ints.clear();
        for w in 0..self.nworld {
            let (tile, lane) = lane_of(w);
            match self.tiles[tile].field(field.name) {
                Some(View::Int(x)) => self.ints.extend((0..words).map(|e| x[e * R::WIDTH + lane])),
                Some(View::Real(x)) => self.reals.extend(x.iter().map(|x| x.lane(lane))),
                None => {}
            }
        }
        Ok(match field.elem {
            crate::fields::Elem::Int => View::Int(&self.ints),
            _ => View::Real(&self.reals),
        })
    }

    fn write(
        &mut self,
        m: &Model,
        field: &'static Field,
        to: Which<'_>,
        rows: View<'_>,
    ) -> Result<()> {
        let words = field.words(m);
        for (k, w) in to.of(self.nworld).enumerate() {
            let (tile, lane) = (w / R::WIDTH, w % R::WIDTH);
            let row = |len: usize| if len == words { 0 } else { k * words };
            match (self.tiles[tile].field_mut(field.name), rows) {
                (Some(ViewMut::Int(x)), View::Int(from)) => {
                    let from = &from[row(from.len())..][..words];
                    from.iter()
                        .enumerate()
                        .for_each(|(e, v)| x[e * R::WIDTH + lane] = *v);
                }
                (Some(ViewMut::Real(x)), View::Real(from)) => {
                    let from = &from[row(from.len())..][..words];
                    x.iter_mut()
                        .zip(from)
                        .for_each(|(x, v)| x.set_lane(lane, *v));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn reset(&mut self, _m: &Model, which: Which<'_>) -> Result<()> {
        for w in which.of(self.nworld) {
            let (tile, lane) = (w / R::WIDTH, w % R::WIDTH);
            copy_lane(&mut self.tiles[tile], &self.fresh, lane);
        }
        Ok(())
    }

    fn memory(&self) -> Memory {
        self.memory
    }

    fn stage_times(&mut self, m: &Model, n: usize) -> Result<Option<Vec<(&'static str, f64)>>> {
        let twin = self.twin;
        let mut times: Vec<(&'static str, f64)> = Vec::new();
        for _ in 0..n {
            for d in &mut self.tiles {
                stages::step(m, &mut |stage| {
                    let start = std::time::Instant::now();
                    twin(stage)(m, d);
                    let took = start.elapsed().as_secs_f64() / n as f64;
                    match times.iter_mut().find(|(name, _)| *name == stage.name) {
                        Some((_, sum)) => *sum += took,
                        None => times.push((stage.name, took)),
                    }
                });
            }
        }
        Ok(Some(times))
    }
}

fn copy_lane<R: Real>(to: &mut Data<R>, from: &Data<R>, lane: usize) {
    if R::WIDTH == 1 {
        return to.clone_from(from);
    }
    for field in crate::fields::FIELDS {
        match (to.field_mut(field.name), from.field(field.name)) {
            (Some(ViewMut::Int(to)), Some(View::Int(from))) => {
                let lanes = to.iter_mut().zip(from).skip(lane).step_by(R::WIDTH);
                lanes.for_each(|(to, from)| *to = *from);
            }
            (Some(ViewMut::Real(to)), Some(View::Real(from))) => {
                let lanes = to.iter_mut().zip(from);
                lanes.for_each(|(to, from)| to.set_lane(lane, from.lane(lane)));
            }
            _ => {}
        }
    }
}
