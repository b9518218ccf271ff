#!/usr/bin/env python3
"""Runs manyworlds and MuJoCo C side by side and writes the tables of docs/performance.md.

    RUSTFLAGS=-Ctarget-cpu=native cargo build --release
    pip install mujoco==4.0.0 numpy
    python3 benches/side_by_side.py                      # the models of models/, tables to the standard output
    python3 benches/side_by_side.py --write docs/performance.md
    python3 benches/side_by_side.py --tables speed a.xml b.xml
    python3 benches/side_by_side.py --tables capabilities --worlds 16 --steps 100

Both get the same states (settled by MuJoCo from the first keyframe, or qpos0, under small random controls) and the same
controls, held for several steps. Rates are world-steps per second of processor time of one thread, so that other work on the
machine does not count; the median of RUNS runs, MuJoCo and manyworlds in turn, is printed. A table replaces the lines between
`<!-- table NAME -->` and `<!-- end -->`.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ["humanoid", "quadruped", "cartpole", "hand", "boxes"]
SETTLE, SEEDS, STRAY, HOLD = 500, 64, 0.1, 10
TABLES = ["speed", "threads", "worlds", "stages", "start"]
# a ball in a ring, both on a plane
RING = """<mujoco model="ring"><extension><plugin plugin="mujoco.sdf.torus"><instance name="ring">
<config key="radius1" value=".35"/><config key="radius2" value=".15"/></instance></plugin></extension>
<asset><mesh name="ring"><plugin instance="ring"/></mesh></asset><worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .3"><freejoint/><geom type="sdf" mesh="ring"><plugin instance="ring"/></geom></body>
<body pos=".1 0 .7"><freejoint/><geom size=".25"/></body></worldbody></mujoco>"""
# two cloths that never pass through each other, on a ball and the floor
VEILS = """<mujoco model="veils"><option integrator="discrete"><flag ipc="enable"/></option><worldbody>
<geom type="plane" size="1 1 .1"/><geom size=".05" pos=".01 .02 .05"/>
<flexcomp name="one" type="grid" dim="2" count="6 6 1" spacing=".03 .03 .03" pos="0 0 .12" euler="5 3 10" radius=".002" mass=".05">
<edge equality="true"/></flexcomp>
<flexcomp name="other" type="grid" dim="2" count="6 6 1" spacing=".03 .03 .03" pos=".01 0 .16" euler="-3 4 30" radius=".002" mass=".05">
<edge equality="true"/></flexcomp></worldbody></mujoco>"""
TEXTS = {"ring": RING, "veils": VEILS}
# what MuJoCo 4.0 has: a model with it, its file or text, and options that are added to the model
CAPABILITIES = [
    ("discrete steps", "models/quadruped.xml", '<option integrator="discrete"/>'),
    ("`diagexact`", "models/quadruped.xml", '<option><flag diagexact="enable"/></option>'),
    ("speculative contacts", "tests/golden/impacts.xml", ""),
    ("surface velocities", "models/surfaces.xml", ""),
    ("adhesive geoms", "models/sticky.xml", ""),
    ("adhesion actuators", "models/adhesion.xml", ""),
    ("springs that yield", "models/plastic.xml", ""),
    ("delays, history", "models/delays.xml", ""),
    ("DC motors", "models/dcmotors.xml", ""),
    ("PID controllers (plugin)", "models/controllers.xml", ""),
    ("servos of orientations", "models/servos.xml", ""),
    ("tactile sensors", "tests/golden/tactile.xml", ""),
    ("enclosed sites", "tests/golden/enclosed.xml", ""),
    ("distances of geoms", "tests/golden/distances.xml", ""),
    ("the older convex collider", "models/meshes.xml", '<option><flag nativeccd="disable"/></option>'),
    ("height fields", "tests/golden/terrain.xml", ""),
    ("signed distances (plugins)", "ring", ""),
    ("medium", "models/fluid.xml", ""),
    ("wrapped tendons", "models/spatial_tendons.xml", ""),
    ("rays", "models/rays.xml", ""),
    ("flex: several kinds", "models/flexes.xml", ""),
    ("flex: cable", "tests/golden/soft_rope.xml", ""),
    ("flex: elastic rod", "tests/golden/soft_rod.xml", ""),
    ("flex: cloth", "tests/golden/soft_sheet.xml", ""),
    ("flex: shell", "tests/golden/soft_shell.xml", ""),
    ("flex: solid", "tests/golden/soft_block.xml", ""),
    ("flex: solid between nodes", "tests/golden/soft_nodes.xml", ""),
    ("flex: strains held", "tests/golden/soft_strain.xml", ""),
    ("flex: solid that yields", "tests/golden/soft_clay.xml", ""),
    ("flex on flex", "tests/golden/soft_soft.xml", ""),
    ("flex: cloths with `ipc`", "veils", ""),
    ("PGS", "models/quadruped.xml", '<option solver="PGS"/>'),
    ("CG", "models/quadruped.xml", '<option solver="CG"/>'),
    ("no-slip", "models/quadruped.xml", '<option noslip_iterations="5"/>'),
    ("RK4", "models/quadruped.xml", '<option integrator="RK4"/>'),
    ("implicit", "models/quadruped.xml", '<option integrator="implicit"/>'),
    ("implicitfast", "models/quadruped.xml", '<option integrator="implicitfast"/>'),
]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*", type=pathlib.Path, help="MJCF files; by default those of models/")
    p.add_argument("--bin", default=str(ROOT / "target/release/manyworlds"), help="our program")
    p.add_argument("--write", type=pathlib.Path, help="file whose tables are written anew")
    p.add_argument("--tables", default=",".join(TABLES), help="which of " + ", ".join(TABLES))
    p.add_argument("--runs", type=int, default=5, help="runs of which the median is told")
    p.add_argument("--worlds", type=int, default=1024)
    p.add_argument("--steps", type=int, default=200)
    p.add_argument("--seconds", type=float, default=1.0, help="what a run takes at least")
    return p.parse_args()


class Inputs:
    """States and controls of some worlds: as arrays, and in a folder for `manyworlds bench --init`."""

    def __init__(self, m, nworld, steps, folder):
        rng = np.random.default_rng(0)
        d = mujoco.MjData(m)
        limited = m.actuator_ctrllimited.astype(bool)
        low, high = m.actuator_ctrlrange.reshape(m.nu, 2).T
        middle = np.where(limited, 0.5 * (low + high), 0.0)
        half = np.where(limited, 0.5 * (high - low), 1.0)
        if m.nkey:
            middle = m.key_ctrl[0]
        low, high = np.where(limited, low, -np.inf), np.where(limited, high, np.inf)

        def stray(*shape):
            return np.clip(middle + STRAY * half * rng.standard_normal((*shape, m.nu)), low, high)

        rows = []
        for _ in range(min(nworld, SEEDS)):
            mujoco.mj_resetDataKeyframe(m, d, 0) if m.nkey else mujoco.mj_resetData(m, d)
            for _ in range(SETTLE // HOLD):
                d.ctrl[:] = stray()
                mujoco.mj_step(m, d, HOLD)
            rows.append([x.copy() for x in (d.qpos, d.qvel, d.act, d.qacc_warmstart)])
        tile = np.arange(nworld) % len(rows)
        self.states = [np.stack([row[i] for row in rows])[tile] for i in range(4)]
        self.ctrl = stray(-(-steps // HOLD), nworld)
        self.folder = folder
        names = ["qpos", "qvel", "act", "warmstart", "ctrl"]
        for name, x in zip(names, [*self.states, self.ctrl]):
            x.astype("<f8").tofile(folder / f"{name}.f64")
        meta = dict(nworld=nworld, nq=m.nq, nv=m.nv, na=m.na, nu=m.nu, nchunk=len(self.ctrl))
        (folder / "meta.json").write_text(json.dumps(meta))


def mujoco_rate(m, inputs, seconds, nworld=64):
    """World-steps per second of processor time of MuJoCo C on one thread, with mean numbers of contacts, rows and iterations."""
    nworld = min(nworld, len(inputs.ctrl[0]))
    worlds = [mujoco.MjData(m) for _ in range(nworld)]
    done, spent = 0, 0.0
    while spent < seconds:
        for w, d in enumerate(worlds):
            mujoco.mj_resetData(m, d)
            for name, x in zip(("qpos", "qvel", "act", "qacc_warmstart"), inputs.states):
                getattr(d, name)[:] = x[w]
        start = time.process_time()
        for ctrl in inputs.ctrl:
            for w, d in enumerate(worlds):
                d.ctrl[:] = ctrl[w]
                mujoco.mj_step(m, d, HOLD)
        spent += time.process_time() - start
        done += len(inputs.ctrl) * HOLD * nworld
    met = [np.mean([x(d) for d in worlds]) for x in (lambda d: d.ncon, lambda d: d.nefc, niter)]
    return done / spent, met


def niter(d):
    return sum(d.solver_niter[: max(1, min(d.nisland, len(d.solver_niter)))]) if d.nefc else 0


def ours(a, model, inputs, backend, *more, worlds=None, threads=1, seconds=None):
    """The output of one run of `bench`."""
    command = [a.bin, "bench", str(model), "--json", "--backend", backend, "--steps", str(a.steps), "--hold", str(HOLD)]
    command += ["--worlds", str(worlds or a.worlds), "--threads", str(threads), "--min-s", str(a.seconds if seconds is None else seconds), *more]
    if inputs:
        command += ["--init", str(inputs.folder)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return None
    return json.loads(run.stdout)


def short(x):
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.3g}"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def beside(a, path, names):
    """A row of one core's rates, MuJoCo and the backends in turn; it begins with these names."""
    m = mujoco.MjModel.from_xml_path(str(path))
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(m, a.worlds, a.steps, pathlib.Path(folder))
        rates = {"mujoco": [], "cpu": [], "simd": []}
        for _ in range(a.runs):
            rate, met = mujoco_rate(m, inputs, a.seconds)
            rates["mujoco"].append(rate)
            for backend in ("cpu", "simd"):
                result = ours(a, path, inputs, backend, "--quick")
                if result:
                    rates[backend].append(result["steps_per_cpu_s_med"])
    theirs = statistics.median(rates["mujoco"])
    cells = [*names, m.nv, ", ".join(f"{x:.3g}" for x in met), short(theirs)]
    for backend in ("cpu", "simd"):
        rate = statistics.median(rates[backend]) if rates[backend] else None
        cells.append(f"{short(rate)} ({rate / theirs:.1f} ×)" if rate else "–")
    line = row(*cells)
    print(line, file=sys.stderr)
    return line


