"""The MuJoCo tasks of Gymnasium, version 5: the same observations, rewards and ends, of all worlds at once.

Models are read from the installed package. Numbers agree with the originals; `python/tests/test_gymnasium.py` checks this.
"""

from __future__ import annotations

import functools
import pathlib

import numpy as np

from manyworlds.task import Task

INF = float("inf")


@functools.cache
def assets() -> pathlib.Path:
    """The folder of Gymnasium's models."""
    import gymnasium

    # not by importing gymnasium.envs.mujoco, which needs packages for rendering
    return pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"


def squares(x: np.ndarray) -> np.ndarray:
    """Sum of squares of every world's numbers."""
    rows = x if x.ndim == 2 else x.reshape(len(x), -1)
    return np.add.reduce(rows * rows, axis=1)


def clipped(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """`np.clip` in half of its time, which a single environment feels."""
    return np.minimum(np.maximum(x, low), high)


def between(low: float, x: np.ndarray, high: float) -> np.ndarray:
    return (low < x) & (x < high)


class Original(Task):
    """Common parts of the tasks."""

    file = ""
    # noise of the initial state: uniform in qpos, normal (`normal`) or uniform in qvel
    noise, normal = 0.1, False
    forward_reward_weight, ctrl_cost_weight = 1.0, 0.1

    def __init__(self, **options):
        self.set(options)
        self.model = assets() / self.file

    def reset(self, s, draws):
        qpos = s.qpos0 + draws.uniform(-self.noise, self.noise, s.nq)
        if self.normal:
            return qpos, self.noise * draws.standard_normal(s.nv)
        return qpos, draws.uniform(-self.noise, self.noise, s.nv)

    def forward(self, x, before, s):
        """Reward for forward velocity."""
        return (x - before) * (self.forward_reward_weight / s.dt)


class HalfCheetah(Original):
    file, frame_skip, normal, observed = "half_cheetah.xml", 5, True, ("qpos[1:]", "qvel")

    def reward(self, s, before, action):
        forward = self.forward(s.qpos[:, 0], before.qpos[:, 0], s)
        ctrl = -self.ctrl_cost_weight * squares(action)
        return forward + ctrl, {"reward_forward": forward, "reward_ctrl": ctrl}


class Swimmer(Original):
    file, frame_skip, ctrl_cost_weight, observed = "swimmer.xml", 4, 1e-4, ("qpos[2:]", "qvel")

    reward = HalfCheetah.reward


class Hopper(HalfCheetah):
    normal = False
    file, frame_skip, noise, ctrl_cost_weight = "hopper.xml", 4, 5e-3, 1e-3
    healthy_reward, terminate_when_unhealthy = 1.0, True
    healthy_state_range, healthy_z_range, healthy_angle_range = (-100.0, 100.0), (0.7, INF), (-0.2, 0.2)

    def observe(self, s):
        return s.qpos[:, 1:], clipped(s.qvel, -10, 10)

    def healthy(self, s):
        low, high = self.healthy_state_range
        state = between(low, s.qpos[:, 2:], high).all(axis=1) & between(low, s.qvel, high).all(axis=1)
        return state & self.upright(s)

    def upright(self, s):
        (low, high), (least, most) = self.healthy_z_range, self.healthy_angle_range
        return between(low, s.qpos[:, 1], high) & between(least, s.qpos[:, 2], most)

    def terminated(self, s):
        return ~self.healthy(s) & self.terminate_when_unhealthy

    def reward(self, s, before, action):
        reward, told = super().reward(s, before, action)
        survive = self.healthy_reward * self.healthy(s)
        return reward + survive, {**told, "reward_survive": survive}


class Walker2d(Hopper):
    file = "walker2d_v5.xml"
    healthy_z_range, healthy_angle_range = (0.8, 2.0), (-1.0, 1.0)

    def healthy(self, s):
        return self.upright(s)


class Ant(Original):
    file, frame_skip, normal, derived, forces = "ant.xml", 5, True, True, True
    before = ("xpos",)
    ctrl_cost_weight, contact_cost_weight, contact_force_range = 0.5, 5e-4, (-1.0, 1.0)
    healthy_reward, terminate_when_unhealthy, healthy_z_range, main_body = 1.0, True, (0.2, 1.0), 1

    def contact_forces(self, s):
        return clipped(s.cfrc_ext, *self.contact_force_range)

    def observe(self, s):
        return s.qpos[:, 2:], s.qvel, self.contact_forces(s)[:, 1:]

    def healthy(self, s):
        # no check for finite numbers: a world with others was reset, and is terminated for it
        (low, high), z = self.healthy_z_range, s.qpos[:, 2]
        return (low <= z) & (z <= high)

    terminated = Hopper.terminated

    def reward(self, s, before, action):
        x = (s.xpos[:, self.main_body, 0], before.xpos[:, self.main_body, 0])
        forward = self.forward(*x, s)
        survive = self.healthy_reward * self.healthy(s)
        ctrl = -self.ctrl_cost_weight * squares(action)
        contact = -self.contact_cost_weight * squares(self.contact_forces(s))
        told = {"reward_forward": forward, "reward_ctrl": ctrl, "reward_contact": contact, "reward_survive": survive}
        return forward + survive + (ctrl + contact), told


class Humanoid(Original):
    file, frame_skip, noise, derived, forces = "humanoid.xml", 5, 1e-2, True, True
    before = ("xipos",)
    forward_reward_weight, contact_cost_weight, contact_cost_range = 1.25, 5e-7, (-INF, 10.0)
    healthy_reward, terminate_when_unhealthy, healthy_z_range = 5.0, True, (1.0, 2.0)

    def observe(self, s):
        return (
            s.qpos[:, 2:],
            s.qvel,
            s.cinert[:, 1:],
            s.cvel[:, 1:],
            s.qfrc_actuator[:, 6:],
            s.cfrc_ext[:, 1:],
        )

    def healthy(self, s):
        low, high = self.healthy_z_range
        return between(low, s.qpos[:, 2], high)

    terminated = Hopper.terminated

    def advance(self, s, before):
        """Distance that the center of mass has moved along x (m)."""
        mass = s.own("body_mass")
        moved = (s.xipos - before.xipos)[:, :, 0]
        return np.add.reduce(mass * moved, axis=1) / np.add.reduce(mass, axis=1)

    def contact_cost(self, s):
        return clipped(self.contact_cost_weight * squares(s.cfrc_ext), *self.contact_cost_range)

    def reward(self, s, before, action):
        forward = self.forward(self.advance(s, before), 0.0, s)
        survive = self.healthy_reward * self.healthy(s)
        ctrl = -self.ctrl_cost_weight * squares(s.ctrl)
        contact = -self.contact_cost(s)
        told = {"reward_survive": survive, "reward_forward": forward, "reward_ctrl": ctrl, "reward_contact": contact}
        return forward + survive + (ctrl + contact), told


class HumanoidStandup(Humanoid):
    file, before, contact_cost_weight = "humanoidstandup.xml", ("qpos",), 0.5e-6

    def terminated(self, s):
        return np.zeros(s.nsim, bool)

    def reward(self, s, before, action):
        up = s.qpos[:, 2] / (s.dt / self.frame_skip)
        ctrl = -self.ctrl_cost_weight * squares(s.ctrl)
        impact = -self.contact_cost(s)
        return up + ctrl + impact + 1, {"reward_linup": up, "reward_quadctrl": ctrl, "reward_impact": impact}


class Reacher(Original):
    file, frame_skip, limit, derived = "reacher.xml", 2, 50, True
    reward_dist_weight, reward_control_weight = 1.0, 1.0

    def reach(self, s):
        """Vector from the target to the fingertip (m), (n, 3)."""
        return s.xpos[:, s.body("fingertip")] - s.xpos[:, s.body("target")]

    def observe(self, s):
        theta = s.qpos[:, :2]
        return np.cos(theta), np.sin(theta), s.qpos[:, 2:], s.qvel[:, :2], self.reach(s)[:, :2]

    def reward(self, s, before, action):
        dist = -self.reward_dist_weight * np.linalg.norm(self.reach(s), axis=1)
        ctrl = -self.reward_control_weight * squares(action)
        return dist + ctrl, {"reward_dist": dist, "reward_ctrl": ctrl}

    def reset(self, s, draws):
        qpos = s.qpos0 + draws.uniform(-0.1, 0.1, s.nq)
        # uniform in a disk
        radius, angle = 0.2 * np.sqrt(draws.random(1)[:, 0]), 2 * np.pi * draws.random(1)[:, 0]
        qpos[:, -2:] = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        qvel = draws.uniform(-0.005, 0.005, s.nv)
        qvel[:, -2:] = 0
        return qpos, qvel


class Pusher(Original):
    file, frame_skip, limit, derived = "pusher_v5.xml", 5, 100, True
    reward_near_weight, reward_dist_weight, reward_control_weight = 0.5, 1.0, 0.1

    def observe(self, s):
        return s.qpos[:, :7], s.qvel[:, :7], *(s.xpos[:, s.body(name)] for name in ("tips_arm", "object", "goal"))

    def reward(self, s, before, action):
        away = lambda name: np.linalg.norm(s.xpos[:, s.body("object")] - s.xpos[:, s.body(name)], axis=1)  # noqa: E731
        near, dist = -self.reward_near_weight * away("tips_arm"), -self.reward_dist_weight * away("goal")
        ctrl = -self.reward_control_weight * squares(action)
        return dist + ctrl + near, {"reward_dist": dist, "reward_ctrl": ctrl, "reward_near": near}

    def reset(self, s, draws):
        qpos = np.tile(s.qpos0, (len(draws), 1))
        # drawn before the place, whose number of draws differs between worlds
        qvel = draws.uniform(-0.005, 0.005, s.nv)
        place = np.concatenate([draws.uniform(-0.3, 0.0, 1), draws.uniform(-0.2, 0.2, 1)], axis=1)
        # too near the goal: drawn again
        while (near := np.linalg.norm(place, axis=1) <= 0.17).any():
            again = np.concatenate([draws.uniform(-0.3, 0.0, 1), draws.uniform(-0.2, 0.2, 1)], axis=1)
            place[near] = again[near]
        qpos[:, -4:-2], qpos[:, -2:] = place, 0
        qvel[:, -4:] = 0
        return qpos, qvel


class InvertedPendulum(Original):
    file, frame_skip, noise, observed = "inverted_pendulum.xml", 2, 0.01, ("qpos", "qvel")

    def terminated(self, s):
        return np.abs(s.qpos[:, 1]) > 0.2

    def reward(self, s, before, action):
        survive = np.where(self.terminated(s), 0.0, 1.0)
        return survive, {"reward_survive": survive}


class InvertedDoublePendulum(Original):
    file, frame_skip, normal, derived, healthy_reward = "inverted_double_pendulum.xml", 5, True, True, 10.0

    def observe(self, s):
        return (
            s.qpos[:, :1],
            np.sin(s.qpos[:, 1:]),
            np.cos(s.qpos[:, 1:]),
            clipped(s.qvel, -10, 10),
            clipped(s.qfrc_constraint[:, :1], -10, 10),
        )

    def terminated(self, s):
        return s.site_xpos[:, 0, 2] <= 1

    def reward(self, s, before, action):
        x, y, (v1, v2) = s.site_xpos[:, 0, 0], s.site_xpos[:, 0, 2], s.qvel[:, 1:3].T
        survive = self.healthy_reward * ~self.terminated(s)
        distance, velocity = 0.01 * x**2 + (y - 2) ** 2, 1e-3 * v1**2 + 5e-3 * v2**2
        told = {"reward_survive": survive, "distance_penalty": -distance, "velocity_penalty": -velocity}
        return survive - distance - velocity, told


TASKS = {
    f"{task.__name__}-v5": task
    for task in (
        Ant,
        HalfCheetah,
        Hopper,
        Humanoid,
        HumanoidStandup,
        InvertedDoublePendulum,
        InvertedPendulum,
        Pusher,
        Reacher,
        Swimmer,
        Walker2d,
    )
}
