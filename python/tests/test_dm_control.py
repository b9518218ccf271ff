"""Tasks against dm_control's own: the same state and action give the same observation, reward and discount."""

import contextlib
import logging

import numpy as np
import pytest

pytest.importorskip("gymnasium")
mujoco = pytest.importorskip("mujoco")
sizes = pytest.importorskip("dm_control.mujoco.wrapper.mjbindings.sizes")

# dm_control's tables of arrays are for a MuJoCo before 4.0 and name arrays that no longer exist
for struct, kind in (("mjmodel", mujoco.MjModel), ("mjdata", mujoco.MjData)):
    for gone in [name for name in sizes.array_sizes[struct] if not hasattr(kind, name)]:
        del sizes.array_sizes[struct][gone]

logging.disable(logging.WARNING)
from dm_control import suite  # noqa: E402

from manyworlds import tasks  # noqa: E402
from manyworlds.task import Worlds  # noqa: E402
from manyworlds.tasks.dm_control import TASKS  # noqa: E402
from manyworlds.tasks.suite import folder, tolerance  # noqa: E402

logging.disable(logging.NOTSET)

TOLERANCE = {"cpu": 1e-12, "simd": 1e-4}
STEPS = 40
# number, of 80 steps, whose error may be up to five times the tolerance. Contacts of one step in a hundred magnify rounding this much
RARE = 2
# parts of an observation that are sensors of force and acceleration, and the inverse of what the task applies to them. A small component is a
# difference of large forces, so an error is relative to the largest component of the part
SENSED = {"imu": np.asarray, "force_torque": np.sinh}


def original(name, seed):
    domain, task = name.removesuffix("-v0").split("-")
    return suite.load(domain, task, task_kwargs={"random": seed}, environment_kwargs={"flat_observation": True})


def difference(have, seen, parts):
    """Largest relative difference of two observations, and its place."""
    have, seen = have.astype(float), seen.astype(float)
    scale = 1 + np.abs(seen)
    for part, unscaled in SENSED.items():
        if place := parts.get(part):
            have[place], seen[place] = unscaled(have[place]), unscaled(seen[place])
            scale[place] = 1 + np.abs(seen[place]).max()
    error = np.abs(have - seen) / scale
    return error.max(), error.argmax()


def hand_over(env, worlds):
    """Copies dm_control's state into the last world, with the model fields that its episode drew."""
    physics, s = env.physics, worlds.s
    for name in ("qpos", "qvel", "act", "qacc_warmstart"):
        getattr(s, name)[-1] = getattr(physics.data, name)
    for name in worlds.batch._expanded:
        worlds.batch.expand(name)[-1] = getattr(physics.model, name)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_step_is_the_originals(name, backend):
    worlds = Worlds(tasks.find(name), 2, backend=backend, nthread=1)
    worlds.reset(np.ones(2, bool))
    s = worlds.s
    s.qacc_warmstart, s.act  # noqa: B018
    rng, above = np.random.default_rng(5), 0
    for seed in range(2):
        env = original(name, seed)
        env.reset()
        spec = env.action_spec()
        assert np.allclose(worlds.ranges(), (spec.minimum, spec.maximum))
        assert worlds.task.limit == env._step_limit
        for k in range(STEPS):
            hand_over(env, worlds)
            # every other action has all controls at their limits, so that bodies move more than with random ones
            action = rng.uniform(spec.minimum, spec.maximum) if k % 2 else rng.choice([spec.minimum, spec.maximum])
            want = env.step(action)
            reward, terminated, *_ = worlds.step(np.tile(action, (2, 1)))
            error, place = difference(worlds.observe()[-1], want.observation["observations"], worlds.parts())
            assert error < 5 * TOLERANCE[backend], f"{name} step {k}: observation {place} is off by {error}"
            above += error > TOLERANCE[backend]
            assert reward[-1] == pytest.approx(want.reward, rel=TOLERANCE[backend], abs=TOLERANCE[backend]), (name, k)
            assert (want.discount, terminated[-1]) == (1.0, False)
    assert above <= RARE