def speed(a, models):
    """Rates of one core, MuJoCo and the backends in turn."""
    header = row("model", "nv", "contacts, rows, iterations", "MuJoCo C", "`cpu` (f64)", "`simd` (f32)")
    return [header, "|---|---:|---|---:|---:|---:|", *(beside(a, path, [path.stem]) for path in models)]


def capabilities(a, _):
    """The same for models that have what MuJoCo 4.0 has beside the common."""
    header = row("capability", "model", "nv", "contacts, rows, iterations", "MuJoCo C", "`cpu` (f64)", "`simd` (f32)")
    out = [header, "|---|---|---:|---|---:|---:|---:|"]
    for name, model, options in CAPABILITIES:
        path = ROOT / (f"{model}.xml" if model in TEXTS else model)
        text = TEXTS.get(model) or path.read_text()
        # the options come last, and count
        end = text.rindex("</mujoco>")
        with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=path.parent) as file:
            file.write(text[:end] + options + text[end:])
            file.flush()
            out.append(beside(a, pathlib.Path(file.name), [name, path.stem]))
    return out


def threads(a, models):
    """Rates with one thread and with all, in wall time: on an idle machine the ratio is the number of cores."""
    import os

    cores = os.cpu_count()
    out = [row("model", "steps/s on 1 thread", f"on {cores}", "ratio", "by processor time"), "|---|---:|---:|---:|---:|"]
    for path in models[:2]:
        one, all_ = [], []
        for _ in range(a.runs):
            one.append(ours(a, path, None, "simd", "--quick"))
            all_.append(ours(a, path, None, "simd", "--quick", threads=cores))
        wall = [max(r["steps_per_s"] for r in rs) for rs in (one, all_)]
        cpu = [statistics.median(r["steps_per_cpu_s_med"] for r in rs) for rs in (one, all_)]
        by_cpu = f"{cores * cpu[1] / cpu[0]:.2f}"
        out.append(row(path.stem, short(wall[0]), short(wall[1]), f"{wall[1] / wall[0]:.2f}", by_cpu))
    return out


