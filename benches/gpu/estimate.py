"""Time model: estimates the time of a step on a GPU from the counts. It is an estimate; no time in it was measured.

The time of a kernel is the longest of four times, plus the wait from one dispatch to the next:

- issue: instructions of all warps of a core, and the special instructions among them;
- ports: sectors of memory (four per cycle) and accesses to workgroup memory (one per cycle) of a core;
- latency: a core runs as many workgroups at once as it holds, each for as long as it takes alone, and then the next ones;
- memory: bytes of the worlds that workgroups read and write, by the bandwidth of the memory, or of the cache if it holds all worlds.

Assumptions: the machine code has as many instructions as the PTX without moves, and needs as many registers as on sm_90 everywhere; a warp
that runs alone issues an instruction per cycle, waits for operands, and gets all outstanding loads at once with one wait; words of the
model that a kernel reads, a few KB and the same for all worlds, are in the cache of its core; data of worlds that a workgroup reads again
are there if it holds the data of all workgroups of the core;
workgroups are distributed evenly; the cores with one more workgroup than others set the time; the last workgroups of a core take longer than
the mean, as long as the longest. Nothing else runs, and the device does not throttle.
"""

from math import ceil
from typing import Any

from machines import Machine

WARP = 32
# throughput of a core's ports per cycle
SECTORS, TURNS = 4, 1
SECTOR_BYTES = 32


def step(model: dict[str, Any], machine: Machine, worlds: int) -> float:
    """Estimated seconds of a step of all worlds."""
    return sum(of_kernel(model, kernel, machine, worlds) for kernel in model["kernels"])


def of_kernel(model: dict[str, Any], kernel: dict[str, Any], machine: Machine, worlds: int) -> float:
    """Estimated seconds of all dispatches of a kernel in a step."""
    counts, together = kernel["counts"], kernel["worlds_of_workgroup"]
    each = ceil(ceil(worlds / together) / machine.cores)
    side_by_side = min(each, held(kernel, machine))
    # figures of a workgroup
    issued = max(counts["instructions"] / machine.issue, counts["special"] / machine.special) * together
    sectors = counts["load_sectors"] + counts["store_sectors"]
    ports = max(sectors / SECTORS, (counts["shared"] + counts["shared_conflicts"]) / TURNS) * together
    latency = alone(kernel, machine, side_by_side) * (ceil(each / side_by_side) + counts["longest"] / kernel["dispatches"] - 1)
    on_core = max(each * issued, each * ports, latency) / (machine.ghz * 1e9)
    bandwidth = machine.cache if worlds * model["bytes_of_world"] < machine.cache_bytes else machine.memory
    moved = worlds * (counts["bytes_read"] + counts["bytes_written"]) / bandwidth
    return max(on_core, moved) + kernel["dispatches"] * machine.dispatch


def alone(kernel: dict[str, Any], machine: Machine, side_by_side: int) -> float:
    """Cycles of a workgroup that shares a core with others, if they do not slow it down."""
    counts, together = kernel["counts"], kernel["worlds_of_workgroup"]
    touched = (counts["bytes_read"] + counts["bytes_written"]) * together + kernel["nvidia"]["shared bytes"]
    first = min(1, counts["bytes_read"] / SECTOR_BYTES / max(counts["load_sectors"], 1))
    fits = touched * side_by_side <= machine.near_bytes
    again = machine.near_wait if fits else machine.memory_wait
    wait = first * machine.memory_wait + (1 - first) * again
    of_model = counts["model_waits"]
    waits = (counts["load_waits"] - of_model) * wait + of_model * machine.near_wait + counts["shared_waits"] * machine.shared_wait
    chained = counts["chained"] * (machine.arithmetic_wait - 1)
    return together * (counts["instructions"] + chained + waits) + counts["barriers"] * machine.barrier


def held(kernel: dict[str, Any], machine: Machine) -> int:
    """Workgroups resident on a core at the same time."""
    warps = ceil(kernel["lanes"] * kernel["worlds_of_workgroup"] / WARP)
    said = kernel["nvidia"]
    by_registers = machine.registers // (max(said["registers"], 16) * WARP * warps)
    by_memory = machine.shared_bytes // max(said["shared bytes"], 1)
    return max(1, min(machine.warps // warps, machine.workgroups, by_registers, by_memory))


def rate(name: str, model: dict[str, Any], machine: Machine, worlds: int) -> tuple[float, bool]:
    """World-steps per second, and whether they were measured."""
    measured = machine.measured.get((name, worlds))
    if measured is not None:
        return measured, True
    return worlds / step(model, machine, worlds), False