@pytest.mark.parametrize("name", sorted(TASKS))
def test_an_episode_begins_as_the_originals(name, backend):
    worlds = Worlds(tasks.find(name), 3, backend=backend, nthread=1)
    worlds.seed = 2
    worlds.reset(np.ones(3, bool))
    have = worlds.observe()
    env = original(name, 0)
    physics = env.physics
    parts = env.task.get_observation(physics)
    assert {part: np.size(rows) for part, rows in parts.items()} == {
        part: place.stop - place.start for part, place in worlds.parts().items()
    }
    for k in range(3):
        with physics.reset_context() if not name.startswith("cheetah") else contextlib.nullcontext():
            env.task.initialize_episode(physics)
            for field in worlds.batch._expanded:
                getattr(physics.model, field)[...] = worlds.batch.expanded(field)[k]
            physics.data.qpos[:], physics.data.qvel[:] = worlds.s.qpos[k], worlds.s.qvel[k]
        physics.after_reset()
        seen = np.concatenate([np.ravel(part) for part in env.task.get_observation(physics).values()])
        scale = 1 + np.abs(seen)
        assert (np.abs(have[k] - seen) / scale).max() < 10 * TOLERANCE[backend], name
        if not name.startswith(("cheetah", "hopper", "walker", "cartpole", "reacher")):
            assert physics.data.ncon == 0
        if name.startswith("quadruped"):
            # the height is minimal: a centimetre lower there are contacts
            physics.data.qpos[2] -= 0.01
            physics.after_reset()
            assert physics.data.ncon > 0
    assert len(np.unique(have, axis=0)) == 3


def test_ends_come_with_time_alone():
    env = tasks.make("cheetah-run-v0", 2, backend="cpu", nthread=1, max_episode_steps=3)
    env.reset(seed=0)
    for k in range(3):
        _, reward, terminated, truncated, _ = env.step(np.ones((2, 6), np.float32))
        assert not terminated.any() and truncated.all() == (k == 2)
        assert ((0 <= reward) & (reward <= 1)).all()


@pytest.mark.parametrize("name", ["humanoid-walk-v0", "quadruped-walk-v0", "cheetah-run-v0", "finger-turn_hard-v0"])
def test_a_world_does_not_depend_on_how_many_there_are(name, backend):
    runs = []
    for n in (2, 5):
        env = tasks.make(name, n, backend=backend, nthread=1, autoreset_mode="SameStep")
        obs, _ = env.reset(seed=7)
        seen = [obs[:2]]
        for k in range(6):
            # the episode of the last world ends
            env.worlds.elapsed[-1] = 1000 if k == 3 and n == 5 else env.worlds.elapsed[-1]
            obs, *_ = env.step(np.full(env.action_space.shape, 0.5 * (-1) ** k, np.float32))
            seen.append(obs[:2])
        runs.append(np.array(seen))
    assert np.array_equal(*runs)


def test_gymnasium_knows_the_tasks():
    import gymnasium

    env = gymnasium.make_vec("manyworlds/walker-walk-v0", num_envs=2)
    assert env.reset(seed=0)[0].shape == (2, 24)


@pytest.mark.parametrize(
    ("arguments", "theirs"),
    [
        ({}, {}),
        ({"margin": 2}, {"margin": 2}),
        ({"low": -1, "high": 0.5, "margin": 0.7, "at_margin": 0.3}, {"bounds": (-1, 0.5), "margin": 0.7, "value_at_margin": 0.3}),
        ({"low": 1, "high": np.inf, "margin": 1, "at_margin": 0, "fall": "linear"},
         {"bounds": (1, np.inf), "margin": 1, "value_at_margin": 0, "sigmoid": "linear"}),
        ({"margin": 1, "at_margin": 0.2, "fall": "quadratic"}, {"margin": 1, "value_at_margin": 0.2, "sigmoid": "quadratic"}),
    ],
)  # fmt: skip
def test_soft_bounds_are_theirs(arguments, theirs):
    from dm_control.utils import rewards

    x = np.concatenate([np.linspace(-4, 4, 81), [0.0, 0.5, 1.0]])
    assert np.allclose(tolerance(x, **arguments), rewards.tolerance(x, **theirs), rtol=1e-14, atol=1e-15)


def test_a_package_that_is_missing_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    folder.cache_clear()
    with pytest.raises(ImportError, match="pip install --no-deps dm_control"):
        folder()
