#!/usr/bin/env python3
"""make_compile.py [NAME]: the small models of NAME_cases.txt (compile, urdf, scale, flex) as MuJoCo 4.0.0 compiles them, in NAME.npz.

A case is a line `=== name` and a line of XML; the files of the folder NAME are its assets. Every array that src/fields.rs names and
mjModel has is concatenated over the cases (model/NAME), with the number of values in each case (model/NAME#); so are sizes
(size/NAME), and the bytes of all names of a kind, one per line (name/KIND). `refused` marks the cases that MuJoCo refuses.
"""
import pathlib, re, shutil, sys, tempfile
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TABLE = (HERE.parents[1] / "src" / "fields.rs").read_text()
# normals are kept of meshes that tactile sensors feel with, boxes around triangles of meshes beside signed distance fields
ROWS = [r for r in re.findall(r"^        (\w+): (\w+)\[([^\]]*)\]", TABLE, re.M) if not r[0].startswith(("mesh_normal", "mesh_bvh", "bvh_"))]
SIZES = [s for s in re.findall(r"^        (n\w+),", TABLE, re.M) if s not in ("nmeshnormal", "nbvh")]
KINDS = {"body": "nbody", "joint": "njnt", "geom": "ngeom", "mesh": "nmesh", "flex": "nflex"}
name = sys.argv[1] if len(sys.argv) > 1 else "compile"
work = pathlib.Path(tempfile.mkdtemp())
if (HERE / name).is_dir():
    shutil.copytree(HERE / name, work, dirs_exist_ok=True)
lines = (HERE / f"{name}_cases.txt").read_text().splitlines()
D, refused = {}, []
for xml in lines[1::2]:
    try:
        (work / "model.xml").write_text(xml)
        m = mujoco.MjModel.from_xml_path(str(work / "model.xml"))
    except ValueError:
        m = None
    refused.append(m is None)
    for kind, names in ("model", [r[0] for r in ROWS]), ("size", SIZES):
        for name_ in names:
            if not hasattr(mujoco.MjModel, name_):
                continue
            v = np.array([] if m is None else getattr(m, name_), float).ravel()
            D.setdefault(f"{kind}/{name_}", []).append(v)
    for kind, size in KINDS.items() if name != "compile" else ():
        of = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        names = [] if m is None else [mujoco.mj_id2name(m, of, i) or "" for i in range(getattr(m, size))]
        v = np.frombuffer("".join(n + "\n" for n in names).encode(), np.uint8).astype(float)
        D.setdefault(f"name/{kind}", []).append(v)
out = {"refused": np.array(refused, np.int32)}
for key, values in D.items():
    out[key] = np.concatenate(values)
    out[key + "#"] = np.array([v.size for v in values], np.int32)
shutil.rmtree(work)
np.savez_compressed(HERE / f"{name}.npz", **out)
