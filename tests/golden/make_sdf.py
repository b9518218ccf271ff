#!/usr/bin/env python3
"""make_sdf.py: MuJoCo 4.0.0's signed distance fields and their contacts, in sdf.npz.

Of each mesh of sdf_octrees.txt, by depth: cells, cells that are not halved, and sums over the cells of the distances at their eight
corners, by where they are (oct/K); sums do not depend on the order of the cells. Of each model of sdf_cases.txt: sizes and checksums of what stands for the shape (mesh/K), mass, inertia, place and bounds (body/K). Of each
pair of sdf_pairs.txt: poses (qpos/K), and of each pose the number of contacts (ncon/K) and distance, position and normal of each
(contact/K), 40 places a pose; of each pair of a mesh and a field of sdf_meshes.txt the same, 50 places a pose, and what the sensors of
distance read (mesh_qpos/K, mesh_ncon/K, mesh_contact/K, mesh_sensor/K). Of what sdf_felt.txt feels: states and readings
(felt_qpos/K, felt_qvel/K, felt/K). Of sdf_early.txt, falling fast with the flag speculative: the number of contacts and the first distance (early/K).
Of rays at the second geom of each pair: start and direction (ray/K), distance and normal (hit/K). Poses whose contacts hang on roundings are left out: those that one of 64 others 1e-12 beside has otherwise.
"""
import pathlib
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
PLACES, POSES, RAYS = 40, 6, 20


def models(name):
    return (HERE / name).read_text().splitlines()[1::2]


def checksum(values):
    """A checksum of 32-bit words that depends on their order."""
    words = np.ascontiguousarray(values).view(np.uint32).ravel().astype(np.uint64)
    return float(np.sum(words * (np.arange(words.size, dtype=np.uint64) % np.uint64(997) + np.uint64(1))) & np.uint64(0xFFFFFFFF))


def contacts(m, d, qpos, places=PLACES):
    d.qpos[:] = qpos
    mujoco.mj_forward(m, d)
    rows = np.zeros((places, 7))
    for row, c in zip(rows, d.contact):
        row[:] = [c.dist, *c.pos, *c.frame[:3]]
    return d.ncon, rows


def octree(m):
    """By depth: cells, undivided cells, and for each corner the sum of its distances times a number for the cell's position."""
    place = m.oct_aabb @ np.array([1, 2, 3, 0.5, 0.5, 0.5]) + 1
    rows = np.zeros((m.oct_depth.max() + 1, 10))
    for row, depth in zip(rows, range(len(rows))):
        at = m.oct_depth == depth
        row[:] = [at.sum(), (m.oct_child[at, 0] < 0).sum(), *(place[at] @ m.oct_coeff[at])]
    return rows


def rays(m, d, qpos):
    """Rays in a pose that ignore the body of the first geom, and their hits; rays whose hit changes much for a shift of 1e-5 are left out."""
    def cast(ray):
        normal = np.zeros(3)
        return np.array([mujoco.mj_ray(m, d, ray[:3], ray[3:], None, 1, m.geom_bodyid[0], np.zeros(1, np.int32), normal), *normal])

    contacts(m, d, qpos)
    said, rng = [], np.random.default_rng(1)
    while len(said) < RAYS:
        start = rng.normal(size=3) * rng.uniform(0.1, 2)
        ray = np.concatenate([start, (rng.normal(size=3) * 0.5 + d.geom_xpos[-1] - start) * rng.uniform(0.3, 2)])
        if all(np.abs(cast(ray + 1e-5 * rng.normal(size=6)) - cast(ray)).max() < 1e-2 for _ in range(16)):
            said.append(ray)
    return np.array(said), np.array([cast(ray) for ray in said])


D, rng = {}, np.random.default_rng(0)
for k, xml in enumerate(models("sdf_octrees.txt")):
    D[f"oct/{k}"] = octree(mujoco.MjModel.from_xml_string(xml))
