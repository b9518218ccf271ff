#!/usr/bin/env python3
"""Measures environments and the common alternatives, in turn in one run; writes the tables of docs/python.md.

    python/wheel.sh && pip install target/wheels/*.whl "gymnasium[mujoco]" dm_control mujoco==4.0.0 envpool && pip install --no-deps playground
    python3 benches/env_side_by_side.py --wheel target/wheels/*.whl --write docs/python.md
    python3 benches/env_side_by_side.py --tables speed cheetah-run-v0 walker-walk-v0 humanoid-walk-v0

Every figure is the median of --rounds rounds; in a round each runs in turn on one thread. Times are processor time, so that other work on the
machine does not count. Random actions; resets included. `mujoco.batch` and `mujoco.rollout` step the same models with the same actions, without
observations, rewards and resets: they are upper bounds for environments built on them. Packages that are not installed give a dash.
"""
import argparse
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import time

# one thread for libraries that multiply matrices
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import gymnasium
import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np

import manyworlds as mw
from manyworlds import tasks
from manyworlds.tasks import dm_control, playground
from side_by_side import ROOT, replaced, row

TASKS = ["HalfCheetah-v5", "Ant-v5", "Humanoid-v5", "Go1JoystickFlatTerrain-v0", "G1JoystickFlatTerrain-v0"]
TABLES = ["speed", "one", "overhead", "share", "wheel"]
WORLDS = 64


def cost(step, seconds):
    """Processor time of a step."""
    step()
    count, start = 0, time.process_time()
    while (took := time.process_time() - start) < seconds:
        step()
        count += 1
    return took / count


def costs(a, steps):
    """Medians of the processor times of several steps, measured in turn."""
    rounds = [[cost(step, a.seconds) for step in steps] for _ in range(a.rounds)]
    return [statistics.median(column) for column in zip(*rounds)]


def thousands(rate):
    return f"{rate / 1e3:.1f} k"


def turns(rows):
    """Endlessly repeated rows."""
    count = 0
    while True:
        yield rows[count % len(rows)]
        count += 1


def suites(name):
    """dm_control's environment of a task; arrays that MuJoCo 4.0 no longer has are removed from its tables."""
    from dm_control.mujoco.wrapper.mjbindings import sizes

    for struct, kind in (("mjmodel", mujoco.MjModel), ("mjdata", mujoco.MjData)):
        for gone in [field for field in sizes.array_sizes[struct] if not hasattr(kind, field)]:
            del sizes.array_sizes[struct][gone]
    from dm_control import suite

    return suite.load(*name.removesuffix("-v0").split("-"), task_kwargs={"random": 0})


def is_of_suite(name):
    return name in dm_control.TASKS


def is_of_playground(name):
    return name in playground.TASKS


def original(name):
    """A function that makes a control step of the original, one world; None for originals on JAX."""
    if is_of_playground(name):
        return None
    if not is_of_suite(name):
        return gymnasiums(name)
    env, rng = suites(name), np.random.default_rng(0)
    env.reset()
    spec = env.action_spec()
    actions = turns(rng.uniform(spec.minimum, spec.maximum, (64, *spec.shape)))

    def step():
        if env.step(next(actions)).last():
            env.reset()

    return step


def gymnasiums(name, **arguments):
    env = gymnasium.make(name, **arguments)
    env.reset(seed=0)
    actions = turns([env.action_space.sample() for _ in range(64)])

    def step():
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()

    step.env = env
    return step


def compiled(name):
    """The model of a task, its physics steps per action, and actions of many worlds."""
    if is_of_suite(name):
        env = suites(name)
        model, skip = env.physics.model.ptr, env._n_sub_steps
    else:
        env = gymnasium.make(name).unwrapped
        model, skip = env.model, env.frame_skip
    low, high = np.where(model.actuator_ctrllimited == 1, model.actuator_ctrlrange.T, [[-1], [1]])
    return model, skip, np.random.default_rng(0).uniform(low, high, (64, WORLDS, model.nu))


