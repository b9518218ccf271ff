"""The caller's models, one for each world (`Batch.set_models`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyworlds import _core
from manyworlds.model import TABLE, Model

SAID = [name for name, field in TABLE.items() if field.room == "Model" and field.role != "derived"]
DERIVED = [name for name, field in TABLE.items() if field.room == "Model" and field.role == "derived"]
# numbers of two compilers that differ by less, relative to |x|, count as equal
ROUNDING = 1e-12
# allowed difference of a model's derived fields from the fields derived here, relative to 1 + |x|
TOLERANCE = 1e-6


def taken(model: Any) -> Model:
    """A manyworlds model as it is, or a copy of an MjModel in its present state."""
    if type(model).__module__.startswith("mujoco"):
        return Model.from_mujoco(model)
    if not isinstance(model, Model):
        raise TypeError(
            f"a manyworlds.Model or mujoco.MjModel is needed, not {type(model).__name__}: Model.from_xml_path, from_xml_string or from_spec make one"
        )
    return model


def each(models: Any, nsim: int) -> list[Model]:
    """A model for each world, from a sequence of models or from one for all."""
    if not isinstance(models, Sequence):
        return [taken(models)] * nsim
    if len(models) != nsim:
        raise ValueError(f"{nsim} worlds need as many models, or one; {len(models)} were given")
    return [taken(model) for model in models]


def rows(shared: Model, models: Sequence[Model]) -> dict[str, np.ndarray]:
    """One row per model, (n, ...), for each array and option in which a model differs from the shared model.

    Raises ValueError if a model has other elements, or if its derived fields (mj_setConst) do not follow from its numbers.
    """
    out: dict[str, np.ndarray] = {}
    for name in SAID:
        own = getattr(shared, name)
        each = [getattr(model, name) for model in models]
        for i, values in enumerate(each):
            if values.shape != own.shape:
                raise ValueError(f"{name} of model {i} has the shape {values.shape}, and {own.shape} in the batch's model: all worlds need the same elements")
            if values.dtype.kind == "i" and not np.array_equal(values, own):
                raise ValueError(f"{name} of model {i} differs from the batch's model: kinds and connections of elements are the same in all worlds")
        if not all(np.allclose(values, own, rtol=ROUNDING, atol=ROUNDING) for values in each):
            out[name] = np.stack(each)
    for name in _core.Model.options():
        own = shared._core.option(name)
        each = [model._core.option(name) for model in models]
        if any(values != own for values in each):
            out[name] = np.array(each, float)
    for i, model in enumerate(models):
        _check(shared, model, {name: values[i] for name, values in out.items()}, i)
    return out


# checks that the derived fields of a model follow from its numbers
def _check(shared: Model, model: Model, own: dict[str, np.ndarray], i: int) -> None:
    options = {name: values for name, values in own.items() if name not in TABLE}
    fields = {name: values for name, values in own.items() if name in TABLE}
    derived = shared.edited(options, **fields) if own else shared
    for name in DERIVED:
        have, want = getattr(model, name), getattr(derived, name)
        if have.shape != want.shape or not np.allclose(have, want, rtol=TOLERANCE, atol=TOLERANCE):
            raise ValueError(f"{name} of model {i} does not follow from its other numbers: call mj_setConst when you have changed a model")
