"""Domain randomisation: ranges of a model's fields, from which each world draws values when its episode begins.

    class Walk(mw.Task):
        randomize = {
            ("body_mass", "body_inertia"): mw.scaled(0.8, 1.2),           # all bodies of a world by one factor
            "dof_damping": mw.scaled(0.5, 2.0, each=True, log=True),      # every joint by its own
            "geom_friction": mw.uniform([0.4, 0.005, 1e-4], [1.2, 0.01, 2e-4], of=["floor"]),
            "opt.gravity": mw.shifted([0, 0, -0.2], [0, 0, 0.2]),
        }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyworlds.batch import Batch
from manyworlds.draws import Draws
from manyworlds.model import TABLE
from manyworlds.named import NV, ROWS


@dataclasses.dataclass(frozen=True)
class Range:
    """The range of the draws of a field, and their use; `scaled`, `shifted` and `uniform` make one."""

    # scaled: the model's value times the draw; shifted: plus the draw; uniform: the draw replaces it
    how: str
    low: Any
    high: Any
    # names of the elements that are changed; None: all
    of: Sequence[str] | None = None
    # true: a draw for every element instead of one for each world
    each: bool = False
    # true: the logarithm of the draw is uniform, not the draw
    log: bool = False

    def __post_init__(self):
        low, high = np.asarray(self.low, float), np.asarray(self.high, float)
        if not (low <= high).all():
            raise ValueError(f"a range goes from the lower to the higher number, not from {self.low} to {self.high}")
        if self.log and not (low > 0).all():
            raise ValueError(f"a logarithmic range begins above 0, not at {self.low}")


def scaled(low: Any, high: Any, *, of: Sequence[str] | None = None, each: bool = False, log: bool = False) -> Range:
    """The model's numbers times a factor from `low` to `high`."""
    return Range("scaled", low, high, of, each, log)


def shifted(low: Any, high: Any, *, of: Sequence[str] | None = None, each: bool = False) -> Range:
    """The model's numbers plus one from `low` to `high`, in the field's unit."""
    return Range("shifted", low, high, of, each)


def uniform(low: Any, high: Any, *, of: Sequence[str] | None = None, each: bool = False, log: bool = False) -> Range:
    """Numbers from `low` to `high` in place of the model's, in the field's unit."""
    return Range("uniform", low, high, of, each, log)


class Randomize:
    """Draws the randomised fields of a task into the rows of its worlds."""

    def __init__(self, batch: Batch, ranges: Mapping[str | tuple[str, ...], Range | Sequence[Range]]):
        # the rows of the worlds for every field, and the model's values
        self._rows: dict[str, np.ndarray] = {}
        self._model: dict[str, np.ndarray] = {}
        # ranges in the order of their draws, each with its fields and the indices of their elements
        self._draws: list[tuple[Range, dict[str, Any]]] = []
        for names, given in ranges.items():
            names = (names,) if isinstance(names, str) else names
            for name in names:
                self._rows[name] = batch.expand(name)
                self._model[name] = np.array(self._rows[name][0], np.float64)
            for one in [given] if isinstance(given, Range) else given:
                places = {name: _elements(batch, name, one.of) for name in names}
                widths = {_shape(name, one, self._model[name][places[name]].shape) for name in names}
                if len({int(np.prod(width)) for width in widths}) > 1:
                    raise ValueError(f"{', '.join(names)}: one range cannot change fields with different numbers of elements")
                self._draws.append((one, places))

    def draw(self, ids: np.ndarray, draws: Draws) -> None:
        """Draws new values for the worlds `ids`, which begin an episode."""
        fresh = {name: np.repeat(model[None], len(ids), axis=0) for name, model in self._model.items()}
        for one, places in self._draws:
            u = None
            for name, elements in places.items():
                part = fresh[name][:, elements]
                own = _shape(name, one, part.shape[1:])
                u = draws.random(int(np.prod(own))) if u is None else u
                drawn = _between(one, u.reshape(len(ids), *(1,) * (part.ndim - 1 - len(own)), *own))
                fresh[name][:, elements] = {"scaled": part * drawn, "shifted": part + drawn, "uniform": drawn}[one.how]
        for name, rows in fresh.items():
            self._rows[name][ids] = rows


def _between(one: Range, u: np.ndarray) -> np.ndarray:
    low, high = np.asarray(one.low, float), np.asarray(one.high, float)
    if one.log:
        return np.exp(np.log(low) + u * (np.log(high) - np.log(low)))
    return low + u * (high - low)


def _shape(name: str, one: Range, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of one world's draws for elements of a shape: the shape of the bounds, with `each` also one draw for each element."""
    bounds = np.broadcast_shapes(np.shape(one.low), np.shape(one.high))
    try:
        if np.broadcast_shapes(bounds, shape) == shape:
            return np.broadcast_shapes((shape[0], *(1,) * (len(shape) - 1)), bounds) if one.each else bounds
    except ValueError:
        pass
    raise ValueError(f"{name}: bounds of shape {bounds} do not fit the changed numbers, of shape {shape}")


def _elements(batch: Batch, name: str, of: Sequence[str] | None) -> Any:
    """Indices of the named elements in the rows of a field."""
    if of is None:
        return slice(None)
    dims = TABLE.get(name, ("", [""]))[1]
    for kind, (sizes, _) in ROWS.items():
        if dims[0] in sizes:
            return np.array([batch.model.id(kind, one) for one in of], np.intp)
    if dims[0] == "nv":
        first, kinds = batch.model.jnt_dofadr, batch.model.jnt_type
        joints = [batch.model.id("joint", one) for one in of]
        return np.concatenate([np.arange(first[j], first[j] + NV[kinds[j]]) for j in joints])
    raise ValueError(f"{name}: its rows do not belong to named elements; leave out `of`")
