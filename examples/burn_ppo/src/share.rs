//! One device for worlds and tensors.

use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;
use burn_dispatch::backends::Cube;
use burn_tensor::Tensor;
use cubecl_wgpu::{AutoCompiler, WgpuServer, WgpuSetup};
use manyworlds::wgpu_interop::{Device, wgpu};
use manyworlds::{Batch, Model, Settings};

use crate::Result;

/// The device, as worlds and as tensors see it.
pub struct Shared {
    pub worlds: Device,
    pub tensors: burn_tensor::Device,
}

impl Shared {
    /// Opens the best adapter with all its features and limits: tensors use those that there are. Random numbers of tensors follow from the seed.
    pub fn open(seed: u64) -> Result<Self> {
        pollster::block_on(async {
            let instance = wgpu::Instance::default();
            let adapter = instance
                .request_adapter(&wgpu::RequestAdapterOptions::default())
                .await?;
            let wanted = wgpu::DeviceDescriptor {
                required_features: adapter.features() - wgpu::Features::all_experimental_mask(),
                required_limits: adapter.limits(),
                ..wgpu::DeviceDescriptor::default()
            };
            let (device, queue) = adapter.request_device(&wanted).await?;
            let setup = WgpuSetup {
                backend: adapter.get_info().backend,
                instance,
                adapter,
                device: device.clone(),
                queue: queue.clone(),
            };
            let tensors = burn_tensor::Device::wgpu_options().setup(setup).init()?;
            tensors.seed(seed);
            // burn takes the handler of errors for itself: take it back, so that a call of the batch reports them
            let worlds = Device::from_wgpu(device, queue)?;
            Ok(Self { worlds, tensors })
        })
    }

    /// Worlds of a model on the device.
    pub fn batch(&self, model: &Model, nworld: usize) -> Result<Batch> {
        let made = Batch::on(&self.worlds, model, nworld, Settings::default());
        Ok(pollster::block_on(made)?)
    }

    /// A field of reals of all worlds, one row for each world.
    pub fn read(&self, batch: &mut Batch, name: &str) -> Result<Tensor<2>> {
        let words = Batch::field(name)?.words(batch.model());
        let tensor = Tensor::<2>::empty([batch.nworld(), words], &self.tensors);
        let cube = primitive(tensor.clone())?;
        let (buffer, at) = place(&cube)?;
        batch.copy_to(name, &buffer, at)?;
        Ok(tensor)
    }
}

/// Sets an input of all worlds from the rows of a tensor.
pub fn set(batch: &mut Batch, name: &str, tensor: Tensor<2>) -> Result<()> {
    let cube = into_contiguous(primitive(tensor)?);
    let (buffer, at) = place(&cube)?;
    Ok(batch.set_from(name, &buffer, at)?)
}

fn primitive(tensor: Tensor<2>) -> Result<CubeTensor> {
    let cube = tensor.try_into_primitive::<Cube>();
    cube.map_err(|e| format!("not a tensor of a device: {e:?}").into())
}

// the buffer of a tensor and its first byte there; all work on tensors so far is submitted before what is submitted next
fn place(tensor: &CubeTensor) -> Result<(wgpu::Buffer, u64)> {
    tensor.client.flush().map_err(|e| format!("{e:?}"))?;
    let handle = tensor.handle.clone();
    let resource = tensor
        .client
        .get_resource::<WgpuServer<AutoCompiler>>(handle);
    let resource = resource.map_err(|e| format!("{e:?}"))?;
    let resource = resource.resource();
    Ok((resource.buffer.clone(), resource.offset))
}
