"""Joystick tasks against MuJoCo Playground's own: the same state, memory and action give the same observation, reward and end of the episode."""

import importlib.util

import numpy as np
import pytest

pytest.importorskip("gymnasium")
mujoco = pytest.importorskip("mujoco")
if importlib.util.find_spec("mujoco_playground") is None:
    pytest.skip("MuJoCo Playground is not installed", allow_module_level=True)
from originals import Original  # noqa: E402

from manyworlds import tasks  # noqa: E402
from manyworlds.task import Worlds  # noqa: E402
from manyworlds.tasks import joystick  # noqa: E402
from manyworlds.tasks.playground import TASKS  # noqa: E402

TOLERANCE = {"cpu": 1e-11, "simd": 1e-3}
STEPS = 60
EVER = 10**6
# memories that the test sets in every step, so that commands do not change, and a memory that nothing reads
KICKS = {"since_kick", "kicking", "kick_way"}
ANEW = {"steps_until_next_cmd", "step", "push_step", "last_last_act", "motor_targets", "push"}


def configured(robot, terms):
    """Applies the original's changes of the model, and the weights of the reward terms."""

    def configure(model, config):
        config.reward_config["scales"] = dict(terms)
        if robot == "go1":
            config.pert_config["enable"], model.opt.ccd_iterations = True, 20
            model.dof_damping[6:], model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1] = config.Kd, config.Kp, -config.Kp
        else:
            config.push_config["enable"] = False

    return configure


def original(task, terms):
    return Original(task.name, *joystick.files(task.name, task.scene), configured(task.name, terms))


def remembered(s, robot):
    """The original's memory, filled from the last world before a step."""
    shared = {"rng": 0, "command": s.command[-1], "last_act": s.last_act[-1], "last_last_act": s.last_act[-1]}
    feet = {"feet_air_time": s.air_time[-1], "last_contact": s.touched[-1] > 0, "swing_peak": s.swing_peak[-1]}
    if robot == "go1":
        kicks = {"pert_duration_seconds": s.kick_time, "pert_steps": s.kicking, "steps_since_last_pert": s.since_kick, "pert_mag": s.kick_speed}
        times = {"steps_until_next_pert": s.until_kick[-1], "pert_duration": np.round(s.kick_time[-1] / s.dt)}
        way = {"pert_dir": np.append(s.kick_way[-1], 0)}
        own = {"steps_until_next_cmd": EVER, **{name: rows[-1] for name, rows in kicks.items()}, **times, **way}
    else:
        own = {"step": 0, "push_step": 0, "push_interval_steps": EVER, "phase": s.phase[-1], "phase_dt": s.phase_dt[-1:]}
    return {name: np.array(x, float if np.asarray(x).dtype.kind == "f" else None) for name, x in {**shared, **feet, **own}.items()}


def hand_over(original, s):
    """Copies the original's state into the last world."""
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(s, name)[-1] = getattr(original.data, name)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_step_is_the_originals(name, backend):
    kind, options = TASKS[name]
    # gives every reward term a weight
    terms = {term: scale or -0.01 for term, scale in kind.scales.items()}
    task = kind(terms, noise=0.0, **options)
    task.set({"pushes": False, "every": EVER} if kind.name == "g1" else {"kicks": True})
    worlds = Worlds(task, 2, backend=backend, nthread=1)
    worlds.reset(np.ones(2, bool))
    s, env, rng, ended, landed = worlds.s, original(task, terms), np.random.default_rng(3), 0, 0
    pushed = 0
    s.qacc_warmstart  # noqa: B018
    begin = s.qpos[-1].copy(), s.qvel[-1].copy()
    env.data.qpos[:], env.data.qvel[:] = begin
    s.command[-1], info = [0.7, -0.2, 0.4], {}
    if kind.name == "go1":
        s.until_command[-1], s.until_kick[-1], s.kick_time[-1], s.kick_speed[-1] = EVER, 8, 0.1, 3
    for k in range(STEPS):
        hand_over(env, s)
        action = np.clip(0.4 * rng.standard_normal(s.nu), -1, 1).astype(np.float32)
        # a control step updates the memories at its start, the original after its physics steps
        held = {field: getattr(s, field).copy() for field in task.memory}
        worlds.task.act(s, np.tile(action, (2, 1)))
        for field in KICKS & held.keys():
            getattr(s, field)[...] = held[field]
        known, info = info, remembered(s, kind.name)
        for field in known.keys() - ANEW:
            assert np.allclose(info[field], known[field], atol=TOLERANCE[backend]), (k, field)
        for field, rows in held.items():
            getattr(s, field)[...] = rows
        want, reward, done, metrics = env.step(info, action.astype(float))
        pushed += np.abs(env.data.xfrc_applied).max() > 1
        have_reward, terminated, _, told = worlds.step(np.tile(action, (2, 1)))
        have, seen = worlds.observe()[-1], np.concatenate([want["state"], want["privileged_state"]])
        error = np.abs(have - seen) / (1 + np.abs(seen))
        assert error.max() < TOLERANCE[backend], f"step {k}: observation {error.argmax()} is off by {error.max()}"
        for term, rows in told.items():
            assert rows[-1] == pytest.approx(float(np.squeeze(metrics[term])), rel=TOLERANCE[backend], abs=TOLERANCE[backend]), (k, term)
        assert have_reward[-1] == pytest.approx(reward, rel=TOLERANCE[backend], abs=TOLERANCE[backend])
        assert len(told) == len(terms) and terminated[-1] == done
        ended, landed = ended + done, landed + s.landed[-1].sum()
        if done:
            env.data.qpos[:], env.data.qvel[:], env.data.qacc_warmstart[:] = *begin, 0
        if kind.name == "go1" and s.kick_way[-1].any():
            # the direction that the original draws here
            s.kick_way[-1] = [-1, 0]
    assert landed > 0 and (pushed > 10) == (kind.name == "go1")


