#!/usr/bin/env python3
"""make_collision.py OUT.npz [N [KIND]]: random poses of pairs of geoms and the contacts that MuJoCo 4.0.0 finds, N poses of each pair.

KIND: closed (pairs with a closed form), convex (pairs without; one contact each), faces (of those, flat ones: several contacts where
faces or edges meet), caps (ends of cylinders on ends of cylinders and boxes), hfield (a height field and every convex type), older and older_hfield (convex pairs and height fields by the
older collider), sunk (ends of cylinders deep in cylinders and boxes, by the older collider), tight (curved pairs without a closed form, to a tenth of the default tolerance), lattice (convex pairs at places of a
lattice, turned by round angles: many ways out are equally short). Writes type[n,2], mesh[n,2] (of solids.xml; -1: none),
size[n,2,3], rbound[n,2], pos[n,2,3], mat[n,2,9], margin[n], ncon[n], con[n,50,13] (distance, position, frame). Some poses are
aligned on purpose: parallel axes, faces that meet flush, centers that coincide.
"""
import pathlib, sys
import mujoco, numpy as np

TYPES = "plane hfield sphere capsule ellipsoid cylinder box mesh".split()
MESHES = "tetra brick wedge drum pebble gem".split()
SOLIDS = (pathlib.Path(__file__).parent / "solids.xml").read_text().split("<asset>")[1].split("</asset>")[0]
BARE = [("sphere", "ellipsoid"), ("capsule", "ellipsoid"), ("capsule", "cylinder"), ("ellipsoid", "ellipsoid"),
        ("ellipsoid", "cylinder"), ("ellipsoid", "box"), ("cylinder", "cylinder"), ("cylinder", "box")]
PAIRS = {
    "closed": [("plane", t) for t in ("sphere", "capsule", "ellipsoid", "cylinder", "box")] + [
        ("sphere", t) for t in ("sphere", "capsule", "cylinder", "box")] + [("capsule", "capsule"), ("capsule", "box"), ("box", "box")] + [
        ("plane", t) for t in MESHES],
    "convex": BARE + [(t, s) for t in ("sphere", "capsule", "ellipsoid", "cylinder", "box") for s in MESHES[:5:2]] + [
        (s, t) for i, s in enumerate(MESHES) for t in MESHES[i::2]],
    "hfield": [("hfield", t) for t in ("sphere", "capsule", "ellipsoid", "cylinder", "box", "brick", "pebble")],
    "faces": [("capsule", "cylinder"), ("cylinder", "cylinder"), ("cylinder", "box")] + [
        (t, s) for t in ("capsule", "cylinder", "box") for s in MESHES[::2]] + [(s, t) for i, s in enumerate(MESHES) for t in MESHES[i::2]],
}
PAIRS["caps"] = PAIRS["sunk"] = [("cylinder", "cylinder"), ("cylinder", "box")]
PAIRS["older"], PAIRS["older_hfield"], PAIRS["tight"], PAIRS["lattice"] = PAIRS["convex"], PAIRS["hfield"], BARE, PAIRS["convex"]
XML = """<mujoco><option ccd_tolerance="%s"><flag multiccd="%s" nativeccd="%s"/></option><asset>%s</asset><worldbody>%s
<body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>%s</body></worldbody></mujoco>"""


def unit(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def aligned(rng):
    # a rotation by multiples of a quarter turn
    m = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1], 3)[:, None]
    m = m if np.linalg.det(m) > 0 else -m
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, m.ravel())
    return q


def pose(rng, pair, k):
    sizes = [rng.uniform(0.05, 0.3, 3) for _ in pair]
    q1 = unit(rng)
    kind = k % 4
    q2 = np.zeros(4)
    turn = aligned(rng) if kind >= 2 else unit(rng)
    mujoco.mju_mulQuat(q2, q1, turn)
    if kind == 3:
        # nearly aligned
        w = rng.normal(size=3) * 10.0 ** rng.uniform(-9, -1)
        mujoco.mju_quatIntegrate(q2, w, 1.0)
    local = rng.normal(size=3)
    local *= rng.uniform(0, 0.5) / np.linalg.norm(local)
    if kind == 2 and k % 8 == 2:
        # faces nearly coincide along one axis
        axis = rng.integers(3)
        local *= rng.uniform(0, 0.5)
        local[axis] = rng.choice([-1, 1]) * (sizes[0][axis] + sizes[1][rng.integers(3)] - 10.0 ** rng.uniform(-9, -2))
    if pair[0] == "plane":
        local[2] = rng.uniform(-0.1, 0.4)
    if pair[0] == "hfield":
        local = np.append(rng.uniform(-0.6, 0.6, 2), rng.uniform(-0.1, 0.45))
    r = np.zeros(3)
    mujoco.mju_rotVecQuat(r, local, q1)
    p1 = rng.normal(size=3)
    return sizes, p1, q1, p1 + r, q2


