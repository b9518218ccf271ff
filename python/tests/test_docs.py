"""The code of the documentation's pages and its notebooks run, and the site builds without a warning."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/python").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "docs/python/notebooks").glob("*.ipynb"))
sys.path.insert(0, str(ROOT / "python"))
import docs_hooks  # noqa: E402

sys.path.remove(str(ROOT / "python"))


def code(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if code(page)], ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, tmp_path):
    if page.stem == "suites":
        pytest.importorskip("dm_control")
    # each page is a separate program, since pages start processes and register tasks with Gymnasium
    program = tmp_path / "page.py"
    program.write_text("\n".join(code(page)))
    run = subprocess.run([sys.executable, str(program)], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_the_pages_that_matter_have_code():
    assert {page.stem for page in PAGES if code(page)} >= {"index", "porting", "tasks", "randomising", "scaling", "suites"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    assert "```text" in docs_hooks.notebook(path), "it prints something"
    cells = json.loads(path.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells), "outputs are not kept: they are made when the site is"


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3


def test_every_field_is_on_its_page():
    from manyworlds.model import TABLE

    assert (TABLE["body_mass"].unit, TABLE["geom_pos"].frame, TABLE["qpos"].role) == ("kg", "body", "input")
    assert TABLE["cvel"].unit == "rad/s; m/s" and TABLE["geom_type"].unit == ""
    page = docs_hooks.fields()
    assert all(f"| `{name}` |" in page for name in TABLE)
    assert "| `xpos` | nbody × 3 | m | world | derived | Cartesian position of body frame |" in page


def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs")
    arguments = ["build", "--strict", "--quiet", "-f", "python/mkdocs.yml", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run([sys.executable, "-m", "mkdocs", *arguments], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert run.returncode == 0 and "WARNING" not in run.stderr, run.stderr
    page = (tmp_path / "reference/batch.html").read_text()
    assert "expand" in page and "set_const" in page and "jac_site" in page
    assert "cross-entropy" in (tmp_path / "notebooks/learning.html").read_text()
