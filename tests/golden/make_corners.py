#!/usr/bin/env python3
"""make_corners.py: MuJoCo 4.0.0's results for small cases that no model of models/ reaches, in corners.json.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_corners.py

A case is an MJCF text, a state, and the arrays of mjData after mj_forward, `contact.X` as contact_X.
"""
import json
import math
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
CASES = []


def world(inside, head=""):
    return f"<mujoco>{head}<worldbody>{inside}</worldbody></mujoco>"


def case(name, xml, fields, tolerance=1e-9, **state):
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    for key, values in state.items():
        getattr(d, key).ravel()[:] = values
    mujoco.mj_forward(m, d)
    of = lambda f: getattr(d.contact, f[8:]) if f.startswith("contact_") else getattr(d, f)
    said = {f: np.asarray(of(f), float).ravel().tolist() for f in fields.split()}
    state = {k: np.asarray(v, float).ravel().tolist() for k, v in state.items()}
    CASES.append(dict(name=name, xml=xml, state=state, tolerance=tolerance, said=said))


CONTACT = "ncon contact_dist contact_pos contact_frame"
pair = lambda a, b: world(f'<geom {a}/><body><freejoint/><geom {b}/></body>')

# a search of convex solids that ends with the origin on a segment, along each axis
for axis in range(3):
    at = [0.0] * 3
    at[axis] = 0.03
    solid = 'type="ellipsoid" size="%s"' % " ".join(str(s) for s in np.roll([0.05, 0.2, 0.3], axis))
    case(f"ellipsoids one in the other along axis {axis}", pair(solid, solid), CONTACT, 1e-5, qpos=at + [1, 0, 0, 0])

# rays that hit the four sides of a height field and its bottom
sites = "".join(f'<site name="s{k}" pos="{p}" zaxis="{z}"/>' for k, (p, z) in enumerate([
    ("-2 .05 -9.05", "1 .02 .01"), ("2 .1 -9.03", "-1 .03 .02"), ("-.1 -2 -9.04", ".02 1 .01"), (".2 2 -8.98", ".01 -1 -.01"), (".1 .1 -11", ".02 .01 1")]))
sensors = "".join(f'<rangefinder site="s{k}" data="dist normal"/>' for k in range(5))
case("sides of a height field", '<mujoco><asset><hfield name="h" nrow="4" ncol="5" size="1 .8 .3 .2" elevation="1 2 3 2 1 1 3 4 2 1 2 2 3 3 1 1 2 2 1 2"/></asset>'
     f'<worldbody><geom type="hfield" hfield="h"/><body pos="0 0 9">{sites}<joint/><geom size=".1"/></body></worldbody><sensor>{sensors}</sensor></mujoco>', "sensordata")

# points inside and outside of every shape
shapes = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
spots = [(0.05, 0.08, 0.1), (0.19, 0, 0), (0, 0.25, 0.1), (0.1, 0.1, 0.34), (0.15, 0.15, 0.2), (0, 0, 0.42)]
text = "".join(f'<site name="{s}" type="{s}" size=".2 .3 .25" pos="{i} 0 0" euler="0 0 {20 * i}"/>' for i, s in enumerate(shapes))
text += "".join(f'<site name="{s}{k}" pos="{i + x} {y} {z}"/>' for i, s in enumerate(shapes) for k, (x, y, z) in enumerate(spots))
sensors = "".join(f'<insidesite site="{s}" objtype="site" objname="{s}{k}"/>' for s in shapes for k in range(len(spots)))
case("inside of sites", f"<mujoco><worldbody>{text}</worldbody><sensor>{sensors}</sensor></mujoco>", "sensordata")

