"""Trajectories from initial states under given controls, with the names and meanings of `mujoco.rollout`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manyworlds.batch import STATE_CTRL, Batch
from manyworlds.model import Model

if TYPE_CHECKING:
    import mujoco

# mjtState: time, qpos, qvel, act, history, plugins, plastic springs; the warm start
STATE_FULLPHYSICS, STATE_WARMSTART = 24607, 1 << 5


def rollout(
    model: Model | mujoco.MjModel,  # pyright: ignore[reportAttributeAccessIssue]
    data: Any,
    initial_state: Any,
    control: Any = None,
    *,
    control_spec: int = STATE_CTRL,
    nstep: int | None = None,
    initial_warmstart: Any = None,
    state: np.ndarray | None = None,
    sensordata: np.ndarray | None = None,
    backend: str = "auto",
    **ignored: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """Steps trajectories; returns their states (nbatch, nstep, nstate) and sensor values (nbatch, nstep, nsensordata).

    `initial_state` is (nbatch or 1, nstate), `control` (nbatch or 1, nstep or 1, ncontrol). `data`, `skip_checks`, `chunk_size` and
    `persistent_pool` are accepted for compatibility with `mujoco.rollout`, and ignored. Numbers have the precision of the backend.
    """
    del data, ignored
    if isinstance(model, Sequence):
        raise TypeError("one model is needed, not a sequence: use Batch.expand for worlds that differ")
    start = _axes(initial_state, 2)
    control = None if control is None else _axes(control, 3)
    warm = None if initial_warmstart is None else _axes(initial_warmstart, 2)
    nbatch = max(len(x) for x in (start, control, warm) if x is not None)
    steps = nstep if nstep is not None else 1 if control is None else control.shape[1]
    batch = Batch(model, nbatch, backend=backend)
    batch.set_state(np.broadcast_to(start, (nbatch, start.shape[1])).astype(batch.dtype), STATE_FULLPHYSICS)
    if warm is not None:
        batch.set_state(np.broadcast_to(warm, (nbatch, warm.shape[1])).astype(batch.dtype), STATE_WARMSTART)
    if control is not None:
        control = np.broadcast_to(control, (nbatch, steps, control.shape[2]))
    out = batch.rollout(steps, control, control_spec, record=(STATE_FULLPHYSICS, "sensordata"))
    return _filled(state, out[STATE_FULLPHYSICS]), _filled(sensordata, out["sensordata"])


class Rollout:
    """`rollout` as a method, for code that keeps a thread pool in an object; here there is no pool."""

    def __init__(self, *, nthread: int | None = None):
        del nthread

    def rollout(self, *args: Any, **named: Any) -> tuple[np.ndarray, np.ndarray]:
        """See `rollout`."""
        return rollout(*args, **named)

    def close(self) -> None:
        """Does nothing."""

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


def _axes(values: Any, num: int) -> np.ndarray:
    values = np.asarray(values, np.float64)
    return values.reshape((1,) * (num - values.ndim) + values.shape)


def _filled(room: np.ndarray | None, values: np.ndarray) -> np.ndarray:
    if room is None:
        return values
    room[...] = values
    return room