def steps(name, n, k, **arguments):
    env = tasks.make(name, n, arguments, backend="simd", nthread=1, autoreset_mode="SameStep")
    seen = [env.reset(seed=4)[0]]
    for _ in range(k):
        # the episode of the last world ends
        env.worlds.elapsed[-1] = 1000 if n == 5 and len(seen) == 4 else env.worlds.elapsed[-1]
        seen.append(env.step(np.full(env.action_space.shape, 0.3, np.float32))[0])
    return np.array(seen), env.worlds


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_world_does_not_depend_on_how_many_there_are(name):
    (few, _), (many, worlds) = steps(name, 2, 8), steps(name, 5, 8)
    assert np.array_equal(few, many[:, :2]) and len(np.unique(many[0], axis=0)) == 5
    assert worlds.s.moves.max() == 8 and worlds.s.moves[-1] == 4


def test_sensors_are_noisy():
    (noisy, worlds), (exact, _) = steps("Go1JoystickFlatTerrain-v0", 200, 1), steps("Go1JoystickFlatTerrain-v0", 200, 1, noise=0.0)
    part = worlds.parts()["state"]
    off = (noisy - exact)[:, :, part]
    widths = np.concatenate([np.repeat([0.1, 0.2, 0.05, 0.03, 1.5], [3, 3, 3, 12, 12]), np.zeros(15)])
    assert (np.abs(off) <= widths * (1 + 1e-5)).all()
    assert np.allclose(off.std(axis=(0, 1)), widths / 3**0.5, rtol=0.15)
    # the noise differs between steps; the privileged state has none except in the part `state`
    assert not np.allclose(off[0], off[1], atol=1e-3)
    assert np.array_equal(noisy[:, :, part.stop + part.stop :], exact[:, :, part.stop + part.stop :])


def test_commands_change_and_robots_are_pushed():
    env = tasks.make("G1JoystickFlatTerrain-v0", 400, {"every": 3, "push_interval_range": (0.1, 0.1)}, backend="simd", nthread=1)
    env.reset(seed=0)
    s, told, seen = env.worlds.s, [], []
    first = s.command.copy()
    standing = (first == 0).all(axis=1)
    assert 0.05 < standing.mean() < 0.15 and (np.abs(first) <= [1, 0.5, 1]).all() and first.min(axis=0).max() < -0.4
    for _ in range(6):
        before = s.qvel[:, :2].copy()
        env.worlds.task.act(s, np.zeros((400, 29), np.float32))
        seen.append(np.linalg.norm(s.qvel[:, :2] - before, axis=1))
        told.append(s.command.copy())
        s.moves += 1
    changed = [not np.array_equal(a, b) for a, b in zip([first, *told], told)]
    assert changed == [False, False, False, False, True, False]
    assert [push.any() for push in seen] == [False] * 4 + [True, False]
    assert 0.1 <= seen[4].min() and seen[4].max() <= 2.0001


def test_go1_is_told_otherwise_every_five_seconds():
    task = TASKS["Go1JoystickFlatTerrain-v0"][0]()
    worlds = Worlds(task, 500, backend="simd", nthread=1)
    worlds.reset(np.ones(500, bool))
    s = worlds.s
    assert 4.3 < s.until_command.mean() * s.dt < 5.7
    assert (np.abs(s.command) <= [1.5, 0.8, 1.2]).all() and np.abs(s.command).max(axis=0).min() > 0.7
    before = s.command.copy()
    s.moves[:] = 1
    s.until_command[:250], s.until_command[250:] = 1, 100
    task.act(s, np.zeros((500, 12), np.float32))
    assert np.array_equal(s.command[250:], before[250:]) and (s.until_command[250:] == 99).all()
    changed = s.command[:250] != before[:250]
    # half of the commands change, to 0 with the probability 1 - `often`
    assert (np.abs(changed.mean(axis=0) - 0.5) < 0.12).all()
    still = ((s.command[:250] == 0) & changed).sum(axis=0) / changed.sum(axis=0)
    assert np.allclose(still, [0.1, 0.75, 0.5], atol=0.15)


def test_what_only_a_critic_may_know_can_be_left_out():
    env = tasks.make("Go1JoystickFlatTerrain-v0", 2, {"privileged": False}, backend="cpu", nthread=1)
    assert env.reset(seed=0)[0].shape == (2, 48)
    assert (env.single_action_space.low == -1).all() and env.single_action_space.shape == (12,)


def test_terms_that_are_not_there_are_told():
    with pytest.raises(TypeError, match="no reward term 'speed': there are tracking_lin_vel"):
        tasks.find("Go1JoystickFlatTerrain-v0", scales={"speed": 1.0})


def test_a_package_that_is_missing_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    joystick.folder.cache_clear()
    with pytest.raises(ImportError, match="pip install --no-deps playground"):
        joystick.folder()
