"""Races of kernels: two lanes access a word without a barrier between them, and one writes it (`warps/src/race.rs`)."""

from pathlib import Path
from typing import Any

import functions


def told(folder: Path, plan: dict[str, Any], counts: dict[str, dict[str, Any]]) -> list[str]:
    """A sentence for each race of a step: the kernel, the functions from the entry on, the array."""
    found = []
    for file, count in counts.items():
        if not count["races"]:
            continue
        owner = functions.owners((folder / source(folder, file)).with_suffix(".cu"))
        for race in count["races"]:
            path = " > ".join(dict.fromkeys(owner.get(line, "entry") for line in reversed(race["lines"])))
            word = race["word"]
            where = array_of(plan, word) if race["memory"] == "worlds" else f"word {word} of workgroup memory"
            found.append(f"{file}: {path} (line {race['lines'][0]}) {race['what']}: {where}")
    return found


def source(folder: Path, file: str) -> str:
    """The first dispatch of the same kernel, whose text stays: a step of RK4 dispatches some more than once."""
    if (folder / file).with_suffix(".cu").exists():
        return file
    ptx = (folder / f"{file}.ptx").read_bytes()
    return next(it.stem for it in sorted(folder.glob("*.ptx")) if it.with_suffix(".cu").exists() and it.read_bytes() == ptx)


def array_of(plan: dict[str, Any], word: int) -> str:
    """The array that contains a word of the worlds, and the element."""
    at = word % (plan["tile"] * plan["world_words"]) // plan["tile"]
    for name, (first, length) in plan["arrays"].items():
        if first <= at < first + length:
            return f"{name}[{at - first}]"
    return f"word {at} of a world"