for k, xml in enumerate(models("sdf_cases.txt")):
    m = mujoco.MjModel.from_xml_string(xml)
    sums = [checksum(m.mesh_vert.astype(np.float32)), checksum(m.mesh_face.astype(np.int32)), checksum(m.mesh_graph.astype(np.int32))]
    D[f"mesh/{k}"] = np.array([m.nmeshvert, m.nmeshface, m.nmeshgraph, m.nmeshpoly, *sums])
    D[f"body/{k}"] = np.concatenate([m.body_mass[1:2], m.body_inertia[1], m.body_ipos[1], m.geom_pos[0], m.geom_size[0], m.geom_aabb[0], m.geom_rbound[:1], m.mesh_pos[0], m.mesh_quat[0]])
    D[f"plugin/{k}"] = np.concatenate([m.plugin, m.plugin_attr, m.plugin_attradr, m.geom_plugin]).astype(float)
for k, xml in enumerate(models("sdf_pairs.txt")):
    m = mujoco.MjModel.from_xml_string(xml)
    d, out = mujoco.MjData(m), []
    # gradients of these shapes are finite differences over 1e-8
    rough = any(shape in xml for shape in ("bolt", "bowl", "gear", "nut"))
    while len(out) < POSES:
        qpos = rng.normal(size=m.nq) * 0.3
        for q in np.split(qpos, m.nq // 7):
            q[3:] = rng.normal(size=4)
            q[3:] /= np.linalg.norm(q[3:])
        n, rows = contacts(m, d, qpos)
        near = (contacts(m, d, qpos + 1e-12 * rng.normal(size=m.nq)) for _ in range(64))
        if n and all(n == other and np.abs(rows - beside).max() < (1e-6 if rough else 1e-10) for other, beside in near):
            out.append((qpos, n, rows))
    D[f"ray/{k}"], D[f"hit/{k}"] = rays(m, d, out[0][0])
    D[f"qpos/{k}"], D[f"ncon/{k}"], D[f"contact/{k}"] = (np.array(x, float) for x in zip(*out))


def apart(m, d, qpos):
    """What depends on the pose alone."""
    n, rows = contacts(m, d, qpos, 50)
    return n, np.concatenate([rows.ravel(), d.sensordata])


rng = np.random.default_rng(5)
for k, xml in enumerate(models("sdf_meshes.txt")):
    m = mujoco.MjModel.from_xml_string(xml)
    d, out = mujoco.MjData(m), []
    rough = any(shape in xml for shape in ("bolt", "bowl", "gear", "nut"))
    size = 1.2 if any(shape in xml for shape in ("bowl", "gear")) else 0.4
    while len(out) < POSES:
        qpos = np.concatenate([rng.normal(size=3) * size, rng.normal(size=4), rng.normal(size=3) * 0.1, rng.normal(size=4)])
        for q in np.split(qpos, 2):
            q[3:] /= np.linalg.norm(q[3:])
        n, said = apart(m, d, qpos)
        near = (apart(m, d, qpos + 1e-12 * rng.normal(size=m.nq)) for _ in range(64))
        if n and all(n == other and np.abs(said - beside).max() < (1e-6 if rough else 1e-8) for other, beside in near):
            apart(m, d, qpos)
            out.append((qpos, n, said[:350], said[350:]))
    D[f"mesh_qpos/{k}"], D[f"mesh_ncon/{k}"], D[f"mesh_contact/{k}"], D[f"mesh_sensor/{k}"] = (np.array(x, float) for x in zip(*out))
for k, xml in enumerate(models("sdf_felt.txt")):
    m = mujoco.MjModel.from_xml_string(xml)
    d, out = mujoco.MjData(m), []
    while len(out) < POSES:
        qpos = np.concatenate([[0.1, 0.05, 0.25] + rng.normal(size=3) * 0.1, [1, 0, 0, 0] + rng.normal(size=4) * 0.1])
        qpos[3:] /= np.linalg.norm(qpos[3:])
        d.qpos[:], d.qvel[:] = qpos, rng.normal(size=m.nv)
        mujoco.mj_forward(m, d)
        if d.ncon and d.sensordata.any():
            out.append((qpos, d.qvel.copy(), d.sensordata.copy()))
    D[f"felt_qpos/{k}"], D[f"felt_qvel/{k}"], D[f"felt/{k}"] = (np.array(x) for x in zip(*out))
for k, xml in enumerate(models("sdf_early.txt")):
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    d.qvel[2] = -150
    mujoco.mj_forward(m, d)
    D[f"early/{k}"] = np.array([d.ncon, *d.contact.dist[:1]], float)
np.savez_compressed(HERE / "sdf.npz", **D)
