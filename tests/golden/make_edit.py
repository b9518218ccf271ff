#!/usr/bin/env python3
"""make_edit.py OUT.npz: effects of edits of a compiled model in MuJoCo 4.0.0 (the edit, then mj_setConst, then 15 steps).

The model is tests/golden/edit.xml; the edits are those of tests/model/edit.rs, by the same names. For each: NAME/qpos, NAME/qvel after the steps,
and the constants that mj_setConst derives. For edits with a common name before the dot, that name alone stands for all of them together.
"""
import pathlib, sys
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSTANTS = """body_subtreemass body_invweight0 body_margin body_contype body_conaffinity body_sameframe dof_invweight0 dof_M0 dof_length
geom_aabb geom_rbound geom_fluid geom_sameframe geom_size site_sameframe tendon_length0 tendon_invweight0 actuator_acc0 actuator_length0
eq_data jnt_actuatorid tendon_actuatorid""".split()
STEPS = 15
DISABLE, ENABLE = mujoco.mjtDisableBit, mujoco.mjtEnableBit


def edits(m):
    g, b, j, d, a, t, s = (lambda n: m.geom(n).id), (lambda n: m.body(n).id), (lambda n: m.joint(n).id), (lambda n: m.joint(n).dofadr[0]), (
        lambda n: m.actuator(n).id), (lambda n: m.tendon(n).id), (lambda n: m.site(n).id)
    def mass(): m.body_mass[b("fore")] *= 3; m.body_inertia[b("fore")] *= 3
    def frame(): m.body_ipos[b("fore")] += [.03, .02, -.01]
    def turn(): m.body_iquat[b("arm")] = [.8, .6, 0, 0]
    def place(): m.body_pos[b("fore")] = [.35, .05, .02]; m.body_quat[b("hand")] = [.8, 0, .6, 0]
    def gravcomp(): m.body_gravcomp[b("arm")] = .7
    def start(): m.qpos0[m.joint("elbow").qposadr[0]] = .2
    def friction(): m.geom_friction[g("wedge")] = [.05, .001, .0001]; m.geom_friction[g("floor"), 0] = .1
    def solref(): m.geom_solref[g("ball")] = [.2, .7]; m.geom_solimp[g("wedge")] = [.5, .8, .01, .4, 3]
    def margin(): m.geom_margin[g("wedge")] = .03; m.geom_gap[g("ball")] = .02
    def condim(): m.geom_condim[g("wedge")] = 6; m.geom_condim[g("ball")] = 1
    def priority(): m.geom_priority[g("ball")] = 2; m.geom_friction[g("ball")] = [.2, .1, .1]; m.geom_solmix[g("wedge")] = 4
    def masks(): m.geom_contype[g("wedge")] = 2; m.geom_conaffinity[g("wedge")] = 0
    def size(): m.geom_size[g("ball"), 0] = .16; m.geom_size[g("box")] = [.15, .2, .13]; m.geom_size[g("upper"), :2] = [.07, .25]
    def shift(): m.geom_pos[g("ball")] = [0, 0, .03]; m.geom_pos[g("tip")] = [.3, .1, -.1]; m.geom_quat[g("hand")] = [.6, 0, 0, .8]
    def hill(): m.hfield_size[0] = [1.2, .9, .4, .2]
    def heights(): m.hfield_data[:] = [.5, .1, 0, 0, .6, 1, .2, .2, .3]
    def pair(): m.pair_friction[0] = [.05, .02, .001, .001, .001]; m.pair_solref[0] = [.05, 1.2]; m.pair_margin[0] = .01
    def exclude(): m.exclude_signature[0] = (b("arm") << 16) + b("hand")
    def damping(): m.dof_damping[:] = m.dof_damping * 4 + .05
    def armature(): m.dof_armature[d("shoulder")] = .2; m.dof_armature[d("pole")] = .1
    def loss(): m.dof_frictionloss[d("shoulder")] = .4; m.dof_frictionloss[d("twist")] = 0
    def limits(): m.jnt_range[j("shoulder")] = [.05, .3]; m.jnt_limited[j("elbow")] = 1; m.jnt_range[j("elbow")] = [-.2, .1]; m.jnt_margin[j("elbow")] = .05
    def spring(): m.jnt_stiffness[j("shoulder")] = 6; m.qpos_spring[m.joint("shoulder").qposadr[0]] = .4
    def axis(): m.jnt_axis[j("twist")] = [.8, .6, 0]; m.jnt_pos[j("elbow")] = [0, .05, .02]
    def gain(): m.actuator_gainprm[a("shoulder"), 0] = 2.5; m.actuator_biasprm[a("elbow"), 1] = -12; m.actuator_gainprm[a("elbow"), 0] = 12
    def gear(): m.actuator_gear[a("shoulder"), 0] = -3; m.actuator_gear[a("sum"), 0] = 4
    def lend(): m.actuator_damping[a("shoulder")] = .3; m.actuator_armature[a("shoulder")] = .01; m.actuator_damping[a("sum")] = .1
    def clamp(): m.actuator_forcelimited[a("shoulder")] = 1; m.actuator_forcerange[a("shoulder")] = [-.5, .5]; m.actuator_ctrllimited[a("lag")] = 1; m.actuator_ctrlrange[a("lag")] = [-.1, .1]
    def lag(): m.actuator_dynprm[a("lag"), 0] = .4; m.actuator_actearly[a("lag")] = 1
    def tendon(): m.tendon_stiffness[t("cord")] = 80; m.tendon_damping[t("sum")] = .3; m.tendon_lengthspring[t("cord")] = [.2, .25]; m.tendon_armature[t("sum")] = .02
    def rope(): m.tendon_range[t("cord"), 1] = .3; m.tendon_frictionloss[t("cord")] = .2; m.tendon_limited[t("sum")] = 1; m.tendon_range[t("sum")] = [-.1, .1]
    def site(): m.site_pos[s("fore")] = [.1, -.1, .15]
    def anchor(): m.eq_data[0, :3] = [.1, .05, 0]; m.eq_solref[0] = [.05, 1]; m.eq_data[2, 1] = .8
    def apart(): m.body_pos[b("welded")] += [.05, .02, -.03]; m.qpos0[m.joint(m.body("welded").jntadr[0]).qposadr[0]] += .05
    def off(): m.eq_active0[:] = [0, 1, 0]
    def torque(): m.eq_data[1, 10] = .2; m.eq_solimp[1] = [.5, .6, .01, .5, 2]
    def override():
        m.opt.enableflags |= ENABLE.mjENBL_OVERRIDE
        m.opt.o_margin = .01; m.opt.o_solref[:] = [.1, .8]; m.opt.o_solimp[:] = [.7, .8, .01, .5, 2]; m.opt.o_friction[:] = [.1, .2, .01, .001, .001]
    def parents(): m.opt.disableflags |= DISABLE.mjDSBL_FILTERPARENT
    def rk4(): m.opt.integrator = 1
    def implicit(): m.opt.integrator = 2
    def implicitfast(): m.opt.integrator = 3
    def elliptic(): m.opt.cone = 1; m.opt.impratio = 3
    def cg(): m.opt.solver = 1; m.opt.iterations = 1000; m.opt.tolerance = 1e-14
    def pgs(): m.opt.solver = 0; m.opt.iterations = 5000; m.opt.tolerance = 1e-14
    def noslip(): m.opt.noslip_iterations = 5
    def medium(): m.opt.density = 300; m.opt.viscosity = .5; m.opt.wind[:] = [1, .5, 0]
    def fluid(): m.opt.density = 100; m.geom_fluid[g("box"), 1:6] = [.3, .4, 2, .5, .6]; m.geom_size[g("box")] = [.25, .1, .1]
    def gravity(): m.opt.gravity[:] = [1, 0, -5]; m.opt.timestep = .002
    def disable(): m.opt.disableflags |= DISABLE.mjDSBL_SPRING | DISABLE.mjDSBL_LIMIT | DISABLE.mjDSBL_EQUALITY | DISABLE.mjDSBL_CLAMPCTRL
    def disable2(): m.opt.disableflags |= DISABLE.mjDSBL_DAMPER | DISABLE.mjDSBL_FRICTIONLOSS | DISABLE.mjDSBL_WARMSTART | DISABLE.mjDSBL_REFSAFE | DISABLE.mjDSBL_MULTICCD
    def group(): m.opt.disableactuator = 2
    topics = dict(
        inertia=[mass, frame, turn, place, gravcomp, start],
        contact=[friction, solref, margin, condim, priority, masks, hill, heights, pair, exclude],
        shape=[size, shift],
        joint=[damping, armature, loss, limits, spring, axis],
        actuator=[gain, gear, lend, clamp, lag],
        tendon=[tendon, rope, site],
        equality=[anchor, apart, torque, off],
        option=[override, parents, rk4, implicit, implicitfast, elliptic, cg, pgs, noslip, medium, fluid, gravity, disable, disable2, group],
    )
    return {f"{topic}.{edit.__name__}": edit for topic, list in topics.items() for edit in list}