def worlds(a, models):
    """Time of a world-step for several numbers of worlds."""
    numbers = [1024, 4096, 16384, 65536]
    out = [row("model", *(f"{n} worlds" for n in numbers), "spread"), "|---|" + "---:|" * (len(numbers) + 1)]
    path = models[0]
    ns = []
    for n in numbers:
        runs = [ours(a, path, None, "simd", "--quick", worlds=n) for _ in range(max(1, a.runs // 2))]
        ns.append(1e9 / statistics.median(r["steps_per_cpu_s_med"] for r in runs))
    spread = f"{100 * (max(ns) / min(ns) - 1):.0f} %"
    out.append(row(f"{path.stem}, ns of a core", *(f"{x:.0f}" for x in ns), spread))
    return out


def stages(a, models):
    """Time, operations and bytes of each stage of one world-step."""
    out = [row("stage", "ns", "share", "FLOP", "bytes", "GFLOP/s", "GB/s"), "|---|---:|---:|---:|---:|---:|---:|"]
    r = ours(a, models[0], None, "simd")
    times, work = r["stage_ns"], r["work"]["stages"]
    total = sum(times.values())
    for name, ns in sorted(times.items(), key=lambda item: -item[1]):
        flop, size = work[name]["flop"], work[name]["bytes"]
        share, rates = f"{100 * ns / total:.0f} %", [f"{x / max(ns, 0.1):.1f}" for x in (flop, size)]
        out.append(row(name, f"{ns:.0f}", share, f"{flop:.0f}", f"{size:.0f}", *rates))
    sums = [sum(work[name][key] for name in times) for key in ("flop", "bytes")]
    out.append(row("all", f"{total:.0f}", "", *(f"{x:.0f}" for x in sums), *(f"{x / total:.1f}" for x in sums)))
    core = [r["work"][key] * 1e-9 for key in ("core_flops", "core_bytes_per_s")]
    out.append(row("one core can do", "", "", "", "", f"{core[0]:.0f}", f"{core[1]:.1f}"))
    return out


def start(a, models):
    """From the text of a model to the first step of one world, ms."""
    header = row("model", "parse", "compile", "open", "first step", "processor time of the whole process so far")
    out = [header, "|---|---:|---:|---:|---:|---:|"]
    for path in models:
        runs = [ours(a, path, None, "cpu", "--quick", worlds=1, seconds=0) for _ in range(a.runs)]
        names = ["parse_s", "compile_s", "open_s", "first_s", "cpu_s"]
        ms = [1e3 * min(r["start_up"][name] for r in runs) for name in names]
        out.append(row(path.stem, *(f"{x:.1f}" for x in ms)))
    return out


def replaced(text, name, lines):
    """The text with these lines in place of its table of that name."""
    place = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.S)
    if not place.search(text):
        sys.exit(f"no place for the table {name}: <!-- table {name} --> and <!-- end -->")
    body = "\n".join(lines)
    return place.sub(lambda found: f"{found[1]}{body}\n{found[2]}", text)


def main():
    a = arguments()
    models = a.models or [ROOT / "models" / f"{name}.xml" for name in MODELS]
    text = a.write.read_text() if a.write else ""
    for name in a.tables.split(","):
        lines = globals()[name](a, models)
        if not a.write:
            print("\n".join([f"{name}:", *lines, ""]))
            continue
        text = replaced(text, name, lines)
        a.write.write_text(text)


if __name__ == "__main__":
    main()
