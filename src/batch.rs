//! Many worlds of one model, on either backend.
//!
//! ```text
//! set(ctrl)  ─▶ ┌────────────────────────────┐
//! reset(mask) ▶ │ world 0 │ world 1 │ … N−1  │ ─▶ read("qpos"): N × nq, world after world
//! step(n)    ─▶ └────────────────────────────┘ ─▶ flags(): which diverged, which overflowed
//!                 twins, f64   or   kernels, f32
//! ```
//!
//! A world's result depends on its own state alone: not on how many worlds there are, on its index or on threads.

#[cfg(feature = "gpu")]
mod asked;
mod auto;
#[doc(hidden)]
pub mod clock;
mod contact;
mod control;
mod cpu;
mod derivative;
mod flag;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "batch/no_gpu.rs"]
mod gpu;
mod growth;
mod inertia;
mod jac;
mod look;
mod memory;
mod motion;
mod names;
mod own;
pub mod random;
mod ray;
mod recover;
mod reset;
mod rows;
mod settings;
mod skip;
mod slices;
mod state;
mod tangent;
mod tuning;
mod vector;
mod worlds;

#[cfg(feature = "gpu")]
pub use asked::Brought;
pub use contact::ContactForces;
pub use derivative::{Differences, Gradient, InverseSlopes, Tape, Transition};
pub use flag::Flag;
pub use jac::Jacobian;
pub use look::Look;
pub use memory::Memory;
pub use ray::{Among, Distances, Hits};
pub use reset::To;
pub use rows::ConstraintJacobian;
pub use settings::{Backend, Overflow, Settings};
pub use slices::{In, Out};
pub use state::State;
pub use tuning::{Choice, Unroll};

#[cfg(feature = "gpu")]
pub(crate) use state::hash;

use crate::error::{Error, Result};
use crate::fields::{Data, FIELDS, Field, INPUTS, Model, Room, View};
use crate::stages::Part;
pub use crate::stages::Skip;
use crate::types::{ENBL_INVDISCRETE, Integrator};
use growth::{Growth, Need};
pub(crate) use names::field;
use settings::prepared;
use slices::Columns;
use worlds::{Mask, Pass, What, Worlds};

/// Many worlds of one model.
#[derive(Debug)]
pub struct Batch {
    model: Model,
    // hash of the model, independent of its capacities
    hash: u64,
    nworld: usize,
    settings: Settings,
    worlds: Box<dyn Worlds>,
    // why this backend was chosen, if the settings named none
    why: Option<String>,
    growth: Growth,
    // arrays of the model of which every world has its own copy
    own: Option<own::Own>,
    // fields of the last inputs; the vector is kept for its memory
    bound: Vec<&'static Field>,
    // perturbed worlds for derivatives, made at the first use
    perturbed: Option<Box<Batch>>,
    // whether queries read the arrays of the last call or the current state
    look: Look,
    // true if the arrays of every world come from a computation, and no world was reset since
    known: bool,
}

impl Batch {
    /// `nworld` worlds at `qpos0`, on the fastest backend that the machine and the model allow; [`Batch::device`] says which
    /// and why.
    ///
    /// Fails with [`Error::Missing`] if the model needs a feature that no stage computes, with [`Error::Size`] if the worlds do
    /// not fit into memory, with [`Error::Device`] if the device refuses.
    pub fn new(model: &Model, nworld: usize) -> Result<Self> {
        Self::with(model, nworld, Settings::default())
    }

    /// `nworld` worlds at `qpos0`, made as `settings` say. Fails like [`Batch::new`].
    pub fn with(model: &Model, nworld: usize, settings: Settings) -> Result<Self> {
        let (model, settings) = prepared(model, nworld, settings)?;
        let opened = open(&model, nworld, &settings)?;
        Ok(Self::of(model, nworld, settings, opened))
    }

    /// Another batch in the same place: on the device that was passed in for this one, if one was.
    pub(crate) fn beside(&self, model: &Model, nworld: usize, settings: Settings) -> Result<Self> {
        let (model, settings) = prepared(model, nworld, settings)?;
        let opened = self.open_beside(&model, nworld, &settings)?;
        Ok(Self::of(model, nworld, settings, opened))
    }

