//! Worlds and pictures on a device that your program also uses otherwise: [`Batch::on`](crate::Batch::on) makes worlds there, and
//! `Renderer::on` and `Show::on` of `picture` draw. Only this module has types of another library in its public API.

use crate::batch::{Batch, field};
use crate::error::{Error, Result};
#[doc(inline)]
pub use crate::gpu::Device;
#[doc(inline)]
pub use crate::gpu::device::{Adapter, Choice, Request, adapters};
use crate::gpu::transfer::Place;
/// The library that these devices come from.
pub use wgpu;

impl Device {
    /// A device that is already open and that a window, a page or a learning library also uses. `wgpu` is that of
    /// [`crate::wgpu_interop::wgpu`].
    ///
    /// From now on [`Device::check`] reports uncaptured errors and the loss of the device; handlers that were set before are
    /// replaced. Fails with [`Error::Size`] where the device was opened with limits below those of WebGPU
    /// that kernels need.
    ///
    /// ```no_run
    /// # async fn on(adapter: &manyworlds::wgpu_interop::wgpu::Adapter) -> Result<(), Box<dyn std::error::Error>> {
    /// use manyworlds::wgpu_interop::{Device, wgpu};
    /// use manyworlds::{Batch, Model, Settings};
    ///
    /// let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
    /// let device = Device::from_wgpu(device, queue)?;
    /// let model = Model::from_xml_path("models/humanoid.xml")?;
    /// let mut batch = Batch::on(&device, &model, 64, Settings::default()).await?;
    /// batch.step(100)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::around(device, queue)
    }

    /// Opens a device of your adapter (one that draws too, say), with the limits and features that kernels use, where the adapter has them.
    ///
    /// Fails with [`Error::Device`] where the driver refuses, and like [`Device::from_wgpu`].
    pub async fn of_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::of(adapter, false).await
    }

    /// The wgpu device and its queue, for a painter of your own.
    pub fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }
}

impl Batch {
    /// The device that the worlds are on, where kernels compute. Worlds that are drawn there need not be read first
    /// (`Scene::draws_on` of `picture`).
    pub fn wgpu_device(&self) -> Option<&Device> {
        self.gpu().map(crate::gpu::Gpu::device)
    }

    /// Copies a field of all worlds into a buffer of your program, N × shape from byte `at` on, world after world: `f32`, or `i32` for
    /// integers. The copy stays on the device; it is submitted to the queue of the worlds, behind all that was submitted before, and not
    /// waited for.
    ///
    /// The buffer must be of the worlds' device, with the usage `STORAGE`; `at` is a multiple of 4. Fails with [`Error::Input`] where it is not, on
    /// a name that is no array of a world, on an array that the device does not keep, and where the worlds are on no device; with
    /// [`Error::Size`] where the buffer is too small.
    ///
    /// ```no_run
    /// # use manyworlds::wgpu_interop::wgpu;
    /// # fn policy(seen: &wgpu::Buffer, action: &wgpu::Buffer) {}
    /// # fn learn(batch: &mut manyworlds::Batch, seen: &wgpu::Buffer, action: &wgpu::Buffer) -> manyworlds::Result<()> {
    /// batch.copy_to("qpos", seen, 0)?;
    /// policy(seen, action); // kernels of your own on the same queue
    /// batch.set_from("ctrl", action, 0)?;
    /// batch.step(5)
    /// # }
    /// ```
    pub fn copy_to(&mut self, name: &str, to: &wgpu::Buffer, at: u64) -> Result<()> {
        let field = field(name)?;
        self.on_device()?.copy_to(field, Place { buffer: to, at })
    }

    /// Sets an input of all worlds from a buffer of your program, in the layout of [`Batch::copy_to`], whose errors it has. Inputs are
    /// those of [`Batch::set`]; integers are refused.
    pub fn set_from(&mut self, name: &str, from: &wgpu::Buffer, at: u64) -> Result<()> {
        let field = self.input_field(name)?;
        let place = Place { buffer: from, at };
        self.on_device()?.copy_from(field, place)?;
        self.changed_on_device();
        Ok(())
    }

    fn on_device(&self) -> Result<&crate::gpu::Gpu> {
        let why = "the worlds are on no device: make them with Batch::on";
        self.gpu().ok_or_else(|| Error::Input(why.to_owned()))
    }
}
