//! Worlds with different models: fields of the model that each world has for itself.
//!
//! ```text
//! expand(["body_mass"])      shared model ─▶ one row of body_mass a world, all alike
//! set("body_mass", …)        rows change; their worlds become stale, in those fields
//! set_const()                stale world:  its own model ◀─ changed rows ─▶ fields derived from them (Renumbered), several worlds side by side
//!                            or, where a field decides which constraint rows exist:  shared model + its rows ─▶ Model::edit
//!                            backend ◀─ changed fields (News);  if one world is refused, all models are restored
//! step                       every world with its own model; a stale one is an error
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Batch, Mask, Worlds, memory};
use crate::compile::{Changed, Kept, Renumbered, STRUCTURAL, WIDTH, Work, missing, same_sizes};
use crate::error::{Error, Result};
use crate::fields::{Arrays, Elem, FIELDS, Model, Role, Room, Row, SIZES, View, ViewMut, field};
use crate::mjcf::nearest::nearest;
use crate::model::Opt;
use crate::rowset::RowSet;

/// Fields of the model that no stage reads.
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

/// The models of the worlds. A caller that changes them must own the list alone ([`super::Worlds::let_go`]), so that they change in place.
pub(crate) type Models = Arc<Vec<Arc<Model>>>;

/// Per-world fields and models of a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    rows: Vec<Rows>,
    /// The model of each world.
    pub models: Models,
    // for each world, the fields set since its model was last derived
    stale: Vec<Changed>,
    // some world may be stale
    touched: bool,
    auto: bool,
    works: Works,
}

/// One field of every world.
#[derive(Clone, Debug)]
struct Rows {
    name: &'static str,
    // none for an option
    row: Option<Row>,
    // numbers of one world
    words: usize,
    // rows of all worlds, one after the other
    values: Vec<f64>,
}

impl Rows {
    fn of_world(&self, world: usize) -> &[f64] {
        &self.values[world * self.words..][..self.words]
    }

    // whether this field is among the changed ones
    fn is_in(&self, changed: &Changed) -> bool {
        self.row
            .map_or(changed.options, |row| changed.rows.has(row))
    }

    fn mark(&self, changed: &mut Changed) {
        match self.row {
            Some(row) => changed.rows.insert(row),
            None => changed.options = true,
        }
    }

    // writes a world's numbers into its model
    fn put(&self, m: &mut Arrays, world: usize) {
        let numbers = self.of_world(world);
        match self.row.map(|row| m.view_mut(row)) {
            None => {
                m.opt.set(self.name, numbers);
            }
            Some(Some(ViewMut::Real(to))) => to.copy_from_slice(numbers),
            Some(_) => {}
        }
    }
}

/// Changes of a world's model.
#[derive(Debug)]
pub(crate) struct News {
    pub world: usize,
    pub changed: Changed,
    was: Was,
}

/// The previous numbers or model of a world.
#[derive(Debug)]
enum Was {
    Numbers(Box<Kept>),
    Whole(Arc<Model>),
}

impl News {
    fn take_back(self, models: &mut [Arc<Model>]) {
        let model = &mut models[self.world];
        match self.was {
            Was::Numbers(kept) => kept.put_back(Arc::make_mut(model)),
            Was::Whole(was) => *model = was,
        }
    }
}

// a world's model while it is being derived
enum Begun<'a> {
    Numbers(Box<Renumbered<'a>>),
    Whole(News),
}

// gives the worlds their models, in code that reads values of their own
fn give(worlds: &mut Box<dyn Worlds>, shared: &Model, own: &Own, news: &[News]) -> Result<()> {
    if let Some(apart) = worlds.apart(shared) {
        *worlds = apart;
    }
    worlds.differ(shared, &own.models, &own.names(), news)
}

fn of_world(world: usize, e: Error) -> Error {
    match e {
        Error::Missing(lacks) => Error::Missing(lacks),
        e => Error::Input(format!("world {world}: {e}")),
    }
}

/// Scratch data for deriving, one per thread, kept from call to call.
#[derive(Debug, Default)]
struct Works(Mutex<Vec<Work>>);

