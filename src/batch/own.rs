//! Worlds that differ: fields of the model that each world has for itself.
//!
//! ```text
//! expand(["body_mass"])      shared model ─▶ one row of body_mass a world, all alike
//! set("body_mass", …)        rows change; the worlds that they are of are stale
//! set_const()                stale world:  shared model + its rows ─▶ Model::edit ─▶ its own model
//! step                       every world with its own model; a stale one is an error
//! ```

use std::sync::Arc;

use rayon::prelude::*;

use super::{Backend, Batch, Mask, memory};
use crate::compile::{STRUCTURAL, missing};
use crate::error::{Error, Result};
use crate::fields::{Arrays, Elem, FIELDS, Field, Model, Role, Room, SIZES, View, ViewMut};
use crate::mjcf::nearest::nearest;
use crate::model::Opt;

/// Fields of the model that no stage looks at, and their likes in the options.
const IDLE: &[&str] = &[
    "key_time",
    "key_qpos",
    "key_qvel",
    "key_act",
    "key_mpos",
    "key_mquat",
    "key_ctrl",
    "key_plastic",
    "numeric_data",
    "sensor_noise",
    "site_rgba",
    "tendon_rgba",
    "tendon_width",
];

/// Sizes that only count what is not zero, and of which fields: a stage is left out where there is none, and no array hangs on them.
pub(super) const COUNTS: &[(&str, &[&str])] = &[
    ("ngravcomp", &["body_gravcomp"]),
    ("nsurfacevel", &["geom_surfacevel"]),
    ("nadhesion", &["geom_adhesion", "pair_adhesion"]),
];

/// What the worlds of a batch have for themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    rows: Vec<Rows>,
    /// The model of each world.
    pub models: Vec<Arc<Model>>,
    // worlds whose model is older than their rows, and how much of it
    stale: Vec<Stale>,
    auto: bool,
}

/// One field of every world.
#[derive(Clone, Debug)]
struct Rows {
    name: &'static str,
    // numbers of one world
    words: usize,
    // of all worlds, one after the other
    values: Vec<f64>,
}

/// How old the model of a world is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stale {
    #[default]
    No,
    // nothing is derived of the rows that changed
    Plain,
    Derived,
}

impl Rows {
    fn row(&self, world: usize) -> &[f64] {
        &self.values[world * self.words..][..self.words]
    }

    fn is_option(&self) -> bool {
        option(self.name).is_some()
    }
}

impl Own {
    fn rows(&self, name: &str) -> Option<&Rows> {
        self.rows.iter().find(|rows| rows.name == name)
    }

    fn names(&self) -> Vec<&'static str> {
        self.rows.iter().map(|rows| rows.name).collect()
    }

    /// A field that every world has for itself, N × shape.
    pub fn read(&self, name: &str) -> Option<&[f64]> {
        self.rows(name).map(|rows| rows.values.as_slice())
    }

    fn write(&mut self, name: &str, mask: Mask<'_>, values: &[f64]) {
        let Some(rows) = self.rows.iter_mut().find(|rows| rows.name == name) else {
            return;
        };
        let (words, one) = (rows.words, values.len() == rows.words);
        let age = match rows.is_option() {
            true => Stale::Plain,
            false => Stale::Derived,
        };
        for (w, stale) in self.stale.iter_mut().enumerate() {
            if words == 0 || !mask.is_none_or(|mask| mask[w]) {
                continue;
            }
            let row = &values[if one { 0 } else { w * words }..][..words];
            let to = &mut rows.values[w * words..][..words];
            if to != row {
                to.copy_from_slice(row);
                *stale = if *stale == Stale::Derived {
                    *stale
                } else {
                    age
                };
            }
        }
    }

    // the model of one world, all that follows from its rows derived
    fn model(&self, shared: &Model, world: usize) -> Result<Model> {
        let change = |m: &mut Arrays| self.rows.iter().for_each(|rows| put(m, rows, world));
        let structural = |rows: &Rows| STRUCTURAL.contains(&rows.name);
        let mut own = match self.rows.iter().any(structural) {
            true => {
                let mut own = shared.clone();
                own.edit(change)?;
                own
            }
            false => shared.with_numbers(change)?,
        };
        let lacks = missing(&own);
        if !lacks.is_empty() {
            return Err(Error::Missing(lacks));
        }
        own.set_room(shared.nconmax, shared.njmax)?;
        let arrays = FIELDS.iter().filter(|field| field.room != Room::Model);
        let other = |field: &&Field| field.words(&own) != field.words(shared);
        match arrays.clone().find(other) {
            None => Ok(own),
            Some(field) => Err(Error::Input(format!(
                "{} would have another size than in the model that the worlds share",
                field.name
            ))),
        }
    }

    /// Makes the models of the worlds that are chosen anew, in parallel; where one fails, all are as they were.
    pub fn derive(&mut self, shared: &Model, chosen: impl Fn(usize) -> bool + Sync) -> Result<()> {
        let of_world = |w: usize| match self.model(shared, w) {
            Ok(model) => Ok((w, Arc::new(model))),
            Err(Error::Missing(lacks)) => Err(Error::Missing(lacks)),
            Err(e) => Err(Error::Input(format!("world {w}: {e}"))),
        };
        let worlds = (0..self.stale.len()).into_par_iter();
        let made: Vec<Result<(usize, Arc<Model>)>> = worlds
            .filter(|&w| chosen(w) && self.stale[w] != Stale::No)
            .map(of_world)
            .collect();
        // whatever the threads, the first world that fails is told
        let made = made.into_iter().collect::<Result<Vec<_>>>()?;
        for (w, model) in made {
            (self.models[w], self.stale[w]) = (model, Stale::No);
        }
        Ok(())
    }

    // every world has its model anew: the shared one has other room
    fn derive_all(&mut self, shared: &Model) -> Result<()> {
        self.stale.fill(Stale::Derived);
        self.derive(shared, |_| true)
    }
}

