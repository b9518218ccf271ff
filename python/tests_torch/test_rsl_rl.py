"""rsl_rl's VecEnv."""

import numpy as np
import pytest
import torch
from rsl_rl.env import VecEnv as Base
from rsl_rl.runners import OnPolicyRunner

from manyworlds.rsl_rl import VecEnv


def config(groups):
    net = {"class_name": "MLPModel", "hidden_dims": [32, 32], "activation": "elu", "obs_normalization": True}
    spread = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    return {
        "num_steps_per_env": 16,
        "save_interval": 100,
        "obs_groups": groups,
        "actor": {**net, "distribution_cfg": spread},
        "critic": dict(net),
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 4, "num_mini_batches": 4, "learning_rate": 1e-3},
    }


def test_its_own_runner_learns_on_it(reach, backend):
    torch.manual_seed(1)
    env = VecEnv(reach(), 64, groups={"policy": ["position"], "critic": ["position", "velocity"]}, backend=backend, nthread=1)
    assert isinstance(env, Base)
    runner = OnPolicyRunner(env, config({"actor": ["policy"], "critic": ["critic"]}), device="cpu")
    runner.learn(3, init_at_random_ep_len=True)
    assert int(env.episode_length_buf.max()) <= 10
    policy = runner.get_inference_policy()
    assert policy(env.get_observations()).shape == (64, 1)


def test_a_step(reach, backend):
    env = VecEnv(reach(), 4, backend=backend, nthread=1)
    assert (env.num_envs, env.num_actions, env.max_episode_length) == (4, 1, 10)
    first = env.get_observations()["policy"]
    assert first.shape == (4, 2) and first.dtype == torch.float32
    env.worlds.batch.write("qpos", np.full((1, 1), 2.5, env.worlds.batch.dtype), [1])
    # an action beyond the range of the control is clipped to 3
    observations, reward, done, extras = env.step(torch.full((4, 1), 50.0))
    assert env.worlds.s.ctrl[:, 0].tolist() == [3, 0, 3, 3]
    assert done.tolist() == [False, True, False, False]
    assert extras["time_outs"].tolist() == [False] * 4
    assert reward.dtype == torch.float32 and reward[1] == pytest.approx(-1.5 - 0.09, abs=2e-3)
    assert extras["log"]["/far"] == pytest.approx(float(np.mean(-reward.numpy() - 0.09)), abs=1e-5)
    assert abs(observations["policy"][1, 0]) <= 0.1
    assert env.episode_length_buf.tolist() == [1, 0, 1, 1]
    env.episode_length_buf = torch.tensor([9, 0, 0, 0])
    _, _, done, extras = env.step(torch.zeros(4, 1))
    assert done.tolist() == extras["time_outs"].tolist() == [True, False, False, False]


def test_lengths_share_memory(reach):
    env = VecEnv(reach(), 2, backend="cpu", nthread=1)
    lengths = env.episode_length_buf
    env.step(torch.zeros(2, 1))
    assert lengths.tolist() == [1, 1]


def test_observations_are_kept_as_they_were(reach):
    env = VecEnv(reach(), 2, backend="simd", nthread=1)
    seen = env.get_observations()["policy"]
    copy = seen.clone()
    env.step(torch.ones(2, 1))
    assert torch.equal(seen, copy)


def test_parts_that_are_not_there_are_told(reach):
    with pytest.raises(KeyError, match="no part 'speed'; there are position, velocity"):
        VecEnv(reach(), 2, groups={"policy": ["speed"]})
