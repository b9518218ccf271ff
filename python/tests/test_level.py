"""The wheel loads the build of the extension module that suits the processor."""

import os
import pathlib
import shutil
import subprocess
import sys

import manyworlds

SAY = "import manyworlds; print(manyworlds.cpu_level, manyworlds._core.__spec__.origin, manyworlds.Batch.__module__)"


def run(folder, asked=None):
    env = {**os.environ, "PYTHONPATH": str(folder)}
    env.pop("MANYWORLDS_CPU", None)
    if asked:
        env["MANYWORLDS_CPU"] = asked
    return subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, env=env, cwd=folder)


def test_the_widest_build_that_runs_is_taken(tmp_path):
    """Copies of the same build in the folders of other levels show which one is loaded."""
    package = pathlib.Path(manyworlds.__file__).parent
    shutil.copytree(package, tmp_path / "manyworlds")
    machine = run(tmp_path).stdout.split()
    assert machine[0] == manyworlds.cpu_level and "_levels" not in machine[1]
    core = next(package.glob("_core.*so"), None) or next(package.glob("_core.pyd"))
    for level in ("v2", "v3"):
        folder = tmp_path / "manyworlds/_levels" / level
        folder.mkdir(parents=True)
        shutil.copy(core, folder / core.name)
    asked = run(tmp_path, "v2")
    assert asked.returncode == 0, asked.stderr
    level, origin, _ = asked.stdout.split()
    assert level == "v2" and "v2" in pathlib.Path(origin).parts
    wrong = run(tmp_path, "v9")
    assert wrong.returncode != 0 and "MANYWORLDS_CPU=v9: there is no such build; there are builds for" in wrong.stderr
