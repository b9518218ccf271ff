"""A model of time: how long a GPU needs for a step, from what was counted. What it says is an estimate; no time in it was measured.

A kernel takes as long as the longest of four things, and the wait from one dispatch to the next:

- issue: instructions of all warps of a core, and special ones among them;
- ports: sectors of memory (four a cycle) and turns of workgroup memory (one a cycle) of a core;
- latency: as many workgroups as a core holds go side by side, each as long as it takes alone, and then the next ones;
- memory: what workgroups read and write of their worlds, by the memory's bandwidth, or the cache's where all worlds lie there.

Assumed: the machine code has as many instructions as the PTX, moves left out, and needs as many registers as on sm_90 everywhere; a warp
that nobody keeps company issues an instruction a cycle, waits for what it needs, and has all that it asked for at once when it comes; what
a workgroup reads again lies in its core's own cache where that holds what all workgroups there touch;
workgroups spread evenly; the cores that have one more than others set the time; the last workgroups of a core take as much longer than
the mean as the longest does. Nothing else runs, and the device does not grow slower as it grows warm.
"""

from math import ceil
from typing import Any

from machines import Machine

WARP = 32
# what a core's ports do in a cycle
SECTORS, TURNS = 4, 1
SECTOR_BYTES = 32


def step(model: dict[str, Any], machine: Machine, worlds: int) -> float:
    """Seconds of a step of all worlds."""
    return sum(of_kernel(model, kernel, machine, worlds) for kernel in model["kernels"])


def of_kernel(model: dict[str, Any], kernel: dict[str, Any], machine: Machine, worlds: int) -> float:
    """Seconds of all dispatches of a kernel in a step."""
    counts, together = kernel["counts"], model["worlds_of_workgroup"]
    each = ceil(ceil(worlds / together) / machine.cores)
    side_by_side = min(each, held(model, kernel, machine))
    # of a workgroup
    issued = max(counts["instructions"] / machine.issue, counts["special"] / machine.special) * together
    sectors = counts["load_sectors"] + counts["store_sectors"]
    ports = max(sectors / SECTORS, (counts["shared"] + counts["shared_conflicts"]) / TURNS) * together
    latency = alone(model, kernel, machine, side_by_side) * (ceil(each / side_by_side) + counts["longest"] / kernel["dispatches"] - 1)
    on_core = max(each * issued, each * ports, latency) / (machine.ghz * 1e9)
    bandwidth = machine.cache if worlds * model["bytes_of_world"] < machine.cache_bytes else machine.memory
    moved = worlds * (counts["bytes_read"] + counts["bytes_written"]) / bandwidth
    return max(on_core, moved) + kernel["dispatches"] * machine.dispatch


def alone(model: dict[str, Any], kernel: dict[str, Any], machine: Machine, side_by_side: int) -> float:
    """Cycles of a workgroup beside so many, if those do not hinder it."""
    counts, together = kernel["counts"], model["worlds_of_workgroup"]
    touched = (counts["bytes_read"] + counts["bytes_written"]) * together + kernel["nvidia"]["shared bytes"]
    first = min(1, counts["bytes_read"] / SECTOR_BYTES / max(counts["load_sectors"], 1))
    fits = touched * side_by_side <= machine.near_bytes
    again = machine.near_wait if fits else machine.memory_wait
    wait = first * machine.memory_wait + (1 - first) * again
    waits = counts["load_waits"] * wait + counts["shared_waits"] * machine.shared_wait
    chained = counts["chained"] * (machine.arithmetic_wait - 1)
    return together * (counts["instructions"] + chained + waits) + counts["barriers"] * machine.barrier


def held(model: dict[str, Any], kernel: dict[str, Any], machine: Machine) -> int:
    """Workgroups that a core holds at the same time."""
    warps = ceil(model["lanes"] * model["worlds_of_workgroup"] / WARP)
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
