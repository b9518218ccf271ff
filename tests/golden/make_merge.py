#!/usr/bin/env python3
"""make_merge.py: merge.txt, MuJoCo 4.0.0's results for settings that two models both have, under conflict="merge".

A case is three lines: the settings of the model, those of the attached one, and the compiled options (NAME=VALUES, separated by semicolons),
or `refused`.
"""
import pathlib, random, re, tempfile
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODEL = (HERE.parents[1] / "src" / "model.rs").read_text()
rnd = random.Random(4)
real = lambda: rnd.choice(["0.001", "0.002", ".01", "1e-8"])
count = lambda: rnd.choice(["3", "35", "100"])
vector = lambda: rnd.choice(["0 0 -9.81", "0 0 1"])
OPTION = dict.fromkeys(("timestep", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance"), real)
OPTION |= dict.fromkeys(("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints"), count)
OPTION |= {"actuatorgroupdisable": lambda: rnd.choice(["1", "1 2", "30"])}
SAME = {"gravity": vector, "wind": vector, "magnetic": vector, "density": count, "viscosity": count, "impratio": count, "o_margin": real,
        "integrator": lambda: rnd.choice(["Euler", "RK4"]), "cone": lambda: rnd.choice(["pyramidal", "elliptic"]),
        "solver": lambda: rnd.choice(["Newton", "CG"]), "jacobian": lambda: rnd.choice(["dense", "auto"])}
FLAG = ["gravity", "contact", "eulerdamp", "energy", "override", "island", "multiccd", "invdiscrete"]
SIZE = {"memory": lambda: rnd.choice(["2M", "3000K", "1M"]), "nkey": lambda: rnd.choice("01"), "nuserdata": count, "nuser_body": count, "nconmax": count}


def attrs(table, share):
    return " ".join(f'{name}="{value()}"' for name, value in table.items() if rnd.random() < share)


def settings(same):
    flags = " ".join(f'{name}="{rnd.choice(["enable", "disable"])}"' for name in FLAG if rnd.random() < 0.4)
    return f'<option {attrs(OPTION, .5)} {attrs(SAME, same)}><flag {flags}/></option><size {attrs(SIZE, .5)}/>'


def say(value):
    return " ".join(repr(float(x)) for x in np.atleast_1d(value))


OPT = [f for f in dir(mujoco.MjOption()) if not f.startswith("_") and f in MODEL]
lines = []
folder = pathlib.Path(tempfile.mkdtemp())
for k in range(80):
    same = 0.0 if k < 40 else 0.4
    mine, theirs = settings(same), settings(same)
    (folder / "child.xml").write_text(f'<mujoco>{theirs}<worldbody><body name="b"/></worldbody></mujoco>')
    (folder / "model.xml").write_text(
        f'<mujoco><compiler conflict="merge"/>{mine}<asset><model name="m" file="child.xml"/></asset>'
        '<worldbody><attach model="m" body="b" prefix="x"/></worldbody></mujoco>'
    )
    try:
        m = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
        found = [f"{name}={say(getattr(m.opt, name))}" for name in OPT]
        found += [f"{name}={say(getattr(m, name))}" for name in ("nkey", "nuserdata")]
        lines += [mine, theirs, ";".join(found)]
    except ValueError:
        lines += [mine, theirs, "refused"]
(HERE / "merge.txt").write_text("\n".join(lines) + "\n")
