//! The twins over all worlds: tiles of as many worlds as the number has lanes, spread over threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::clock::thread_seconds;
use super::{Backend, Mask, Memory, Settings, Worlds, memory};
use crate::error::{Error, Result};
use crate::fields::{Data, Elem, FIELDS, Field, Model, Room, View, ViewMut};
use crate::real::Real;
use crate::simd::{self, Lanes, Rows};
use crate::stages::{self, Stage};

/// Takes a tile of worlds through one stage.
type Twin<R> = fn(&'static Stage, &Model, &mut Data<R>, &mut Rows<R>);

struct Cpu<R: Real> {
    nworld: usize,
    // world w is lane w % WIDTH of tile w / WIDTH; the last tile is filled up with worlds that nobody reads
    tiles: Vec<Data<R>>,
    // a tile as it is after a reset
    fresh: Data<R>,
    twin: Twin<R>,
    pool: Option<rayon::ThreadPool>,
    // what each thread needs for a tile, kept from step to step
    rows: Vec<Mutex<Rows<R>>>,
    memory: Memory,
    // the last read
    reals: Vec<f64>,
    ints: Vec<i32>,
}

impl<R: Real> std::fmt::Debug for Cpu<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.device())
    }
}

pub(super) fn open(m: &Model, nworld: usize, settings: &Settings) -> Result<Box<dyn Worlds>> {
    let twin: Twin<f64> = |stage, m, d, _rows| (stage.twin)(m, d);
    Ok(Box::new(Cpu::new(m, nworld, settings, twin)?))
}

/// Worlds side by side in SIMD lanes, in `f32`.
pub(super) fn open_simd(m: &Model, nworld: usize, settings: &Settings) -> Result<Box<dyn Worlds>> {
    let twin: Twin<Lanes> = |stage, m, d, rows| (stage.simd)(m, d, rows);
    Ok(Box::new(Cpu::new(m, nworld, settings, twin)?))
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
        let pool = pool.transpose()?;
        let nthread = match &pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        };
        let fresh = Data::new(m);
        Ok(Self {
            rows: (0..nthread).map(|_| Mutex::new(Rows::new(m))).collect(),
            nworld,
            tiles: vec![fresh.clone(); ntile],
            fresh,
            twin,
            pool,
            memory,
            reals: Vec::new(),
            ints: Vec::new(),
        })
    }

    // worlds do not meet: any order over threads gives the same bits
    fn for_each(&mut self, run: impl Fn(&mut Data<R>, &mut Rows<R>) + Send + Sync) {
        let (tiles, rows) = (&mut self.tiles, &self.rows);
        let own = |thread: usize| rows[thread].lock().unwrap_or_else(PoisonError::into_inner);
        if let [_] = rows.as_slice() {
            let rows = &mut own(0);
            tiles.iter_mut().for_each(|d| run(d, rows));
            return;
        }
        let each = |d: &mut Data<R>| {
            // a thread's own: nobody waits
            let thread = rayon::current_thread_index().unwrap_or(0);
            run(d, &mut own(thread % rows.len()));
        };
        match &self.pool {
            Some(pool) => pool.install(|| tiles.par_iter_mut().for_each(each)),
            None => tiles.par_iter_mut().for_each(each),
        }
    }

    // every chosen world: its number, tile and lane
    fn chosen(&mut self, mask: Mask<'_>, mut run: impl FnMut(usize, &mut Data<R>, usize)) {
        for w in (0..self.nworld).filter(|&w| mask.is_none_or(|mask| mask[w])) {
            run(w, &mut self.tiles[w / R::WIDTH], w % R::WIDTH);
        }
    }
}

impl<R: Real> Worlds for Cpu<R> {
    fn backend(&self) -> Backend {
        match R::WIDTH {
            1 => Backend::Cpu,
            _ => Backend::Simd,
        }
    }

