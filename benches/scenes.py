#!/usr/bin/env python3
"""Steps per second of scenes that press on one stage each, beside MuJoCo C: the table "Scenes" of docs/performance.md.

    python3 benches/scenes.py [--program target/release/manyworlds] [--rounds 2] [--write docs/performance.md] [WORD …]

A word picks the scenes whose names contain it. Needs mujoco and numpy. Each figure is the best of all rounds, in which the programs take
turns; all on one thread, each from the start of the model for as many steps as MuJoCo.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
import time

import mujoco
import numpy as np

SECONDS = 0.5
FLOOR = '<geom name="floor" type="plane" size="9 9 .1"/>'


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, shape)


def model(world: str, option: str = "", rest: str = "") -> str:
    return f"<mujoco>{option}<worldbody>{world}</worldbody>{rest}</mujoco>"


def hinges(links: int, height: float = 0) -> str:
    link = '<body pos="0 0 {at}"><joint axis="{x} {y} 0" damping=".01"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.1"/>'
    bodies = "".join(link.format(at=-0.1 if i else height, x=i % 2, y=1 - i % 2) for i in range(links))
    return bodies + "</body>" * links


def chain(links: int, option: str = 'timestep=".001"') -> str:
    return model(hinges(links), f'<option {option}><flag contact="disable"/></option>')


def loose(kind: str, size: str, number: int, apart: float, inside: str = "", option: str = "", rest: str = "") -> str:
    """Free bodies in rows just above the floor; `$` in the texts becomes the number of a body."""
    edge = int(np.ceil(number**0.5))
    body = '<body name="b$" pos="{x:.2f} {y:.2f} .1"><freejoint/><geom name="g$" type="{kind}" size="{size}"/>{inside}</body>'
    bodies = "".join(
        body.format(x=apart * (i % edge), y=apart * (i // edge), kind=kind, size=size, inside=inside).replace("$", str(i)) for i in range(number)
    )
    return model(FLOOR + bodies, option, "".join(rest.replace("$", str(i)) for i in range(number)).join(["<sensor>", "</sensor>"]) if rest else "")


def cluster(number: int, height: float) -> str:
    geoms = "".join(f'<geom size=".03" pos="{x:.3f} {y:.3f} {z:.3f}"/>' for x, y, z in 0.1 * numbers(number, 3))
    return f'<body pos="0 0 {height}"><freejoint/>{geoms}</body>'


def ground(number: int) -> tuple[str, str]:
    """A height field of so many rows and columns."""
    heights = " ".join(f"{z:.3f}" for z in 0.5 + 0.5 * numbers(number * number))
    return f'<asset><hfield name="h" nrow="{number}" ncol="{number}" size="5 5 .3 .1" elevation="{heights}"/></asset>', '<geom type="hfield" hfield="h"/>'


def hills(number: int) -> str:
    """A mesh of a hilly ground."""
    x, y = np.meshgrid(np.linspace(-5, 5, number), np.linspace(-5, 5, number))
    vertices = np.stack([x, y, 0.3 * np.sin(x) * np.cos(1.3 * y)], -1).reshape(-1, 3)
    corner = (np.arange(number - 1)[:, None] * number + np.arange(number - 1)).ravel()
    faces = np.concatenate([corner[:, None] + [0, 1, number], corner[:, None] + [1, number + 1, number]])
    texts = [" ".join(f"{v:.5g}" for v in vertices.ravel()), " ".join(map(str, faces.ravel()))]
    return f'<asset><mesh name="hills" inertia="shell" vertex="{texts[0]}" face="{texts[1]}"/></asset>'


def beams(number: int) -> tuple[str, str]:
    """A body with so many rangefinders, and their sensors."""
    angles = np.linspace(0, 2 * np.pi, number, endpoint=False)
    sites = "".join(f'<site name="s{k}" zaxis="{np.cos(a):.3f} {np.sin(a):.3f} -.4"/>' for k, a in enumerate(angles))
    sensors = "".join(f'<rangefinder site="s{k}"/>' for k in range(number))
    return f'<body pos="0 0 1"><joint axis="0 0 1"/><geom size=".1" contype="0" conaffinity="0"/>{sites}</body>', f"<sensor>{sensors}</sensor>"


def flex(grid: str, dim: int, inside: str, below: str = '<geom size=".3"/>', at: float = 0.5) -> str:
    text = f'<flexcomp type="grid" count="{grid}" spacing=".05 .05 .05" radius=".01" dim="{dim}" name="flex" mass="1">{inside}</flexcomp>'
    return model(f'{below}<body name="held" pos="0 0 {at}">{text}</body>', '<option timestep=".001"/>')


def joints(number: int, joint: str) -> str:
    body = '<body pos="{i} 0 0"><joint name="j{i}" axis="0 1 0" damping=".1" {joint}/><geom size=".1" pos="0 0 .2" contype="0" conaffinity="0"/></body>'
    return "".join(body.format(i=i, joint=joint) for i in range(number))


def loops(number: int) -> str:
    rod = '<geom type="capsule" size=".02" fromto="0 0 0 {to}" contype="0" conaffinity="0"/>'
    bar = '<body pos="{at}"><joint axis="0 1 0"/>' + rod
    bars = [bar.format(at="$ 0 0", to="0 0 .3"), bar.format(at="0 0 .3", to=".4 0 0"), bar.replace("<body", '<body name="e$"').format(at=".4 0 0", to="0 0 -.3")]
    world = "".join(("".join(bars) + "</body>" * 3).replace("$", str(i)) for i in range(number))
    ties = "".join(f'<connect body1="e{i}" anchor="0 0 -.3"/>' for i in range(number))
    return model(world, "", f"<equality>{ties}</equality>")


def scenes() -> dict[str, tuple[str, int]]:
    """Name of a scene: its model, and its steps."""
    rays, ranges = beams(32)
    asset, field = ground(200)
    blocks = "".join(f'<geom type="box" size=".05 .05 .05" pos="{x:.3f} {y:.3f} 0"/>' for x, y in 3 * numbers(2000, 2))
    boxes = "".join(f'<geom type="box" size=".1 .1 .1" pos="{x:.3f} {y:.3f} {z:.3f}"/>' for x, y, z in 2 * numbers(100, 3))
    above = "".join(f'<body pos="{i - 2} 0 .5"><freejoint/><geom type="{{kind}}" size="{{size}}"/></body>' for i in range(5))
    hull = numbers(2000, 3)
    hull = " ".join(f"{v:.4f}" for v in (0.15 * hull / np.linalg.norm(hull, axis=1)[:, None]).ravel())
    meshes = "".join(f'<body pos="{0.1 * (i % 2)} {0.1 * (i % 3)} {0.2 + 0.35 * i}"><freejoint/><geom type="mesh" mesh="m"/></body>' for i in range(5))
    camera = '<body pos="0 0 3"><joint axis="0 0 1"/><geom size=".1" contype="0" conaffinity="0"/><camera name="c" resolution="32 32" fovy="60"/></body>'
    felt = '<touch site="t$"/><contact geom1="g$" geom2="floor" data="found force" num="2" reduce="netforce"/>'
    moved = '<accelerometer site="s$"/><gyro site="s$"/><framepos objtype="site" objname="s$"/>'
    servos = "".join(f'<position joint="j{i}" kp="10"/>' for i in range(300))
    return {
        "chain of 50 hinges": (chain(50), 300),
        "chain of 50 hinges, RK4": (chain(50, 'timestep=".001" integrator="RK4"'), 150),
        "chain of 50 hinges, implicit": (chain(50, 'timestep=".001" integrator="implicit"'), 100),
        "200 free bodies apart": (loose("sphere", ".1", 200, 1, option='<option gravity="0 0 0"/>'), 200),
        "300 servos with friction": (model(joints(300, 'frictionloss=".1" range="-3 3"'), "", f"<actuator>{servos}</actuator>"), 200),
        "40 four-bar loops": (loops(40), 200),
        "2 bodies of 200 spheres": (model(FLOOR + cluster(200, 0.2) + cluster(200, 0.5)), 200),
        "10 boxes, 2,000 fixed blocks": (model(blocks + loose("box", ".1 .1 .1", 10, 0.5).split(FLOOR)[1].split("</worldbody>")[0]), 200),
        "5 meshes of 2,000 vertices": (model(FLOOR + meshes, "", f'<asset><mesh name="m" vertex="{hull}"/></asset>'), 300),
        "height field of 40,000, 5 capsules": (model(field + above.format(kind="capsule", size=".1 .2"), "", asset), 200),
        "height field of 40,000, 5 boxes": (model(field + above.format(kind="box", size=".2 .15 .1"), "", asset), 200),
        "30 boxes on each other, elliptic, condim 6": (loose("box", ".1 .1 .1", 30, 0.25, option='<option cone="elliptic"/><default><geom condim="6"/></default>'), 200),
        "30 boxes into each other": (loose("box", ".13 .13 .1", 30, 0.25), 100),
        "30 boxes into each other, CG": (loose("box", ".13 .13 .1", 30, 0.25, option='<option solver="CG"/>'), 100),
        "30 boxes into each other, PGS": (loose("box", ".13 .13 .1", 30, 0.25, option='<option solver="PGS" iterations="30"/>'), 50),
        "40 cylinders": (loose("cylinder", ".1 .1", 40, 0.25), 200),
        "300 boxes asleep": (loose("box", ".1 .1 .1", 300, 0.25, option='<option sleep_tolerance="1e-2"><flag sleep="enable"/></option>'), 800),
        "300 boxes asleep, a chain awake": (
            loose("box", ".1 .1 .1", 300, 0.25, option='<option sleep_tolerance="1e-2"><flag sleep="enable"/></option>').replace(
                "</worldbody>", hinges(8, 3).replace("<body", '<body sleep="never"', 1) + "</worldbody>"
            ),
            800,
        ),
        "32 beams, height field of 40,000": (model(field + rays, "", asset + ranges), 100),
        "32 beams, mesh of 19,602 triangles": (model('<geom type="mesh" mesh="hills" contype="0" conaffinity="0"/>' + rays, "", hills(100) + ranges), 400),
        "camera of 1,024 beams, 100 boxes": (model(boxes + camera, "", '<sensor><rangefinder camera="c"/></sensor>'), 50),
        "50 boxes that feel, 100 sensors": (loose("box", ".1 .1 .1", 50, 0.3, '<site name="t$" type="box" size=".11 .11 .11"/>', rest=felt), 100),
        "100 bodies, 300 sensors of motion": (loose("sphere", ".1", 100, 0.3, '<site name="s$"/>', rest=moved), 100),
        "60 ellipsoids in water": (loose("ellipsoid", ".1 .2 .05", 60, 1, option='<option density="1000" viscosity=".001" gravity="0 0 0"/><default><geom fluidshape="ellipsoid"/></default>'), 200),
        "cloth of 400, held edges": (flex("20 20 1", 2, '<edge equality="true"/><contact selfcollide="none"/>'), 300),
        "cloth of 100 that touches itself": (flex("10 10 1", 2, '<edge equality="true"/><contact selfcollide="auto"/>', '<geom size=".2"/>', 0.4), 600),
        "cloth of 900 that touches itself": (flex("30 30 1", 2, '<edge equality="true"/><contact selfcollide="auto"/>', '<geom size=".2"/>', 0.4), 150),
        "cloth of 144, elastic": (flex("12 12 1", 2, '<elasticity young="3e4" thickness="1e-2" elastic2d="stretch"/><contact selfcollide="none"/>', at=0.4), 300),
        "solid of 125, elastic": (flex("5 5 5", 3, '<elasticity young="2e4" poisson=".2" damping=".01"/><contact selfcollide="none"/>', FLOOR, 0.3), 300),
    }


def of_mujoco(path: pathlib.Path, steps: int) -> float:
    """Steps per second of one world of MuJoCo."""
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    done, spent = 0, 0.0
    while spent < SECONDS:
        mujoco.mj_resetData(m, d)
        began = time.perf_counter()
        mujoco.mj_step(m, d, nstep=steps)
        spent += time.perf_counter() - began
        done += steps
    return done / spent


def of_program(program: str, path: pathlib.Path, steps: int, backend: str, rate: float) -> float:
    """Steps of a world per second of the program; with `simd` worlds differ a little. `rate` says how many worlds take long enough."""
    worlds = 16 * min(32, max(1, round(rate * SECONDS / steps / 16)))
    command = [program, "rollout", str(path), "--backend", backend, "--threads", "1", "--worlds", str(worlds), "--steps", str(steps)]
    if backend == "simd":
        command += ["--noise", "0.002"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    seconds = re.search(r" in ([\d.]+) s:", said)
    assert seconds, said
    return worlds * steps / float(seconds[1])


def row(name: str, text: str, steps: int, given: argparse.Namespace, folder: pathlib.Path) -> str:
    path = folder / "scene.xml"
    path.write_text(text)
    best = [0.0, 0.0, 0.0]
    for _ in range(given.rounds):
        mujocos = of_mujoco(path, steps)
        figures = [mujocos] + [of_program(given.program, path, steps, backend, mujocos) for backend in ("cpu", "simd")]
        best = [max(a, b) for a, b in zip(best, figures, strict=True)]
    rates = [f"{float(f'{x:.3g}'):,.0f}" for x in best]
    ratios = [f"{rate} ({x / best[0]:.1f} ×)" for rate, x in zip(rates[1:], best[1:], strict=True)]
    nv = mujoco.MjModel.from_xml_path(str(path)).nv
    return f"| {name} | {nv} | {rates[0]} | " + " | ".join(ratios) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/manyworlds")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", type=pathlib.Path, help="file whose table is written anew")
    parser.add_argument("word", nargs="*")
    given = parser.parse_args()
    lines = ["| scene | nv | MuJoCo C | `cpu` (f64) | `simd` (f32) |", "|---|---:|---:|---:|---:|"]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, steps) in scenes().items():
            if not given.word or any(word in name for word in given.word):
                lines.append(row(name, text, steps, given, pathlib.Path(folder)))
                print(lines[-1], flush=True)
    if given.write:
        old = given.write.read_text()
        new = re.sub(r"(?s)<!-- table scenes -->\n.*?<!-- end -->", lambda _: "<!-- table scenes -->\n" + "\n".join(lines) + "\n<!-- end -->", old)
        assert new != old, "the file has no such table"
        given.write.write_text(new)


if __name__ == "__main__":
    main()
