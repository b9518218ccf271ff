"""Tasks as environments of Gymnasium: vector environments, and single ones."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from manyworlds.task import Task, Worlds


def spaces(worlds: Worlds) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """The observation space and the action space of one world."""
    width = worlds.observe().shape[1]
    box = gymnasium.spaces.Box
    return box(-np.inf, np.inf, (width,), worlds.batch.dtype), box(*worlds.ranges(), dtype=np.float32)


def _limited(task: Task, render_mode: str | None, max_episode_steps: int | None) -> Task:
    if render_mode not in (None, "rgb_array"):
        raise ValueError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
    if max_episode_steps is not None:
        task.limit = max_episode_steps
    return task


class Env(gymnasium.Env):
    """A task in one world, with Gymnasium's single-environment interface, for code without arrays of worlds. A VectorEnv of many worlds is faster.

    Draws depend on the seed and on the episode.
    """

    metadata = {"render_modes": ["rgb_array"]}

    def __init__(self, task: Task, *, render_mode: str | None = None, max_episode_steps: int | None = None, **batch: Any):
        self.render_mode = render_mode
        self.worlds = Worlds(_limited(task, render_mode, max_episode_steps), 1, **batch)
        self.observation_space, self.action_space = spaces(self.worlds)
        self._all = np.ones(1, bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins an episode. A seed restarts the random numbers at the first episode."""
        super().reset(seed=seed)
        if seed is not None:
            self.worlds.seed = int(seed)
            self.worlds.episode[:] = 0
        self.worlds.reset(self._all)
        return self.worlds.observe()[0], {}

    def step(self, action: np.ndarray):
        action = np.asarray(action)
        if action.shape != self.action_space.shape:
            raise ValueError(f"an action of shape {self.action_space.shape} is needed, not {action.shape}")
        reward, terminated, truncated, told = self.worlds.step(action[None])
        info = {name: part[0] for name, part in told.items()}
        return self.worlds.observe()[0], reward.item(), terminated.item(), truncated.item(), info

    def render(self) -> np.ndarray | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A picture, (height, width, 3), if `render_mode` is `rgb_array`; `worlds.batch.render` has more options."""
        return None if self.render_mode is None else self.worlds.batch.render(size=(640, 360))


class VectorEnv(gymnasium.vector.VectorEnv):
    """A task in `num_envs` worlds.

    `autoreset_mode` is one of Gymnasium's three. With SAME_STEP the last observations are `info["final_obs"]`, one dense array, with the
    mask `info["_final_obs"]`. World i's draws depend on the seed, on i and on its episode, not on the number of worlds.
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
        self.render_mode = render_mode
        self.worlds = Worlds(_limited(task, render_mode, max_episode_steps), num_envs, **batch)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._done = np.zeros(num_envs, bool)

        self.single_observation_space, self.single_action_space = spaces(self.worlds)
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, num_envs)
        self.action_space = batched(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins episodes in all worlds, or in those of the mask `options["reset_mask"]`. A seed restarts their random numbers at the first episode."""
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
        worlds, begins = self.worlds, self._done
        if self.autoreset_mode == AutoresetMode.DISABLED and begins.any():
            raise ValueError("some episodes are over: reset them with options={'reset_mask': mask}")
        reward, terminated, truncated, info = worlds.step(actions)
        observation = worlds.observe()
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and begins.any():
            # the action of a world that begins an episode is ignored
            worlds.reset(begins)
            observation = worlds.observe(begins)
            reward = np.where(begins, 0.0, reward)
            terminated, truncated = terminated & ~begins, truncated & ~begins
            diverged = info.pop("diverged", begins) & ~begins
            info = {**info, "diverged": diverged} if diverged.any() else info
        self._done = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            info = {**info, "final_obs": observation, "_final_obs": self._done}
            info |= {"final_info": {"episode_length": worlds.elapsed.copy()}, "_final_info": self._done.copy()}
            worlds.reset(self._done)
            observation = worlds.observe(self._done)
            self._done = np.zeros(self.num_envs, bool)
        return observation, reward, terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """One picture of all worlds, (height, width, 3), if `render_mode` is `rgb_array`; `worlds.batch.render` has more options."""
        if self.render_mode is None:
            return None
        return (self.worlds.batch.render(size=(640, 360)),)

    def close_extras(self, **kwargs: Any) -> None:
        pass
