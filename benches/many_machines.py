#!/usr/bin/env python3
"""Cost of worlds in other processes through Ray, and an estimate for many machines.

    pip install ./python "gymnasium[mujoco]" ray
    python3 benches/many_machines.py HalfCheetah-v5 --machines 100 --cores 16

Medians of the wall time of calls: other work on the machine counts. Control steps are also given in processor time, of one thread in this process.
The estimate combines measured parts: control steps of a core, the driver's work for each call, one after the other, and
bytes over a network of --gigabits. It ignores that some machines are slower than others.
"""
import argparse
import statistics
import time

import numpy as np
import ray

from manyworlds import tasks


def policy(rows, columns, hidden=64):
    """Weights of two hidden layers."""
    return [np.zeros(shape, np.float32) for shape in [(rows, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, columns), (columns,)]]


class Actor:
    """An actor with a batch of worlds."""

    def __init__(self, task, worlds):
        self.env = tasks.make(task, worlds, nthread=1, autoreset_mode="SameStep")
        self.env.reset(seed=0)
        self.env.action_space.seed(0)
        self.action = self.env.action_space.sample()

    def nothing(self, weights):
        """An empty call."""
        return len(weights)

    def returns(self, weights, steps):
        """Makes control steps; returns the return of each world."""
        total = np.zeros(self.env.num_envs)
        for _ in range(steps):
            total += self.env.step(self.action)[1]
        return total

    def trajectories(self, weights, steps):
        """Makes control steps; returns observations, actions, rewards and ends, one array each."""
        rows = []
        for _ in range(steps):
            seen, reward, terminated, truncated, _ = self.env.step(self.action)
            rows.append((seen, self.action, reward.astype(np.float32), terminated | truncated))
        return [np.stack(part) for part in zip(*rows)]

    def clock(self, steps):
        """Seconds of processor time of some control steps."""
        start = time.process_time()
        self.returns([], steps)
        return time.process_time() - start


def seconds(call, often):
    """The median wall time of a call."""
    took = []
    for _ in range(often):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("task", nargs="?", default="HalfCheetah-v5")
    p.add_argument("--worlds", type=int, default=512, help="of an actor")
    p.add_argument("--often", type=int, default=7, help="calls of which the median is told")
    p.add_argument("--machines", type=int, default=100)
    p.add_argument("--cores", type=int, default=16, help="of a machine")
    p.add_argument("--steps", type=int, default=64, help="control steps of a call, in the estimate")
    p.add_argument("--gigabits", type=float, default=10.0, help="a second, of the driver's network")
    a = p.parse_args()
    here = Actor(a.task, a.worlds)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    actors = [ray.remote(num_cpus=1)(Actor).remote(a.task, a.worlds) for _ in range(2)]
    one, width = actors[0], here.env.single_observation_space.shape[0]
    weights = ray.put(policy(width, here.action.shape[1]))
    ask = lambda name, *more: ray.get(getattr(one, name).remote(weights, *more))  # noqa: E731
    ask("returns", 1), here.clock(1)

    empty = seconds(lambda: ask("nothing"), 200)
    print(f"an empty call: {1e3 * empty:.2f} ms")
    print(f"ray.put of a policy: {1e3 * seconds(lambda: ray.put(policy(width, here.action.shape[1])), 100):.2f} ms")
    queue = seconds(lambda: ray.get([actors[k % 2].nothing.remote(weights) for k in range(a.machines)]), 20) / a.machines
    print(f"{a.machines} calls at a time, each: {1e3 * queue:.2f} ms")
    step = statistics.median(here.clock(32) / 32 for _ in range(a.often))
    print(f"a control step of {a.worlds} worlds: {1e3 * step:.2f} ms of a core ({a.worlds / step / 1e3:.0f} k a second)")
    print("\n| control steps of a call | in this process | an actor, returns | an actor, trajectories | two actors, trajectories | bytes |")
    print("|---:|---:|---:|---:|---:|---:|")
    for steps in (1, 4, 16, 64, 256):
        size = sum(part.nbytes for part in here.trajectories([], steps))
        calls = [
            lambda: here.returns([], steps),
            lambda: ask("returns", steps),
            lambda: ask("trajectories", steps),
            lambda: ray.get([actor.trajectories.remote(weights, steps) for actor in actors]),
        ]
        took = [seconds(call, a.often) for call in calls]
        print(f"| {steps} | " + " | ".join(f"{1e3 * x:.1f} ms" for x in took) + f" | {size / 1e6:.2f} MB |", flush=True)

    tiles = a.steps * step
    sizes = {"returns": here.returns([], 1).nbytes, "trajectories": a.steps * sum(part.nbytes for part in here.trajectories([], 1))}
    for name, size in sizes.items():
        back = size * a.cores
        serial = a.machines * (queue + back / (a.gigabits * 1e9 / 8))
        whole = tiles + empty + serial
        rate = a.machines * a.cores * a.worlds * a.steps / whole
        print(
            f"\n{a.machines} machines of {a.cores} cores, {a.steps} control steps of {a.worlds * a.cores} worlds a call, {name} back: "
            f"{1e3 * tiles:.0f} ms of steps, {1e3 * serial:.0f} ms at the driver ({back * a.machines / 1e6:.0f} MB): "
            f"{rate / 1e6:.0f} M control steps a second, {100 * tiles / whole:.0f} % of what the cores make",
            end="",
        )
    print()


if __name__ == "__main__":
    main()
