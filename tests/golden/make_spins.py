#!/usr/bin/env python3
"""make_spins.py: contacts that MuJoCo 4.0.0 foresees (`speculative`) of bodies that fall and spin, in spins.npz.

spins.xml in 64 random states, up to 600 rad/s: qpos[n,nq], qvel[n,nv], ncon[n], and of each contact its geoms, distance, position and
normal (con[n,24,9]). States whose contacts hang on roundings are left out: those that one of 16 others 1e-10 beside has otherwise, and those with another number
of contacts if all is 2 % faster or slower: at the very end of the timestep MuJoCo's rule is not known.
"""
import pathlib
import mujoco, numpy as np

HERE = pathlib.Path(__file__).resolve().parent
PLACES = 24
m = mujoco.MjModel.from_xml_path(str(HERE / "spins.xml"))
d = mujoco.MjData(m)


def contacts(qpos, qvel):
    d.qpos[:], d.qvel[:] = qpos, qvel
    mujoco.mj_forward(m, d)
    con = np.zeros((PLACES, 9))
    for c in range(d.ncon):
        con[c] = np.concatenate([d.contact.geom[c], [d.contact.dist[c]], d.contact.pos[c], d.contact.frame[c][:3]])
    return d.ncon, con


rng = np.random.default_rng(5)
rows = {k: [] for k in ("qpos", "qvel", "ncon", "con")}
while len(rows["ncon"]) < 64:
    qpos, qvel = m.qpos0.copy(), np.zeros(m.nv)
    for b in range(m.njnt):
        quat = rng.normal(size=4) if rng.random() < 0.7 else np.eye(4)[0]
        qpos[7 * b + 3:7 * b + 7] = quat / np.linalg.norm(quat)
        qpos[7 * b + 2] += rng.uniform(0, 0.02)
        spin = rng.normal(size=3) if rng.random() < 0.7 else np.eye(3)[rng.integers(3)]
        qvel[6 * b:6 * b + 3] = *rng.normal(size=2), -rng.uniform(3, 8)
        qvel[6 * b + 3:6 * b + 6] = spin * rng.choice([5, 60, 200, 600]) / np.linalg.norm(spin)
    num, con = contacts(qpos, qvel)
    near = [contacts(qpos + 1e-10 * rng.normal(size=m.nq), qvel) for _ in range(16)]
    if any(n != num or not np.allclose(c, con, rtol=0, atol=1e-6) for n, c in near):
        continue
    if any(contacts(qpos, scale * qvel)[0] != num for scale in (0.98, 1.02)):
        continue
    for k, v in zip(rows, (qpos, qvel, num, con)):
        rows[k].append(v)
np.savez_compressed(HERE / "spins.npz", **{k: np.array(v, float) for k, v in rows.items()})
