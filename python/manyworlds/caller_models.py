"""Models of the caller's, one for each world (`Batch.set_models`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyworlds import _core
from manyworlds.model import TABLE, Model

SAID = [name for name, field in TABLE.items() if field.room == "Model" and field.role != "derived"]
DERIVED = [name for name, field in TABLE.items() if field.room == "Model" and field.role == "derived"]
# numbers of two compilers are the same to this, over |x|
ROUNDING = 1e-12
# how far what follows from a model's numbers may be from what it says follows, over 1 + |x|
TOLERANCE = 1e-6


def taken(model: Any) -> Model:
    """A model of ours, or MuJoCo's as it is now."""
    if type(model).__module__.startswith("mujoco"):
        return Model.from_mujoco(model)
    if not isinstance(model, Model):
        raise TypeError(
            f"a manyworlds.Model or mujoco.MjModel is needed, not {type(model).__name__}: Model.from_xml_path, from_xml_string or from_spec make one"
        )
    return model


def each(models: Any, nsim: int) -> list[Model]:
    """A model for each world, of a sequence of them or of one for all."""
    if not isinstance(models, Sequence):
        return [taken(models)] * nsim
    if len(models) != nsim:
        raise ValueError(f"{nsim} worlds need as many models, or one; {len(models)} were given")
    return [taken(model) for model in models]


def rows(shared: Model, models: Sequence[Model]) -> dict[str, np.ndarray]:
    """A row a model, (n, ...), of each array and option in which some of them differ from the one that worlds share.

    Raises ValueError where a model has other elements, or where what it says follows from its numbers (mj_setConst) does not.
    """
    out: dict[str, np.ndarray] = {}
    for name in SAID:
        own = getattr(shared, name)
        each = [getattr(model, name) for model in models]
        for i, values in enumerate(each):
            if values.shape != own.shape:
                raise ValueError(f"{name} of model {i} has the shape {values.shape}, that of the batch's model {own.shape}: elements are the same in all worlds")
            if values.dtype.kind == "i" and not np.array_equal(values, own):
                raise ValueError(f"{name} of model {i} is not that of the batch's model: kinds and connections of elements are the same in all worlds")
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


# what a model says follows from its numbers does
def _check(shared: Model, model: Model, own: dict[str, np.ndarray], i: int) -> None:
    options = {name: values for name, values in own.items() if name not in TABLE}
    fields = {name: values for name, values in own.items() if name in TABLE}
    derived = shared.edited(options, **fields) if own else shared
    for name in DERIVED:
        have, want = getattr(model, name), getattr(derived, name)
        if have.shape != want.shape or not np.allclose(have, want, rtol=TOLERANCE, atol=TOLERANCE):
            raise ValueError(f"{name} of model {i} does not follow from its other numbers: call mj_setConst when you have changed a model")
