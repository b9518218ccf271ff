"""Generated pages of the site: the table of fields, and notebooks with their output."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pathlib
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

ROOMS = {
    "Model": ("Of the model", "`model.NAME`; a row for every world by `batch.expand(NAME)`, where it is a real number of the physics."),
    "Data": ("Of worlds", "`batch.bind(NAME)`, (nsim, ...), live; an array may be written if its `flags.writeable` is true."),
    "Scratch": ("In between", "Intermediate results of stages: `batch.bind(NAME)`, (nsim, ...), as the last call left them."),
}

LEGEND = [
    "Units are SI units. `A or B` is the unit of a coordinate: A if it is a length (a slide, a spatial tendon), B if it is an angle (a hinge, a",
    "ball); a quantity of two coordinates may have a unit between both. Units between semicolons belong to the columns in this order. `varies`:",
    "the unit depends on the type of the element, or on the place in the array.",
    "",
    "The frame is the frame of the coordinates. `tree's com`: axes of the world, at the centre of mass of the tree.",
    "",
    "The role says where values come from. In the model: `free`, from edits too; `fixed`, from the model's text alone; `derived`, from other fields.",
    "In a world: `input`, set by the user; `flag`, warnings and overflows of the world; `asleep`, values that sleeping trees keep; `derived`, computed.",
    "",
]


def fields() -> str:
    """A page with every array: name, shape, unit, frame, role and description."""
    from manyworlds.model import TABLE

    page = ["# Fields", "", "Names are MuJoCo's. Shapes are those of one world, in sizes of the model (`model.nq`, `model.nbody`, ...).", "", *LEGEND]
    for room, (title, how) in ROOMS.items():
        page += [f"## {title}", "", how, "", "| field | shape | unit | frame | role | what it is |", "|---|---|---|---|---|---|"]
        for name, row in TABLE.items():
            if row.room == room:
                shape = " × ".join(dim for dim in row.dims if dim != "1") or "1"
                what = row.doc.replace("|", chr(92) + "|")
                page.append(f"| `{name}` | {shape} | {row.unit} | {row.frame} | {row.role} | {what} |")
        page.append("")
    return "\n".join(page)


def run(code: str, names: dict[str, Any], file: str = "cell") -> str:
    """Runs Python code and returns its output; as in a notebook, with the value of a last expression."""
    tree, said = ast.parse(code, file), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, file, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)
            if value is not None:
                print(repr(value))
    return said.getvalue()


def notebook(path: pathlib.Path) -> str:
    """A notebook as a page: its text, its code, and the output of the code, run now in the folder of the repository."""
    page, names, here = [], {"__name__": "__main__"}, pathlib.Path.cwd()
    os.chdir(ROOT)
    try:
        for k, cell in enumerate(json.loads(path.read_text())["cells"]):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                page += [source, ""]
                continue
            said = run(source, names, f"{path.name}, cell {k}")
            page += ["```python", source, "```", ""]
            if said:
                page += ["```text", said.rstrip("\n"), "```", ""]
    finally:
        os.chdir(here)
    return "\n".join(page)


def on_files(files, config):
    """Adds the generated pages to the written ones."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference/fields.md", content=fields()))
    for path in sorted(pathlib.Path(config.docs_dir).glob("notebooks/*.ipynb")):
        files.remove(files.get_file_from_path(f"notebooks/{path.name}"))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=notebook(path)))
    return files
