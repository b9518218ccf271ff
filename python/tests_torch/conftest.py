import numpy as np
import pytest
import torch

import manyworlds as mw

# nets are small: more threads would slow each other down
torch.set_num_threads(1)

XML = """
<mujoco>
  <option timestep="0.02"/>
  <worldbody>
    <body>
      <joint name="slide" type="slide" axis="1 0 0" damping="1"/>
      <geom name="ball" size="0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="slide" ctrlrange="-2 3"/>
  </actuator>
</mujoco>
"""


class Reach(mw.Task):
    """A ball on a rail moves to x = 1."""

    limit = 10

    def __init__(self):
        self.model = mw.Model.from_xml_string(XML)

    def observe(self, s):
        return {"position": s.qpos, "velocity": s.qvel}

    def reward(self, s, before, action):
        far = np.abs(s.qpos[:, 0] - 1)
        return -far - 0.01 * np.square(action).sum(axis=1), {"far": far}

    def terminated(self, s):
        return s.qpos[:, 0] > 2

    def reset(self, s, draws):
        return draws.uniform(-0.1, 0.1, s.nq), np.zeros((len(draws), s.nv))

    def beyond(self, s, x):
        return s.qpos[:, 0] > x


@pytest.fixture
def reach():
    return Reach


@pytest.fixture(params=["cpu", "simd"])
def backend(request):
    return request.param
