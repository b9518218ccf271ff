//! Worlds on a device that is given, and that may be none that can be waited for, as in a page: there what is read is asked for first.
//!
//! ```text
//! read("qpos") ─▶ is not at hand: an error, and remembered ─▶ ask() ─▶ … .await ─▶ take(brought) ─▶ read("qpos") ─▶ numbers
//! ```

use std::collections::BTreeMap;

use super::{Backend, Batch, Overflow, Settings, gpu, prepared};
use crate::error::{Error, Result};
use crate::fields::{Field, Model};
use crate::gpu::{Asked, Device, Gpu, Values};

/// Arrays of all worlds on their way from the device to the host ([`Batch::ask`]).
#[derive(Debug)]
pub struct Brought {
    arrays: Vec<(&'static Field, Values)>,
    // how often the worlds had changed when they were asked for
    changes: u64,
}

/// What is at hand of worlds that have to be asked for what they hold.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    // brought since the worlds changed for the last time
    arrays: BTreeMap<&'static str, Values>,
    // how often they changed
    changes: u64,
    // read since they were last asked
    read: Vec<&'static Field>,
    // whether any of these was not at hand
    lacks: bool,
}

impl Unseen {
    /// The worlds are no longer what they were.
    pub fn change(&mut self) {
        self.changes += 1;
        self.arrays.clear();
    }

    /// An array of all worlds. Fails with [`Error::Device`] if it is not at hand, and asks for it the next time.
    pub fn read(&mut self, field: &'static Field) -> Result<Values> {
        if !self.read.iter().any(|read| read.name == field.name) {
            self.read.push(field);
        }
        self.arrays.get(field.name).cloned().ok_or_else(|| {
            self.lacks = true;
            Error::Device(format!(
                "{} is on a device that cannot be waited for: ask for it and take what is brought (Batch::reading)",
                field.name
            ))
        })
    }

    /// Asks for all that was read since the last time.
    pub fn ask(&mut self, gpu: &Gpu) -> Result<(Asked, u64)> {
        self.lacks = false;
        Ok((gpu.ask(&std::mem::take(&mut self.read))?, self.changes))
    }

    fn take(&mut self, brought: Brought) {
        if brought.changes == self.changes {
            let arrays = brought.arrays.into_iter();
            self.arrays
                .extend(arrays.map(|(field, values)| (field.name, values)));
        }
    }
}

impl Batch {
    /// `nworld` worlds at `qpos0` on a device that is open already, where the kernels compute: `backend` and `adapter` of the settings
    /// say nothing here. What worlds are made of later by themselves (more room, [`Batch::transition`]) is on the same device.
    ///
    /// Where the device cannot be waited for ([`Device::waits`]), [`Batch::step`], [`Batch::step1`], [`Batch::forward`], resets and
    /// inputs are submitted and return at once, and what is read has to be asked for ([`Batch::reading`]); calls that need an
    /// answer on their way fail with [`Error::Device`].
    ///
    /// Fails like [`Batch::with`], and with [`Error::Input`] where the device cannot be waited for and the settings' `overflow` is not
    /// [`Overflow::Continue`], since nobody can look before the next step.
    pub async fn on(
        device: &Device,
        model: &Model,
        nworld: usize,
        settings: Settings,
    ) -> Result<Self> {
        if !device.waits() && settings.overflow != Overflow::Continue {
            let msg = "on a device that cannot be waited for, worlds that overflow can only go on (Overflow::Continue)";
            return Err(Error::Input(msg.to_owned()));
        }
        let settings = Settings {
            backend: Backend::Gpu,
            adapter: None,
            ..settings
        };
        let (model, settings) = prepared(model, nworld, settings)?;
        let worlds = gpu::on(device, &model, nworld, &settings, true).await?;
        Ok(Self::of(model, nworld, settings, (worlds, None)))
    }

    /// What `read` finds, called as often as it lacks an array that has to be brought from the device first: it must change nothing
    /// before it has read all that it needs. Where the worlds need not be asked, it is called once.
    ///
    /// Fails like `read`, and with [`Error::Device`] where the device does.
    pub async fn reading<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        loop {
            match read(self) {
                Err(_) if self.lacks() => {
                    let brought = self.ask()?.await?;
                    self.take(brought);
                }
                found => return found,
            }
        }
    }

    /// True if a read failed because its array has to be asked for.
    pub fn lacks(&mut self) -> bool {
        self.worlds.unseen().is_some_and(|unseen| unseen.lacks)
    }

    /// Asks for all arrays that were read since this was called last, as they are now: the future holds nothing of the batch, which can
    /// go on meanwhile. Once it is there, [`Batch::take`] puts it at hand. There is nothing in it where the worlds need not be asked.
    ///
    /// Fails with [`Error::Size`] where all of them together are more than a buffer of the device holds; the future fails with
    /// [`Error::Device`] where the device does.
    pub fn ask(&mut self) -> Result<impl Future<Output = Result<Brought>> + Send + use<>> {
        let asked = self.worlds.ask()?;
        Ok(async {
            let Some((asked, changes)) = asked else {
                return Ok(Brought {
                    arrays: Vec::new(),
                    changes: 0,
                });
            };
            Ok(Brought {
                arrays: asked.answer().await?,
                changes,
            })
        })
    }

    /// Puts at hand what was asked for, until the worlds change. What they have changed since it was asked for is let go.
    pub fn take(&mut self, brought: Brought) {
        if let Some(unseen) = self.worlds.unseen() {
            unseen.take(brought);
        }
    }
}
