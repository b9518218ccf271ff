#!/usr/bin/env python3
"""Hulls of clouds of points as MuJoCo 4.0.0 lists them: corners, edges, faces, polygons and extreme corners, in its order.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_hull.py

writes tests/golden/hull.npz: the points of all clouds, concatenated, and each array of the compiled meshes, concatenated.
"""
import pathlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
HERE = pathlib.Path(__file__).parent
ARRAYS = ["graph", "extrema", "polyvertnum", "polyvert", "polymapnum", "polymap", "face"]


def turned(rng, p):
    """Points rotated and scaled at random, or not rotated."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(p, float) @ (q if rng.random() < 0.6 else np.eye(3)) * 10 ** rng.uniform(-2, 1)


def directions(rng, n):
    v = rng.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def ring(n, radius, z, angle=0.0):
    t = np.arange(n) * 2 * np.pi / n + angle
    return np.stack([radius * np.cos(t), radius * np.sin(t), np.full(n, z)], -1)


def ball(rng):
    n = rng.integers(4, 60)
    return turned(rng, directions(rng, n) * rng.random((n, 1)))


def sphere(rng):
    return turned(rng, directions(rng, rng.integers(4, 50)))


def grid(rng):
    axes = [np.arange(k) for k in rng.integers(2, 5, size=3)]
    p = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3) * rng.uniform(0.1, 2, 3)
    return turned(rng, rng.permutation(p))


def integers(rng):
    return rng.integers(0, rng.integers(2, 6), size=(rng.integers(8, 60), 3)).astype(float)


def box(rng):
    p = rng.uniform(-1, 1, (rng.integers(8, 50), 3))
    p[np.arange(len(p)), rng.integers(0, 3, len(p))] = rng.choice([-1, 1], len(p))
    return turned(rng, p * rng.uniform(0.1, 2, 3))


def prism(rng):
    n = rng.integers(3, 24)
    return turned(rng, np.vstack([ring(n, 1, z) for z in np.linspace(-1, 1, rng.integers(2, 4))]))


def cone(rng):
    n, k = rng.integers(3, 24), rng.integers(1, 3)
    return turned(rng, np.vstack([ring(n, 1 - i / k, i / k) for i in range(k)] + [[[0, 0, 1], [0, 0, 0]]]))


def globe(rng):
    n, m = rng.integers(4, 8, 2)
    rings = [ring(m, np.sin(t), np.cos(t)) for t in np.linspace(0, np.pi, n)[1:-1]]
    return turned(rng, np.vstack(rings + [[[0, 0, 1], [0, 0, -1]]]))


def doubled(rng):
    """The corners repeated, some with small changes: computed sines of whole turns are not exactly zero."""
    n = int(rng.integers(3, 12))
    p = np.vstack([ring(n, 1, z, 2 * np.pi * rng.integers(-2, 3)) for z in (-1, 0, 1, 1, -1)])
    return rng.permutation(p[:, rng.permutation(3)])


def thin(rng):
    p = CLOUDS[rng.choice(["box", "prism", "globe", "ball"])](rng)
    u = directions(rng, 1)[0]
    return p - np.outer((p - p.mean(0)) @ u, u) * (1 - 10 ** rng.uniform(-6, -2))


def rough(rng):
    p = CLOUDS[rng.choice(["box", "prism", "globe", "grid"])](rng)
    return p + rng.normal(size=p.shape) * 10 ** rng.uniform(-9, -3)


def rounded(rng):
    return np.round(CLOUDS[rng.choice(["sphere", "prism", "globe", "cone"])](rng), rng.integers(1, 4))


def parts(rng):
    """Several solids side by side."""
    p = [CLOUDS[rng.choice(["box", "prism", "cone", "grid"])](rng) for _ in range(3)]
    p = [(q - q.mean(0)) / np.abs(q - q.mean(0)).max() + np.round(rng.normal(size=3), 1) for q in p]
    return np.round(np.vstack(p), rng.integers(2, 6))


CLOUDS = {f.__name__: f for f in [ball, sphere, grid, integers, box, prism, cone, globe, doubled, thin, rough, rounded, parts]}


def compiled(points, maxhullvert, mirrored):
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="cloud", uservert=points.ravel(), maxhullvert=maxhullvert)
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    mesh.scale = [-1 if mirrored else 1, 1, 1]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="cloud")
    return spec.compile()


def main():
    out = {name: [] for name in ["vert", "vertnum", "maxhullvert", "mirrored"] + ARRAYS + [a + "#" for a in ARRAYS]}
    for number, cloud in enumerate(CLOUDS.values()):
        rng = np.random.default_rng([4, number])
        taken = 0
        while taken < 10:
            points = np.asarray(cloud(rng), np.float32)
            maxhullvert = int(rng.integers(4, 20)) if taken > 6 else -1
            mirrored = taken == 3
            try:
                m = compiled(points, maxhullvert, mirrored)
            except ValueError:
                continue
            taken += 1
            out["vert"].append(points.view(np.int32).ravel())
            out["vertnum"].append([len(points)])
            out["maxhullvert"].append([maxhullvert])
            out["mirrored"].append([mirrored])
            for a in ARRAYS:
                x = getattr(m, "mesh_" + a).ravel()
                out[a].append(x)
                out[a + "#"].append([len(x)])
    np.savez_compressed(HERE / "hull.npz", **{k: np.concatenate(v).astype(np.int32) for k, v in out.items()})


main()