    fn open_beside(&self, model: &Model, nworld: usize, settings: &Settings) -> Result<Opened> {
        match self.worlds.beside(model, nworld, settings)? {
            Some(worlds) => Ok((worlds, None)),
            None => open(model, nworld, settings),
        }
    }

    fn of(model: Model, nworld: usize, settings: Settings, (worlds, why): Opened) -> Self {
        Self {
            hash: state::hash(&model),
            model,
            nworld,
            settings,
            worlds,
            why,
            growth: Growth::default(),
            own: None,
            bound: Vec::new(),
            perturbed: None,
            look: Look::default(),
            known: false,
        }
    }

    /// The model, with the capacities that the worlds have.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Number of worlds.
    pub fn nworld(&self) -> usize {
        self.nworld
    }

    /// The worlds as they lie on a device; `None` with the other backends.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&self) -> Option<&crate::gpu::Gpu> {
        self.worlds.gpu()
    }

    /// Tells the worlds on a device that one of their arrays was written there.
    #[cfg(feature = "gpu")]
    pub(crate) fn changed_on_device(&mut self) {
        self.worlds.changed();
    }

    /// One line: the backend and its device; also why it was chosen, if the settings named none.
    pub fn device(&self) -> String {
        match &self.why {
            Some(why) => format!("{} (auto: {why})", self.worlds.device()),
            None => self.worlds.device(),
        }
    }

    /// Memory that the worlds take (bytes), their own models included ([`Batch::expand`]).
    pub fn memory(&self) -> Memory {
        let memory = self.worlds.memory();
        match &self.own {
            Some(_) => memory.with_models(self.nworld),
            None => memory,
        }
    }

    /// Advances every world by `n` steps (`mj_step`); inputs keep their values.
    ///
    /// A world that diverges is reset by itself and flagged. Fails with [`Error::Overflow`] if a world needed more contacts
    /// or rows than there is room for and the settings say [`Overflow::Error`]: all worlds have then made their steps.
    pub fn step(&mut self, n: usize) -> Result<()> {
        self.attempt(What::Step(n), &[], &[])
    }

    /// Computes accelerations and everything else that depends on the state (`mj_forward`). Fails like [`Batch::step`].
    pub fn forward(&mut self) -> Result<()> {
        self.attempt(What::Forward(Part::ALL), &[], &[])
    }

    /// [`Batch::forward`] for the worlds whose mask is true, as after [`Batch::reset_where`]. Arrays of the others may be
    /// computed too: `simd` computes all lanes of a tile, `gpu` all worlds.
    ///
    /// Fails like [`Batch::forward`], and with [`Error::Input`] on a mask of another length than N.
    pub fn forward_where(&mut self, mask: &[bool]) -> Result<()> {
        self.check_mask(mask)?;
        if !mask.contains(&false) {
            return self.forward();
        }
        self.settle_own()?;
        self.known = false;
        self.run(What::Forward(Part::ALL), Some(mask), &[], &[])
    }

    /// The first half of a step (`mj_step1`): computes everything that depends on positions and velocities, with their sensors.
    /// Controls can then be chosen from it, also by a function of your own ([`Model::bind_control`]); [`Batch::step2`] makes the
    /// step. `qacc` and forces keep their values of the last call.
    ///
    /// Fails like [`Batch::step`], and with [`Error::Input`] on Runge-Kutta, whose step has no halves.
    pub fn step1(&mut self) -> Result<()> {
        self.check_halves()?;
        self.attempt(What::Step1, &[], &[])
    }

    /// The second half of a step (`mj_step2`), with the controls and applied forces that were set since [`Batch::step1`]: a function of
    /// your own for controls is not called again.
    ///
    /// Arrays that depend on positions and velocities are computed once more, since tiles of worlds share their memory. Both
    /// halves thus cost more than a step, and a state that was set in between takes effect, unlike in MuJoCo. Fails like
    /// [`Batch::step1`].
    pub fn step2(&mut self) -> Result<()> {
        self.check_halves()?;
        self.attempt(What::Step2, &[], &[])
    }

    fn check_halves(&self) -> Result<()> {
        match Integrator::from_i32(self.model.opt.integrator) {
            Some(Integrator::Rk4) => Err(Error::Input(
                "a step of Runge-Kutta has no halves: use step, or another integrator".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Computes the force that an acceleration takes (`mj_inverse`): `qfrc_inverse` (N, N m in joint space) from `qpos qvel qacc`.
    ///
    /// `qacc` (m/s², rad/s²) is the result of [`Batch::forward`], or the values that were set. `qfrc_inverse` is the sum of the
    /// forces that actuators and applied forces have to give; `efc_force` and `qfrc_constraint` follow from this acceleration
    /// without a solver. Where the model has the flag `invdiscrete`, `qacc` is the change of velocity over a timestep of the
    /// model's integrator.
    /// (Todorov: Analytically-invertible dynamics with contacts and constraints, 2014.)
    ///
    /// On a device the first call allocates its buffers. Fails like [`Batch::step`], and with [`Error::Input`] on the flag
    /// `invdiscrete` with Runge-Kutta.
    pub fn inverse(&mut self) -> Result<()> {
        self.check_inverse()?;
        self.attempt(What::Inverse(Part::ALL), &[], &[])
    }

    fn check_inverse(&self) -> Result<()> {
        let opt = &self.model.opt;
        if opt.enabled(ENBL_INVDISCRETE) && opt.integrator == Integrator::Rk4 as i32 {
            let msg = "the flag \"invdiscrete\" does not work with Runge-Kutta: disable the flag, or take another integrator";
            return Err(Error::Input(msg.to_owned()));
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        what: What,
        fields: &[&'static Field],
        given: &[(&str, In<'_>)],
    ) -> Result<()> {
        self.settle_own()?;
        if let What::Step(0) = what {
            return self.put_all(fields, given);
        }
        self.known = false;
        let done = self.run(what, None, fields, given);
        self.known = matches!(done, Ok(()) | Err(Error::Overflow { .. }));
        done
    }

    // sets inputs alone: arrays of an earlier computation stay valid
    fn put_all(&mut self, fields: &[&'static Field], given: &[(&str, In<'_>)]) -> Result<()> {
        for (field, (_, values)) in fields.iter().zip(given) {
            let at = Columns::all(field.words(&self.model));
            self.worlds.write(&self.model, field, None, at, *values)?;
        }
        Ok(())
    }

    fn run(
        &mut self,
        what: What,
        mask: Mask<'_>,
        fields: &[&'static Field],
        given: &[(&str, In<'_>)],
    ) -> Result<()> {
        let policy = self.settings.overflow;
        // a function of the user's own may find more contacts than the shapes of a pair can have
        let bounded = self.model.users().meetings().next().is_none();
        let grows = policy == Overflow::Grow
            && !(bounded && crate::compile::capacity::holds_all(&self.model));
        let pass = Pass {
            what,
            mask,
            keep: grows,
            fields,
            given,
        };
        loop {
            self.worlds.run(&self.model, &pass)?;
            if policy == Overflow::Continue || self.worlds.overflow(&self.model)? & KINDS == 0 {
                return Ok(());
            }
            let needs = self.needs()?;
            if needs.is_empty() {
                return Ok(());
            }
            if !grows {
                return Err(self.overflow(&needs));
            }
            // worlds that must go on without more room have already made their steps
            if !self.grow(&needs)? {
                return Ok(());
            }
        }
    }

    /// Why the buffers stopped growing: the room that a world needed, and the memory that it would have taken. `None` if no world was refused.
    pub fn full(&self) -> Option<&str> {
        self.growth.full.as_deref()
    }

    // worlds that needed more contacts or rows than there is room for, with both numbers
    fn needs(&mut self) -> Result<Vec<Need>> {
        let full: Vec<bool> = self
            .ints("overflow")?
            .iter()
            .map(|bits| bits & KINDS != 0)
            .collect();
        // a state from a batch with less room keeps its flag, although this batch may have enough room
        let (nconmax, njmax) = (self.model.nconmax, self.model.njmax);
        let rows = self.ints("needed")?.as_chunks::<2>().0.iter().enumerate();
        let needs = rows.map(|(world, &[contacts, rows])| Need {
            world,
            contacts: contacts as usize,
            rows: rows as usize,
        });
        let more = |need: &Need| need.contacts > nconmax || need.rows > njmax;
        Ok(needs
            .filter(|need| full[need.world] && more(need))
            .collect())
    }

    fn overflow(&self, needs: &[Need]) -> Error {
        let most = |of: fn(&Need) -> usize| needs.iter().map(of).max().unwrap_or(0);
        Error::Overflow {
            worlds: needs.len(),
            world: needs.first().map_or(0, |need| need.world),
            contacts: (most(|need| need.contacts), self.model.nconmax),
            rows: (most(|need| need.rows), self.model.njmax),
        }
    }

    // makes room for as many of these worlds as the share of memory allows, and puts all worlds back to the start of the call;
    // false, with nothing changed, if the share allows room for none
    fn grow(&mut self, needs: &[Need]) -> Result<bool> {
        let (worlds, share) = (&*self.worlds, self.settings.growth);
        let room = self
            .growth
            .room(&self.model, self.nworld, worlds, needs, share);
        let Some(room) = room else {
            return Ok(false);
        };
        let mut model = self.model.clone();
        model.set_room(room.0, room.1)?;
        let (worlds, why) = match self.open_beside(&model, self.nworld, &self.settings) {
            Ok(opened) => opened,
            Err(e @ (Error::Size { .. } | Error::Device(_))) => {
                self.growth.full = Some(e.to_string());
                return Ok(false);
            }
            Err(e) => return Err(e),
        };
        self.worlds.back()?;
        let start = self.save()?;
        // qacc, the input of inverse dynamics, is no part of the state
        let qacc = self.reals("qacc")?.to_vec();
        (self.model, self.worlds, self.why) = (model, worlds, why);
        self.reopen_own()?;
        self.restore(&start)?;
        self.set("qacc", &qacc)?;
        Ok(true)
    }

    /// A field of all worlds by its name, N × shape, world after world: integers or reals.
    ///
    /// The slice lies in memory of the batch and is good until the next call. Fails with [`Error::Input`] on a name that is
    /// no array of a world.
    pub fn read(&mut self, name: &str) -> Result<View<'_>> {
        match self.own.as_ref().and_then(|own| own.read(name)) {
            Some(values) => Ok(View::Real(values)),
            None => self.worlds.read(&self.model, field(name)?),
        }
    }

    /// A field of reals, N × shape. Fails like [`Batch::read`], also on a field of integers.
    pub fn reals(&mut self, name: &str) -> Result<&[f64]> {
        match self.read(name)? {
            View::Real(x) => Ok(x),
            View::Int(_) => Err(Error::Input(format!(
                "{name} holds integers: read it with ints"
            ))),
        }
    }

    /// A field of integers, N × shape. Fails like [`Batch::read`], also on a field of reals.
    pub fn ints(&mut self, name: &str) -> Result<&[i32]> {
        match self.read(name)? {
            View::Int(x) => Ok(x),
            View::Real(_) => Err(Error::Input(format!(
                "{name} holds reals: read it with reals"
            ))),
        }
    }

    /// Every array of every world, in the layout of the twins; on a device without the working memory of stages, such as `qH`.
    /// Meant for inspecting a few worlds.
    pub fn worlds(&mut self) -> Result<Vec<Data>> {
        let mut out = vec![Data::new(&self.model); self.nworld];
        for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
            let words = field.words(&self.model);
            if words == 0 || !self.worlds.keeps(field) {
                continue;
            }
            let rows = self.worlds.read(&self.model, field)?;
            for (w, d) in out.iter_mut().enumerate() {
                use crate::fields::ViewMut;
                match (rows, d.view_mut(field.row)) {
                    (View::Int(x), Some(ViewMut::Int(to))) => {
                        to.copy_from_slice(&x[w * words..][..words])
                    }
                    (View::Real(x), Some(ViewMut::Real(to))) => {
                        to.copy_from_slice(&x[w * words..][..words])
                    }
                    _ => {}
                }
            }
        }
        Ok(out)
    }

    /// Sets an input of all worlds: `values` is N × shape, or one row for all.
    ///
    /// Inputs are `time qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat eq_active qacc_warmstart history
    /// plastic userdata`, and `qacc` for [`Batch::inverse`]. Fails with [`Error::Input`] on another name or number of values. The
    /// values are not checked: a world with bad values is flagged when it steps.
    pub fn set(&mut self, name: &str, values: &[f64]) -> Result<()> {
        if self.set_own(name, None, values)? {
            return Ok(());
        }
        let field = self.input(name, values.len())?;
        self.put(field, None, values)
    }

    /// Sets an input of the worlds whose mask is true: `values` is N × shape, or one row for all of them. Fails like
    /// [`Batch::set`], also on a mask of another length than N.
    pub fn set_where(&mut self, name: &str, mask: &[bool], values: &[f64]) -> Result<()> {
        self.check_mask(mask)?;
        if self.set_own(name, Some(mask), values)? {
            return Ok(());
        }
        let field = self.input(name, values.len())?;
        self.put(field, Some(mask), values)
    }

    fn put(&mut self, field: &'static Field, mask: Mask<'_>, values: &[f64]) -> Result<()> {
        let at = Columns::all(field.words(&self.model));
        self.worlds
            .write(&self.model, field, mask, at, In::F64(values))
    }

    fn input(&self, name: &str, len: usize) -> Result<&'static Field> {
        let field = self.input_field(name)?;
        let words = field.words(&self.model);
        self.check_rows(name, words, len)?;
        Ok(field)
    }

    /// The input of a name.
    pub(crate) fn input_field(&self, name: &str) -> Result<&'static Field> {
        let field = field(name)?;
        if !INPUTS.contains(&name) && name != "qacc" {
            let inputs = INPUTS.join(" ");
            return Err(Error::Input(format!(
                "{name} is computed and cannot be set; inputs are {inputs}"
            )));
        }
        Ok(field)
    }

    fn check_mask(&self, mask: &[bool]) -> Result<()> {
        let (need, have) = (self.nworld, mask.len());
        match have == need {
            true => Ok(()),
            false => Err(Error::Input(format!(
                "the mask has {have} entries for {need} worlds: give one for each world"
            ))),
        }
    }

    /// The worlds that diverged or overflowed since they were last reset, in order.
    pub fn flags(&mut self) -> Result<Vec<Flag>> {
        let mut flags = vec![Flag::default(); self.nworld];
        for (flag, (w, bits)) in flags
            .iter_mut()
            .zip(self.ints("overflow")?.iter().enumerate())
        {
            (flag.world, flag.overflow) = (w, *bits);
        }
        for (flag, row) in flags.iter_mut().zip(self.ints("warning")?.as_chunks().0) {
            flag.warning = *row;
        }
        for (flag, row) in flags.iter_mut().zip(self.ints("needed")?.as_chunks().0) {
            flag.needed = *row;
        }
        flags.retain(Flag::is_set);
        Ok(flags)
    }

    /// Time that each stage takes in a step, summed over the worlds (s), the minimum over the next `n` steps: time of the device,
    /// or of one CPU thread. Empty if the backend cannot measure it.
    pub fn stage_times(&mut self, n: usize) -> Result<Vec<(String, f64)>> {
        self.settle_own()?;
        Ok(self.worlds.stage_times(&self.model, n)?.unwrap_or_default())
    }
}

// overflows that more room prevents
const KINDS: i32 = crate::types::OVERFLOW_CONTACT | crate::types::OVERFLOW_CONSTRAINT;

type Opened = (Box<dyn Worlds>, Option<String>);

fn open(m: &Model, nworld: usize, settings: &Settings) -> Result<Opened> {
    Ok(match settings.backend {
        Backend::Cpu => (cpu::open(m, nworld, settings)?, None),
        Backend::Simd => (cpu::open_simd(m, nworld, settings)?, None),
        Backend::Gpu => (gpu::open(m, nworld, settings)?, None),
        Backend::Auto => {
            let (worlds, why) = auto::open(m, nworld, settings)?;
            (worlds, Some(why))
        }
    })
}
