"""Differences between the states after the step of the kernels and after that of the f64 reference."""

from array import array
from pathlib import Path
from typing import Any

# the state, and the numbers of contacts, rows and iterations
REALS = ("qpos", "qvel")
INTEGERS = ("ncon", "nefc", "solver_niter")
# a larger difference means a wrong kernel (m, rad, m/s, rad/s)
MOST = 0.01


def differences(folder: Path, plan: dict[str, Any], worlds: int) -> dict[str, float]:
    """For reals the largest difference; for integers the number of worlds in which they differ."""
    found, wanted = words(folder / "found.words"), words(folder / "after.words")
    out = {}
    for name in (*REALS, *INTEGERS):
        if name not in plan["arrays"]:
            continue
        first, length = plan["arrays"][name]
        own = [places(plan, world, first, length) for world in range(worlds)]
        if name in INTEGERS:
            out[name] = sum(any(found[at] != wanted[at] for at in world) for world in own)
        else:
            a, b = reals(found), reals(wanted)
            # NaN counts as an infinite difference
            gaps = [abs(a[at] - b[at]) for world in own for at in world]
            out[name] = max((gap if gap == gap else float("inf") for gap in gaps), default=0.0)
    return out


def words(path: Path) -> "array[int]":
    them = array("I")
    them.frombytes(path.read_bytes())
    return them


def reals(them: "array[int]") -> "array[float]":
    return array("f", them.tobytes())


def places(plan: dict[str, Any], world: int, first: int, length: int) -> range:
    """Addresses of the words of one world's array."""
    tile = plan["tile"]
    begin = world // tile * tile * plan["world_words"] + world % tile + first * tile
    return range(begin, begin + length * tile, tile)
