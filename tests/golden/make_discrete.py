#!/usr/bin/env python3
"""make_discrete.py: MuJoCo 4.0.0's results with the integrator "discrete", in discrete.json.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_discrete.py

A case is a text of MJCF, a state, the arrays of mjData behind mj_forward and behind mj_inverse of the acceleration that was given, how far
the inverse is from a step whose solver stops after some iterations (solver_fwdinv), and the state 20 steps later. Where the metric has couplings
beyond M's sparsity, MuJoCo iterates for qacc_smooth too, with the same number of iterations: there the solver may go on to its end.
"""
import json
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
CASES = []
FORWARD = "qacc_smooth qacc qfrc_smooth qfrc_constraint efc_R efc_diagA efc_aref efc_force efc_KBIP"


def compared(xml, state, stops):
    """solver_fwdinv of a step whose solver stops after some iterations; none with the flag ipc, which does not support it."""
    m = mujoco.MjModel.from_xml_string(xml)
    if m.opt.enableflags & mujoco.mjtEnableBit.mjENBL_IPC:
        return []
    m.opt.iterations = stops
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_FWDINV
    d = mujoco.MjData(m)
    for k in state:
        getattr(d, k)[:] = state[k]
    mujoco.mj_step(m, d)
    return d.solver_fwdinv.tolist()


def case(name, xml, seed=0, spread=0.2, speed=1.0, stops=1, fall={}):
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(seed)
    mujoco.mj_integratePos(m, d.qpos, spread * rng.normal(size=m.nv), 1.0)
    d.qvel[:] = speed * rng.normal(size=m.nv)
    for i, v in fall.items():
        d.qvel[i] = v
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
    assert stops == 1 or m.opt.tolerance < 1e-20 or not d.warning[mujoco.mjtWarning.mjWARN_INERTIA].number, f"{name}: not solved"
    fwdinv = compared(xml, state, stops)
    later = dict(qpos=d.qpos.tolist(), qvel=d.qvel.tolist())
    CASES.append(dict(name=name, xml=xml, state=state, said=said, inverse=back, stops=stops, fwdinv=fwdinv, later=later))


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


# couplings beyond M's sparsity
def coupled(name, inside, rest="", flags="", **more):
    most = "500" if more.get("solver", "Newton") == "Newton" else "20000"
    options = dict(tolerance="1e-14" if most == "500" else "1e-60", iterations=most) | {k: v for k, v in more.items() if k not in ("seed", "spread", "speed")}
    case(name, world(inside, rest, flags=flags, **options), stops=int(most), **{k: v for k, v in more.items() if k in ("seed", "spread", "speed")})


PEN = '<body pos="{x} 0 .19"><freejoint/><geom type="box" size=".1 .15 .2" mass="2" pos="{off} 0 0"/><site name="{n}" pos=".05 .02 .1"/></body>'
PENS = PEN.format(x=0, off=0, n="p") + PEN.format(x=.5, off=0, n="q") + PEN.format(x=1, off=.02, n="r")
TWIG = '<body pos="0 0 1.5"><joint name="{n}" axis="0 1 0" damping=".2"/><geom size=".1" pos=".3 0 0" mass="1"/></body>'
FORK = '<body pos="2 0 1"><joint name="k" axis="0 1 0" damping=".3"/><geom size=".1" pos=".1 0 0"/><body pos=".2 .3 0"><joint name="l" axis="0 1 0"/><geom size=".08" pos=".2 0 0"/></body>' \
    '<body pos=".2 -.3 0"><joint name="n" axis="1 0 0" limited="true" range="-9 9"/><geom size=".08" pos=".2 0 0"/></body></body>'
SPRING = '<tendon><spatial name="{a}{b}" stiffness="300 20 0" damping="10" springlength="{rest}"><site site="{a}"/><site site="{b}"/></spatial></tendon>'
BRANCHES = '<tendon><fixed name="t" stiffness="2000" damping="20" springlength=".1"><joint joint="l" coef=".5"/><joint joint="n" coef="-1"/></fixed></tendon>'
GROUND = '<geom type="plane" size="9 9 1"/>'

