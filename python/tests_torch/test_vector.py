"""Training libraries that take Gymnasium's vector environments: skrl and torchrl."""

import gymnasium
import pytest
import torch
from skrl.envs.wrappers.torch import wrap_env
from torchrl.envs import GymWrapper, check_env_specs

import manyworlds.tasks  # noqa: F401


def test_skrl():
    env = wrap_env(gymnasium.make_vec("manyworlds/HalfCheetah-v5", num_envs=8, nthread=1), wrapper="gymnasium")
    assert env.num_envs == 8
    seen, _ = env.reset()
    after, reward, terminated, truncated, _ = env.step(torch.ones(8, 6))
    assert seen.shape == after.shape == (8, 17) and reward.shape == terminated.shape == truncated.shape == (8, 1)
    assert not torch.equal(seen, after)


# torchrl refuses the third autoreset mode
@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_torchrl(mode):
    four = {"num_envs": 8, "nthread": 1, "autoreset_mode": mode, "max_episode_steps": 4}
    env = GymWrapper(gymnasium.make_vec("manyworlds/InvertedPendulum-v5", **four), device="cpu")
    check_env_specs(env)
    steps = env.rollout(10, break_when_any_done=False)
    done = steps["next", "done"][:, :-1, 0]
    assert steps["observation"].shape == (8, 10, 4) and done.sum() >= 8
    last, first = steps["next", "observation"][:, :-1], steps["observation"][:, 1:]
    assert torch.equal(last[~done], first[~done]), "an episode goes on where it was"
    assert (last[done] != first[done]).any(dim=1).all(), "its last observation is not the first of the next"
