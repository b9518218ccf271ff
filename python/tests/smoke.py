"""Tests a wheel with numpy alone: python smoke.py, in an otherwise empty environment, on any machine."""

import subprocess
import sys

import numpy as np

import manyworlds as mw

XML = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom name="ball" size="0.1"/>
    </body>
  </worldbody>
</mujoco>
"""


def main():
    print(f"manyworlds for {mw.cpu_level}, Python {sys.version.split()[0]}, numpy {np.__version__}")
    model = mw.Model.from_xml_string(XML)
    for backend, tolerance in (("cpu", 1e-12), ("simd", 1e-5)):
        batch = mw.Batch(model, nsim=20, backend=backend)
        qpos = batch.bind("qpos")
        batch.step(nstep=200)
        # semi-implicit Euler: each step adds the new velocity times dt, in all g dt² (1 + 2 + ... + 200)
        fell = 9.81 * 1e-6 * 200 * 201 / 2
        assert np.abs(qpos[:, 2] - (1 - fell)).max() < tolerance, (backend, qpos[0, 2])
        batch.step(nstep=2000)
        assert np.abs(qpos[:, 2] - 0.1).max() < 1e-3, f"{backend}: the ball lies at {qpos[0, 2]}"
        print(batch.device)
    said = subprocess.run([sys.executable, "-m", "manyworlds", "--version"], capture_output=True, text=True, check=True)
    print(said.stdout.strip())


if __name__ == "__main__":
    main()
