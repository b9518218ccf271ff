//! Worlds on a device that the caller gives. The host may be unable to wait for it, as in a web page: there an array is asked for before it is read.
//!
//! ```text
//! read("qpos") ─▶ not on the host: an error, and remembered ─▶ ask() ─▶ … .await ─▶ take(brought) ─▶ read("qpos") ─▶ numbers
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
    // the change counter of the worlds when the arrays were asked for
    changes: u64,
}

/// Arrays on the host, of worlds whose device cannot be waited for.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    // arrays brought since the worlds last changed
    arrays: BTreeMap<&'static str, Values>,
    // how often the worlds changed
    changes: u64,
    // fields read since the last ask
    read: Vec<&'static Field>,
    // whether any field in `read` was not on the host
    lacks: bool,
}

impl Unseen {
    /// The worlds changed: the arrays on the host are out of date.
    pub fn change(&mut self) {
        self.changes += 1;
        self.arrays.clear();
    }

    /// An array of all worlds. Fails with [`Error::Device`] if it is not on the host, and the next [`Unseen::ask`] asks for it.
    pub fn read(&mut self, field: &'static Field) -> Result<Values> {
        if !self.read.iter().any(|read| read.name == field.name) {
            self.read.push(field);
        }
        self.arrays.get(field.name).cloned().ok_or_else(|| {
            self.lacks = true;
            Error::Device(format!(
                "{} is on a device that this host cannot wait for: read it within Batch::reading, or call Batch::ask and \
                 Batch::take first",
                field.name
            ))
        })
    }

    /// Asks for all fields that were read since the last call.
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
    /// `nworld` worlds at `qpos0` on a device that is open already and runs the kernels: `backend` and `adapter` of the settings
    /// are ignored. Worlds that the batch makes later by itself (more room, [`Batch::transition`]) are on the same device.
    ///
    /// Where the device cannot be waited for ([`Device::waits`]), [`Batch::step`], [`Batch::step1`], [`Batch::forward`], resets and
    /// inputs are submitted and return at once, and an array has to be asked for before it is read ([`Batch::reading`]). Calls that need an
    /// answer from the device before they return fail with [`Error::Device`].
    ///
    /// Fails like [`Batch::with`], and with [`Error::Input`] where the device cannot be waited for and the settings' `overflow` is not
    /// [`Overflow::Continue`], since the overflow bits cannot be read before the next step.
    pub async fn on(
        device: &Device,
        model: &Model,
        nworld: usize,
        settings: Settings,
    ) -> Result<Self> {
        if !device.waits() && settings.overflow != Overflow::Continue {
            let msg = "the settings' overflow has to be Overflow::Continue, because this host cannot wait for its device";
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

    /// The result of `read`. `read` is called again as often as it lacks an array that has to be brought from the device first, so it must
    /// change nothing before it has read all the arrays that it needs. Where the host can wait for the device, `read` is called once.
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

    /// True if a read failed because its array has to be asked for first.
    pub fn lacks(&mut self) -> bool {
        self.worlds.unseen().is_some_and(|unseen| unseen.lacks)
    }

    /// Asks for the present values of all arrays that were read since the last call. The future borrows nothing of the batch, which can
    /// go on meanwhile. [`Batch::take`] puts the result on the host. The result is empty where the host can wait for the device.
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

    /// Puts the arrays that were asked for on the host, until the worlds change. If the worlds have changed since the ask, the arrays are dropped.
    pub fn take(&mut self, brought: Brought) {
        if let Some(unseen) = self.worlds.unseen() {
            unseen.take(brought);
        }
    }
}
