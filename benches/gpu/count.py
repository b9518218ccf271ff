#!/usr/bin/env python3
"""Counts the work of the kernels of a model's step on a GPU, on a machine without one.

    python3 benches/gpu/count.py models/humanoid.xml    a table of its figures
    python3 benches/gpu/count.py --all --write          all models; counts.json and docs/kernels.md anew
    python3 benches/gpu/count.py --page                 docs/kernels.md anew of the committed figures, for another model of time
    python3 benches/gpu/count.py --all --check          fails where a figure is more than 2 % above the committed one

It fetches and builds its tools into `target/gpu`. README.md in this folder has the details.
"""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import amd
import check
import measure
import table
import tools
import twin

FIGURES = tools.HERE / "counts.json"
PAGE = tools.ROOT / "docs" / "kernels.md"
MODELS = ("humanoid", "hand", "quadruped", "cartpole", "boxes", "meshes")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--all", action="store_true", help="all models that figures are committed of")
    parser.add_argument("--program", type=Path, help="the program manyworlds; built if not given")
    parser.add_argument("--lanes", type=int, help="lanes of a world, in place of those that a hardware GPU gets; AMD's compiler is not asked")
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="also the N functions of each kernel that do most")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="write the figures of these models and the page anew")
    action.add_argument("--page", action="store_true", help="write the page anew of the committed figures, without counting")
    action.add_argument("--check", action="store_true", help="hold them against the committed ones")
    asked = parser.parse_args()
    if asked.page:
        PAGE.write_text(table.page(json.loads(FIGURES.read_text())))
        return 0
    models = [tools.ROOT / "models" / f"{name}.xml" for name in MODELS] if asked.all else asked.models
    if not models:
        parser.error("no model is given")
    if asked.lanes and (asked.write or asked.check):
        parser.error("committed figures are of the lanes that a hardware GPU gets")
    try:
        tools.compilers()
    except tools.Unavailable as why:
        print(f"kernels are not counted: {why}")
        return 0 if asked.check else 1
    found = counted(asked.program or tools.program(), models, asked.lanes)
    wrong = [sentence for name, model in found["models"].items() for sentence in off(name, model)]
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    for model in models if asked.functions else []:
        tell_functions(model, asked.functions)
    if asked.check:
        return 1 if held(found) or wrong else 0
    if asked.write and not wrong:
        write(found)
    elif not asked.functions:
        print(table.page(found))
    return 1 if wrong else 0


def counted(program: Path, models: list[Path], lanes: int | None) -> dict[str, Any]:
    """The figures of models, and the versions of the compilers."""
    nvidia = {"version": tools.PACKAGES[1].split("==")[1], "target": measure.ARCH}
    found: dict[str, Any] = {"compilers": {"nvidia": nvidia}, "models": {}}
    # what models share is built before they are counted side by side
    tools.warps()

    def one(model: Path) -> dict[str, Any]:
        figures = measure.measure(program, model, lanes)
        try:
            if lanes is None:
                driver = amd.add(program, model, figures)
                found["compilers"]["amd"] = {"version": driver["version"], "target": amd.FAMILY}
        except tools.Unavailable as why:
            print(f"{model.stem}: AMD's compiler is not asked: {why}", file=sys.stderr)
        return figures

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found["models"] = dict(zip([model.stem for model in models], pool.map(one, models), strict=True))
    return found


def off(name: str, model: dict[str, Any]) -> list[str]:
    """A sentence for each race, and for each difference between the results of the kernels and of the f64 reference."""
    raced = [f"{name}: {sentence}" for sentence in model["races"]]
    gaps = {key: gap for key, gap in model["from_twin"].items() if key in twin.REALS}
    return raced + [f"{name}: {key} is off the twin's by {gap:.2g}" for key, gap in gaps.items() if gap > twin.MOST]


def held(found: dict[str, Any]) -> bool:
    """Compares with the committed figures and prints the differences; true if a figure rose."""
    before = json.loads(FIGURES.read_text())
    # figures of another version of a compiler are not comparable
    known = {who for who, version in before["compilers"].items() if found["compilers"].get(who) == version}
    for who in before["compilers"].keys() - known:
        print(f"{who}: not compared, the figures are of {before['compilers'][who]}, here is {found['compilers'].get(who)}")
    rose, compared = [], 0
    for name, model in found["models"].items():
        if name not in before["models"]:
            rose.append(f"{name}: no figures are committed")
            continue
        old, now = (check.figures(name, it, known) for it in (before["models"][name], model))
        rose += check.risen(old, now)
        compared += len(now)
        for sentence in check.fallen(old, now):
            print(f"{sentence}; --write would hold it there")
    for sentence in rose:
        print(sentence)
    print(f"{compared} figures compared, {len(rose)} rose by more than {check.MOST:.0%}, are new or gone")
    return bool(rose)


def write(found: dict[str, Any]) -> None:
    """Rewrites the figures of some models, and the page of all."""
    before = json.loads(FIGURES.read_text()) if FIGURES.exists() else {"models": {}}
    models = {**before["models"], **found["models"]}
    said = {"compilers": found["compilers"], "models": {name: models[name] for name in MODELS if name in models}}
    FIGURES.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(table.page(said))
    print(f"{FIGURES.relative_to(tools.ROOT)}, {PAGE.relative_to(tools.ROOT)}")


def tell_functions(model: Path, most: int) -> None:
    """Prints the WGSL functions with most instructions of each kernel."""
    for path in sorted((tools.WORK / model.stem).glob("*.chains")):
        print(f"\n{model.stem}, {path.stem}: instructions of warps for a step of a world, and waits for memory, with all that a function calls")
        for name, n, waits in measure.by_function(model, path.stem, most):
            print(f"{n:10.0f} {waits:8.0f}  {name}")


if __name__ == "__main__":
    sys.exit(main())