coupled("branches", FORK, BRANCHES)
coupled("branches by a servo", FORK, BRANCHES + '<actuator><position tendon="t" kp="300" kv="4"/><muscle tendon="t" lengthrange="-2 1" force="50"/></actuator>')
coupled("branches without springs", FORK, BRANCHES, flags='spring="disable"')
coupled("branches without dampers", FORK, BRANCHES, flags='damper="disable"')
for cone in ["pyramidal", "elliptic"]:
    for solver in ["Newton", "CG"]:
        coupled(f"trees {cone} {solver}", GROUND + PENS + FORK, SPRING.format(a="p", b="r", rest=".2") + BRANCHES, cone=cone, solver=solver, spread=.02, seed=4)
        coupled(f"trees {cone} {solver} without islands", GROUND + PENS + FORK, SPRING.format(a="p", b="r", rest=".2") + BRANCHES, cone=cone, solver=solver, flags='island="disable"', spread=.02, seed=4)
    coupled(f"trees {cone} exact", GROUND + PENS + FORK, SPRING.format(a="p", b="r", rest=".2") + BRANCHES, cone=cone, flags='diagexact="enable"', spread=.02, seed=5)
    coupled(f"trees {cone} no slip", GROUND + PENS + FORK, SPRING.format(a="p", b="r", rest=".2"), cone=cone, noslip_iterations="3", spread=.02, seed=5)
coupled("trees PGS", GROUND + PENS, SPRING.format(a="p", b="r", rest=".2").replace("300", "30"), solver="PGS", spread=.02, seed=4)
coupled("one of the trees touches", GROUND + PENS.replace('pos="0 0 .19"', 'pos="0 0 3"'), SPRING.format(a="p", b="r", rest=".2"), spread=.02, seed=6)
coupled("trees in the air", PENS, SPRING.format(a="p", b="q", rest=".1"), speed=4)
coupled("slack", PENS, SPRING.format(a="p", b="q", rest="0 5").replace('damping="10"', ""), speed=4)
coupled("a free body by a spring", PENS + '<site name="w" pos="0 0 1"/>', SPRING.format(a="w", b="p", rest=".1") + SPRING.format(a="w", b="r", rest=".1"), speed=4)
SITES = '<actuator><position site="p" refsite="q" kp="200" kv="5" gear="1 .5 0 .2 0 1"/><general site="q" refsite="r" gaintype="affine" gainprm="2 -1 -1" biastype="affine" biasprm="0 -100 -3" gear="0 0 1 0 0 0"/></actuator>'
coupled("servos between trees", GROUND + PENS, SITES, spread=.02, cone="elliptic")
coupled("servos that are off", GROUND + PENS, SITES, flags='actuation="disable"', spread=.02)
coupled("lines of one branch, exact", GROUND + FALLING.format(geom=""), '<tendon><fixed stiffness="300" damping="10" springlength=".1"><joint joint="a" coef=".5"/><joint joint="c" coef="-1"/></fixed></tendon>', flags='diagexact="enable"', spread=.05)
coupled("lines of one branch, no slip", GROUND + FALLING.format(geom=""), '<tendon><fixed stiffness="300" damping="10" springlength=".1"><joint joint="a" coef=".5"/><joint joint="c" coef="-1"/></fixed></tendon>', noslip_iterations="4", cone="elliptic", spread=.05)
coupled("a medium and trees", PENS, SPRING.format(a="p", b="r", rest=".1"), density="800", viscosity=".1", speed=2)

# contacts that stick
STICKY = '<geom type="plane" size="5 5 1" adhesion="3" gap=".05" solimp=".4 .6 .01"/>'
PADS = '<body pos="0 0 .199"><freejoint/><geom size=".2" mass="1" adhesion="2" condim="{dim}" gap=".02" solimp=".4 .6 .01"/></body><body pos="1 0 .22"><freejoint/><geom size=".2" mass="1" condim="{dim}" solimp=".4 .6 .01"/></body>' \
    '<body pos="2 0 .2"><joint name="a" axis="0 1 0" stiffness="20"/><joint type="slide" axis="0 0 1" damping="3"/><geom type="capsule" size=".2" fromto="0 0 0 .5 0 0" adhesion="1" solimp=".4 .6 .01"/></body>'
