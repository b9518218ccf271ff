#!/usr/bin/env python3
"""make_hooks.py OUT.npz: tests/golden/hooks.xml with MuJoCo's callbacks (4.0.0), for the same functions as in tests/mujoco/hooks.rs.

Three worlds make some steps with every callback, under several options; the golden has a row of each array for every step (CASE/NAME,
worlds × steps × words). Then forward and inverse dynamics of the last states (CASE/inverse), derivatives of a step, and the numbers of calls
(calls/WHAT: passive, control, sensors). The arguments of the contact filter are asserted here.
"""
import pathlib, sys
import mujoco, numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
OUT = "qpos qvel ctrl qfrc_applied xfrc_applied userdata qfrc_passive qacc sensordata tree_asleep".split()
DSBL, ENBL = mujoco.mjtDisableBit, mujoco.mjtEnableBit
# options, and steps
CASES = {
    "euler": ({}, 40),
    "rk4": ({"integrator": mujoco.mjtIntegrator.mjINT_RK4}, 20),
    "implicitfast": ({"integrator": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}, 20),
    "still": ({"disableflags": DSBL.mjDSBL_SPRING | DSBL.mjDSBL_DAMPER}, 10),
    "slack": ({"disableflags": DSBL.mjDSBL_ACTUATION}, 10),
    "blind": ({"disableflags": DSBL.mjDSBL_SENSOR | DSBL.mjDSBL_MIDPHASE}, 10),
    "sleep": ({"enableflags": ENBL.mjENBL_SLEEP, "gravity": 0}, 60),
}
calls = ""


def control(m, d):
    global calls
    calls += "C"
    arm = 21
    d.ctrl[0] = 2 * np.sin(5 * d.time) - 3 * d.qpos[arm]
    d.ctrl[1] = d.xpos[4, 2] - 0.5 * d.qvel[19]
    # in the step in which a tree falls asleep MuJoCo uses the first call's controls and calls again afterwards
    afloat = m.opt.gravity[2] == 0
    d.ctrl[2] = 0.1 if afloat else d.ctrl[2] + 0.1
    d.qfrc_applied[19] = 0.2 * d.qvel[18]
    d.xfrc_applied[3, 0] = 0 if afloat else 0.3 * np.cos(d.time)
    d.userdata[0] += d.qpos[arm]


def passive(m, d):
    global calls
    calls += "P"
    d.qfrc_passive[18:] += 0.1 * d.qfrc_passive[18:] - 0.3 * d.qvel[18:] * np.abs(d.qvel[18:]) + 0.05 * d.xpos[5, 0]


def leaves_out(m, d, geom1, geom2):
    # the lower geom comes first; the last geom belongs to a predefined pair
    assert geom1 < geom2 < 7, (geom1, geom2)
    if (geom1, geom2) == (0, 1):
        return int(d.time < 0.05)
    if (geom1, geom2) == (1, 4):
        return int(d.geom_xpos[4, 0] > d.geom_xpos[1, 0] + 0.02)
    return 0


def sense(m, d, stage):
    global calls
    calls += f"S{stage}"
    if stage == mujoco.mjtStage.mjSTAGE_POS:
        d.sensordata[3:5] = 10 * d.xpos[5, 2], d.ncon - 1
    elif stage == mujoco.mjtStage.mjSTAGE_VEL:
        d.sensordata[5] = d.subtree_linvel[4, 2] + d.sensordata[9]
    else:
        d.sensordata[0:3] = d.cacc[5, 5], d.sensordata[6] * d.time, d.actuator_force[0]


def start(d, w):
    d.qpos[21:23] = 0.2 * w, -0.3
    d.qvel[18:20] = 1, -0.5 * w
    d.qvel[0] = 0.1 * w
    d.qpos[16] += 0.0001 + 0.02 * w
    d.ctrl[:] = 0.01 * w


def main(path):
    global calls
    D = {}
    setters = [mujoco.set_mjcb_control, mujoco.set_mjcb_passive, mujoco.set_mjcb_contactfilter, mujoco.set_mjcb_sensor]
    callbacks = [control, passive, leaves_out, sense]
    for case, (options, steps) in CASES.items():
        # the compiler makes steps, too
        for put in setters:
            put(None)
        m = mujoco.MjModel.from_xml_path(str(FOLDER / "hooks.xml"))
        for put, callback in zip(setters, callbacks):
            put(callback)
        for name, value in options.items():
            if name == "gravity":
                m.opt.gravity[:] = value
            else:
                setattr(m.opt, name, int(value))
        rows = {name: [] for name in OUT + ["ncon", "nefc"]}
        inverse = []
        for w in range(3):
            d = mujoco.MjData(m)
            if case != "sleep":
                start(d, w)
            mine = {name: [] for name in rows}
            calls = ""
            for _ in range(steps):
                mujoco.mj_step(m, d)
                for name in mine:
                    mine[name].append(np.array(getattr(d, name), float).ravel())
            D[f"{case}/calls"] = [float(calls.count(what)) for what in "PC"] + [float(calls.count("S"))]
            for name in rows:
                rows[name].append(mine[name])
            mujoco.mj_forward(m, d)
            mujoco.mj_inverse(m, d)
            inverse.append(d.qfrc_inverse.copy())
            if case == "euler" and w == 1:
                n, k = 2 * m.nv + m.na, m.nu
                slopes = [np.zeros(shape) for shape in [(n, n), (n, k), (m.nsensordata, n), (m.nsensordata, k)]]
                mujoco.mjd_transitionFD(m, d, 1e-6, True, *slopes)
                for name, x in zip("ABCD", slopes):
                    D[f"slopes/{name}"] = x
        for name in rows:
            D[f"{case}/{name}"] = np.array(rows[name])
        D[f"{case}/inverse"] = np.array(inverse)
        print(case, D[f"{case}/calls"], "contacts", [int(x) for x in D[f"{case}/ncon"][1, :, 0]], D[f"{case}/tree_asleep"][0, -1])
    np.savez_compressed(path, **D)


main(sys.argv[1])
