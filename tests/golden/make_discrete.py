#!/usr/bin/env python3
"""make_discrete.py: MuJoCo 4.0.0's results with the integrator "discrete", in discrete.json.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_discrete.py

A case is a text of MJCF, a state, the arrays of mjData behind mj_forward and behind mj_inverse of the acceleration that was given, how far
the inverse is from a step whose solver stops after one iteration (solver_fwdinv), and the state 20 steps later.
"""
import json
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
CASES = []
FORWARD = "qacc_smooth qacc qfrc_smooth qfrc_constraint efc_R efc_diagA efc_aref efc_force efc_KBIP"


def case(name, xml, seed=0, spread=0.2, speed=1.0):
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(seed)
    mujoco.mj_integratePos(m, d.qpos, spread * rng.normal(size=m.nv), 1.0)
    d.qvel[:] = speed * rng.normal(size=m.nv)
    d.ctrl[:] = rng.uniform(-1, 1, m.nu)
    d.act[:] = rng.uniform(0, 1, m.na)
    state = {k: np.array(getattr(d, k)).ravel().tolist() for k in "qpos qvel ctrl act".split() if getattr(d, k).size}
    mujoco.mj_forward(m, d)
    said = {f: np.asarray(getattr(d, f), float).ravel().tolist() for f in FORWARD.split()}
    qacc = d.qacc + rng.normal(size=m.nv)
    inverse = mujoco.MjData(m)
    for k in state:
        getattr(inverse, k)[:] = state[k]
    mujoco.mj_forward(m, inverse)
    inverse.qacc[:] = qacc
    mujoco.mj_inverse(m, inverse)
    back = dict(qacc=qacc.tolist(), qfrc_inverse=inverse.qfrc_inverse.tolist())
    for _ in range(20):
        mujoco.mj_step(m, d)
    stopped = mujoco.MjModel.from_xml_string(xml)
    stopped.opt.iterations = 1
    stopped.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_FWDINV
    other = mujoco.MjData(stopped)
    for k in state:
        getattr(other, k)[:] = state[k]
    mujoco.mj_step(stopped, other)
    fwdinv = other.solver_fwdinv.tolist()
    later = dict(qpos=d.qpos.tolist(), qvel=d.qvel.tolist())
    CASES.append(dict(name=name, xml=xml, state=state, said=said, inverse=back, fwdinv=fwdinv, later=later))


def world(inside, rest="", **options):
    said = " ".join(f'{k}="{v}"' for k, v in options.items() if k != "flags")
    flags = options.get("flags", "")
    return f'<mujoco><option integrator="discrete" timestep=".005" {said}><flag {flags}/></option><worldbody>{inside}</worldbody>{rest}</mujoco>'


BALL = '<body pos="0 0 1"><joint name="b" type="ball" damping=".3" stiffness="{k}"/><geom type="box" size=".1 .2 .3" pos=".2 0 0"/>{inside}</body>'
HINGE = '<body pos=".4 0 0"><joint name="h" axis="0 1 0" damping="1" stiffness="50" springref="20"/><geom size=".1" pos=".2 0 0"/>{inside}</body>'
SLIDE = '<body pos=".4 0 0"><joint name="s" type="slide" axis="0 0 1" damping="2" armature=".1"/><geom size=".05" pos=".1 0 0"/></body>'
CHAIN = BALL.format(k=5, inside=HINGE.format(inside=SLIDE))
FREE = '<body pos="3 0 2"><freejoint/><geom type="box" size=".1 .2 .3"/></body>'
SPRUNG = '<body pos="5 0 2"><joint type="free" stiffness="40" damping=".5"/><geom type="box" size=".2 .1 .3"/></body>'

case("springs and dampers of joints", world(CHAIN + FREE + SPRUNG), speed=3)
case("polynomials", world(CHAIN.replace('stiffness="50"', 'stiffness="50 20 300"').replace('damping="1"', 'damping="1 .5 .3"')), speed=3)
case("without springs", world(CHAIN, flags='spring="disable"'))
case("without dampers", world(CHAIN, flags='damper="disable"'))

SERVOS = """<actuator><position joint="h" kp="2000" kv="30"/><velocity joint="s" kv="50"/><position joint="s" kp="500" forcerange="-1 1"/>
<general joint="h" gainprm="3 1 -2" biasprm="1 -4 -5" gaintype="affine" biastype="affine"/><intvelocity joint="s" kp="100" actrange="-1 1"/><motor joint="h" gear="3"/></actuator>"""
case("servos", world(CHAIN, SERVOS))
case("tendons of one branch", world(CHAIN, '<tendon><fixed name="t" stiffness="300" damping="10" springlength=".1"><joint joint="h" coef=".5"/><joint joint="s" coef="-1"/></fixed></tendon>'
     '<actuator><position tendon="t" kp="200" kv="3"/></actuator>'))

MUSCLES = """<actuator><muscle joint="h" lengthrange="-1 1" force="100"/><muscle joint="s" lengthrange="-.5 .5" force="60" gear="-1"/>
<general joint="h" dyntype="muscle" gaintype="muscle" biastype="muscle" dynprm=".01 .04" gainprm=".75 1.05 100 200 .5 1.6 1.5 1.3 1.2" biasprm=".75 1.05 100 200 .5 1.6 1.5 1.3 1.2" lengthrange="-2 .5" actearly="true"/></actuator>"""
for seed in range(3):
    case(f"muscles {seed}", world(CHAIN, MUSCLES), seed=seed, spread=.5)