for cone in ["pyramidal", "elliptic"]:
    for dim in [1, 3, 6]:
        case(f"sticky {cone} {dim}", world(STICKY + PADS.format(dim=dim), cone=cone, tolerance="1e-13", iterations="300"), spread=.003, stops=300, seed=dim)
    case(f"sticky {cone} exact", world(STICKY + PADS.format(dim=4), cone=cone, tolerance="1e-13", iterations="300", flags='diagexact="enable"'), spread=.003, stops=300)
    case(f"sticky {cone} stiff", world(STICKY.replace("plane", 'plane" solref=".001 1') + PADS.format(dim=3), cone=cone, tolerance="1e-13", iterations="300", solver="PGS"), spread=.003, stops=300)

# springs about as stiff as a timestep resolves, which depends on the impedance
for k, (ref, imp) in enumerate([(".0051 1", ".9 .95 .001"), (".004 1", ".1 .95 .5"), (".006 .5", ".5 .95 .5"), (".0052 1", ".95 .5 .01")]):
    soft = f'solref="{ref}" solimp="{imp}"'
    case(f"as stiff as {ref} {imp}", world(FLOOR.format(floor=soft) + FALLING.format(geom=soft), tolerance="1e-12"), spread=.05, seed=k)

# contacts within the timestep
DARTS = '<geom type="plane" size="5 5 1" {soft}/><body pos="0 0 .5"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0" damping="1"/><geom size=".03" {soft}/></body>' \
    '<body pos="1 0 .6"><freejoint/><geom type="box" size=".04 .03 .02" {soft}/></body><geom type="box" pos="1 0 .1" size=".2 .2 .005" {soft}/>'
for k, ref in enumerate([".02 1", ".001 1", ".03 .5", "-3000 -20"]):
    for cone in ["pyramidal", "elliptic"]:
        x = world(DARTS.format(soft=f'solref="{ref}" solimp=".7 .9 .01"'), cone=cone, flags='speculative="enable"', tolerance="1e-13").replace('timestep=".005"', 'timestep=".02"')
        case(f"darts {ref} {cone}", x.replace('type="slide" axis="0 0 1"', 'type="slide" axis="0 0 1" damping="2"'), spread=.01, seed=k, fall={0: -30, 4: -35})

# soft bodies
CLOTH = '<flexcomp name="{n}" type="grid" count="{c}" spacing=".1 .1 .1" pos="{pos}" radius=".01" dim="2" mass=".5">{more}<contact selfcollide="none" solref=".01 1"/>' \
    '<elasticity young="{young}" poisson=".2" thickness=".01" damping="{damp}" elastic2d="{e}"/></flexcomp>'


def cloth(n="c", c="4 3 1", pos="0 0 1", more="", young="1e4", damp=".01", e="both"):
    return CLOTH.format(n=n, c=c, pos=pos, more=more, young=young, damp=damp, e=e)


# with softer contacts, which conjugate gradients solve for in single precision too
def supple(**more):
    return cloth(**more).replace('solref=".01 1"', 'solref=".01 1" solimp=".4 .6 .01"')


SOLID = '<flexcomp name="s" type="grid" count="3 3 2" spacing=".1 .1 .1" pos="0 0 {z}" radius=".01" dim="3" mass="1" {attr}>{more}<contact selfcollide="none"/><elasticity young="{young}" poisson=".3" damping=".01"/></flexcomp>'
PIN = '<pin id="0 3"/>'
for e in ["bend", "stretch", "both"]:
    for solver in ["Newton", "CG"]:
        coupled(f"cloth {e} {solver}", cloth(e=e, more=PIN, young="1e5"), solver=solver, spread=.01)
for flag in ["spring", "damper"]:
    coupled(f"cloth without {flag}", cloth(more=PIN), flags=f'{flag}="disable"', spread=.01)
