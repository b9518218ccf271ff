"""Tasks that others have too, made of array expressions; `gymnasium.make_vec("manyworlds/Ant-v5", num_envs=4096)`."""

from __future__ import annotations

from typing import Any


def make(task: str, num_envs: int = 1, arguments: dict[str, Any] | None = None, **rest: Any):
    """A vector environment of one of Gymnasium's MuJoCo tasks, by its name: `Ant-v5`."""
    from manyworlds.gym import VectorEnv
    from manyworlds.tasks.mujoco_v5 import TASKS

    return VectorEnv(TASKS[task](**(arguments or {})), num_envs, **rest)


def register() -> None:
    """Tells Gymnasium about the tasks. Importing `manyworlds.gym` or making an id `manyworlds:manyworlds/Ant-v5` does it."""
    import functools

    import gymnasium

    from manyworlds.tasks.mujoco_v5 import TASKS

    for name in TASKS:
        if f"manyworlds/{name}" not in gymnasium.registry:
            entry = functools.partial(make, name)
            gymnasium.register(f"manyworlds/{name}", vector_entry_point=entry)
