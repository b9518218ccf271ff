#!/usr/bin/env python3
"""make_options.py OUT.npz: MuJoCo 4.0.0's results for the models of tests/golden/options.txt, line by line.

Every line adds a section to a model of tests/golden. The states (MODEL/in/NAME) are the same for all lines of a model and representable in single precision;
forward dynamics (K/NAME) and the state after a step (K/step/NAME) are written for line K if they differ from those of the model's first line, which adds nothing. A line with `changes` must change some number by
more than 1e-4 of its value, a line with `same` none by more than 1e-6: else nothing is written.
"""
import pathlib, sys
import mujoco, numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
INPUTS = "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat eq_active qacc_warmstart".split()
OUT = "qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_bias qfrc_actuator actuator_force act_dot qacc_smooth qacc qfrc_constraint sensordata energy solver_fwdinv".split()
STEP = "qpos qvel act".split()
NSTATE = 4


def cases():
    for line in (FOLDER / "options.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


def load(model, added):
    text = (FOLDER / f"{model}.xml").read_text().replace("</mujoco>", added + "</mujoco>")
    return mujoco.MjModel.from_xml_string(text)


def single(x):
    return np.array(x, float).astype(np.float32).astype(float)


def states(m):
    """At rest, near the start, far from it with controls beyond their ranges, and near the keyframe."""
    d, rng, out = mujoco.MjData(m), np.random.default_rng(3), []
    for k, size in enumerate([0, .05, .3, .1]):
        mujoco.mj_resetData(m, d)
        if k == 3 and m.nkey:
            mujoco.mj_resetDataKeyframe(m, d, 0)
        # free bodies keep their positions, so that their contacts stay
        shift, free = rng.normal(size=m.nv) * size, np.zeros(m.nv, bool)
        for j in range(m.njnt):
            if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                free[m.jnt_dofadr[j]:][:6] = True
        mujoco.mj_integratePos(m, d.qpos, shift * np.where(free, .05, 1), 1.0)
        d.qvel[:] = rng.normal(size=m.nv) * size * 3
        d.ctrl[:] += rng.normal(size=m.nu) * 5 * size
        d.act[:] += rng.normal(size=m.na) * 2 * size
        d.mocap_pos[:] += rng.normal(size=d.mocap_pos.shape) * .2 * size
        if k == 2:
            d.qfrc_applied[:] = rng.normal(size=m.nv)
            d.xfrc_applied[1:] = rng.normal(size=(m.nbody - 1, 6))
            d.eq_active[:] = 1 - d.eq_active
        mujoco.mj_normalizeQuat(m, d.qpos)
        out.append({n: single(getattr(d, n)) for n in INPUTS})
    return out


def run(m, s):
    d = mujoco.MjData(m)
    def put():
        mujoco.mj_resetData(m, d)
        for n in INPUTS:
            getattr(d, n)[...] = s[n]
    put()
    mujoco.mj_forward(m, d)
    out = {n: np.atleast_1d(np.array(getattr(d, n), float)).ravel().copy() for n in OUT}
    out |= {n: np.array([float(getattr(d, n))]) for n in ("ncon", "nefc")}
    out["warning"] = np.array([float(d.warning[0].number)])
    put()
    mujoco.mj_step(m, d)
    # forces are compared within the step only
    out["solver_fwdinv"] = np.array(d.solver_fwdinv)
    return out | {"step/" + n: np.array(getattr(d, n), float).copy() for n in STEP}


def change(a, b):
    return max(float(np.max(np.abs(a[n] - b[n]) / (1 + np.max(np.abs(b[n]), initial=0)), initial=0)) if a[n].shape == b[n].shape else np.inf for n in a)


def main(path):
    D, base, wrong = {}, {}, []
    for k, (model, added, what) in enumerate(cases()):
        if what == "refused":
            continue
        m = load(model, added)
        if model not in base:
            inputs = states(m)
            base[model] = inputs, [run(m, s) for s in inputs]
            for n in INPUTS:
                D[f"{model}/in/{n}"] = np.stack([s[n].ravel() for s in inputs])
        inputs, plain = base[model]
        outs = [run(m, s) for s in inputs] if added != "<option/>" else plain
        least = max(change(a, b) for a, b in zip(outs, plain))
        if not (least > 1e-4 if what == "changes" else least < 1e-6):
            wrong.append(f"{model} {added}: {what}, but the largest change is {least:.1e}")
        for n in outs[0]:
            # arrays that equal those of the model's first line are not repeated
            if outs[0][n].size and (outs is plain or any((a[n] != b[n]).any() for a, b in zip(outs, plain))):
                D[f"{k}/{n}"] = np.stack([o[n] for o in outs])
    if wrong:
        sys.exit("\n".join(wrong))
    np.savez_compressed(path, **D)


main(sys.argv[1])
