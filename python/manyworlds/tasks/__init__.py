"""Tasks that others have too, made of array expressions; `gymnasium.make_vec("manyworlds/Ant-v5", num_envs=4096)`."""

from __future__ import annotations

from typing import Any


def make(task: str, num_envs: int = 1, arguments: dict[str, Any] | None = None, **rest: Any):
    """A vector environment of one of Gymnasium's MuJoCo tasks, by its name: `Ant-v5`."""
    from manyworlds.gym import VectorEnv
    from manyworlds.tasks.mujoco_v5 import TASKS

    return VectorEnv(TASKS[task](**(arguments or {})), num_envs, **rest)


def register() -> None:
    """Tells Gymnasium about the tasks; importing `manyworlds.tasks` does it."""
    import functools

    from gymnasium.envs import registration

    from manyworlds.tasks.mujoco_v5 import TASKS

    for name in TASKS:
        if f"manyworlds/{name}" not in registration.registry:
            entry = functools.partial(make, name)
            registration.register(f"manyworlds/{name}", vector_entry_point=entry)


try:
    register()
except ImportError as e:
    raise ImportError("the tasks need Gymnasium: pip install gymnasium") from e
