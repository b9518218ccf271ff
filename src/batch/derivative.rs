//! Derivatives by finite differences: a batch of perturbed worlds, on the backend of the batch itself.
//!
//! ```text
//!              perturbed worlds of world w, a block
//!   world w ─▶ base │ u₀ │ u₁ │ … │ q₀ │ … │ v₀ │ … │ a₀ │ …     one step of all at once
//!                │     └─ one input moved by eps; centred: a second block, moved by −eps
//!                └─ a column of A, B, C, D = (moved − base) / eps in the tangent space
//! ```

use std::ops::Range;

use super::state::INPUTS;
use super::tangent::differentiate_pos;
use super::{Backend, Batch, Settings, To, field};
use crate::cpu::lib::integrate::integrate_pos;
use crate::error::{Error, Result};
use crate::fields::{Model, View};

// perturbed worlds that are made at a time, so that memory does not grow with the number of worlds
const AT_A_TIME: usize = 16384;

/// How finite differences are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differences {
    /// How far an input is moved (its own unit; rotations in rad).
    pub eps: f64,
    /// Both ways, which costs twice as much and is one order better.
    pub centered: bool,
}

impl Differences {
    /// What suits a backend in `f64`: one way, 1e-6.
    pub const F64: Self = Self {
        eps: 1e-6,
        centered: false,
    };
    /// What suits a backend in `f32`: both ways, 5e-3, the cube root of its last bit.
    pub const F32: Self = Self {
        eps: 5e-3,
        centered: true,
    };
}

/// The step linearised at the state of every world: dx' = A dx + B du, ds = C dx + D du, with x = (q, v, act) of
/// `ndx = 2 nv + na` in the tangent space, u = ctrl, s = sensordata.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(non_snake_case, reason = "the names that control theory gives")]
pub struct Transition {
    /// 2 nv + na.
    pub ndx: usize,
    /// Slope of the next state over the state, N × ndx × ndx.
    pub A: Vec<f64>,
    /// Slope of the next state over the controls, N × ndx × nu. Zero where a control range leaves no room to move.
    pub B: Vec<f64>,
    /// Slope of the sensors over the state, N × nsensordata × ndx.
    pub C: Vec<f64>,
    /// Slope of the sensors over the controls, N × nsensordata × nu.
    pub D: Vec<f64>,
    /// Worlds whose matrices are not to be trusted: one of their perturbed worlds diverged or overflowed.
    pub bad: Vec<usize>,
}

/// Which number of a world is moved.
#[derive(Clone, Copy, Debug)]
enum Moved {
    Ctrl(usize),
    Pos(usize),
    Vel(usize),
    Act(usize),
}

impl Moved {
    // every column, those of the controls first
    fn all(m: &Model) -> Vec<Self> {
        let ctrl = (0..m.nu).map(Self::Ctrl);
        let pos = (0..m.nv).map(Self::Pos);
        let vel = (0..m.nv).map(Self::Vel);
        ctrl.chain(pos)
            .chain(vel)
            .chain((0..m.na).map(Self::Act))
            .collect()
    }

    // the input that it is a number of
    fn input(self) -> &'static str {
        match self {
            Self::Ctrl(_) => "ctrl",
            Self::Pos(_) => "qpos",
            Self::Vel(_) => "qvel",
            Self::Act(_) => "act",
        }
    }

    fn nudge(self, m: &Model, row: &mut [f64], eps: f64) {
        match self {
            Self::Ctrl(i) | Self::Vel(i) | Self::Act(i) => row[i] += eps,
            Self::Pos(i) => {
                let mut vel = vec![0.0; m.nv];
                vel[i] = 1.0;
                integrate_pos(m, row, &vel, eps);
            }
        }
    }

    // can it be moved so far; a control stays in its range
    fn can(self, m: &Model, ctrl: &[f64], eps: f64) -> bool {
        let Self::Ctrl(i) = self else {
            return true;
        };
        let range = m.actuator_ctrlrange[2 * i]..=m.actuator_ctrlrange[2 * i + 1];
        m.actuator_ctrllimited[i] == 0
            || range.contains(&ctrl[i]) && range.contains(&(ctrl[i] + eps))
    }

    // how far it goes in either block: not at all where a control range leaves no room
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
            // one block: the other way if this one is closed
            false => [if forth == 0.0 { back } else { forth }, 0.0],
        }
    }
}

