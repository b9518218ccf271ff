"""Policies in files: `manyworlds view`, `render` and `rollout` run them with `--ctrl FILE.npz`, and the browser page when one is dropped.

A file is an npz archive:

| array | contents |
|---|---|
| `observe` | text in bytes: the observed fields or parts of fields, concatenated: `qpos[2:] qvel` |
| `mean`, `deviation` | of each observed number; the input of the first layer is (x - mean) / deviation, clamped to -10 and 10 |
| `weight0`, `bias0`, `weight1`, … | layers: x @ weight + bias; tanh between them |
| `low`, `high` | lower and upper limit of each control |
| `nstep` | physics steps for which controls are held |
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from manyworlds.task import Task

# a control without limit
FAR = float(np.finfo(np.float32).max)


def check(task: Task) -> None:
    """Raises ValueError if a file cannot represent the observations or the actions of a task."""
    name = type(task).__name__
    if type(task).observe is not Task.observe or not task.observed:
        raise ValueError(f"a policy of {name} cannot be saved in a file: the task defines observe(); define `observed` instead")
    if type(task).act is not Task.act:
        raise ValueError(f"a policy of {name} cannot be saved in a file: the task defines act(), so its actions are not controls")
    if task.current or task.forces:
        raise ValueError(f"a policy of {name} cannot be saved in a file: the task observes arrays that are computed again after a step (`current`, `forces`)")


def save(
    path: str | os.PathLike,
    task: Task,
    weights: Sequence[np.ndarray],
    mean: np.ndarray,
    deviation: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Saves a perceptron with tanh layers: `weights` has the weight matrix (inputs, outputs) and the bias (outputs,) of each layer in turn."""
    check(task)
    low, high = (np.nan_to_num(x, posinf=FAR, neginf=-FAR) for x in (low, high))
    layers: dict[str, Any] = {f"{kind}{k // 2}": w for k, w in enumerate(weights) for kind in [("weight", "bias")[k % 2]]}
    observe = np.frombuffer(" ".join(task.observed).encode(), np.uint8)
    np.savez(path, observe=observe, mean=mean, deviation=deviation, low=low, high=high, nstep=np.int64(task.frame_skip), **layers)
