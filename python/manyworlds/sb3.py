"""Tasks as vector environments of Stable-Baselines3.

    from manyworlds.sb3 import VecEnv

    model = stable_baselines3.PPO("MlpPolicy", VecEnv("HalfCheetah-v5", 256))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    from stable_baselines3.common import vec_env
except ImportError as e:
    raise ImportError("manyworlds.sb3 needs Stable-Baselines3: pip install stable-baselines3") from e

from manyworlds.gym import spaces
from manyworlds.model import TABLE
from manyworlds.task import Task, Worlds


class VecEnv(vec_env.VecEnv):
    """A task in `num_envs` worlds; `task` is a task or the name of one.

    An episode that ends restarts in the same step: its last observation is `terminal_observation` of its info, and
    `TimeLimit.truncated` is true if it reached the time limit. `told` has the dict that the task's reward() returns, an array (n,) for each
    entry; infos have the entries of the worlds whose episodes end. World i's draws depend on the seed, on i and on its episode.
    """

    def __init__(self, task: Task | str, num_envs: int = 1, *, render_mode: str | None = None, **batch: Any):
        if isinstance(task, str):
            from manyworlds.tasks import find

            task = find(task)
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.worlds = Worlds(task, num_envs, **batch)
        self.told: dict[str, np.ndarray] = {}
        self._render_mode, self._actions = render_mode, np.zeros(0)
        super().__init__(num_envs, *spaces(self.worlds))

    def reset(self) -> np.ndarray:
        """Begins episodes in all worlds; a seed given to `seed` restarts the random numbers at the first episode."""
        if any(self._options):
            raise ValueError("tasks have no reset options: pass arguments when the task is made")
        if self._seeds[0] is not None:
            # one seed for all: draws depend on the world too
            self.worlds.seed = self._seeds[0]
            self.worlds.episode[:] = 0
        self._reset_seeds()
        self.worlds.reset(np.ones(self.num_envs, bool))
        return self.worlds.observe()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = np.asarray(actions).reshape(self.num_envs, self.worlds.batch.model.nu)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        worlds = self.worlds
        reward, terminated, truncated, self.told = worlds.step(self._actions)
        done, observation = terminated | truncated, worlds.observe()
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        if done.any():
            for i in np.flatnonzero(done):
                infos[i] |= {name: part[i] for name, part in self.told.items()}
                infos[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
                infos[i]["terminal_observation"] = observation[i]
            worlds.reset(done)
            observation = worlds.observe(done)
        return observation, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Does nothing."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """A field of the worlds, a row for each of `indices`; or an attribute of the task, repeated for each."""
        ids = self._worlds(indices)
        if attr_name == "render_mode":
            return [self._render_mode] * len(ids)
        if self._is_field(attr_name):
            return list(self.worlds.batch.read(attr_name)[ids])
        return [getattr(self.worlds.task, attr_name)] * len(ids)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Writes a field of the worlds `indices` (qpos, qvel, ...), or sets an attribute of the task, which all worlds share."""
        ids = self._worlds(indices)
        if self._is_field(attr_name):
            self.worlds.batch.write(attr_name, value, ids)
        elif set(ids) != set(range(self.num_envs)):
            raise ValueError(f"all worlds share one task: set {attr_name!r} for all of them, with indices=None")
        else:
            setattr(self.worlds.task, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Calls a method of the task once for all worlds, `method(s, *args)`; returns a row for each of `indices`."""
        ids = self._worlds(indices)
        rows = getattr(self.worlds.task, method_name)(self.worlds.s, *method_args, **method_kwargs)
        if np.ndim(rows) and len(rows) == self.num_envs:
            return [rows[i] for i in ids]
        return [rows] * len(ids)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False for each world: wrappers of a single environment do not fit a vector of worlds."""
        return [False] * len(self._worlds(indices))

    def get_images(self) -> Sequence[np.ndarray]:
        """One picture of all worlds; `worlds.batch.render` has more options."""
        return [self.worlds.batch.render(size=(640, 360))]

    def _worlds(self, indices: Any) -> list[int]:
        return list(self._get_indices(indices))

    def _is_field(self, name: str) -> bool:
        return TABLE.get(name, ("",))[0] == "Data"