for cone in ["pyramidal", "elliptic"]:
    for solver in ["Newton", "CG"]:
        coupled(f"cloth on a ball {cone} {solver}", GROUND + '<geom size=".1" pos=".02 .01 .08"/>' + supple(pos="0 0 .175", c="3 3 1", young="3e4") + PEN.format(x=1, off=0, n="p"), cone=cone, solver=solver, spread=.003, speed=.3, seed=1)
coupled("cloth exact", GROUND + '<geom size=".1" pos=".02 .01 .08"/>' + cloth(pos="0 0 .175", c="3 3 1") + PEN.format(x=1, off=0, n="p"), cone="elliptic", flags='diagexact="enable"', spread=.003, speed=.3)
coupled("cloth held by edges", cloth(more='<edge equality="true"/>' + PIN, e="bend"), spread=.004, speed=.2)
coupled("two cloths", GROUND + cloth(pos="0 0 .01", c="3 2 1") + cloth(n="d", pos="1 0 .5", c="2 2 1"), spread=.004, speed=.2)
for solver in ["Newton", "CG"]:
    coupled(f"a solid {solver}", GROUND + SOLID.format(z=".06", attr="", more="", young="2e4"), solver=solver, spread=.004, speed=.3)
    for dof, cells in [("trilinear", 'cellcount="2 1 1"'), ("trilinear", ""), ("quadratic", "")]:
        more = '<pin id="0 1"/>' if cells else ""
        coupled(f"cells {dof} {cells} {solver}".replace('"', ""), SOLID.format(z="1", attr=f'dof="{dof}" {cells}', more=more, young="2e4"), solver=solver, spread=.01)
coupled("cells on the ground", GROUND + SOLID.format(z=".055", attr='dof="trilinear"', more="", young="2e4"), cone="elliptic", spread=.003, speed=.3)
ARM = '<body name="arm" pos="0 0 1"><joint axis="0 1 0" damping=".1"/><geom size=".05" mass="1"/><body name="hand" pos=".1 0 0"><joint axis="1 0 0"/><geom size=".05" mass=".5"/>{inside}</body></body>'
for solver in ["Newton", "CG"]:
    coupled(f"cloth on an arm {solver}", ARM.format(inside=cloth(pos=".2 0 0", c="3 3 1", more='<pin id="0 1 2"/>')), solver=solver, spread=.01)
    coupled(f"cells on an arm {solver}", ARM.format(inside=SOLID.format(z=".1", attr='dof="trilinear"', more='<pin id="0 1"/>', young="2e4").replace("0 0 .1", ".2 0 .1")), solver=solver, spread=.01)
coupled("a bent cloth", '<flexcomp name="c" type="disc" count="5 4 1" spacing=".1 .1 .1" pos="0 0 1" radius=".01" dim="2" mass=".5"><contact selfcollide="none"/><elasticity young="1e5" poisson=".2" thickness=".01" damping=".01" elastic2d="both"/></flexcomp>', spread=.01)
coupled("cloth and a spring", GROUND + cloth(pos="0 0 .5", c="3 2 1", more=PIN.replace("0 3", "0")) + PENS, SPRING.format(a="p", b="q", rest=".1"), spread=.01)

# elastic rods: straight, bent, rings in a plane and out of it, held by bodies
ROD = '<flexcomp name="r" type="{kind}" {how} pos="0 0 1" dim="1" mass=".2" {radius}>{more}<contact selfcollide="none"/><elasticity young="{young}" poisson=".3" damping=".01" {section}/></flexcomp>'


def rod(kind="grid", how='count="6 1 1" spacing=".05 .05 .05"', box=False, more="", young="1e6", section=""):
    section += ' section="box" sectionsize=".012 .007"' if box else ""
    return ROD.format(kind=kind, how=how, radius="" if box else 'radius=".01"', more=more, young=young, section=section)


def by_points(points, closed=False):
    n = len(points)
    elements = [f"{k} {k + 1}" for k in range(n - 1)] + [f"{n - 1} 0"] * closed
    return f'point="{" ".join(f"{x:.5f}" for p in points for x in p)}" element="{" ".join(elements)}"'


