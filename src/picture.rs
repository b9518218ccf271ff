//! Pictures of the worlds of a batch, on any adapter, a software one too: every geom as it is compiled, with light and shadow,
//! worlds side by side on a grid or one over the other.
//!
//! ```no_run
//! use manyworlds::picture::{Options, Renderer};
//! use manyworlds::{Batch, Model};
//!
//! # fn main() -> manyworlds::Result<()> {
//! let model = Model::from_xml_path("models/humanoid.xml")?;
//! let mut batch = Batch::new(&model, 64)?;
//! batch.step(100)?;
//! let mut renderer = Renderer::new(&model, batch.nworld(), &Options::default())?;
//! let picture = renderer.draw(&mut batch)?; // picture.rgba: height x width x 4 bytes
//! # Ok(())
//! # }
//! ```
//!
//! A step leaves poses where it began (as in MuJoCo): a picture shows the state of one step before.

mod grid;
mod looks;
mod marks;
mod sight;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::gpu::device::{Choice, Device, Request};
use crate::model::Model;
use glam::Vec3;
use looks::Looks;
use manyworlds_view::{Layer, Painter, Place, World};

pub use manyworlds_view::{Identity, Picture};
pub use sight::Sight;

/// What pictures show, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Width and height (pixels).
    pub size: [u32; 2],
    /// At most so many worlds are shown, the first ones.
    pub worlds: usize,
    /// From one world of the grid to the next (m); the extent of the model (`stat.extent`) if not given; 0: one over the other,
    /// all but the first like glass.
    pub spacing: Option<f64>,
    /// Where pictures are taken from.
    pub sight: Sight,
    /// Groups of geoms and sites that are shown.
    pub groups: Vec<i32>,
    /// Sites are shown.
    pub sites: bool,
    /// Contacts are shown, and their normal forces as arrows.
    pub contacts: bool,
    /// The adapter whose name contains these letters; the best if not given, a software one if there is no other.
    pub adapter: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            worlds: 4096,
            spacing: None,
            sight: Sight::default(),
            groups: vec![0, 1, 2],
            sites: false,
            contacts: false,
            adapter: None,
        }
    }
}

/// Opacity of all worlds but the first where they lie one over the other.
const GLASS: f32 = 0.3;
/// Tint of a world that diverged, and of one that lacks room for its contacts.
const DIVERGED: [f32; 4] = [0.85, 0.1, 0.1, 0.7];
const OVERFLOWED: [f32; 4] = [0.95, 0.55, 0.1, 0.6];

/// Draws the worlds of batches of one model.
pub struct Renderer {
    model: Model,
    options: Options,
    looks: Looks,
    painter: Painter,
    worlds: Vec<World>,
    // geom_xpos, geom_xmat of all worlds of the batch, and the same of sites
    pos: Vec<f32>,
    mat: Vec<f32>,
}

impl Renderer {
    /// A renderer of a model's worlds, of which a batch has `nworld`.
    ///
    /// Fails with [`Error::Device`] where there is no adapter, or none that draws pictures of this size, and with
    /// [`Error::Input`] on a camera that the model does not have.
    pub fn new(m: &Model, nworld: usize, options: &Options) -> Result<Self> {
        let choice = match &options.adapter {
            Some(name) => Choice::Named(name.clone()),
            None => Choice::Any,
        };
        let device = Device::open(&Request {
            choice,
            portable: false,
        })?;
        Self::on(&device, m, nworld, options)
    }

    /// The same on a device that is open.
    ///
    /// Fails like [`Renderer::new`].
    pub fn on(device: &Device, m: &Model, nworld: usize, options: &Options) -> Result<Self> {
        options.sight.check(m)?;
        let looks = Looks::of(m, options);
        let spacing = options.spacing.unwrap_or(m.stat.extent);
        let shown = nworld.min(options.worlds);
        let mut worlds: Vec<World> = grid::offsets(shown, spacing as f32)
            .map(|offset| World {
                offset,
                ..World::default()
            })
            .collect();
        if spacing == 0.0 {
            worlds[1..].iter_mut().for_each(|world| world.alpha = GLASS);
        }
        let painter = Painter::new(&device.device, &device.queue, options.size, &looks.meshes)
            .map_err(fault)?;
        device.check()?;
        Ok(Self {
            model: m.clone(),
            options: options.clone(),
            looks,
            painter,
            worlds,
            pos: Vec::new(),
            mat: Vec::new(),
        })
    }

    /// A picture of the worlds as they are.
    ///
    /// Fails with [`Error::Device`] where the device does, or holds fewer worlds than are shown.
    pub fn draw(&mut self, batch: &mut Batch) -> Result<Picture> {
        let mut layers = vec![self.floor(batch)?, self.solids(batch)?];
        if let Some(marks) = marks::layer(&self.model, batch, &self.worlds, &self.options)? {
            layers.push(marks);
        }
        let (camera, place) = (self.sight(batch, &layers[1])?, self.place(&layers[1]));
        self.painter.draw(&camera, &place, &layers).map_err(fault)
    }

