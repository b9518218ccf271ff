//! Proximal policy optimisation (Schulman et al., 2017), as CleanRL has it for continuous actions.

use burn_tensor::{Distribution, Int, Tensor, TensorData};

use crate::Result;
use crate::net::{Adam, Net};
use crate::task::{Task, Worlds};

/// Numbers of the algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Actions of each world between two updates.
    pub horizon: usize,
    /// Passes over what was seen.
    pub epochs: usize,
    /// Parts into which each pass is cut.
    pub parts: usize,
    pub rate: f64,
    pub discount: f64,
    /// Weight of later advantages (lambda).
    pub decay: f64,
    /// Largest change of an action's probability that is rewarded.
    pub clip: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            horizon: 32,
            epochs: 4,
            parts: 4,
            rate: 1e-3,
            discount: 0.99,
            decay: 0.95,
            clip: 0.2,
        }
    }
}

/// A learner and its worlds.
pub struct Ppo<T> {
    pub worlds: Worlds<T>,
    pub net: Net,
    settings: Settings,
    adam: Adam,
    seen: Tensor<2>,
    shuffle: u64,
}

/// What all worlds did between two updates, row by row: horizon × N rows.
struct Rollout {
    seen: Tensor<2>,
    action: Tensor<2>,
    chance: Tensor<2>,
    advantage: Tensor<2>,
    aim: Tensor<2>,
}

// logarithm of the density of actions around a mean, N × 1
fn chance(action: &Tensor<2>, mean: Tensor<2>, spread: Tensor<2>) -> Tensor<2> {
    let z = (action.clone() - mean) / spread.clone().exp();
    let half = z.square().mul_scalar(-0.5) - spread;
    half.sub_scalar(0.5 * (2.0 * std::f64::consts::PI).ln())
        .sum_dim(1)
}

impl<T: Task> Ppo<T> {
    pub fn new(worlds: Worlds<T>, settings: Settings) -> Self {
        let seen = worlds.observe();
        let net = Net::new(seen.dims()[1], worlds.nu(), worlds.device());
        let adam = Adam::new(&net, settings.rate);
        Self {
            worlds,
            net,
            settings,
            adam,
            seen,
            shuffle: 1,
        }
    }

    /// Acts for a horizon and learns from it. Returns the mean reward of an action, and the share of actions behind which an episode ended.
    pub fn update(&mut self) -> Result<[f32; 2]> {
        let (rollout, [reward, done]) = self.roll()?;
        for _ in 0..self.settings.epochs {
            let rows = self.shuffled(rollout.seen.dims()[0]);
            for part in rows.chunks(rows.len().div_ceil(self.settings.parts)) {
                self.learn(&rollout, part);
            }
        }
        Ok([reward.into_scalar(), done.into_scalar()])
    }

    fn roll(&mut self) -> Result<(Rollout, [Tensor<1>; 2])> {
        let (mut seen, mut action, mut log, mut value) = (vec![], vec![], vec![], vec![]);
        let (mut reward, mut done) = (vec![], vec![]);
        for _ in 0..self.settings.horizon {
            let mean = self.net.policy(self.seen.clone());
            let noise = mean.random_like(Distribution::Normal(0.0, 1.0));
            let act = mean.clone() + noise * self.net.spread().exp();
            log.push(chance(&act, mean, self.net.spread()));
            value.push(self.net.value(self.seen.clone()));
            let step = self.worlds.step(act.clone())?;
            seen.push(std::mem::replace(&mut self.seen, step.observation));
            action.push(act);
            reward.push(step.reward);
            done.push(step.done);
        }
        let advantage = self.advantages(&value, &reward, &done);
        let mean = [&reward, &done].map(|x| Tensor::cat(x.clone(), 0).mean());
        let (advantage, value) = (Tensor::cat(advantage, 0), Tensor::cat(value, 0));
        let rollout = Rollout {
            seen: Tensor::cat(seen, 0),
            action: Tensor::cat(action, 0),
            chance: Tensor::cat(log, 0),
            aim: advantage.clone() + value,
            advantage,
        };
        Ok((rollout, mean))
    }

    // generalised advantages, from the last action to the first
    fn advantages(
        &self,
        value: &[Tensor<2>],
        reward: &[Tensor<2>],
        done: &[Tensor<2>],
    ) -> Vec<Tensor<2>> {
        let Settings {
            discount, decay, ..
        } = self.settings;
        let mut next = self.net.value(self.seen.clone());
        let mut sum = next.zeros_like();
        let mut all = Vec::new();
        for ((v, r), d) in value.iter().zip(reward).zip(done).rev() {
            let goes_on = d.clone().neg().add_scalar(1.0);
            let error = r.clone() + next * goes_on.clone().mul_scalar(discount) - v.clone();
            sum = error + sum * goes_on.mul_scalar(discount * decay);
            all.push(sum.clone());
            next = v.clone();
        }
        all.reverse();
        all
    }

    fn learn(&mut self, all: &Rollout, rows: &[i32]) {
        let rows = TensorData::new(rows.to_vec(), [rows.len()]);
        let rows = Tensor::<1, Int>::from_data(rows, self.worlds.device());
        let pick = |x: &Tensor<2>| x.clone().select(0, rows.clone());
        let advantage = pick(&all.advantage);
        let centred = advantage.clone() - advantage.mean().reshape([1, 1]);
        let spread = centred.clone().square().mean().sqrt().add_scalar(1e-8);
        let advantage = (centred / spread.reshape([1, 1])).autodiff();

        let net = self.net.tracked();
        let seen = pick(&all.seen).autodiff();
        let action = pick(&all.action).autodiff();
        let now = chance(&action, net.policy(seen.clone()), net.spread());
        let ratio = (now - pick(&all.chance).autodiff()).exp();
        let clip = self.settings.clip;
        let kept = ratio.clone().clamp(1.0 - clip, 1.0 + clip) * advantage.clone();
        let gain = (ratio * advantage).min_pair(kept).mean();
        let miss = (net.value(seen) - pick(&all.aim).autodiff())
            .square()
            .mean();
        let loss = miss.mul_scalar(0.5) - gain;
        let gradients = loss.backward();
        self.adam.step(&mut self.net, &net, &gradients);
    }

    // the numbers below n in an order of chance, the same in every run
    fn shuffled(&mut self, n: usize) -> Vec<i32> {
        let mut rows: Vec<i32> = (0..n as i32).collect();
        for i in (1..n).rev() {
            // Knuth's linear congruence, of which the upper half is taken
            let next = self.shuffle.wrapping_mul(6_364_136_223_846_793_005);
            self.shuffle = next.wrapping_add(1_442_695_040_888_963_407);
            rows.swap(i, (self.shuffle >> 33) as usize % (i + 1));
        }
        rows
    }
}
