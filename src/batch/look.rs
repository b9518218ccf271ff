//! Queries that do not change the worlds: computed world by world with the functions of the reference, on the threads of the host.
//!
//! ```text
//! arrays of the last call ─ or ─ state ─▶ kinematics ▸ com_pos ▸ …        world by world:  Data ─▶ a row of the answer
//! ```

use rayon::prelude::*;

use super::{Batch, field};
use crate::cpu::camlight::camlight;
use crate::cpu::com_pos::com_pos;
use crate::cpu::com_vel::com_vel;
use crate::cpu::crb::crb;
use crate::cpu::factor_m::factor_m;
use crate::cpu::kinematics::kinematics;
use crate::cpu::tendon::tendon;
use crate::error::{Error, Result};
use crate::fields::{Data, Elem, Field, Model, ViewMut};

/// The poses, velocities and inertias that queries such as [`Batch::jac`] and [`Batch::ray`] use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Look {
    /// The arrays as the last [`Batch::forward`] or [`Batch::step`] left them, as in MuJoCo: after a step they belong to the state at its start, and
    /// inputs set since then have no effect on them. Before the first call they are zero.
    #[default]
    LastCall,
    /// The present state, as in `mujoco.batch`: kinematics are computed from positions and velocities in `f64`, on the host.
    State,
}

/// The arrays that a query uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// Arrays of the last call.
    pub arrays: &'static [&'static str],
    /// Inputs from which the same arrays are computed; if empty, the arrays are always those of the last call.
    inputs: &'static [&'static str],
    // computes `arrays` from `inputs`
    compute: fn(&Model, &mut Data),
}

impl Sight {
    /// Arrays derived from positions: poses, `subtree_com`, `cdof`.
    pub const fn of_poses(arrays: &'static [&'static str]) -> Self {
        Self {
            arrays,
            inputs: &["qpos", "mocap_pos", "mocap_quat"],
            compute: poses,
        }
    }

    /// Arrays of [`Sight::of_poses`], and velocities of bodies.
    pub const fn of_motion(arrays: &'static [&'static str]) -> Self {
        Self {
            arrays,
            inputs: &["qpos", "mocap_pos", "mocap_quat", "qvel"],
            compute: motion,
        }
    }

    /// Arrays of [`Sight::of_poses`], and the inertia matrix and its factor.
    pub const fn of_inertia(arrays: &'static [&'static str]) -> Self {
        Self {
            arrays,
            inputs: &["qpos", "mocap_pos", "mocap_quat"],
            compute: inertia,
        }
    }

    /// Arrays that are computed by calls of the worlds only.
    pub const fn of_last_call(arrays: &'static [&'static str]) -> Self {
        Self {
            arrays,
            inputs: &[],
            compute: |_, _| (),
        }
    }
}

fn poses(m: &Model, d: &mut Data) {
    kinematics(m, d);
    com_pos(m, d);
    camlight(m, d);
}

fn motion(m: &Model, d: &mut Data) {
    poses(m, d);
    com_vel(m, d);
}

fn inertia(m: &Model, d: &mut Data) {
    poses(m, d);
    tendon(m, d);
    crb(m, d);
    factor_m(m, d);
}

/// A field of all worlds.
struct Rows {
    field: &'static Field,
    words: usize,
    values: Values,
}

enum Values {
    Int(Vec<i32>),
    Real(Vec<f64>),
}

impl Rows {
    // writes a world's row into its data
    fn put(&self, world: usize, d: &mut Data) {
        let row = world * self.words..(world + 1) * self.words;
        match (&self.values, d.field_mut(self.field.name)) {
            (Values::Int(x), Some(ViewMut::Int(to))) => to.copy_from_slice(&x[row]),
            (Values::Real(x), Some(ViewMut::Real(to))) => to.copy_from_slice(&x[row]),
            _ => {}
        }
    }
}

/// A function of a world's model, its data, its number and its row of results.
pub(super) type Find<'a, T> = dyn Fn(&Model, &Data, usize, &mut [T]) + Sync + 'a;

impl Batch {
    /// Chooses the arrays that queries use: those of the last call, which is the default, or those computed from the
    /// present state.
    pub fn look(&mut self, look: Look) {
        self.look = look;
    }

    /// A row of `width` numbers for every world, computed in parallel: `find` gets the world's model, its data with the arrays of
    /// `sight`, its index and its row.
    pub(super) fn find<T: Clone + Default + Send>(
        &mut self,
        sight: Sight,
        width: usize,
        find: &Find<'_, T>,
    ) -> Result<Vec<T>> {
        let mut out = vec![T::default(); self.nworld * width];
        if width == 0 {
            return Ok(out);
        }
        let now = self.look == Look::State && !sight.inputs.is_empty();
        if now {
            self.settle_own()?;
        }
        let names = if now { sight.inputs } else { sight.arrays };
        let rows = names.iter().map(|name| self.rows(name));
        let rows = rows.collect::<Result<Vec<_>>>()?;

        let (shared, own) = (&self.model, self.own.as_ref());
        let nthread = self.settings.nthread();
        let worlds = out.par_chunks_mut(width).enumerate();
        let worlds = worlds.with_min_len(self.nworld.div_ceil(nthread));
        worlds.for_each_init(
            || Data::new(shared),
            |d, (w, row)| {
                let m = own.map_or(shared, |own| &*own.models[w]);
                rows.iter().for_each(|rows| rows.put(w, d));
                if now {
                    (sight.compute)(m, d);
                }
                find(m, d, w, row);
            },
        );
        Ok(out)
    }

    fn rows(&mut self, name: &str) -> Result<Rows> {
        let field = field(name)?;
        let words = field.words(&self.model);
        let len = self.nworld * words;
        let values = match field.elem {
            Elem::Int => {
                let mut values = vec![0; len];
                self.read_into(name, &mut values)?;
                Values::Int(values)
            }
            _ => {
                let mut values = vec![0.0; len];
                self.read_into(name, &mut values)?;
                Values::Real(values)
            }
        };
        Ok(Rows {
            field,
            words,
            values,
        })
    }

    /// Checks the number of values of an input: `have` must be `words`, one row for all worlds, or `words` for each.
    pub(super) fn check_rows(&self, name: &str, words: usize, have: usize) -> Result<()> {
        let all = self.nworld * words;
        match have == words || have == all {
            true => Ok(()),
            false => Err(Error::Input(format!(
                "{name}: {words} values for one row or {all} for {} worlds needed, {have} given",
                self.nworld
            ))),
        }
    }
}

/// The row of a world, or the one row for all.
pub(super) fn row_of<T>(rows: &[T], words: usize, world: usize) -> &[T] {
    let world = if rows.len() == words { 0 } else { world };
    &rows[world * words..][..words]
}

/// The vector of a world, or the one vector for all.
pub(super) fn vec3_of(rows: &[f64], world: usize) -> [f64; 3] {
    let row = row_of(rows, 3, world);
    [row[0], row[1], row[2]]
}

/// Some columns of rows of `width` numbers.
pub(super) fn columns(rows: &[f64], width: usize, at: std::ops::Range<usize>) -> Vec<f64> {
    match width {
        0 => Vec::new(),
        _ => rows
            .chunks(width)
            .flat_map(|row| &row[at.clone()])
            .copied()
            .collect(),
    }
}

/// Checks that an element's id is less than the number of such elements in the model.
pub(super) fn check_id(kind: &str, id: usize, have: usize) -> Result<()> {
    match id < have {
        true => Ok(()),
        false => Err(Error::Input(format!(
            "{kind} {id}: the model has {have}, counted from 0"
        ))),
    }
}