    /// Which world and geom each pixel shows, rows from the top; nothing where it shows the sky or the floor. Sites come behind
    /// the geoms.
    ///
    /// Fails like [`Renderer::draw`].
    pub fn identify(&mut self, batch: &mut Batch) -> Result<Vec<Identity>> {
        let solids = self.solids(batch)?;
        let (camera, place) = (self.sight(batch, &solids)?, self.place(&solids));
        let shown = self.painter.identify(&camera, &place, &solids);
        let element = |[world, part]: [u32; 2]| {
            let element = self.looks.elements[part as usize].number(&self.model);
            [world, element as u32]
        };
        let shown = shown.map_err(fault)?.into_iter();
        Ok(shown.map(|it| it.map(element)).collect())
    }

    // floors are the same in all worlds
    fn floor(&mut self, batch: &mut Batch) -> Result<Layer> {
        let parts = self.looks.floors.clone();
        let elements = self.looks.floor_elements.clone();
        Ok(Layer {
            poses: self.poses(batch, &elements, 1)?,
            parts,
            worlds: vec![World::default()],
            shadow: false,
        })
    }

    fn solids(&mut self, batch: &mut Batch) -> Result<Layer> {
        let elements = self.looks.elements.clone();
        for flag in batch.flags()? {
            if let Some(world) = self.worlds.get_mut(flag.world) {
                world.tint = match (flag.diverged(), flag.overflowed()) {
                    (true, _) => DIVERGED,
                    (_, true) => OVERFLOWED,
                    _ => world.tint,
                };
            }
        }
        Ok(Layer {
            poses: self.poses(batch, &elements, self.worlds.len())?,
            parts: self.looks.parts.clone(),
            worlds: self.worlds.clone(),
            shadow: true,
        })
    }

    // poses of some elements in the first worlds
    fn poses(
        &mut self,
        batch: &mut Batch,
        elements: &[looks::Element],
        nworld: usize,
    ) -> Result<Vec<f32>> {
        let m = &self.model;
        let mut poses = vec![0.0; nworld * elements.len() * manyworlds_view::POSE];
        for (kind, num) in [(looks::Kind::Geom, m.ngeom), (looks::Kind::Site, m.nsite)] {
            if !elements.iter().any(|element| element.kind == kind) {
                continue;
            }
            let [xpos, xmat] = kind.fields();
            self.pos.resize(3 * num * batch.nworld(), 0.0);
            self.mat.resize(9 * num * batch.nworld(), 0.0);
            batch.read_into(xpos, self.pos.as_mut_slice())?;
            batch.read_into(xmat, self.mat.as_mut_slice())?;
            let rows = poses.chunks_exact_mut(manyworlds_view::POSE);
            for (k, row) in rows.enumerate() {
                let (world, element) = (k / elements.len(), &elements[k % elements.len()]);
                if element.kind == kind {
                    let at = world * num + element.id;
                    row[..3].copy_from_slice(&self.pos[3 * at..3 * at + 3]);
                    row[3..].copy_from_slice(&self.mat[9 * at..9 * at + 9]);
                }
            }
        }
        Ok(poses)
    }

    fn sight(&self, batch: &mut Batch, solids: &Layer) -> Result<manyworlds_view::Camera> {
        let (center, radius) = self.region(solids);
        self.options
            .sight
            .camera(&self.model, batch, center, radius)
    }

    // middle and radius of a ball that holds the worlds
    fn region(&self, solids: &Layer) -> (Vec3, f32) {
        let extent = self.model.stat.extent as f32;
        let each = solids.parts.len() * manyworlds_view::POSE;
        let (mut low, mut high) = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
        for (w, world) in solids.worlds.iter().enumerate() {
            let poses = solids.poses[w * each..(w + 1) * each].chunks_exact(manyworlds_view::POSE);
            for (pose, part) in poses.zip(&solids.parts) {
                let at = Vec3::from_slice(pose) + Vec3::from(world.offset);
                // what fell out of the world is not followed
                let far = Vec3::from_slice(pose).length() > 20.0 * extent;
                if at.is_finite() && !far && !self.looks.is_static(part) {
                    (low, high) = (low.min(at), high.max(at));
                }
            }
        }
        if low.x > high.x {
            return (Vec3::from(self.model.stat.center.map(|x| x as f32)), extent);
        }
        (0.5 * (low + high), 0.5 * low.distance(high) + 0.25 * extent)
    }

    fn place(&self, solids: &Layer) -> Place {
        let (center, radius) = self.region(solids);
        Place {
            center,
            radius: 1.2 * radius,
            sun: Vec3::new(0.35, -0.5, 0.9).normalize(),
            square: square(self.model.stat.extent as f32),
        }
    }
}

// side of a square of the floor (m): about half of the model, a power of ten, or two or five of them
fn square(extent: f32) -> f32 {
    let about = (0.5 * extent).max(1e-6);
    let ten = 10f32.powf(about.log10().floor());
    match about / ten {
        x if x < 2.0 => ten,
        x if x < 5.0 => 2.0 * ten,
        _ => 5.0 * ten,
    }
}

fn fault(e: manyworlds_view::Error) -> Error {
    Error::Device(e.to_string())
}
