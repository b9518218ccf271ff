//! Worlds and pictures on a device of your own, beside what else runs on it: [`Batch::on`](crate::Batch::on) makes worlds there, and `Renderer::on` and
//! `Show::on` of `picture` draw. Here alone types of another library are part of what this one promises.

use crate::batch::Batch;
use crate::error::Result;
#[doc(inline)]
pub use crate::gpu::Device;
#[doc(inline)]
pub use crate::gpu::device::{Adapter, Choice, Request, adapters};
/// The library that devices are of.
pub use wgpu;

impl Device {
    /// A device that is open already, for worlds beside what else runs on it: a window, a page, a library for learning. `wgpu` is
    /// that of [`crate::wgpu_interop::wgpu`].
    ///
    /// From now on [`Device::check`] tells of errors that no scope catches and of the loss of the device, in place of who was told
    /// before. Fails with [`Error::Size`](crate::Error::Size) where the device was opened with limits below those of WebGPU that kernels need.
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

    /// The device of an adapter that is yours, with the limits and features that kernels use where the adapter has them: one that draws too, say.
    ///
    /// Fails with [`Error::Device`](crate::Error::Device) where the driver refuses, and like [`Device::from_wgpu`].
    pub async fn of_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::of(adapter, false).await
    }

    /// The device and its queue as that library knows them, for a painter of one's own.
    pub fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }
}

impl Batch {
    /// The device that the worlds are on, where kernels compute. What is drawn there need not be read first (`Scene::draws_on` of `picture`).
    pub fn wgpu_device(&self) -> Option<&Device> {
        self.gpu().map(crate::gpu::Gpu::device)
    }
}
