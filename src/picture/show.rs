//! Worlds for an interactive view: they are stepped, viewed from any direction, and pulled.

use super::{Grip, Options, Scene, Shot, Sight};
use crate::batch::{Batch, Settings, To};
use crate::error::Result;
use crate::model::{Arrays, Model};
use crate::policy::Policy;
use crate::types::{STATE_INTEGRATION, STATE_PLUGIN};

/// Number of steps for which a random control is held.
const HOLD: usize = 10;
/// Standard deviation of the random initial state (rad, m, 1/s).
const SCATTER: f64 = 0.02;
/// Initial azimuth and elevation of the camera (deg).
const AZIMUTH: f64 = 120.0;
const ELEVATION: f64 = -22.0;

/// Many worlds of one model, their scene and camera: the content of a page or a window.
///
/// ```
/// use manyworlds::batch::Settings;
/// use manyworlds::picture::{Options, Show};
/// use manyworlds::Model;
///
/// # fn main() -> manyworlds::Result<()> {
/// let model = Model::from_xml_path("models/humanoid.xml")?;
/// let mut show = Show::new(&model, 4, Settings::default(), &Options::default())?;
/// show.set_noise(0.5)?; // controls are random, in half of their range
/// show.step(10)?;
/// show.orbit(30.0, 0.0)?;
/// let shot = show.shoot()?; // for a painter: the camera, and layers to draw
/// assert_eq!(shot.layers[1].worlds.len(), 4);
/// # Ok(())
/// # }
/// ```
pub struct Show {
    batch: Batch,
    scene: Scene,
    settings: Settings,
    sight: Sight,
    grip: Option<Grip>,
    noise: f64,
    policy: Option<Policy>,
    // number of steps since the last reset at which controls were last chosen
    chosen: Option<usize>,
    steps: usize,
}

impl Show {
    /// `nworld` worlds in the state of [`Show::reset`], seen from the options' `sight`, or else from a fixed camera that
    /// shows all of them.
    ///
    /// Fails like [`Batch::with`] and [`Scene::new`].
    pub fn new(m: &Model, nworld: usize, settings: Settings, options: &Options) -> Result<Self> {
        let batch = Batch::with(m, nworld, settings.clone())?;
        let mut show = Self::of(batch, settings, options)?;
        if show.sight == Sight::default() {
            show.sight = show.scene.standing(&mut show.batch, AZIMUTH, ELEVATION)?;
            show.look()?;
        }
        Ok(show)
    }

    /// Like [`Show::new`] on a device that is open already. Where the host cannot wait for it, methods that read the worlds ([`Show::shoot`],
    /// [`Show::take`], [`Show::pull`]) fail until the arrays that they read have been asked for ([`Batch::reading`](Batch::reading)).
    ///
    /// Fails like [`Batch::on`] and [`Scene::new`].
    #[cfg(feature = "gpu")]
    pub async fn on(
        device: &crate::gpu::Device,
        m: &Model,
        nworld: usize,
        settings: Settings,
        options: &Options,
    ) -> Result<Self> {
        let batch = Batch::on(device, m, nworld, settings.clone()).await?;
        let mut show = Self::of(batch, settings, options)?;
        if show.sight == Sight::default() {
            let scene = &show.scene;
            let standing = |batch: &mut Batch| scene.standing(batch, AZIMUTH, ELEVATION);
            show.sight = show.batch.reading(standing).await?;
            show.look()?;
        }
        Ok(show)
    }

    fn of(batch: Batch, settings: Settings, options: &Options) -> Result<Self> {
        let mut show = Self {
            scene: Scene::new(batch.model(), batch.nworld(), options)?,
            batch,
            settings,
            sight: options.sight.clone(),
            grip: None,
            noise: 0.0,
            policy: None,
            chosen: None,
            steps: 0,
        };
        show.reset()?;
        Ok(show)
    }

