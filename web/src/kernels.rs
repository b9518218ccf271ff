//! Worlds on the browser's GPU, where the kernels run. The host cannot wait for it: steps are submitted and return at once, and
//! arrays are asked for before they are read.

use crate::folder::Folder;
use crate::graphics::Graphics;
use crate::sim::{Said, Sim, said};
use manyworlds::batch::{self, Overflow, Settings, Unroll};
use manyworlds::picture::{Options, Show};
use manyworlds::wgpu_interop::{Device, Request};
use std::pin::Pin;
use wasm_bindgen::prelude::wasm_bindgen;

/// A pending read of arrays from the GPU.
#[wasm_bindgen]
pub struct Asked(Pin<Box<dyn Future<Output = manyworlds::Result<batch::Brought>>>>);

#[wasm_bindgen]
impl Asked {
    /// Waits for the arrays.
    pub async fn brought(self) -> Said<Brought> {
        self.0.await.map(Brought).map_err(said)
    }
}

/// Arrays that have come from the GPU.
#[wasm_bindgen]
pub struct Brought(batch::Brought);

#[wasm_bindgen]
impl Sim {
    /// `nworld` worlds of the model at this path of a folder, on the browser's GPU, with this gravity along z (m/s²) in place of the
    /// model's if it is given. They are on the device `graphics` that draws them, or on a new one without it. Fails with a sentence where
    /// there is no such GPU, or its memory is too small.
    pub async fn on_gpu(
        folder: &Folder,
        path: String,
        nworld: usize,
        gravity: Option<f64>,
        graphics: Option<Graphics>,
    ) -> Said<Sim> {
        let mut model = folder.compile(&path).map_err(said)?;
        if let Some(z) = gravity {
            let changed = model.edit(|m| m.opt.gravity = [0.0, 0.0, z]);
            changed.map_err(said)?;
        }
        let settings = Settings::default()
            .overflow(Overflow::Continue)
            .unroll(Unroll::Never);
        let device = match graphics {
            Some(Graphics(device)) => device,
            None => Device::request(&Request::any()).await.map_err(said)?,
        };
        let options = Options::default();
        let show = Show::on(&device, &model, nworld, settings, &options);
        show.await.map(Self).map_err(said)
    }

    /// True if a call failed because its array has to be asked for first.
    pub fn lacks(&mut self) -> bool {
        self.0.batch_mut().lacks()
    }

    /// Asks for all arrays that were read since the last call.
    pub fn ask(&mut self) -> Said<Asked> {
        let asked = self.0.batch_mut().ask().map_err(said)?;
        Ok(Asked(Box::pin(asked)))
    }

    /// Puts the arrays that were asked for on the host, until the worlds change.
    pub fn give(&mut self, brought: Brought) {
        self.0.batch_mut().take(brought.0);
    }
}

impl Sim {
    /// The worlds are drawn on this device: poses computed there need not be read to the host.
    pub fn drawn_on(&mut self, graphics: &Graphics) {
        if self.0.batch().wgpu_device().is_some() {
            self.0.scene_mut().draws_on(&graphics.0);
        }
    }
}
