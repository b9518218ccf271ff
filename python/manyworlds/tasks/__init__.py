"""Benchmark tasks of other suites, as array expressions; `gymnasium.make_vec("manyworlds/Ant-v5", num_envs=4096)`."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from typing import Any

from manyworlds.task import Task


def names() -> dict[str, Callable[..., Task]]:
    """Every task by its name: `Ant-v5` as Gymnasium's, `cheetah-run-v0` as dm_control's, `Go1JoystickFlatTerrain-v0` as MuJoCo Playground's."""
    from manyworlds.tasks import dm_control, mujoco_v5, playground

    others = {**dm_control.TASKS, **playground.TASKS}
    return {**mujoco_v5.TASKS, **{name: functools.partial(task, **options) for name, (task, options) in others.items()}}


def find(name: str, **arguments: Any) -> Task:
    """The task of a name, `Ant-v5`, `cheetah-run-v0` or `manyworlds/Ant-v5`; `arguments` are the arguments of the task."""
    tasks, name = names(), name.removeprefix("manyworlds/")
    if name not in tasks:
        near = difflib.get_close_matches(name, tasks, 1)
        hint = f"did you mean {near[0]}?" if near else "there are " + ", ".join(sorted(tasks))
        raise KeyError(f"there is no task {name!r}: {hint}")
    return tasks[name](**arguments)


def make(task: str, num_envs: int = 1, arguments: dict[str, Any] | None = None, **rest: Any):
    """A vector environment of a task, by its name: `Ant-v5`."""
    from manyworlds.gym import VectorEnv

    return VectorEnv(find(task, **(arguments or {})), num_envs, **rest)


def one(task: str, arguments: dict[str, Any] | None = None, **rest: Any):
    """A single environment of a task, by its name, for code without arrays of worlds."""
    from manyworlds.gym import Env

    return Env(find(task, **(arguments or {})), **rest)


def register() -> None:
    """Registers the tasks with Gymnasium; importing `manyworlds.tasks` does it."""
    from gymnasium.envs import registration

    for name in names():
        if f"manyworlds/{name}" not in registration.registry:
            single, many = functools.partial(one, name), functools.partial(make, name)
            registration.register(f"manyworlds/{name}", entry_point=single, vector_entry_point=many)


try:
    register()
except ImportError as e:
    raise ImportError("the tasks need Gymnasium: pip install gymnasium") from e
