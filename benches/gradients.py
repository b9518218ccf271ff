#!/usr/bin/env python3
"""Times gradients of rollouts by their controls: manyworlds under torch beside MJX, both on the processor's cores.

    pip install numpy torch jax mujoco-mjx ./python
    python3 benches/gradients.py                     # cartpoles, arms, humanoids in the air
    python3 benches/gradients.py --worlds 64 a.xml

The number whose gradient is taken is the sum of all positions and velocities at the end, each times a weight of its own. Times are seconds of the wall
clock for a rollout with its gradient, the median of --runs; `first` is what the first one took, in which MJX compiles. MJX differentiates its solver only
if that makes one iteration, so it gets a copy of the model with `iterations` of 1; manyworlds takes the model as it is. Errors are the largest differences from
finite differences of MuJoCo C's rollouts, for a few controls of the first world, relative to the largest of these slopes.
"""
import argparse
import copy
import pathlib
import statistics
import time

import mujoco
import numpy as np
import torch

import manyworlds as mw
from manyworlds.autograd import rollout, state

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
ARM = """<mujoco model="arm"><option timestep="0.02"/><default> <joint axis="0 1 0" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1" contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><joint name="shoulder"/><geom/><body pos="0 0 -0.5"><joint name="elbow"/><geom/></body></body></worldbody>
<actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator></mujoco>"""
EPS = 1e-6


def given(m, nworld, nstep):
    """Starts and controls of the worlds, and the weights of what they end with."""
    rng = np.random.default_rng(1)
    qpos = np.tile(m.key_qpos[0] if m.nkey else m.qpos0, (nworld, 1))
    if m.njnt and m.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE:
        qpos[:, 2] += 2  # in the air
    ctrl = rng.uniform(-0.3, 0.3, (nstep, nworld, m.nu))
    return qpos, rng.normal(0, 0.1, (nworld, m.nv)), ctrl, rng.normal(size=m.nq), rng.normal(size=m.nv)


def slopes(m, start, places):
    """Derivatives by controls of the first world, by differences of MuJoCo C's rollouts."""
    qpos, qvel, ctrl, wq, wv = start
    d = mujoco.MjData(m)

    def value(place, by):
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = qpos[0], qvel[0]
        for k, u in enumerate(ctrl[:, 0]):
            d.ctrl[:] = u
            if k == place[0]:
                d.ctrl[place[1]] += by
            mujoco.mj_step(m, d)
        return wq @ d.qpos + wv @ d.qvel

    return np.array([(value(p, EPS) - value(p, -EPS)) / (2 * EPS) for p in places])


def ours(m, path, start, backend):
    qpos, qvel, ctrl, wq, wv = start
    model = mw.Model.from_xml_path(path) if path else mw.Model.from_xml_string(ARM)
    batch = mw.Batch(model, len(qpos), backend=backend)
    batch.qpos, batch.qvel = qpos.astype(batch.dtype), qvel.astype(batch.dtype)
    saved, first = batch.save(), state(batch)
    tensor = lambda x: torch.from_numpy(x.astype(batch.dtype))  # noqa: E731
    u, wq, wv = tensor(ctrl).requires_grad_(), tensor(wq), tensor(wv)

    def once():
        batch.restore(saved)
        u.grad = None
        then = rollout(batch, first, u)
        ((then.qpos[-1] * wq).sum() + (then.qvel[-1] * wv).sum()).backward()
        return u.grad.numpy()

    return once


def mjx(m, start):
    import jax
    from mujoco import mjx

    qpos, qvel, ctrl, wq, wv = (jax.numpy.asarray(x, jax.numpy.float32) for x in start)
    m = copy.copy(m)
    m.opt.iterations = 1
    mx, d = mjx.put_model(m), mjx.make_data(m)

    def value(ctrl, qpos, qvel):
        def one(data, u):
            return mjx.step(mx, data.replace(ctrl=u)), None

        end, _ = jax.lax.scan(one, d.replace(qpos=qpos, qvel=qvel), ctrl)
        return wq @ end.qpos + wv @ end.qvel

    every = jax.jit(jax.vmap(jax.grad(value), in_axes=(1, 0, 0), out_axes=1))
    return lambda: np.asarray(jax.block_until_ready(every(ctrl, qpos, qvel)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="*")
    p.add_argument("--worlds", type=int, nargs="+", default=[1, 64])
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--peers", default="cpu,simd,mjx")
    a = p.parse_args()
    print("| model | worlds | what | s | k steps/s | error | first (s) |\n|---|---|---|---|---|---|---|")
    files = a.files or [str(MODELS / "cartpole.xml"), "", str(MODELS / "humanoid.xml")]
    for path in files:
        name = pathlib.Path(path).stem or "arm"
        m = mujoco.MjModel.from_xml_path(path) if path else mujoco.MjModel.from_xml_string(ARM)
        for nworld in a.worlds:
            start = given(m, nworld, a.steps)
            places = [(k, j) for k in range(0, a.steps, max(1, a.steps // 5)) for j in range(min(m.nu, 3))]
            want = slopes(m, start, places)
            for peer in a.peers.split(","):
                begin = time.perf_counter()
                try:
                    once = mjx(m, start) if peer == "mjx" else ours(m, path, start, peer)
                    once()
                except (NotImplementedError, ValueError) as e:
                    print(f"| {name} | {nworld} | {peer} | {type(e).__name__}: {str(e).splitlines()[0][:80]} | | | |")
                    continue
                first, times = time.perf_counter() - begin, []
                for _ in range(a.runs):
                    begin = time.perf_counter()
                    found = once()
                    times.append(time.perf_counter() - begin)
                took = statistics.median(times)
                error = np.abs(np.array([found[k, 0, j] for k, j in places]) - want).max() / np.abs(want).max()
                rate = nworld * a.steps / took / 1000
                print(f"| {name} | {nworld} | {peer} | {took:.4f} | {rate:.1f} | {error:.0e} | {first:.1f} |", flush=True)


if __name__ == "__main__":
    main()
