//! Operations of a backend.

#[cfg(feature = "gpu")]
use super::asked;
use super::slices::{Columns, In, Out};
use super::{Backend, Memory, Settings, field, memory, own};
use crate::error::Result;
use crate::fields::{Field, Model, View};
use crate::stages::{Part, Skip};

/// Some of the worlds: those whose mask is true, or all.
pub(crate) type Mask<'a> = Option<&'a [bool]>;

/// A computation from the state of every world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// This number of steps.
    Step(usize),
    /// Forward dynamics: everything that depends on the state, or the part that is not up to date.
    Forward(Part),
    /// The first half of a step: everything that depends on position and velocity.
    Step1,
    /// A step with the controls as they are set: the user's control function is not called.
    Step2,
    /// Inverse dynamics: the force that the acceleration takes, in full or in the part that is not up to date.
    Inverse(Part),
}

impl What {
    /// Number of steps of the computation.
    pub(crate) fn steps(self) -> usize {
        match self {
            Self::Step(n) => n,
            Self::Step2 => 1,
            Self::Forward(_) | Self::Step1 | Self::Inverse(_) => 0,
        }
    }

    /// True if the computation reuses arrays of an earlier one.
    pub(crate) fn goes_on(self) -> bool {
        matches!(self, Self::Forward(part) | Self::Inverse(part) if part.skip != Skip::None)
    }
}

/// One pass over all worlds: the state kept aside, inputs, a computation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    /// The computation.
    pub what: What,
    /// The worlds that are wanted; the computation of others may be left out.
    pub mask: Mask<'a>,
    /// The state is kept aside first, for [`Worlds::back`].
    pub keep: bool,
    /// Fields that are set before anything is computed.
    pub fields: &'a [&'static Field],
    /// Name and values of all worlds, for each of `fields`.
    pub given: &'a [(&'a str, In<'a>)],
}

impl<'a> Pass<'a> {
    /// Fields that are set before the computation, and the values of all worlds for each field.
    pub fn inputs(&self) -> impl Iterator<Item = (&'static Field, In<'a>)> {
        let given = self.given.iter().map(|(_, values)| *values);
        self.fields.iter().copied().zip(given)
    }
}

/// Operations of a backend; every method of [`Batch`] is built from them.
pub(crate) trait Worlds: std::fmt::Debug + Send + Sync {
    /// The backend.
    fn backend(&self) -> Backend;
    /// One line: the backend and its device.
    fn device(&self) -> String;
    /// Takes every world through a pass.
    fn run(&mut self, m: &Model, pass: &Pass<'_>) -> Result<()>;
    /// Puts all worlds back to the state that the last pass kept aside.
    fn back(&mut self) -> Result<()>;
    /// The bits of `overflow` that any world had after the last pass.
    fn overflow(&mut self, m: &Model) -> Result<i32> {
        let View::Int(bits) = self.read(m, field("overflow")?)? else {
            return Ok(0);
        };
        Ok(bits.iter().fold(0, |all, bits| all | bits))
    }
    /// A field of all worlds, world after world.
    fn read(&mut self, m: &Model, field: &'static Field) -> Result<View<'_>>;
    /// Fills the columns of a field in the rows of some worlds, among rows of all worlds.
    fn read_into(
        &mut self,
        m: &Model,
        field: &'static Field,
        mask: Mask<'_>,
        at: Columns,
        out: Out<'_>,
    ) -> Result<()>;
    /// Writes a field of some worlds, from its columns of `values`: one row for all of them, or a row for every world of the
    /// batch.
    fn write(
        &mut self,
        m: &Model,
        field: &'static Field,
        mask: Mask<'_>,
        at: Columns,
        values: In<'_>,
    ) -> Result<()>;
    /// Puts some worlds back to `qpos0`, at rest, unflagged.
    fn reset(&mut self, m: &Model, mask: Mask<'_>) -> Result<()>;
    /// The same worlds, in code that reads values of their own; `None` if this code does so.
    fn apart(&mut self, _m: &Model) -> Option<Box<dyn Worlds>> {
        None
    }
    /// Gives every world its own model, which differs from the shared one in the named fields and in the fields derived from
    /// them; `news` lists the changes since the models were last given.
    fn differ(
        &mut self,
        shared: &Model,
        models: &own::Models,
        names: &[&'static str],
        news: &[own::News],
    ) -> Result<()>;
    /// Drops the models of the worlds; the caller gives new ones before any other call.
    fn let_go(&mut self);
    /// Copies the state of one world to others.
    fn copy(&mut self, m: &Model, from: usize, to: &[usize]) -> Result<()>;
    /// False for an array whose values are lost when its stage ends.
    fn keeps(&self, _field: &'static Field) -> bool {
        true
    }
    /// Memory that the worlds take.
    fn memory(&self) -> Memory;
    /// Free memory for further worlds (bytes), as far as it is known.
    fn at_hand(&self) -> u64 {
        memory::available()
    }
    /// Seconds that each stage took since the last call, over all worlds; `None` if this is not measured.
    fn stage_times(&mut self, m: &Model, n: usize) -> Result<Option<Vec<(String, f64)>>>;
    /// Worlds of another model or of another number, on the device that was passed in for these; `None` if none was passed in.
    fn beside(
        &self,
        _m: &Model,
        _nworld: usize,
        _settings: &Settings,
    ) -> Result<Option<Box<dyn Worlds>>> {
        Ok(None)
    }
    /// The worlds as they lie on a device; `None` with the other backends.
    #[cfg(feature = "gpu")]
    fn gpu(&self) -> Option<&crate::gpu::Gpu> {
        None
    }
    /// Tells the worlds on a device that one of their arrays was written there.
    #[cfg(feature = "gpu")]
    fn changed(&mut self) {}
    /// Arrays that must be requested before they can be read; `None` where reads are answered at once.
    #[cfg(feature = "gpu")]
    fn unseen(&mut self) -> Option<&mut asked::Unseen> {
        None
    }
    /// Requests the arrays that were read; also returns the number of changes of the worlds so far.
    #[cfg(feature = "gpu")]
    fn ask(&mut self) -> Result<Option<(crate::gpu::Asked, u64)>> {
        Ok(None)
    }
}
