#!/usr/bin/env python3
"""planning.py OUT.png: a picture of the pole that `cargo run --release --example planning` swings up, from its output on stdin."""
import re, sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

rows = re.findall(r"at (\S+) m and (\S+) rad", sys.stdin.read())
if not rows:
    sys.exit("no line of the example on stdin")
time = [0.04 * k for k in range(len(rows))]
figure, [place, angle] = plt.subplots(2, sharex=True, figsize=(6, 3.4), constrained_layout=True)
place.plot(time, [float(x) for x, _ in rows])
place.set_ylabel("cart (m)")
angle.plot(time, [abs(float(x)) for _, x in rows])
angle.axhline(3.14159, color="grey", linewidth=0.8, linestyle="--")
angle.set_ylabel("|pole| (rad)")
angle.set_xlabel("time (s)")
figure.savefig(sys.argv[1], dpi=110)
