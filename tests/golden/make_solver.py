#!/usr/bin/env python3
"""make_solver.py MODEL.xml OUT.npz [NSTATE [SETTLE [STRIDE]]] [NAME=VALUE …] [--time]: results of MuJoCo 4.0.0's constraint solver on states of a rollout.

A rollout with random controls from the model's initial state; at every STRIDE-th step after SETTLE steps, the solver's inputs (in/NAME) and three results:
with the model's own settings (own/NAME), the same without islands (mono/NAME), and without islands to convergence, by Newton (out/NAME). niter holds the iterations of
each island, stat the statistics of the first of them (mjSolverStat). NAME=VALUE sets an option of the model (cone=1), `--time` adds the time of mj_fwdConstraint (ns). The model's arrays are written as by make.py.
"""
import pathlib, re, sys, time
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "src" / "fields.rs").read_text()
ROWS = re.findall(r"^        (\w+): (\w+)\[([^\]]*)\]", TABLE, re.M)
SIZES = re.findall(r"^        (n\w+),", TABLE, re.M)
OPTS = re.findall(r"^    (\w+): (?:f64|i32|\[f64; \d\]) =", (ROOT / "src" / "model.rs").read_text(), re.M)
IN = "qacc_warmstart qacc_smooth qfrc_smooth M qLD qLDiagInv".split()
ROWS_IN = "efc_type efc_id efc_frictionloss efc_D efc_R efc_aref".split()
COUNTS = "ne nf nl nefc ncon".split()
STAT = "improvement gradient lineslope nactive nchange neval nupdate".split()
# number of iterations whose statistics are kept
NSTAT = 24
CONTACT = dict(friction=5, dim=1, geom=2, efc_address=1, mu=1)


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


def main(path, out, nstate=12, settle=60, stride=25, options=(), timed=False):
    m = mujoco.MjModel.from_xml_path(path)
    for option in options:
        name, value = option.split("=")
        setattr(m.opt, name, type(getattr(m.opt, name))(value))
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
    d, rng = mujoco.MjData(m), np.random.default_rng(0)
    own = (m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.disableflags, m.opt.solver)
    # with islands MuJoCo leaves efc_state as at the start of the solve, so the optimum is computed without islands
    mono = own[:4] + (own[4] | int(mujoco.mjtDisableBit.mjDSBL_ISLAND), own[5])
    tight = (1e-15, 1e-6, 200, 100, mono[4], mujoco.mjtSolver.mjSOL_NEWTON)

    def answer(settings):
        m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.disableflags, m.opt.solver = settings
        mujoco.mj_forward(m, d)
        o = {n: np.array(getattr(d, n), float).reshape(-1).copy() for n in ("qacc", "qfrc_constraint", "efc_force", "efc_state")}
        k = max(1, d.nisland)
        o["nisland"], o["niter"] = np.array([float(d.nisland)]), np.array(d.solver_niter[:k], float)
        o["neval"] = np.array([s.neval for i in range(k) for s in d.solver[i * 200 : i * 200 + d.solver_niter[i]]], float)
        o["stat"] = np.array([[[getattr(d.solver[200 * i + j], n) for n in STAT] for j in range(NSTAT)] for i in range(k)], float)
        o["stat"][np.arange(NSTAT) >= o["niter"][:, None]] = 0
        if timed:
            best = 1e30
            for _ in range(5):
                t = time.perf_counter_ns()
                for _ in range(20):
                    mujoco.mj_fwdConstraint(m, d)
                best = min(best, (time.perf_counter_ns() - t) / 20)
            o["ns"] = np.array([best])
        m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.disableflags, m.opt.solver = own
        return o

    lim = np.array(m.actuator_ctrllimited, bool)
    lo, hi = np.where(lim, m.actuator_ctrlrange[:, 0], -1), np.where(lim, m.actuator_ctrlrange[:, 1], 1)
    states = {}
    for step in range(settle + nstate * stride):
        if step % 10 == 0:
            d.ctrl[:] = (lo + hi) / 2 + rng.normal(size=m.nu) * 0.1 * (hi - lo) / 2
        if step >= settle and (step - settle) % stride == 0:
            mujoco.mj_forward(m, d)
            s = {"in/" + n: np.array(getattr(d, n), float).reshape(-1).copy() for n in IN + ROWS_IN}
            s |= {"in/" + n: np.array([float(getattr(d, n))]) for n in COUNTS}
            s["in/efc_J_dense"] = dense_rows(m, d)
            for n, width in CONTACT.items():
                s["in/contact_" + n] = np.array([getattr(c, n) for c in d.contact], float).reshape(d.ncon, width)
            for prefix, settings in ("own/", own), ("mono/", mono), ("out/", tight):
                s |= {prefix + n: v for n, v in answer(settings).items()}
            for n, v in s.items():
                states.setdefault(n, []).append(v)
            mujoco.mj_forward(m, d)
        mujoco.mj_step(m, d)
    # states along the first axis, padded with zeros to the largest
    for n, arrays in states.items():
        rows = max(a.shape[0] for a in arrays)
        arrays = [np.concatenate([a, np.zeros((rows - a.shape[0],) + a.shape[1:])]) for a in arrays]
        D[n] = np.stack(arrays).reshape(len(arrays), -1)
    np.savez_compressed(out, **D)


options = [a for a in sys.argv[1:] if "=" in a]
args = [a for a in sys.argv[1:] if "=" not in a and a != "--time"]
main(args[0], args[1], *map(int, args[2:]), options=options, timed="--time" in sys.argv)
