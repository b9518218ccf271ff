"""Counts the kernels of one model's step."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import functions
import metal
import nvidia
import races
import tools
import twin
from settle import WORLDS

ARCH = "sm_90"
# counts of `warps` in the table, each per world-step
COUNTED = (
    "instructions", "lanes", "chained", "special", "loads", "load_sectors", "load_waits", "model_waits", "stores", "store_sectors",
    "shared", "shared_conflicts", "shared_waits", "local", "bytes_read", "bytes_written",
)  # fmt: skip


@dataclass
class Kernel:
    """A kernel and its places in the step."""

    name: str
    # indices of all its dispatches in the step
    files: list[str]
    # lanes of a world, worlds of a workgroup
    lanes: int
    worlds: int
    unrolled: bool

    @property
    def invocations(self) -> int:
        """Invocations of a workgroup."""
        return self.lanes * self.worlds


def kernels_of(plan: dict[str, Any]) -> list[Kernel]:
    """The distinct kernels of a step: a step of RK4 dispatches some more than once."""
    found: dict[tuple[str, ...], Kernel] = {}
    for said in plan["kernels"]:
        stages = said["stages"]
        name = stages[0] if len(stages) == 1 else f"{stages[0]} … {stages[-1]} ({len(stages)})"
        kernel = Kernel(name, [], said["lanes"], said["worlds"], said["unrolled"])
        found.setdefault(tuple(stages), kernel).files.append(said["file"])
    return list(found.values())


def measure(program: Path, model: Path, lanes: int | None = None) -> dict[str, Any]:
    """All figures of a model, with a number of lanes per world, or the number for a hardware GPU."""
    folder = tools.WORK / model.stem
    state = tools.state_of(model)
    if not state.exists():
        raise SystemExit(f"{state} is missing: python3 benches/gpu/settle.py {model}")
    # files of earlier kernels may have other names
    shutil.rmtree(folder, ignore_errors=True)
    written = ["--out", folder, "--language", "metal,spirv", "--trusted", "--state", state, "--worlds", str(WORLDS)]
    written += ["--lanes", str(lanes)] if lanes else []
    plan = tools.said(program, "kernels", model, *written)
    kernels = kernels_of(plan)
    said = compiled(folder, kernels)
    counts = run(folder, plan, kernels)
    texts = {file: kernel.files[0] for kernel in kernels for file in kernel.files}
    found = races.told(folder, plan, counts, texts, WORLDS)
    figures = []
    for kernel, machine in zip(kernels, said, strict=True):
        turns = [counts[file] for file in kernel.files]
        team = {"lanes": kernel.lanes, "worlds_of_workgroup": kernel.worlds, "unrolled": kernel.unrolled}
        figures.append({"kernel": kernel.name, **team, "dispatches": len(turns), "counts": per_world(turns), "nvidia": machine})
    return {
        "lanes": plan["lanes"],
        "worlds_of_workgroup": plan["worlds_of_workgroup"],
        "bytes_of_world": 4 * plan["world_words"],
        "bytes_of_model": 4 * plan["model_words"],
        "races": found,
        "from_twin": twin.differences(folder, plan, WORLDS),
        "kernels": figures,
    }


def compiled(folder: Path, kernels: Iterable[Kernel]) -> list[dict[str, int]]:
    """Statistics of NVIDIA's compilers for each kernel; PTX and machine code stay in the folder."""
    site = tools.compilers()
    nvrtc = nvidia.Nvrtc(site)
    header = (tools.HERE / "metal.h").read_text()

    def one(kernel: Kernel) -> dict[str, int]:
        path = folder / kernel.files[0]
        text = metal.cuda(path.with_suffix(".metal").read_text(), kernel.invocations)
        path.with_suffix(".cu").write_text(text)
        ptx = path.with_suffix(".ptx")
        ptx.write_text(nvrtc.ptx(text, header, ARCH))
        return nvidia.machine(ptx, site, ARCH)

    with ThreadPoolExecutor() as pool:
        return list(pool.map(one, kernels))


def run(folder: Path, plan: dict[str, Any], kernels: Iterable[Kernel]) -> dict[str, dict[str, Any]]:
    """Simulates the whole step, on all worlds; returns the counts of each dispatch, in order."""
    first = {file: kernel for kernel in kernels for file in kernel.files}
    order = [said["file"] for said in plan["kernels"]]
    # a file for each dispatch, so that the next dispatch of a kernel does not overwrite the counts
    for file in order:
        if first[file].files[0] != file:
            (folder / f"{file}.ptx").write_bytes((folder / f"{first[file].files[0]}.ptx").read_bytes())
    command = [tools.warps(), folder, WORLDS]
    for file in order:
        command += [first[file].worlds, first[file].invocations, folder / f"{file}.ptx"]
    told = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit(f"{folder.name}: {told.stderr.strip()}")
    return dict(zip(order, map(json.loads, told.stdout.splitlines()), strict=True))


def per_world(turns: list[dict[str, Any]]) -> dict[str, float]:
    """Counts of all dispatches of a kernel per world-step; barriers are per workgroup."""
    total = {name: sum(turn[name] for turn in turns) for name in turns[0] if name not in ("kernel", "races")}
    out = {name: round(total[name] / WORLDS, 2) for name in COUNTED}
    # share of active lanes per instruction, and the longest workgroup's instructions relative to the mean
    out["busy"] = round(total["lanes"] / (32 * max(total["instructions"], 1)), 4)
    del out["lanes"]
    out["barriers"] = round(total["barriers"] / turns[0]["workgroups"], 2)
    mean = sum(turn["instructions"] for turn in turns) / turns[0]["workgroups"]
    out["longest"] = round(sum(turn["of_longest_workgroup"] for turn in turns) / max(mean, 1), 3)
    return out


def by_function(model: Path, file: str, most: int) -> list[tuple[str, float, float]]:
    """The functions of a counted kernel with most instructions per world-step, and their waits for memory."""
    path = tools.WORK / model.stem / file
    count, waits = functions.by_function(path.with_suffix(".cu"), path.with_suffix(".chains"))
    return [(name, n / WORLDS, waits[name] / WORLDS) for name, n in count.most_common(most)]
