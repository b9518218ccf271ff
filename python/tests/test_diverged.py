"""Worlds with bad numbers are terminated and named, and no observation is NaN."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import manyworlds as mw  # noqa: E402
from manyworlds.gym import VectorEnv  # noqa: E402


class Drift(mw.Task):
    limit = 6

    def __init__(self, model, current):
        self.model, self.current = model, current

    def observe(self, s):
        return s.qpos, s.qvel, s.xpos

    def reward(self, s, before, action):
        return s.qpos[:, 2]


@pytest.mark.parametrize("current", [False, True])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_world_that_goes_bad_is_terminated_and_named(humanoid, backend, mode, current):
    env = VectorEnv(Drift(humanoid, current), 4, autoreset_mode=mode, backend=backend, nthread=1)
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)
    env.worlds.s.qvel[2] = np.inf
    seen, reward, terminated, truncated, info = env.step(action)
    assert terminated.tolist() == info["diverged"].tolist() == [False, False, True, False]
    assert reward[2] == 0 and (reward[[0, 1, 3]] > 0).all()
    assert np.isfinite(seen).all() and np.isfinite(info.get("final_obs", seen)).all()
    if mode == "Disabled":
        seen, _ = env.reset(options={"reset_mask": terminated})
    for _ in range(3):
        seen, reward, terminated, truncated, info = env.step(action)
        assert np.isfinite(seen).all() and not terminated.any() and "diverged" not in info


def test_a_step_that_counts_for_nothing_names_nobody(humanoid, backend):
    env = VectorEnv(Drift(humanoid, False), 2, autoreset_mode="NextStep", backend=backend, nthread=1)
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)
    for _ in range(6):
        _, _, _, truncated, _ = env.step(action)
    assert truncated.all()
    # the episodes are over, so the results of this step are discarded
    env.worlds.s.qvel[0] = np.inf
    _, reward, terminated, _, info = env.step(action)
    assert not terminated.any() and not info.get("diverged", terminated).any()
