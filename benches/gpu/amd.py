"""AMD's compiler, without a GPU: Mesa's ACO, through its Vulkan driver on a null device."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import tools

FAMILY = "GFX1100"
# invocations of a wave
SUBGROUP = 64
DRIVERS = Path("/usr/share/vulkan/icd.d")
# the driver's names of the recorded statistics
KEPT = {
    "VGPRs": "registers",
    "Spilled VGPRs": "spilled",
    "LDS size": "shared bytes",
    "Scratch size": "scratch bytes",
    "Subgroups per SIMD": "waves",
    "Instructions": "instructions",
    "Code size": "code bytes",
}


def statistics(kernels: list[Path]) -> tuple[dict[str, str], list[dict[str, int]]]:
    """The driver, and its compiler's statistics of each kernel (SPIR-V)."""
    driver = next(iter(sorted(DRIVERS.glob("radeon_icd*.json"))), None)
    if driver is None:
        raise tools.Unavailable("Mesa's driver for AMD is not installed (Debian: mesa-vulkan-drivers)")
    names = {"VK_DRIVER_FILES": str(driver), "VK_ICD_FILENAMES": str(driver)}
    environment = {**os.environ, **names, "RADV_FORCE_FAMILY": FAMILY, "MESA_SHADER_CACHE_DISABLE": "true"}
    command = [sys.executable, str(tools.HERE / "vulkan.py"), *map(str, kernels)]
    told = subprocess.run(command, env=environment, capture_output=True, text=True)
    if told.returncode:
        raise tools.Unavailable(f"Mesa's driver for AMD makes no device {FAMILY}: {told.stderr.strip()[-300:]}")
    about, *rows = map(json.loads, told.stdout.splitlines())
    return about, [{ours: row[theirs] for theirs, ours in KEPT.items() if theirs in row} for row in rows]


def add(program: Path, model: Path, figures: dict[str, Any]) -> dict[str, str]:
    """Adds AMD's figures to those of a model's kernels; returns the driver."""
    folder = tools.WORK / model.stem / "amd"
    written = ["--out", folder, "--language", "spirv", "--trusted", "--subgroup", str(SUBGROUP)]
    plan = tools.said(program, "kernels", model, *written)
    # the different kernels, in the order of the step
    first: dict[tuple[str, ...], Path] = {}
    for said in plan["kernels"]:
        first.setdefault(tuple(said["stages"]), folder / f"{said['file']}.spv")
    about, rows = statistics(list(first.values()))
    for kernel, row in zip(figures["kernels"], rows, strict=True):
        kernel["amd"] = row
    return about
