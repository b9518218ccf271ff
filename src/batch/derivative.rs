//! Derivatives by finite differences: a batch of perturbed worlds, on the backend of the batch itself.
//!
//! ```text
//!              perturbed worlds of world w, a block
//!   world w ─▶ base │ u₀ │ u₁ │ … │ q₀ │ … │ v₀ │ … │ a₀ │ …     one step, or inverse dynamics, of all at once
//!                │     └─ one input moved by eps; centred: a second block, moved by −eps
//!                └─ a column of a Jacobian = (moved − base) / eps in the tangent space
//! ```

mod gradient;
mod inverse;
mod tape;
mod transition;

pub use gradient::Gradient;
pub use inverse::InverseSlopes;
pub use tape::Tape;
pub use transition::Transition;

use std::ops::Range;

use super::state::kept;
use super::{Backend, Batch, Settings, To, field};
use crate::cpu::lib::integrate::integrate_pos;
use crate::cpu::lib::sleep::sleeps;
use crate::error::{Error, Result};
use crate::fields::{Field, Model, Role, View};

// perturbed worlds computed at a time, so that memory does not grow with the number of worlds
const AT_A_TIME: usize = 16384;

/// How finite differences are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differences {
    /// How far an input is moved (its own unit; rotations in rad).
    pub eps: f64,
    /// Central differences, which cost twice as much and are one order more accurate.
    pub centered: bool,
}

impl Differences {
    /// Default for a backend in `f64`: forward differences, 1e-6.
    pub const F64: Self = Self {
        eps: 1e-6,
        centered: false,
    };
    /// Default for a backend in `f32`: central differences, 5e-3, the cube root of its last bit.
    pub const F32: Self = Self {
        eps: 5e-3,
        centered: true,
    };
}

/// The number of a world that is perturbed.
#[derive(Clone, Copy, Debug)]
enum Moved {
    Ctrl(usize),
    Pos(usize),
    Vel(usize),
    Act(usize),
    Acc(usize),
}

impl Moved {
    // the name of the perturbed input
    fn input(self) -> &'static str {
        match self {
            Self::Ctrl(_) => "ctrl",
            Self::Pos(_) => "qpos",
            Self::Vel(_) => "qvel",
            Self::Act(_) => "act",
            Self::Acc(_) => "qacc",
        }
    }

    fn nudge(self, m: &Model, row: &mut [f64], eps: f64) {
        match self {
            Self::Ctrl(i) | Self::Vel(i) | Self::Act(i) | Self::Acc(i) => row[i] += eps,
            Self::Pos(i) => {
                let mut vel = vec![0.0; m.nv];
                vel[i] = 1.0;
                integrate_pos(m, row, &vel, eps);
            }
        }
    }

    // whether it can be moved by `eps`: a control stays in its range
    fn can(self, m: &Model, ctrl: &[f64], eps: f64) -> bool {
        let Self::Ctrl(i) = self else {
            return true;
        };
        let range = m.actuator_ctrlrange[2 * i]..=m.actuator_ctrlrange[2 * i + 1];
        m.actuator_ctrllimited[i] == 0
            || range.contains(&ctrl[i]) && range.contains(&(ctrl[i] + eps))
    }

    // displacement in either block: 0 where a control range leaves no room
    fn steps(self, m: &Model, ctrl: &[f64], by: Differences) -> [f64; 2] {
        let reach = |eps: f64| if self.can(m, ctrl, eps) { eps } else { 0.0 };
        let forth = reach(by.eps);
        let back = if by.centered || forth == 0.0 {
            reach(-by.eps)
        } else {
            0.0
        };
        match by.centered {
            true => [forth, back],
            // one block: the opposite direction if this one is blocked
            false => [if forth == 0.0 { back } else { forth }, 0.0],
        }
    }
}

/// The perturbed worlds of one world.
struct Block {
    columns: Vec<Moved>,
    by: Differences,
}