def run(m):
    d = mujoco.MjData(m)
    d.qvel[:] = .3 * np.sin(1 + np.arange(m.nv))
    for j in np.nonzero(m.jnt_type == 0)[0]:
        d.qvel[m.jnt_dofadr[j]:][:6] = [.3, .1, -.1, .2, .1, .3]
    d.ctrl[:] = [.4, .3, -.5, .6]
    for _ in range(STEPS):
        mujoco.mj_step(m, d)
    return d


def main(out):
    arrays = {}
    load = lambda: mujoco.MjModel.from_xml_path(str(ROOT / "tests/golden/edit.xml"))
    names = list(edits(load()))
    topics = list(dict.fromkeys(n.split(".")[0] for n in names if not n.startswith("option")))
    for name in ["plain"] + names + topics:
        m = load()
        for edit, change in edits(m).items():
            if edit == name or edit.split(".")[0] == name:
                change()
        mujoco.mj_setConst(m, mujoco.MjData(m))
        tolerance = (m.opt.tolerance, m.opt.iterations)
        d = run(m)
        arrays[f"{name}/qpos"], arrays[f"{name}/qvel"] = d.qpos, d.qvel
        for field in CONSTANTS:
            value = np.array(getattr(m, field), dtype=np.float64)
            if name == "plain":
                arrays[f"plain/{field}"] = value
            elif not np.array_equal(value, arrays[f"plain/{field}"]):
                arrays[f"{name}/{field}"] = value
        print(name, *np.round(np.abs(d.qpos - arrays["plain/qpos"]).max(keepdims=True), 6), [f for f in CONSTANTS if f"{name}/{f}" in arrays] if name != "plain" else "", d.ncon, d.nefc)
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
