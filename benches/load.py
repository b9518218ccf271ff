#!/usr/bin/env python3
"""load.py [MODEL.xml ...]: loading time and memory compared with MuJoCo's own loader; models/ if no model is named.

Runs `cargo bench --bench load` on the models, and MuJoCo (`pip install mujoco==4.0.0`) on the same, each load in a process of its own,
the best of five. CPU milliseconds of all threads; the peak memory that loading adds, for assets and compiled model together.
"""
import glob, os, statistics, subprocess, sys

ONE = """
import sys, time, mujoco
mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
t = time.process_time_ns()
mujoco.MjModel.from_xml_path(sys.argv[1])
print(time.process_time_ns() - t)
"""


def mujoco_ms(path):
    runs = [subprocess.run([sys.executable, "-c", ONE, path], capture_output=True, text=True) for _ in range(5)]
    times = [int(r.stdout) / 1e6 for r in runs if r.returncode == 0]
    return min(times) if times else None


root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
paths = [os.path.abspath(p) for p in sys.argv[1:]] or sorted(glob.glob(os.path.join(root, "models", "*.xml")))
ours = subprocess.run(["cargo", "bench", "-q", "--bench", "load", "--", *paths], cwd=root, capture_output=True, text=True, check=True)
print("| model | MuJoCo (ms) | manyworlds (ms) | ratio | peak memory / (assets + compiled) |")
print("|---|---:|---:|---:|---:|")
ratios, rooms = [], []
for line in ours.stdout.splitlines()[1:]:
    path, *numbers = line.split("\t")
    name = os.path.relpath(path, os.path.commonpath(paths) if len(paths) > 1 else os.path.dirname(path))
    if len(numbers) != 4:
        print(f"| {name} | | {' '.join(numbers)} | | |")
        continue
    ms, peak, assets, compiled = map(float, numbers)
    theirs = mujoco_ms(path)
    if theirs is None:
        print(f"| {name} | refused | {ms:.2f} | | |")
        continue
    ratios.append(ms / theirs)
    rooms.append(peak / max(assets + compiled, 1))
    print(f"| {name} | {theirs:.2f} | {ms:.2f} | {ratios[-1]:.2f} | {peak:.0f} / {assets + compiled:.0f} KiB = {rooms[-1]:.1f} |")
print(f"\n{len(ratios)} models: time median {statistics.median(ratios):.2f}, largest {max(ratios):.2f}; "
      f"memory median {statistics.median(rooms):.1f}, largest {max(rooms):.1f}")