ARC = by_points([(.1 * np.cos(t), .1 * np.sin(t), .04 * t) for t in np.linspace(0, 2.5, 6)])
LOOP = by_points([(.1 * np.cos(t), .1 * np.sin(t), .03 * np.sin(2 * t + .3)) for t in np.linspace(0, 2 * np.pi, 8)[:-1]], closed=True)
FLAT = by_points([(0, 0, 0), (.05, 0, 0), (.1, 0, 0), (.15, 0, 0), (.2, .05, 0), (.15, .1, 0), (.1, .1, 0), (.05, .1, 0), (0, .1, 0), (-.05, .05, 0)], closed=True)
for solver in ["Newton", "CG"]:
    coupled(f"a rod {solver}", rod(more=PIN.replace("0 3", "0")), solver=solver, spread=.01)
coupled("a rod with a section", rod(box=True), spread=.005, speed=.3)
coupled("a bent rod", rod("direct", ARC), spread=.01)
coupled("a bent rod with a section", rod("direct", ARC, box=True, more=PIN.replace("0 3", "0 1")), spread=.004, speed=.3)
coupled("a ring", rod("circle", 'count="9 1 1" spacing=".05 .05 .05"', young="1e5"), spread=.004)
coupled("a ring out of its plane", rod("direct", LOOP, section='shear="2e5"', young="1e5"), spread=.004)
coupled("a ring with straight parts", rod("direct", FLAT, young="2e4"), spread=.002)
coupled("a rod on an arm", ARM.format(inside=rod(more='<pin id="0 1"/>').replace('pos="0 0 1"', 'pos=".3 0 0"')), spread=.01)
coupled("a rod on the ground", GROUND + rod().replace('pos="0 0 1"', 'pos="0 0 .0099"').replace("<contact", '<contact solimp=".4 .6 .01"'), spread=.003, speed=.2)
coupled("a rod with a section on the ground", GROUND + rod(box=True).replace('pos="0 0 1"', 'pos="0 0 .0069"').replace("<contact", '<contact solimp=".4 .6 .01"'), spread=.003, speed=.2)
for flag in ["spring", "damper"]:
    coupled(f"a rod without {flag}", rod(more=PIN.replace("0 3", "0")), flags=f'{flag}="disable"', spread=.01)

# shells between nodes, and flexes that yield
SHELL = '<flexcomp name="s" type="box" count="4 3 3" cellcount="2 1 1" spacing=".1 .12 .09" pos="0 0 1" radius=".01" dim="2" mass="1" dof="trilinear">{more}<contact selfcollide="none"/><elasticity young="2e4" poisson=".3" thickness=".02" damping=".01" elastic2d="{e}" {soft}/></flexcomp>'
for e in ["bend", "stretch", "both"]:
    coupled(f"a shell between nodes {e}", SHELL.format(e=e, more="", soft=""), spread=.01)
coupled("a shell whose strains are held", SHELL.format(e="bend", more='<edge equality="strain"/>', soft=""), spread=.002, speed=.1)
YIELDS = 'yield="{0} {1}" elastic2d'
for e, limits in [("stretch", (".01", "0")), ("bend", ("0", ".0003")), ("both", (".01", ".0003"))]:
    coupled(f"a cloth that yields {e}", cloth(e=e, young="1e5", more=PIN).replace("elastic2d", YIELDS.format(*limits)), spread=.01)
coupled("a solid that yields", SOLID.format(z="1", attr="", more="", young="2e4").replace("young", 'yield=".01 0" young'), spread=.01)
coupled("cells that yield", SOLID.format(z="1", attr='dof="trilinear"', more="", young="2e4").replace("young", 'yield=".01 0" young'), spread=.01)
coupled("a shell between nodes that yields", SHELL.format(e="both", more="", soft='yield=".01 0"'), spread=.01)

# passive contacts: with what does not move, between flexes, with itself, of vertices and nodes
PASSIVE = 'selfcollide="none" passive="true"'


def giving(**more):
    return cloth(**more).replace('selfcollide="none"', PASSIVE)


BALL = '<geom size=".1" pos=".02 .01 .08"/>'
for solver in ["Newton", "CG"]:
    coupled(f"a cloth gives way {solver}", GROUND + BALL + giving(pos="0 0 .185", c="3 3 1"), solver=solver, spread=.002, speed=.3)