impl Block {
    // number of worlds: the base, then every column moved in one direction or both
    fn len(&self) -> usize {
        let ways = if self.by.centered { 2 } else { 1 };
        1 + ways * self.columns.len()
    }

    // index in the block of the world in which `column` is moved, by direction
    fn world(&self, column: usize, way: usize) -> usize {
        1 + way * self.columns.len() + column
    }

    // for a column of world w, whose block begins at `base`: the worlds at both ends of the difference, and the span between
    // their inputs; none where a control has no room to move
    fn ends(&self, m: &Model, column: usize, base: usize, ctrl: &[f64]) -> Option<Ends> {
        let [forth, back] = self.columns[column].steps(m, ctrl, self.by);
        // a blocked direction uses the base
        let world = |way: usize, step: f64| match step == 0.0 {
            true => base,
            false => base + self.world(column, way),
        };
        let span = forth - back;
        (span != 0.0).then(|| Ends {
            from: world(1, back),
            to: world(0, forth),
            span,
        })
    }
}

/// The two worlds of a difference, and the distance between their perturbed inputs.
struct Ends {
    from: usize,
    to: usize,
    span: f64,
}

impl Ends {
    // slopes of an array of the perturbed worlds, `n` numbers per world
    fn slopes(&self, x: &[f64], n: usize) -> impl Iterator<Item = f64> {
        let (from, to) = (&x[self.from * n..][..n], &x[self.to * n..][..n]);
        from.iter()
            .zip(to)
            .map(|(from, to)| (to - from) / self.span)
    }
}

/// The place of one world's results: its index, the index where its block begins, its controls.
struct Place<'a> {
    world: usize,
    base: usize,
    ctrl: &'a [f64],
}