// writes a world's row into the model's field
fn put(m: &mut Arrays, rows: &Rows, world: usize) {
    let row = rows.row(world);
    if rows.is_option() {
        m.opt.set(rows.name, row);
    } else if let Some(ViewMut::Real(to)) = m.field_mut(rows.name) {
        to.copy_from_slice(row);
    }
}

/// Whether a field is one of the model: an array or an option.
pub(super) fn is_of_model(name: &str) -> bool {
    let mut arrays = FIELDS.iter().filter(|field| field.room == Room::Model);
    option(name).is_some() || arrays.any(|field| field.name == name)
}

// an option that holds reals, by its name
fn option(name: &str) -> Option<&'static str> {
    let reals = Opt::NAMES
        .iter()
        .zip(Opt::TYPES)
        .filter(|(_, t)| **t != "i32");
    let mut names = reals.map(|((name, _), _)| *name);
    names.find(|real| *real == name)
}

// a field that may differ from world to world, or why it may not
fn varying(name: &str) -> Result<&'static str> {
    let refused = |why: String| Err(Error::Input(format!("{name} cannot differ: {why}")));
    if IDLE.contains(&name) {
        return refused("no stage looks at it".to_owned());
    }
    if let Some(name) = option(name) {
        return Ok(name);
    }
    if Opt::NAMES.iter().any(|(option, _)| *option == name) {
        return refused("it decides what is computed, for all worlds at once".to_owned());
    }
    if SIZES.iter().any(|(size, _)| *size == name) {
        return refused("it is a size, and all worlds have those of one model".to_owned());
    }
    let mut arrays = FIELDS.iter().filter(|field| field.room == Room::Model);
    let Some(field) = arrays.clone().find(|field| field.name == name) else {
        if FIELDS.iter().any(|field| field.name == name) {
            return refused("every world has its own already".to_owned());
        }
        let options = Opt::NAMES.iter().map(|(name, _)| *name);
        let hint = match nearest(name, arrays.by_ref().map(|field| field.name).chain(options)) {
            Some(near) => format!("; did you mean {near}?"),
            None => String::new(),
        };
        return refused(format!("no field of the model has this name{hint}"));
    };
    match (field.role, field.elem) {
        (Role::Derived, _) => refused(
            "it follows from other fields: expand those, and Batch::set_const derives it"
                .to_owned(),
        ),
        (Role::Fixed, _) => refused("what is compiled hangs on it".to_owned()),
        (_, Elem::Int) => refused(
            "types, masks and flags decide what is computed, for all worlds at once".to_owned(),
        ),
        _ => Ok(field.name),
    }
}

impl Batch {
    /// Lets fields of the model differ from world to world (domain randomisation). On [`super::Backend::Gpu`] options are the same for all
    /// worlds, on [`super::Backend::Simd`] the option `ccd_tolerance` is.
    ///
    /// Every world begins with the model's numbers; [`Batch::set`] and [`Batch::set_where`] change them, [`Batch::read`] and
    /// [`Batch::reals`] give them back, N × shape. Fields are the arrays of reals that [`Model::edit`] takes, in the model's
    /// units, and the options of reals (`gravity`, `wind`, `density`, `viscosity`, `timestep` …). [`Batch::save`] and
    /// [`Batch::copy`] are of the state alone: what a world has of the model stays with it. Every world then has a model of its
    /// own in memory.
    ///
    /// ```
    /// use manyworlds::{Batch, Model};
    ///
    /// # fn main() -> manyworlds::Result<()> {
    /// let model = Model::from_xml_path("models/cartpole.xml")?;
    /// let mut batch = Batch::new(&model, 2)?;
    /// batch.expand(&["body_mass", "body_inertia"])?;
    /// let heavier: Vec<f64> = model.body_mass.iter().map(|x| 1.5 * x).collect();
    /// batch.set_where("body_mass", &[false, true], &heavier)?;
    /// batch.set_const()?; // what follows from the masses
    /// batch.step(10)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`Error::Input`] on a name that cannot differ, and says why; with [`Error::Size`] where memory does not hold a model for every world. Then nothing has happened.
    pub fn expand(&mut self, names: &[&str]) -> Result<()> {
        let mut own = self.own.take().unwrap_or_default();
        let kept = own.clone();
        let done = self.expand_into(&mut own, names);
        let is_new = kept.models.is_empty();
        self.own = match &done {
            Ok(()) => Some(own),
            Err(_) => (!is_new).then_some(kept),
        };
        done
    }

