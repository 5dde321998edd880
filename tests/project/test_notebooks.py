"""Each notebook is a text and an .ipynb that say the same, runs from top to bottom, and shows what it promises."""

import copy
import sys
from pathlib import Path

import nbformat
import pytest
from jupytext.compare import NotebookDifference, compare_notebooks
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from tests.project.checkout import ROOT
from tests.project.notebooks import FOLDER, FORMAT, KERNELSPEC, QUICK, execute, opened, pictures, read_text, texts

PICTURES = {"first_game": 3, "modifiers": 2, "rift_strategies": 5, "train_solo": 2}
"""How many pictures each notebook shows."""
TABLES = {"first_game": 2, "modifiers": 1, "rift_strategies": 1, "train_solo": 1}
"""How many tables."""
MOST_BYTES = 200_000
SMALLEST_SIDE = 200

NOTEBOOKS = [pytest.param(text, id=text.stem) for text in texts()]


def stored(text: Path) -> NotebookNode:
    """The .ipynb beside a text."""
    return nbformat.read(text.with_suffix(".ipynb"), as_version=4)


def assert_same_cells(stored: NotebookNode, text: NotebookNode) -> None:
    compare_notebooks(stored, text, FORMAT, allow_expected_differences=False, compare_outputs=False)


def assert_shows_what_it_promises(notebook: NotebookNode, name: str) -> None:
    shown = pictures(notebook)
    assert len(shown) == PICTURES[name]
    for data in shown:
        picture = opened(data)
        assert min(picture.size) >= SMALLEST_SIDE
        assert len(picture.convert("RGB").getcolors(picture.width * picture.height)) > 2, "nothing is drawn"
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    tables = [output.data["text/markdown"] for output in outputs if "text/markdown" in output.get("data", {})]
    assert len(tables) == TABLES[name]
    assert all(table.startswith("| ") and table.count("\n") >= 2 for table in tables)
    assert any(output.get("name") == "stdout" for output in outputs)


def test_every_notebook_is_a_pair() -> None:
    assert {text.stem for text in texts()} == {path.stem for path in FOLDER.glob("*.ipynb")} == set(PICTURES)


@pytest.mark.parametrize("text", NOTEBOOKS)
def test_text_and_notebook_say_the_same(text: Path) -> None:
    assert_same_cells(stored(text), read_text(text))


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_a_change_of_one_alone_is_found(kind: str) -> None:
    notebook = read_text(texts()[0])
    changed = copy.deepcopy(notebook)
    cell = next(cell for cell in changed.cells if cell.cell_type == kind)
    cell.source = cell.source.replace("e", "a", 1)
    for pair in ((changed, notebook), (notebook, changed)):
        with pytest.raises(NotebookDifference):
            assert_same_cells(*pair)


def test_a_missing_cell_is_found() -> None:
    notebook = read_text(texts()[0])
    shorter = copy.deepcopy(notebook)
    del shorter.cells[-1]
    for pair in ((shorter, notebook), (notebook, shorter)):
        with pytest.raises(NotebookDifference):
            assert_same_cells(*pair)


@pytest.mark.parametrize("text", NOTEBOOKS)
def test_notebook_runs(text: Path, tmp_path: Path) -> None:
    assert_shows_what_it_promises(execute(read_text(text), tmp_path, quick=True), text.stem)


@pytest.mark.parametrize("text", NOTEBOOKS)
def test_stored_notebook_shows_what_it_promises(text: Path) -> None:
    notebook = stored(text)
    assert text.with_suffix(".ipynb").stat().st_size < MOST_BYTES
    assert notebook.metadata.kernelspec == KERNELSPEC
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "not executed from top to bottom"
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert not [output for cell in code for output in cell.outputs if output.get("name") == "stderr"]
    assert_shows_what_it_promises(notebook, text.stem)


def notebook_of(*sources: str) -> NotebookNode:
    return new_notebook(cells=[new_code_cell(source) for source in sources], metadata={"kernelspec": KERNELSPEC})


def test_kernel_is_this_python_with_this_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VALLEY_CACHE_DIR", str(tmp_path / "cache"))
    source = (
        "import os, sys, deathvalley_env, training\n"
        "print(sys.executable, deathvalley_env.__file__, training.__file__, sep='\\n')\n"
        f"print(os.getcwd(), os.environ['VALLEY_CACHE_DIR'], os.environ['{QUICK}'], sep='\\n')"
    )
    (cell,) = execute(notebook_of(source), tmp_path, quick=True).cells
    assert cell.outputs[0].text.splitlines() == [
        sys.executable,
        *(str(ROOT / package / "__init__.py") for package in ("deathvalley_env", "training")),
        str(tmp_path),
        str(tmp_path / "cache"),
        "1",
    ]


def test_a_cell_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="1 == 2"):
        execute(notebook_of("assert 1 == 2"), tmp_path, quick=True)
