#!/usr/bin/env python3
"""Forces and one step from cold states, compared with MuJoCo's: the number of worlds beyond the tolerance, and the reason.

    RUSTFLAGS=-Ctarget-cpu=native cargo build --release
    pip install mujoco==4.0.0 numpy
    python3 benches/cold.py                                  # models/, on cpu and simd
    python3 benches/cold.py --backend gpu models/boxes.xml

Cold states: the first keyframe, or qpos0, with a noise of 0.03; the same with free bodies pressed into their support; spinning fast;
with large joint angles and controls beyond their ranges. Nothing is settled and the solver has no warm start. Errors are those of benches/against.py.

A world beyond the tolerance is "unsteady" if MuJoCo's own result changes by a tenth of the error or more when the state changes by a rounding error
(1e-7 for single precision, 1e-14 for double): then the state does not determine the result. Other worlds are printed by their number.
"""
import sys

import against
import mujoco
import numpy as np

NOISE, DEEP, SPIN, BENT = 0.03, 0.05, 20.0, 0.3
TOLERANCE = {"cpu": 1e-8, "simd": 1e-4, "gpu": 1e-4}
UNIT = {"cpu": 1e-14, "simd": 1e-7, "gpu": 1e-7}


def cold(m, n, seed):
    d, rng, states = mujoco.MjData(m), np.random.default_rng(seed), []
    limited = m.actuator_ctrllimited.astype(bool)
    low, high = np.where(limited, m.actuator_ctrlrange.T, np.array([[-1.0], [1.0]]))
    free = np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    for k in range(n):
        against.begin(m, d)
        d.qacc_warmstart[:] = 0
        size = BENT if k % 4 == 3 else NOISE
        mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * size, 1.0)
        d.qvel[:] = rng.normal(size=m.nv) * size
        stray = 1.0 if k % 4 == 3 else 0.3
        d.ctrl[:] = (low + high) / 2 + (high - low) * stray * rng.normal(size=m.nu)
        d.act[:] = rng.uniform(0, 1, m.na)
        if k % 4 == 1:
            d.qpos[m.jnt_qposadr[free] + 2] -= rng.uniform(0, DEEP, len(free))
        if k % 4 == 2:
            d.qvel[:] = rng.normal(size=m.nv) * SPIN / 4
            for j in free:
                d.qvel[m.jnt_dofadr[j] + 3 :][:3] = rng.normal(size=3) * SPIN
        mujoco.mj_normalizeQuat(m, d.qpos)
        states.append(against.inputs(d))
    return states


def judge(path, a, backend):
    m = against.load(path)
    d, states = mujoco.MjData(m), cold(m, a.states, a.seed)
    have, why = against.ours(path, m, states, backend, a.bin)
    if have is None:
        print(f"| {path.stem} | {backend} | | | | {why} |", flush=True)
        return 0, 0, 0
    rng = np.random.default_rng(a.seed)
    errors, beyond, unsteady, missed = [], 0, 0, []
    for k, (state, (row, ncon)) in enumerate(zip(states, have)):
        want = against.theirs(m, d, state)
        worst, e = want.worst(row)
        errors.append(e)
        if e <= TOLERANCE[backend]:
            continue
        beyond += 1
        if e <= 10 * against.unsteady(m, d, state, worst, want, UNIT[backend], rng):
            unsteady += 1
            continue
        contacts = "" if ncon == want.ncon else f", {ncon} contacts for {want.ncon}"
        missed.append(f"{k} ({worst} {e:.0e}{contacts})")
    told = ", ".join(missed[:6]) + (" …" if len(missed) > 6 else "")
    print(f"| {path.stem} | {backend} | {np.median(errors):.0e} | {beyond} | {unsteady} | {told} |", flush=True)
    return len(states), beyond, len(missed)


def main():
    a = against.arguments(__doc__)
    print(f"| model | backend | median | beyond, of {a.states} | unsteady | others |\n|---|---|---|---|---|---|")
    counts = np.zeros(3, int)
    for path in a.models:
        for backend in a.backend.split(","):
            counts += judge(path, a, backend)
    print(f"\n{counts[0]} worlds, {counts[1]} beyond the tolerance, {counts[2]} of them in a steady state", file=sys.stderr)


main()
