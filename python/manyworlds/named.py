"""Views of one element of all worlds: `batch.joint("hip").qpos`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manyworlds.model import TABLE

if TYPE_CHECKING:
    from manyworlds.batch import Batch

# first dimensions of the arrays of each kind of element, and the prefix of their names
ROWS = {
    "actuator": (("nu", "nactuator"), "actuator_"),
    "body": (("nbody",), ""),
    "camera": (("ncam",), "cam_"),
    "equality": (("neq",), "eq_"),
    "geom": (("ngeom",), "geom_"),
    "joint": (("njnt",), ""),
    "light": (("nlight",), "light_"),
    "site": (("nsite",), "site_"),
    "tendon": (("ntendon",), "ten_"),
}
# prefixes of the model's arrays that differ from the kind
PREFIXES = {"camera": "cam", "equality": "eq", "joint": "jnt"}
# numbers of a joint in qpos and in arrays of dofs: free, ball, slide, hinge
NQ, NV = (7, 4, 1, 1), (6, 3, 1, 1)


class Named:
    """One element in all worlds. Its attributes are slices of live arrays with the names of MjData, and of expanded fields with the
    names of MjModel, (nsim, ...)."""

    _batch: Batch
    _kind: str
    id: int

    def __init__(self, batch: Batch, kind: str, key: int | str):
        self.__dict__.update(_batch=batch, _kind=kind, id=batch.model.id(kind, key))

    @property
    def name(self) -> str:
        return self._batch.model.names(self._kind)[self.id]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        field = self._of_model(name)
        if field is not None:
            if self._batch._models is not None:
                return _column(np.stack([getattr(model, field) for model in self._batch._models[1]]), self.id)
            if self._batch.expanded(field) is None:
                shared = getattr(self._batch.model, field)
                return _column(np.broadcast_to(shared, (self._batch.nsim, *shared.shape)), self.id)
            return _column(self._batch.expand(field), self.id)
        field, index = self._place(name)
        return _column(self._batch.bind(field), index)

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._of_model(name)
        if field is not None:
            # writing expands the field: worlds may differ in it from now on
            _column(self._batch.expand(field), self.id)[...] = value
            return
        getattr(self, name)[...] = value

    # the field of the model that has the attribute's row, if there is one
    def _of_model(self, name: str) -> str | None:
        sizes, _ = ROWS.get(self._kind, ((), ""))
        for field in (f"{self._kind}_{name}", f"{PREFIXES.get(self._kind, self._kind)}_{name}"):
            room, dims, *_ = TABLE.get(field, ("", [""]))
            if room == "Model" and dims[0] in sizes:
                return field
        return None

    def _place(self, name: str) -> tuple[str, Any]:
        m, i = self._batch.model, self.id
        if self._kind == "sensor" and name == "data":
            adr = m.sensor_adr[i]
            return "sensordata", slice(adr, adr + m.sensor_dim[i])
        if self._kind == "joint":
            kind = m.jnt_type[i]
            dims = TABLE.get(name, ("", [""]))[1]
            if dims[0] == "nq":
                return name, slice(m.jnt_qposadr[i], m.jnt_qposadr[i] + NQ[kind])
            if dims[0] == "nv":
                return name, slice(m.jnt_dofadr[i], m.jnt_dofadr[i] + NV[kind])
        rows, prefix = ROWS.get(self._kind, ((), ""))
        for field in (name, prefix + name):
            room, dims, *_ = TABLE.get(field, ("", [""]))
            if room == "Data" and dims[0] in rows:
                return field, i
        raise AttributeError(f"a {self._kind} has no {name!r}")


def _column(array: np.ndarray, index: Any) -> np.ndarray:
    """The numbers of one element in all worlds; (nsim, 1) if the element has a single number."""
    if array.ndim == 2 and not isinstance(index, slice):
        index = slice(index, index + 1)
    return array[:, index]