impl Works {
    fn list(&self) -> MutexGuard<'_, Vec<Work>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Work {
        self.list().pop().unwrap_or_default()
    }

    fn keep(&self, work: Work) {
        self.list().push(work);
    }
}

// a clone needs no scratch data: it holds nothing that lasts
impl Clone for Works {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Arrays of reals that decide which constraint rows exist.
static STRUCTURE: RowSet = RowSet::of(STRUCTURAL);

impl Own {
    fn rows(&self, name: &str) -> Option<&Rows> {
        self.rows.iter().find(|rows| rows.name == name)
    }

    fn names(&self) -> Vec<&'static str> {
        self.rows.iter().map(|rows| rows.name).collect()
    }

    /// A field stored per world, N × shape.
    pub fn read(&self, name: &str) -> Option<&[f64]> {
        self.rows(name).map(|rows| rows.values.as_slice())
    }

    fn write(&mut self, name: &str, mask: Mask<'_>, values: &[f64]) {
        let Some(rows) = self.rows.iter_mut().find(|rows| rows.name == name) else {
            return;
        };
        let (words, one) = (rows.words, values.len() == rows.words);
        for (w, stale) in self.stale.iter_mut().enumerate() {
            if words == 0 || !mask.is_none_or(|mask| mask[w]) {
                continue;
            }
            let row = &values[if one { 0 } else { w * words }..][..words];
            if rows.of_world(w) != row {
                rows.values[w * words..][..words].copy_from_slice(row);
                rows.mark(stale);
                self.touched = true;
            }
        }
    }

    // derives the models of changed worlds from their rows
    fn renew(
        &self,
        shared: &Model,
        worlds: &mut [(usize, &mut Arc<Model>)],
        work: &mut Work,
    ) -> Vec<Result<News>> {
        let begun = worlds.iter_mut();
        let begun = begun.map(|(w, model)| self.begin(shared, *w, model));
        let mut begun: Vec<_> = begun.collect();
        let numbers = begun.iter_mut().filter_map(|begun| match begun {
            Ok((_, Begun::Numbers(model))) => Some(&mut **model),
            _ => None,
        });
        Renumbered::at_qpos0(numbers, shared, work);
        let done = |(world, begun)| match begun {
            Begun::Whole(news) => Ok(news),
            Begun::Numbers(model) => {
                let (changed, kept) = model.done(shared).map_err(|e| of_world(world, e))?;
                Ok(News {
                    world,
                    changed,
                    was: Was::Numbers(Box::new(kept)),
                })
            }
        };
        begun
            .into_iter()
            .map(|begun| begun.and_then(done))
            .collect()
    }

