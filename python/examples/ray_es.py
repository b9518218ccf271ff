"""Augmented random search on many machines (Mania, Guy, Recht: Simple random search of static linear policies, 2018).

    pip install ray
    python ray_es.py HalfCheetah-v5 --actors 2 --updates 100
    python ray_es.py HalfCheetah-v5 --actors 100 --threads 16 --pairs 25600 --address auto
    python ray_es.py HalfCheetah-v5 --actors 0                            # in this process, without Ray

A pair of worlds evaluates a linear policy with added noise and with the negated noise. An actor has a batch of worlds and as many threads as
Ray grants it. Each process draws the noise itself and never sends it: the policy is sent, and a return and moments of observations come back
for each world. Any number of actors learns the same, to the last bit.
"""

import argparse
import os
import time

import numpy as np

import manyworlds as mw
from manyworlds import tasks


def noise(a, update, pairs, shape):
    """The noise of the pairs of worlds, (pairs, *shape)."""
    return np.stack([np.random.default_rng((a.seed, update, pair)).standard_normal(shape) for pair in pairs])


class Actor:
    """The batch of some pairs of worlds."""

    def __init__(self, a, pairs):
        if a.actors:
            import ray

            a.threads = int(ray.get_runtime_context().get_assigned_resources()["CPU"])
        self.a, self.pairs = a, pairs
        more = {"backend": a.backend, "nthread": a.threads, "autoreset_mode": "SameStep", "first": 2 * pairs[0]}
        self.env = tasks.make(a.task, 2 * len(pairs), **more)

    def computes(self):
        """Backend and processor level: machines where both agree compute the same bits."""
        return self.env.worlds.batch.backend, mw.cpu_level

    def shape(self):
        """Shape of a policy: number of controls, size of an observation."""
        return *self.env.single_action_space.shape, *self.env.single_observation_space.shape

    def play(self, policy, update):
        """Plays an episode in every world; returns, (n,), control steps, (n,), and sums of observations and of their squares, (n, 2, nobs)."""
        a, env = self.a, self.env
        weights, mean, deviation = policy
        tried = a.noise * noise(a, update, self.pairs, weights.shape)
        # worlds 2 i and 2 i + 1 are a pair
        weights = (weights + np.stack([tried, -tried], axis=1).reshape(-1, *weights.shape)) / deviation
        low, high = env.single_action_space.low, env.single_action_space.high
        seen, _ = env.reset(seed=a.seed + update)
        going, returns, steps = np.ones(len(seen), bool), np.zeros(len(seen)), np.zeros(len(seen), int)
        moments = np.zeros((len(seen), 2, seen.shape[1]))
        while going.any():
            moments += np.stack([seen, np.square(seen, dtype=float)], axis=1) * going[:, None, None]
            steps += going
            action = (weights @ (seen - mean)[:, :, None])[:, :, 0]
            seen, reward, terminated, truncated, _ = env.step(np.clip(action, low, high).astype(np.float32))
            returns += reward * going
            going &= ~(terminated | truncated)
        return returns, steps, moments


class Ray:
    """Actors in the processes of Ray."""

    def __init__(self, a, shares):
        import ray

        self.ray = ray
        if not ray.is_initialized():
            ray.init(address=a.address)
        remote = ray.remote(num_cpus=a.threads)(Actor)
        self.actors = [remote.remote(a, share) for share in shares]

    def all(self, name, *arguments):
        """The results of a method for every actor; arguments are sent once per machine, not once per actor."""
        kept = [self.ray.put(argument) for argument in arguments]
        return self.ray.get([getattr(actor, name).remote(*kept) for actor in self.actors])


class Here:
    """Actors in this process."""

    def __init__(self, a, shares):
        self.actors = [Actor(a, share) for share in shares]

    def all(self, name, *arguments):
        """The results of a method for every actor."""
        return [getattr(actor, name)(*arguments) for actor in self.actors]


def learn(a, tell=print):
    """Trains; returns the mean return of all worlds after each update, and the policy."""
    shares = np.array_split(np.arange(a.pairs), max(a.actors, 1))
    crew = (Ray if a.actors else Here)(a, [share.tolist() for share in shares])
    kinds = set(crew.all("computes"))
    if len(kinds) > 1:
        raise RuntimeError(f"machines differ, {sorted(kinds)}: start Ray on all of them with MANYWORLDS_CPU set to the least level")
    shape = crew.all("shape")[0]
    weights, moments, count = np.zeros(shape), np.zeros((2, shape[1])), 0
    curve, start = [], time.perf_counter()
    for update in range(a.updates):
        mean = moments[0] / max(count, 1)
        deviation = np.sqrt(np.maximum(moments[1] / max(count, 1) - mean**2, 1e-4)) if count else np.ones(shape[1])
        parts = crew.all("play", (weights, mean, deviation), update)
        # concatenated over the actors, in the order of the worlds
        returns, steps, sums = (np.concatenate(part) for part in zip(*parts))
        moments, count = moments + sums.sum(axis=0), count + steps.sum()
        pairs = returns.reshape(-1, 2)
        best = np.argsort(-pairs.max(axis=1), kind="stable")[: max(1, int(a.best * a.pairs))]
        gain = (pairs[best, 0] - pairs[best, 1]) / (returns[(2 * best[:, None] + [0, 1]).ravel()].std() + 1e-8)
        weights = weights + a.rate * np.tensordot(gain, noise(a, update, best.tolist(), shape), axes=1) / len(best)
        curve.append(returns.mean())
        took = time.perf_counter() - start
        tell(f"{update + 1:>5} updates {count:>10} steps {took:7.1f} s, return {curve[-1]:9.1f}, best {returns.max():9.1f}", flush=True)
    return np.array(curve), (weights, mean, deviation)


def arguments(args=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("task", help="HalfCheetah-v5 as Gymnasium's, walker-walk-v0 as dm_control's")
    p.add_argument("--updates", type=int, default=100)
    p.add_argument("--pairs", type=int, default=64, help="of worlds, all actors together")
    p.add_argument("--actors", type=int, default=2, help="0: this process alone")
    p.add_argument("--threads", type=int, default=1, help="cores of an actor")
    p.add_argument("--address", default=os.environ.get("RAY_ADDRESS"), help="of the cluster: auto; none: a cluster of this machine alone")
    p.add_argument("--backend", default="auto")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--best", type=float, default=0.25, help="share of pairs that the policy learns from")
    p.add_argument("--noise", type=float, default=0.03)
    p.add_argument("--rate", type=float, default=0.02)
    return p.parse_args(args)


if __name__ == "__main__":
    learn(arguments())
