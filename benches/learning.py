#!/usr/bin/env python3
"""Learning curves of `python/examples/ppo.py` on Gymnasium's tasks, here and on Gymnasium's own environments; writes the table of docs/python/learning.md.

    python/wheel.sh && pip install target/wheels/*.whl "gymnasium[mujoco]" matplotlib
    python3 benches/learning.py --write docs/python/learning.md --picture docs/python/learning.png

Each task is learnt once per seed here, and once on Gymnasium's SyncVectorEnv, with as many steps as fit into the same time. Everything else
is the same: the script, its settings and the number of environments. Each run is a process with one thread; times are its processor
time, so that other work on the machine does not count.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from side_by_side import ROOT, replaced, row

STEPS = {"HalfCheetah-v5": 2_500_000, "Ant-v5": 2_500_000, "Humanoid-v5": 2_500_000}
OURS, THEIRS = "manyworlds", "Gymnasium"
# updates from which the time of a step is estimated
TRIAL = 4


def main():
    a = arguments()
    if a.run:
        return run(a)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        told = pool.map(functools.partial(curves, a), a.tasks)
        runs = [(task, *curve) for task, some in zip(a.tasks, told) for curve in some]
    lines = table(runs)
    if a.write:
        a.write.write_text(replaced(a.write.read_text(), "learning", lines))
    else:
        print("\n".join(lines))
    if a.picture:
        draw(runs, a.tasks, a.picture)


def curves(a, task):
    """The curves of a task: the side, the seed, and (steps, seconds, return) after each update."""
    ours = [learnt(task, OURS, seed, STEPS[task]) for seed in range(1, a.seeds + 1)]
    seconds = statistics.median(curve[-1][1] for curve in ours)
    update = 256 * 64
    trial = learnt(task, THEIRS, 1, TRIAL * update)
    fit = int(seconds / trial[-1][1] * TRIAL) * update
    theirs = learnt(task, THEIRS, 1, fit)
    return [*((OURS, seed, curve) for seed, curve in enumerate(ours, 1)), (THEIRS, 1, theirs)]


def learnt(task, side, seed, steps):
    """A run in a process of its own."""
    line = [sys.executable, __file__, "--run", task, side, str(seed), str(steps)]
    env = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(line, capture_output=True, text=True, env=env)
    if done.returncode != 0:
        sys.exit(f"{task} on {side} failed:\n{done.stderr}")
    curve = json.loads(done.stdout)
    print(f"{task} on {side}, seed {seed}: {curve[-1][0]} steps, {curve[-1][1]:.0f} s, return {curve[-1][2]:.0f}", file=sys.stderr)
    return curve


def run(a):
    """Learns, and prints the curve."""
    sys.path.insert(0, str(ROOT / "python/examples"))
    import gymnasium
    import ppo

    # processor time instead of wall time
    ppo.time = type("Clock", (), {"perf_counter": time.process_time})
    task, side, seed, steps = a.run
    asked = ppo.arguments([task, "--seed", seed, "--steps", steps, "--threads", "1"])
    env = None
    if side == THEIRS:
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        env = gymnasium.make_vec(task, asked.envs, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
    print(json.dumps(ppo.learn(asked, tell=lambda *_, **__: None, env=env)))


def table(runs):
    out = [row("task", "environment", "seed", "control steps", "processor time", "return at the end", "3000 after"), "|---|---|" + "---:|" * 5]
    for task, side, seed, curve in runs:
        steps, seconds, last = curve[-1]
        there = next((f"{took:.0f} s" for _, took, mean in curve if mean >= 3000), "–")
        out.append(row(task, side, seed, f"{steps / 1e6:.1f} M", f"{seconds:.0f} s", f"{last:.0f}", there))
    return out


def draw(runs, tasks, path):
    """A picture with a plot for each task: return over processor time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, plots = plt.subplots(1, len(tasks), figsize=(4.2 * len(tasks), 3.2), squeeze=False)
    for task, plot in zip(tasks, plots[0]):
        for of, side, seed, curve in runs:
            if of == task:
                _, seconds, means = zip(*curve)
                colour = "tab:blue" if side == OURS else "tab:gray"
                plot.plot(seconds, means, color=colour, alpha=1.0 - 0.2 * (seed - 1), label=side if seed == 1 else None)
        plot.set(title=task, xlabel="processor time (s)")
        plot.grid(alpha=0.3)
    plots[0][0].set_ylabel("mean return of the last 100 episodes")
    plots[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tasks", nargs="*", default=list(STEPS), metavar="TASK", help="of " + ", ".join(STEPS))
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1, help="tasks at the same time")
    p.add_argument("--write", type=pathlib.Path, help="file whose table is written anew")
    p.add_argument("--picture", type=pathlib.Path, help="where the curves are drawn")
    p.add_argument("--run", nargs=4, metavar=("TASK", "SIDE", "SEED", "STEPS"), help="prints one curve; this script calls itself so")
    return p.parse_args()


if __name__ == "__main__":
    main()