# forces between bodies with a tendon coupled to another, and with limits and friction of tendons
LINKS = """<body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".05 .2" type="capsule"/><site name="p" pos=".1 0 .2"/>
<body pos="0 0 .5"><joint name="b" axis="0 1 0"/><geom size=".05 .2" type="capsule"/><site name="q" pos="-.1 .02 .1"/>
<body pos="0 0 .5"><joint name="c" axis="1 1 0"/><geom size=".05 .1" type="capsule"/><site name="r" pos=".1 .05 .1"/></body></body></body><site name="o" pos=".3 0 .8"/>"""
TENDONS = """<tendon><spatial name="t" range="0 .4" limited="true" frictionloss="2"><site site="o"/><site site="p"/><site site="q"/></spatial>
<spatial name="u" range=".9 2" limited="true"><site site="p"/><site site="r"/></spatial></tendon>
<equality><tendon tendon1="t" tendon2="u" polycoef=".1 .8 .3 -.2 .1"/></equality>"""
case("forces of tendons", f"<mujoco><option><flag energy='enable'/></option><worldbody>{LINKS}</worldbody>{TENDONS}<sensor><force site='p'/><torque site='q'/><force site='r'/></sensor></mujoco>",
     "qacc sensordata cfrc_int cfrc_ext efc_force", 1e-7, qpos=[0.3, -0.5, 0.4], qvel=[1, -2, 0.5])

# sweeps and iterations that end before the optimum, one more each time; with condim 6 a heavy box gives a nearly singular block
PILE = """<geom type="plane" size="5 5 1"/><body pos="0 0 .148" euler="0 0 3"><freejoint/><geom type="box" size=".2 .15 .15" mass="%s" friction=".3 .02 .01"/></body>
<body pos=".05 .02 .39" euler="2 1 0"><freejoint/><geom type="box" size=".1 .1 .1" friction=".4 .01 .001"/></body>"""
for solver in ("PGS", "CG", "Newton"):
    for cone in ("pyramidal", "elliptic"):
        for condim in (1, 3, 4, 6):
            for iterations in (1, 2, 4):
                head = f'<option solver="{solver}" cone="{cone}" iterations="{iterations}" tolerance="0"/><default><geom condim="{condim}"/></default>'
                case(f"{iterations} iterations of {solver}, {cone}, condim {condim}", world(PILE % 300, head), "qacc efc_force", 1e-6 if solver == "CG" else 1e-7,
                     qvel=[.4, -.3, -.2, .1, .5, 2, -.6, .2, -1, .3, .1, -.4])
for condim in (3, 4, 6):
    for sweeps in (1, 3):
        head = f'<option solver="Newton" cone="elliptic" noslip_iterations="{sweeps}" noslip_tolerance="0" tolerance="1e-14" iterations="200"/><default><geom condim="{condim}"/></default>'
        case(f"{sweeps} sweeps against slip, condim {condim}", world(PILE % 300, head), "qacc efc_force", 1e-6, qvel=[.4, -.3, -.2, .1, .5, 2, -.6, .2, -1, .3, .1, -.4])

# solver parameters that the models lack: mixed references, a constant impedance, a width of zero, powers
for solref, solimp in ((".02 -1", ".9 .95 .001 .5 2"), ("-300 .5", ".9 .95 .001 .5 2"), (".01 1", ".8 .8 .001 .5 2"), (".01 1", ".7 .9 0 .5 2"),
                       (".001 .7", ".2 .9 .01 .3 1"), (".02 1", ".3 .99 .02 .7 3.5"), ("-500 -20", "0 1 .1 0 6")):
    for height in (.0995, .093, .085):
        case(f"solref {solref}, solimp {solimp}, at {height}", pair('type="plane" size="1 1 1"', f'size=".1" solref="{solref}" solimp="{solimp}" priority="1"'),
             "efc_KBIP efc_R efc_aref efc_force qacc", 1e-7, qpos=[0, 0, height, 1, 0, 0, 0], qvel=[.1, .2, -.3, 0, 0, 1])

