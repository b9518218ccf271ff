//! Many worlds on the cores: tiles of `R::WIDTH` worlds, one SIMD lane a world, tiles spread over threads.
//!
//! With `R = f64` a tile is one world and this is the reference. A world's result does not depend on its tile, its lane
//! or its neighbours: lanes never mix.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::fields::{Data, Elem, FIELDS, Field, Model, Room, View, ViewMut};
use crate::real::Real;

/// `nworld` worlds of one model.
#[derive(Clone, Debug)]
pub struct Worlds<R: Real = f64> {
    nworld: usize,
    tiles: Vec<Data<R>>,
}

impl<R: Real> Worlds<R> {
    /// Makes `nworld` worlds at `qpos0`, at rest.
    pub fn new(m: &Model, nworld: usize) -> Self {
        let start = Data::new(m);
        let tiles = vec![start; nworld.div_ceil(R::WIDTH)];
        Self { nworld, tiles }
    }

    /// Number of worlds.
    pub fn nworld(&self) -> usize {
        self.nworld
    }

    /// The tiles, in order of their worlds: tile `t` holds worlds `t * R::WIDTH ..`.
    pub fn tiles(&self) -> &[Data<R>] {
        &self.tiles
    }

    /// The tiles, to be changed.
    pub fn tiles_mut(&mut self) -> &mut [Data<R>] {
        &mut self.tiles
    }

    /// Runs something on every tile, spread over the threads of the current rayon pool.
    pub fn for_each(&mut self, f: impl Fn(&mut Data<R>) + Sync + Send) {
        self.tiles.par_iter_mut().for_each(f);
    }

    /// Copies an array of all worlds into `out`, world after world, each row-major.
    ///
    /// # Errors
    /// [`Error::Input`] if there is no array of that name in a world.
    pub fn read(&self, m: &Model, name: &str, out: &mut Vec<f64>) -> Result<()> {
        let words = data_field(name)?.words(m);
        out.clear();
        out.resize(words * self.nworld, 0.0);
        if words == 0 {
            return Ok(());
        }
        for (w, row) in out.chunks_exact_mut(words).enumerate() {
            self.read_world(name, w, row);
        }
        Ok(())
    }

    fn read_world(&self, name: &str, w: usize, row: &mut [f64]) {
        let (tile, lane) = (&self.tiles[w / R::WIDTH], w % R::WIDTH);
        match tile.field(name) {
            Some(View::Real(x)) => row.iter_mut().zip(x).for_each(|(to, x)| *to = x.lane(lane)),
            Some(View::Int(x)) => {
                let lanes = x.iter().skip(lane).step_by(R::WIDTH);
                row.iter_mut()
                    .zip(lanes)
                    .for_each(|(to, &x)| *to = f64::from(x));
            }
            None => {}
        }
    }

    /// Writes an array of the worlds for which `mask` is true. `values` holds one row for all of them, or a row for each
    /// world of the batch.
    ///
    /// # Errors
    /// [`Error::Input`] if there is no array of that name in a world, or the number of values fits neither form.
    pub fn write(
        &mut self,
        m: &Model,
        name: &str,
        mask: impl Fn(usize) -> bool,
        values: &[f64],
    ) -> Result<()> {
        let words = data_field(name)?.words(m);
        let shared = values.len() == words;
        if !shared && values.len() != words * self.nworld {
            return Err(Error::Input(format!(
                "{name}: {words} numbers for all worlds or {} for {} worlds wanted, found {}",
                words * self.nworld,
                self.nworld,
                values.len()
            )));
        }
        for w in (0..self.nworld).filter(|&w| mask(w)) {
            let row = if shared {
                values
            } else {
                &values[w * words..][..words]
            };
            self.write_world(name, w, row);
        }
        Ok(())
    }

    fn write_world(&mut self, name: &str, w: usize, row: &[f64]) {
        let (tile, lane) = (&mut self.tiles[w / R::WIDTH], w % R::WIDTH);
        match tile.field_mut(name) {
            Some(ViewMut::Real(x)) => x
                .iter_mut()
                .zip(row)
                .for_each(|(to, &x)| to.set_lane(lane, x)),
            Some(ViewMut::Int(x)) => {
                let lanes = x.iter_mut().skip(lane).step_by(R::WIDTH);
                lanes.zip(row).for_each(|(to, &x)| *to = x as i32);
            }
            None => {}
        }
    }

