#!/usr/bin/env python3
"""make_derivative.py OUT.npz: the step linearised by MuJoCo 4.0.0 (mjd_transitionFD), by centered and one-sided differences.

For some models of models/, at states 0, 1 and 4 of their goldens (in/NAME of tests/golden/MODEL.npz): MODEL/A, B, C, D centred with
eps 1e-6, and MODEL/one_way/A … with controls at an end of their range. For some of them also inverse dynamics linearised by one-sided differences
(mjd_inverseFD) at qacc[i] = 3 sin(i + state): MODEL/inverse/DfDq …, transposed, and MODEL/actuated/… with the actuators' force subtracted.

MuJoCo does not recompute position sensors, including the kinetic energy, when it perturbs a velocity. The derivative of that energy is
computed from whole steps instead.
"""
import pathlib, sys
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = "humanoid actuators free_bodies implicit sensors elliptic".split()
INVERSE = "actuators free_bodies implicit sensors elliptic".split()
STATES = [0, 1, 4]


def transition(m, d, centered):
    n = 2 * m.nv + m.na
    shapes = dict(A=(n, n), B=(n, m.nu), C=(m.nsensordata, n), D=(m.nsensordata, m.nu))
    out = {k: np.zeros(s) for k, s in shapes.items()}
    mujoco.mjd_transitionFD(m, d, 1e-6, centered, *[v if v.size else None for v in out.values()])
    kinetic = np.nonzero(m.sensor_type == mujoco.mjtSensor.mjSENS_E_KINETIC)[0]
    for row in m.sensor_adr[kinetic]:
        out["C"][row, m.nv : 2 * m.nv] = [kinetic_slope(m, d, row, i, centered) for i in range(m.nv)]
    return out


def inverse(m, d, actuation):
    nv, ns = m.nv, m.nsensordata
    out = {f"D{of}D{by}": np.zeros((nv, n)) for of, n in (("f", nv), ("s", ns)) for by in "qva"}
    out["DmDq"] = np.zeros((nv, m.nC))
    mujoco.mjd_inverseFD(m, d, 1e-6, actuation, *[v if v.size else None for v in out.values()])
    kinetic = np.nonzero(m.sensor_type == mujoco.mjtSensor.mjSENS_E_KINETIC)[0]
    for row in m.sensor_adr[kinetic]:
        out["DsDv"][:, row] = [kinetic_slope(m, d, row, i, False, mujoco.mj_inverse) for i in range(nv)]
    return {name: v.T for name, v in out.items()}


def kinetic_slope(m, d, row, i, centered, compute=mujoco.mj_step):
    """derivative of a sensor by velocity i, by whole computations"""
    full = mujoco.mjtState.mjSTATE_INTEGRATION
    state, qacc = np.zeros(mujoco.mj_stateSize(m, full)), d.qacc.copy()
    mujoco.mj_getState(m, d, state, full)
    def after(eps):
        mujoco.mj_setState(m, d, state, full)
        d.qvel[i] += eps
        d.qacc[:] = qacc
        compute(m, d)
        return d.sensordata[row]
    ends = [after(1e-6), after(-1e-6 * centered)]
    mujoco.mj_setState(m, d, state, full)
    return (ends[0] - ends[1]) / (1e-6 * (1 + centered))


def put(m, d, golden, k):
    """the inputs of a state of a golden"""
    mujoco.mj_resetData(m, d)
    for field in [f[3:] for f in golden.files if f.startswith("in/")]:
        getattr(d, field)[...] = golden[f"in/{field}"][k].reshape(getattr(d, field).shape)


def main(out):
    arrays = {}
    for name in MODELS:
        m = mujoco.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))
        golden = np.load(ROOT / "tests" / "golden" / f"{name}.npz")
        m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations = 1e-15, 1e-6, {2: 200, 1: 3000, 0: 5000}[int(m.opt.solver)], 100
        d = mujoco.MjData(m)
        for way, centered in (("", True), ("one_way/", False)):
            rows = []
            for k in STATES:
                put(m, d, golden, k)
                if not centered:
                    limited = m.actuator_ctrllimited.astype(bool)
                    d.ctrl[limited] = m.actuator_ctrlrange[limited, 1]
                rows.append(transition(m, d, centered))
            for field in "ABCD":
                arrays[f"{name}/{way}{field}"] = np.stack([row[field] for row in rows])
        for way, actuation in (("inverse", False), ("actuated", True)) if name in INVERSE else ():
            rows = []
            for k in STATES:
                put(m, d, golden, k)
                d.qacc[:] = 3 * np.sin(np.arange(m.nv) + k)
                rows.append(inverse(m, d, actuation))
            for field in rows[0]:
                arrays[f"{name}/{way}/{field}"] = np.stack([row[field] for row in rows])
    np.savez_compressed(out, **arrays)


main(sys.argv[1])