    fn expand_into(&mut self, own: &mut Own, names: &[&str]) -> Result<()> {
        for name in names {
            let name = varying(name)?;
            if option(name).is_some() && self.backend() == Backend::Gpu {
                return Err(Error::Input(format!(
                    "{name} cannot differ on a device: options are constants of the kernels; Backend::Cpu lets it differ"
                )));
            }
            if own.rows(name).is_some() {
                continue;
            }
            let row = match (self.model.opt.get(name), self.model.field(name)) {
                (Some(row), _) => row,
                (None, Some(View::Real(row))) => row.to_vec(),
                _ => Vec::new(),
            };
            own.rows.push(Rows {
                name,
                words: row.len(),
                values: row.repeat(self.nworld),
            });
        }
        if own.models.is_empty() {
            let now = self.memory();
            let all = now.with_models(self.nworld);
            all.check(self.nworld, memory::available().saturating_add(now.total))?;
            let shared = Arc::new(self.model.clone());
            own.models = (0..self.nworld).map(|_| shared.clone()).collect();
            own.stale = vec![Stale::No; self.nworld];
        }
        self.worlds.differ(&self.model, &own.models, &own.names())
    }

    /// Derives what follows from the fields that were set in every world ([`Batch::expand`]): masses of subtrees, inverse
    /// weights, lengths at rest, parameters of contacts, bounds, all that [`Model::edit`] derives. Worlds whose fields did not
    /// change stay as they are; the others are done in parallel.
    ///
    /// Fails with [`Error::Input`] where a number is out of its range or changes the size of a world's arrays, and names the
    /// world; with [`Error::Missing`] where a number asks for what no stage computes. Then nothing has happened.
    pub fn set_const(&mut self) -> Result<()> {
        self.derive_own(None)
    }

    /// The same in the worlds whose mask is true. Fails like [`Batch::set_const`], also on a mask of another length than N.
    pub fn set_const_where(&mut self, mask: &[bool]) -> Result<()> {
        self.check_mask(mask)?;
        self.derive_own(Some(mask))
    }

    /// Whether [`Batch::set_const`] is called by itself where a call needs it; if not, which is how a batch begins, a world whose
    /// fields were set and not derived is an error of the next step. Options need no call: nothing is derived of them.
    pub fn auto_const(&mut self, on: bool) {
        if let Some(own) = &mut self.own {
            own.auto = on;
        }
    }

    fn derive_own(&mut self, mask: Mask<'_>) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        own.derive(&self.model, |w| mask.is_none_or(|mask| mask[w]))?;
        let taken = self.worlds.differ(&self.model, &own.models, &own.names());
        if taken.is_err() {
            // the worlds have not become what their rows say
            own.stale.fill(Stale::Derived);
        }
        taken
    }

    /// Sees to it that every world's model is up to date.
    pub(super) fn settle_own(&mut self) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        let needed = |stale: &Stale| *stale == Stale::Derived && !own.auto;
        let num = own.stale.iter().filter(|stale| needed(stale)).count();
        if let Some(w) = own.stale.iter().position(needed) {
            let names = own.names();
            return Err(Error::Input(format!(
                "what follows from fields that were set ({}) is not derived in {num} worlds, world {w} first: call set_const, or \
                 auto_const(true)",
                names.join(" ")
            )));
        }
        match own.stale.iter().all(|stale| *stale == Stale::No) {
            true => Ok(()),
            false => self.derive_own(None),
        }
    }

    /// The worlds were made anew, with other room.
    pub(super) fn reopen_own(&mut self) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        own.derive_all(&self.model)?;
        self.worlds.differ(&self.model, &own.models, &own.names())
    }

    /// Sets a field that worlds have for themselves; false if it is none.
    pub(super) fn set_own(&mut self, name: &str, mask: Mask<'_>, values: &[f64]) -> Result<bool> {
        let rows = self.own.as_ref().and_then(|own| own.rows(name));
        let Some(words) = rows.map(|rows| rows.words) else {
            return Ok(false);
        };
        self.check_rows(name, words, values.len())?;
        if let Some(own) = &mut self.own {
            own.write(name, mask, values);
        }
        Ok(true)
    }
}

#[cfg(test)]
#[path = "own_test.rs"]
mod tests;