impl Batch {
    // runs `compute` on the blocks of all worlds on the backend of this batch, and hands each result to `fill`, world
    // by world; returns the worlds whose differences are not to be trusted
    fn differences<T>(
        &mut self,
        call: &str,
        by: Option<Differences>,
        columns: Vec<Moved>,
        compute: impl Fn(&mut Batch) -> Result<T>,
        mut fill: impl FnMut(&Model, &Block, &T, &Place<'_>),
    ) -> Result<Vec<usize>> {
        if self.own.is_some() {
            return Err(Error::Input(format!(
                "{call}: the perturbed worlds share one model, but the models of these worlds differ (Batch::expand): \
                 linearise each world in a batch of its own model (Model::edit)"
            )));
        }
        if sleeps(&self.model) {
            return Err(Error::Input(format!(
                "{call}: a step with sleeping trees cannot be linearised: disable the flag \"sleep\" (Model::edit)"
            )));
        }
        let settings = self.perturbed_settings();
        let by = by.unwrap_or(match settings.backend {
            Backend::Cpu => Differences::F64,
            _ => Differences::F32,
        });
        if !(by.eps > 0.0 && by.eps.is_finite()) {
            return Err(Error::Input(format!(
                "eps: a positive number is needed, found {}",
                by.eps
            )));
        }
        let block = Block { columns, by };
        let each = (AT_A_TIME / block.len()).clamp(1, self.nworld);
        let mut inner = match self.perturbed.take() {
            Some(inner) if inner.nworld == each * block.len() => inner,
            _ => Box::new(self.beside(&self.model, each * block.len(), settings)?),
        };
        let state = self.numbers_of_state(&block)?;
        let ctrl = state.iter().find(|(field, _)| field.name == "ctrl");
        let ctrl = ctrl.map_or(&[][..], |(_, rows)| rows);
        let m = &self.model;
        let mut bad = Vec::new();
        for first in (0..self.nworld).step_by(each) {
            let some = first..self.nworld.min(first + each);
            perturb(m, &mut inner, &block, &state, some.clone(), ctrl)?;
            let out = match compute(&mut inner) {
                Err(e) => {
                    let world = |w: usize| (first + w / block.len()).min(self.nworld - 1);
                    return Err(by_world(e, &mut inner, world));
                }
                Ok(out) => out,
            };
            for (k, world) in some.enumerate() {
                let place = Place {
                    world,
                    base: k * block.len(),
                    ctrl: &ctrl[world * m.nu..][..m.nu],
                };
                fill(m, &block, &out, &place);
            }
            let flags = inner.flags()?;
            bad.extend(flags.iter().filter_map(|flag| {
                let w = first + flag.world / block.len();
                (w < self.nworld).then_some(w)
            }));
            if !flags.is_empty() {
                inner.reset(To::Qpos0)?;
            }
        }
        bad.dedup();
        self.perturbed = Some(inner);
        Ok(bad)
    }

    fn perturbed_settings(&self) -> Settings {
        let backend = match (self.settings.backend, self.worlds.backend()) {
            (Backend::Auto, Backend::Gpu) => Backend::Gpu,
            // differences need precision
            (Backend::Auto, _) => Backend::Cpu,
            (backend, _) => backend,
        };
        Settings {
            backend,
            // the room that this batch has grown to
            nconmax: None,
            njmax: None,
            ..self.settings.clone()
        }
    }

    // all that a step depends on, of all worlds; `qacc` too where accelerations are perturbed
    fn numbers_of_state(&mut self, block: &Block) -> Result<Vec<Rows>> {
        let acc = block.columns.iter().any(|moved| moved.input() == "qacc");
        let mut fields = kept().to_vec();
        fields.extend(acc.then_some(field("qacc")?));
        fields.retain(|field| field.role != Role::Flag && field.words(&self.model) > 0);
        let read = |field| {
            let rows = numbers(self.worlds.read(&self.model, field)?);
            Ok((field, rows))
        };
        fields.into_iter().map(read).collect()
    }
}

// an overflow of perturbed worlds as one of the worlds that they are of
fn by_world(e: Error, inner: &mut Batch, world: impl Fn(usize) -> usize) -> Error {
    let Error::Overflow { contacts, rows, .. } = e else {
        return e;
    };
    let flags = match inner.flags() {
        Ok(flags) => flags,
        Err(e) => return e,
    };
    let full = flags.iter().filter(|flag| flag.overflowed());
    let mut worlds: Vec<usize> = full.map(|flag| world(flag.world)).collect();
    worlds.dedup();
    Error::Overflow {
        worlds: worlds.len(),
        world: worlds.first().copied().unwrap_or(0),
        contacts,
        rows,
    }
}

/// A field and its rows, world after world.
type Rows = (&'static Field, Vec<f64>);

// gives the worlds of the blocks of some worlds the state of these, with one input of each moved
fn perturb(
    m: &Model,
    inner: &mut Batch,
    block: &Block,
    state: &[Rows],
    some: Range<usize>,
    ctrl: &[f64],
) -> Result<()> {
    for (field, mine) in state {
        let words = field.words(m);
        let mut rows = Vec::with_capacity(inner.nworld * words);
        for w in some.clone() {
            let at = rows.len();
            let row = &mine[w * words..][..words];
            (0..block.len()).for_each(|_| rows.extend_from_slice(row));
            let ctrl = &ctrl[w * m.nu..][..m.nu];
            for (column, moved) in block.columns.iter().enumerate() {
                if moved.input() != field.name {
                    continue;
                }
                let steps = moved.steps(m, ctrl, block.by);
                for (way, &step) in steps.iter().enumerate().filter(|(_, step)| **step != 0.0) {
                    let world = block.world(column, way);
                    moved.nudge(m, &mut rows[at + world * words..][..words], step);
                }
            }
        }
        // blocks behind the last world repeat its last row
        let last = rows[rows.len() - words..].to_vec();
        while rows.len() < inner.nworld * words {
            rows.extend_from_slice(&last);
        }
        inner.put(field, None, &rows)?;
    }
    Ok(())
}

fn numbers(view: View<'_>) -> Vec<f64> {
    match view {
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        View::Real(x) => x.to_vec(),
    }
}
