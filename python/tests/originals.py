"""MuJoCo Playground's own environments on MuJoCo C and numpy, with stand-ins for the parts of JAX, MJX and other packages that they use."""

import contextlib
import functools
import importlib
import pathlib
import sys
import types

import mujoco
import numpy as np


class Config(dict):
    """A dictionary whose values are attributes, as in ml_collections."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__

    def lock(self):
        return self


class Numbers(np.ndarray):
    """An array whose `at[...].set` changes a copy, as in JAX."""

    @property
    def at(self):
        return Places(self)


class Places:
    def __init__(self, of):
        self.of = of

    def __getitem__(self, index):
        return types.SimpleNamespace(set=functools.partial(self.put, index))

    def put(self, index, values):
        array = self.of.copy()
        array[index] = values
        return array


class Packages(types.ModuleType):
    """Dummy modules that have every submodule and every name; nothing here needs their results."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Packages(f"{self.__name__}.{name}")

    def __call__(self, *arguments, **more):
        return arguments[0] if arguments else None


class Arrays(types.ModuleType):
    """numpy with the interface of jax.numpy."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def zeros(*arguments, **more):
        return np.zeros(*arguments, **more).view(Numbers)


def uniform(key=None, shape=(), minval=0.0, maxval=1.0):
    return np.broadcast_to((np.asarray(minval) + maxval) / 2, shape)


def stand_ins(folder):
    jax = Packages("jax")
    jax.numpy, jax.Array = Arrays("jax.numpy"), np.ndarray
    jax.lax = types.SimpleNamespace(cond=lambda where, then, other, of: then(of) if where else other(of))
    jax.random = types.SimpleNamespace(split=lambda rng, n=2: (rng,) * n, uniform=uniform, exponential=lambda key: 1.0)
    jax.random.bernoulli = lambda key, p=0.5, shape=(): np.zeros(shape, bool)
    etils = Packages("etils")
    etils.epath = types.SimpleNamespace(Path=pathlib.Path)
    flax = Packages("flax")
    flax.struct = types.SimpleNamespace(dataclass=lambda kind: kind)
    collections = Packages("ml_collections")
    collections.config_dict = types.SimpleNamespace(create=Config, ConfigDict=Config)
    mjx = types.ModuleType("mujoco.mjx")
    mjx.__dict__.update(Model=None, Data=None, _src=Packages("mujoco.mjx._src"), __path__=[])
    packages = {"": folder, "._src": folder / "_src", "._src.locomotion": folder / "_src/locomotion"}
    packages |= {f"._src.locomotion.{robot}": folder / "_src/locomotion" / robot for robot in ("go1", "g1")}
    own = {}
    for name, path in packages.items():
        # empty packages, since the real ones import all other environments
        package = own[f"mujoco_playground{name}"] = types.ModuleType(f"mujoco_playground{name}")
        package.__path__ = [str(path)]
    others = {"jax": jax, "jax.numpy": jax.numpy, "etils": etils, "flax": flax, "ml_collections": collections, "tqdm": Packages("tqdm")}
    math = {"mujoco.mjx": mjx, "mujoco.mjx._src": mjx._src, "mujoco.mjx._src.math": Packages("math")}
    return {**others, **math, **own}


@contextlib.contextmanager
def instead(modules):
    kept = {name: sys.modules.get(name) for name in modules}
    mjx = getattr(mujoco, "mjx", None)
    sys.modules.update(modules)
    mujoco.mjx = modules["mujoco.mjx"]
    try:
        yield
    finally:
        for name, module in kept.items():
            sys.modules.pop(name) if module is None else sys.modules.update({name: module})
        del mujoco.mjx
        if mjx is not None:
            mujoco.mjx = mjx


class Original:
    """Playground's environment of one robot, on MuJoCo C."""

    def __init__(self, robot, text, assets, configure):
        spec = importlib.util.find_spec("mujoco_playground")
        with instead(stand_ins(pathlib.Path(spec.submodule_search_locations[0]))):
            module = importlib.import_module(f"mujoco_playground._src.locomotion.{robot}.joystick")
            self.env = module.Joystick.__new__(module.Joystick)
            self.mjx_env = module.mjx_env
        model = mujoco.MjModel.from_xml_string(text, assets)
        config = module.default_config()
        config.noise_config["level"] = 0.0
        configure(model, config)
        model.opt.timestep = config.sim_dt
        self.model, self.data, self.config = model, mujoco.MjData(model), config
        env = self.env
        env._config, env._ctrl_dt, env._sim_dt, env._mj_model = config, config.ctrl_dt, config.sim_dt, model
        env._mjx_model = types.SimpleNamespace(nu=model.nu, nv=model.nv, nbody=model.nbody)
        if robot == "go1":
            env._imu_site_id = model.site("imu").id
            env._feet_floor_found_sensor = [model.sensor(f"{foot}_floor_found").id for foot in ("FR", "FL", "RR", "RL")]
        env._post_init()
        # the physics steps are MuJoCo C's
        self.mjx_env.step = self.physics

    def seen(self):
        """The fields of MJX's data, from MuJoCo's."""
        d = self.data
        fields = {name: np.array(getattr(d, name)).view(Numbers) for name in "qpos qvel qacc sensordata site_xpos actuator_force xfrc_applied".split()}
        seen = types.SimpleNamespace(**fields, site_xmat=d.site_xmat.reshape(-1, 3, 3).copy())
        seen.replace = lambda **more: self.replaced(seen, more)
        return seen

    @staticmethod
    def replaced(of, more):
        new = types.SimpleNamespace(**{**vars(of), **more})
        new.replace = lambda **other: Original.replaced(new, other)
        return new

    def physics(self, model, data, controls, n):
        self.data.qvel[:], self.data.xfrc_applied[:] = data.qvel, data.xfrc_applied
        self.data.ctrl[:] = controls
        mujoco.mj_step(self.model, self.data, n)
        return self.seen()

    def step(self, info, action):
        """Makes a step from the current state with the memory `info`; returns observations, reward, end of the episode, and reward terms."""
        state = types.SimpleNamespace(data=self.seen(), info=info, metrics={})
        state.replace = lambda **more: self.replaced(state, more)
        after = self.env.step(state, action)
        return after.obs, float(after.reward), bool(after.done), after.metrics
