"""Random numbers of worlds: world i's depend on the seed, on i and on its episode, not on the other worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

# the seed of stream k is offset by k STREAM (mod 2^64): odd, so that its multiples differ
STREAM = 0xD1B54A32D192ED03


class Draws:
    """Draws for the worlds that begin an episode, or for a control step of each world: arrays with a row for each of these worlds.
    Streams of one seed are independent of each other."""

    def __init__(self, seed: int, worlds: np.ndarray, episodes: np.ndarray, stream: int = 0, steps: np.ndarray | None = None):
        self._key = _mixed(np.uint64((seed + stream * STREAM) % 2**64))
        self._key = _mixed(self._key ^ worlds.astype(np.uint64))
        self._key = _mixed(self._key ^ episodes.astype(np.uint64))
        if steps is not None:
            self._key = _mixed(self._key ^ steps.astype(np.uint64))
        self._count = np.uint64(0)

    def __len__(self):
        return len(self._key)

    def random(self, width: int) -> np.ndarray:
        """Uniform in [0, 1), (n, width)."""
        counts = self._count + np.arange(width, dtype=np.uint64)
        self._count += np.uint64(width)
        bits = _mixed(self._key[:, None] + _mixed(counts)[None, :])
        return (bits >> np.uint64(11)) * 2.0**-53

    def uniform(self, low: np.ndarray | float, high: np.ndarray | float, width: int) -> np.ndarray:
        """Uniform in [low, high), (n, width)."""
        return low + (high - low) * self.random(width)

    def standard_normal(self, width: int) -> np.ndarray:
        """Normal with mean 0 and deviation 1, (n, width) (Box and Muller)."""
        radius = np.sqrt(-2.0 * np.log1p(-self.random(width)))
        return radius * np.cos(2.0 * np.pi * self.random(width))


def _mixed(x: Any) -> Any:
    """A permutation of 64-bit numbers in which each output bit depends on each input bit (splitmix64; Steele, Lea, Flood 2014)."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
