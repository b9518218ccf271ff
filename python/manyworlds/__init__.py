"""MuJoCo's physics for thousands of worlds at once, on a GPU or on CPU cores.

    import manyworlds as mw

    model = mw.Model.from_xml_path("humanoid.xml")
    batch = mw.Batch(model, nsim=4096)
    qpos, ctrl = batch.bind("qpos"), batch.bind("ctrl")   # live arrays, (nsim, ...)
    for _ in range(1000):
        ctrl[:] = policy(qpos)
        batch.step(nstep=5)
"""

import os

# Mesa's device-select layer prints warnings without a desktop; this package selects the adapter itself
os.environ.setdefault("NODEVICE_SELECT", "1")

from manyworlds import _level  # noqa: E402

# the processor level that the loaded extension module was built for
cpu_level = _level.choose()

from manyworlds._core import CapacityError, DeviceError, FieldError, ModelError, UnsupportedError  # noqa: E402
from manyworlds.batch import Batch, Flag  # noqa: E402
from manyworlds.model import Model  # noqa: E402
from manyworlds.randomize import Range, scaled, shifted, uniform  # noqa: E402
from manyworlds.task import Task  # noqa: E402

__all__ = [
    "Batch",
    "CapacityError",
    "DeviceError",
    "FieldError",
    "Flag",
    "Model",
    "ModelError",
    "Range",
    "Task",
    "UnsupportedError",
    "cpu_level",
    "scaled",
    "shifted",
    "uniform",
]