    /// Puts the worlds for which `mask` is true back to `qpos0`, at rest: inputs, flags and derived arrays too.
    pub fn reset(&mut self, m: &Model, mask: impl Fn(usize) -> bool) {
        let start = Data::<f64>::new(m);
        for w in (0..self.nworld).filter(|&w| mask(w)) {
            self.tiles[w / R::WIDTH].copy_lane(&start, w % R::WIDTH, 0);
        }
    }
}

impl<R: Real> Data<R> {
    /// Copies every array of one lane of `from` into one lane of this tile.
    pub fn copy_lane<S: Real>(&mut self, from: &Data<S>, to_lane: usize, from_lane: usize) {
        for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
            match (self.field_mut(field.name), from.field(field.name)) {
                (Some(ViewMut::Real(to)), Some(View::Real(from))) => {
                    to.iter_mut()
                        .zip(from)
                        .for_each(|(to, from)| to.set_lane(to_lane, from.lane(from_lane)));
                }
                (Some(ViewMut::Int(to)), Some(View::Int(from))) => {
                    let to = to.iter_mut().skip(to_lane).step_by(R::WIDTH);
                    let from = from.iter().skip(from_lane).step_by(S::WIDTH);
                    to.zip(from).for_each(|(to, from)| *to = *from);
                }
                _ => {}
            }
        }
    }
}

// the row of an array that a world has
fn data_field(name: &str) -> Result<&'static Field> {
    crate::fields::field(name)
        .filter(|field| field.room != Room::Model)
        .ok_or_else(|| Error::Input(format!("no array of that name in a world: {name}")))
}

/// Element of an array of a world, by its name: tells integers from reals.
///
/// # Errors
/// [`Error::Input`] if there is none of that name.
pub fn element(name: &str) -> Result<Elem> {
    Ok(data_field(name)?.elem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::F32x8;

    fn model() -> Model {
        let mut m = Model {
            nq: 2,
            nv: 2,
            neq: 1,
            ..Model::default()
        };
        m.allocate();
        m.qpos0 = vec![0.5, -1.0];
        m.eq_active0 = vec![1];
        m
    }

    #[test]
    fn what_is_written_is_read_back_lane_by_lane() {
        let m = model();
        let mut worlds = Worlds::<F32x8>::new(&m, 11);
        let rows: Vec<f64> = (0..22).map(f64::from).collect();
        worlds.write(&m, "qpos", |w| w != 9, &rows).unwrap();
        worlds.write(&m, "eq_active", |w| w == 10, &[0.0]).unwrap();
        let (mut qpos, mut active) = (Vec::new(), Vec::new());
        worlds.read(&m, "qpos", &mut qpos).unwrap();
        worlds.read(&m, "eq_active", &mut active).unwrap();
        assert_eq!(qpos[16..], [16.0, 17.0, 0.5, -1.0, 20.0, 21.0]);
        assert_eq!(active[8..], [1.0, 1.0, 0.0]);
    }

    #[test]
    fn only_masked_worlds_are_reset() {
        let m = model();
        let mut worlds = Worlds::<F32x8>::new(&m, 9);
        worlds.write(&m, "qvel", |_| true, &[3.0, 4.0]).unwrap();
        worlds.reset(&m, |w| w == 8);
        let mut qvel = Vec::new();
        worlds.read(&m, "qvel", &mut qvel).unwrap();
        assert_eq!(qvel[14..], [3.0, 4.0, 0.0, 0.0]);
    }

    #[test]
    fn wrong_names_and_sizes_are_errors() {
        let m = model();
        let mut worlds = Worlds::<f64>::new(&m, 3);
        assert!(worlds.write(&m, "qpos", |_| true, &[1.0; 5]).is_err());
        assert!(worlds.write(&m, "qposs", |_| true, &[1.0; 2]).is_err());
        assert!(worlds.read(&m, "body_mass", &mut Vec::new()).is_err());
    }
}
