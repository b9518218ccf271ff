#!/usr/bin/env python3
"""Goldens of src/asset: small geoms, meshes and height fields as MuJoCo 4.0.0 compiles them.

    pip install mujoco==4.0.0 numpy && python3 tests/golden/make_mesh.py

writes tests/golden/mesh.json.
"""
import json
import pathlib
import struct
import zlib

import mujoco
import numpy as np

assert mujoco.__version__ == "4.0.0", mujoco.__version__
HERE = pathlib.Path(__file__).parent


def num(a):
    """Numbers as lists, with the digits of single precision if they are float32."""
    a = np.asarray(a)
    if a.dtype == np.float32:
        return [float(str(x)) for x in a.ravel()]
    return a.astype(float).ravel().tolist()


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
                # the compiler sorts the principal moments; this restores the geom's own order
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


CUBE = [[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)]
PYRAMID = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0.5, 0.25, 1.5]]
PYRAMID_FACE = [[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]


def notched(rng):
    """A closed nonconvex surface: a pyramid whose base is pushed in."""
    vert = PYRAMID + [[0.9, 0.4, 0.3]]
    face = [[0, 3, 5], [3, 2, 5], [2, 1, 5], [1, 0, 5]] + PYRAMID_FACE[2:]
    return vert, face


def stl(tris):
    b = b"\0" * 80 + struct.pack("<i", len(tris))
    for t in tris:
        b += struct.pack("<12f", 0, 0, 0, *[float(x) for v in t for x in v]) + b"\0\0"
    return b


def obj(vert, faces, extra=""):
    text = "# a comment\r\nmtllib none.mtl\no part\n" + extra
    text += "".join("v %r %r %r\n" % tuple(map(float, v)) for v in vert)
    return (text + "usemtl x\n" + "".join("f " + f + "\n" for f in faces)).encode()


def msh(vert, normal, texcoord, face):
    b = struct.pack("<4i", len(vert), len(normal), len(texcoord), len(face))
    for part, fmt in ((vert, "f"), (normal, "f"), (texcoord, "f"), (face, "i")):
        for row in part:
            b += struct.pack(f"<{len(row)}{fmt}", *row)
    return b


def mesh_cases(rng):
    """Sources of meshes: inline arrays or the bytes of a file, and attributes."""
    cloud = rng.normal(size=(40, 3)).astype(np.float32).tolist()
    nv, nf = notched(rng)
    ngon = [[np.cos(t), np.sin(t), 0.1 * np.cos(2 * t)] for t in np.arange(7) * 2 * np.pi / 7] + [[0.1, 0, 1]]
    sides = [f"{i + 1} {(i + 1) % 7 + 1} 8" for i in range(7)]
    quad = "4//1 3//1 2//1 1//1"
    pyr = np.array(PYRAMID, float)
    tris = [[pyr[i] for i in f] for f in PYRAMID_FACE]
    c = []
    c.append(dict(name="cube", vert=CUBE))
    c.append(dict(name="cloud", vert=cloud))
    c.append(dict(name="few corners", vert=cloud, maxhullvert=9))
    c.append(dict(name="pyramid", vert=PYRAMID, face=PYRAMID_FACE))
    for inertia in ("legacy", "convex", "exact", "shell"):
        c.append(dict(name="notched " + inertia, vert=nv, face=nf, inertia=inertia))
    c.append(dict(name="moved", vert=nv, face=nf, inertia="exact", scale=[0.5, 2, 3], refpos=[1, 2, 3],
                  refquat=[1, 0.5, -0.25, 2]))
    c.append(dict(name="mirrored", vert=nv, face=nf, inertia="exact", scale=[-1, 1, 0.5]))
    c.append(dict(name="mirrored cloud", vert=cloud, inertia="convex", scale=[1, -2, 1]))
    c.append(dict(name="smooth", vert=nv, face=nf, inertia="exact", smoothnormal=True))
    c.append(dict(name="stl", file="a.stl", data=stl(tris)))
    c.append(dict(name="stl mirrored", file="a.stl", data=stl(tris), scale=[1, 1, -1]))
    c.append(dict(name="obj", file="a.obj", data=obj(PYRAMID, ["4 3 2 1", "1 2 5", "2 3 5", "-3 -2 -1", "4 1 5"])))
    c.append(dict(name="obj ngon", file="a.obj", data=obj(ngon, ["7 6 5 4 3 2 1"] + sides), inertia="exact"))
    c.append(dict(name="obj normals", file="a.obj", inertia="exact", data=obj(
        PYRAMID, [quad, "1//2 2//2 5//2", "2//3 3//3 5//3", "3//4 4//4 5//4", "4//5 1//5 5//5"],
        "vn 0 0 -1\nvn 0 -1 0\nvn 1 0 1\nvn 0 1 .5\nvn -1 0 0\n")))
    c.append(dict(name="obj texture", file="a.obj", data=obj(
        PYRAMID, ["1/1 4/2 3/3", "1/1 3/3 2/4", "1/1 2/2 5/3", "2/1 3/2 5/3", "3/1 4/2 5/3", "4/1 1/2 5/3"],
        "vt 0 0\nvt 0 1\nvt 1 0.75\nvt 1 0\n")))
    c.append(dict(name="msh", file="a.msh", data=msh(PYRAMID, PYRAMID, [[0.5, 0.25]] * 5, PYRAMID_FACE)))
    c.append(dict(name="msh mirrored", file="a.msh", data=msh(PYRAMID, [], [], PYRAMID_FACE), scale=[-1, 1, 1]))
    c.append(dict(name="msh cloud", file="a.msh", data=msh(PYRAMID, [], [], [])))
    return c


def builtin_cases():
    """One mesh of each built-in shape."""
    params = dict(
        sphere=[1], hemisphere=[1], cone=[5, 0.4], supersphere=[6, 0.5, 1.5], supertorus=[5, 0.4, 0.7, 1.3],
        wedge=[3, 2, 30, 20, 0.5], plate=[3, 2], grid=[2, 3, 2, 1, 0.5, 2], box=[3, 2, 3, 1, 0.5, 2, 2],
        cylinder=[3, 3, 3, 1, 1, 0.5], ellipsoid=[3, 3, 3, 1, 0.5, 2, 2], disc=[4, 3, 1, 1, 0.5, 0.5])
    rows = []
    for kind, p in params.items():
        mesh = mujoco.MjSpec.from_string(
            '<mujoco><asset><mesh name="m" builtin="%s" params="%s"/></asset></mujoco>'
            % (kind, " ".join(map(repr, p)))).meshes[0]
        rows.append(dict(
            builtin=kind, params=p, inertia=int(mesh.inertia), vert=num(np.array(mesh.uservert, np.float32)),
            face=list(mesh.userface), normal=num(np.array(mesh.usernormal, np.float32))))
    return rows


def png(pixels, bits, color, palette=None, extra=0):
    """A PNG file; pixels are rows of samples."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    raw = b""
    for row in pixels:
        digits = "".join(format(int(x), f"0{bits}b") for x in row)
        digits += "0" * (-len(digits) % 8)
        raw += b"\0" + int(digits, 2).to_bytes(len(digits) // 8, "big")
    head = struct.pack(">IIBBBBB", len(pixels[0]) // channels, len(pixels), bits, color, 0, 0, 0)
    body = chunk(b"IHDR", head)
    if palette is not None:
        body += chunk(b"PLTE", bytes(palette))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def hfields(rng):
    """Height fields from images, binary files and attributes."""
    sample = lambda n, top: rng.integers(0, top, (3, n)).tolist()
    data = rng.normal(size=(3, 4)).astype(np.float32)
    cases = [
        ("a.png", png(sample(4, 256), 8, 0)), ("a.png", png(sample(12, 256), 8, 2)),
        ("a.png", png(sample(4, 65536), 16, 0)), ("a.png", png(sample(12, 65536), 16, 2)),
        ("a.png", png(sample(5, 4), 2, 0)), ("a.png", png(sample(9, 2), 1, 0)),
        ("a.png", png(sample(5, 4), 2, 3, [9, 200, 3, 100, 0, 0, 50, 1, 2, 255, 255, 0])),
        ("a.png", png(sample(8, 256), 8, 4)), ("a.png", png(sample(16, 256), 8, 6)),
        ("a.bin", struct.pack("<2i", 3, 4) + data.tobytes()),
        ("a.bin", struct.pack("<2i", 2, 2) + np.full(4, 7, np.float32).tobytes())]
    rows = []
    for name, file in cases + [("", None)]:
        attr = f'file="{name}"' if name else 'nrow="3" ncol="4" elevation="%s"' % " ".join(map(repr, num(data)))
        m = mujoco.MjModel.from_xml_string(
            f'<mujoco><asset><hfield name="h" size="1 1 1 1" {attr}/></asset></mujoco>', {name: file} if name else {})
        row = dict(file=name, nrow=int(m.hfield_nrow[0]), ncol=int(m.hfield_ncol[0]), want=num(m.hfield_data))
        row.update(dict(data=file.hex()) if name else dict(elevation=num(data)))
        rows.append(row)
    return rows


FIT = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def model(case, geom, compiler=""):
    """A model with the mesh of a case on one geom."""
    a = 'name="m"'
    for key in ("vert", "face", "scale", "refpos", "refquat"):
        if key in case:
            a += ' %s="%s"' % ("vertex" if key == "vert" else key, " ".join(repr(x) for x in np.ravel(case[key]).tolist()))
    for key in ("inertia", "maxhullvert", "file"):
        if key in case:
            a += f' {key}="{case[key]}"'
    if case.get("smoothnormal"):
        a += ' smoothnormal="true"'
    xml = (f'<mujoco><compiler {compiler}/><asset><mesh {a}/></asset><worldbody><body><freejoint/>'
           f'<geom mesh="m" density="1" {geom}/></body></worldbody></mujoco>')
    return mujoco.MjModel.from_xml_string(xml, {case["file"]: case["data"]} if "file" in case else {})


def meshes(rng):
    """Compiled meshes, and the primitives fitted to them."""
    rows = []
    for case in mesh_cases(rng):
        m = model(case, 'type="mesh"')
        nv, nf = m.mesh_graph[:2]
        row = {k: (v.hex() if isinstance(v, bytes) else v) for k, v in case.items()}
        row["want"] = dict(
            out_vert=num(m.mesh_vert), out_face=m.mesh_face.ravel().tolist(), normal=num(m.mesh_normal),
            facenormal=m.mesh_facenormal.ravel().tolist(), pos=num(m.mesh_pos), quat=num(m.mesh_quat),
            texcoord=num(m.mesh_texcoord), facetexcoord=m.mesh_facetexcoord.ravel().tolist(),
            corners=m.mesh_graph[2 + nv:2 + 2 * nv].tolist(), extrema=m.mesh_extrema[0].tolist(),
            poly=[m.mesh_polyvert[a:a + n].tolist() for a, n in zip(m.mesh_polyvertadr, m.mesh_polyvertnum)],
            polynormal=num(m.mesh_polynormal), mass=float(m.body_mass[1]), aabb=num(m.geom_aabb))
        if case["name"] in ("notched exact", "cloud", "notched shell"):
            for aabb in (False, True):
                for kind in FIT:
                    f = model(case, f'type="{kind}" fitscale="1.5"', f'fitaabb="{str(aabb).lower()}"')
                    row["want"][f"fit {kind}{' aabb' * aabb}"] = num(f.geom_size)
                row["want"][f"fitpos{' aabb' * aabb}"] = num(f.geom_pos) + num(f.geom_quat)
        rows.append(row)
    return rows


def main():
    rng = np.random.default_rng(7)
    out = dict(primitives=primitives(rng), eig3=eig3(rng), meshes=meshes(rng), builtin=builtin_cases(), hfields=hfields(rng))
    text = json.dumps(out, separators=(",", ":"))
    path = HERE / "mesh.json"
    path.write_text(text + "\n")
    print(path.name, len(text), "bytes")


if __name__ == "__main__":
    main()