def batches(name):
    """A function that makes a control step of mujoco.batch; None if actions are not controls."""
    if is_of_playground(name):
        return None
    model, skip, actions = compiled(name)
    batch, actions = mujoco.batch.Batch(model, WORLDS, 1), turns(actions)
    ctrl, _ = batch.bind("ctrl"), batch.bind("qpos")

    def step():
        ctrl[:] = next(actions)
        batch.step(nstep=skip)

    return step


def rollouts(name):
    """A function that makes a control step of mujoco.rollout, from states to later states; None if actions are not controls."""
    if is_of_playground(name):
        return None
    model, skip, actions = compiled(name)
    data, spec = mujoco.MjData(model), mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, start, spec)
    states, actions, run = np.tile(start, (WORLDS, 1)), turns(actions), mujoco.rollout.Rollout(nthread=0)

    def step():
        control = np.repeat(next(actions)[:, None], skip, axis=1)
        behind, _ = run.rollout(model, [data], states, control, nstep=skip)
        states[...] = behind[:, -1]

    return step


def envpools(name):
    """A function that makes a control step of EnvPool's environments; None if EnvPool lacks the task."""
    if importlib.util.find_spec("envpool") is None or is_of_suite(name):
        return None
    import envpool

    env = envpool.make(name.replace("-v0", "-v1"), env_type="gymnasium", num_envs=WORLDS, num_threads=1, seed=0)
    env.reset()
    space = env.action_space
    actions = turns(np.random.default_rng(0).uniform(space.low, space.high, (64, WORLDS, *space.shape)))
    return lambda: env.step(next(actions))


def single(name, frame_skip=None):
    """A function that makes a control step of a single environment of manyworlds, with `frame_skip` physics steps if given."""
    step = gymnasiums(f"manyworlds/{name}", nthread=1)
    if frame_skip is not None:
        step.env.unwrapped.worlds.task.frame_skip = frame_skip
    return step


def ours(name, backend, worlds):
    """A function that makes a control step of manyworlds' environments."""
    env = tasks.make(name, worlds, backend=backend, nthread=1, autoreset_mode="SameStep")
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = turns([env.action_space.sample() for _ in range(8)])
    return lambda: env.step(next(actions))


def speed(a):
    """Table of control steps per second of one thread."""
    header = row("task", "original", "EnvPool, 64", "`mujoco.rollout`, 64", "`mujoco.batch`, 64", "ours, `cpu`, 64", "ours, `simd`, 1024", "beside the best")
    out = [header, "|---|" + "---:|" * 7]
    for name in a.tasks:
        theirs = [(original(name), 1), (envpools(name), WORLDS), (rollouts(name), WORLDS), (batches(name), WORLDS)]
        runs = [*theirs, (ours(name, "cpu", WORLDS), WORLDS), (ours(name, "simd", 1024), 1024)]
        there = [(step, worlds) for step, worlds in runs if step]
        took = iter(costs(a, [step for step, _ in there]))
        rates = [worlds / next(took) if step else 0 for step, worlds in runs]
        told = [thousands(x) if x else "–" for x in rates]
        out.append(row(name, *told, f"{max(rates[4:]) / max(rates[:4]):.1f} ×"))
        print(out[-1], file=sys.stderr)
    return out


def one(a):
    """Table of the time of a control step of one environment."""
    out = [row("task, `gymnasium.make`", "original", "ours", "of it all but physics", "beside"), "|---|---:|---:|---:|---:|"]
    for name in [name for name in a.tasks if not is_of_playground(name)]:
        told = costs(a, [original(name), single(name), single(name, frame_skip=0)])
        out.append(row(name, *(f"{1e6 * x:.1f} µs" for x in told), f"{told[0] / told[1]:.2f} ×"))
        print(out[-1], file=sys.stderr)
    return out


