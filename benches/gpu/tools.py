"""Fetches and builds the tools of counting: the program, the PTX simulator, NVIDIA's compilers."""

import json
import subprocess
import venv
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / "target"
WORK = TARGET / "gpu"
# fixed versions, so that they make the same code
PACKAGES = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-nvcc-cu12==12.9.86", "nvidia-cuda-nvdisasm==13.5.37"]


class CompilerError(Exception):
    """A compiler refused a kernel."""


class Unavailable(Exception):
    """A tool that counting needs is not available on this machine."""


@cache
def program() -> Path:
    """The path of the program, built if needed."""
    subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=ROOT, check=True)
    return TARGET / "release" / "manyworlds"


@cache
def warps() -> Path:
    """The path of the PTX simulator, built if needed."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "warps"], cwd=ROOT, check=True)
    return TARGET / "release" / "warps"


@cache
def compilers() -> Path:
    """The folder of NVIDIA's packages, fetched if needed."""
    home = WORK / "compilers"
    stamp = home / "packages.txt"
    wanted = "\n".join(PACKAGES)
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(home, with_pip=True, clear=True)
        pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        got = subprocess.run(pip, capture_output=True, text=True)
        if got.returncode:
            raise Unavailable(f"NVIDIA's compilers cannot be fetched: {got.stderr.strip()[-500:]}")
        stamp.write_text(wanted)
    return next((home / "lib").glob("python3*/site-packages"))


def said(program: Path, *words: str | Path) -> dict[str, Any]:
    """The JSON output of a verb of the program."""
    told = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {told.stderr.strip()}")
    return json.loads(told.stdout)


def state_of(model: Path) -> Path:
    """The path of the committed states of a model's worlds."""
    return HERE / "states" / f"{model.stem}.npz"
