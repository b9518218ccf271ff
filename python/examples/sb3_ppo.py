"""Stable-Baselines3's PPO on a task of many worlds.

    pip install stable-baselines3
    python sb3_ppo.py HalfCheetah-v5 --steps 1000000

The policy is written to policy.zip.
"""

import argparse

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from manyworlds.sb3 import VecEnv


def learn(a):
    """Trains; returns the model, whose ep_info_buffer has the returns of the last hundred episodes."""
    # VecMonitor sums the rewards of each episode; PPO prints the mean
    env = VecMonitor(VecEnv(a.task, a.envs, backend=a.backend, nthread=a.threads))
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=a.horizon,
        batch_size=a.envs * a.horizon // 8,
        n_epochs=5,
        learning_rate=1e-3,
        seed=a.seed,
        verbose=0 if a.quiet else 1,
        device="cpu",
    )
    return model.learn(a.steps)


def arguments(args=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("task", help="HalfCheetah-v5")
    p.add_argument("--steps", type=int, default=1_000_000, help="control steps of all worlds together")
    p.add_argument("--envs", type=int, default=256)
    p.add_argument("--horizon", type=int, default=64, help="control steps of a world between updates")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--backend", default="auto")
    p.add_argument("--threads", type=int, default=0, help="of the simulator; 0: all")
    p.add_argument("--quiet", action="store_true")
    return p.parse_args(args)


if __name__ == "__main__":
    learn(arguments()).save("policy")
