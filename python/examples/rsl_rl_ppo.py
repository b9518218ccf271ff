"""rsl_rl's PPO on a task of many worlds.

    pip install rsl-rl-lib
    python rsl_rl_ppo.py Ant-v5 --updates 300
"""

import argparse

import torch
from rsl_rl.runners import OnPolicyRunner

from manyworlds.rsl_rl import VecEnv


def config(horizon):
    net = {"class_name": "MLPModel", "hidden_dims": [128, 64], "activation": "elu", "obs_normalization": True}
    spread = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    return {
        "num_steps_per_env": horizon,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**net, "distribution_cfg": spread},
        "critic": net,
        "algorithm": {
            "class_name": "PPO",
            "num_learning_epochs": 5,
            "num_mini_batches": 4,
            "learning_rate": 1e-3,
            "schedule": "adaptive",
            "desired_kl": 0.01,
            "entropy_coef": 0.0,
        },
    }


def learn(a):
    """Trains; returns the runner, which holds the policy."""
    torch.manual_seed(a.seed)
    env = VecEnv(a.task, a.envs, backend=a.backend, nthread=a.threads, seed=a.seed)
    runner = OnPolicyRunner(env, config(a.horizon), log_dir=a.out, device="cpu")
    runner.learn(a.updates, init_at_random_ep_len=True)
    return runner


def arguments(args=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("task", help="Ant-v5")
    p.add_argument("--updates", type=int, default=300)
    p.add_argument("--envs", type=int, default=512)
    p.add_argument("--horizon", type=int, default=24, help="control steps of a world between updates")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--backend", default="auto")
    p.add_argument("--threads", type=int, default=0, help="of the simulator; 0: all")
    p.add_argument("--out", help="folder for the policy and what TensorBoard shows")
    return p.parse_args(args)


if __name__ == "__main__":
    learn(arguments())
