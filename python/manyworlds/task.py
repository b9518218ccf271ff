"""Tasks: what is observed, rewarded and ended, as array expressions over a batch.

    class Reach(mw.Task):
        model, frame_skip, limit = "reach.xml", 5, 200

        def observe(self, s):
            return s.qpos, s.qvel

        def reward(self, s, before, action):
            return -np.abs(s.qpos[:, 0] - 1.0)

        def reset(self, s, draws):
            return s.qpos0 + draws.uniform(-0.1, 0.1, s.nq), draws.standard_normal(s.nv)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyworlds.batch import Batch
from manyworlds.draws import Draws
from manyworlds.model import TABLE, Model
from manyworlds.randomize import Randomize, Range

# mjSTAGE_ACC: sensors that read accelerations and forces
STAGE_ACC = 3


class Task:
    """What a task is; a subclass says it. Arrays have a row for each world."""

    # the model, or its file
    model: Model | str | os.PathLike
    # steps of physics for each action
    frame_skip: int = 1
    # control steps of an episode; None: no end
    limit: int | None = 1000
    # fields of which reward() sees what they were before the action
    before: tuple[str, ...] = ("qpos",)
    # true if observe() reads what is derived from the state (positions of bodies, sensors): a reset then computes it
    derived: bool = False
    # true if it reads cacc, cfrc_int or cfrc_ext, which are computed behind the last step, as by mj_rnePostConstraint
    forces: bool = False
    # true if observe() and reward() read what is derived from the state after the action, not from that before its last step;
    # sensors of accelerations and forces are those of the last step all the same
    current: bool = False
    # fields of the model that every world draws for itself when an episode begins: {"body_mass": mw.scaled(0.8, 1.2)}; several fields
    # that belong together share their draws: {("body_mass", "body_inertia"): ...}
    randomize: Mapping[str | tuple[str, ...], Range | Sequence[Range]] = {}

    def set(self, options: Mapping[str, Any]) -> None:
        """Gives attributes of the class other values."""
        for name, value in options.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no option {name!r}")
            setattr(self, name, value)

    def observe(self, s: View) -> Any:
        """What the policy sees: an array (n, ...), or several that are put side by side; in a dict they have names."""
        raise NotImplementedError

    def reward(self, s: View, before: Before, action: np.ndarray) -> Any:
        """The reward, (n,); or it and a dict of its parts."""
        raise NotImplementedError

    def terminated(self, s: View) -> np.ndarray:
        """Where an episode is over, (n,)."""
        return np.zeros(s.nsim, bool)

    def reset(self, s: View, draws: Draws) -> tuple[Any, ...]:
        """qpos and qvel of the worlds that begin, a row for each of them; or these and a dict of further inputs (act, mocap_pos, ...) and
        of fields of the model that are theirs alone (geom_pos, ...)."""
        return np.tile(s.qpos0, (len(draws), 1)), np.zeros((len(draws), s.nv))


class View:
    """What tasks read: live arrays of the batch, arrays and sizes of its model, and `dt`, the time of a control step (s)."""

    def __init__(self, batch: Batch, dt: float):
        self._batch, self.dt, self._known, self._ids = batch, dt, {}, {}

    @property
    def batch(self) -> Batch:
        """The worlds."""
        return self._batch

    def body(self, name: str) -> int:
        """The id of a body."""
        return self.id("body", name)

    def id(self, kind: str, name: str) -> int:
        """The id of an element: `s.id("geom", "floor")`."""
        if (kind, name) not in self._ids:
            self._ids[kind, name] = self._batch.model.id(kind, name)
        return self._ids[kind, name]

    def sensor(self, name: str) -> np.ndarray:
        """What a sensor reads, (n, dim)."""
        i = self.id("sensor", name)
        adr = self.sensor_adr[i]
        return self.sensordata[:, adr : adr + self.sensor_dim[i]]

    def own(self, name: str) -> np.ndarray:
        """A field of the model as each world has it, (n, ...): randomized, expanded, or the same for all."""
        rows = self._batch.expanded(name)
        if rows is not None:
            return rows
        model = self._batch.model
        shared = np.atleast_1d(getattr(model.opt, name.removeprefix("opt."))) if name.startswith("opt.") else getattr(model, name)
        shared = shared.astype(self._batch.dtype) if shared.dtype.kind == "f" else shared
        return np.broadcast_to(shared, (self.nsim, *shared.shape))

    def __getattr__(self, name: str) -> Any:
        known = self._known
        if name not in known:
            batch = self._batch
            try:
                known[name] = batch.bind(name)
            except KeyError:
                known[name] = getattr(batch.model, name)
        return known[name]

    @property
    def nsim(self) -> int:
        return self._batch.nsim


class Before:
    """What fields were before an action."""

    def __init__(self, s: View, names: tuple[str, ...]):
        self._fields = {name: np.array(getattr(s, name)) for name in names}

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(f"{name} is not kept: name it in the task's `before`")
        return self._fields[name]

    def renew(self, s: View, mask: np.ndarray | None = None) -> None:
        """Keeps what fields are now, of some worlds or of all."""
        for name, kept in self._fields.items():
            if mask is None:
                kept[...] = getattr(s, name)
            else:
                kept[mask] = getattr(s, name)[mask]


class Sensors:
    """Readings of tasks that are `current`: those of accelerations and forces are of the last step, others of the state behind it."""

    def __init__(self, s: View, model: Model):
        self._batch, self._live = s.batch, s.batch.bind("sensordata")
        self._late = np.repeat(model.sensor_needstage == STAGE_ACC, model.sensor_dim)
        self._kept = np.array(self._live)
        shown = self._kept.view()
        shown.flags.writeable = False
        # in the place of the live array
        s._known["sensordata"] = shown

    def bring_up_to_date(self) -> None:
        """Behind a step: computes what is derived from the state."""
        self._kept[:, self._late] = self._live[:, self._late]
        self._batch.forward()
        self._kept[:, ~self._late] = self._live[:, ~self._late]

    def begin(self, ids: np.ndarray, rows: np.ndarray | None) -> None:
        """What worlds read that begin: what the task says, else what was computed."""
        self._kept[ids] = self._live[ids] if rows is None else rows


class Worlds:
    """A task in many worlds: what every kind of environment is made of."""

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        backend: str = "auto",
        nthread: int = 0,
        adapter: str | None = None,
    ):
        model = task.model
        if not isinstance(model, Model):
            model = Model.from_xml_path(model)
        self.task = task
        self.batch = Batch(model, num_envs, nthread, backend=backend, adapter=adapter, rne_post=task.forces)
        self.s = View(self.batch, model.opt.timestep * task.frame_skip)
        self._sensors = Sensors(self.s, model) if task.current and model.nsensordata else None
        self._randomize = Randomize(self.batch, task.randomize)
        # bound once, so that every call refreshes them
        for name in ("qpos", "qvel", "ctrl"):
            getattr(self.s, name)
        self.before = Before(self.s, task.before)
        self.seed = 0
        self.episode = np.zeros(num_envs, np.int64)
        self.elapsed = np.zeros(num_envs, np.int64)
        self._seen = self._observed()

    @property
    def num_envs(self) -> int:
        return self.batch.nsim

    def observe(self, mask: np.ndarray | None = None) -> np.ndarray:
        """What the policies see, (n, width), finite everywhere. With a mask only those worlds are looked at again: where some begin,
        what is derived from the state is computed of all, and the others must not see it."""
        fresh = self._observed()
        self._seen = fresh if mask is None else np.where(mask[:, None], fresh, self._seen)
        return self._seen

    def _observed(self) -> np.ndarray:
        seen = self.task.observe(self.s)
        if isinstance(seen, dict):
            seen = tuple(seen.values())
        if isinstance(seen, tuple):
            seen = np.concatenate([part.reshape(self.num_envs, -1) for part in seen], axis=1)
        return np.array(seen, self.batch.dtype)

    def parts(self) -> dict[str, slice]:
        """Where each named part of an observation is; empty if the task names none."""
        seen, parts, start = self.task.observe(self.s), {}, 0
        for name, part in seen.items() if isinstance(seen, dict) else ():
            width = part.reshape(self.num_envs, -1).shape[1]
            parts[name] = slice(start, start + width)
            start += width
        return parts

    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest of each control, (nu,); infinite where the model sets no limit."""
        model = self.batch.model
        low, high = model.actuator_ctrlrange.astype(np.float32).T
        free = model.actuator_ctrllimited == 0
        return np.where(free, np.float32(-np.inf), low), np.where(free, np.float32(np.inf), high)

    def reset(self, mask: np.ndarray) -> None:
        """Begins episodes in some worlds."""
        ids = np.flatnonzero(mask)
        if not ids.size:
            return
        key = self.seed, ids, self.episode[ids]
        self.batch.reset(ids, stage=0)
        self._randomize.draw(ids, Draws(*key, stream=1))
        qpos, qvel, *more = self.task.reset(self.s, Draws(*key))
        self.s.qpos[ids], self.s.qvel[ids] = qpos, qvel
        more = more[0] if more else {}
        for name, rows in more.items():
            if name != "sensordata":
                of_model = TABLE.get(name, ("",))[0] == "Model"
                (self.batch.expand(name) if of_model else self.batch.bind(name))[ids] = rows
        self.batch.forward() if self.task.derived or self.task.current else self.batch.step(nstep=0)
        if self._sensors is not None:
            self._sensors.begin(ids, more.get("sensordata"))
        self.before.renew(self.s, mask)
        self.episode[ids] += 1
        self.elapsed[ids] = 0

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes all worlds a control step on: rewards, where episodes are over, where their time is, and what else is told.

        A world that diverged is terminated and named; its reward is 0.
        """
        s, task = self.s, self.task
        s.ctrl[...] = action
        self.batch.step(nstep=task.frame_skip)
        if task.current:
            self.batch.forward() if self._sensors is None else self._sensors.bring_up_to_date()
        self.elapsed += 1
        reward = task.reward(s, self.before, action)
        reward, told = (reward[0], dict(reward[1])) if isinstance(reward, tuple) else (reward, {})
        terminated = np.array(task.terminated(s))
        diverged = self._diverged()
        if diverged.any():
            terminated |= diverged
            reward = np.where(diverged, 0.0, reward)
            told["diverged"] = diverged
        limit = task.limit
        truncated = np.zeros(self.num_envs, bool) if limit is None else self.elapsed >= limit
        self.before.renew(s)
        return np.asarray(reward, np.float64), terminated, truncated, told

    def _diverged(self) -> np.ndarray:
        diverged = np.zeros(self.num_envs, bool)
        for flag in self.batch.flags():
            diverged[flag.world] |= flag.diverged
        return diverged
