//! What a task observes, rewards and ends, in tensors of one row for each world.

use burn_tensor::{Bool, Device, Distribution, Tensor};
use manyworlds::{Batch, Model};

use crate::Result;
use crate::share::{Shared, set};

/// Positions and velocities of all worlds: N × nq and N × nv.
#[derive(Clone)]
pub struct State {
    pub qpos: Tensor<2>,
    pub qvel: Tensor<2>,
}

/// A task: everything that makes a model one to learn on.
pub trait Task {
    /// The MJCF of the model.
    fn xml(&self) -> &'static str;
    /// Steps of the physics for each action.
    fn skip(&self) -> usize;
    /// Actions of an episode.
    fn limit(&self) -> usize;
    /// Where episodes begin: a keyframe, or `qpos0`.
    fn key(&self) -> Option<usize>;
    /// What a policy sees.
    fn observe(&self, now: &State) -> Tensor<2>;
    /// The reward of a step that lasted `dt` seconds, N × 1.
    fn reward(&self, before: &State, now: &State, action: &Tensor<2>, dt: f64) -> Tensor<2>;
    /// Where an episode ends, N × 1.
    fn ends(&self, now: &State) -> Tensor<2, Bool>;
}

/// Columns of a tensor.
pub fn columns(x: &Tensor<2>, first: usize, num: usize) -> Tensor<2> {
    x.clone().narrow(1, first, num)
}

/// A pole stays upright on a cart: one for each step until it falls.
pub struct Cartpole;

impl Task for Cartpole {
    fn xml(&self) -> &'static str {
        include_str!("../../../models/cartpole.xml")
    }
    fn skip(&self) -> usize {
        4
    }
    fn limit(&self) -> usize {
        250
    }
    fn key(&self) -> Option<usize> {
        None
    }
    fn observe(&self, now: &State) -> Tensor<2> {
        Tensor::cat(vec![now.qpos.clone(), now.qvel.clone()], 1)
    }
    fn reward(&self, _: &State, now: &State, _: &Tensor<2>, _: f64) -> Tensor<2> {
        columns(&now.qpos, 0, 1).ones_like()
    }
    fn ends(&self, now: &State) -> Tensor<2, Bool> {
        let far = columns(&now.qpos, 0, 1).abs().greater_elem(1.6);
        columns(&now.qpos, 1, 1)
            .abs()
            .greater_elem(0.3)
            .bool_or(far)
    }
}

/// A quadruped, ant-like, walks along x: the rewards of Gymnasium's Ant.
pub struct Ant;

impl Ant {
    // the z component of the trunk's up axis, from 1 (upright) to -1
    fn upright(now: &State) -> Tensor<2> {
        let square = columns(&now.qpos, 4, 2).square().sum_dim(1);
        square.mul_scalar(-2.0).add_scalar(1.0)
    }
}

impl Task for Ant {
    fn xml(&self) -> &'static str {
        include_str!("../../../models/quadruped.xml")
    }
    fn skip(&self) -> usize {
        4
    }
    fn limit(&self) -> usize {
        500
    }
    fn key(&self) -> Option<usize> {
        Some(0)
    }
    fn observe(&self, now: &State) -> Tensor<2> {
        let nq = now.qpos.dims()[1];
        Tensor::cat(vec![columns(&now.qpos, 2, nq - 2), now.qvel.clone()], 1)
    }
    fn reward(&self, before: &State, now: &State, action: &Tensor<2>, dt: f64) -> Tensor<2> {
        let ahead = columns(&now.qpos, 0, 1) - columns(&before.qpos, 0, 1);
        let cost = action.clone().square().sum_dim(1).mul_scalar(0.05);
        ahead.div_scalar(dt).add_scalar(1.0) - cost
    }
    fn ends(&self, now: &State) -> Tensor<2, Bool> {
        let low = columns(&now.qpos, 2, 1).lower_elem(0.15);
        Self::upright(now).lower_elem(0.5).bool_or(low)
    }
}

