#!/usr/bin/env python3
"""Control steps a second of processor time, ours beside Gymnasium's own environments and MuJoCo's batch, in turn.

    pip install ./python "gymnasium[mujoco]" mujoco==4.0.0
    python3 benches/environments.py HalfCheetah-v5 Ant-v5 Humanoid-v5

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
    m = gymnasium.make(name).unwrapped
    batch = mujoco.batch.Batch(m.model, worlds, 1)
    ctrl, _ = batch.bind("ctrl"), batch.bind("qpos")
    actions = np.random.default_rng(0).uniform(-1, 1, (64, worlds, m.model.nu))
    turn = iter(range(10**12))

    def step():
        ctrl[:] = actions[next(turn) % 64]
        batch.step(nstep=m.frame_skip)

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
    print("| task | Gymnasium | mujoco.batch, 64 | ours, cpu, 1 | ours, cpu, 64 | ours, simd, 1024 | ours / best of theirs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in a.tasks:
        runs = [gymnasiums(name), batches(name), ours(name, "cpu", 1), ours(name, "cpu", 64), ours(name, "simd", 1024)]
        rounds = [[rate(*run, a.seconds) for run in runs] for _ in range(a.rounds)]
        rates = [statistics.median(column) for column in zip(*rounds)]
        told = " | ".join(f"{x / 1e3:.1f} k" for x in rates)
        print(f"| {name} | {told} | {max(rates[3:]) / max(rates[:2]):.1f} x |", flush=True)


if __name__ == "__main__":
    main()
