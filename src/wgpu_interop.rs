//! Worlds and pictures on a device that your program also uses otherwise: [`Batch::on`](crate::Batch::on) makes worlds there, and
//! `Renderer::on` and `Show::on` of `picture` draw. Only this module has types of another library in its public API.

use crate::batch::Batch;
use crate::error::Result;
#[doc(inline)]
pub use crate::gpu::Device;
#[doc(inline)]
pub use crate::gpu::device::{Adapter, Choice, Request, adapters};
/// The library that these devices come from.
pub use wgpu;

impl Device {
    /// A device that is already open and that a window, a page or a learning library also uses. `wgpu` is that of
    /// [`crate::wgpu_interop::wgpu`].
    ///
    /// From now on [`Device::check`] reports uncaptured errors and the loss of the device; handlers that were set before are
    /// replaced. Fails with [`Error::Size`](crate::Error::Size) where the device was opened with limits below those of WebGPU
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
    /// Fails with [`Error::Device`](crate::Error::Device) where the driver refuses, and like [`Device::from_wgpu`].
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
}