    /// The worlds.
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The worlds, to read and set.
    pub fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// The scene that pictures show.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene that pictures show, to change it.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// Steps since the last reset.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Resets all worlds, to the first keyframe if there is one, plus a small random offset in each.
    ///
    /// Fails like [`Batch::reset`].
    pub fn reset(&mut self) -> Result<()> {
        let m = self.batch.model();
        let (to, qpos, qvel) = match m.nkey {
            0 => (To::Qpos0, m.qpos0.to_vec(), vec![0.0; m.nv]),
            _ => {
                let (qpos, qvel) = (&m.key_qpos[..m.nq], &m.key_qvel[..m.nv]);
                (To::Key(0), qpos.to_vec(), qvel.to_vec())
            }
        };
        let [qpos, qvel] = [qpos, qvel].map(|row| row.repeat(self.batch.nworld()));
        self.reset_to(to)?;
        self.batch.scatter_from(0, SCATTER, qpos, qvel)?;
        self.batch.forward()
    }

    /// Resets all worlds to this state exactly.
    ///
    /// Fails like [`Batch::reset`].
    pub fn reset_to(&mut self, to: To<'_>) -> Result<()> {
        self.steps = 0;
        self.chosen = None;
        self.batch.reset(to)?;
        self.batch.forward()
    }

    /// Makes `n` steps of every world.
    ///
    /// Fails like [`Batch::step`] and [`Show::decide`].
    pub fn step(&mut self, n: usize) -> Result<()> {
        let mut left = n;
        while left > 0 {
            self.decide()?;
            let now = left.min(self.held());
            self.batch.step(now)?;
            self.steps += now;
            left -= now;
        }
        Ok(())
    }

    /// Number of steps, from now on, for which the present controls are held.
    pub fn held(&self) -> usize {
        self.hold() - self.steps % self.hold()
    }

    // number of steps for which controls are held
    fn hold(&self) -> usize {
        self.policy.as_ref().map_or(HOLD, Policy::nstep)
    }

    /// Chooses the controls if they are due and not yet chosen; [`Show::step`] does it too.
    ///
    /// Fails like [`Policy::act`], so also where the host cannot wait for a device, until the policy's observations have been asked for.
    pub fn decide(&mut self) -> Result<()> {
        if !self.steps.is_multiple_of(self.hold()) || self.chosen == Some(self.steps) {
            return Ok(());
        }
        match &self.policy {
            Some(policy) => policy.act(&mut self.batch)?,
            None if self.noise > 0.0 => self.batch.shake(0, self.steps / HOLD, self.noise)?,
            None => {}
        }
        self.chosen = Some(self.steps);
        Ok(())
    }

