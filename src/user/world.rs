//! One world, as passed to a user callback.

use crate::batch::field;
use crate::error::{Error, Result};
use crate::fields::{self, Data, Field, Model, Room, Row, View, ViewMut};
use crate::real::Real;
use crate::simd::{is_of_slots, is_order_of_islands, read_islands, read_slots};
use std::cell::Cell;
use std::fmt;

thread_local! {
    // index of the first world of the tile that this thread computes
    static FIRST: Cell<usize> = const { Cell::new(0) };
}

/// Computes a tile whose first world has index `first`. A callback may compute other worlds on this thread, or tiles of
/// these worlds: afterwards the outer tile's index is restored.
pub(crate) fn at_tile<T>(first: usize, compute: impl FnOnce() -> T) -> T {
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            FIRST.set(self.0);
        }
    }
    let _back = Back(FIRST.replace(first));
    compute()
}

/// Index in the batch of the world in a lane of the tile that this thread computes.
pub(super) fn number(lane: usize) -> usize {
    FIRST.get() + lane
}

/// One world in the middle of a step, in `f64` on every backend. Results of the stages so far are present; all others are of the previous
/// step.
#[derive(Clone, Copy)]
pub struct World<'a> {
    model: &'a Model,
    tile: &'a dyn Tile,
    lane: usize,
    number: usize,
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("World");
        out.field("number", &self.number);
        out.field("time", &self.time());
        out.field("qpos", &self.qpos());
        out.field("qvel", &self.qvel()).finish_non_exhaustive()
    }
}

impl<'a> World<'a> {
    /// The world in one lane.
    pub(super) fn new<R: Real>(model: &'a Model, d: &'a Data<R>, lane: usize) -> Self {
        Self {
            model,
            tile: d,
            lane,
            number: number(lane),
        }
    }

    /// The model: sizes, addresses, names, options. Numbers stored per world (`Batch::expand`) are read by [`World::reals`].
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Its index in the batch, for identification; spare worlds of the last tile have indices behind those of the batch. A callback's results
    /// should not depend on it: perturbed worlds of derivatives have other indices.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Time (s).
    pub fn time(&self) -> f64 {
        self.tile.time(self.lane)
    }

    /// Positions, `nq`: m and rad, quaternions w x y z.
    pub fn qpos(&self) -> Vec<f64> {
        self.tile.state(Row::qpos, self.lane)
    }

    /// Velocities, `nv`: m/s and rad/s.
    pub fn qvel(&self) -> Vec<f64> {
        self.tile.state(Row::qvel, self.lane)
    }

    /// Activations of actuators, `na`.
    pub fn act(&self) -> Vec<f64> {
        self.tile.state(Row::act, self.lane)
    }

    /// Controls, `nu`.
    pub fn ctrl(&self) -> Vec<f64> {
        self.tile.state(Row::ctrl, self.lane)
    }

    /// A real array by its name, flat and row-major: of the world, as by [`crate::Batch::reals`], or of the model with this
    /// world's values (`"xpos"`, `"sensordata"`, `"body_mass"`).
    ///
    /// # Errors
    /// [`Error::Input`] on a name that is no array, or one of an integer array.
    pub fn reals(&self, name: &str) -> Result<Vec<f64>> {
        match self.read(name)? {
            Values::Reals(x) => Ok(x),
            Values::Ints(_) => Err(Error::Input(format!(
                "{name} holds integers: read it with ints"
            ))),
        }
    }

    /// An integer array by its name. Like [`World::reals`].
    ///
    /// # Errors
    /// [`Error::Input`] on a name that is no array, or one of a real array.
    pub fn ints(&self, name: &str) -> Result<Vec<i32>> {
        match self.read(name)? {
            Values::Ints(x) => Ok(x),
            Values::Reals(_) => Err(Error::Input(format!(
                "{name} holds reals: read it with reals"
            ))),
        }
    }

    fn read(&self, name: &str) -> Result<Values> {
        let field = match fields::field(name) {
            Some(field) if field.room == Room::Model => field,
            _ => field(name)?,
        };
        Ok(self.tile.values(self.model, field, self.lane))
    }
}

/// Values of an array.
enum Values {
    Reals(Vec<f64>),
    Ints(Vec<i32>),
}

/// A tile of worlds, with one lane or several.
trait Tile {
    fn time(&self, lane: usize) -> f64;
    fn state(&self, row: Row, lane: usize) -> Vec<f64>;
    fn values(&self, m: &Model, field: &Field, lane: usize) -> Values;
}

impl<R: Real> Tile for Data<R> {
    fn time(&self, lane: usize) -> f64 {
        self.time[0].lane(lane)
    }

    fn state(&self, row: Row, lane: usize) -> Vec<f64> {
        match self.view(row) {
            Some(View::Real(x)) => x.iter().map(|x| x.lane(lane)).collect(),
            _ => Vec::new(),
        }
    }

    fn values(&self, m: &Model, field: &Field, lane: usize) -> Values {
        if field.room == Room::Model {
            return of_model(m, self, field, lane);
        }
        if is_of_slots(field) || R::WIDTH > 1 && is_order_of_islands(field) {
            return sorted_out(m, self, field, lane);
        }
        match self.view(field.row) {
            Some(View::Int(x)) => Values::Ints(of_lane::<R>(x, lane)),
            _ => Values::Reals(self.state(field.row, lane)),
        }
    }
}

fn of_lane<R: Real>(x: &[i32], lane: usize) -> Vec<i32> {
    x.iter().skip(lane).step_by(R::WIDTH).copied().collect()
}

// the world's own values of a model field, else the shared ones
fn of_model<R: Real>(m: &Model, d: &Data<R>, field: &Field, lane: usize) -> Values {
    match d.own.arrays().and_then(|own| own.view(field.row)) {
        Some(View::Real(x)) if !x.is_empty() => {
            Values::Reals(x.iter().map(|x| x.lane(lane)).collect())
        }
        _ => match m.view(field.row) {
            Some(View::Int(x)) => Values::Ints(x.to_vec()),
            Some(View::Real(x)) => Values::Reals(x.to_vec()),
            None => Values::Reals(Vec::new()),
        },
    }
}

// contacts, rows and islands in the world's own order
fn sorted_out<R: Real>(m: &Model, d: &Data<R>, field: &Field, lane: usize) -> Values {
    let (mut reals, mut ints) = (Vec::new(), Vec::new());
    match R::WIDTH > 1 && is_order_of_islands(field) {
        true => read_islands(m, d, lane, field, &mut ints),
        false => read_slots(m, d, lane, field, &mut reals, &mut ints),
    }
    match d.view(field.row) {
        Some(View::Int(_)) => Values::Ints(ints),
        _ => Values::Reals(reals),
    }
}

/// The values of a real array in one lane.
pub(super) fn row<R: Real>(d: &Data<R>, row: Row, lane: usize) -> Vec<f64> {
    d.state(row, lane)
}

/// Sets the values of a real array in one lane.
pub(super) fn put<R: Real>(d: &mut Data<R>, row: Row, lane: usize, values: &[f64]) {
    if let Some(ViewMut::Real(to)) = d.view_mut(row) {
        to.iter_mut()
            .zip(values)
            .for_each(|(to, x)| to.set_lane(lane, *x));
    }
}
