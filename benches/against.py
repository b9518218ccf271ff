"""Common parts of cold.py and settled.py: run states through manyworlds and MuJoCo, and measure the differences.

The solver runs to convergence in both, so that the optimum is compared and not the stopping rule. States are rounded to single precision,
so that every backend starts from the same state. An error is the largest difference of a vector, divided by its largest number, or by FLOOR if
that is larger. For a constraint force the divisor is the largest of the forces that it balances or
is the sum of.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = "qpos qvel act ctrl mocap_pos mocap_quat qacc_warmstart".split()
TIGHT = dict(tolerance=1e-15, ls_tolerance=1e-6, ls_iterations=100)
ITERATIONS = {mujoco.mjtSolver.mjSOL_PGS: 5000, mujoco.mjtSolver.mjSOL_CG: 3000, mujoco.mjtSolver.mjSOL_NEWTON: 200}
# least divisors of errors: force (N), acceleration (m/s²), velocity (m/s)
FLOOR = dict(qfrc_constraint=1.0, qacc=1.0, qvel=0.1)


def arguments(doc, **more):
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*", type=pathlib.Path, help="MJCF files; by default those of models/")
    p.add_argument("--backend", default="cpu,simd", help="which of cpu, simd, gpu")
    p.add_argument("--states", type=int, default=64, help="states of each model")
    p.add_argument("--bin", default=str(ROOT / "target/release/manyworlds"), help="our program")
    p.add_argument("--seed", type=int, default=0)
    for name, (value, text) in more.items():
        p.add_argument(f"--{name}", type=type(value), default=value, help=text)
    a = p.parse_args()
    a.models = a.models or sorted((ROOT / "models").glob("*.xml"))
    return a


def load(path):
    """The model, solved to convergence."""
    m = mujoco.MjModel.from_xml_path(str(path))
    for name, value in TIGHT.items():
        setattr(m.opt, name, value)
    m.opt.iterations = ITERATIONS[m.opt.solver]
    return m


def begin(m, d):
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    else:
        mujoco.mj_resetData(m, d)


def inputs(d):
    """The inputs of a state, rounded to single precision."""
    return {n: np.array(getattr(d, n), float).astype(np.float32).astype(float) for n in INPUTS}


def put(m, d, state):
    mujoco.mj_resetData(m, d)
    for name, values in state.items():
        getattr(d, name)[...] = values


class Answer:
    """MuJoCo's results: arrays, the divisor of the error of each, and the number of contacts."""

    def __init__(self, arrays, scale, ncon):
        self.arrays, self.scale, self.ncon = arrays, scale, ncon

    def error(self, name, have):
        e = np.max(np.abs(have - self.arrays[name]), initial=0.0) / self.scale[name]
        return e if np.isfinite(e) else np.inf

    def worst(self, row):
        """The name and the error of the array with the largest error."""
        return max(((n, self.error(n, row[n])) for n in self.arrays), key=lambda x: x[1])


def summands(m, d):
    """The sum of the absolute forces of the constraint rows on each dof."""
    rows = np.abs(d.efc_force)
    if not mujoco.mj_isSparse(m):
        return rows @ np.abs(d.efc_J.reshape(-1, m.nv)[: d.nefc])
    total = np.zeros(m.nv)
    for force, start, num in zip(rows, d.efc_J_rowadr, d.efc_J_rownnz):
        part = slice(start, start + num)
        np.add.at(total, d.efc_J_colind[part], np.abs(d.efc_J[part]) * force)
    return total


def theirs(m, d, state):
    """MuJoCo's forces and accelerations, and velocities after a step."""
    put(m, d, state)
    mujoco.mj_forward(m, d)
    out = {"qfrc_constraint": d.qfrc_constraint.copy(), "qacc": d.qacc.copy()}
    ncon, forces = d.ncon, max(np.max(np.abs(d.qfrc_smooth), initial=0.0), np.max(summands(m, d), initial=0.0))
    put(m, d, state)
    mujoco.mj_step(m, d)
    out["qvel"] = d.qvel.copy()
    scale = {n: max(np.max(np.abs(x), initial=0.0), FLOOR[n]) for n, x in out.items()}
    scale["qfrc_constraint"] = max(scale["qfrc_constraint"], forces)
    return Answer(out, scale, ncon)


def ours(path, m, states, backend, program):
    """The same arrays of manyworlds, and the number of contacts, state by state; or the reason why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        asked, out = pathlib.Path(folder, "states.json"), pathlib.Path(folder, "out.npz")
        rows = [{n: v.ravel().tolist() for n, v in state.items() if v.size} for state in states]
        option = TIGHT | {"iterations": m.opt.iterations}
        asked.write_text(json.dumps({"opt_override": option, "states": rows}))
        run = [program, "forward", path, "--states", asked, "--out", out, "--backend", backend, "--steps", "1"]
        told = subprocess.run(list(map(str, run)), capture_output=True, text=True)
        if told.returncode:
            return None, told.stderr.strip().splitlines()[-1]
        z = np.load(out)
        names = {"qfrc_constraint": "fwd/qfrc_constraint", "qacc": "fwd/qacc", "qvel": "step1/qvel"}
        row = lambda k: {n: np.ravel(z[f"s{k}/{at}"]).astype(float) for n, at in names.items()}
        return [(row(k), len(np.atleast_1d(z[f"s{k}/con/dist"]))) for k in range(len(states))], told.stderr


def unsteady(m, d, state, name, answer, unit, rng, times=8):
    """Change of MuJoCo's own result when the state changes by a rounding error: the uncertainty of the state itself."""
    most = 0.0
    for _ in range(times):
        near, qpos = dict(state), state["qpos"].copy()
        mujoco.mj_integratePos(m, qpos, rng.uniform(-1, 1, m.nv) * unit, 1.0)
        near["qpos"], near["qvel"] = qpos, state["qvel"] * (1 + rng.uniform(-1, 1, m.nv) * unit)
        most = max(most, answer.error(name, theirs(m, d, near).arrays[name]))
    return most
