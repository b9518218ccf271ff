#!/usr/bin/env python3
"""make_soft.py NAME [N]: N random states of tests/golden/soft_NAME.xml and MuJoCo 4.0.0's contacts with flexes there.

Writes tests/golden/soft_NAME.npz: in/qpos, in/qvel; ncon[n]; ids[n,max,8] (geom, flex, elem, vert of both sides; -1: none);
con[n,max,7] (distance, position, normal); out/qacc; out/sensordata; out/qpos and out/plastic after ten steps. Contacts are in
MuJoCo's order, except self-contacts of a flex: they are sorted by their elements, those of tetrahedra by their places in the tree of boxes.
"""
import pathlib, sys
import mujoco, numpy as np

HERE = pathlib.Path(__file__).parent
NEAR = 0.12
# models without contacts, and how far their points are from their places (m)
ALONE = {"cage": 0.05, "foil": 0.004, "clay": 0.01, "shell": 0.01, "strain": 0.01, "hide": 0.01, "rod": 0.02, "ribbon": 0.02, "putty": 0.004}
# a model whose rods are twisted, by angles of this size (rad), and whose bodies are nearer
TWISTED = {"lath": 0.7}
# a model of many elements, of which a corner is folded over, so far above the rest (m)
FOLDED = {"towel": 0.006}


def folded(rng, m, above):
    """Vertices of a square cloth in the plane z = 0, the corner beyond a line folded over it."""
    place = np.array([m.body(m.flex_vertbodyid[v]).pos for v in range(m.nflexvert)])
    low = place.min(0)
    side = np.ptp(place[:, 0])
    beyond = 0.2 * side - (place - low)[:, :2].sum(1)
    moved = np.where(beyond > 0, beyond, 0)
    q = np.stack([moved, moved, np.where(beyond > 0, above, 0)], 1)
    q += rng.normal(size=q.shape) * 1e-3
    return q.ravel(), rng.normal(size=m.nv) * 0.05


def state(rng, m, far, twisted):
    near_by = 0.06 if twisted else NEAR
    q = m.qpos0 + rng.normal(size=m.nq) * min(far, 0.02)
    free = np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    # only one body is near the flex, so that geoms do not collide
    held = m.body("tray").id if "tray" in [m.body(i).name for i in range(m.nbody)] else -1
    free = [j for j in free if m.jnt_bodyid[j] != held]
    if held >= 0:
        # almost flat
        a = m.body("tray").jntadr[0]
        q[a:a + 3] = rng.normal(size=3) * 0.02
        q[a + 3:a + 7] = [1, *rng.normal(size=3) * 0.03]
        q[a + 3:a + 7] /= np.linalg.norm(q[a + 3:a + 7])
    near = rng.choice(free) if len(free) else -1
    for k, j in enumerate(free):
        a = m.jnt_qposadr[j]
        q[a:a + 3] = [3 * k + 3, 0, 5]
        if j == near:
            q[a:a + 3] = rng.uniform(-near_by, near_by, 3) + [0.05, 0.05, 0]
        q[a + 3:a + 7] = rng.normal(size=4)
        q[a + 3:a + 7] /= np.linalg.norm(q[a + 3:a + 7])
    if not len(free) and held < 0:
        q += rng.normal(size=m.nq) * far
    for j in range(m.njnt if twisted else 0):
        if "twist" in m.joint(j).name:
            q[m.jnt_qposadr[j]] += rng.normal() * twisted
    return q, rng.normal(size=m.nv) * 0.2


def contact(c):
    return [*c.geom, *c.flex, *c.elem, *c.vert], [c.dist, *c.pos, *c.frame[:3]]


def rank(m, f):
    """Places of the elements of a flex in the tree of boxes, if MuJoCo searches it for self-contacts; else their numbers."""
    kind = mujoco.mjtFlexSelf
    said = m.flex_selfcollide[f]
    if said != kind.mjFLEXSELF_BVH and not (said == kind.mjFLEXSELF_AUTO and m.flex_dim[f] == 3):
        return np.arange(m.flex_elemnum[f])
    boxes = [0]
    places = np.zeros(m.flex_elemnum[f], int)
    own = slice(m.flex_bvhadr[f], m.flex_bvhadr[f] + m.flex_bvhnum[f])
    child, element = m.bvh_child[own], m.bvh_nodeid[own]
    seen = 0
    while boxes:
        box = boxes.pop()
        if element[box] >= 0:
            places[element[box]] = seen
            seen += 1
        boxes.extend(part for part in child[box][::-1] if part >= 0)
    return places


def order(m, found):
    """Self-contacts come last, by their elements."""
    ids = found[0]
    if ids[2] < 0 or ids[2] != ids[3]:
        return False, []
    return True, [ids[2], *sorted(rank(m, ids[2])[ids[4:6]].tolist())]


def main():
    name = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    m = mujoco.MjModel.from_xml_path(str(HERE / f"soft_{name}.xml"))
    d = mujoco.MjData(m)
    rng = np.random.default_rng(1)
    out = {key: [] for key in ("in/qpos", "in/qvel", "ncon", "out/qacc", "out/sensordata", "out/qpos", "out/plastic")}
    found = []
    while len(found) < n:
        q, v = folded(rng, m, FOLDED[name]) if name in FOLDED else state(rng, m, ALONE.get(name, 0.05), TWISTED.get(name))
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        if not d.ncon and name not in ALONE:
            continue
        own = [contact(c) for c in d.contact]
        own.sort(key=lambda c: order(m, c))
        found.append(own)
        out["in/qpos"].append(q)
        out["in/qvel"].append(v)
        out["ncon"].append(d.ncon)
        out["out/qacc"].append(d.qacc.copy())
        out["out/sensordata"].append(d.sensordata.copy())
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_step(m, d, 10)
        out["out/qpos"].append(d.qpos.copy())
        out["out/plastic"].append(d.plastic.copy())
    most = max(out["ncon"])
    ids = np.full((n, most, 8), -1, np.int32)
    con = np.zeros((n, most, 7))
    for k, own in enumerate(found):
        for c, (i, x) in enumerate(own):
            ids[k, c], con[k, c] = i, x
    arrays = {key: np.array(x, np.int32 if key == "ncon" else float) for key, x in out.items()}
    np.savez_compressed(HERE / f"soft_{name}.npz", ids=ids, con=con, **arrays)
    print(name, "contacts", sum(out["ncon"]))


main()
