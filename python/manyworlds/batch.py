"""Many worlds of one model, with the names and meanings of `mujoco.batch.Batch`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manyworlds import _core, caller_models
from manyworlds.calls import Calls, Tape
from manyworlds.model import INPUTS, TABLE, Model
from manyworlds.named import Named

if TYPE_CHECKING:
    import mujoco

# mjtState and mjtStage of MuJoCo
STATE_CTRL = 1 << 6
STAGE_NONE, STAGE_ACC = 0, 3


@dataclasses.dataclass(frozen=True)
class Flag:
    """Faults of a world since its last reset."""

    world: int
    # a bad number in its state or acceleration reset it
    diverged: bool
    # contacts or rows did not fit
    overflowed: bool
    text: str

    def __str__(self):
        return self.text


class Batch(Calls):
    """`nsim` worlds of a model.

    `backend` is one of `auto` (a hardware GPU, else the faster CPU backend), `cpu` (the reference, in float64), `simd` (worlds side by side,
    float32) and `gpu` (float32). `overflow` chooses the response to a world that needs more contacts or rows than fit: `grow`
    enlarges the capacity and repeats the call, `error` raises CapacityError, `continue` flags the world. `nthread` of 0 takes all cores.
    With `rne_post`, forces between bodies (cacc, cfrc_int, cfrc_ext) are computed after the last step of every call, as by
    mj_rnePostConstraint after mj_step. With `solver_stat`, statistics of each solver iteration (mjSolverStat) are recorded in the fields
    `solver_improvement solver_gradient solver_lineslope solver_nactive solver_nchange solver_neval solver_nupdate`, (nsim, ntree,
    nsolver): by island (`island_niter`) and iteration, followed by the iterations of no-slip.

    Arrays have the precision of the backend (`dtype`); arrays of another precision are refused, not converted.
    """

    _expanded: dict[str, np.ndarray]
    # the caller's models as they were given, and the converted model of each world (set_models)
    _models: tuple[Any, list[Model]] | None
    # arguments of the last picture, and its renderer
    _renderer: tuple[Any, Any]

    def __init__(
        self,
        model: Model | mujoco.MjModel,  # pyright: ignore[reportAttributeAccessIssue]
        nsim: int,
        nthread: int = 0,
        *,
        backend: str = "auto",
        overflow: str = "grow",
        nconmax: int | None = None,
        njmax: int | None = None,
        adapter: str | None = None,
        rne_post: bool = False,
        solver_stat: bool = False,
    ):
        model = caller_models.taken(model)
        core = _core.Batch(model._core, nsim, backend, overflow, nthread or None, nconmax, njmax, adapter, rne_post, solver_stat)
        # bypasses __setattr__, which writes into worlds
        self.__dict__.update(_core=core, model=model, nthread=nthread, _expanded={}, _models=None, _renderer=(None, None))

    @property
    def nsim(self) -> int:
        """Number of worlds."""
        return self._core.nsim

    @property
    def backend(self) -> str:
        """The backend that computes: `cpu`, `simd` or `gpu`."""
        return self._core.backend

    @property
    def device(self) -> str:
        """The backend and its device, in one line."""
        return self._core.device

    @property
    def dtype(self) -> np.dtype:
        """Type of real numbers: float64 on `cpu`, float32 on `simd` and `gpu`."""
        return np.dtype(np.float32 if self._core.single else np.float64)

    def bind(self, name: str) -> np.ndarray:
        """A live array of a field, (nsim, ...), refreshed by every call.

        State and inputs (qpos, qvel, ctrl, mocap_pos, ...) can be written: the next call takes their contents into the worlds. Other arrays
        are read-only, and after a step describe the state before its last substep, as with mj_step. Arrays of contacts and rows
        are replaced when the capacity grows: bind them again after CapacityError or a call that grew.
        """
        array, is_input = self._core.bind(name)
        if is_input:
            return array
        view = array.view()
        view.flags.writeable = False
        return view

    def expand(self, name: str) -> np.ndarray:
        """Gives every world its own row of a field of the model (`body_mass`, `geom_friction`, `opt.gravity`); returns them, (nsim, ...).

        The next call takes the contents of the array into the worlds and derives the fields that depend on them (masses of subtrees,
        parameters of contacts, ...); `set_const` derives them at once.
        """
        self._check_own(name)
        key = name.removeprefix("opt.")
        if key not in self._expanded:
            self._core.expand([key])
            self._expanded[key] = self._core.own(key)
        return self._expanded[key]

    def expanded(self, name: str) -> np.ndarray | None:
        """The rows of an expanded field, read-only; None while all worlds share one row."""
        rows = self._expanded.get(name.removeprefix("opt."))
        if rows is None:
            return None
        view = rows.view()
        view.flags.writeable = False
        return view

    def set_const(self, ids: Any = None) -> None:
        """Derives the fields that depend on expanded fields, in all worlds or in the worlds `ids` (mj_setConst)."""
        self._check_own("set_const")
        self._give_own()
        self._core.set_const(None if ids is None else self._mask(self._ids(ids)))

    def set_models(self, models: Any) -> None:
        """Runs world i with the numbers of `models[i]`; a single model is for all worlds, None restores the batch's own.

        The models must have the elements of the batch's model, as models compiled from one text with other numbers do. They are read now: set
        them again after a change. They replace expanded fields: `expand` and `set_const` raise while models are set, and this method
        raises if fields are expanded. Raises ValueError, and changes nothing, if a model differs in a field that must be the same in all worlds
        (types, meshes, the tree; options on a GPU).
        """
        if self._models is None and self._expanded:
            raise ValueError(f"{', '.join(self._expanded)} are expanded: a batch has either expanded fields or models set by set_models, not both")
        every = caller_models.each(self.model if models is None else models, self.nsim)
        rows = caller_models.rows(self.model, every)
        self._core.expand(list(rows))
        for name in self._expanded.keys() - rows.keys():
            shared = getattr(self.model, name) if name in TABLE else np.array(self.model._core.option(name), float)
            rows[name] = np.broadcast_to(shared, (self.nsim, *np.shape(shared)))
        for name, values in rows.items():
            self._core.set_own(name, np.ascontiguousarray(values), None)
        self._core.set_const(None)
        own = {} if models is None else {name: np.array(values) for name, values in rows.items()}
        kept = None if models is None else (tuple(models) if isinstance(models, Sequence) else models, every)
        self.__dict__.update(_expanded=own, _models=kept)

    @property
    def models(self) -> Any:
        """The models that were set: one for all worlds, or a tuple with the model of world i at i; None if there are none."""
        return None if self._models is None else self._models[0]

    def read(self, name: str) -> np.ndarray:
        """A new array of a field, (nsim, ...)."""
        return self._core.read(name)

    def write(self, name: str, values: Any, ids: Any = None) -> None:
        """Writes an input of all worlds, or of the worlds `ids`: (nsim, ...), (n, ...) for the n worlds of the call, or one row for all."""
        live = self.bind(name)
        if ids is None:
            self._core.write(name, np.ascontiguousarray(np.broadcast_to(_typed(values, live.dtype), live.shape)), None)
            return
        ids = self._ids(ids)
        whole = np.zeros_like(live)
        whole[ids] = values
        self._core.write(name, whole, self._mask(ids))

    def step(self, ids: Any = None, nstep: int = 1, stage: int = STAGE_NONE) -> None:
        """Advances the worlds by `nstep` calls to mj_step. With `stage` above 0 everything that depends on the new state is computed then.

        All worlds are computed, even if `ids` names only some: the others get their former state back.
        """
        if ids is not None:
            with self._only(ids):
                return self.step(None, nstep, stage)
        self._try(self._core.step, nstep)
        if stage > STAGE_NONE:
            self.forward()

    def forward(self, ids: Any = None, stage: int = STAGE_ACC) -> None:
        """Computes everything that depends on the state (mj_forward), of all worlds or of the worlds `ids`: live arrays of the others keep
        their contents."""
        del stage
        self._try(self._core.forward, None if ids is None else self._mask(self._ids(ids)))

    def forward_skip(self, skipstage: int = STAGE_NONE, skipsensor: bool = False) -> None:
        """Forward dynamics without the stages whose results are known from the last call (mj_forwardSkip): those that depend on positions
        (`skipstage` 1), or on positions and velocities (2), are skipped. Raises ValueError if there are no such results: before the first
        call, and after a reset, restore or copy of a world."""
        self._try(self._core.forward_skip, skipstage, not skipsensor)

    def inverse_skip(self, skipstage: int = STAGE_NONE, skipsensor: bool = False) -> None:
        """Inverse dynamics without the stages whose results are known from the last call (mj_inverseSkip); see `forward_skip`."""
        self._try(self._core.inverse_skip, skipstage, not skipsensor)

    def inverse(self) -> None:
        """Computes `qfrc_inverse`, the generalized force that produces the accelerations `qacc` (mj_inverse)."""
        self._try(self._core.inverse)

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = STAGE_ACC) -> None:
        """Resets worlds to the model's defaults or to keyframes (one for all, or one each); then, unless `stage` is 0, computes
        everything that depends on the state of these worlds."""
        chosen = self._ids(ids)
        if np.ndim(keyframe) == 0:
            self._core.reset(self._mask(chosen), None if keyframe < 0 else int(keyframe))
        else:
            keyframe = np.broadcast_to(np.asarray(keyframe), chosen.shape)
            for key in np.unique(keyframe):
                self._core.reset(self._mask(chosen[keyframe == key]), None if key < 0 else int(key))
        if stage > STAGE_NONE:
            self.forward(ids)

    def rollout(
        self,
        nstep: int,
        control: Any = None,
        control_spec: int = STATE_CTRL,
        record: Sequence[str | int] = ("qpos",),
        ids: Any = None,
    ) -> dict[str | int, np.ndarray]:
        """Advances worlds by `nstep` steps and records after each: a dict from each record item to its (n, nstep, ...) array.

        `control` is (n, nstep, size) of the elements in `control_spec` (mjtState bits), or None. Items are names of fields, or
        mjtState bits for state vectors.
        """
        with self._only(ids):
            chosen = self._ids(ids)
            out: dict[str | int, list[np.ndarray]] = {item: [] for item in record}
            for k in range(nstep):
                if control is not None:
                    row = np.zeros((self.nsim, self._core.state_size(control_spec)), self.dtype)
                    row[chosen] = np.asarray(control)[:, k]
                    self._core.set_state(control_spec, row)
                self._try(self._core.step, 1)
                for item, rows in out.items():
                    all_worlds = self.read(item) if isinstance(item, str) else self.get_state(int(item))
                    rows.append(all_worlds[chosen])
        return {item: np.stack(rows, axis=1) for item, rows in out.items()}

    def record(self, ctrl: Any) -> Tape:
        """Steps all worlds once for each row of `ctrl`, (nstep, nsim, nu), and linearises every step on the way (`transition` without `eps`)."""
        ctrl = np.asarray(ctrl, np.float64)
        if ctrl.ndim != 3 or ctrl.shape[1:] != (self.nsim, self.model.nu):
            raise ValueError(f"ctrl: an array (nstep, {self.nsim}, {self.model.nu}) is needed, not {ctrl.shape}")
        return Tape(self, len(ctrl), self._try(_core.record, self._core, len(ctrl), ctrl.ravel()))

    def state_size(self, spec: int) -> int:
        """Size of one world's state vector, for the elements whose mjtState bits are given (mj_stateSize)."""
        return self._core.state_size(int(spec))

    def get_state(self, spec: int) -> np.ndarray:
        """State vectors of all worlds, (nsim, size), each as by mj_getState."""
        return self._core.get_state(int(spec))

    def set_state(self, state: np.ndarray, spec: int) -> None:
        """Sets state vectors of all worlds, (nsim, size) or one row for all, each as by mj_setState."""
        self._core.set_state(int(spec), _typed(state, self.dtype))

    def save(self) -> _core.Saved:
        """Saves the state of all worlds, for `restore`."""
        return self._core.save()

    def restore(self, saved: _core.Saved, ids: Any = None) -> None:
        """Restores a saved state, in all worlds or in the worlds `ids`."""
        self._core.restore(saved, None if ids is None else self._mask(self._ids(ids)))

    def copy(self, source: int, ids: Any) -> None:
        """Copies the state of world `source` into the worlds `ids`."""
        self._core.copy(source, self._ids(ids).tolist())

    def flags(self) -> list[Flag]:
        """The worlds that diverged, or whose contacts or rows did not fit, since their last reset."""
        return [Flag(*flag) for flag in self._core.flags()]

    def diverged(self) -> list[int]:
        """The worlds that diverged since their last reset."""
        return [world for world, diverged, _, _ in self._core.flags() if diverged]

    def render(
        self,
        worlds: int = 4096,
        *,
        size: tuple[int, int] = (1280, 720),
        camera: str | int | Sequence[float] | None = None,
        spacing: float | None = None,
        groups: Sequence[int] = (0, 1, 2),
        sites: bool = False,
        overlays: Sequence[str] = (),
    ) -> np.ndarray:
        """A picture of the first `worlds` worlds, in the poses of the last call: (height, width, 3), uint8.

        `size` is (width, height); `camera` a camera of the model by name or number, or (azimuth, elevation[, distance]) around the worlds
        (deg, m); `spacing` the distance from world to world (m), 0 for one over the other. `overlays` are drawn over
        the worlds: "contacts" with their forces, axes of "joints", "com" (centres of mass), "frames" of bodies. Any adapter can draw, a software
        adapter too.
        """
        sight = camera if camera is None or isinstance(camera, (str, int)) else tuple(camera)
        asked = (worlds, tuple(size), sight, spacing, tuple(groups), sites, tuple(overlays))
        drawn, renderer = self._renderer
        if drawn != asked:
            if not hasattr(_core, "Renderer"):
                raise _core.DeviceError("this build cannot draw: build it with the feature view")
            renderer = _core.Renderer(
                self.model._core, self.nsim, worlds, (size[0], size[1]), sight, spacing, list(groups), sites, list(overlays)
            )
            self.__dict__["_renderer"] = (asked, renderer)
        return renderer.draw(self._core)

    def get_data(self, sim: int, data: Any) -> Any:
        """Writes the state of a world into MuJoCo's MjData of the same model; returns it. Run mj_forward to compute the other arrays."""
        for name in INPUTS:
            values = self.read(name)[sim]
            if name == "time":
                data.time = float(values)
            else:
                getattr(data, name)[...] = values.reshape(np.shape(getattr(data, name)))
        return data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in TABLE:
            raise AttributeError(f"a batch has no {name!r}")
        return self.bind(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in TABLE:
            raise AttributeError(f"a batch has no array {name!r}")
        self.write(name, value)

    def __dir__(self):
        fields = [name for name, (room, *_) in TABLE.items() if room == "Data"]
        return sorted([*super().__dir__(), *fields])

    def __repr__(self):
        return f"<manyworlds.Batch: {self.nsim} worlds on {self.device}>"

    def _ids(self, ids: Any) -> np.ndarray:
        if ids is None:
            return np.arange(self.nsim)
        ids = np.atleast_1d(np.asarray(ids))
        if ids.dtype == bool:
            if ids.shape != (self.nsim,):
                raise ValueError(f"a mask of shape ({self.nsim},) is needed, not {ids.shape}")
            return np.flatnonzero(ids)
        if not np.issubdtype(ids.dtype, np.integer) and ids.size:
            raise TypeError(f"ids are integers or a mask, not {ids.dtype}")
        ids = ids.astype(np.int64)
        if ids.size and (ids.min() < 0 or ids.max() >= self.nsim):
            raise IndexError(f"ids are from 0 to {self.nsim - 1}")
        return ids

    def _mask(self, ids: np.ndarray) -> np.ndarray:
        mask = np.zeros(self.nsim, bool)
        mask[ids] = True
        return mask

    def _only(self, ids: Any):
        return _Only(self, ids)

    # raises if the worlds have the caller's models: then fields cannot be expanded
    def _check_own(self, what: str) -> None:
        if self._models is not None:
            raise ValueError(f"{what}: the worlds have models that were set by set_models: edit those models and set them again")

    # takes the contents of expanded fields into the worlds
    def _give_own(self) -> None:
        for name, rows in self._expanded.items():
            self._core.set_own(name, rows, None)

    def _try(self, call, *args):
        self._give_own()
        try:
            return call(*args)
        except _core.CapacityError as e:
            # of perturbed worlds the error itself names the first
            e.ids = np.array([flag.world for flag in self.flags() if flag.overflowed] or e.ids)
            raise


class _Only:
    """A context at whose end the worlds that are not among `ids` get their former state back."""

    def __init__(self, batch: Batch, ids: Any):
        self.batch, self.ids, self.saved = batch, ids, None

    def __enter__(self):
        if self.ids is not None:
            self.saved = self.batch._core.save()

    def __exit__(self, *exc):
        if self.saved is not None:
            others = ~self.batch._mask(self.batch._ids(self.ids))
            self.batch._core.restore(self.saved, others)
        return False


def _typed(values: Any, dtype: np.dtype) -> np.ndarray:
    """Numbers in the precision of the worlds; arrays of another precision are refused."""
    if isinstance(values, np.ndarray) and values.dtype != dtype and values.dtype.kind == "f":
        raise TypeError(f"an array of {dtype} is needed, {values.dtype} was given: numbers are not converted silently")
    return np.asarray(values, dtype)


for _kind in "actuator body camera equality geom joint light site sensor tendon".split():
    setattr(Batch, _kind, functools.partialmethod(Named, _kind))