coupled("a cloth gives way to the ground within the margin", GROUND + giving(pos="0 0 .012", c="3 2 1").replace("passive=", 'margin=".004" passive='), spread=.001, speed=.3)
coupled("two cloths give way", giving(pos="0 0 .1", c="3 3 1", more=PIN) + giving(n="d", pos=".03 .02 .119", c="3 3 1").replace('mass=".5"', 'mass="2"'), spread=.001, speed=.2)
coupled("one of two cloths gives way", giving(pos="0 0 .1", c="3 3 1", more=PIN) + cloth(n="d", pos=".03 .02 .119", c="3 3 1").replace('mass=".5"', 'mass="2"'), spread=.001, speed=.2)
coupled("a body in motion makes rows", GROUND + '<body pos=".02 .01 .08"><freejoint/><geom size=".1"/></body>' + giving(pos="0 0 .188", c="3 3 1"), spread=.001, speed=.2)
coupled("a solid gives way", GROUND + SOLID.format(z=".059", attr="", more="", young="2e4").replace('selfcollide="none"', PASSIVE), spread=.001, speed=.2)
coupled("cells give way", GROUND + BALL + SOLID.format(z=".239", attr='dof="trilinear"', more='<pin id="1"/>', young="2e4").replace('selfcollide="none"', PASSIVE), spread=.001, speed=.2)
coupled("cells and a cloth give way", SOLID.format(z=".1", attr='dof="trilinear"', more="", young="2e4").replace('selfcollide="none"', PASSIVE) + giving(pos=".02 .03 .169", c="2 2 1"), spread=.001, speed=.2)
FOLDED = '<flexcomp name="f" type="direct" dim="2" point="0 0 .1 .1 0 .1 0 .1 .1 .1 .1 .1 .01 .006 .118 .104 .008 .118 .004 .11 .118 .11 .11 .119" element="0 1 2 1 3 2 4 5 6 5 7 6" mass=".5" radius=".01">' \
    '<contact selfcollide="narrow" passive="true"/><elasticity young="1e4" poisson=".2" thickness=".01" damping=".01" elastic2d="both"/></flexcomp>'
coupled("a folded cloth gives way to itself", FOLDED, spread=.0005, speed=.2)
coupled("a rope gives no way", giving(pos="0 0 .1", c="3 3 1") + rod(how='count="4 1 1" spacing=".05 .05 .05"').replace('pos="0 0 1"', 'pos=".01 .02 .118"').replace('selfcollide="none"', PASSIVE), spread=.001, speed=.2)

# without flexes of dim 2 the flag ipc changes little: all islands are solved at once, from the unconstrained acceleration, and no contact is passive
IPC = 'ipc="enable"'
for cone in ["pyramidal", "elliptic"]:
    for solver in ["Newton", "CG"]:
        case(f"ipc {cone} {solver}", world(GROUND + PENS + FORK, flags=IPC, cone=cone, solver=solver, iterations="3"), spread=.02, seed=4)
coupled("ipc and a solid that would give way", GROUND + SOLID.format(z=".059", attr="", more="", young="2e4").replace('selfcollide="none"', PASSIVE), flags=IPC, spread=.001, speed=.2)

# much of it at once: a software adapter compiles the kernels of each model for long
FIXED = '<tendon><fixed name="t" stiffness="300" damping="10" springlength=".1"><joint joint="h" coef=".5"/><joint joint="s" coef="-1"/></fixed></tendon>'
DRIVES = "".join(x.replace("<actuator>", "").replace("</actuator>", "") for x in (SERVOS, MUSCLES, MOTORS))
case("springs, servos, muscles and motors in a medium", world(CHAIN + FREE + SPRUNG, FIXED + f"<actuator>{DRIVES}</actuator>", density="100", viscosity=".1"), seed=1)

pathlib.Path(__file__).with_name("discrete.json").write_text(json.dumps(CASES, separators=(",", ":"), allow_nan=False))
print(len(CASES), "cases")