# net contact forces, reported for either side, with torque
for first, second in (("a", "b"), ("b", "a"), ("floor", "b"), ("b", "floor")):
    sensors = "".join(f'<contact geom1="{first}" geom2="{second}" reduce="{r}" num="2" data="found force torque dist pos normal tangent"/>'
                      for r in ("none", "mindist", "maxforce", "netforce"))
    case(f"contacts of {first} and {second}", f"""<mujoco><option cone="elliptic" tolerance="1e-14" iterations="200"/><default><geom condim="4" friction=".7 .03 .01"/></default><worldbody>
         <geom name="floor" type="plane" size="2 2 1"/><body pos="0 0 .1"><freejoint/><geom name="b" type="box" size=".2 .2 .101"/></body>
         <body pos=".03 .05 .29"><freejoint/><geom name="a" type="box" size=".1 .15 .091"/></body></worldbody><sensor>{sensors}</sensor></mujoco>""",
         "sensordata", 1e-6, qvel=[.1, -.2, 0, .3, .1, .2, -.2, .1, 0, 0, .4, -.5])

# a tendon that wraps inside of a cylinder, between points in one direction, in opposite directions, and along the axis
for name, to in (("the same direction", "-.5 0 .4"), ("nearly the same", "-.5 1e-9 .4"), ("opposite", ".6 0 .3"), ("across", "-.1 .6 .2"), ("near the axis", "-.3 1e-12 -.2")):
    for side in ("0 0 0", "0 .9 0"):
        case(f"around a cylinder to {name}, side at {side}", f"""<mujoco><worldbody><geom name="g" type="cylinder" size=".2 1"/><site name="side" pos="{side}"/>
             <site name="o" pos="-.9 0 0"/><body pos="0 0 .0"><joint type="slide" axis="1 1 0"/><geom size=".01" mass="1" pos="{to}" contype="0" conaffinity="0"/><site name="p" pos="{to}"/></body></worldbody>
             <tendon><spatial name="t" stiffness="9"><site site="o"/><geom geom="g" sidesite="side"/><site site="p"/></spatial></tendon></mujoco>""",
             "ten_length qacc ten_wrapnum wrap_xpos", 1e-9)

# warm starts from accelerations that would need forces beyond the contacts' bounds
for solver in ("PGS", "CG", "Newton"):
    for cone in ("pyramidal", "elliptic"):
        head = f'<option solver="{solver}" cone="{cone}" iterations="2" tolerance="0"/><default><geom condim="4"/></default>'
        case(f"2 iterations of {solver}, {cone}, from a wrong start", world(PILE % 2, head), "qacc efc_force", 1e-6,
             qacc_warmstart=[3, -5, 40, 8, -7, 60, -9, 4, -30, 20, 10, -5], qvel=[.1, -.3, -.2, .1, .5, 2, -.6, .2, -1, .3, .1, -.4])

# solids inside each other: the depth is attained in one direction only, or in two opposite ones
MESHES = {"tetra": "0 0 .2  .2 0 -.1  -.1 .17 -.1  -.1 -.19 -.1", "wedge": "-.2 -.1 -.1  .2 -.1 -.1  -.2 .1 -.1  .2 .1 -.1  -.2 0 .15  .2 0 .16"}
ASSETS = "<asset>" + "".join(f'<mesh name="{k}" vertex="{v}"/>' for k, v in MESHES.items()) + "</asset>"
SOLIDS = {"tetra": 'type="mesh" mesh="tetra"', "wedge": 'type="mesh" mesh="wedge"', "box": 'type="box" size=".07 .2 .3"', "cylinder": 'type="cylinder" size=".2 .05"',
          "ellipsoid": 'type="ellipsoid" size=".06 .2 .3"', "capsule": 'type="capsule" size=".05 .2"'}
