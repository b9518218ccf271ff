"""A custom robot learns to walk, by the PPO of `ppo.py`; the policy is saved in a file.

    python walk.py --save quadruped.npz
    manyworlds view models/quadruped.xml --ctrl quadruped.npz

The task defines a model, an observation, a reward and the end of an episode. Training takes five minutes on one core.
"""

import pathlib
import sys

import numpy as np
import ppo

import manyworlds as mw

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


class Walk(mw.Task):
    """A quadruped walks straight along x, at half a metre per second, with small joint velocities and controls."""

    model, frame_skip, limit, before = MODELS / "quadruped.xml", 4, 500, ("qpos",)
    observed = ("qpos[2:]", "qvel")
    speed = 0.5

    def reset(self, s, draws):
        qpos = s.key_qpos[0] + draws.uniform(-0.1, 0.1, s.nq)
        return qpos, 0.3 * draws.standard_normal(s.nv)

    def upright(self, s):
        """The z component of the trunk's up axis, from 1 (upright) to -1."""
        _, x, y, _ = s.qpos[:, 3:7].T
        return 1 - 2 * (x * x + y * y)

    def reward(self, s, before, action):
        ahead, aside = ((s.qpos[:, :2] - before.qpos[:, :2]) / s.dt).T
        _, _, _, z = s.qpos[:, 3:7].T
        pace = np.exp(-4 * (ahead - self.speed) ** 2)
        straight = np.exp(-4 * aside**2) * np.exp(-4 * z * z)
        haste = 0.02 * np.square(s.qvel[:, 6:]).mean(axis=1) + 0.05 * np.square(action).mean(axis=1)
        return pace * straight * self.upright(s) - haste

    def terminated(self, s):
        return (self.upright(s) < 0.5) | (s.qpos[:, 2] < 0.15)


if __name__ == "__main__":
    arguments = ppo.arguments(["Walk", "--steps", "2500000", "--envs", "256", "--horizon", "48", *sys.argv[1:]])
    ppo.learn(arguments, task=Walk())
