"""Ray actors: worlds in several processes give the results of one process."""

import pathlib
import sys

import numpy as np
import pytest
import ray

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import ray_es  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    # sends the module by value, as the classes of a main program, since other processes cannot import it
    ray.cloudpickle.register_pickle_by_value(ray_es)
    yield
    ray.shutdown()


def learn(line):
    return ray_es.learn(ray_es.arguments(line.split()), tell=lambda *_, **__: None)


# an odd number of pairs for two actors; episodes that end early, with different lengths
def test_two_actors_learn_what_one_process_learns(backend):
    line = f"Hopper-v5 --updates 3 --pairs 5 --best 0.5 --backend {backend}"
    (curve, policy), (alone, same) = (learn(f"{line} --actors {actors}") for actors in (2, 0))
    assert curve.tolist() == alone.tolist() and len(set(curve)) == 3
    for have, want in zip(policy, same, strict=True):
        assert np.array_equal(have, want)


def test_it_learns():
    curve, _ = learn("InvertedPendulum-v5 --updates 12 --pairs 16 --noise 0.3 --rate 0.3 --backend simd")
    assert curve[0] < 100 and curve[-3:].mean() > 500


def test_actors_take_the_cores_that_ray_grants():
    actor = ray.remote(num_cpus=2)(ray_es.Actor).remote(ray_es.arguments(["HalfCheetah-v5"]), [0, 1])
    threads = actor.__ray_call__.remote(lambda self: self.env.worlds.batch.nthread)
    assert ray.get(threads) == 2


def test_machines_that_round_otherwise_are_told(monkeypatch):
    monkeypatch.setattr(ray_es.Here, "all", lambda *_: [("simd", "v3"), ("simd", "v4")])
    with pytest.raises(RuntimeError, match="MANYWORLDS_CPU"):
        learn("HalfCheetah-v5 --actors 0")


def worlds(context):
    """The environments that RLlib's runners request: one environment for its spaces, then the vector of the runner."""
    import gymnasium

    import manyworlds.tasks  # noqa: F401

    return gymnasium.make_vec("manyworlds/InvertedPendulum-v5", num_envs=context.get("num_envs", 1), nthread=1)


def test_rllib_trains_on_many_worlds():
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.registry import register_env

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    register_env("worlds", worlds)
    runners = {"num_env_runners": 1, "num_envs_per_env_runner": 16, "rollout_fragment_length": 64}
    config = PPOConfig().environment("worlds").env_runners(**runners, gym_env_vectorize_mode="vector_entry_point")
    trainer = config.training(train_batch_size=1024, minibatch_size=256, num_epochs=2).build_algo()
    told = [trainer.train()["env_runners"] for _ in range(2)][-1]
    trainer.stop()
    # the poles fall, so episodes end and restart
    assert told["num_env_steps_sampled"] >= 1024 and told["num_episodes"] > 16
    assert 1 < told["episode_return_mean"] < 1000
