"""Proximal policy optimisation in one file, with numpy alone (Schulman et al.: Proximal policy optimization algorithms, 2017).

    python ppo.py HalfCheetah-v5 --steps 2500000 --seed 1
    python ppo.py InvertedPendulum-v5 --envs 64 --steps 200000
    python ppo.py cartpole-swingup-v0 --envs 64 --horizon 128 --steps 1000000 --seed 1
    python ppo.py HalfCheetah-v5 --steps 2500000 --seed 1 --save cheetah.npz
    manyworlds view half_cheetah.xml --ctrl cheetah.npz

Prints a line for every update: control steps so far, seconds, the simulator's share of the time, mean return of the last episodes.
The same seed gives the same learning curve.
"""

import argparse
import time
from collections import deque

import numpy as np
from gymnasium.vector import AutoresetMode

from manyworlds import policy, tasks
from manyworlds.gym import VectorEnv


class Net:
    """A perceptron with two hidden tanh layers; `grad` backpropagates the derivative of a loss by the outputs to the weights."""

    def __init__(self, rng, inputs, outputs, hidden, gain):
        sizes = [inputs, hidden, hidden, outputs]
        gains = [2**0.5, 2**0.5, gain]
        self.weights = []
        for rows, columns, gain in zip(sizes, sizes[1:], gains):
            q, _ = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
            q = q if rows >= columns else q.T
            self.weights += [np.float32(gain * q), np.zeros(columns, np.float32)]

    def __call__(self, x):
        w1, b1, w2, b2, w3, b3 = self.weights
        h1 = np.tanh(x @ w1 + b1)
        h2 = np.tanh(h1 @ w2 + b2)
        self.kept = x, h1, h2
        return h2 @ w3 + b3

    def grad(self, g):
        x, h1, h2 = self.kept
        _, _, w2, _, w3, _ = self.weights
        g2 = (g @ w3.T) * (1 - h2**2)
        g1 = (g2 @ w2.T) * (1 - h1**2)
        return [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g, g.sum(0)]


class Adam:
    """Adaptive gradient steps (Kingma, Ba: Adam, 2015)."""

    def __init__(self, weights):
        self.weights, self.count = weights, 0
        self.m, self.v = [[np.zeros_like(w) for w in weights] for _ in range(2)]

    def step(self, grads, rate, largest=0.5):
        norm = np.sqrt(sum(np.square(g, dtype=np.float64).sum() for g in grads))
        scale = np.float32(min(1.0, largest / (norm + 1e-6)))
        self.count += 1
        rate = rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count)
        for w, g, m, v in zip(self.weights, grads, self.m, self.v):
            g = g * scale
            m += np.float32(0.1) * (g - m)
            v += np.float32(0.001) * (g * g - v)
            w -= np.float32(rate) * m / (np.sqrt(v) + np.float32(1e-5))


class Scale:
    """Running mean and standard deviation of all rows so far."""

    def __init__(self, shape):
        self.mean, self.square, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def see(self, x):
        n = len(x)
        share = n / (self.count + n)
        delta = x.mean(0) - self.mean
        self.square += share * (x.var(0) - self.square + (1 - share) * delta**2)
        self.mean += share * delta
        self.count += n

    def deviation(self):
        return np.sqrt(self.square + 1e-8)

    def __call__(self, x):
        return np.clip((x - self.mean) / self.deviation(), -10, 10).astype(np.float32)


def learn(a, tell=print, task=None, env=None):
    """Trains on the named task, on `task`, or on any vector environment that resets in the same step; returns steps, seconds and the mean return of
    the last hundred episodes after each update."""
    rng = np.random.default_rng(a.seed)
    if env is None:
        task = tasks.find(a.task) if task is None else task
        if a.save:
            policy.check(task)
        env = VectorEnv(task, a.envs, autoreset_mode=AutoresetMode.SAME_STEP, backend=a.backend, nthread=a.threads)
    n, nobs, nact = a.envs, env.single_observation_space.shape[0], env.single_action_space.shape[0]
    low, high = env.single_action_space.low, env.single_action_space.high
    actor, critic = Net(rng, nobs, nact, a.hidden, 0.01), Net(rng, nobs, 1, a.hidden, 1.0)
    logstd = np.full(nact, np.log(a.deviation), np.float32)
    adam = Adam([*actor.weights, logstd, *critic.weights])
    scale, returns, ended, curve = Scale(nobs), Scale(()), deque(maxlen=100), []
    discounted, total = np.zeros(n), np.zeros(n)
    raw, _ = env.reset(seed=a.seed)
    scale.see(raw)
    start, simulating, updates = time.perf_counter(), 0.0, a.steps // (n * a.horizon)
    for update in range(updates):
        obs, act, logp, rew, val, cut, last = ([] for _ in range(7))
        for _ in range(a.horizon):
            x = scale(raw)
            mean, value = actor(x), critic(x)[:, 0]
            noise = rng.standard_normal((n, nact), dtype=np.float32)
            action = mean + np.exp(logstd) * noise
            began = time.perf_counter()
            raw, reward, terminated, truncated, info = env.step(np.clip(action, low, high))
            simulating += time.perf_counter() - began
            done = terminated | truncated
            # a truncated episode is bootstrapped with the critic's value
            beyond = np.zeros(n, np.float32)
            if truncated.any():
                seen = scale(np.stack(info["final_obs"][truncated]))
                beyond[truncated] = critic(seen)[:, 0] * ~terminated[truncated]
            total += reward
            discounted = a.gamma * discounted + reward
            returns.see(discounted)
            ended.extend(total[done])
            total[done] = discounted[done] = 0
            obs.append(x), act.append(action), val.append(value), cut.append(done), last.append(beyond)
            logp.append(-0.5 * (noise**2).sum(1) - logstd.sum())
            rew.append(np.clip(reward / returns.deviation(), -10, 10))
            scale.see(raw)

        # advantages, from the last step backwards (Schulman et al.: Generalized advantage estimation, 2016)
        advantage, gain = np.zeros((a.horizon, n), np.float32), np.zeros(n)
        following = critic(scale(raw))[:, 0]
        for t in reversed(range(a.horizon)):
            ahead = np.where(cut[t], last[t], following)
            delta = rew[t] + a.gamma * ahead - val[t]
            gain = delta + a.gamma * a.decay * np.where(cut[t], 0, gain)
            advantage[t], following = gain, val[t]
        flat = lambda rows: np.concatenate(rows)  # noqa: E731
        obs, act, logp, advantage, val = flat(obs), flat(act), flat(logp), advantage.ravel(), flat(val)
        target = advantage + val
        rate = a.rate * (1 - update / updates)
        for _ in range(a.epochs):
            order = rng.permutation(len(obs))
            for part in np.array_split(order, a.minibatches):
                adam.step(gradients(a, actor, critic, logstd, obs[part], act[part], logp[part], advantage[part], target[part]), rate)
        steps, took = (update + 1) * n * a.horizon, time.perf_counter() - start
        mean = float(np.mean(ended)) if ended else float("nan")
        curve.append((steps, took, mean))
        tell(f"{steps:>10} steps {took:7.1f} s {100 * simulating / took:3.0f} % simulating, return {mean:9.1f}", flush=True)
    if a.save:
        policy.save(a.save, task, actor.weights, scale.mean, scale.deviation(), low, high)
    env.close()
    return curve


def gradients(a, actor, critic, logstd, obs, act, logp, advantage, target):
    """Gradients of the clipped objective and of the critic's squared error."""
    n = np.float32(len(obs))
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    noise = (act - actor(obs)) * np.exp(-logstd)
    ratio = np.exp(-0.5 * (noise**2).sum(1) - logstd.sum() - logp)
    # the objective is constant where the ratio is clipped
    flat = np.where(advantage > 0, ratio > 1 + a.clip, ratio < 1 - a.clip)
    push = (np.where(flat, 0, -advantage * ratio) / n)[:, None].astype(np.float32)
    of_actor = actor.grad(push * noise * np.exp(-logstd))
    of_logstd = (push * (noise**2 - 1)).sum(0) - np.float32(a.entropy)
    error = (critic(obs)[:, 0] - target) / n
    return [*of_actor, of_logstd, *critic.grad(error[:, None].astype(np.float32))]


def arguments(args=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("task", help="Ant-v5 as Gymnasium's, walker-walk-v0 as dm_control's")
    p.add_argument("--steps", type=int, default=2_000_000, help="control steps of all worlds together")
    p.add_argument("--envs", type=int, default=256)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--save", metavar="FILE.npz", help="keep the policy there, for `manyworlds view --ctrl FILE.npz` and the page")
    p.add_argument("--backend", default="auto")
    p.add_argument("--threads", type=int, default=0, help="of the simulator; 0: all")
    p.add_argument("--horizon", type=int, default=64, help="control steps of a world between updates")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--minibatches", type=int, default=32)
    p.add_argument("--deviation", type=float, default=0.37, help="of the first actions from their mean")
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--rate", type=float, default=5e-4)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--decay", type=float, default=0.92)
    p.add_argument("--clip", type=float, default=0.2)
    p.add_argument("--entropy", type=float, default=0.0)
    return p.parse_args(args)


if __name__ == "__main__":
    learn(arguments())
