"""Cost and accuracy of integrators and solvers, for docs/choosing.md.

    pip install manyworlds; python3 benches/choosing.py [--worlds 256] [--backend simd]

Worlds fall and settle under changing controls; costs are of steps from there, relative to the default. Accelerations are compared
with Newton's at its optimum, relative to the change that constraints make to them."""

import argparse
import time

import numpy as np

import manyworlds as mw

INTEGRATORS = {"Euler": 0, "implicitfast": 3, "implicit": 2, "RK4": 1}
SOLVERS = {
    "Newton": {},
    "CG": {"solver": 1},
    "PGS, 10 sweeps": {"solver": 0, "iterations": 10},
    "PGS, 30 sweeps": {"solver": 0, "iterations": 30},
    "PGS, 100 sweeps": {"solver": 0, "iterations": 100},
}
STATE = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart")


def settled(model, said):
    batch = mw.Batch(model, said.worlds, backend=said.backend, nthread=1)
    draws = np.random.default_rng(0)
    for _ in range(20):
        batch.ctrl = draws.uniform(-0.3, 0.3, (said.worlds, model.nu)).astype(batch.dtype)
        batch.step(nstep=15)
    return batch


def taken_over(model, options, batch, said):
    other = mw.Batch(model.edited(options), said.worlds, backend=said.backend, nthread=1)
    for name in STATE:
        setattr(other, name, getattr(batch, name))
    return other


def seconds(batch, steps=20, repeats=5):
    """Seconds of the fastest repeat."""
    best = np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        batch.step(nstep=steps)
        best = min(best, time.perf_counter() - began)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=["models/humanoid.xml", "models/quadruped.xml", "models/boxes.xml"])
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--backend", default="simd")
    said = parser.parse_args()
    for path in said.models:
        model = mw.Model.from_xml_path(path)
        batch = settled(model, said)
        times = {name: seconds(taken_over(model, {"integrator": i}, batch, said)) for name, i in INTEGRATORS.items()}
        for name, took in times.items():
            print(f"{path}: {name}: {took / times['Euler']:.2f} times the time of a step with Euler")
        batch.forward()
        want, smooth = (getattr(batch, name).astype(float) for name in ("qacc", "qacc_smooth"))
        changed = np.linalg.norm(want - smooth, axis=1)
        base = None
        for name, options in SOLVERS.items():
            other = taken_over(model, options, batch, said)
            other.forward()
            off = np.linalg.norm(other.qacc - want, axis=1)[changed > 1] / changed[changed > 1]
            took = seconds(taken_over(model, options, batch, said))
            base = base or took
            print(f"{path}: {name}: {took / base:.2f} times the time, off by {np.median(off):.1e} (most {off.max():.1e})")


if __name__ == "__main__":
    main()