    fn device(&self) -> String {
        let threads = match &self.pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        };
        let bits = 8 * size_of::<R>() / R::WIDTH;
        let plural = if threads == 1 { "" } else { "s" };
        let side = match R::WIDTH {
            1 => String::new(),
            width => format!(", {width} worlds side by side"),
        };
        format!("CPU, {threads} thread{plural}, f{bits}{side}")
    }

    fn step(&mut self, m: &Model, n: usize) -> Result<()> {
        let twin = self.twin;
        self.for_each(|d, rows| {
            for _ in 0..n {
                stages::step(m, &mut |stage| twin(stage, m, d, rows));
            }
        });
        Ok(())
    }

    fn forward(&mut self, m: &Model) -> Result<()> {
        let twin = self.twin;
        self.for_each(|d, rows| stages::forward(m, &mut |stage| twin(stage, m, d, rows)));
        Ok(())
    }

    fn inverse(&mut self, m: &Model) -> Result<()> {
        let twin = self.twin;
        self.for_each(|d, rows| stages::inverse(m, &mut |stage| twin(stage, m, d, rows)));
        Ok(())
    }

    fn read(&mut self, m: &Model, field: &'static Field) -> Result<View<'_>> {
        let Self {
            tiles, reals, ints, ..
        } = self;
        reals.clear();
        ints.clear();
        for (t, tile) in tiles.iter().enumerate() {
            let lanes = 0..R::WIDTH.min(self.nworld - t * R::WIDTH);
            if R::WIDTH > 1 && simd::is_order_of_islands(field) {
                lanes.for_each(|lane| simd::read_islands(m, tile, lane, field, ints));
            } else if matches!(field.dims[0], "njmax" | "nconmax") {
                lanes.for_each(|lane| simd::read_slots(m, tile, lane, field, reals, ints));
            } else {
                match tile.field(field.name) {
                    Some(View::Int(x)) => {
                        lanes.for_each(|lane| ints.extend(x.iter().skip(lane).step_by(R::WIDTH)))
                    }
                    Some(View::Real(x)) => {
                        lanes.for_each(|lane| reals.extend(x.iter().map(|x| x.lane(lane))));
                    }
                    None => {}
                }
            }
        }
        Ok(match field.elem {
            Elem::Int => View::Int(ints),
            _ => View::Real(reals),
        })
    }

    fn write(
        &mut self,
        m: &Model,
        field: &'static Field,
        mask: Mask<'_>,
        values: &[f64],
    ) -> Result<()> {
        let words = field.words(m);
        let one = values.len() == words;
        self.chosen(mask, |w, tile, lane| {
            let row = &values[if one { 0 } else { w * words }..][..words];
            match tile.field_mut(field.name) {
                Some(ViewMut::Int(x)) => {
                    let lanes = x.iter_mut().skip(lane).step_by(R::WIDTH);
                    lanes.zip(row).for_each(|(to, &x)| *to = x as i32);
                }
                Some(ViewMut::Real(x)) => {
                    let lanes = x.iter_mut().zip(row);
                    lanes.for_each(|(to, &x)| to.set_lane(lane, x));
                }
                None => {}
            }
        });
        Ok(())
    }

    fn reset(&mut self, _m: &Model, mask: Mask<'_>) -> Result<()> {
        let fresh = std::mem::take(&mut self.fresh);
        self.chosen(mask, |_, tile, lane| copy_lane(tile, &fresh, lane));
        self.fresh = fresh;
        Ok(())
    }

    fn memory(&self) -> Memory {
        self.memory
    }

    fn stage_times(&mut self, m: &Model, n: usize) -> Result<Option<Vec<(String, f64)>>> {
        let twin = self.twin;
        let clock = reading_the_clock();
        let mut rows = Rows::new(m);
        let mut best: Vec<(String, f64)> = Vec::new();
        for _ in 0..n {
            let mut times: Vec<(String, f64)> = Vec::new();
            for d in &mut self.tiles {
                stages::step(m, &mut |stage| {
                    let start = thread_seconds();
                    twin(stage, m, d, &mut rows);
                    let took = thread_seconds() - start - clock;
                    match times.iter_mut().find(|(name, _)| *name == stage.name) {
                        Some((_, sum)) => *sum += took,
                        None => times.push((stage.name.to_owned(), took)),
                    }
                });
            }
            // the least of several steps: what else the machine does is not the stage's
            match best.is_empty() {
                true => best = times,
                false => best
                    .iter_mut()
                    .zip(times)
                    .for_each(|(best, now)| best.1 = best.1.min(now.1)),
            }
        }
        best.iter_mut().for_each(|(_, s)| *s = s.max(0.0));
        Ok(Some(best))
    }
}

// what a look at the clock takes, which is more than the smallest stages
fn reading_the_clock() -> f64 {
    let look = |_| {
        let start = thread_seconds();
        thread_seconds() - start
    };
    (0..1000).map(look).fold(f64::INFINITY, f64::min)
}

// a lane of one tile becomes that of another
fn copy_lane<R: Real>(to: &mut Data<R>, from: &Data<R>, lane: usize) {
    for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
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
