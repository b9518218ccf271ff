#!/usr/bin/env python3
"""make_sleep.py OUT.npz: worlds of MuJoCo 4.0.0 whose trees fall asleep and wake.

Every model of tests/golden/sleep.txt makes the steps of its lines; in between, numbers of the state are set. For every `every`-th step
the golden has the sleep states and positions (MODEL/NAME), a row per step; for a model with `of`, the arrays named after that word. The script asserts that some tree sleeps, and that some tree wakes.
"""
import pathlib, sys
import mujoco, numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
OUT = "tree_asleep tree_awake body_awake qpos qvel act act_dot qacc qfrc_smooth qfrc_constraint actuator_force qfrc_actuator sensordata".split()


def models():
    for part in (FOLDER / "sleep.txt").read_text().split("=== ")[1:]:
        head, text = part.split("\n", 1)
        name, *events = head.split("|")
        name, _, only = name.partition(" of ")
        yield name.strip(), only.split(), [event.split() for event in events], text


def main(path):
    D, wrong = {}, []
    for name, only, events, text in models():
        m = mujoco.MjModel.from_xml_string(text)
        d = mujoco.MjData(m)
        rows, asleep = [], []
        put = lambda: rows.append({n: np.array(getattr(d, n), float).ravel() for n in OUT} | {"ncon": [float(d.ncon)], "nefc": [float(d.nefc)]})
        mujoco.mj_forward(m, d)
        put()
        for event in events:
            if event[0] == "step":
                for _ in range(int(event[1])):
                    mujoco.mj_step(m, d)
                    put()
                    asleep.append((d.tree_asleep >= 0).copy())
            else:
                array = getattr(d, event[0])
                array.reshape(-1)[int(event[1])] = float(event[2])
        asleep = np.array(asleep).astype(int)
        woken = (np.diff(asleep, axis=0) < 0).any()
        if not asleep.any() or not woken:
            wrong.append(f"{name}: asleep {asleep.any()}, woken {woken}")
        for n in rows[0]:
            if len(rows[0][n]) and (not only or n in only):
                D[f"{name}/{n}"] = np.stack([r[n] for r in rows])
        print(name, m.tree_sleep_policy, [int(x) for x in asleep.sum(axis=1)[::10]])
    if wrong:
        sys.exit("\n".join(wrong))
    np.savez_compressed(path, **D)


main(sys.argv[1])
