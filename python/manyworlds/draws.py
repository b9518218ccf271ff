"""Random numbers of worlds: world i's depend on the seed, on i and on its episode, not on the other worlds."""

from __future__ import annotations

import numpy as np

from manyworlds import _core


class Draws:
    """Draws for the worlds that begin an episode, or for a control step of each world: arrays with a row for each of these worlds.
    Streams of one seed are independent of each other."""

    def __init__(self, seed: int, worlds: np.ndarray, episodes: np.ndarray, stream: int = 0, steps: np.ndarray | None = None):
        self._keys = _core.draw_keys(int(seed) % 2**64, stream, worlds, episodes, steps)
        self._count = 0

    def __len__(self):
        return len(self._keys)

    def random(self, width: int) -> np.ndarray:
        """Uniform in [0, 1), (n, width)."""
        drawn = _core.draw(self._keys, self._count, width)
        self._count += width
        return drawn

    def uniform(self, low: np.ndarray | float, high: np.ndarray | float, width: int) -> np.ndarray:
        """Uniform in [low, high), (n, width)."""
        return low + (high - low) * self.random(width)

    def standard_normal(self, width: int) -> np.ndarray:
        """Normal with mean 0 and deviation 1, (n, width) (Box and Muller)."""
        radius = np.sqrt(-2.0 * np.log1p(-self.random(width)))
        return radius * np.cos(2.0 * np.pi * self.random(width))
