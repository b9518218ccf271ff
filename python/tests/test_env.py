"""Single environments of Gymnasium give the results of a vector of worlds."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from manyworlds import tasks  # noqa: E402


@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Hopper-v5", "walker-walk-v0"])
def test_it_is_the_first_of_many(name, backend):
    one = gymnasium.make(f"manyworlds/{name}", backend=backend)
    many = tasks.make(name, 3, backend=backend, autoreset_mode="Disabled")
    seen, _ = one.reset(seed=5)
    rows, _ = many.reset(seed=5)
    assert np.array_equal(seen, rows[0]) and one.observation_space == many.single_observation_space
    one.action_space.seed(0)
    episodes = 1
    for _ in range(60):
        action = one.action_space.sample()
        seen, reward, terminated, truncated, info = one.step(action)
        rows, rewards, ends, _, infos = many.step(np.tile(action, (3, 1)))
        assert np.array_equal(seen, rows[0]) and (reward, terminated, truncated) == (rewards[0], ends[0], False)
        assert info == {part: values[0] for part, values in infos.items()}
        assert isinstance(reward, float) and isinstance(terminated, bool)
        if ends.any():
            rows, _ = many.reset(options={"reset_mask": ends})
        if terminated:
            episodes += 1
            assert np.array_equal(one.reset()[0], rows[0])
    assert (episodes > 1) == (name == "Hopper-v5")


def test_gymnasium_finds_no_fault():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space.*")
        check_env(gymnasium.make("manyworlds/HalfCheetah-v5", backend="cpu").unwrapped, skip_render_check=True)


def test_time_ends_it():
    env = tasks.one("HalfCheetah-v5", {"ctrl_cost_weight": 0.0}, backend="cpu", max_episode_steps=3)
    env.reset(seed=0)
    ends = [env.step(np.ones(6, np.float32)) for _ in range(3)]
    assert [end[3] for end in ends] == [False, False, True] and not any(end[2] for end in ends)
    assert all(end[4]["reward_ctrl"] == 0 for end in ends)


def test_what_does_not_fit_is_told():
    env = tasks.one("HalfCheetah-v5", backend="cpu")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"an action of shape \(6,\) is needed, not \(1, 6\)"):
        env.step(np.ones((1, 6)))
    with pytest.raises(ValueError, match="render_mode is None or 'rgb_array', not 'human'"):
        tasks.one("HalfCheetah-v5", render_mode="human")