    /// The policy that chooses the controls; none if they are random or at rest.
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref()
    }

    /// Sets the policy that chooses the controls, or without one sets the controls of the first keyframe. Then resets the worlds.
    ///
    /// Fails like [`Show::reset`].
    pub fn follow(&mut self, policy: Option<Policy>) -> Result<()> {
        self.policy = policy;
        self.rest()?;
        self.reset()
    }

    /// The fraction of their range in which controls are random, 0 to 1.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Sets the fraction of their range in which controls are random, 0 to 1, unless a policy chooses them. 0: controls of the first keyframe.
    ///
    /// Fails like [`Batch::set`].
    pub fn set_noise(&mut self, share: f64) -> Result<()> {
        let rests = self.noise > 0.0 && share == 0.0;
        self.noise = share;
        match rests {
            true => self.rest(),
            false => Ok(()),
        }
    }

    // sets the controls of the first keyframe, or zero
    fn rest(&mut self) -> Result<()> {
        let m = self.batch.model();
        let ctrl = match m.nkey {
            0 => vec![0.0; m.nu],
            _ => m.key_ctrl[..m.nu].to_vec(),
        };
        self.batch.set("ctrl", &ctrl)
    }

    /// Changes the model, such as its gravity; the worlds keep their state.
    ///
    /// Fails like [`Model::edit`] and [`Batch::with`], and then nothing has changed.
    pub fn edit(&mut self, change: impl FnOnce(&mut Arrays)) -> Result<()> {
        let all = STATE_INTEGRATION & !STATE_PLUGIN;
        let mut state = vec![0f64; self.batch.nworld() * self.batch.state_size(all)?];
        self.batch.get_state(all, state.as_mut_slice())?;
        let mut model = self.batch.model().clone();
        model.edit(change)?;
        let (nworld, settings) = (self.batch.nworld(), self.settings.clone());
        let mut batch = self.batch.beside(&model, nworld, settings)?;
        batch.set_state(all, state.as_slice())?;
        batch.forward()?;
        self.batch = batch;
        Ok(())
    }

    /// Rotates the camera around its target by these angles (deg).
    ///
    /// Fails like [`Scene::look_from`].
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) -> Result<()> {
        self.sight.orbit(azimuth, elevation);
        self.look()
    }

    /// Multiplies the camera's distance by a factor.
    ///
    /// Fails like [`Scene::look_from`].
    pub fn zoom(&mut self, times: f64) -> Result<()> {
        self.sight.zoom(times);
        self.look()
    }

    /// Moves the camera's target to the right and up, in heights of the picture.
    ///
    /// Fails like [`Scene::look_from`].
    pub fn pan(&mut self, right: f64, up: f64) -> Result<()> {
        self.sight.pan(right, up);
        self.look()
    }

    /// The camera of pictures.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Sets the camera of pictures.
    ///
    /// Fails like [`Scene::look_from`].
    pub fn look_from(&mut self, sight: Sight) -> Result<()> {
        self.scene.look_from(sight.clone())?;
        self.sight = sight;
        Ok(())
    }

    fn look(&mut self) -> Result<()> {
        self.scene.look_from(self.sight.clone())
    }

    /// Picks the point of a body seen at a point of the picture, in the coordinates of [`Scene::grip`]; none where no body is seen.
    ///
    /// Fails like [`Scene::grip`].
    pub fn take(&mut self, at: [f32; 2], aspect: f32) -> Result<Option<Grip>> {
        self.grip = self.scene.grip(&mut self.batch, at, aspect)?;
        Ok(self.grip)
    }

    /// Whether a point is picked.
    pub fn holds(&self) -> bool {
        self.grip.is_some()
    }

    /// Pulls the picked point towards a point of the picture.
    ///
    /// Fails like [`Scene::pull`].
    pub fn pull(&mut self, to: [f32; 2], aspect: f32) -> Result<()> {
        match self.grip {
            Some(grip) => self.scene.pull(&mut self.batch, &grip, to, aspect),
            None => Ok(()),
        }
    }

    /// Releases the picked point.
    ///
    /// Fails like [`Scene::release`].
    pub fn release(&mut self) -> Result<()> {
        match self.grip.take() {
            Some(grip) => self.scene.release(&mut self.batch, &grip),
            None => Ok(()),
        }
    }

    /// The camera and layers to draw for the worlds' present state.
    ///
    /// Fails like [`Scene::shoot`].
    pub fn shoot(&mut self) -> Result<Shot> {
        self.scene.shoot(&mut self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;

    #[test]
    fn worlds_go_on_when_gravity_changes() -> Result<()> {
        let m = Model::from_xml_path("models/humanoid.xml")?;
        for backend in [Backend::Cpu, Backend::Simd] {
            let settings = Settings {
                backend,
                ..Settings::default()
            };
            let mut show = Show::new(&m, 3, settings, &Options::default())?;
            show.set_noise(0.5)?;
            show.step(13)?;
            let qpos = show.batch.reals("qpos")?.to_vec();
            show.edit(|m| m.opt.gravity = [0.0, 0.0, 1.5])?;
            assert_eq!(show.batch.reals("qpos")?, qpos);
            assert_eq!(show.batch.model().opt.gravity[2], 1.5);
            assert!(show.edit(|m| m.opt.gravity = [0.0, 0.0, f64::NAN]).is_err());
            assert_eq!(show.batch.model().opt.gravity[2], 1.5);
            show.set_noise(0.0)?;
            assert!(show.batch.reals("ctrl")?.iter().all(|&x| x == 0.0));
        }
        Ok(())
    }

    #[test]
    fn steps_taken_at_once_are_steps_one_by_one() -> Result<()> {
        let m = Model::from_xml_path("models/quadruped.xml")?;
        let show = || -> Result<Show> {
            let mut show = Show::new(&m, 2, Settings::default(), &Options::default())?;
            show.set_noise(0.7)?;
            Ok(show)
        };
        let (mut many, mut one) = (show()?, show()?);
        many.step(25)?;
        (0..25).try_for_each(|_| one.step(1))?;
        assert_eq!(many.batch.reals("qpos")?, one.batch.reals("qpos")?);
        Ok(())
    }
}
