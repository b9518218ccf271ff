#!/usr/bin/env python3
"""make_ipc.py: MuJoCo 4.0.0's steps with the flag ipc and flexes of dim 2, in ipc.json.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_ipc.py

A case is a text of MJCF and arrays of mjData after some numbers of steps from qpos0.
"""
import json
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
CASES = []
FIELDS = "qpos qvel qacc qfrc_constraint sensordata flexvert_lambda flexvert_conage".split()
FLOOR = '<geom type="plane" size="1 1 .1"/>'
HELD = '<edge equality="true"/>'
ELASTIC = '<elasticity young="1e5" poisson=".2" thickness=".002" elastic2d="both" damping=".01"/>'


def case(name, bodies, option="", asset="", after="", steps=(20, 40, 60)):
    xml = f"""<mujoco>
<option integrator="discrete" timestep="0.004" {option or 'tolerance="1e-10"'}><flag ipc="enable"/></option>
{asset}<worldbody>{bodies}</worldbody>{after}
</mujoco>"""
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    later = {}
    for k in range(1, steps[-1] + 1):
        mujoco.mj_step(m, d)
        if k in steps:
            said = {f: np.asarray(getattr(d, f), float).ravel().tolist() for f in FIELDS}
            later[k] = {f: x for f, x in said.items() if x}
    pushed = sum(any(x["flexvert_lambda"]) for x in later.values())
    print(name, "vertices", m.nflexvert, "pushed", pushed, "of", len(later), "iterations", d.solver_niter[0])
    CASES.append(dict(name=name, xml=xml, later=later))


def cloth(pos, euler="5 3 10", count="5 4 1", own=HELD, contact="", more="", name="cloth"):
    return f"""<flexcomp name="{name}" type="grid" dim="2" count="{count}" spacing=".03 .03 .03" pos="{pos}" euler="{euler}"
radius=".002" mass=".05">{own}<contact selfcollide="auto" {contact}/>{more}</flexcomp>"""


def pinned():
    """A cloth of 3 x 3 vertices of which a row is on a body that slides."""
    grid = [(x, y) for x in range(3) for y in range(3)]
    cells = [3 * x + y for x in range(2) for y in range(2)]
    corners = [corner for a in cells for corner in ((a, a + 3, a + 1), (a + 1, a + 3, a + 4))]
    slide = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    bodies = """<body name="car" pos="0 0 .1"><joint type="slide" axis="1 0 0" damping=".2"/>
<joint type="slide" axis="0 0 1" damping="3"/><geom size=".01" mass=".1" contype="0" conaffinity="0"/></body>"""
    names, places = [], []
    for k, (x, y) in enumerate(grid):
        names.append(f"v{k}" if x else "car")
        places.append("0 0 0" if x else f"0 {0.04 * y} 0")
        if x:
            bodies += f"""<body name="v{k}" pos="{0.04 * x} {0.04 * y} .1">{slide}
<inertial pos="0 0 0" mass=".003" diaginertia="1e-6 1e-6 1e-6"/></body>"""
    element = " ".join(str(v) for corner in corners for v in corner)
    flex = f"""<deformable><flex name="cloth" dim="2" radius=".002" body="{" ".join(names)}" vertex="{" ".join(places)}"
element="{element}"/></deformable><equality><flex flex="cloth"/></equality>"""
    return bodies, flex


def main():
    gem = """<asset><mesh name="gem" scale=".3 .3 .3" vertex="0.1 0 0.02  0 0.11 0.01  -0.12 0.01 0  0.01 -0.1 0.01  0.02 0.01 0.13
0 0.02 -0.11"/></asset>"""
    case("floor", FLOOR + cloth("0 0 .012"))
    case("box", '<geom type="box" size=".04 .03 .03" pos=".01 .02 0" euler="0 0 20"/>' + cloth("0 0 .04"))
    case("ball", '<geom size=".05" pos=".01 .02 0"/>' + cloth("0 0 .06"))
    case("pill", '<geom type="capsule" size=".02 .05" pos=".01 .02 0" euler="80 10 0"/>' + cloth("0 0 .03"))
    case("tin", '<geom type="cylinder" size=".05 .03" pos=".01 .02 0" euler="20 10 0"/>' + cloth("0 0 .055"), steps=(10, 20))
    case("gem", '<geom type="mesh" mesh="gem" pos=".01 .02 0"/>' + cloth("0 0 .05"), asset=gem)
    case("folded", FLOOR + cloth("0 0 .075", euler="0 88 3", count="6 3 1"), steps=(30, 60, 90))
    case("two cloths", FLOOR + cloth("0 0 .01", euler="1 2 3") + cloth("0 0 .03", euler="4 -3 30", name="other"))
    case("elastic", '<geom size=".05" pos=".01 .02 0"/>' + cloth("0 0 .06", own=ELASTIC))
    case("elastic CG", FLOOR + cloth("0 0 .012", own=ELASTIC), option='solver="CG" iterations="1000" tolerance="1e-15"')
    body = '<body pos="0 0 .02" euler="10 20 30"><freejoint/><geom type="box" size=".02 .02 .01" density="300"/></body>'
    case("on a body", FLOOR + body + cloth("0 0 .05", more='<pin id="0 3 16 19"/>'), option='cone="elliptic" tolerance="1e-10"')
    bodies, flex = pinned()
    sensor = '<sensor><framelinacc objtype="body" objname="car"/><force site="hand"/></sensor>'
    bodies = bodies.replace("conaffinity=\"0\"/>", "conaffinity=\"0\"/><site name=\"hand\"/>", 1)
    case("on slides", '<geom size=".04" pos=".06 .04 .04"/>' + bodies, after=flex + sensor)
    apart = '<geom type="plane" size="1 1 .1" contype="2" conaffinity="2"/><geom size=".03" pos=".01 .02 -.02"/>'
    case("masks", apart + cloth("0 0 .02"))
    here = pathlib.Path(__file__).parent
    (here / "ipc.json").write_text(json.dumps(CASES, indent=None).replace("}, {\"name\"", "},\n{\"name\"") + "\n")


main()
