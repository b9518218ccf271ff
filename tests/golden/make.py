#!/usr/bin/env python3
"""make.py MODEL.xml OUT.npz: the golden of one model, made by MuJoCo 4.0.0.

Writes every array that src/fields.rs names and mjModel has (model/NAME), the sizes (size/NAME), the options (opt/NAME), the statistics
(stat/NAME), and for a handful of random states the inputs (in/NAME) and the results of mj_forward, mj_step and five
calls of mj_step (out/NAME, step1/NAME, step5/NAME), states
along the first axis. Contacts and rows are padded to the largest number of a state. `tests/golden/make.sh` remakes all goldens.
"""
import pathlib, re, sys
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "src" / "fields.rs").read_text()
# boxes around triangles are kept of meshes beside signed distance fields alone
ROWS = [r for r in re.findall(r"^        (\w+): (\w+)\[([^\]]*)\]", TABLE, re.M) if not r[0].startswith(("mesh_bvh", "bvh_"))]
SIZES = [s for s in re.findall(r"^        (n\w+),", TABLE, re.M) if s != "nbvh"]
OPTS = re.findall(r"^    (\w+): (?:f64|i32|\[f64; \d\]) =", (ROOT / "src" / "model.rs").read_text(), re.M)
INPUTS = "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat eq_active".split()
STATE = ("history", "plastic")
STEP = "qpos qvel act time qacc_warmstart qH qHDiagInv qDeriv qLU".split()
ROWS_OUT = "efc_type efc_id efc_pos efc_margin efc_frictionloss efc_diagA efc_KBIP efc_D efc_R efc_vel efc_aref efc_state efc_force".split()
CONTACT = dict(dist=1, pos=3, frame=9, includemargin=1, friction=5, solref=2, solreffriction=2, solimp=5, dim=1, geom=2, efc_address=1)


def random_state(m, d, rng, k):
    mujoco.mj_resetData(m, d)
    if k == 0:
        return
    if m.nkey and k % 2:
        mujoco.mj_resetDataKeyframe(m, d, int(rng.integers(m.nkey)))
    size = 0.3 if k % 2 else 0.05
    mujoco.mj_integratePos(m, d.qpos, rng.normal(size=m.nv) * size, 1.0)
    d.qvel[:] = rng.normal(size=m.nv) * size * 3
    lim = np.array(m.actuator_ctrllimited, bool)
    lo, hi = np.where(lim, m.actuator_ctrlrange[:, 0], -1), np.where(lim, m.actuator_ctrlrange[:, 1], 1)
    d.ctrl[:] = lo + (hi - lo) * rng.uniform(-0.1, 1.1, m.nu)
    d.act[:] = rng.uniform(0, 1, m.na)
    if k % 3 == 2:
        d.qfrc_applied[:] = rng.normal(size=m.nv)
        d.xfrc_applied[1:] = rng.normal(size=(m.nbody - 1, 6))
    if k >= 4:
        ctrl = d.ctrl.copy()
        for _ in range(60 * (k - 3)):
            if m.nhistory:
                d.ctrl[:] = ctrl + 0.3 * rng.normal(size=m.nu)
            mujoco.mj_step(m, d)
        if not m.nhistory:
            d.time = 0
    mujoco.mj_normalizeQuat(m, d.qpos)
    d.qacc_warmstart[:] = 0


def dense_rows(m, d):
    J = np.zeros((d.nefc, m.nv))
    if d.nefc and m.nv:
        if mujoco.mj_isSparse(m):
            for r in range(d.nefc):
                a, n = d.efc_J_rowadr[r], d.efc_J_rownnz[r]
                J[r, d.efc_J_colind[a : a + n]] = d.efc_J[a : a + n]
        else:
            J[:] = d.efc_J.ravel()[: d.nefc * m.nv].reshape(d.nefc, m.nv)
    return J


def inverse(m, d, put, found, rng):
    """Inverse dynamics at the solver's acceleration, at another one, and at the discrete-time acceleration; and the difference of forward and inverse."""
    o, flags, flag = {}, int(m.opt.enableflags), int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)
    def at(name, qacc, discrete=False):
        put()
        mujoco.mj_forward(m, d)
        d.qacc[:] = qacc
        m.opt.enableflags = flags | flag * discrete
        mujoco.mj_inverse(m, d)
        m.opt.enableflags = flags
        o[name + "qfrc_inverse"], o[name + "qfrc_constraint"] = d.qfrc_inverse.copy(), d.qfrc_constraint.copy()
        o[name + "efc_force"], o[name + "efc_state"] = d.efc_force.copy(), np.array(d.efc_state, float)
    at("", found)
    o["other_qacc"] = found + rng.normal(size=m.nv) * (1 + np.abs(found))
    at("other_", o["other_qacc"])
    if m.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4:
        at("discrete_", o["other_qacc"], True)
    put()
    mujoco.mj_forward(m, d)
    d.qacc[:] = o["other_qacc"]
    mujoco.mj_compareFwdInv(m, d)
    o["solver_fwdinv"] = d.solver_fwdinv.copy()
    return o


