"""Tasks as vector environments of rsl_rl.

    from manyworlds.rsl_rl import VecEnv

    runner = rsl_rl.runners.OnPolicyRunner(VecEnv("Ant-v5", 1024), config)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

try:
    import torch
    from rsl_rl.env import VecEnv as Base
    from tensordict import TensorDict
except ImportError as e:
    raise ImportError("manyworlds.rsl_rl needs rsl_rl 5 or newer: pip install rsl-rl-lib") from e

from manyworlds.task import Task, Worlds

# length of an episode without a limit
ENDLESS = 2**31 - 1


class VecEnv(Base):
    """A task in `num_envs` worlds; `task` is a task or the name of one.

    Observations are float32 tensors in groups: the group `policy` has the whole observation, or `groups` names the parts of each group, if the
    task's observe() returns a dict: `groups={"policy": ["position"], "critic": ["position", "velocity"]}`. Tensors share the memory of numpy's
    arrays; on another `device` they are copied there. Actions are clipped to the ranges of the controls. An episode that ends
    restarts in the same step; `extras["time_outs"]` marks the worlds that reached the time limit, `extras["log"]` has the means of the dict
    that the task's reward() returns.
    """

    def __init__(
        self,
        task: Task | str,
        num_envs: int,
        *,
        groups: Mapping[str, Sequence[str]] | None = None,
        cfg: Any = None,
        device: str | torch.device = "cpu",
        seed: int = 0,
        **batch: Any,
    ):
        if isinstance(task, str):
            from manyworlds.tasks import find

            task = find(task)
        self.worlds = Worlds(task, num_envs, **batch)
        self.num_envs, self.num_actions = num_envs, int(self.worlds.batch.model.nu)
        self.max_episode_length = task.limit or ENDLESS
        self.device, self.cfg = device, {} if cfg is None else cfg
        self._ranges, self._columns = self.worlds.ranges(), self._grouped(groups)
        self.seed(seed)
        self.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Control steps since each episode began, (n,); a value that is set counts on from there."""
        return torch.from_dlpack(self.worlds.elapsed)

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self.worlds.elapsed[:] = lengths.cpu().numpy()

    def seed(self, seed: int) -> int:
        """Draws from now on depend on this seed, on the world and on its episode."""
        self.worlds.seed = seed
        self.worlds.episode[:] = 0
        return seed

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """Begins episodes in all worlds."""
        self.worlds.reset(np.ones(self.num_envs, bool))
        self._seen = self._groups(self.worlds.observe())
        return self._seen, {}

    def get_observations(self) -> TensorDict:
        """The last observations."""
        return self._seen

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Makes a control step; returns observations, rewards (n,), flags of ended episodes (n,), and extras."""
        worlds = self.worlds
        reward, terminated, truncated, told = worlds.step(np.clip(actions.detach().cpu().numpy(), *self._ranges))
        done = terminated | truncated
        seen = worlds.observe()
        if done.any():
            worlds.reset(done)
            seen = worlds.observe(done)
        self._seen = self._groups(seen)
        log = {f"/{name}": float(np.mean(part)) for name, part in told.items()}
        extras = {"time_outs": self._tensor(truncated & ~terminated), "log": log}
        return self._seen, self._tensor(reward.astype(np.float32)), self._tensor(done), extras

    def _grouped(self, groups: Mapping[str, Sequence[str]] | None) -> dict[str, np.ndarray | None]:
        """The columns of the observation in each group; None for all columns."""
        if groups is None:
            return {"policy": None}
        parts = self.worlds.parts()
        columns: dict[str, np.ndarray | None] = {}
        for group, names in groups.items():
            for name in names:
                if name not in parts:
                    known = ", ".join(parts) or "none: its observe() returns no dict"
                    raise KeyError(f"group {group!r}: the task observes no part {name!r}; there are {known}")
            columns[group] = np.r_[tuple(parts[name] for name in names)]
        return columns

    def _groups(self, seen: np.ndarray) -> TensorDict:
        seen = seen.astype(np.float32, copy=False)
        groups = {name: self._tensor(seen if columns is None else seen[:, columns]) for name, columns in self._columns.items()}
        return TensorDict(groups, batch_size=[self.num_envs], device=self.device)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_dlpack(array).to(self.device)