    fn begin<'a>(
        &self,
        shared: &Model,
        world: usize,
        model: &'a mut Arc<Model>,
    ) -> Result<(usize, Begun<'a>)> {
        let stale = &self.stale[world];
        if stale.rows.meets(&STRUCTURE) {
            let whole = self.whole(shared, world).map_err(|e| of_world(world, e))?;
            let all = FIELDS.iter().filter(|field| field.room == Room::Model);
            let news = News {
                world,
                changed: Changed {
                    rows: all.map(|field| field.row).collect(),
                    options: true,
                },
                was: Was::Whole(std::mem::replace(model, Arc::new(whole))),
            };
            return Ok((world, Begun::Whole(news)));
        }
        let write = |m: &mut Arrays| {
            let rows = self.rows.iter().filter(|rows| rows.is_in(stale));
            rows.for_each(|rows| rows.put(m, world));
        };
        let own = Arc::make_mut(model);
        let renumbered = Renumbered::new(own, shared, stale, write);
        let renumbered = renumbered.map_err(|e| of_world(world, e))?;
        Ok((world, Begun::Numbers(Box::new(renumbered))))
    }

    // a world's model, compiled from the shared one
    fn whole(&self, shared: &Model, world: usize) -> Result<Model> {
        let mut own = shared.clone();
        own.edit(|m| self.rows.iter().for_each(|rows| rows.put(m, world)))?;
        let lacks = missing(&own);
        if !lacks.is_empty() {
            return Err(Error::Missing(lacks));
        }
        own.set_room(shared.nconmax, shared.njmax)?;
        same_sizes(&own, shared)?;
        Ok(own)
    }

    // derives the models of the chosen stale worlds, on some threads; if one fails, all are restored
    fn derive(
        &mut self,
        shared: &Model,
        nthread: usize,
        chosen: impl Fn(usize) -> bool + Sync,
    ) -> Result<Vec<News>> {
        let mut models = std::mem::take(&mut self.models);
        let list = Arc::make_mut(&mut models);
        let stale = |w: usize| chosen(w) && !self.stale[w].is_nothing();
        let worlds = list.iter_mut().enumerate();
        let mut worlds: Vec<_> = worlds.filter(|(w, _)| stale(*w)).collect();
        let each = worlds.len().div_ceil(nthread).next_multiple_of(WIDTH);
        let renew = |part: &mut [(usize, &mut Arc<Model>)]| {
            let mut work = self.works.take();
            let groups = part.chunks_mut(WIDTH);
            let made: Vec<_> = groups
                .flat_map(|group| self.renew(shared, group, &mut work))
                .collect();
            self.works.keep(work);
            made
        };
        let made: Vec<Result<News>> = match worlds.len() <= each {
            true => renew(&mut worlds),
            false => worlds.par_chunks_mut(each).flat_map_iter(renew).collect(),
        };
        let (news, failed): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
        let mut news: Vec<News> = news.into_iter().flatten().collect();
        // the error of the first failing world is reported, whatever the threads
        let failed = failed.into_iter().find_map(Result::err);
        if failed.is_some() {
            news.drain(..).for_each(|new| new.take_back(list));
        }
        self.models = models;
        failed.map_or(Ok(news), Err)
    }

    // restores the previous models
    fn take_back(&mut self, news: Vec<News>) {
        let models = Arc::make_mut(&mut self.models);
        news.into_iter().for_each(|new| new.take_back(models));
    }

    // marks the worlds of `news` as up to date
    fn settle(&mut self, news: &[News]) {
        for new in news {
            self.stale[new.world] = Changed::default();
        }
        self.touched = self.stale.iter().any(|stale| !stale.is_nothing());
    }

    // every world needs a new model: the shared one has other room
    fn begin_anew(&mut self, shared: &Model) {
        let mut all = Changed::default();
        self.rows.iter().for_each(|rows| rows.mark(&mut all));
        self.stale.fill(all);
        self.works = Works::default();
        self.share(shared, self.stale.len());
    }

    // gives every world the shared model
    fn share(&mut self, shared: &Model, nworld: usize) {
        let of_all = Arc::new(shared.clone());
        self.models = Arc::new(vec![of_all; nworld]);
    }
}

/// Whether a field is one of the model: an array or an option.
pub(super) fn is_of_model(name: &str) -> bool {
    let mut arrays = FIELDS.iter().filter(|field| field.room == Room::Model);
    Opt::real(name).is_some() || arrays.any(|field| field.name == name)
}

// the name of a field that may differ from world to world, or an error that says why it may not
fn varying(name: &str) -> Result<&'static str> {
    let refused = |why: String| Err(Error::Input(format!("{name} cannot differ: {why}")));
    if IDLE.contains(&name) {
        return refused("no stage reads it".to_owned());
    }
    if let Some(name) = Opt::real(name) {
        return Ok(name);
    }
    if Opt::NAMES.iter().any(|(option, _)| *option == name) {
        return refused("it decides what is computed, for all worlds at once".to_owned());
    }
    if SIZES.iter().any(|(size, _)| *size == name) {
        return refused("it is a size, and all worlds have the sizes of one model".to_owned());
    }
    let mut arrays = FIELDS.iter().filter(|field| field.room == Room::Model);
    let Some(field) = arrays.clone().find(|field| field.name == name) else {
        if FIELDS.iter().any(|field| field.name == name) {
            return refused("every world already has its own".to_owned());
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
            "it is derived from other fields: expand those, and Batch::set_const derives it again"
                .to_owned(),
        ),
        (Role::Fixed, _) => refused("compiled fields depend on it".to_owned()),
        (_, Elem::Int) => refused(
            "types, masks and flags decide what is computed, for all worlds at once".to_owned(),
        ),
        _ => Ok(field.name),
    }
}