names = list(SOLIDS)
for i, a in enumerate(names):
    for b in names[i:]:
        if (a, b) in (("box", "box"), ("box", "capsule"), ("capsule", "capsule")):
            continue
        for at in ("0 0 0", ".03 0 0", "0 .01 .02"):
            # three corners of either wedge are farthest along x, and the origin is on a line between the chosen corners
            if (a, b, at) == ("wedge", "wedge", "0 0 0"):
                continue
            case(f"{b} in {a} at {at}", f'<mujoco><option ccd_iterations="200"><flag multiccd="disable"/></option>{ASSETS}<worldbody><geom {SOLIDS[a]}/><body><freejoint/><geom {SOLIDS[b]}/></body></worldbody></mujoco>',
                 "ncon contact_dist", 1e-6, qpos=[float(x) for x in at.split()] + [1, 0, 0, 0])

# arms that share an end: the direction between them is undefined, so the normal is perpendicular to both; the others are nearly in line
def arms(pairs):
    """Two capsules for each pair of angles, from one point, each on a joint of its own."""
    one = lambda i, a: f"""<body pos="{1.7 * i} .3 {.4 * i}"><joint axis="0 1 0"/><geom type="capsule" size=".1" fromto="0 0 0 {math.cos(a)} 0 {math.sin(a)}"/></body>"""
    return "\n".join(one(i, a) for i, pair in enumerate(pairs) for a in pair)


BENT = [(2.2, .9), (.7, 2.9), (2, .3), (3.1, 1.4), (1.9, .6), (.5, 1.7)]
INLINE = [(a, a + math.pi + b) for a, b in [(.7, .012), (.2, -.02), (1.3, .004), (2.6, .03), (1.9, -.007)]]
case("arms that share an end", f'<mujoco><worldbody>{arms(BENT)}</worldbody></mujoco>', "ncon contact_dist contact_frame", 1e-9)
case("arms that share an end, nearly in line", f'<mujoco><worldbody>{arms(INLINE)}</worldbody></mujoco>', "ncon contact_dist contact_frame", 1e-9)

# the force through a free joint beside contacts, a weld and tendons of 10 to 100 kN, also if the solver ends before convergence
HELD = """<geom type="plane" size="2 2 1"/><site name="o" pos="0 0 2"/><body pos="0 0 .3" gravcomp=".5"><joint type="free" damping=".3" stiffness="20" armature=".01"/>
<geom type="box" size=".3 .2 .4" mass="60"/><site name="s" pos=".1 .1 .4"/><body pos="0 .3 .4"><joint axis="1 0 0" damping=".1"/><geom type="capsule" size=".05 .2"/><site name="q" pos="0 0 .2"/></body></body>
<body name="w" pos="1.2 0 1"><freejoint/><geom size=".3" mass="500"/></body>"""
for iterations in (1, 200):
    case(f"free joints under forces that cancel, {iterations} iterations", f"""<mujoco><option viscosity=".5" density="1" tolerance="1e-14" iterations="{iterations}"/><worldbody>{HELD}</worldbody>
         <equality><weld body1="w" relpose="-1.2 0 -1 1 0 0 0" solref=".01 1"/></equality><tendon><spatial name="t" stiffness="20000" damping="10" springlength="1"><site site="o"/><site site="s"/></spatial></tendon>
         <actuator><motor tendon="t" gear="3"/><motor site="q" gear="0 0 1 .1 0 0"/></actuator><sensor><accelerometer site="s"/></sensor></mujoco>""",
         "cacc cfrc_ext cfrc_int sensordata", 1e-9, qpos=[.05, -.02, .3, .99, .06, .05, .02, .2, 1.3, .1, 1.05, 1, .02, 0, .01], qvel=[.3, -.2, -1, .5, .4, -.3, 1, .1, .2, .3, -.2, .1, .4],
         ctrl=[2, 1.5], qfrc_applied=[1, -2, 3, .2, .3, -.1, .05, 4, 5, 6, .7, .8, .9], xfrc_applied=[0] * 6 + [5, 6, 7, 1, 2, 3] + [0] * 6 + [-1, 2, 4, .1, .2, .3])

