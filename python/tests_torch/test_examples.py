"""The examples that need torch run for a few updates."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import reach  # noqa: E402
import rsl_rl_ppo  # noqa: E402
import sb3_ppo  # noqa: E402


def test_stable_baselines():
    args = "HalfCheetah-v5 --steps 1024 --envs 16 --horizon 32 --threads 1 --quiet".split()
    model = sb3_ppo.learn(sb3_ppo.arguments(args))
    assert model.num_timesteps == 1024
    assert np.isfinite(model.get_parameters()["policy"]["action_net.weight"].numpy()).all()


def test_rsl_rl(tmp_path):
    args = f"Ant-v5 --updates 2 --envs 16 --horizon 8 --threads 1 --out {tmp_path}".split()
    runner = rsl_rl_ppo.learn(rsl_rl_ppo.arguments(args))
    assert runner.current_learning_iteration == 1
    assert (tmp_path / "model_1.pt").exists()


def test_reach():
    args = "--worlds 4 --steps 40 --iterations 80 --threads 1".split()
    distances = reach.reach(reach.arguments(args))
    assert distances[0].min() > 0.1 and distances[-1].max() < 0.02
