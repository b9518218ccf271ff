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
//! A [`Scene`] is the content of a picture, for a painter on your own device. A [`Renderer`] opens a device and draws into bytes.
//! A [`Show`] is an interactive view of worlds.
//!
//! A step leaves poses at their values from its start (as in MuJoCo): a picture shows the state of one step before.

mod grid;
mod hand;
mod lights;
#[cfg(feature = "gpu")]
mod live;
mod looks;
mod marks;
mod overlay;
mod poses;
#[cfg(feature = "view")]
mod renderer;
mod show;
mod sight;
mod soft;
mod texture;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::model::Model;
use glam::Vec3;
use looks::Looks;
use manyworlds_view::{Assets, Camera, Form, Layer, POSE, Part, Place, World};
use poses::Poses;

pub use hand::Grip;
pub use manyworlds_view::{Identity, Picture};
pub use overlay::Overlay;
#[cfg(feature = "view")]
pub use renderer::Renderer;
pub use show::Show;
pub use sight::Sight;

settable! {
    /// Content and layout of pictures.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Options {
        /// Width and height (pixels).
        pub size: [u32; 2],
        /// At most so many worlds are shown, the first ones.
        pub worlds: usize,
        /// From one world of the grid to the next (m); the extent of the model (`stat.extent`) if not given; 0: one over the other,
        /// all but the first like glass.
        pub spacing: Option<f64>,
        /// The viewpoint of pictures.
        pub sight: Sight,
        /// Groups of geoms and sites that are shown.
        pub groups: Vec<i32>,
        /// Sites are shown.
        pub sites: bool,
        /// Overlays, drawn over the worlds.
        pub overlays: Vec<Overlay>,
        /// The adapter whose name contains these letters; the best if not given, a software one if there is no other.
        pub adapter: Option<String>,
    }
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
            overlays: Vec::new(),
            adapter: None,
        }
    }
}

/// Direction to the sun, where the model has no light that throws shadows.
const SUN: Vec3 = Vec3::new(0.35, -0.5, 0.9);
/// Opacity of all worlds but the first where they lie one over the other.
const GLASS: f32 = 0.3;
/// Tint of a world that diverged, and of one that lacks room for its contacts.
const DIVERGED: [f32; 4] = [0.85, 0.1, 0.1, 0.7];
const OVERFLOWED: [f32; 4] = [0.95, 0.55, 0.1, 0.6];
/// Tint of the world that was picked.
const CHOSEN: [f32; 4] = [0.2, 0.5, 0.95, 0.4];

/// The content of pictures of one model's worlds.
pub struct Scene {
    model: Model,
    options: Options,
    looks: Looks,
    worlds: Vec<World>,
    // from the gripped point to the point that it is pulled to (m)
    pull: Option<[Vec3; 2]>,
    chosen: Option<usize>,
    #[cfg(feature = "gpu")]
    live: Option<live::Live>,
}

/// One picture, as a painter draws it.
#[non_exhaustive]
pub struct Shot {
    /// The viewpoint.
    pub camera: Camera,
    /// The light, and the place that it shines on.
    pub place: Place,
    /// The floor, the worlds, and the overlays.
    pub layers: Vec<Layer>,
}

// a ball that holds the worlds of a picture (m)
struct Region {
    center: Vec3,
    radius: f32,
}

impl Scene {
    /// A scene of a model's worlds, of which a batch has `nworld`.
    ///
    /// Fails with [`Error::Input`] on a camera that the model does not have, and on a texture whose file cannot be read.
    pub fn new(m: &Model, nworld: usize, options: &Options) -> Result<Self> {
        options.sight.check(m)?;
        let spacing = options.spacing.unwrap_or(m.stat.extent);
        let shown = nworld.min(options.worlds);
        let mut worlds: Vec<World> = grid::offsets(shown, spacing as f32)
            .map(|offset| World {
                offset,
                ..World::default()
            })
            .collect();
        if spacing == 0.0 {
            let others = worlds.iter_mut().skip(1);
            others.for_each(|world| world.alpha = GLASS);
        }
        Ok(Self {
            model: m.clone(),
            options: options.clone(),
            looks: Looks::of(m, options)?,
            worlds,
            pull: None,
            chosen: None,
            #[cfg(feature = "gpu")]
            live: None,
        })
    }

