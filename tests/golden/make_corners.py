#!/usr/bin/env python3
"""make_corners.py: what MuJoCo 4.0.0 makes of small cases that no model of models/ comes to, in corners.json.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_corners.py

A case is a text of MJCF, a state, and the arrays of mjData behind mj_forward, `contact.X` as contact_X.
"""
import json
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

# rays that meet the four sides of a height field and its bottom
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

# forces between bodies where a tendon follows another, and where limits and friction hold tendons
LINKS = """<body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".05 .2" type="capsule"/><site name="p" pos=".1 0 .2"/>
<body pos="0 0 .5"><joint name="b" axis="0 1 0"/><geom size=".05 .2" type="capsule"/><site name="q" pos="-.1 .02 .1"/>
<body pos="0 0 .5"><joint name="c" axis="1 1 0"/><geom size=".05 .1" type="capsule"/><site name="r" pos=".1 .05 .1"/></body></body></body><site name="o" pos=".3 0 .8"/>"""
TENDONS = """<tendon><spatial name="t" range="0 .4" limited="true" frictionloss="2"><site site="o"/><site site="p"/><site site="q"/></spatial>
<spatial name="u" range=".9 2" limited="true"><site site="p"/><site site="r"/></spatial></tendon>
<equality><tendon tendon1="t" tendon2="u" polycoef=".1 .8 .3 -.2 .1"/></equality>"""
case("forces of tendons", f"<mujoco><option><flag energy='enable'/></option><worldbody>{LINKS}</worldbody>{TENDONS}<sensor><force site='p'/><torque site='q'/><force site='r'/></sensor></mujoco>",
     "qacc sensordata cfrc_int cfrc_ext efc_force", 1e-7, qpos=[0.3, -0.5, 0.4], qvel=[1, -2, 0.5])

# sweeps and iterations that end before the optimum, one more each time; of condim 6 a heavy box makes a block that is nearly singular
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

json.dump(CASES, open(pathlib.Path(__file__).parent / "corners.json", "w"), separators=(",", ":"))
