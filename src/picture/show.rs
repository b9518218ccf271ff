//! Worlds that somebody watches: they go on, are looked at from anywhere, and can be pulled.

use super::{Grip, Options, Scene, Shot, Sight};
use crate::batch::{Batch, Settings, To};
use crate::error::Result;
use crate::model::{Arrays, Model};
use crate::policy::Policy;
use crate::types::{STATE_INTEGRATION, STATE_PLUGIN};

/// Steps that a random control is held.
const HOLD: usize = 10;
/// Size of what is random where worlds start (rad, m, 1/s).
const SCATTER: f64 = 0.02;
/// Where the camera stands at first: azimuth and elevation (deg).
const AZIMUTH: f64 = 120.0;
const ELEVATION: f64 = -22.0;

/// Many worlds of one model and what is seen of them: what a page or a window shows.
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
    // after so many steps since the last reset it has chosen
    chosen: Option<usize>,
    steps: usize,
}

impl Show {
    /// So many worlds where [`Show::reset`] puts them, seen from where the options' `sight` says, or from a camera that stays
    /// where it is and shows all of them.
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

    /// The same on a device that is open already. Where it cannot be waited for, what reads the worlds ([`Show::shoot`],
    /// [`Show::take`], [`Show::pull`]) fails until what it reads was asked for ([`Batch::reading`](Batch::reading)).
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

    /// The worlds, to be read and set.
    pub fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// What pictures show.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What pictures show, to be changed.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// Steps since the last reset.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// All worlds begin again, at the first keyframe if there is one, each a little elsewhere than the others.
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

    /// All worlds begin there, exactly.
    ///
    /// Fails like [`Batch::reset`].
    pub fn reset_to(&mut self, to: To<'_>) -> Result<()> {
        self.steps = 0;
        self.chosen = None;
        self.batch.reset(to)?;
        self.batch.forward()
    }

    /// Takes every world so many steps on.
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

    /// Steps for which controls are held, from now on.
    pub fn held(&self) -> usize {
        self.hold() - self.steps % self.hold()
    }

    // steps for which controls are held
    fn hold(&self) -> usize {
        self.policy.as_ref().map_or(HOLD, Policy::nstep)
    }

    /// Chooses the controls, where it is time for that and they have not been chosen; [`Show::step`] does it too.
    ///
    /// Fails like [`Policy::act`]; so, where a device cannot be waited for, until what the policy sees was asked for.
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

    /// What chooses the controls, if it is not chance.
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref()
    }

    /// Gives the controls to a policy, and worlds begin again; or takes them from it, and they rest where the first keyframe has them.
    ///
    /// Fails like [`Show::reset`].
    pub fn follow(&mut self, policy: Option<Policy>) -> Result<()> {
        self.policy = policy;
        self.rest()?;
        self.reset()
    }

    /// The share of their range in which controls are random, 0 to 1.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Controls are random in this share of their range, 0 to 1, unless a policy chooses them; 0: they rest where the first keyframe has them.
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

    // controls where the first keyframe has them
    fn rest(&mut self) -> Result<()> {
        let m = self.batch.model();
        let ctrl = match m.nkey {
            0 => vec![0.0; m.nu],
            _ => m.key_ctrl[..m.nu].to_vec(),
        };
        self.batch.set("ctrl", &ctrl)
    }

    /// Changes the model, as gravity; the worlds go on from where they are.
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

    /// The camera goes around by so much (deg).
    ///
    /// Fails like [`Scene::look_from`].
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) -> Result<()> {
        self.sight.orbit(azimuth, elevation);
        self.look()
    }

    /// The camera goes so many times as far away.
    ///
    /// Fails like [`Scene::look_from`].
    pub fn zoom(&mut self, times: f64) -> Result<()> {
        self.sight.zoom(times);
        self.look()
    }

    /// What the camera looks at moves right and up, in heights of the picture.
    ///
    /// Fails like [`Scene::look_from`].
    pub fn pan(&mut self, right: f64, up: f64) -> Result<()> {
        self.sight.pan(right, up);
        self.look()
    }

    /// Where pictures are taken from.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Where pictures are taken from, from now on.
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

    /// Takes hold of what is seen at a point, which is said as in [`Scene::grip`]; nothing where there is nothing.
    ///
    /// Fails like [`Scene::grip`].
    pub fn take(&mut self, at: [f32; 2], aspect: f32) -> Result<Option<Grip>> {
        self.grip = self.scene.grip(&mut self.batch, at, aspect)?;
        Ok(self.grip)
    }

    /// Whether something is held.
    pub fn holds(&self) -> bool {
        self.grip.is_some()
    }

    /// Pulls what was taken towards a point.
    ///
    /// Fails like [`Scene::pull`].
    pub fn pull(&mut self, to: [f32; 2], aspect: f32) -> Result<()> {
        match self.grip {
            Some(grip) => self.scene.pull(&mut self.batch, &grip, to, aspect),
            None => Ok(()),
        }
    }

    /// Lets go of what was taken.
    ///
    /// Fails like [`Scene::release`].
    pub fn release(&mut self) -> Result<()> {
        match self.grip.take() {
            Some(grip) => self.scene.release(&mut self.batch, &grip),
            None => Ok(()),
        }
    }

    /// What a painter draws of the worlds as they are.
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
