"""Races of kernels: two lanes access a word without a barrier between them, and one writes it (`warps/src/race.rs`)."""

from pathlib import Path
from typing import Any

import functions
import twin


def told(folder: Path, plan: dict[str, Any], counts: dict[str, dict[str, Any]], texts: dict[str, str], worlds: int) -> list[str]:
    """A sentence for each race of a step: the kernel, the functions from the entry on, the array. `texts` has the dispatch whose text stays
    for each dispatch."""
    found = []
    for file, count in counts.items():
        if not count["races"]:
            continue
        owner = functions.owners((folder / texts[file]).with_suffix(".cu"))
        for race in count["races"]:
            path = " > ".join(dict.fromkeys(owner.get(line, "entry") for line in reversed(race["lines"])))
            word = race["word"]
            where = array_of(plan, word, worlds) if race["memory"] == "worlds" else f"word {word} of workgroup memory"
            found.append(f"{file}: {path} (line {race['lines'][0]}) {race['what']}: {where}")
    return found


def array_of(plan: dict[str, Any], word: int, worlds: int) -> str:
    """The array that contains a word of the worlds, and the element."""
    for name, (first, length) in plan["arrays"].items():
        for world in range(worlds):
            own = twin.places(plan, world, first, length)
            if word in own:
                return f"{name}[{own.index(word)}]"
    return f"word {word}, which is of no array"