impl Batch {
    /// Lets fields of the model differ from world to world (domain randomisation). On [`super::Backend::Simd`] the option `ccd_tolerance` is the
    /// same for all worlds.
    ///
    /// Every world begins with the model's numbers; [`Batch::set`] and [`Batch::set_where`] change them, [`Batch::read`] and
    /// [`Batch::reals`] give them back, N × shape. Fields are the arrays of reals that [`Model::edit`] takes, in the model's
    /// units, and the options of reals (`gravity`, `wind`, `density`, `viscosity`, `timestep` …). [`Batch::save`] and
    /// [`Batch::copy`] concern the state alone: the per-world fields of the model stay. Every world then has a model of its
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
    /// batch.set_const()?; // derives the fields that depend on the masses
    /// batch.step(10)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`Error::Input`] on a name that cannot differ, and says why; with [`Error::Size`] where memory cannot hold the models.
    /// After an error nothing has changed.
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
                row: field(name).map(|field| field.row),
                words: row.len(),
                values: row.repeat(self.nworld),
            });
        }
        if own.models.is_empty() {
            let now = self.memory();
            let all = now.with_models(self.nworld);
            all.check(self.nworld, memory::available().saturating_add(now.total))?;
            own.share(&self.model, self.nworld);
            own.stale = vec![Changed::default(); self.nworld];
        }
        give(&mut self.worlds, &self.model, own, &[])
    }

    /// Derives all dependent fields of worlds whose fields were set ([`Batch::expand`]): subtree masses, inverse
    /// weights, rest lengths, contact parameters, bounds, all that [`Model::edit`] derives. Worlds whose fields did not
    /// change stay as they are; the others are done in parallel.
    ///
    /// Fails with [`Error::Input`] where a number is out of its range or changes the size of a world's arrays, and names the
    /// world; with [`Error::Missing`] where a number needs a feature that no stage computes. After an error nothing has changed.
    pub fn set_const(&mut self) -> Result<()> {
        self.derive_own(None)
    }

    /// Like [`Batch::set_const`] in the worlds whose mask is true. Fails like [`Batch::set_const`], also on a mask of another length than N.
    pub fn set_const_where(&mut self, mask: &[bool]) -> Result<()> {
        self.check_mask(mask)?;
        self.derive_own(Some(mask))
    }

    /// Whether the batch calls [`Batch::set_const`] by itself when a call needs it. If not, which is the default, a world whose
    /// fields were set and not derived is an error of the next step. Options need no such call: no field is derived from them.
    pub fn auto_const(&mut self, on: bool) {
        if let Some(own) = &mut self.own {
            own.auto = on;
        }
    }

    fn derive_own(&mut self, mask: Mask<'_>) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        let nthread = self.settings.nthread();
        self.worlds.let_go();
        let made = own.derive(&self.model, nthread, |w| mask.is_none_or(|mask| mask[w]));
        let taken = made.and_then(|news| {
            let given = give(&mut self.worlds, &self.model, own, &news);
            match given {
                Ok(()) => own.settle(&news),
                Err(_) => {
                    self.worlds.let_go();
                    own.take_back(news);
                }
            }
            given
        });
        if taken.is_err() {
            // the models are the previous ones
            give(&mut self.worlds, &self.model, own, &[])?;
        }
        taken
    }

    /// Brings every world's model up to date.
    pub(super) fn settle_own(&mut self) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        if !own.touched {
            return Ok(());
        }
        // no derived field that a caller would wait for depends on options
        let needed = |stale: &Changed| !stale.rows.is_empty() && !own.auto;
        let num = own.stale.iter().filter(|stale| needed(stale)).count();
        if let Some(w) = own.stale.iter().position(needed) {
            let names = own.names();
            return Err(Error::Input(format!(
                "fields of the model were set ({}), and the fields that depend on them are not derived in {num} worlds, the \
                 first is world {w}: call set_const, or auto_const(true)",
                names.join(" ")
            )));
        }
        self.derive_own(None)
    }

    /// Derives the worlds' models again after the worlds were recreated with other room.
    pub(super) fn reopen_own(&mut self) -> Result<()> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        own.begin_anew(&self.model);
        self.derive_own(None)
    }

    /// Sets a field that is stored per world; false if `name` is not such a field.
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