MOTORS = """<actuator><dcmotor joint="h" resistance="2" motorconst="0.5"/><dcmotor joint="s" resistance="2" motorconst="0.5" input="pos vel ff voltage" controller="3 2 0.5 0.7 0.3 4"/>
<dcmotor joint="h" resistance="2" motorconst="0.5" input="pos" controller="300 2 0.5 0.7 0.3 0" thermal="1 50 0 0.004 25 30" inductance="0 0.02" lugre="100 1 0.1 0.2 0.05" cogging="0.1 6 0.3"/>
<dcmotor joint="s" nominal="12 2 300" cogging="9 4 0"/></actuator>"""
for seed in range(2):
    case(f"motors {seed}", world(CHAIN, MOTORS), seed=seed)
case("actuators of balls and sites", world(CHAIN.replace('<geom size=".05" pos=".1 0 0"/>', '<geom size=".05" pos=".1 0 0"/><site name="tool" pos=".1 .1 0" euler="10 20 30"/>'),
     """<actuator><orientation joint="b" kp="20" kv=".3"/><position site="tool" kp="30" kv="2" gear="1 0 2 0 .5 0"/><position joint="b" kp="10" kv="1" gear="1 2 .5"/></actuator>"""))

FISH = '<body pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .3" pos=".1 0 0" {fluid}/><body pos=".3 0 0"><joint axis="0 1 0" damping=".1"/><geom type="box" size=".2 .1 .02" pos=".2 0 0" {fluid}/></body></body>' + FREE
for fluid in ["", 'fluidshape="ellipsoid" fluidcoef=".5 .25 1.5 1 1"']:
    for seed in range(2):
        case(f"a medium {fluid} {seed}", world(FISH.format(fluid=fluid), density="1000", viscosity=".1", wind="1 .5 0"), seed=seed)
case("a medium without springs and dampers", world(FISH.format(fluid=""), density="1000", flags='spring="disable" damper="disable"'))
case("contacts in a medium", world('<geom type="plane" size="5 5 1"/>' + FISH.format(fluid="").replace("0 0 1", "0 0 .2"), density="100", viscosity=".1", tolerance="1e-12"), spread=.05)

FLOOR = '<geom type="plane" size="5 5 1" {floor}/>'
FALLING = '<body pos="0 0 .2"><freejoint/><geom type="box" size=".1 .1 .1" {geom}/><body pos="0 0 .2"><joint name="a" damping="2" stiffness="30" axis="0 1 0"/>' \
    '<geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" {geom}/><body pos=".3 0 0"><joint name="c" damping="5" axis="0 0 1" limited="true" range="-5 5" frictionloss=".2"/>' \
    '<geom size=".05" pos="0 .1 -.36" {geom}/></body></body></body>' + FREE
for cone in ["pyramidal", "elliptic"]:
    for solver in ["Newton", "CG", "PGS"]:
        case(f"contacts {cone} {solver}", world(FLOOR.format(floor='') + FALLING.format(geom=''), cone=cone, solver=solver, tolerance="1e-12", iterations="500", impratio="3"), spread=.05, seed=2)
    for ref in [".001 1", ".0005 .5", "-20000 -50", ".02 1.3"]:
        solref = f'solref="{ref}" condim="4" solimp=".8 .95 .05 .5 2"'
        case(f"contacts {cone} solref {ref}", world(FLOOR.format(floor=solref) + FALLING.format(geom=solref), cone=cone, tolerance="1e-12"), spread=.05, seed=3)
    case(f"contacts {cone} as they are said", world(FLOOR.format(floor='solref=".0005 1"') + FALLING.format(geom='solref=".0005 1"'), cone=cone, flags='refsafe="disable"', tolerance="1e-12"), spread=.05)
    case(f"contacts {cone} by the exact diagonal", world(FLOOR.format(floor='') + FALLING.format(geom=''), cone=cone, flags='diagexact="enable"', tolerance="1e-12"), spread=.05)
case("no slip", world(FLOOR.format(floor='') + FALLING.format(geom=''), cone="elliptic", noslip_iterations="3", tolerance="1e-12"), spread=.05)

TIED = BALL.format(k=0, inside=HINGE.format(inside="")).replace("<body pos=\"0 0 1\">", '<body name="x" pos="0 0 1">') + FREE.replace("<body pos", '<body name="y" pos').replace("3 0 2", ".5 0 1.2")
case("connected", world(TIED, '<contact><exclude body1="x" body2="y"/></contact><equality><connect body1="x" body2="y" anchor=".3 .1 0" solref=".001 1"/></equality>', tolerance="1e-12"), spread=.05)
case("welded", world(TIED, '<contact><exclude body1="x" body2="y"/></contact><equality><weld body1="x" body2="y" solref=".01 1"/></equality>', tolerance="1e-12"), spread=.05)
case("joints tied", world(CHAIN, '<equality><joint joint1="h" joint2="s" polycoef="0 .5 .1 0 0"/></equality>', tolerance="1e-12"))

pathlib.Path(__file__).with_name("discrete.json").write_text(json.dumps(CASES, separators=(",", ":")))
print(len(CASES), "cases")
