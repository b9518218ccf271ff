#!/usr/bin/env python3
"""make_skip.py OUT.npz: results of MuJoCo 4.0.0's mj_forwardSkip and mj_inverseSkip on worlds in motion, call by call.

MODEL/in/NAME is the state for a first full computation; MODEL/K/set/NAME are the inputs set before the K-th call, for all worlds, and MODEL/K/NAME the results.
"""
import pathlib, sys
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = mujoco.mjtStage
STATE = "time qpos qvel act ctrl qacc_warmstart".split()
OUT = "xpos cvel qfrc_passive qacc sensordata qfrc_inverse".split()
# the inputs, the function, the skipped stages, whether sensors are computed; tests/mujoco/skip.rs has the same calls
CALLS = [
    ("qpos qvel ctrl", mujoco.mj_forwardSkip, STAGE.mjSTAGE_POS, False),
    ("ctrl", mujoco.mj_forwardSkip, STAGE.mjSTAGE_VEL, True),
    ("qacc", mujoco.mj_inverseSkip, STAGE.mjSTAGE_VEL, False),
    ("qacc", mujoco.mj_inverseSkip, STAGE.mjSTAGE_POS, True),
    ("qpos qvel", mujoco.mj_forwardSkip, STAGE.mjSTAGE_NONE, False),
    ("qpos qacc", mujoco.mj_inverseSkip, STAGE.mjSTAGE_NONE, False),
]


def wave(n, k):
    return np.sin(1.7 * np.arange(n) + k)


def main(path):
    D = {}

    def put(name, values):
        D.setdefault(name, []).append(np.array(values, float).ravel().copy())

    for model in ["humanoid", "sensors", "cartpole"]:
        m = mujoco.MjModel.from_xml_path(str(ROOT / "models" / f"{model}.xml"))
        m.opt.tolerance, m.opt.iterations = 1e-14, 100
        for w in range(3):
            d = mujoco.MjData(m)
            d.ctrl[:] = 0.3 * wave(m.nu, w)
            for _ in range(100 + 20 * w):
                mujoco.mj_step(m, d)
            for name in STATE:
                put(f"{model}/in/{name}", getattr(d, name))
            mujoco.mj_forward(m, d)
            for name in OUT:
                put(f"{model}/{name}", getattr(d, name))
            for k, (what, call, skip, sensors) in enumerate(CALLS):
                for name in what.split():
                    x = getattr(d, name)
                    if name == "qpos":
                        mujoco.mj_integratePos(m, x, 0.1 * wave(m.nv, k + w), 0.1)
                    else:
                        x[:] += 0.1 * wave(len(x), k + w)
                    put(f"{model}/{k}/set/{name}", x)
                call(m, d, skip, not sensors)
                for name in OUT:
                    put(f"{model}/{k}/{name}", getattr(d, name))
    np.savez_compressed(path, **{name: np.array(rows) for name, rows in D.items()})


main(sys.argv[1])
