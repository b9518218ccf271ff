#!/usr/bin/env python3
"""control.py EXAMPLE OUT.png: the picture of an example in docs/control.md, from its output on stdin.

    cargo run --release --example planning | python3 docs/control.py planning planning.png
"""
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def over_time(rows, dt, labels):
    """A curve over the other; the second number of a row is on the lower one."""
    figure, axes = plt.subplots(2, sharex=True, figsize=(6, 3.4), constrained_layout=True)
    for column, (axis, label) in enumerate(zip(axes, labels)):
        axis.plot([dt * k for k in range(len(rows))], [float(row[column]) for row in rows])
        axis.set_ylabel(label)
    axes[1].set_xlabel("time (s)")
    return figure, axes


def upright(axis):
    axis.axhline(3.14159, color="grey", linewidth=0.8, linestyle="--")


def planning(text):
    rows = [(x, abs(float(angle))) for x, angle in re.findall(r"at (\S+) m and (\S+) rad", text)]
    figure, axes = over_time(rows, 0.04, ["cart (m)", "|pole| (rad)"])
    upright(axes[1])
    return figure


def trajectory(text):
    figure, axes = over_time(re.findall(r"at (\S+) rad with (\S+) N m", text), 0.02, ["angle (rad)", "torque (N m)"])
    upright(axes[0])
    return figure


def identification(text):
    rows = [[float(x) for x in row] for row in re.findall(r"(\S+) (\S+) (\S+) N m", text)]
    figure, axis = plt.subplots(figsize=(6, 3.4), constrained_layout=True)
    measured = [row[0] for row in rows]
    axis.axline((0, 0), slope=1, color="grey", linewidth=0.8, linestyle="--")
    for column, label in [(1, "1 kg and 1 kg, the first guess"), (2, "2.5 kg and 0.7 kg, found")]:
        axis.scatter(measured, [row[column] for row in rows], s=14, label=label)
    axis.set_xlabel("measured torque (N m)")
    axis.set_ylabel("torque of the model (N m)")
    axis.legend()
    return figure


def main():
    pictures = {of.__name__: of for of in (planning, trajectory, identification)}
    if len(sys.argv) != 3 or sys.argv[1] not in pictures:
        sys.exit(f"{__doc__}\nexamples: {', '.join(pictures)}")
    pictures[sys.argv[1]](sys.stdin.read()).savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
