#!/usr/bin/env python3
"""make_squash.py: flexes that yield beyond what a plastic strain may be, in squash.npz.

Each model of squash_cases.txt takes ten steps of MuJoCo 4.0.0 from its keyframe: qpos/K and plastic/K are those after each step.
"""
import pathlib
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
D = {}
for k, xml in enumerate((HERE / "squash_cases.txt").read_text().splitlines()[1::2]):
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    rows = []
    for _ in range(10):
        mujoco.mj_step(m, d)
        rows.append((d.qpos.copy(), d.plastic.copy()))
    D[f"qpos/{k}"], D[f"plastic/{k}"] = map(np.array, zip(*rows))
np.savez_compressed(HERE / "squash.npz", **D)