def stacked(rng, pair, depth=(-5, -2.5)):
    # the second solid stands on the first, turned about their common axis and leaning a little; depth: its power of ten
    sizes = [rng.uniform(0.05, 0.3, 3) for _ in range(2)]
    q1, q2, lean = unit(rng), np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(lean, np.array([0.0, 0.0, 1.0]), rng.uniform(0, 7))
    mujoco.mju_quatIntegrate(lean, np.append(rng.normal(size=2), 0.0) * 10.0 ** rng.uniform(-9, -1.3), 1.0)
    mujoco.mju_mulQuat(q2, q1, lean)
    height = [s[2] if name == "box" else s[1] for name, s in zip(pair, sizes)]
    across = rng.normal(size=2)
    across *= rng.uniform(0, 1.2) * min(sizes[0][0], sizes[1][0]) / np.linalg.norm(across)
    r, p1 = np.zeros(3), rng.normal(size=3)
    mujoco.mju_rotVecQuat(r, np.append(across, sum(height) - 10.0 ** rng.uniform(*depth)), q1)
    return sizes, p1, q1, p1 + r, q2


def sunk(rng, pair):
    return stacked(rng, pair, (-2.5, -1))


def lattice(rng, pair):
    # centers that often coincide in some coordinates
    def turned():
        axis = rng.choice([-1.0, 0.0, 1.0], 3)
        axis = axis if axis.any() else np.array([0.0, 0.0, 1.0])
        q = np.zeros(4)
        mujoco.mju_axisAngle2Quat(q, axis / np.linalg.norm(axis), np.deg2rad(rng.choice([0, 30, 45, 90, 120, 180])))
        return q
    sizes = [rng.integers(3, 7, 3) * 0.04 for _ in pair]
    place = rng.integers(-4, 5, 3) * rng.choice([0.02, 0.04, 0.05]) * rng.choice([0.0, 1.0], 3)
    q1 = turned() if rng.random() < 0.3 else np.array([1.0, 0.0, 0.0, 0.0])
    return sizes, np.zeros(3), q1, place, turned()


def geom(name, size, rest):
    text = lambda x: " ".join(repr(float(v)) for v in x)
    said = 'type="mesh" mesh="%s"' % name if name in MESHES else 'type="%s" size="%s"' % (name, text(size))
    said = 'type="hfield" hfield="hills"' if name == "hfield" else said
    return "<geom %s %s/>" % (said, " ".join('%s="%s"' % (k, text(v)) for k, v in rest.items()))


def main(out, n=24, kind="closed", only=None):
    rng, said = np.random.default_rng(1), ("disable", "enable")
    rows = {k: [] for k in "type mesh size rbound pos mat margin ncon con".split()}
    for pair in PAIRS[kind]:
        if only and only not in pair:
            continue
        hits = 0
        k = 0
        while hits < n:
            k += 1
            special = {"caps": stacked, "sunk": sunk, "lattice": lattice}.get(kind)
            sizes, p1, q1, p2, q2 = special(rng, pair) if special else pose(rng, pair, k)
            margin = 0.0 if k % 3 else 0.03
            solids = SOLIDS if any(name in MESHES or name == "hfield" for name in pair) else ""
            first = geom(pair[0], sizes[0], dict(pos=p1, quat=q1))
            second = geom(pair[1], sizes[1], dict(margin=[margin]))
            tolerance = "1e-7" if kind == "tight" else "1e-6"
            flags = said[kind in ("faces", "caps", "older", "sunk")], said["older" not in kind and kind != "sunk"]
            m = mujoco.MjModel.from_xml_string(XML % (tolerance, *flags, solids, first, second))
            d = mujoco.MjData(m)
            d.qpos[:] = np.concatenate([p2, q2])
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_collision(m, d)
            # mostly poses with contacts, and for faces mostly poses in which faces touch
            if d.ncon == 0 and k % 10 or kind == "faces" and d.ncon < 2 and k % 4:
                continue
            if kind == "caps" and d.ncon < 3:
                continue
            hits += 1
            con = np.zeros((50, 13))
            for c in range(d.ncon):
                con[c] = np.concatenate([[d.contact.dist[c]], d.contact.pos[c], d.contact.frame[c]])
            rows["type"].append(m.geom_type.copy())
            rows["mesh"].append(m.geom_dataid.copy())
            rows["size"].append(np.array(m.geom_size))
            rows["rbound"].append(np.array(m.geom_rbound))
            rows["pos"].append(d.geom_xpos.copy())
            rows["mat"].append(d.geom_xmat.copy())
            rows["margin"].append(margin)
            rows["ncon"].append(d.ncon)
            rows["con"].append(con)
    np.savez_compressed(out, **{k: np.array(v, float) for k, v in rows.items()})


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
