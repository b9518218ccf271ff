"""Makes the page docs/kernels.md from the figures."""

from typing import Any

import estimate
from machines import MACHINES

WORLDS = (1, 1024, 8192, 65536)
HEAD = """# Kernels, counted without a GPU

This page is written by `python3 benches/gpu/count.py --all --write`; [benches/gpu](../benches/gpu/README.md) explains what is counted,
how, and the limits of the method. All counts are of one step of one world, the mean of 64 worlds at work. A warp has 32 lanes. Kernels with one
lane per world are unrolled for the model. "Lanes × worlds" is of a workgroup.
"""
COLUMNS = {
    "instructions": "instructions of warps",
    "busy": "lanes busy",
    "load_sectors": "sectors read",
    "store_sectors": "sectors written",
    "load_waits": "waits for memory",
    "model_waits": "of them for the model",
    "shared": "workgroup memory",
    "shared_conflicts": "conflicts",
    "barriers": "barriers of a workgroup",
}


def page(said: dict[str, Any]) -> str:
    """The whole page."""
    parts = [HEAD, models(said["models"])]
    parts += [kernels(name, model, said) for name, model in said["models"].items()]
    parts.append(times(said["models"]))
    return "\n".join(parts)


def grid(head: list[str], rows: list[list[str]]) -> str:
    """A table with right-aligned numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def models(all_of: dict[str, Any]) -> str:
    rows = []
    for name, model in all_of.items():
        counts = [kernel["counts"] for kernel in model["kernels"]]
        instructions = sum(it["instructions"] for it in counts)
        busy = sum(it["instructions"] * it["busy"] for it in counts) / instructions
        traffic = sum(it["bytes_read"] + it["bytes_written"] for it in counts)
        off = model["from_twin"]
        rows.append([
            name, f"{model['lanes']} × {model['worlds_of_workgroup']}", str(sum(k["dispatches"] for k in model["kernels"])),
            f"{instructions:,.0f}", f"{busy:.0%}", f"{traffic:,.0f}", f"{off['qvel']:.1e}",
            str(max((off.get(name, 0) for name in ("ncon", "nefc", "solver_niter")))),
        ])  # fmt: skip
    head = [
        "model", "lanes × worlds of a workgroup", "dispatches", "instructions of warps", "lanes busy", "bytes of the world moved",
        "worst `qvel` off the twin's", "worlds with other contacts, rows or iterations",
    ]  # fmt: skip
    return grid(head, rows)


def kernels(name: str, model: dict[str, Any], said: dict[str, Any]) -> str:
    rows = []
    for kernel in model["kernels"]:
        counts = kernel["counts"]
        cells = [f"{counts[key]:.0%}" if key == "busy" else f"{counts[key]:,.0f}" for key in COLUMNS]
        times = f" × {kernel['dispatches']}" if kernel["dispatches"] > 1 else ""
        team = f"{kernel['lanes']} × {kernel['worlds_of_workgroup']}"
        rows.append([kernel["kernel"] + times, team, *cells])
    out = f"\n## {name}\n\n" + grid(["kernel", "lanes × worlds", *COLUMNS.values()], rows)
    compilers = said["compilers"]
    head, rows = ["machine code", "registers", "spilled bytes", "workgroup bytes", "instructions"], []
    amd = all("amd" in kernel for kernel in model["kernels"])
    if amd:
        head += ["registers", "spilled", "workgroup bytes", "instructions", "waves a SIMD"]
    for kernel in model["kernels"]:
        own = kernel["nvidia"]
        cells = [own["registers"], own["spilled bytes"], own["shared bytes"], own["instructions"]]
        if amd:
            own = kernel["amd"]
            cells += [own["registers"], own["spilled"], own["shared bytes"], own["instructions"], own["waves"]]
        rows.append([kernel["kernel"], *(f"{x:,}" for x in cells)])
    who = f"NVIDIA's ptxas {compilers['nvidia']['version']} for {compilers['nvidia']['target']}"
    if amd:
        who += f"; behind it AMD's ACO of Mesa {compilers['amd']['version']} for {compilers['amd']['target']}, workgroups of 64"
    return f"{out}\n{who}:\n\n{grid(head, rows)}"


def times(all_of: dict[str, Any]) -> str:
    out = "\n## Estimates of time\n\nThese times are not measured: `estimate.py` computes them from the counts, with the assumptions that it states and the\n"
    out += "machines of `machines.py`. Thousands of world-steps per second; a star marks measured rates. No rate was measured.\n"
    for name, model in all_of.items():
        rows = []
        for machine in MACHINES:
            cells = []
            for worlds in WORLDS:
                rate, measured = estimate.rate(name, model, machine, worlds)
                cells.append(f"{rate / 1000:,.{0 if rate > 1e5 else 1}f}{' *' if measured else ''}")
            rows.append([machine.name, *cells])
        out += f"\n{name}:\n\n" + grid(["estimate", *(f"{worlds:,} world{'s' if worlds > 1 else ''}" for worlds in WORLDS)], rows)
    return out
