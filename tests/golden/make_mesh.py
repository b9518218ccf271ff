#!/usr/bin/env python3
"""Goldens of src/asset: what MuJoCo 4.0.0 makes of small geoms, meshes and height fields.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_mesh.py

writes tests/golden/mesh.json.
"""
import json
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
HERE = pathlib.Path(__file__).parent


def num(a):
    return np.asarray(a, float).ravel().tolist()


def primitives(rng):
    """Mass (at density 1) and inertia of every primitive, solid and hollow."""
    rows = []
    for kind, n in [("sphere", 1), ("capsule", 2), ("cylinder", 2), ("ellipsoid", 3), ("box", 3)]:
        for shell in (False, True):
            for _ in range(3):
                size = rng.uniform(0.05, 2.0, 3)
                text = " ".join(repr(float(s)) for s in size[:n])
                m = mujoco.MjModel.from_xml_string(
                    f'<mujoco><worldbody><body><geom type="{kind}" size="{text}" density="1" '
                    f'shellinertia="{str(shell).lower()}"/><freejoint/></body></worldbody></mujoco>')
                # principal axes sort the moments: write them in the geom's own order
                diag = np.zeros((3, 3))
                mat = np.zeros(9)
                mujoco.mju_quat2Mat(mat, m.body_iquat[1])
                mat = mat.reshape(3, 3)
                diag = np.diag(mat @ np.diag(m.body_inertia[1]) @ mat.T)
                rows.append(dict(kind=kind, shell=shell, size=num(size), mass=float(m.body_mass[1]), inertia=num(diag)))
    return rows


def eig3(rng):
    """Eigenvalues, quaternion and number of rotations of symmetric matrices, well and badly separated."""
    mats = []
    for _ in range(12):
        a = rng.normal(size=(3, 3))
        mats.append(a @ a.T)
    for scale in (1e-12, 1e12):
        a = rng.normal(size=(3, 3))
        mats.append(scale * (a @ a.T))
    for w in ([1, 1, 1], [2, 2, 1], [1, 2, 2], [1, 2, 3], [3, 1, 2], [0, 0, 0], [1, 0, 0]):
        mats.append(np.diag(np.array(w, float)))
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        s = q @ np.diag(np.array(w, float)) @ q.T
        mats.append((s + s.T) / 2)
    for off in (1e-6, 1e-10, 1e-13, 5e-15, 3e-15):
        a = np.diag([3.0, 2.0, 1.0])
        a[0, 1] = a[1, 0] = off
        a[1, 2] = a[2, 1] = -off
        mats.append(a)
    rows = []
    for a in mats:
        w, v, q = np.zeros(3), np.zeros(9), np.zeros(4)
        it = mujoco.mju_eig3(w, v, q, a.ravel())
        rows.append(dict(mat=num(a), eigval=num(w), quat=num(q), iter=int(it)))
    return rows


def main():
    rng = np.random.default_rng(7)
    out = dict(primitives=primitives(rng), eig3=eig3(rng))
    text = json.dumps(out, separators=(",", ":"))
    path = HERE / "mesh.json"
    path.write_text(text + "\n")
    print(path.name, len(text), "bytes")


if __name__ == "__main__":
    main()
