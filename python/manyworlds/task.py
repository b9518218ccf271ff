"""Tasks: observations, rewards and ends of episodes as array expressions over a batch.

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

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manyworlds.batch import Batch
from manyworlds.draws import Draws
from manyworlds.model import TABLE, Model
from manyworlds.randomize import Randomize, Range

# mjSTAGE_ACC: stage of sensors that depend on accelerations and forces
STAGE_ACC = 3
# a field, and an optional range of its numbers
PART = re.compile(r"(\w+)(?:\[(\d*):(\d*)\])?")
# made once: numpy would make them from np.float64 and 1 in every call, which takes as long as a sum over one world
FLOAT64, ONE = np.dtype(np.float64), np.array(1)
# dimensions that grow with the capacity
OUTGROWN = {"nconmax", "njmax"}


class Task:
    """A task, defined by a subclass. Arrays have a row for each world."""

    # the model, or the path of its file
    model: Model | str | os.PathLike
    # physics steps per action
    frame_skip: int = 1
    # control steps of an episode; None: no limit
    limit: int | None = 1000
    # the observation, if it is a concatenation of fields or parts of fields: ("qpos[2:]", "qvel"); the policy of such a task can be saved in
    # a file (`manyworlds.policy`) that other programs run. Other tasks define observe()
    observed: tuple[str, ...] = ()
    # fields whose values before the action reward() sees
    before: tuple[str, ...] = ("qpos",)
    # true if observe() reads arrays that are derived from the state (positions of bodies, sensors): a reset then computes them
    derived: bool = False
    # true if the task reads cacc, cfrc_int or cfrc_ext, which are computed after the last step, as by mj_rnePostConstraint
    forces: bool = False
    # true if derived arrays that observe() and reward() read shall belong to the state after the action, not to the state before its last
    # step; sensors of accelerations and forces are still those of the last step
    current: bool = False
    # fields of the model that every world draws for itself when an episode begins: {"body_mass": mw.scaled(0.8, 1.2)}; several fields
    # that belong together share their draws: {("body_mass", "body_inertia"): ...}
    randomize: Mapping[str | tuple[str, ...], Range | Sequence[Range]] = {}

    # numbers that the task remembers for each world: names, and the shape of one world's numbers; tasks read and write `s.name`, (n, *shape).
    # An episode begins with zeros, or with the values that reset() returns
    memory: Mapping[str, int | tuple[int, ...]] = {}
    # the least and the greatest action, where actions are not controls
    action_range: tuple[float, float] | None = None

    def set(self, options: Mapping[str, Any]) -> None:
        """Overrides attributes of the class by options."""
        for name, value in options.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no option {name!r}")
            setattr(self, name, value)

    def act(self, s: View, action: np.ndarray) -> np.ndarray:
        """Turns an action into controls, (n, nu); called before the physics steps."""
        return action

    def moved(self, s: View, action: np.ndarray) -> None:
        """Updates the memory of the task; called after the physics steps, before reward and observation."""

    def observe(self, s: View) -> Any:
        """The observation: an array (n, ...), or several arrays, which are concatenated; in a dict they have names. The default is the fields
        of `observed`."""
        if not self.observed:
            raise NotImplementedError(f"{type(self).__name__} defines neither `observed` nor observe()")
        return tuple([s.numbers(part) for part in self.observed])

    def reward(self, s: View, before: Before, action: np.ndarray) -> Any:
        """The reward, (n,); or a tuple of the reward and a dict of its parts."""
        raise NotImplementedError

    def terminated(self, s: View) -> np.ndarray:
        """Mask of the worlds whose episode has ended, (n,)."""
        return np.zeros(s.nsim, bool)

    def reset(self, s: View, draws: Draws) -> tuple[Any, ...]:
        """qpos and qvel of the worlds that begin an episode, a row for each of them; or these and a dict of further inputs (act, mocap_pos,
        ...), fields of the model for these worlds alone (geom_pos, ...), and values of `memory`."""
        return np.tile(s.qpos0, (len(draws), 1)), np.zeros((len(draws), s.nv))


@functools.cache
def field_and_range(part: str) -> tuple[str, slice]:
    """The name of a field, and the range of its numbers that a part of it has: "qpos[2:]"."""
    match = PART.fullmatch(part)
    if match is None:
        raise ValueError(f"{part!r} is not a field or a part of one; write it like 'qvel', 'qpos[2:]' or 'xpos[3:6]'")
    name, first, last = match.groups()
    return name, slice(int(first or 0), int(last) if last else None)


class View:
    """The data that tasks read: live arrays of the batch, arrays and sizes of its model, and `dt`, the duration of a control step (s)."""

    def __init__(self, batch: Batch, dt: float, drawn: Callable[[int], Draws] | None = None):
        self._drawn = drawn or self._without
        self._batch, self.dt, self.nsim, self._ids, self._shared, self._parts = batch, dt, batch.nsim, {}, {}, {}

    if TYPE_CHECKING:
        # values of `memory` may be updated in place: s.count += 1
        def __setattr__(self, name: str, value: Any) -> None: ...

    def draws(self, stream: int = 0) -> Draws:
        """Draws of the current control step, a row for each world. Each call site in a task has a stream of its own."""
        return self._drawn(stream)

    @property
    def batch(self) -> Batch:
        """The batch of the worlds."""
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
        """The readings of a sensor, (n, dim)."""
        i = self.id("sensor", name)
        adr = self.sensor_adr[i]
        return self.sensordata[:, adr : adr + self.sensor_dim[i]]

    def numbers(self, part: str) -> np.ndarray:
        """A field of each world flattened to a row, or a range of that row: "qpos[2:]"."""
        name, which = field_and_range(part)
        array = getattr(self, name)
        # an array that is still the same has the same part, unless reshape copied it
        whole, kept = self._parts.get(part, (None, None))
        if whole is not array:
            kept = array.reshape(self.nsim, -1)[:, which]
            if array.flags.c_contiguous:
                self._parts[part] = array, kept
        return kept

    def own(self, name: str) -> np.ndarray:
        """The values of a model field in each world, (n, ...): randomized, expanded, or the same for all."""
        rows = self._batch.expanded(name)
        if rows is not None:
            return rows
        if name not in self._shared:
            model = self._batch.model
            shared = np.atleast_1d(getattr(model.opt, name.removeprefix("opt."))) if name.startswith("opt.") else getattr(model, name)
            shared = shared.astype(self._batch.dtype) if shared.dtype.kind == "f" else shared
            self._shared[name] = np.broadcast_to(shared, (self.nsim, *shared.shape))
        return self._shared[name]

    def _without(self, stream: int) -> Draws:
        raise RuntimeError("only worlds of an environment have draws: there are none outside of episodes")

    # called at the first use of a name; the array is an attribute from then on
    def __getattr__(self, name: str) -> Any:
        batch = self._batch
        try:
            array = batch.bind(name)
        except KeyError:
            array = getattr(batch.model, name)
        # arrays of contacts and rows are replaced when the capacity grows, so they do not become attributes
        if not OUTGROWN & set(TABLE.get(name, ("", ()))[1]):
            setattr(self, name, array)
        return array


class Before:
    """The values of fields before an action."""

    def __init__(self, s: View, names: tuple[str, ...]):
        self._fields = {name: np.array(getattr(s, name)) for name in names}
        self.__dict__.update(self._fields)

    # called for names that are no attributes
    def __getattr__(self, name: str) -> np.ndarray:
        raise AttributeError(f"{name} was not saved before the step: add it to the task's `before`")

    def renew(self, s: View, mask: np.ndarray | None = None) -> None:
        """Saves the current values of the fields, for some worlds or for all."""
        for name, kept in self._fields.items():
            if mask is None:
                kept[...] = getattr(s, name)
            else:
                kept[mask] = getattr(s, name)[mask]


class Sensors:
    """Sensor readings of tasks with `current`: sensors of accelerations and forces are of the last step, others of the state after it."""

    def __init__(self, s: View, model: Model):
        self._batch, self._live = s.batch, s.batch.bind("sensordata")
        self._late = np.repeat(model.sensor_needstage == STAGE_ACC, model.sensor_dim)
        self._kept = np.array(self._live)
        shown = self._kept.view()
        shown.flags.writeable = False
        # replaces the live array
        s.sensordata = shown

    def bring_up_to_date(self) -> None:
        """After a step: computes the arrays that are derived from the state."""
        self._kept[:, self._late] = self._live[:, self._late]
        self._batch.forward()
        self._kept[:, ~self._late] = self._live[:, ~self._late]

    def begin(self, ids: np.ndarray, rows: np.ndarray | None) -> None:
        """Sets the readings of worlds that begin an episode: those of the task if it gives any, else the computed ones."""
        self._kept[ids] = self._live[ids] if rows is None else rows


class Worlds:
    """A task in many worlds, the common basis of every kind of environment.

    `first` is the number of its first world: two processes with worlds 0 to 15 and 16 to 31 of a seed get the same results as one with 32.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        first: int = 0,
        backend: str = "auto",
        nthread: int = 0,
        adapter: str | None = None,
    ):
        model = task.model
        if not isinstance(model, Model):
            model = Model.from_xml_path(model)
        self.task, self.num_envs = task, num_envs
        self.batch = Batch(model, num_envs, nthread, backend=backend, adapter=adapter, rne_post=task.forces)
        self._dtype = self.batch.dtype
        self.s = View(self.batch, model.opt.timestep * task.frame_skip, self._drawn)
        self._remember()
        self._sensors = Sensors(self.s, model) if task.current and model.nsensordata else None
        self._randomize = Randomize(self.batch, task.randomize)
        # bound once, so that every call refreshes them
        for name in ("qpos", "qvel", "ctrl"):
            getattr(self.s, name)
        self.before = Before(self.s, task.before)
        self.seed, self.first = 0, first
        self.episode = np.zeros(num_envs, np.int64)
        self.elapsed = np.zeros(num_envs, np.int64)
        self._seen = self._observed()

    def _remember(self) -> None:
        for name, shape in self.task.memory.items():
            if name in TABLE or hasattr(View, name) or name in vars(self.s):
                raise ValueError(f"{type(self.task).__name__}.memory has the name {name!r}, which worlds have already: choose another name")
            setattr(self.s, name, np.zeros((self.num_envs, *np.atleast_1d(shape)), self._dtype))

    # the draws of the current control step
    def _drawn(self, stream: int) -> Draws:
        return Draws(self.seed, self.first + np.arange(self.num_envs), self.episode, stream=2 + stream, steps=self.elapsed)

    def observe(self, mask: np.ndarray | None = None) -> np.ndarray:
        """The observations, (n, width), finite everywhere. With a mask only the rows of those worlds are updated."""
        fresh = self._observed()
        self._seen = fresh if mask is None else np.where(mask[:, None], fresh, self._seen)
        return self._seen

    def _observed(self) -> np.ndarray:
        seen = self.task.observe(self.s)
        if isinstance(seen, dict):
            seen = tuple(seen.values())
        if isinstance(seen, tuple):
            rows = [part if part.ndim == 2 else part.reshape(self.num_envs, -1) for part in seen]
            return np.concatenate(rows, axis=1, dtype=self._dtype, casting="same_kind")
        return np.array(seen, self._dtype)

    def parts(self) -> dict[str, slice]:
        """The columns of each named part of an observation; empty if the task names none."""
        seen, parts, start = self.task.observe(self.s), {}, 0
        for name, part in seen.items() if isinstance(seen, dict) else ():
            width = part.reshape(self.num_envs, -1).shape[1]
            parts[name] = slice(start, start + width)
            start += width
        return parts

    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper limits of each number of an action, (nu,); infinite where the model sets no limit."""
        model = self.batch.model
        if self.task.action_range is not None:
            low, high = self.task.action_range
            return np.full(model.nu, low, np.float32), np.full(model.nu, high, np.float32)
        low, high = model.actuator_ctrlrange.astype(np.float32).T
        free = model.actuator_ctrllimited == 0
        return np.where(free, np.float32(-np.inf), low), np.where(free, np.float32(np.inf), high)

    def reset(self, mask: np.ndarray) -> None:
        """Begins episodes in the worlds of a mask."""
        ids = np.flatnonzero(mask)
        if not ids.size:
            return
        key = self.seed, self.first + ids, self.episode[ids]
        self.batch.reset(ids, stage=0)
        self._randomize.draw(ids, Draws(*key, stream=1))
        for name in self.task.memory:
            getattr(self.s, name)[ids] = 0
        qpos, qvel, *more = self.task.reset(self.s, Draws(*key))
        self.s.qpos[ids], self.s.qvel[ids] = qpos, qvel
        more = more[0] if more else {}
        for name, rows in more.items():
            if name in self.task.memory:
                getattr(self.s, name)[ids] = rows
            elif name != "sensordata":
                of_model = TABLE.get(name, ("",))[0] == "Model"
                (self.batch.expand(name) if of_model else self.batch.bind(name))[ids] = rows
        if self.task.derived or self.task.current:
            self.batch.forward(ids)
        if self._sensors is not None:
            self._sensors.begin(ids, more.get("sensordata"))
        self.before.renew(self.s, mask)
        self.episode[ids] += 1
        self.elapsed[ids] = 0

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Makes a control step in all worlds; returns rewards, masks of terminated and truncated episodes, and the task's dict.

        A world that diverged is terminated and marked in the dict (`diverged`); its reward is 0.
        """
        s, task = self.s, self.task
        s.ctrl[...] = task.act(s, action)
        self.batch.step(nstep=task.frame_skip)
        if task.current:
            self.batch.forward() if self._sensors is None else self._sensors.bring_up_to_date()
        self.elapsed += ONE
        task.moved(s, action)
        reward = task.reward(s, self.before, action)
        reward, told = (reward[0], dict(reward[1])) if isinstance(reward, tuple) else (reward, {})
        terminated = np.array(task.terminated(s))
        lost = self.batch.diverged()
        if lost:
            diverged = np.zeros(self.num_envs, bool)
            diverged[lost] = True
            terminated |= diverged
            reward = np.where(diverged, 0.0, reward)
            told["diverged"] = diverged
        limit = task.limit
        truncated = np.zeros(self.num_envs, bool) if limit is None else self.elapsed >= limit
        self.before.renew(s)
        return np.asarray(reward, FLOAT64), terminated, truncated, told
