#!/usr/bin/env python3
"""make_compile.py: what MuJoCo 4.0.0 makes of the small models of compile_cases.txt, in compile.npz.

A case is a line `=== name` and a line of MJCF. Every array that src/fields.rs names and mjModel has is laid end to end over the cases
(model/NAME), with the number of values in each case (model/NAME#); so are sizes (size/NAME). `refused` says which cases MuJoCo refuses.
"""
import pathlib, re
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TABLE = (HERE.parents[1] / "src" / "fields.rs").read_text()
ROWS = re.findall(r"^        (\w+): (\w+)\[([^\]]*)\]", TABLE, re.M)
SIZES = re.findall(r"^        (n\w+),", TABLE, re.M)
lines = (HERE / "compile_cases.txt").read_text().splitlines()
D, refused = {}, []
for xml in lines[1::2]:
    try:
        m = mujoco.MjModel.from_xml_string(xml)
    except ValueError:
        m = None
    refused.append(m is None)
    for kind, names in ("model", [r[0] for r in ROWS]), ("size", SIZES):
        for name in names:
            if not hasattr(mujoco.MjModel, name):
                continue
            v = np.array([] if m is None else getattr(m, name), float).ravel()
            D.setdefault(f"{kind}/{name}", []).append(v)
out = {"refused": np.array(refused, np.int32)}
for name, values in D.items():
    out[name] = np.concatenate(values)
    out[name + "#"] = np.array([v.size for v in values], np.int32)
np.savez_compressed(HERE / "compile.npz", **out)
