//! Draws pictures into memory, on a device that it opens or is given.

use super::{Options, Scene};
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::gpu::device::{Choice, Device};
use crate::model::Model;
use manyworlds_view::{Identity, Painter, Picture};

/// Draws the worlds of batches of one model.
pub struct Renderer {
    device: Device,
    scene: Scene,
    painter: Painter,
}

impl Renderer {
    /// A renderer of a model's worlds, of which a batch has `nworld`.
    ///
    /// Fails with [`Error::Device`] where there is no adapter, or none that draws pictures of this size, and with
    /// [`Error::Input`] on a camera that the model does not have or a texture whose file cannot be read.
    pub fn new(m: &Model, nworld: usize, options: &Options) -> Result<Self> {
        let choice = match &options.adapter {
            Some(name) => Choice::Named(name.clone()),
            None => Choice::Any,
        };
        Self::on(&Device::shared(&choice)?, m, nworld, options)
    }

    /// Like [`Renderer::new`] on a device that is open already. Poses of worlds on the same device are not read to the host.
    ///
    /// Fails like [`Renderer::new`].
    pub fn on(device: &Device, m: &Model, nworld: usize, options: &Options) -> Result<Self> {
        let mut scene = Scene::new(m, nworld, options)?;
        scene.draws_on(device);
        let painter = Painter::new(&device.device, &device.queue, options.size, scene.assets())
            .map_err(fault)?;
        device.check()?;
        let device = device.clone();
        Ok(Self {
            device,
            scene,
            painter,
        })
    }

    /// A picture of the worlds in their present state.
    ///
    /// Fails with [`Error::Device`] where the device does, and with [`Error::Input`] on a batch of another model or of fewer worlds
    /// than are shown.
    pub fn draw(&mut self, batch: &mut Batch) -> Result<Picture> {
        let shot = self.scene.shoot(batch)?;
        let drawn = self.painter.draw(&shot.camera, &shot.place, &shot.layers);
        self.device.check()?;
        drawn.map_err(fault)
    }

    /// World and geom of each pixel, rows from the top; none where a pixel shows the sky or the floor. Sites are numbered after
    /// the geoms.
    ///
    /// Fails like [`Renderer::draw`].
    pub fn identify(&mut self, batch: &mut Batch) -> Result<Vec<Identity>> {
        let scene = &self.scene;
        let [_, solids] = scene.layers(batch)?;
        let (camera, place) = scene.view(batch, &solids)?;
        let shown = self.painter.identify(&camera, &place, &solids);
        self.device.check()?;
        let element = |[world, part]: [u32; 2]| {
            let element = scene.looks.solids.elements[part as usize].number(&scene.model);
            [world, element as u32]
        };
        let shown = shown.map_err(fault)?.into_iter();
        Ok(shown.map(|it| it.map(element)).collect())
    }
}

fn fault(e: manyworlds_view::Error) -> Error {
    Error::Device(e.to_string())
}
