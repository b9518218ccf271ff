#!/usr/bin/env python3
"""One step from settled states, compared with MuJoCo's: the error of the velocities.

    RUSTFLAGS=-Ctarget-cpu=native cargo build --release
    pip install mujoco==4.0.0 numpy
    python3 benches/settled.py                               # models/, on cpu and simd
    python3 benches/settled.py --backend gpu models/humanoid.xml

Settled states: the first keyframe, or qpos0, with a noise of 0.01, after --settle steps of MuJoCo under controls that change every
ten steps, a tenth of their range from its middle. The solver has its warm start, as in a rollout. Errors are those of benches/against.py.
"""
import against
import mujoco
import numpy as np


def settled(m, n, settle, seed):
    states = []
    limited = m.actuator_ctrllimited.astype(bool)
    low, high = np.where(limited, m.actuator_ctrlrange.T, np.array([[-1.0], [1.0]]))
    middle = m.key_ctrl[0] if m.nkey else (low + high) / 2
    for k in range(n):
        d, rng = mujoco.MjData(m), np.random.default_rng(seed + k)
        against.begin(m, d)
        mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * 0.01, 1.0)
        for step in range(settle):
            if step % 10 == 0:
                d.ctrl[:] = middle + rng.normal(size=m.nu) * 0.1 * (high - low) / 2
            mujoco.mj_step(m, d)
        states.append(against.inputs(d))
    return states


def main():
    a = against.arguments(__doc__, settle=(500, "steps until a state is settled"))
    print("| model | backend | median | largest |\n|---|---|---|---|")
    for path in a.models:
        m = against.load(path)
        d, states = mujoco.MjData(m), settled(m, a.states, a.settle, a.seed)
        want = [against.theirs(m, d, state) for state in states]
        for backend in a.backend.split(","):
            have, why = against.ours(path, m, states, backend, a.bin)
            if have is None:
                print(f"| {path.stem} | {backend} | | {why} |", flush=True)
                continue
            errors = [w.error("qvel", row["qvel"]) for (row, _), w in zip(have, want)]
            print(f"| {path.stem} | {backend} | {np.median(errors):.0e} | {max(errors):.0e} |", flush=True)


main()
