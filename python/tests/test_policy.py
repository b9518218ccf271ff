"""A trained policy is saved in a file, and the program runs it with the same results as the task."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium")
import manyworlds as mw  # noqa: E402
from manyworlds import policy, tasks  # noqa: E402
from manyworlds.gym import VectorEnv  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import ppo  # noqa: E402
import walk  # noqa: E402


def test_the_program_follows_what_was_learned(tmp_path):
    kept, out = tmp_path / "walk.npz", tmp_path / "out.npz"
    arguments = ppo.arguments(["Walk", "--envs", "16", "--horizon", "8", "--steps", "256", "--seed", "1", "--save", str(kept)])
    ppo.learn(arguments, tell=lambda *line, **rest: None, task=walk.Walk())
    told = f"rollout {walk.Walk.model} --ctrl {kept} --worlds 3 --steps 8 --every 4 --noise 0.1 --backend cpu --keep qpos,qvel,ctrl --out {out}"
    subprocess.run([sys.executable, "-m", "manyworlds", *told.split()], check=True, capture_output=True)
    z, frames = np.load(kept), np.load(out)
    assert bytes(z["observe"]) == b"qpos[2:] qvel" and z["nstep"] == 4
    for frame in (0, 1):
        seen = np.concatenate([frames["qpos"][frame][:, 2:], frames["qvel"][frame]], axis=1)
        x = np.clip((seen - z["mean"]) / z["deviation"], -10, 10)
        for k in range(3):
            x = x @ z[f"weight{k}"] + z[f"bias{k}"]
            x = np.tanh(x) if k < 2 else x
        assert np.abs(frames["ctrl"][frame + 1] - np.clip(x, z["low"], z["high"])).max() < 1e-5


def test_what_is_observed_is_said_once():
    class Same(walk.Walk):
        def observe(self, s):
            return s.qpos[:, 2:], s.qvel

    seen = [VectorEnv(task, 4).reset(seed=3)[0] for task in (walk.Walk(), Same())]
    assert np.array_equal(*seen)


@pytest.mark.parametrize("name, why", [("Ant-v5", "defines observe()"), ("Hopper-v5", "defines observe()")])
def test_what_a_file_cannot_say_is_told_before_anything_is_learned(tmp_path, name, why):
    with pytest.raises(ValueError, match=f"{name.split('-')[0]} cannot be saved") as told:
        ppo.learn(ppo.arguments([name, "--save", str(tmp_path / "x.npz")]))
    assert why in str(told.value)
    with pytest.raises(ValueError, match="current"):
        policy.check(type("Late", (walk.Walk,), {"current": True})())
    with pytest.raises(ValueError, match="act"):
        policy.check(type("Acts", (walk.Walk,), {"act": lambda self, s, action: action})())


def test_a_part_that_is_none_is_told():
    task = type("Odd", (walk.Walk,), {"observed": ("qpos[2:", "qvel")})
    with pytest.raises(ValueError, match="is not a field"):
        VectorEnv(task(), 2)
    assert tasks.find("HalfCheetah-v5").observed == ("qpos[1:]", "qvel")
    assert issubclass(walk.Walk, mw.Task)