def main(path, out, nstate=7):
    m = mujoco.MjModel.from_xml_path(path)
    # further inputs of a model: the time matters for samples with times
    own = [n for n in STATE if getattr(mujoco.MjData(m), n).size]
    inputs = INPUTS + own + ["time"] * ("history" in own)
    D = {}
    for name, elem, dims in ROWS:
        if hasattr(m, name):
            D["model/" + name] = np.array(getattr(m, name)).astype(np.int32 if elem == "int" else float)
    for name in SIZES:
        if hasattr(m, name):
            D["size/" + name] = np.array([int(getattr(m, name))], np.int32)
    for name in OPTS:
        D["opt/" + name] = np.atleast_1d(np.array(getattr(m.opt, name), float))
    for name in "meaninertia meanmass meansize extent center".split():
        D["stat/" + name] = np.atleast_1d(np.array(getattr(m.stat, name), float))
    # solves to convergence, so that the optimum and not the stopping rule is compared
    m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations = 1e-15, 1e-6, {2: 200, 1: 3000, 0: 5000}[int(m.opt.solver)], 100
    d, rng = mujoco.MjData(m), np.random.default_rng(0)
    states = []
    for k in range(nstate):
        random_state(m, d, rng, k)
        states.append({n: np.atleast_1d(np.array(getattr(d, n), float)).copy() for n in inputs})
    outs, inverses, first, steps = [], [], [], []
    for s in states:
        def put():
            mujoco.mj_resetData(m, d)
            for n in inputs:
                if n == "time":
                    d.time = s[n][0]
                else:
                    getattr(d, n)[...] = s[n]
        put()
        mujoco.mj_forward(m, d)
        mujoco.mj_rnePostConstraint(m, d)
        o = {}
        for name, elem, dims in ROWS:
            if hasattr(d, name) and not name.startswith(("efc_", "contact_")) and name not in inputs + ["warning"]:
                v = getattr(d, name)
                o[name] = np.atleast_1d(np.array(v, float)).copy()
        J = np.zeros((m.nout, m.nv))
        for r in range(m.nout):
            a, n = d.moment_rowadr[r], d.moment_rownnz[r]
            J[r, d.moment_colind[a : a + n]] = d.actuator_moment[a : a + n]
        o["actuator_moment_dense"] = J
        for n in ROWS_OUT:
            o[n] = np.array(getattr(d, n), float).reshape(d.nefc, 4 if n == "efc_KBIP" else 1).copy()
        o["efc_J_dense"] = dense_rows(m, d)
        for n in CONTACT:
            o["contact_" + n] = np.array(getattr(d.contact, n), float).reshape(d.ncon, CONTACT[n]).copy()
        o["solver_niter"] = np.array([int(np.sum(d.solver_niter[: max(1, d.nisland)]))], float)
        outs.append(o)
        inverses.append(inverse(m, d, put, o["qacc"], np.random.default_rng(len(inverses))))
        put()
        mujoco.mj_step(m, d)
        first.append({n: np.atleast_1d(np.array(getattr(d, n), float)).copy() for n in STEP + own + ["sensordata"] * bool(own)})
        for _ in range(4):
            mujoco.mj_step(m, d)
        steps.append({n: np.atleast_1d(np.array(getattr(d, n), float)).copy() for n in ["qpos", "qvel", "act", "time"] + own + ["sensordata"] * bool(own)})
    def stack(rows, prefix):
        for n in rows[0]:
            arrays = [r[n] for r in rows]
            rowcount = max(a.shape[0] for a in arrays)
            arrays = [np.concatenate([a, np.zeros((rowcount - a.shape[0],) + a.shape[1:])]) for a in arrays]
            D[prefix + n] = np.stack(arrays).reshape(len(rows), -1)
    stack(states, "in/")
    stack(outs, "out/")
    stack(inverses, "inverse/")
    stack(first, "step1/")
    stack(steps, "step5/")
    np.savez_compressed(out, **D)


main(sys.argv[1], sys.argv[2])
