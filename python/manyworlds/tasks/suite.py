"""Common parts of the tasks of dm_control's suite: models, stepping, initial states, and soft rewards."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from manyworlds.batch import Batch
from manyworlds.draws import Draws
from manyworlds.model import Model
from manyworlds.task import Task, View
from manyworlds.tasks.packages import folder_of

# mjtJoint
FREE, BALL, SLIDE, HINGE = range(4)
# mjDSBL_ACTUATION
NO_ACTUATION = 1 << 11
# initial states tried at a time, if few or many are needed, and the maximal number of tries
FEW, MANY, TRIES = 16, 256, 1000
# entries of a rotation matrix: the world axis, then the axis of the frame; xz is the x component of the frame's z axis
XX, XZ, ZX, ZZ = 0, 2, 6, 8


@functools.cache
def folder() -> pathlib.Path:
    """The folder of the suite's models, in the installed package."""
    return folder_of("dm_control", "dm_control's suite", "pip install --no-deps dm_control") / "suite"


def tolerance(
    x: np.ndarray,
    low: float = 0.0,
    high: float = 0.0,
    *,
    margin: float = 0.0,
    at_margin: float = 0.1,
    fall: str = "gaussian",
) -> np.ndarray:
    """1 for x from `low` to `high`, less outside: `at_margin` at a distance of `margin` from the interval.

    `fall` is the shape of the decrease: `gaussian`, or `linear` or `quadratic` down to 0.
    """
    inside = (low <= x) & (x <= high)
    if margin == 0:
        return np.where(inside, 1.0, 0.0)
    off = np.where(x < low, low - x, x - high) / margin
    match fall:
        case "gaussian":
            outside = np.exp(np.log(at_margin) * off**2)
        case "linear":
            outside = np.maximum(1 - (1 - at_margin) * off, 0)
        case "quadratic":
            outside = np.maximum(1 - (1 - at_margin) * off**2, 0)
        case _:
            raise ValueError(f"fall is gaussian, linear or quadratic, not {fall!r}")
    return np.where(inside, 1.0, outside)


class Suite(Task):
    """A task of the suite. An episode always lasts 1000 control steps, and rewards are from 0 to 1."""

    file = ""
    current = True
    before = ()

    def __init__(self, **options):
        self.set(options)
        self.model = self.load()
        self._trial: Trial | None = None

    def load(self) -> Model:
        """The model with the changes of the task."""
        return Model.from_xml_path(folder() / self.file)

    def trial(self, s: View) -> Trial:
        """Worlds for trying initial states."""
        if self._trial is None or self._trial.of is not s.batch:
            self._trial = Trial(s.batch)
        return self._trial


class Trial:
    """Separate worlds without actuation, for trying initial states. They have the model of the task, without the values that its worlds drew."""

    def __init__(self, of: Batch):
        self.of = of
        self._model = of.model.edited(options={"disableflags": int(of.model.opt.disableflags) | NO_ACTUATION})
        self._batches: dict[int, Batch] = {}

    def look(self, qpos: np.ndarray, names: Sequence[str], nstep: int = 0) -> list[np.ndarray]:
        """Values of fields at the positions `qpos`, (n, nq), at rest, or after `nstep` steps from there."""
        parts = [[batch.read(name)[:n] for name in names] for n, batch in self._at(qpos, nstep)]
        return [np.concatenate(rows) for rows in zip(*parts)]

    def depth(self, qpos: np.ndarray) -> np.ndarray:
        """Depth of the deepest contact (m), (n,); -inf in worlds without contacts."""
        parts = []
        for n, batch in self._at(qpos):
            ncon, dist = batch.read("ncon")[:n], batch.read("contact_dist")[:n]
            found = np.arange(dist.shape[1]) < ncon[:, None]
            parts.append(np.where(found, -dist, -np.inf).max(axis=1, initial=-np.inf))
        return np.concatenate(parts)

    # puts worlds at some rows at a time; yields the number of rows and the batch
    def _at(self, qpos: np.ndarray, nstep: int = 0) -> Iterator[tuple[int, Batch]]:
        size = FEW if len(qpos) <= FEW else MANY
        if size not in self._batches:
            self._batches[size] = Batch(self._model, size, self.of.nthread, backend=self.of.backend)
        batch = self._batches[size]
        for first in range(0, len(qpos), size):
            some = qpos[first : first + size]
            batch.reset(stage=0)
            batch.write("qpos", some.astype(batch.dtype), np.arange(len(some)))
            batch.step(nstep=nstep) if nstep else batch.forward()
            yield len(some), batch

    def free(self, n: int, drawn: Callable[[], np.ndarray]) -> np.ndarray:
        """Positions without contacts: rows with contacts are drawn again."""
        qpos, touching = drawn(), np.arange(n)
        for _ in range(TRIES):
            touching = touching[self.depth(qpos[touching]) > -np.inf]
            if not touching.size:
                return qpos
            qpos[touching] = drawn()[touching]
        raise RuntimeError(f"{len(touching)} worlds found no initial positions without contacts in {TRIES} tries")


def anywhere(s: View, draws: Draws) -> np.ndarray:
    """Random positions within the limits of joints: hinges without limits at any angle, balls and free bodies with random orientation. Slides
    without limits, and the positions of free bodies, stay at the model's values."""
    qpos = np.tile(s.qpos0, (len(draws), 1))
    for kind, adr, limited, (low, high) in zip(s.jnt_type, s.jnt_qposadr, s.jnt_limited, s.jnt_range):
        if kind in (SLIDE, HINGE) and limited:
            qpos[:, adr : adr + 1] = draws.uniform(low, high, 1)
        elif kind == HINGE:
            qpos[:, adr : adr + 1] = draws.uniform(-np.pi, np.pi, 1)
        elif kind == BALL and limited:
            axis, angle = unit(draws.standard_normal(3)), draws.uniform(0, high, 1)
            qpos[:, adr : adr + 4] = np.concatenate([np.cos(angle / 2), axis * np.sin(angle / 2)], axis=1)
        elif kind == BALL:
            qpos[:, adr : adr + 4] = unit(draws.standard_normal(4))
        elif kind == FREE:
            # not uniform over all rotations, as in the suite
            qpos[:, adr + 3 : adr + 7] = unit(draws.random(4))
    return qpos


def unit(x: np.ndarray) -> np.ndarray:
    """The rows of x, normalized to length 1."""
    return x / np.linalg.norm(x, axis=1, keepdims=True)
