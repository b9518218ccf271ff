//! A tile of worlds: copies between its lanes and the rows of the caller, and the saved copy of its state.
//!
//! ```text
//! qpos of a tile   [ q0: w0 w1 … w15 ][ q1: w0 w1 … w15 ] …      word by word, all lanes of each
//! rows             [ w0: q0 q1 … ][ w1: q0 q1 … ] …              world by world
//! ```

use crate::batch::slices::{Columns, Number};
use crate::batch::state::kept;
use crate::fields::{Data, FIELDS, Field, Model, Room, Row, View, ViewMut};
use crate::real::{Mask, Real};
use crate::simd;

/// Inputs that nothing depends on while a tree sleeps, or that wake it.
const WATCHED: [Row; 6] = [
    Row::ctrl,
    Row::qpos,
    Row::qvel,
    Row::qfrc_applied,
    Row::xfrc_applied,
    Row::time,
];

/// Some worlds of a batch, one in each lane.
#[derive(Clone)]
pub(super) struct Tile<R: Real> {
    pub d: Data<R>,
    /// Slots that the worlds had taken after the last pass.
    pub slots: simd::Taken,
    // the state when it was last saved: how each array was saved, and the copied arrays
    how: Vec<Kept>,
    reals: Vec<R>,
    ints: Vec<i32>,
}

/// How an array of the state is saved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Copied,
    // all its bits were zero
    Zero,
    // each pass sets it anew
    Given,
}

impl<R: Real> Tile<R> {
    pub fn new(d: Data<R>) -> Self {
        Self {
            d,
            slots: simd::Taken::default(),
            how: Vec::new(),
            reals: Vec::new(),
            ints: Vec::new(),
        }
    }

    /// The same worlds in a number type of the same layout.
    pub fn retyped<S: Real>(self) -> Tile<S> {
        Tile {
            d: self.d.retyped(),
            slots: self.slots,
            how: self.how,
            reals: bytemuck::cast_vec(self.reals),
            ints: self.ints,
        }
    }

    /// Initial data for the worlds of this tile.
    pub fn anew(&self, m: &Model) -> Data<R> {
        let mut d = Data {
            own: self.d.own.clone(),
            ..Data::default()
        };
        d.reset(m);
        d
    }

