"""Compiled models."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from manyworlds import _core

if TYPE_CHECKING:
    import mujoco

    from manyworlds._core import Actuator, World


class Field(NamedTuple):
    """A row of the table of arrays."""

    room: str
    """Model, Data or Scratch."""
    dims: list[str]
    """Sizes of the model, or numbers."""
    doc: str
    unit: str
    """Unit of all columns, or several units that share the columns, separated by semicolons; empty for integers."""
    frame: str
    """Frame of the coordinates; empty if the field has none."""
    role: str
    """free, fixed or derived for a field of the model; input, flag, asleep or derived for a field of a world."""


# every array
TABLE = {name: Field(*row) for name, row in _core.Model.table().items()}
# arrays of a world that may be set
INPUTS = [name for name, field in TABLE.items() if field.role == "input"]


class Options:
    """The options of a model, by their MuJoCo names: `model.opt.timestep`."""

    def __init__(self, core: _core.Model):
        self._core = core

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._core.option(name)
        return values[0] if len(values) == 1 else np.array(values)

    def __dir__(self):
        return sorted(_core.Model.options())


class Model:
    """A compiled model. Sizes and arrays have MuJoCo's names: `model.nq`, `model.body_mass`; arrays are copies.

    A model does not change: `edited` makes another one.
    """

    def __init__(self, core: _core.Model):
        self._core = core

    @classmethod
    def from_xml_path(
        cls,
        path: str | os.PathLike,
        root: str | os.PathLike | None = None,
        packages: Mapping[str, str | os.PathLike] | None = None,
    ) -> Model:
        """Reads and compiles a model file, MJCF or URDF.

        `root` is the folder that its other files may lie in; `packages` maps NAME to the folder of `package://NAME/FILE`.
        """
        return cls(_core.Model.from_xml_path(path, root, None if packages is None else dict(packages)))

    @classmethod
    def from_xml_string(cls, xml: str, assets: Mapping[str, bytes] | None = None) -> Model:
        """Reads and compiles the text of a model; `assets` maps the names of its files to their bytes."""
        return cls(_core.Model.from_xml_string(xml, None if assets is None else dict(assets)))

    @classmethod
    def from_spec(cls, spec: mujoco.MjSpec) -> Model:  # pyright: ignore[reportAttributeAccessIssue]
        """Compiles a model that was made with MuJoCo's `MjSpec`, files in memory included."""
        return cls.from_xml_string(spec.to_xml(), dict(spec.assets))

    @classmethod
    def from_mujoco(cls, model: mujoco.MjModel) -> Model:  # pyright: ignore[reportAttributeAccessIssue]
        """A copy of a model that MuJoCo compiled, edited numbers included.

        Raises UnsupportedError on plugins: their settings are in the text alone. Missing features are reported when a batch is made.
        """
        import mujoco

        if model.nplugin:
            raise _core.UnsupportedError(f"the model has plugins ({model.nplugin}), whose settings are in its text alone: read that")
        opt, stat = model.opt, model.stat
        sizes = {name: max(0, int(getattr(model, name))) for name in _core.Model.sizes() if hasattr(model, name)}
        fields = {name: getattr(model, name) for name, (room, *_) in TABLE.items() if room == "Model" and hasattr(model, name)}
        trees = _mesh_trees(model)
        sizes["nbvh"] = len(trees["bvh_nodeid"])
        fields.update(trees)
        options = {name: np.atleast_1d(getattr(opt, name)) for name in _core.Model.options() if hasattr(opt, name)}
        numbers = [stat.meaninertia, stat.meanmass, stat.meansize, stat.extent, *stat.center]
        names = {}
        for kind, size in _core.Model.kinds().items():
            own = {"keyframe": "key"}.get(kind, kind)
            obj = getattr(mujoco.mjtObj, f"mjOBJ_{own.upper()}", None)  # pyright: ignore[reportAttributeAccessIssue]
            count = getattr(model, size, 0)
            if obj is not None:
                names[kind] = [mujoco.mj_id2name(model, obj, i) or "" for i in range(count)]  # pyright: ignore[reportAttributeAccessIssue]
        return cls(_core.Model.from_parts(sizes, fields, options, numbers, names))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Model:
        """Loads a compiled model (`.mwb`)."""
        return cls(_core.Model.load(path))

    def save(self, path: str | os.PathLike) -> None:
        """Saves the compiled model (`.mwb`)."""
        self._core.save(path)

    def edited(self, options: Mapping[str, Any] | None = None, **fields: Any) -> Model:
        """A copy with other values of arrays and options; derived fields are derived again, as by `mj_setConst`.

        Raises ValueError on a size or an array that only the text of the model can change, and on numbers out of their range.
        """
        return Model(self._core.edited(fields, dict(options or {})))

    def with_functions(
        self,
        *,
        control: Callable[[World], object] | None = None,
        passive: Callable[[World], object] | None = None,
        contact_filter: Callable[[World, int, int], object] | None = None,
        collisions: Mapping[tuple[str, str], Callable[[World, int, int, float], object]] | None = None,
        distances: Mapping[str, Callable[[list[float]], float]] | None = None,
        sensors: Mapping[str, Callable[[World], object]] | None = None,
        actuators: Mapping[str, Mapping[str, Callable[[Actuator], object]]] | None = None,
        reads: Sequence[str] = (),
    ) -> Model:
        """A copy whose worlds call functions in the middle of a step, at the places of MuJoCo's mjcb_control, mjcb_passive, mjcb_contactfilter,
        mjCOLLISIONFUNC, mjcb_sensor and mjcb_act_gain, _bias, _dyn; on `cpu` and `simd`. `gpu` runs the texts of `with_wgsl` in their place, and refuses
        functions without a text.

        A function gets one world: its `number` in the batch, `time`, `qpos`, `qvel`, `act`, `ctrl`, and the arrays named in `reads`, copies in
        float64 without the axis of worlds. `control` writes into the `ctrl`, `qfrc_applied`, `xfrc_applied` and `userdata` of its world, `passive`
        adds to its `qfrc_passive`. `contact_filter` also gets two geoms, the lower first, and returns true to discard the pair.
        `collisions` are by two types of geoms, {("plane", "sphere"): f}: the function also gets two geoms, that of the lower type first, and a distance
        (m), reads `geom_xpos` and `geom_xmat`, and returns the contacts nearer than that, a list of (dist, pos, normal). `distances` are by meshes of
        geoms of type `sdf`: the function gets a point in the frame of the mesh (m), and returns its signed distance from the surface, negative inside.
        The function of a sensor of type `user` returns its reading. The functions `gain`, `bias` and `dyn` of an actuator of type `user` get the actuator and return its gain, its
        bias and the rates of its activations.

        Functions are called once for each world, one after the other, however many threads there are: each call takes the interpreter's lock and
        some tens of µs. Their results should depend on their arguments only, since a step may call them twice. Their exceptions are raised by the
        call of the batch, with a note of the world; the batch must then be reset or restored as a whole. Functions are not saved in files of
        models, and a model with functions cannot be pickled.
        """
        alone = (control, passive, contact_filter, dict(collisions or {}), dict(distances or {}), dict(sensors or {}))
        return Model(self._core.with_functions(*alone, {k: dict(v) for k, v in (actuators or {}).items()}, list(reads)))

    def with_wgsl(
        self,
        *,
        control: str | None = None,
        passive: str | None = None,
        contact_filter: str | None = None,
        collisions: Mapping[tuple[str, str], str] | None = None,
        distances: Mapping[str, str] | None = None,
        sensors: Mapping[str, str] | None = None,
        actuators: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Model:
        """A copy with WGSL texts, which the backend `gpu` runs where `cpu` and `simd` call the functions of `with_functions`.

        A text defines `fn control()`, `fn passive()`, `fn contact_filter(geom1: i32, geom2: i32) -> bool`, `fn collide(geom1:
        i32, geom2: i32, distance: f32)`, which calls `add_contact(dist, pos, normal)`, `fn distance(point: vec3f) -> vec4f`, which returns the slope of a
        signed distance and the distance and reads no arrays, `fn sensor(k: i32) -> f32` for number `k` of a
        reading, and for the parts `gain`, `bias` and `dyn` of an actuator `fn gain(a: UserActuator) -> f32`, `fn bias(a: UserActuator) -> f32` and
        `fn rate(a: UserActuator, k: i32) -> f32`. It reads arrays of its world and of the model by their names, `qpos(0)`, `xpos(2).z`, and writes with
        `set_ctrl(u, x)`, `set_qfrc_applied`, `set_xfrc_applied_at(body, k, x)`, `set_userdata`, `set_qfrc_passive`. A text replaces an earlier
        one for the same function; the other texts, and functions, stay. Raises DeviceError with line and column in a text that is not valid WGSL.
        """
        alone = (control, passive, contact_filter, dict(collisions or {}), dict(distances or {}), dict(sensors or {}))
        return Model(self._core.with_wgsl(*alone, {k: dict(v) for k, v in (actuators or {}).items()}))

    @property
    def opt(self) -> Options:
        return Options(self._core)

    def names(self, kind: str) -> list[str]:
        """Names of the elements of a kind in the order of their ids; an element without a name has an empty one."""
        return self._core.names(kind)

    def id(self, kind: str, key: int | str) -> int:
        """The id of an element, by its name or id."""
        names = self.names(kind)
        if isinstance(key, str):
            if key not in names:
                known = ", ".join(name for name in names if name)
                raise KeyError(f"the model has no {kind} called {key!r}: there are {known or 'none with a name'}")
            return names.index(key)
        return key

    def missing(self) -> list[str]:
        """The features that the model needs and this version lacks, each in a few words; a batch of such a model is refused."""
        return self._core.missing()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if TABLE.get(name, ("",))[0] == "Model":
            return self._core.field(name)
        return self._core.size(name)

    def __dir__(self):
        fields = [name for name, (room, *_) in TABLE.items() if room == "Model"]
        return sorted([*super().__dir__(), *_core.Model.sizes(), *fields])

    def __reduce__(self):
        if self._core.has_functions():
            raise TypeError("a model with functions or texts of your own cannot be pickled: call with_functions or with_wgsl where it is needed")
        return _unpickled, (self._core.to_bytes(),)

    def __repr__(self):
        return f"<manyworlds.Model: {self.nbody} bodies, nq {self.nq}, nv {self.nv}, nu {self.nu}>"


def _mesh_trees(model: mujoco.MjModel) -> dict[str, np.ndarray]:  # pyright: ignore[reportAttributeAccessIssue]
    """The part of MuJoCo's bounding volume trees that is around triangles of meshes."""
    num = model.mesh_bvhnum
    end = np.cumsum(num)
    rows = [np.arange(first, first + n) for first, n in zip(model.mesh_bvhadr, num, strict=True)]
    boxes = np.concatenate([np.zeros(0, int), *rows]).astype(int)
    trees = {name: getattr(model, name)[boxes] for name in ("bvh_child", "bvh_nodeid", "bvh_aabb")}
    return trees | {"mesh_bvhadr": np.where(num > 0, end - num, -1).astype(np.int32), "mesh_bvhnum": num.astype(np.int32)}


def _unpickled(data: bytes) -> Model:
    return Model(_core.Model.from_bytes(data))
