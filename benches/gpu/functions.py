"""Instructions of a kernel and its waits for memory, by WGSL function."""

import re
from collections import Counter
from pathlib import Path

FUNCTION = re.compile(r"^INLINE [^(]*?(\w+)\(")


def by_function(text: Path, chains: Path) -> tuple[Counter[str], Counter[str]]:
    """Warp instructions in each function and the functions that it calls, and the waits for memory there, from the CUDA text of a kernel
    and the file of `warps` beside it."""
    owner = owners(text)
    count: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    for told in chains.read_text().splitlines():
        times, waited, *lines = map(int, told.split())
        for function in {owner.get(line, "entry") for line in lines}:
            count[function] += times
            waits[function] += waited
    return count, waits


def owners(text: Path) -> dict[int, str]:
    """The function of each line of the CUDA text of a kernel."""
    owner, name = {}, "entry"
    for line, said in enumerate(text.read_text().splitlines(), 1):
        found = FUNCTION.match(said)
        name = found[1] if found else name
        owner[line] = name
    return owner