def overhead(a):
    """Table of the overhead of Python on steps of many humanoids."""
    model = mw.Model.from_xml_path(ROOT / "models/humanoid.xml")
    rows = np.random.default_rng(0).uniform(-0.4, 0.4, (4096, model.nu)).astype(np.float32)
    # the first batch has live arrays for a policy; the second, of the extension module alone, has none and keeps its controls
    live, bare = mw.Batch(model, 4096, 1, backend="simd"), mw._core.Batch(model._core, 4096, "simd", "grow", 1, None, None, None, False, False)
    bare.write("ctrl", rows, None)
    ctrl, _, _ = live.bind("ctrl"), live.bind("qpos"), live.bind("qvel")
    out = [row("4096 humanoids", "`step` with live arrays", "steps alone", "added"), "|---|---:|---:|---:|"]
    for nstep in (5, 1):

        def step():
            ctrl[...] = rows
            live.step(nstep=nstep)

        pairs = []
        for _ in range(a.rounds):
            # both make the same steps from the same states
            live.reset(stage=0), bare.reset(None, None)
            bare.write("ctrl", rows, None)
            pairs.append((spent(step), spent(lambda: bare.step(nstep))))
        # the median round
        there, alone = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
        out.append(row(f"{nstep} steps a call", f"{1e3 * there:.1f} ms", f"{1e3 * alone:.1f} ms", f"{100 * (there / alone - 1):.1f} %"))
    return out


def spent(call, times=10):
    """Processor time per call, of some calls."""
    call()
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def share(a):
    """Table of the share of training time that is spent in environments."""
    sys.path.insert(0, str(ROOT / "python/examples"))
    import ppo

    # processor time instead of wall time
    ppo.time = type("Clock", (), {"perf_counter": time.process_time})
    out = [row("`python/examples/ppo.py`, one thread, 256 worlds", "control steps a second", "in environments"), "|---|---:|---:|"]
    for epochs, minibatches in [(5, 8), (10, 32)]:
        told = []
        line = f"{a.tasks[0]} --steps {256 * 64 * 2 * a.rounds} --threads 1 --epochs {epochs} --minibatches {minibatches}"
        ppo.learn(ppo.arguments(line.split()), tell=lambda text, **_: told.append(text.split()))
        steps, seconds, part = float(told[-1][0]), float(told[-1][2]), told[-1][4]
        out.append(row(f"{a.tasks[0]}, {epochs} epochs of {minibatches} minibatches", thousands(steps / seconds), f"{part} %"))
    return out


def wheel(a):
    """Table of the size of the wheel, and of the time to import it."""
    size = f"{a.wheel.stat().st_size / 1e6:.1f} MB" if a.wheel else "–"
    line = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    took = [
        [float(subprocess.run([sys.executable, "-c", line.format(name)], capture_output=True, text=True, check=True).stdout) for _ in range(2 * a.rounds)]
        for name in ("manyworlds", "numpy")
    ]
    ours, numpys = (statistics.median(x) for x in took)
    return [row("wheel", "import", "of it numpy's"), "|---:|---:|---:|", row(size, f"{ours:.3f} s", f"{numpys:.3f} s")]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tasks", nargs="*", default=TASKS)
    p.add_argument("--tables", default=",".join(TABLES), help="which of " + ", ".join(TABLES))
    p.add_argument("--seconds", type=float, default=1.0, help="of each in a round")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--wheel", type=pathlib.Path, help="whose size is told")
    p.add_argument("--write", type=pathlib.Path, help="file whose tables are written anew")
    return p.parse_args()


def main():
    a = arguments()
    for name in a.tables.split(","):
        lines = globals()[name](a)
        if a.write:
            a.write.write_text(replaced(a.write.read_text(), name, lines))
        else:
            print("\n".join([f"{name}:", *lines, ""]))


if __name__ == "__main__":
    main()
