"""The VecEnv for Stable-Baselines3, compared with its DummyVecEnv of Gymnasium's environments."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from manyworlds.sb3 import VecEnv
from manyworlds.tasks.mujoco_v5 import InvertedPendulum


def test_its_own_algorithm_learns_on_it(backend):
    env = VecMonitor(VecEnv("InvertedPendulum-v5", 16, backend=backend, nthread=1))
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=256, learning_rate=2e-3, seed=1, device="cpu")
    model.learn(16 * 64 * 12)
    ended = [episode["r"] for episode in model.ep_info_buffer]
    assert np.mean(ended) > 40, "a pole that nobody balances falls after ten steps"


def test_steps_are_those_of_its_own(backend):
    tolerance = 1e-12 if backend == "cpu" else 1e-4
    theirs = DummyVecEnv([lambda: gymnasium.make("Swimmer-v5")] * 3)
    ours = VecEnv("Swimmer-v5", 3, backend=backend, nthread=1)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space.shape == theirs.observation_space.shape
    ours.seed(1), theirs.seed(1), ours.reset(), theirs.reset()
    rng = np.random.default_rng(0)
    for _ in range(5):
        d = [env.unwrapped.data for env in theirs.envs]
        ours.set_attr("qpos", np.array([x.qpos for x in d]), range(3))
        ours.set_attr("qvel", np.array([x.qvel for x in d]), range(3))
        ours.worlds.before.qpos[...] = [x.qpos for x in d]
        actions = rng.uniform(-1, 1, (3, 2)).astype(np.float32)
        have, want = ours.step(actions), theirs.step(actions)
        assert np.allclose(have[0], want[0], rtol=tolerance, atol=tolerance)
        assert np.allclose(have[1], want[1], rtol=1e-4, atol=1e-4)
        assert np.array_equal(have[2], want[2])
        assert have[1].dtype == want[1].dtype
        assert {info["TimeLimit.truncated"] for info in have[3]} == {info["TimeLimit.truncated"] for info in want[3]}


def test_ends_are_told(reach, backend):
    env = VecEnv(reach(), 4, backend=backend, nthread=1)
    first = env.reset()
    # the second world is beyond the end; the others reach the time limit after ten steps
    env.set_attr("qpos", np.full((1, 1), 2.5, env.worlds.batch.dtype), 1)
    observation, reward, done, infos = env.step(np.zeros((4, 1), np.float32))
    assert done.tolist() == [False, True, False, False]
    assert infos[1]["terminal_observation"][0] == pytest.approx(2.5)
    assert infos[1]["far"] == pytest.approx(1.5)
    assert not infos[1]["TimeLimit.truncated"]
    assert abs(observation[1, 0]) <= 0.1 and "terminal_observation" not in infos[0]
    assert env.told["far"].shape == (4,)
    for _ in range(9):
        observation, reward, done, infos = env.step(np.full((4, 1), 0.5, np.float32))
    assert done.tolist() == [True, False, True, True]
    assert infos[0]["TimeLimit.truncated"]
    assert infos[0]["terminal_observation"][0] > first[0, 0]
    assert reward.dtype == np.float32


def test_seeds_begin_anew(reach):
    env, runs = VecEnv(reach(), 3, backend="cpu", nthread=1), []
    for seed in (5, 5, 6):
        env.seed(seed)
        runs.append(np.concatenate([env.reset(), env.reset()]))
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    # initial states differ between episodes and between worlds
    assert len(np.unique(runs[0][:, 0])) == 6


def test_attributes_and_methods(reach, backend):
    task = reach()
    env = VecEnv(task, 3, backend=backend, nthread=1)
    env.reset()
    assert env.get_attr("limit") == [10] * 3
    assert env.get_attr("limit", [0, 2]) == [10] * 2
    env.set_attr("qvel", np.array([[7.0]], env.worlds.batch.dtype), [1])
    assert [row.tolist() for row in env.get_attr("qvel")] == [[0.0], [7.0], [0.0]]
    env.set_attr("limit", 5)
    assert task.limit == 5
    with pytest.raises(ValueError, match="limit.*all of them"):
        env.set_attr("limit", 6, [0])
    with pytest.raises(AttributeError, match="nobody"):
        env.get_attr("nobody")
    assert not env.has_attr("nobody") and env.has_attr("qpos")
    env.set_attr("qpos", np.array([[-1.0], [0.5], [1.5]], env.worlds.batch.dtype))
    env.worlds.batch.forward()
    assert env.env_method("beyond", 0.0) == [False, True, True]
    assert env.env_method("beyond", x=1.0, indices=[2]) == [True]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    env.set_options({"anything": 1})
    with pytest.raises(ValueError, match="no reset options"):
        env.reset()
    env.close()


def test_a_task_is_given_by_itself_too():
    env = VecEnv(InvertedPendulum(), 2, backend="cpu", nthread=1)
    assert env.reset().shape == (2, 4)
    with pytest.raises(ValueError, match="rgb_array"):
        VecEnv(InvertedPendulum(), 2, render_mode="human")
