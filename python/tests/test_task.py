"""Memories of tasks, and draws within control steps."""

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds.draws import Draws
from manyworlds.task import Worlds


class Jerky(mw.Task):
    """A cart whose force is the mean of the last two actions, with noise."""

    model, limit, action_range = MODELS / "cartpole.xml", 6, (-2.0, 2.0)
    memory = {"last": 1, "forces": (3, 1), "count": ()}

    def act(self, s, action):
        mean = (s.last + action) / 2
        s.last[...] = action
        return mean + 0.1 * s.draws(0).standard_normal(1)

    def moved(self, s, action):
        s.forces[:, 1:] = s.forces[:, :-1].copy()
        s.forces[:, 0] = s.ctrl
        s.count += 1

    def observe(self, s):
        return s.qpos, s.forces, s.draws(1).random(2)

    def reward(self, s, before, action):
        return s.count.copy()

    def reset(self, s, draws):
        return np.tile(s.qpos0, (len(draws), 1)), np.zeros((len(draws), s.nv)), {"last": draws.uniform(0.5, 1.0, 1)}


def run(n, backend, first=0):
    worlds = Worlds(Jerky(), n, backend=backend, nthread=1, first=first)
    worlds.reset(np.ones(n, bool))
    rows = [worlds.observe()]
    for _ in range(4):
        worlds.step(np.ones((n, 1), np.float32))
        rows.append(worlds.observe())
    return np.array(rows), worlds


def test_worlds_remember(backend):
    rows, worlds = run(4, backend)
    s = worlds.s
    assert s.last.shape == (4, 1) and s.forces.shape == (4, 3, 1) and s.count.shape == (4,)
    assert (s.count == 4).all() and s.last.dtype == s.qpos.dtype
    # the force is 0.75 to 1 in the first step, then 1, plus noise
    assert np.allclose(rows[1:, :, 2], 1, atol=0.6) and np.array_equal(rows[2:, :, 3], rows[1:-1, :, 2])
    start = s.last.copy()
    worlds.reset(np.array([False, True, False, True]))
    assert s.count.tolist() == [4, 0, 4, 0] and (s.forces[[1, 3]] == 0).all() and (s.forces[[0, 2]] != 0).any()
    assert np.array_equal(s.last[::2], start[::2]) and (s.last[1::2] >= 0.5).all() and (s.last[1::2] < 1).all()


def test_draws_of_a_step_depend_on_seed_world_episode_and_step_alone(backend):
    (rows, worlds), (part, _) = run(5, backend), run(2, backend, first=3)
    assert np.array_equal(rows[:, 3:], part)
    noise = rows[:, :, -2:].reshape(-1)
    assert len(np.unique(noise)) == noise.size
    # observing again in the same step gives the same draws
    assert np.array_equal(worlds.observe(), worlds.observe())
    worlds.reset(np.ones(5, bool))
    assert not np.isin(worlds.observe()[:, -2:], noise).any()


def test_actions_that_are_no_controls_have_a_range_of_their_own():
    _, worlds = run(1, "cpu")
    assert [x.tolist() for x in worlds.ranges()] == [[-2.0], [2.0]]


@pytest.mark.parametrize("name", ["qpos", "dt", "body", "nsim"])
def test_what_is_remembered_has_a_name_of_its_own(name):
    task = Jerky()
    task.memory = {name: 1}
    with pytest.raises(ValueError, match=f"Jerky.memory has the name {name!r}"):
        Worlds(task, 1, backend="cpu", nthread=1)


def splitmix(x):
    """splitmix64, in whole numbers of Python."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


@pytest.mark.parametrize("steps", [None, np.array([7, 8])])
def test_draws_depend_on_seed_stream_world_episode_step_and_place(steps):
    draws = Draws(2**64 - 3, np.array([0, 5]), np.array([1, 2]), stream=3, steps=steps)
    have = np.concatenate([draws.random(2), draws.random(1)], axis=1)
    for row, (world, episode) in enumerate([(0, 1), (5, 2)]):
        key = splitmix((2**64 - 3 + 3 * 0xD1B54A32D192ED03) % 2**64)
        for number in [world, episode] + ([] if steps is None else [int(steps[row])]):
            key = splitmix(key ^ number)
        want = [(splitmix((key + splitmix(place)) % 2**64) >> 11) * 2.0**-53 for place in range(3)]
        assert have[row].tolist() == want
    with pytest.raises(ValueError, match="2 worlds, but 1 numbers"):
        Draws(0, np.array([0, 5]), np.array([1]))
