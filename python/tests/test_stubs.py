"""The stubs declare the names of the extension module."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


def test_stubs_are_true(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "manyworlds._core"], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr
