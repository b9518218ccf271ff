"""Steps and rollouts as differentiable operations of torch.

    from manyworlds.autograd import rollout, state

    then = rollout(batch, state(batch), ctrl)  # (nstep, nsim, nu), with requires_grad
    then.qpos[-1].square().sum().backward()
    ctrl.grad

Tensors are on the CPU and have the precision of the batch (`torch.float64` on the backend `cpu`, `torch.float32` on the others).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as e:
    raise ImportError("manyworlds.autograd needs torch: pip install torch") from e

from manyworlds.batch import Batch


class State(NamedTuple):
    """What a step begins with and what it leaves, a row for each world."""

    qpos: torch.Tensor
    """Positions, (..., nsim, nq)."""
    qvel: torch.Tensor
    """Velocities, (..., nsim, nv)."""
    act: torch.Tensor
    """Activations of actuators, (..., nsim, na)."""
    sensordata: torch.Tensor
    """What the sensors read during the step that led here, at the state before it, (..., nsim, nsensordata). No step begins with it."""


def state(batch: Batch) -> State:
    """The state of all worlds, in new tensors."""
    return State._make(torch.from_numpy(batch.read(name)) for name in State._fields)


def rollout(batch: Batch, state: State, ctrl: torch.Tensor) -> State:
    """Sets the state of all worlds and steps them once for each row of `ctrl`, (nstep, nsim, nu): the states after every step, (nstep, nsim, ...).

    Gradients flow from all of it to the state before the first step and to the controls. If one is wanted, every step is linearised on the
    way (`Batch.record`): it takes the time of 1 + nu + 2 nv + na steps, twice as many in single precision, and keeps the matrices of
    `Transition` for each world. Where a perturbed world diverges or overflows, the gradient of its world ends at that step, with a
    RuntimeWarning.

    All else is the batch's own: time, warm starts, mocap bodies, applied forces. `Batch.save` before a rollout and `Batch.restore` before
    the next make both begin alike, to the bit.
    """
    m, nsim = batch.model, batch.nsim
    start = (x.expand(nsim, width) for x, width in zip(state[:3], (m.nq, m.nv, m.na), strict=True))
    return State._make(_Rollout.apply(batch, *start, ctrl.expand(-1, nsim, m.nu)))


def step(batch: Batch, state: State, ctrl: torch.Tensor, nstep: int = 1) -> State:
    """Sets the state and the controls of all worlds, (nsim, nu) or one row for all, and advances them by `nstep` steps (mj_step), as
    `rollout` does: the state after the last of them."""
    after = rollout(batch, state, ctrl.expand(nstep, batch.nsim, batch.model.nu))
    return State._make(x[-1] for x in after)


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, batch: Batch, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        *start, ctrl = (x.detach().numpy() for x in inputs)
        if ctrl.dtype != batch.dtype:
            raise TypeError(f"ctrl: a tensor of {batch.dtype} is needed, {ctrl.dtype} was given: numbers are not converted silently")
        for name, x in zip(State._fields, start, strict=False):
            batch.write(name, x)
        if not any(ctx.needs_input_grad):
            return _plain(batch, ctrl)
        ctx.tape = tape = batch.record(ctrl)
        if len(tape.bad):
            text = f"no gradient through steps of worlds, (step, world): {tape.bad.tolist()}: a perturbed world diverged or overflowed"
            warnings.warn(text, RuntimeWarning, stacklevel=4)
        return tuple(torch.from_numpy(getattr(tape, name).astype(batch.dtype)) for name in State._fields)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        found = ctx.tape.pull_back(*(x.numpy() for x in gradient))
        return None, *(torch.from_numpy(x).to(gradient[0].dtype) for x in found)


def _plain(batch: Batch, ctrl: np.ndarray) -> tuple[torch.Tensor, ...]:
    """Steps without slopes."""
    rows = []
    for u in ctrl:
        batch.write("ctrl", u)
        batch.step()
        rows.append(state(batch))
    return tuple(torch.stack(x) for x in zip(*rows, strict=True))
