#!/usr/bin/env python3
"""Steps per second of scenes with many free bodies, beside MuJoCo C: the table "Heaps" of docs/performance.md.

    python3 benches/heaps.py [--program target/release/manyworlds] [--rounds 3] [SCENE …]

Needs mujoco and numpy. Each figure is the best of all rounds, in which the programs take turns; all on one thread.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
import time

import mujoco
import numpy as np

# name: type and sizes of the bodies, their distance, their number, steps
SCENES = {
    "50 boxes": ("box", ".1 .08 .06", 0.3, 50, 200),
    "100 boxes": ("box", ".1 .08 .06", 0.3, 100, 300),
    "200 boxes": ("box", ".1 .08 .06", 0.3, 200, 300),
    "30 spheres": ("sphere", ".1", 0.25, 30, 300),
    "100 spheres": ("sphere", ".1", 0.25, 100, 200),
    "300 spheres": ("sphere", ".1", 0.25, 300, 200),
    "1000 spheres": ("sphere", ".1", 0.25, 1000, 150),
}


def scene(kind: str, size: str, apart: float, number: int) -> str:
    """A loose cube of free bodies above a plane."""
    random = np.random.default_rng(0)
    edge = int(np.ceil(number ** (1 / 3)))
    bodies = ""
    for i in range(number):
        at = np.array([i % edge - edge / 2, i // edge % edge - edge / 2, i // edge**2 + 1]) * apart + random.uniform(-0.02, 0.02, 3)
        bodies += f'<body pos="{at[0]:.4f} {at[1]:.4f} {at[2]:.4f}"><freejoint/><geom type="{kind}" size="{size}"/></body>\n'
    return f'<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="20 20 .1"/>{bodies}</worldbody></mujoco>'


def of_mujoco(path: pathlib.Path, steps: int) -> float:
    """Steps per second of one world of MuJoCo."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    began = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    return steps / (time.perf_counter() - began)


def of_program(program: str, path: pathlib.Path, steps: int, backend: str, worlds: int) -> float:
    """Steps of a world per second of the program, whose worlds differ if there are several."""
    command = [program, "rollout", str(path), "--backend", backend, "--threads", "1", "--worlds", str(worlds), "--steps", str(steps)]
    if worlds > 1:
        command += ["--noise", "0.05"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    seconds = re.search(r" in ([\d.]+) s:", said)
    assert seconds, said
    return worlds * steps / float(seconds[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/manyworlds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("scene", nargs="*")
    given = parser.parse_args()
    print("| scene, steps | mujoco | `cpu`, 1 world | `cpu`, 16 worlds | `simd`, 16 worlds |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.scene or SCENES:
            kind, size, apart, number, steps = SCENES[name]
            path = pathlib.Path(folder) / "scene.xml"
            path.write_text(scene(kind, size, apart, number))
            runs = [lambda: of_mujoco(path, steps)]
            for backend, worlds in [("cpu", 1), ("cpu", 16), ("simd", 16)]:
                # sixteen of the largest take minutes
                if worlds == 1 or number <= 300:
                    runs.append(lambda b=backend, w=worlds: of_program(given.program, path, steps, b, w))
            rounds = [[run() for run in runs] for _ in range(given.rounds)]
            best = [f"{max(figures):,.3g}" if max(figures) < 1000 else f"{float(f'{max(figures):.3g}'):,.0f}" for figures in zip(*rounds)]
            print(f"| {name}, {steps} | " + " | ".join(best + [""] * (4 - len(best))) + " |", flush=True)


if __name__ == "__main__":
    main()
