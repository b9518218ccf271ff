"""Tasks against Gymnasium's own: the same state and action give the same observation, reward and end of the episode."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402

import manyworlds as mw  # noqa: E402
from manyworlds import tasks  # noqa: E402
from manyworlds.gym import VectorEnv  # noqa: E402
from manyworlds.tasks.mujoco_v5 import TASKS, Hopper  # noqa: E402

mujoco = pytest.importorskip("mujoco")
STATE = mujoco.mjtState.mjSTATE_INTEGRATION
TOLERANCE = {"cpu": 1e-12, "simd": 5e-4}
STEPS = 60


def swing(name, state, action, observation):
    """Change of Gymnasium's own observation when the state changes by its last bit: no other implementation can be closer."""
    twin, rng, most = gymnasium.make(name), np.random.default_rng(0), 0.0
    twin.reset()
    for _ in range(20):
        near = np.nextafter(state, rng.choice([-np.inf, np.inf], state.shape))
        mujoco.mj_setState(twin.unwrapped.model, twin.unwrapped.data, near, STATE)
        moved = twin.step(action)[0]
        most = max(most, np.max(np.abs(moved - observation) / (1 + np.abs(observation))))
    return most


def hand_over(original, world, s, k):
    """Copies Gymnasium's state into world k."""
    d = original.unwrapped.data
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(s, name)[k] = getattr(d, name)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_step_is_the_originals(name, backend):
    original = gymnasium.make(name)
    env = tasks.make(name, 2, backend=backend, autoreset_mode=AutoresetMode.DISABLED)
    assert env.single_observation_space.shape == original.observation_space.shape
    assert np.array_equal(env.single_action_space.low, original.action_space.low)
    worlds = env.worlds
    s = worlds.s
    # binds the live array, so that every call takes its contents
    s.qacc_warmstart  # noqa: B018
    original.reset(seed=3)
    env.reset(seed=3)
    rng, unsteady = np.random.default_rng(4), 0
    mj = original.unwrapped.model, original.unwrapped.data
    for k in range(STEPS):
        hand_over(original, worlds, s, 1)
        state = np.empty(mujoco.mj_stateSize(mj[0], STATE))
        mujoco.mj_getState(*mj, state, STATE)
        # `before` also has derived arrays; Gymnasium's belong to the state before the last step
        for field in worlds.task.before:
            getattr(worlds.before, field)[1] = getattr(original.unwrapped.data, field)
        action = rng.uniform(original.action_space.low, original.action_space.high).astype(np.float32)
        obs, reward, terminated, *_ = original.step(action)
        have, rewards, ends, over, _ = env.step(np.stack([action, action]))
        scale = 1 + np.abs(obs)
        e = np.max(np.abs(have[1] - obs) / scale)
        if backend == "cpu" and e >= TOLERANCE[backend] and swing(name, state, action, obs) > 0.1 * e:
            unsteady += 1
            continue
        assert e < TOLERANCE[backend], f"{name} step {k}: observation {np.argmax(np.abs(have[1] - obs) / scale)} is off by {e}"
        assert rewards[1] == pytest.approx(reward, rel=10 * TOLERANCE[backend], abs=10 * TOLERANCE[backend]), (name, k)
        assert ends[1] == terminated
        if terminated:
            original.reset()
        if (ends | over).any():
            env.reset(options={"reset_mask": ends | over})
    assert unsteady <= 1


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episodes_begin_again(mode):
    env = tasks.make("InvertedPendulum-v5", 4, backend="cpu", autoreset_mode=mode, arguments={"limit": 5})
    obs, _ = env.reset(seed=1)
    lengths, ends = np.zeros(4, int), 0
    for _ in range(40):
        obs, reward, terminated, truncated, info = env.step(np.zeros((4, 1), np.float32))
        done = terminated | truncated
        ends += done.sum()
        assert np.isfinite(obs).all()
        if mode == AutoresetMode.SAME_STEP and done.any():
            assert np.array_equal(info["_final_obs"], done)
            assert (info["final_obs"][done] != obs[done]).any()
        if mode == AutoresetMode.DISABLED and done.any():
            with pytest.raises(ValueError, match="reset_mask"):
                env.step(np.zeros((4, 1), np.float32))
            obs, _ = env.reset(options={"reset_mask": done})
        lengths = np.where(done, 0, lengths + 1)
        assert (lengths <= 6).all()
    assert ends >= 4 * 5


# Pusher repeats draws of the place until it is far enough from the goal
@pytest.mark.parametrize("name", ["Hopper-v5", "Pusher-v5"])
def test_a_world_does_not_depend_on_how_many_there_are(name):
    runs = []
    for n in (3, 40):
        env = tasks.make(name, n, backend="cpu", autoreset_mode=AutoresetMode.SAME_STEP)
        obs, _ = env.reset(seed=7)
        seen = [obs[:3]]
        for k in range(60):
            obs, *_ = env.step(np.full(env.action_space.shape, 0.9 * (-1) ** (k // 7), np.float32))
            seen.append(obs[:3])
        runs.append(np.array(seen))
    assert np.array_equal(*runs)


def test_batches_hold_parts_of_the_same_worlds(backend):
    class Heavy(Hopper):
        randomize = {"body_mass": mw.scaled(0.5, 2.0)}

    def steps(n, first):
        env = VectorEnv(Heavy(), n, first=first, backend=backend, nthread=1, autoreset_mode="SameStep")
        seen = [env.reset(seed=7)[0]]
        for _ in range(60):
            seen.append(env.step(np.full(env.action_space.shape, 0.9, np.float32))[0])
        return np.array(seen), env.worlds.episode

    (seen, episodes), (part, parts) = steps(6, 0), steps(4, 2)
    assert np.array_equal(seen[:, 2:], part) and np.array_equal(episodes[2:], parts)
    assert episodes.max() > 2 and not np.array_equal(seen[:, :4], part)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_world_does_not_see_that_others_begin_again(mode):
    runs = []
    for early in (False, True):
        # the observation has positions of bodies and of the target: derived arrays, which a reset recomputes
        env = tasks.make("Reacher-v5", 3, backend="cpu", autoreset_mode=mode)
        obs, _ = env.reset(seed=7)
        seen, over = [obs[:2]], np.zeros(3, bool)
        for k in range(12):
            if early and k == 4:
                env.worlds.elapsed[2] = env.worlds.task.limit
            obs, _, _, over, _ = env.step(np.full((3, 2), 0.9 * (-1) ** (k // 3), np.float32))
            if mode == AutoresetMode.DISABLED and over.any():
                obs, _ = env.reset(options={"reset_mask": over})
            seen.append(obs[:2])
        runs.append(np.array(seen))
    assert np.array_equal(*runs)


def test_gymnasium_knows_the_tasks():
    env = gymnasium.make_vec("manyworlds/HalfCheetah-v5", num_envs=8)
    obs, _ = env.reset(seed=0)
    assert obs.shape == (8, 17)
    obs, reward, *_ = env.step(env.action_space.sample())
    assert reward.shape == (8,)
    env.close()


def test_options_of_a_task_are_checked():
    with pytest.raises(TypeError, match="no option 'helthy'"):
        tasks.make("Ant-v5", 1, arguments={"helthy": 1})


def test_a_task_that_is_not_there_is_told_with_one_that_is():
    with pytest.raises(KeyError, match="did you mean HalfCheetah-v5"):
        tasks.make("manyworlds/HalfCheeta-v5")
