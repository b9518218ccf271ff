//! How a batch is made: its backend, its room, its threads.

use super::tuning::{Choice, Unroll};
use crate::error::{Error, Result};
use crate::fields::Model;
use crate::types::ENBL_SOLVERSTAT;

/// The backend that computes the worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// The fastest backend that the machine and the model allow: a hardware GPU, else worlds side by side, else the reference.
    /// [`Batch::device`](crate::Batch::device) says which and why.
    #[default]
    Auto,
    /// The reference: the twins, in `f64`, on all threads.
    Cpu,
    /// The twins for 8 or 16 worlds side by side in SIMD lanes, in `f32`, on all threads: the fastest without a GPU.
    ///
    /// Its results have the bits of the processor level that the crate was built for ([`crate::level`]); the reference has the
    /// same bits on every level.
    Simd,
    /// The kernels, in `f32`, on the best adapter there is: a software one if there is no hardware.
    Gpu,
}

/// Response to a world that needs more contacts or constraint rows than it has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflow {
    /// [`Batch::step`](crate::Batch::step) and [`Batch::forward`](crate::Batch::forward) fail with the capacities that were needed, until
    /// the world is reset.
    Error,
    /// The buffers grow and the call is repeated from its start. Costs a copy of the state for each call, unless there is room
    /// for every contact and row that the model could ever have. Larger buffers may take a share of the free memory
    /// ([`Settings::growth`]); worlds that need more go on as with [`Overflow::Continue`], and [`Batch::full`](crate::Batch::full) says so.
    #[default]
    Grow,
    /// The world goes on without the contacts and rows that did not fit; [`Batch::flags`](crate::Batch::flags) names it.
    Continue,
}

settable! {
    /// How a batch is made.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Settings {
        /// The backend that computes the worlds.
        pub backend: Backend,
        /// Response to a world that overflows.
        pub overflow: Overflow,
        /// Contacts that a world has room for; the model's `nconmax` if not given.
        pub nconmax: Option<usize>,
        /// Constraint rows that a world has room for; the model's `njmax` if not given.
        pub njmax: Option<usize>,
        /// `Overflow::Grow`: share of the free memory that larger buffers may take (percent); 10 if not given.
        pub growth: Option<u8>,
        /// CPU: number of threads; all if not given. No more than four a processor are made.
        pub threads: Option<usize>,
        /// Forces between bodies (`cacc cfrc_int cfrc_ext`) are computed once more after the last step of every call, as by a
        /// `mj_rnePostConstraint` after `mj_step`. Not on a device.
        pub rne_post: bool,
        /// Statistics of each iteration of the solver are kept (`mjSolverStat`, the model's flag `ENBL_SOLVERSTAT`), for [`Batch::read`](crate::Batch::read) by its name:
        /// `solver_improvement solver_gradient solver_lineslope solver_nactive solver_nchange solver_neval solver_nupdate`, N × `ntree` ×
        /// `nsolver`: of each island the iterations that it took (`island_niter`, which the cores have), and behind them those of no-slip; the
        /// rest is 0.
        pub solver_stat: bool,
        /// GPU: the first adapter whose name contains these letters.
        pub adapter: Option<String>,
        /// GPU: lanes that work on one world; chosen from model and adapter if not given.
        pub lanes: Option<u32>,
        /// GPU: which kernels are specialized to the model, with their loops unrolled.
        pub unroll: Unroll,
        /// GPU: all parameters of how kernels run, in place of `lanes` and `unroll`; `bench --tune` tries them.
        pub tuning: Option<Choice>,
        /// GPU: earlier results of `bench --tune` are not looked up.
        pub no_cache: bool,
    }
}

impl Settings {
    /// Number of host threads that the batch may use.
    pub(crate) fn nthread(&self) -> usize {
        self.threads
            .unwrap_or_else(rayon::current_num_threads)
            .max(1)
    }
}

// the asked capacity, checked: numbers of contacts and rows are 32-bit words
fn room(name: &str, asked: Option<usize>) -> Result<Option<usize>> {
    const MOST: usize = 1 << 24;
    match asked {
        Some(n) if n > MOST => Err(Error::Input(format!(
            "{name} {n}: a world has room for {MOST} at most"
        ))),
        asked => Ok(asked),
    }
}

/// The model with the capacities asked for, and the settings, both checked
pub(super) fn prepared(
    model: &Model,
    nworld: usize,
    settings: Settings,
) -> Result<(Model, Settings)> {
    let missing = crate::compile::missing(model);
    if !missing.is_empty() {
        return Err(Error::Missing(missing));
    }
    let mut model = model.clone();
    let (nconmax, njmax) = (
        room("nconmax", settings.nconmax)?,
        room("njmax", settings.njmax)?,
    );
    let room = (
        nconmax.unwrap_or(model.nconmax),
        njmax.unwrap_or(model.njmax),
    );
    model.set_room(room.0, room.1)?;
    if settings.solver_stat {
        model.edit(|m| m.opt.enableflags |= ENBL_SOLVERSTAT)?;
    }
    let most = 4 * std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        threads: settings.threads.map(|n| n.min(most)),
        ..settings
    };
    let nworld_fits = u32::try_from(nworld).is_ok_and(|n| n < u32::MAX);
    if nworld == 0 || !nworld_fits {
        return Err(Error::Input(format!(
            "a batch has 1 to {} worlds, not {nworld}",
            u32::MAX - 1
        )));
    }
    Ok((model, settings))
}
