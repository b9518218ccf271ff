//! Worlds with different models, on a device: a field of the model that differs in any world is stored per world.

use std::sync::Arc;

use super::Kernels;
use crate::cpu::euler::damped;
use crate::error::Result;
use crate::fields::{Data, FIELDS, Field, INPUTS, Model, Room, View, field};
use crate::gpu::{Config, Gpu, Values};
use crate::model::Opt;

use super::super::own::{Models, News};
use crate::compile::COUNTS;
use crate::rowset::RowSet;

impl Kernels {
    /// Gives every world a model of its own; `news` lists the changes.
    pub(super) fn give(&mut self, models: &Models, news: &[News]) -> Result<()> {
        let base = self.gpu.model();
        let new = || news.iter().map(|new| &*models[new.world]);
        let mut varies = self.gpu.config().varies.clone();
        let changed = news.iter().map(|new| new.changed.rows);
        let changed = changed.fold(RowSet::default(), |all, rows| all.with(&rows));
        let other = |field: &&Field| {
            let shared = base.view(field.row);
            new().any(|m| m.view(field.row) != shared)
        };
        let known = |name: &str| varies.iter().any(|known| known == name);
        let fresh = changed.fields().filter(|field| !known(field.name));
        let fresh = fresh.filter(other).map(|field| field.name);
        let option = |name: &&str| {
            let shared = base.opt.get(name);
            !known(name) && new().any(|m| m.opt.get(name) != shared)
        };
        let options = Opt::NAMES.iter().filter_map(|(name, _)| Opt::real(name));
        let options = options.filter(|_| news.iter().any(|new| new.changed.options));
        let fresh = fresh.chain(options.filter(option));
        let fresh: Vec<String> = fresh.map(str::to_owned).collect();
        // kernels leave out features that the model they are made for lacks
        let undamped = !damped(base) && new().any(damped);
        let empty = !base.opt.has_medium() && new().any(|m| m.opt.has_medium());
        let mut counts = COUNTS.iter().map(|(size, _)| *size);
        let lacks = undamped || empty || counts.any(|size| base.size(size) < most(new(), size));
        self.own = Models::clone(models);
        if lacks || !fresh.is_empty() {
            varies.extend(fresh);
            self.reopen(varies)?;
            return write_own(&self.own, &mut self.gpu);
        }
        write_news(&self.own, news, &mut self.gpu)
    }

    // recreates the same worlds with room per world for the fields that differ
    fn reopen(&mut self, varies: Vec<String>) -> Result<()> {
        let base = self.gpu.model();
        let own = || self.own.iter().map(Arc::as_ref);
        let mut base = own().find(|m| damped(m)).unwrap_or(base).clone();
        for (size, _) in COUNTS {
            if let Some(num) = most(own(), size).max(base.size(size)) {
                base.arrays_mut().set_size(size, num);
            }
        }
        if own().any(|m| m.opt.has_medium()) && !base.opt.has_medium() {
            // a positive density adds the stage of the medium; each world gives its own density
            base.arrays_mut().opt.density = f64::MIN_POSITIVE;
        }
        let config = Config {
            varies,
            ..self.gpu.config().clone()
        };
        let mut gpu = Gpu::new(self.gpu.device(), &base, &config)?;
        self.carry_over(&mut gpu)?;
        gpu.prepare()?;
        (self.gpu, self.plans) = (gpu, super::Plans::default());
        Ok(())
    }

    // copies every array that is kept between stages
    pub(super) fn carry_over(&self, to: &mut Gpu) -> Result<()> {
        let kept = |f: &&Field, to: &Gpu| {
            f.room != Room::Model
                && f.words(to.model()) > 0
                && self.gpu.has(f)
                && self.gpu.keeps(f)
                && to.has(f)
                && to.keeps(f)
        };
        for field in FIELDS {
            if !kept(&field, to) {
                continue;
            }
            to.write(field.name, &self.gpu.read(field.name)?)?;
        }
        Ok(())
    }

    /// Writes the initial inputs of reset worlds where they differ from those of the kernels' model.
    pub(super) fn start_own(&mut self, worlds: Option<&[u32]>) -> Result<()> {
        if self.own.is_empty() {
            return Ok(());
        }
        let all: Vec<u32>;
        let list = match worlds {
            Some(list) => list,
            None => {
                all = (0..self.own.len() as u32).collect();
                &all
            }
        };
        let base = Data::new(self.gpu.model());
        let starts: Vec<Data> = list
            .iter()
            .map(|&w| Data::new(&self.own[w as usize]))
            .collect();
        // and the trees that sleep from the start
        for name in INPUTS.iter().chain(&["tree_asleep", "latent"]) {
            let start = base.field(name);
            if starts.iter().any(|d| d.field(name) != start) {
                let rows = starts.iter().map(|d| d.field(name));
                self.gpu.write_worlds(name, list, &rows_of(rows))?;
            }
        }
        Ok(())
    }
}

// the largest value of a size in any world
fn most<'a>(models: impl Iterator<Item = &'a Model>, size: &str) -> Option<usize> {
    models.filter_map(|m| m.size(size)).max()
}

/// Writes the fields that differ into the worlds of a device.
pub(super) fn write_own(models: &[Arc<Model>], gpu: &mut Gpu) -> Result<()> {
    if models.is_empty() {
        return Ok(());
    }
    for name in gpu.config().varies.clone() {
        if Opt::real(&name).is_some() {
            let models = models.iter().map(Arc::as_ref);
            gpu.write_option(&name, None, &options_of(models, &name))?;
            continue;
        }
        let rows = models.iter().map(|m| m.field(&name));
        gpu.write(&name, &rows_of(rows))?;
    }
    Ok(())
}

// writes the changed fields of the changed worlds
fn write_news(models: &[Arc<Model>], news: &[News], gpu: &mut Gpu) -> Result<()> {
    for name in gpu.config().varies.clone() {
        let Some(field) = field(&name) else {
            let new = news.iter().filter(|new| new.changed.options);
            let worlds: Vec<u32> = new.map(|new| new.world as u32).collect();
            let models = worlds.iter().map(|w| &*models[*w as usize]);
            let values = options_of(models, &name);
            if !worlds.is_empty() {
                gpu.write_option(&name, Some(&worlds), &values)?;
            }
            continue;
        };
        let new = news.iter().filter(|new| new.changed.rows.has(field.row));
        let worlds: Vec<u32> = new.map(|new| new.world as u32).collect();
        if !worlds.is_empty() {
            let rows = worlds.iter().map(|w| models[*w as usize].view(field.row));
            gpu.write_worlds(&name, &worlds, &rows_of(rows))?;
        }
    }
    Ok(())
}

// an option of several worlds, one after the other
fn options_of<'a>(models: impl Iterator<Item = &'a Model>, name: &str) -> Vec<f32> {
    let values = models.flat_map(|m| m.opt.get(name).unwrap_or_default());
    values.map(|x| x as f32).collect()
}

// an array of several worlds, one after the other
fn rows_of<'a>(rows: impl Iterator<Item = Option<View<'a>>>) -> Values {
    let (mut reals, mut ints) = (Vec::new(), Vec::new());
    for row in rows.flatten() {
        match row {
            View::Real(x) => reals.extend(x.iter().map(|&x| x as f32)),
            View::Int(x) => ints.extend_from_slice(x),
        }
    }
    match ints.is_empty() {
        true => Values::Real(reals),
        false => Values::Int(ints),
    }
}