/// What a step makes of the perturbed worlds: N' × nq, nv, na, nsensordata.
struct Stepped {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    sensors: Vec<f64>,
}

/// The worlds that one world becomes.
struct Block {
    columns: Vec<Moved>,
    by: Differences,
}

impl Block {
    fn new(m: &Model, by: Differences) -> Self {
        let columns = Moved::all(m);
        Self { columns, by }
    }

    // worlds: the base, then every column moved one way or both
    fn len(&self) -> usize {
        let ways = if self.by.centered { 2 } else { 1 };
        1 + ways * self.columns.len()
    }

    // the world in which a column is moved, by its block
    fn world(&self, column: usize, way: usize) -> usize {
        1 + way * self.columns.len() + column
    }
}

impl Batch {
    /// The step linearised at the state of every world, which stays as it is (`mjd_transitionFD`): slopes of the next state and of
    /// the sensors over state and controls. `by` says how differences are taken; by default as suits the numbers of the backend.
    ///
    /// Every world becomes 1 + nu + 2 nv + na worlds, each with one number moved, and all of them make one step on the backend of
    /// this batch (where nobody said which: the GPU if this batch is there, else the `f64` reference). A control at an end
    /// of its range is moved inwards only. The perturbed worlds are kept for the next call.
    ///
    /// Fails like [`Batch::with`] and [`Batch::step`], and with [`Error::Input`] if `eps` is not a positive number, or if fields of
    /// the model differ ([`Batch::expand`]): the perturbed worlds share one model.
    pub fn transition(&mut self, by: Option<Differences>) -> Result<Transition> {
        if self.own.is_some() {
            let msg = "transition: the perturbed worlds share one model, these differ (Batch::expand): linearise them in a batch of \
                       Model::edit for each";
            return Err(Error::Input(msg.to_owned()));
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
        let block = Block::new(&self.model, by);
        let each = (AT_A_TIME / block.len()).clamp(1, self.nworld);
        let mut inner = match self.perturbed.take() {
            Some(inner) if inner.nworld == each * block.len() => inner,
            _ => Box::new(Batch::with(&self.model, each * block.len(), settings)?),
        };
        let mut out = Transition::new(&self.model, self.nworld);
        let inputs = self.inputs()?;
        let ctrl = inputs.iter().find(|(name, _)| *name == "ctrl");
        let ctrl = ctrl.map_or(&[][..], |(_, rows)| rows);
        let m = &self.model;
        for first in (0..self.nworld).step_by(each) {
            let some = first..self.nworld.min(first + each);
            let stepped = perturb(m, &mut inner, &block, &inputs, some.clone(), ctrl)?;
            for (k, w) in some.enumerate() {
                let ctrl = &ctrl[w * m.nu..][..m.nu];
                out.fill(m, &block, &stepped, k * block.len(), w, ctrl);
            }
            out.bad.extend(inner.flags()?.iter().filter_map(|flag| {
                let w = first + flag.world / block.len();
                (w < self.nworld).then_some(w)
            }));
        }
        out.bad.dedup();
        self.perturbed = Some(inner);
        Ok(out)
    }

    fn perturbed_settings(&self) -> Settings {
        let backend = match (self.settings.backend, self.worlds.backend()) {
            (Backend::Auto, Backend::Gpu) => Backend::Gpu,
            // differences want digits
            (Backend::Auto, _) => Backend::Cpu,
            (backend, _) => backend,
        };
        Settings {
            backend,
            // what this batch has grown to
            nconmax: None,
            njmax: None,
            ..self.settings.clone()
        }
    }

    // everything that may be set and has numbers, of all worlds
    fn inputs(&mut self) -> Result<Vec<Input>> {
        let mut inputs = Vec::new();
        for &name in INPUTS {
            let field = field(name)?;
            if field.words(&self.model) > 0 {
                let rows = numbers(self.worlds.read(&self.model, field)?);
                inputs.push((name, rows));
            }
        }
        Ok(inputs)
    }
}

/// An input's name and its rows, world after world.
type Input = (&'static str, Vec<f64>);

// puts a block for each of some worlds, and makes a step
fn perturb(
    m: &Model,
    inner: &mut Batch,
    block: &Block,
    inputs: &[Input],
    some: Range<usize>,
    ctrl: &[f64],
) -> Result<Stepped> {
    inner.reset(To::Qpos0)?;
    for (name, mine) in inputs {
        let words = field(name)?.words(m);
        let mut rows = Vec::with_capacity(inner.nworld * words);
        for w in some.clone() {
            let at = rows.len();
            let row = &mine[w * words..][..words];
            (0..block.len()).for_each(|_| rows.extend_from_slice(row));
            let ctrl = &ctrl[w * m.nu..][..m.nu];
            for (column, moved) in block.columns.iter().enumerate() {
                if moved.input() != *name {
                    continue;
                }
                let steps = moved.steps(m, ctrl, block.by);
                for (way, &step) in steps.iter().enumerate().filter(|(_, step)| **step != 0.0) {
                    let world = block.world(column, way);
                    moved.nudge(m, &mut rows[at + world * words..][..words], step);
                }
            }
        }
        // the last blocks may be nobody's
        let last = rows[rows.len() - words..].to_vec();
        while rows.len() < inner.nworld * words {
            rows.extend_from_slice(&last);
        }
        inner.set(name, &rows)?;
    }
    inner.step(1)?;
    let mut read = |name: &str| Ok::<_, Error>(inner.reals(name)?.to_vec());
    Ok(Stepped {
        qpos: read("qpos")?,
        qvel: read("qvel")?,
        act: read("act")?,
        sensors: read("sensordata")?,
    })
}

fn numbers(view: View<'_>) -> Vec<f64> {
    match view {
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        View::Real(x) => x.to_vec(),
    }
}

impl Transition {
    fn new(m: &Model, nworld: usize) -> Self {
        let ndx = 2 * m.nv + m.na;
        let zeros = |rows: usize, columns: usize| vec![0.0; nworld * rows * columns];
        Self {
            ndx,
            A: zeros(ndx, ndx),
            B: zeros(ndx, m.nu),
            C: zeros(m.nsensordata, ndx),
            D: zeros(m.nsensordata, m.nu),
            bad: Vec::new(),
        }
    }

    // the columns of world w, whose block begins at `base`
    fn fill(
        &mut self,
        m: &Model,
        block: &Block,
        stepped: &Stepped,
        base: usize,
        w: usize,
        ctrl: &[f64],
    ) {
        let (ndx, ns) = (self.ndx, m.nsensordata);
        for (column, moved) in block.columns.iter().enumerate() {
            let [forth, back] = moved.steps(m, ctrl, block.by);
            let span = forth - back;
            if span == 0.0 {
                continue;
            }
            // a way that is closed begins at the base
            let world = |way: usize, step: f64| match step == 0.0 {
                true => base,
                false => base + block.world(column, way),
            };
            let (from, to) = (world(1, back), world(0, forth));
            let (state, sensors) = stepped.slope(m, from, to, span);
            let (x, s, n, column) = match moved {
                Moved::Ctrl(i) => (&mut self.B, &mut self.D, m.nu, *i),
                _ => (&mut self.A, &mut self.C, ndx, column - m.nu),
            };
            for (row, slope) in state.iter().enumerate() {
                x[(w * ndx + row) * n + column] = *slope;
            }
            for (row, slope) in sensors.iter().enumerate() {
                s[(w * ns + row) * n + column] = *slope;
            }
        }
    }
}

impl Stepped {
    // what changes from one world to another, over the span between them: state in the tangent space, sensors
    fn slope(&self, m: &Model, from: usize, to: usize, span: f64) -> (Vec<f64>, Vec<f64>) {
        fn row(x: &[f64], w: usize, n: usize) -> &[f64] {
            &x[w * n..][..n]
        }
        let between = |x: &[f64], n: usize| -> Vec<f64> {
            let (a, b) = (row(x, from, n), row(x, to, n));
            a.iter().zip(b).map(|(a, b)| (b - a) / span).collect()
        };
        let mut state = vec![0.0; m.nv];
        let (a, b) = (row(&self.qpos, from, m.nq), row(&self.qpos, to, m.nq));
        differentiate_pos(m, &mut state, span, a, b);
        state.extend(between(&self.qvel, m.nv));
        state.extend(between(&self.act, m.na));
        (state, between(&self.sensors, m.nsensordata))
    }
}
