#!/usr/bin/env python3
"""make_expand.py OUT.npz: worlds that differ, in MuJoCo 4.0.0: 24 models of tests/golden/edit.xml, each with 20 random changes, then mj_setConst,
then 15 steps from the initial state of make_edit.py.

set/FIELD: the numbers of every model, one row each; out/qpos, out/qvel after the steps; const/FIELD: what mj_setConst derived.
"""
import sys
import mujoco, numpy as np
from make_edit import ROOT, run

NWORLD, CHANGES = 24, 20
# numbers that are scaled; if zero, this value is scaled instead
SCALED = dict(
    body_mass=1, body_inertia=1, body_gravcomp=.5, geom_friction=.1, geom_solmix=1, dof_damping=.1, dof_armature=.02, dof_frictionloss=.1,
    jnt_stiffness=1, actuator_gainprm=1, actuator_gear=1, tendon_stiffness=10, tendon_damping=.1, pair_friction=.1, hfield_data=.1, eq_solref=.02,
    geom_solref=.02, actuator_damping=.05, hfield_size=.1)
# numbers that are shifted, by up to this much
MOVED = dict(body_pos=.03, body_ipos=.02, geom_pos=.02, geom_margin=.01, jnt_pos=.02, jnt_range=.05, site_pos=.03, qpos_spring=.1)
OPTIONS = dict(gravity=1.0)
CONSTANTS = """body_subtreemass body_invweight0 dof_invweight0 dof_M0 geom_rbound tendon_length0 tendon_invweight0 actuator_acc0
actuator_length0""".split()


def change(m, rng):
    name = rng.choice(sorted(SCALED) + sorted(MOVED) + sorted(OPTIONS))
    array = getattr(m.opt if name in OPTIONS else m, name)
    # skips the world body; of some fields only the first numbers are used
    rows = array[1:] if name.startswith("body_") else array
    if name in ("actuator_gainprm", "actuator_gear", "geom_solref", "eq_solref"):
        rows = rows[:, :1]
    if rows.size == 0:
        return change(m, rng)
    i = tuple(rng.integers(n) for n in rows.shape)
    # a simple body keeps its centre of mass and its joint position, on which `body_simple` depends
    body = dict(body_ipos=i[0] + 1, jnt_pos=m.jnt_bodyid[i[0] % m.njnt]).get(name)
    if body is not None and m.body_simple[body]:
        return change(m, rng)
    if name in SCALED:
        of = rows[i] if rows[i] != 0 else SCALED[name]
        rows[i] = of * rng.uniform(.6, 1.5)
        if name == "hfield_data":
            rows[i] = min(rows[i], 1)
        if name == "body_inertia":
            rows[i[0]] = rows[i[0]] * 0 + rows[i]
    else:
        rows[i] = rows[i] + rng.uniform(-1, 1) * (MOVED.get(name) or OPTIONS[name])
        if name == "geom_margin":
            rows[i] = abs(rows[i])


def main(out):
    arrays = {}
    rng = np.random.default_rng(9)
    add = lambda name, x: arrays.setdefault(name, []).append(np.array(x, dtype=np.float64).ravel())
    for w in range(NWORLD):
        m = mujoco.MjModel.from_xml_path(str(ROOT / "tests/golden/edit.xml"))
        for _ in range(CHANGES):
            change(m, rng)
        mujoco.mj_setConst(m, mujoco.MjData(m))
        for name in [*SCALED, *MOVED]:
            add(f"set/{name}", getattr(m, name))
        for name in OPTIONS:
            add(f"set/{name}", getattr(m.opt, name))
        d = run(m)
        add("out/qpos", d.qpos), add("out/qvel", d.qvel)
        for name in CONSTANTS:
            add(f"const/{name}", getattr(m, name))
        print(w, d.ncon, d.nefc, np.abs(d.qvel).max(), list(d.warning.number))
    np.savez_compressed(out, **{name: np.array(rows) for name, rows in arrays.items()})


main(sys.argv[1])