/// The worlds of a task. Episodes that end begin anew by themselves.
pub struct Worlds<T> {
    pub task: T,
    shared: Shared,
    batch: Batch,
    start: Tensor<2>,
    state: State,
    /// Actions of the running episodes, N × 1.
    age: Tensor<2>,
}

/// What follows an action. Each is N × 1 but the observations.
pub struct Step {
    pub observation: Tensor<2>,
    pub reward: Tensor<2>,
    /// 1 where the episode ended, by its end or by its limit.
    pub done: Tensor<2>,
}

impl<T: Task> Worlds<T> {
    /// Worlds at the start of an episode.
    pub fn new(task: T, shared: Shared, nworld: usize) -> Result<Self> {
        let model = Model::from_xml_str(task.xml())?;
        let mut batch = shared.batch(&model, nworld)?;
        if let Some(key) = task.key() {
            batch.reset(manyworlds::batch::To::Key(key))?;
        }
        let start = shared.read(&mut batch, "qpos")?;
        let state = State {
            qpos: start.clone(),
            qvel: shared.read(&mut batch, "qvel")?,
        };
        let age = Tensor::zeros([nworld, 1], &shared.tensors);
        let mut worlds = Self {
            task,
            shared,
            batch,
            start,
            state,
            age,
        };
        let all = worlds.age.clone().equal_elem(0.0);
        worlds.begin(all)?;
        Ok(worlds)
    }

    /// The device of the tensors.
    pub fn device(&self) -> &Device {
        &self.shared.tensors
    }

    /// The worlds.
    pub fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Number of worlds.
    pub fn nworld(&self) -> usize {
        self.batch.nworld()
    }

    /// Number of actions.
    pub fn nu(&self) -> usize {
        self.batch.model().nu
    }

    /// What a policy sees now.
    pub fn observe(&self) -> Tensor<2> {
        self.task.observe(&self.state)
    }

    /// Takes actions, N × nu, of which those beyond -1 and 1 count as these.
    pub fn step(&mut self, action: Tensor<2>) -> Result<Step> {
        let action = action.clamp(-1.0, 1.0);
        set(&mut self.batch, "ctrl", action.clone())?;
        self.batch.step(self.task.skip())?;
        let now = State {
            qpos: self.shared.read(&mut self.batch, "qpos")?,
            qvel: self.shared.read(&mut self.batch, "qvel")?,
        };
        let before = std::mem::replace(&mut self.state, now);
        let dt = self.batch.model().opt.timestep * self.task.skip() as f64;
        let reward = self.task.reward(&before, &self.state, &action, dt);
        self.age = self.age.clone().add_scalar(1.0);
        let late = self
            .age
            .clone()
            .greater_equal_elem(self.task.limit() as f32);
        let done = self.task.ends(&self.state).bool_or(late);
        self.begin(done.clone())?;
        Ok(Step {
            observation: self.observe(),
            reward,
            done: done.float(),
        })
    }

    // puts the worlds of a mask, N × 1, to a start near the model's
    fn begin(&mut self, mask: Tensor<2, Bool>) -> Result<()> {
        let n = self.nworld();
        let wide = |num: usize| mask.clone().expand([n, num]);
        let near = |x: &Tensor<2>, spread: f64| {
            let noise = Distribution::Uniform(-spread, spread);
            Tensor::<2>::random(x.dims(), noise, &self.shared.tensors)
        };
        let qpos = self.start.clone() + near(&self.start, 0.05);
        let qvel = near(&self.state.qvel, 0.05);
        let State { qpos: q, qvel: v } = self.state.clone();
        let nv = v.dims()[1];
        self.state = State {
            qpos: q.mask_where(wide(qpos.dims()[1]), qpos),
            qvel: v.mask_where(wide(nv), qvel),
        };
        self.age = self.age.clone().mask_fill(mask.clone(), 0.0);
        let warm = self.shared.read(&mut self.batch, "qacc_warmstart")?;
        let warm = warm.mask_fill(wide(nv), 0.0);
        set(&mut self.batch, "qpos", self.state.qpos.clone())?;
        set(&mut self.batch, "qvel", self.state.qvel.clone())?;
        set(&mut self.batch, "qacc_warmstart", warm)
    }
}