    /// Saves the state, except for the given fields; allocates the first time.
    pub fn keep(&mut self, given: &[&'static Field]) {
        if self.how.is_empty() {
            self.have_room();
        }
        self.how.clear();
        self.reals.clear();
        self.ints.clear();
        for field in kept() {
            let Some(view) = self.d.view(field.row) else {
                continue;
            };
            let is_given = given.iter().any(|given| given.row == field.row);
            let how = match is_given {
                true => Kept::Given,
                false if is_zero(view) => Kept::Zero,
                false => Kept::Copied,
            };
            self.how.push(how);
            match view {
                _ if how != Kept::Copied => {}
                View::Real(x) => self.reals.extend_from_slice(x),
                View::Int(x) => self.ints.extend_from_slice(x),
            }
        }
    }

    // reserves memory for the whole state, however little of it is copied at first
    fn have_room(&mut self) {
        let (mut reals, mut ints) = (0, 0);
        for view in kept().iter().filter_map(|field| self.d.view(field.row)) {
            match view {
                View::Real(x) => reals += x.len(),
                View::Int(x) => ints += x.len(),
            }
        }
        self.reals.reserve_exact(reals);
        self.ints.reserve_exact(ints);
        self.how.reserve_exact(kept().len());
    }

    /// Restores the saved state.
    pub fn put_back(&mut self) {
        self.d.still.forget();
        let (mut reals, mut ints) = (self.reals.as_slice(), self.ints.as_slice());
        for (field, how) in kept().iter().zip(&self.how) {
            match (how, self.d.view_mut(field.row)) {
                (Kept::Given, _) | (_, None) => {}
                (Kept::Zero, Some(ViewMut::Real(to))) => to.fill(R::zero()),
                (Kept::Zero, Some(ViewMut::Int(to))) => to.fill(0),
                (Kept::Copied, Some(ViewMut::Real(to))) => {
                    to.copy_from_slice(taken(&mut reals, to.len()))
                }
                (Kept::Copied, Some(ViewMut::Int(to))) => {
                    to.copy_from_slice(taken(&mut ints, to.len()))
                }
            }
        }
    }

    /// Sets a field of some lanes, each from its row.
    pub fn set<'a, T: Number + 'a>(
        &mut self,
        field: &Field,
        rows: impl IntoIterator<Item = (usize, &'a [T])>,
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_some() && !WATCHED.contains(&field.row) {
            self.d.still.forget();
        }
        match self.d.view_mut(field.row) {
            Some(ViewMut::Real(x)) => rows.for_each(|(lane, row)| {
                let words = x.iter_mut().zip(row);
                words.for_each(|(to, x)| to.set_lane(lane, x.real()));
            }),
            Some(ViewMut::Int(x)) => rows.for_each(|(lane, row)| {
                let words = x.iter_mut().skip(lane).step_by(R::WIDTH).zip(row);
                words.for_each(|(to, x)| *to = x.int());
            }),
            None => {}
        }
    }

    /// Fills the columns of a field in `rows`, which has a row for each of the first lanes, where a lane is chosen.
    pub fn give<T: Number>(
        &self,
        m: &Model,
        field: &Field,
        at: Columns,
        rows: &mut [T],
        chosen: impl Fn(usize) -> bool,
    ) {
        let rows = rows.chunks_exact_mut(at.of).enumerate();
        let rows = rows.filter(|(lane, _)| chosen(*lane));
        let rows = rows.map(|(lane, row)| (lane, &mut row[at.first..]));
        if is_sorted_out(field, R::WIDTH) {
            return rows.for_each(|(lane, row)| give_sorted(m, &self.d, lane, field, row));
        }
        match self.d.view(field.row) {
            Some(View::Real(x)) => rows.for_each(|(lane, row)| {
                let words = row.iter_mut().zip(x);
                words.for_each(|(to, x)| *to = T::of_real(x.lane(lane)));
            }),
            Some(View::Int(x)) => rows.for_each(|(lane, row)| {
                let words = row.iter_mut().zip(x.iter().skip(lane).step_by(R::WIDTH));
                words.for_each(|(to, &x)| *to = T::of_int(x));
            }),
            None => {}
        }
    }

    /// A field of one lane, in full precision.
    pub fn row(&self, m: &Model, field: &Field, lane: usize) -> Vec<f64> {
        let words = field.words(m);
        let mut rows = vec![0.0; (lane + 1) * words];
        if words > 0 {
            let at = Columns::all(words);
            self.give(m, field, at, &mut rows, |given| given == lane);
        }
        rows.split_off(lane * words)
    }

    /// The `overflow` bits of the first lanes, or-ed.
    pub fn overflow(&self, lanes: usize) -> i32 {
        let bits: &[i32] = bytemuck::cast_slice(&self.d.overflow);
        bits[..lanes].iter().fold(0, |all, bits| all | bits)
    }

    /// Copies the worlds of some lanes from another tile, except for the slots of contacts and rows: a new world has none, and no
    /// stage reads a slot before it is written.
    pub fn renew(&mut self, from: &Data<R>, who: impl Iterator<Item = usize>) {
        let mut chosen = R::zero();
        who.for_each(|lane| chosen.set_lane(lane, 1.0));
        let chosen = R::zero().lt(chosen);
        if !chosen.any() {
            return;
        }
        self.d.still.forget();
        simd::copy_lanes(&mut self.d, from, chosen, lasting());
    }
}

// fields that persist between steps whether or not a world has contacts
fn lasting() -> impl Iterator<Item = &'static Field> {
    FIELDS
        .iter()
        .filter(|field| field.room != Room::Model && !simd::is_of_slots(field))
}

// whether all bits are zero, as in forces that nobody applies and flags that nobody set
fn is_zero<R: Real>(view: View<'_, R>) -> bool {
    let words: &[u32] = match view {
        View::Real(x) => bytemuck::cast_slice(x),
        View::Int(x) => bytemuck::cast_slice(x),
    };
    words.iter().fold(0, |all, word| all | word) == 0
}

// splits the next `n` numbers off a slice
fn taken<'a, T>(from: &mut &'a [T], n: usize) -> &'a [T] {
    let (head, rest) = from.split_at(n);
    *from = rest;
    head
}

// contacts, rows and islands are stored in another order in a tile than in a world
fn is_sorted_out(field: &Field, width: usize) -> bool {
    simd::is_of_slots(field) || width > 1 && simd::is_order_of_islands(field)
}

fn give_sorted<R: Real, T: Number>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    field: &Field,
    row: &mut [T],
) {
    let (mut reals, mut ints) = (Vec::new(), Vec::new());
    match R::WIDTH > 1 && simd::is_order_of_islands(field) {
        true => simd::read_islands(m, d, lane, field, &mut ints),
        false => simd::read_slots(m, d, lane, field, &mut reals, &mut ints),
    }
    row.iter_mut()
        .zip(&reals)
        .for_each(|(to, &x)| *to = T::of_real(x));
    row.iter_mut()
        .zip(&ints)
        .for_each(|(to, &x)| *to = T::of_int(x));
}

#[cfg(test)]
#[path = "tile_test.rs"]
mod tests;
