"""Compares figures with the committed ones."""

from typing import Any, NamedTuple

# allowed relative rise of a figure
MOST = 0.02
# figures of a model's whole step, and of each kernel
COUNTED = (
    "instructions", "chained", "special", "load_sectors", "load_waits", "store_sectors", "shared", "shared_conflicts", "shared_waits",
    "local", "barriers",
)  # fmt: skip
COMPILED = {
    "nvidia": ("registers", "spilled bytes", "shared bytes", "instructions"),
    "amd": ("registers", "spilled", "scratch bytes", "shared bytes", "instructions"),
}


class Figure(NamedTuple):
    """A figure with its name."""

    name: str
    value: float


def figures(model: str, said: dict[str, Any], compilers: set[str]) -> list[Figure]:
    """The figures of a model that are compared."""
    out = []
    for name in COUNTED:
        total = sum(kernel["counts"][name] for kernel in said["kernels"])
        out.append(Figure(f"{model}, step, {name}", round(total, 2)))
    for kernel in said["kernels"]:
        place = f"{model}, {kernel['kernel']}"
        out.append(Figure(f"{place}, instructions", kernel["counts"]["instructions"]))
        for compiler in sorted(compilers & kernel.keys()):
            own = kernel[compiler]
            out += [Figure(f"{place}, {compiler}'s {name}", own[name]) for name in COMPILED[compiler] if name in own]
    return out


def risen(before: list[Figure], now: list[Figure]) -> list[str]:
    """A sentence for each figure that rose by more than allowed, and for each that is new or missing."""
    old = dict(before)
    out = []
    for name, value in now:
        if name not in old:
            out.append(f"{name}: {value:g} is new")
        elif value > old[name] * (1 + MOST):
            out.append(f"{name}: {old[name]:g} rose to {value:g}")
    return out + [f"{name} is gone" for name in old.keys() - dict(now).keys()]


def fallen(before: list[Figure], now: list[Figure]) -> list[str]:
    """A sentence for each figure that fell by more than MOST."""
    old = dict(before)
    return [f"{name}: {old[name]:g} fell to {value:g}" for name, value in now if value < old.get(name, 0) * (1 - MOST)]
