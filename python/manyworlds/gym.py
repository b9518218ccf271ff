"""Tasks as vector environments of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from manyworlds.task import Task, Worlds


def spaces(worlds: Worlds) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """What is seen of one world, and the controls of one."""
    width = worlds.observe().shape[1]
    box = gymnasium.spaces.Box
    return box(-np.inf, np.inf, (width,), worlds.batch.dtype), box(*worlds.ranges(), dtype=np.float32)


class VectorEnv(gymnasium.vector.VectorEnv):
    """A task in `num_envs` worlds.

    `autoreset_mode` is one of Gymnasium's three. With SAME_STEP the last observations are `info["final_obs"]`, one dense array, with the
    mask `info["_final_obs"]`. World i's draws depend on the seed, on i and on its episode, not on how many worlds there are.
    """

    metadata = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **batch: Any,
    ):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.render_mode = render_mode
        if max_episode_steps is not None:
            task.limit = max_episode_steps
        self.worlds = Worlds(task, num_envs, **batch)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._done = np.zeros(num_envs, bool)

        self.single_observation_space, self.single_action_space = spaces(self.worlds)
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, num_envs)
        self.action_space = batched(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins episodes everywhere, or where `options["reset_mask"]` is true. A seed begins everything anew."""
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        if seed is not None:
            self.worlds.seed = int(seed)
            self.worlds.episode[mask] = 0
        self.worlds.reset(mask)
        self._done[mask] = False
        return self.worlds.observe(mask), {}

    def step(self, actions: np.ndarray):
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions of shape {self.action_space.shape} are needed, not {actions.shape}")
        worlds, begins = self.worlds, self._done.copy()
        if self.autoreset_mode == AutoresetMode.DISABLED and begins.any():
            raise ValueError("some episodes are over: reset them with options={'reset_mask': mask}")
        reward, terminated, truncated, info = worlds.step(actions)
        observation = worlds.observe()
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and begins.any():
            # their action counts for nothing
            worlds.reset(begins)
            observation = worlds.observe(begins)
            reward = np.where(begins, 0.0, reward)
            terminated, truncated = terminated & ~begins, truncated & ~begins
            diverged = info.pop("diverged", begins) & ~begins
            info = {**info, "diverged": diverged} if diverged.any() else info
        self._done = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            info = {**info, "final_obs": observation, "_final_obs": self._done.copy()}
            info |= {"final_info": {"episode_length": worlds.elapsed.copy()}, "_final_info": self._done.copy()}
            worlds.reset(self._done)
            observation = worlds.observe(self._done)
            self._done = np.zeros(self.num_envs, bool)
        return observation, reward, terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """One picture of all worlds, (height, width, 3), where `render_mode` is `rgb_array`; `worlds.batch.render` has more to choose."""
        if self.render_mode is None:
            return None
        return (self.worlds.batch.render(size=(640, 360)),)

    def close_extras(self, **kwargs: Any) -> None:
        pass
