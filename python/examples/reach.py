"""Torques that bring the tip of an arm to rest at a target, by gradients through the simulator: one target for each world.

    pip install torch
    python reach.py
"""

import argparse

import torch

import manyworlds as mw
from manyworlds.autograd import rollout, state

ARM = """<mujoco>
  <option timestep="0.02"/>
  <default> <joint axis="0 1 0" damping="0.1"/> <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1"/> </default>
  <worldbody>
    <body pos="0 0 1"> <joint name="shoulder"/> <geom/>
      <body pos="0 0 -0.5"> <joint name="elbow"/> <geom/> <site name="tip" pos="0 0 -0.5"/> </body>
    </body>
  </worldbody>
  <actuator> <motor joint="shoulder"/> <motor joint="elbow"/> </actuator>
  <sensor> <framepos objtype="site" objname="tip"/> </sensor>
</mujoco>"""


def reach(a):
    """Improves the torques of all worlds at once; returns the distances of the tips (m), a row for each iteration."""
    batch = mw.Batch(mw.Model.from_xml_string(ARM), a.worlds, backend=a.backend, nthread=a.threads)
    start, now = batch.save(), state(batch)
    dtype = now.qpos.dtype
    angle = torch.linspace(-1.5, 1.5, a.worlds, dtype=dtype)
    target = torch.stack([0.8 * angle.sin(), torch.zeros_like(angle), 1 - 0.8 * angle.cos()], 1)
    ctrl = torch.zeros(a.steps, a.worlds, 2, dtype=dtype, requires_grad=True)
    improve, distances = torch.optim.Adam([ctrl], lr=0.2), []
    for k in range(a.iterations):
        batch.restore(start)
        then = rollout(batch, now, ctrl)
        miss, speed = then.sensordata[-1] - target, then.qvel[-1]
        # worlds do not touch each other: the gradient of the sum is that of each
        loss = miss.square().sum() + 0.01 * speed.square().sum() + 1e-7 * ctrl.square().sum()
        improve.zero_grad()
        loss.backward()
        improve.step()
        distances.append(miss.detach().norm(dim=1))
        if k % 10 == 0 or k == a.iterations - 1:
            print(f"iteration {k}: {distances[-1].max():.4f} m from the target at most")
    return torch.stack(distances)


def arguments(args=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--worlds", type=int, default=16)
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--iterations", type=int, default=100)
    p.add_argument("--backend", default="cpu")
    p.add_argument("--threads", type=int, default=0, help="of the simulator; 0: all")
    return p.parse_args(args)


if __name__ == "__main__":
    reach(arguments())
