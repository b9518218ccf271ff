#!/usr/bin/env python3
"""Control steps a second of processor time, ours beside Gymnasium's or dm_control's own environments and MuJoCo's batch, in turn.

    pip install ./python "gymnasium[mujoco]" dm_control mujoco==4.0.0
    python3 benches/environments.py HalfCheetah-v5 Ant-v5 Humanoid-v5
    python3 benches/environments.py cheetah-run-v0 walker-walk-v0 humanoid-walk-v0

Every figure is the median of five rounds; in a round each takes its turn on one thread. Random actions; resets included. `mujoco.batch` steps the
same models with the same actions, without observations, rewards and resets: it is the bound of what can be made of it.
"""
import argparse
import statistics
import time

import gymnasium
import mujoco
import mujoco.batch
import numpy as np

from manyworlds import tasks


def rate(step, worlds, seconds):
    """Control steps of all worlds a second of processor time."""
    step()
    count, start = 0, time.process_time()
    while (took := time.process_time() - start) < seconds:
        step()
        count += worlds
    return count / took


def suites(name):
    """dm_control's environment of a task; its tables name arrays that MuJoCo 4.0 has no more."""
    from dm_control.mujoco.wrapper.mjbindings import sizes

    for struct, kind in (("mjmodel", mujoco.MjModel), ("mjdata", mujoco.MjData)):
        for gone in [field for field in sizes.array_sizes[struct] if not hasattr(kind, field)]:
            del sizes.array_sizes[struct][gone]
    from dm_control import suite

    return suite.load(*name.removesuffix("-v0").split("-"), task_kwargs={"random": 0})


def is_of_suite(name):
    return name.endswith("-v0")


def theirs(name):
    """What makes one control step of the original, and how many worlds that is."""
    if not is_of_suite(name):
        return gymnasiums(name)
    env, rng = suites(name), np.random.default_rng(0)
    env.reset()
    spec = env.action_spec()
    actions = rng.uniform(spec.minimum, spec.maximum, (64, *spec.shape))
    turn = iter(range(10**12))

    def step():
        if env.step(actions[next(turn) % 64]).last():
            env.reset()

    return step, 1


def gymnasiums(name):
    env = gymnasium.make(name)
    env.reset(seed=0)
    actions = [env.action_space.sample() for _ in range(64)]
    turn = iter(range(10**12))

    def step():
        _, _, terminated, truncated, _ = env.step(actions[next(turn) % 64])
        if terminated or truncated:
            env.reset()

    return step, 1


def batches(name, worlds=64):
    if is_of_suite(name):
        env = suites(name)
        model, skip = env.physics.model.ptr, env._n_sub_steps
    else:
        env = gymnasium.make(name).unwrapped
        model, skip = env.model, env.frame_skip
    batch = mujoco.batch.Batch(model, worlds, 1)
    ctrl, _ = batch.bind("ctrl"), batch.bind("qpos")
    actions = np.random.default_rng(0).uniform(-1, 1, (64, worlds, model.nu))
    turn = iter(range(10**12))

    def step():
        ctrl[:] = actions[next(turn) % 64]
        batch.step(nstep=skip)

    return step, worlds


def ours(name, backend, worlds):
    env = tasks.make(name, worlds, backend=backend, nthread=1, autoreset_mode="SameStep")
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(8)]
    turn = iter(range(10**12))
    return lambda: env.step(actions[next(turn) % 8]), worlds


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tasks", nargs="+")
    p.add_argument("--seconds", type=float, default=1.0, help="of each in a round")
    p.add_argument("--rounds", type=int, default=5)
    a = p.parse_args()
    print("| task | original | mujoco.batch, 64 | ours, cpu, 1 | ours, cpu, 64 | ours, simd, 1024 | ours / best of theirs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in a.tasks:
        runs = [theirs(name), batches(name), ours(name, "cpu", 1), ours(name, "cpu", 64), ours(name, "simd", 1024)]
        rounds = [[rate(*run, a.seconds) for run in runs] for _ in range(a.rounds)]
        rates = [statistics.median(column) for column in zip(*rounds)]
        told = " | ".join(f"{x / 1e3:.1f} k" for x in rates)
        print(f"| {name} | {told} | {max(rates[3:]) / max(rates[:2]):.1f} x |", flush=True)


if __name__ == "__main__":
    main()