# tendons that no dof changes have rows only with a sparse Jacobian: between sites of one body, and of joints with no weight
STILL = """<tendon><spatial name="one" range="1 2" limited="true" frictionloss="3"><site site="p"/><site site="p2"/></spatial>
<fixed name="none" range="1 2" limited="true" frictionloss="2"><joint joint="a" coef="0"/></fixed>
<spatial name="moves" range="2 3" limited="true" frictionloss="1"><site site="o"/><site site="p"/></spatial></tendon>
<equality><tendon tendon1="none" tendon2="one"/><tendon tendon1="moves" tendon2="one" polycoef=".1 .2 0 0 0"/></equality>"""
for jacobian in ("dense", "sparse", "auto"):
    case(f"tendons that nothing moves, {jacobian}", f"""<mujoco><option jacobian="{jacobian}" tolerance="1e-14" iterations="200"/><worldbody><site name="o" pos=".3 0 .8"/>
         <body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".05 .2" type="capsule"/><site name="p" pos=".1 0 .2"/><site name="p2" pos=".1 .05 .1"/></body></worldbody>{STILL}</mujoco>""",
         "ne nf nl nefc efc_type efc_id efc_pos qacc", qpos=[0.3], qvel=[1])

# connects and welds within a body that slides: a dense Jacobian leaves out their rows, which are zero
for jacobian in ("dense", "sparse"):
    for kind in ("connect", "weld"):
        for joints in ("<joint type='slide' range='-.1 .1' limited='true'/>", "<joint type='slide'/><joint axis='0 1 0' range='-.1 .1' limited='true'/>"):
            case(f"a {kind} within a body, {jacobian}, {joints}", f"""<mujoco><option jacobian="{jacobian}" tolerance="1e-14" iterations="200"/><worldbody>
                 <body>{joints}<geom size=".1" pos=".2 0 0"/><site name="a" pos=".2 .1 0"/><site name="b" pos="0 0 .1"/></body></worldbody>
                 <equality><{kind} site1="a" site2="b"/></equality></mujoco>""",
                 "ne nl nefc efc_type efc_id efc_pos qacc", qpos=[0.2] * (1 + joints.count("axis")))

# actuators of static objects do not sleep, but for one between two sites
case("actuators of what is static", """<mujoco><option><flag sleep="enable"/></option><worldbody><site name="a"/><site name="b" pos=".1 .1 .2"/><body name="s" pos="2 0 0"><geom size=".1"/></body>
     <body pos="0 0 3"><freejoint/><geom size=".1"/></body></worldbody><tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
     <actuator><motor cranksite="a" slidersite="b" cranklength=".5"/><motor name="at" site="a"/><motor site="a" refsite="b"/><adhesion body="s" ctrlrange="0 1"/>
     <motor tendon="t"/><intvelocity site="b" actrange="-1 1" kp="3"/></actuator><sensor><actuatorfrc actuator="at"/><tendonpos tendon="t"/></sensor></mujoco>""",
     "actuator_force act_dot sensordata", ctrl=[0.5] * 6)

# inertia of a fixed tendon couples the joints of a body that slides
for text in ('<fixed name="t" armature=".3">JOINTS</fixed></tendon>', '<fixed name="t">JOINTS</fixed></tendon><actuator><motor tendon="t" armature=".2"/></actuator>'):
    joints = '<joint joint="x" coef=".5"/><joint joint="y" coef=".8"/>'
    case(f"inertia of a fixed tendon, {text[:30]}", f"""<mujoco><worldbody><body><joint name="x" type="slide"/><joint name="y" type="slide" axis="0 1 0"/><geom size=".1"/></body>
         </worldbody><tendon>{text.replace("JOINTS", joints)}</mujoco>""", "qacc qfrc_bias", qvel=[0.1, 0.3], qfrc_applied=[1, 2])

json.dump(CASES, open(pathlib.Path(__file__).parent / "corners.json", "w"), separators=(",", ":"))
