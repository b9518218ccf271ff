//! The worlds of the page.

use crate::folder::Folder;
use manyworlds::Batch;
use manyworlds::batch::{Backend, Settings, To};
use manyworlds::picture::{Options, Show};
use manyworlds::policy::Policy;
use wasm_bindgen::prelude::wasm_bindgen;

pub type Said<T = ()> = Result<T, String>;

pub fn said(e: manyworlds::Error) -> String {
    e.to_string()
}

/// Many worlds of one model, their scene and camera. An error is a sentence.
#[wasm_bindgen]
pub struct Sim(pub(crate) Show);

#[wasm_bindgen]
impl Sim {
    /// `nworld` worlds of the model at this path of a folder, on the CPU.
    pub fn load(folder: &Folder, path: &str, nworld: usize) -> Said<Sim> {
        let settings = Settings::default().backend(Backend::Simd);
        let model = folder.compile(path).map_err(said)?;
        let show = Show::new(&model, nworld, settings, &Options::default());
        show.map(Self).map_err(said)
    }

    /// Resets all worlds, to the first keyframe if there is one, plus a small random offset in each.
    pub fn reset(&mut self) -> Said {
        self.0.reset().map_err(said)
    }

    /// Resets all worlds to these positions (`qpos` of one world: m, rad, quaternions), exactly and at rest.
    pub fn begin(&mut self, qpos: &[f64]) -> Said {
        self.0.reset_to(To::Qpos0).map_err(said)?;
        self.0.batch_mut().set("qpos", qpos).map_err(said)
    }

    /// Makes `n` steps of every world.
    pub fn step(&mut self, n: usize) -> Said {
        self.0.step(n).map_err(said)
    }

    /// Sets gravity along x, y and z (m/s²); the worlds keep their state.
    pub fn gravity(&mut self, x: f64, y: f64, z: f64) -> Said {
        let changed = self.0.edit(|m| m.opt.gravity = [x, y, z]);
        changed.map_err(said)
    }

    /// Gravity along z (m/s²).
    #[wasm_bindgen(getter)]
    pub fn gravity_z(&self) -> f64 {
        self.0.batch().model().opt.gravity[2]
    }

    /// Sets the fraction of their range in which controls are random, 0 to 1; 0: at rest.
    pub fn noise(&mut self, share: f64) -> Said {
        self.0.set_noise(share).map_err(said)
    }

    /// Loads the policy in a file of this name to choose the controls, and resets the worlds.
    pub fn follow(&mut self, name: &str, bytes: &[u8]) -> Said {
        let policy = Policy::read(bytes, name, self.0.batch().model()).map_err(said)?;
        self.0.follow(Some(policy)).map_err(said)
    }

    /// Removes the policy, and resets the worlds.
    pub fn rest(&mut self) -> Said {
        self.0.follow(None).map_err(said)
    }

    /// Chooses the controls if they are due; reads the policy's observations.
    pub fn decide(&mut self) -> Said {
        self.0.decide().map_err(said)
    }

    /// Number of steps, from now on, for which the present controls are held.
    #[wasm_bindgen(getter)]
    pub fn held(&self) -> usize {
        self.0.held()
    }

    /// A field of all worlds, world after world, in single precision.
    pub fn read(&mut self, name: &str) -> Said<Vec<f32>> {
        let field = Batch::field(name).map_err(said)?;
        let batch = self.0.batch_mut();
        let mut out = vec![0f32; field.words(batch.model()) * batch.nworld()];
        batch.read_into(name, out.as_mut_slice()).map_err(said)?;
        Ok(out)
    }

    /// A sentence for each world with a warning or overflow.
    pub fn flags(&mut self) -> Said<Vec<String>> {
        let flags = self.0.batch_mut().flags().map_err(said)?;
        let set = flags.iter().filter(|flag| flag.is_set());
        Ok(set.map(ToString::to_string).collect())
    }

    /// The device that runs the worlds.
    #[wasm_bindgen(getter)]
    pub fn device(&self) -> String {
        self.0.batch().device()
    }

    /// Number of worlds.
    #[wasm_bindgen(getter)]
    pub fn nworld(&self) -> usize {
        self.0.batch().nworld()
    }

    /// The timestep (s).
    #[wasm_bindgen(getter)]
    pub fn timestep(&self) -> f64 {
        self.0.batch().model().opt.timestep
    }

    /// Turns an overlay on or off: `contacts` and their forces, axes of `joints`, `com`, `frames` of bodies.
    pub fn overlay(&mut self, word: &str, yes: bool) -> Said {
        self.0.scene_mut().overlay(word.parse()?, yes);
        Ok(())
    }

    /// Rotates the camera around its target by these angles (deg).
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) -> Said {
        self.0.orbit(azimuth, elevation).map_err(said)
    }

    /// Multiplies the camera's distance by a factor.
    pub fn zoom(&mut self, times: f64) -> Said {
        self.0.zoom(times).map_err(said)
    }

    /// Moves the camera's target to the right and up, in heights of the picture.
    pub fn pan(&mut self, right: f64, up: f64) -> Said {
        self.0.pan(right, up).map_err(said)
    }

    /// Sets the camera to that of other worlds.
    pub fn look_as(&mut self, other: &Sim) -> Said {
        self.0.look_from(other.0.sight().clone()).map_err(said)
    }

    /// Picks the point of a body seen at a point of the picture, x and y from -1 at the left and lower edge to 1; false where no body is seen.
    pub fn take(&mut self, x: f32, y: f32, aspect: f32) -> Said<bool> {
        let grip = self.0.take([x, y], aspect).map_err(said)?;
        Ok(grip.is_some())
    }

    /// Pulls the picked point towards a point of the picture.
    pub fn pull(&mut self, x: f32, y: f32, aspect: f32) -> Said {
        self.0.pull([x, y], aspect).map_err(said)
    }

    /// Releases the picked point.
    pub fn release(&mut self) -> Said {
        self.0.release().map_err(said)
    }
}

impl Sim {
    /// The worlds, their scene and camera.
    pub fn show(&mut self) -> &mut Show {
        &mut self.0
    }
}