    /// The meshes and textures of the model, which a painter is made with.
    pub fn assets(&self) -> &Assets {
        &self.looks.assets
    }

    /// Sets the viewpoint of later pictures. Fails with [`Error::Input`] on a camera that the model does not have.
    pub fn look_from(&mut self, sight: Sight) -> Result<()> {
        sight.check(&self.model)?;
        self.options.sight = sight;
        Ok(())
    }

    /// Later pictures are drawn on this device: poses of worlds that kernels compute there stay there, and only a painter of that
    /// device can draw them.
    #[cfg(feature = "gpu")]
    pub fn draws_on(&mut self, device: &crate::gpu::Device) {
        self.live = Some(live::Live::on(device));
    }

    /// Turns an overlay of later pictures on or off.
    pub fn overlay(&mut self, overlay: Overlay, yes: bool) {
        let shown = &mut self.options.overlays;
        shown.retain(|other| *other != overlay);
        shown.extend(yes.then_some(overlay));
    }

    /// Overlays, drawn over the worlds.
    pub fn overlays(&self) -> &[Overlay] {
        &self.options.overlays
    }

    /// Sets the picked world, which is tinted in later pictures; none if not given.
    pub fn choose(&mut self, world: Option<usize>) {
        self.chosen = world;
    }

    /// The picture of the worlds in their current state.
    ///
    /// Fails with [`Error::Device`] where the batch's device does, and with [`Error::Input`] on a batch of another model or of
    /// fewer worlds than are shown.
    pub fn shoot(&self, batch: &mut Batch) -> Result<Shot> {
        let [floor, solids] = self.layers(batch)?;
        let marks = marks::layer(&self.model, batch, &self.worlds, &self.options, self.pull)?;
        let (camera, place) = self.view(batch, &solids)?;
        let layers = [floor, solids].into_iter().chain(marks).collect();
        Ok(Shot {
            camera,
            place,
            layers,
        })
    }

    /// A fixed viewpoint that shows all worlds at their current poses, from this azimuth and elevation (deg).
    ///
    /// Fails like [`Scene::shoot`].
    pub fn standing(&self, batch: &mut Batch, azimuth: f64, elevation: f64) -> Result<Sight> {
        let [_, solids] = self.layers(batch)?;
        let Region { center, radius } = self.region(&solids);
        Ok(Sight::Free {
            lookat: center.to_array().map(f64::from),
            distance: f64::from(sight::near(&self.model, radius)),
            azimuth,
            elevation,
        })
    }

    // the floor, which is the same in all worlds, and everything else
    fn layers(&self, batch: &mut Batch) -> Result<[Layer; 2]> {
        let (have, want) = (batch.nworld(), self.worlds.len());
        let [own, other] = [&self.model, batch.model()].map(|m| (m.ngeom, m.nsite));
        if have < want || own != other {
            let msg = format!(
                "a batch of this model with {want} worlds or more is needed to draw them, not one of {have}"
            );
            return Err(Error::Input(msg));
        }
        let layer = |shown: &looks::Shown, worlds: Vec<World>, shadow: bool| Layer {
            parts: shown.parts.clone(),
            worlds,
            shadow,
            ..Layer::default()
        };
        let mut layers = [
            layer(&self.looks.floor, vec![World::default()], false),
            layer(&self.looks.solids, self.tinted(batch)?, true),
        ];
        if !self.put_in_place(batch, &mut layers)? {
            let poses = Poses::read(batch, self.options.sites)?;
            for (layer, shown) in layers.iter_mut().zip(self.looks.shown()) {
                layer.poses = poses.of(&shown.elements, layer.worlds.len());
            }
        }
        Ok(layers)
    }

    // uses poses where they lie on the device that draws; false if they lie elsewhere
    #[cfg(feature = "gpu")]
    fn put_in_place(&self, batch: &Batch, layers: &mut [Layer; 2]) -> Result<bool> {
        let (Some(live), Some(gpu)) = (&self.live, batch.gpu()) else {
            return Ok(false);
        };
        // buffers of a lost device cannot be drawn
        gpu.device().check()?;
        let mut all = true;
        for (k, (layer, shown)) in layers.iter_mut().zip(self.looks.shown()).enumerate() {
            let nworld = layer.worlds.len();
            layer.live = live.poses(k, gpu, shown, nworld, self.reach())?;
            all &= layer.live.is_some();
            if let Some(live) = &mut layer.live {
                // until the device has answered, the box of each world is that of the model
                live.boxes.resize(nworld, self.about());
            }
        }
        if !all {
            layers.iter_mut().for_each(|layer| layer.live = None);
        }
        Ok(all)
    }

    #[cfg(not(feature = "gpu"))]
    fn put_in_place(&self, _: &Batch, _: &mut [Layer; 2]) -> Result<bool> {
        Ok(false)
    }

    // distance from the origin of its world (m) beyond which a part fell out of it and is not followed
    fn reach(&self) -> f32 {
        20.0 * self.model.stat.extent as f32
    }

    // the worlds, with a tint on those that diverged or overflowed
    fn tinted(&self, batch: &mut Batch) -> Result<Vec<World>> {
        let mut worlds = self.worlds.clone();
        if let Some(world) = self.chosen.and_then(|chosen| worlds.get_mut(chosen)) {
            world.tint = CHOSEN;
        }
        for flag in batch.flags()? {
            if let Some(world) = worlds.get_mut(flag.world) {
                match (flag.diverged(), flag.overflowed()) {
                    (true, _) => world.tint = DIVERGED,
                    (_, true) => world.tint = OVERFLOWED,
                    _ => {}
                }
            }
        }
        Ok(worlds)
    }

    // the viewpoint and the light
    fn view(&self, batch: &mut Batch, solids: &Layer) -> Result<(Camera, Place)> {
        let Region { center, radius } = self.region(solids);
        let sight = &self.options.sight;
        let camera = sight.camera(&self.model, batch, center, radius)?;
        let (lights, sun) = self.lights(batch, &camera, center)?;
        let place = Place {
            center,
            radius: 1.2 * radius,
            sun: sun.unwrap_or(SUN.normalize()),
            lights,
            square: square(self.model.stat.extent as f32),
        };
        Ok((camera, place))
    }

    fn region(&self, solids: &Layer) -> Region {
        let extent = self.model.stat.extent as f32;
        let all = match &solids.live {
            Some(live) => around(live.boxes.iter().copied().zip(&solids.worlds)),
            None => self.around_parts(solids),
        };
        match all {
            None => Region {
                center: Vec3::from(self.model.stat.center.map(|x| x as f32)),
                radius: extent,
            },
            Some([low, high]) => Region {
                center: 0.5 * (low + high),
                radius: 0.5 * low.distance(high) + 0.25 * extent,
            },
        }
    }

    // bounding box of all parts that count for the extent of their world
    fn around_parts(&self, solids: &Layer) -> Option<[Vec3; 2]> {
        let num = solids.parts.len();
        let poses = solids.poses.chunks_exact(POSE).enumerate();
        around(poses.filter_map(|(k, pose)| {
            let at = Vec3::from_slice(pose);
            let says = counts(&solids.parts[k % num]) && at.is_finite();
            let there = says && at.length() <= self.reach();
            there.then_some(([at, at], &solids.worlds[k / num]))
        }))
    }

    // bounding box of a world whose poses are not known
    #[cfg(feature = "gpu")]
    fn about(&self) -> [Vec3; 2] {
        let center = Vec3::from(self.model.stat.center.map(|x| x as f32));
        let half = Vec3::splat(0.5 * self.model.stat.extent as f32);
        [center - half, center + half]
    }
}

// whether a part counts for the extent of its world: a plane does not
fn counts(part: &Part) -> bool {
    part.form != Form::Plane
}

// bounding box of boxes in worlds; a box whose low side exceeds its high side is empty
fn around<'a>(boxes: impl Iterator<Item = ([Vec3; 2], &'a World)>) -> Option<[Vec3; 2]> {
    let boxes = boxes.filter(|([low, high], _)| low.x <= high.x);
    let moved = boxes.map(|(own, world)| own.map(|corner| corner + Vec3::from(world.offset)));
    moved.reduce(|[low, high], [a, b]| [low.min(a), high.max(b)])
}

// side of a square of the floor (m): about half of the model's extent, as 1, 2 or 5 times a power of ten
fn square(extent: f32) -> f32 {
    let about = (0.5 * extent).max(1e-6);
    let ten = 10f32.powf(about.log10().floor());
    match about / ten {
        x if x < 2.0 => ten,
        x if x < 5.0 => 2.0 * ten,
        _ => 5.0 * ten,
    }
}
