"""Makes the states that counting starts from: worlds after 500 steps under small random controls, with active contacts.

    python3 benches/gpu/settle.py models/humanoid.xml …

The states are committed (`states/NAME.npz`): one step from there is the same everywhere to the last few bits, where hundreds of steps
would diverge, so that counts depend on the kernels alone.
"""

import random
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

import npz
import tools

WORLDS = 64
STEPS = 500
# steps for which a control is held
HOLD = 10
# size of a control, in its unit
STRAY = 0.17
KEPT = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart")


def settle(program: Path, model: Path, out: Path) -> None:
    """Writes the states of a model's worlds."""
    with tempfile.TemporaryDirectory() as folder:
        controls, walked = Path(folder) / "ctrl.npz", Path(folder) / "walked.npz"
        nu = sizes(program, model)["nu"]
        drive = []
        if nu:
            draws = random.Random(1)
            rows = STEPS // HOLD
            values = array("d", (STRAY * draws.uniform(-1, 1) for _ in range(rows * WORLDS * nu)))
            npz.write(controls, {"ctrl": npz.Array((rows, WORLDS, nu), values)})
            drive = ["--ctrl", str(controls), "--hold", str(HOLD)]
        asked = ["--worlds", WORLDS, "--steps", STEPS, "--every", STEPS, "--noise", 0.02, "--backend", "cpu", "--keep", ",".join(KEPT)]
        command = [program, "rollout", model, *asked, *drive, "--out", walked]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        out.parent.mkdir(exist_ok=True)
        npz.write(out, {name: it.last() for name, it in npz.read(walked).items() if it.values})


def sizes(program: Path, model: Path) -> dict[str, int]:
    """The sizes of a model."""
    return tools.said(program, "info", model)["sizes"]


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        settle(tools.program(), path, tools.state_of(path))
