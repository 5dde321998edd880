"""The notebooks of the project: texts, each beside an .ipynb with its outputs.

``python -m tests.project.notebooks`` (`make notebooks`) executes the texts and writes the .ipynb.
"""

import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image
from traitlets import default

from tests.project.checkout import ROOT
from valley_core.files import write_text_whole

FOLDER = ROOT / "notebooks"
FORMAT = "py:percent"
PNG = "image/png"
COLORS = 64
"""Of a picture that is kept: enough for plots, and a third of the bytes."""
KERNELSPEC = {"name": "python3", "display_name": "Python 3", "language": "python"}
QUICK = "VALLEY_NOTEBOOK_QUICK"
"""The environment variable that makes a notebook small if it is 1."""
SECONDS_PER_CELL = 1800
SECONDS_TO_START = 300


class ThisPython(AsyncKernelManager):
    """Starts the kernel with the Python that runs this, whatever `python3` is elsewhere."""

    @default("kernel_spec_manager")
    def _only_the_native_one(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


def texts() -> list[Path]:
    """The texts of all notebooks."""
    return sorted(FOLDER.glob("*.py"))


def read_text(text: Path) -> NotebookNode:
    """A notebook without outputs; its cells have ids that stay the same from one writing to the next."""
    notebook = jupytext.read(text, fmt=FORMAT)
    notebook.metadata = NotebookNode(kernelspec=NotebookNode(KERNELSPEC))
    for k, cell in enumerate(notebook.cells):
        cell.id = f"cell-{k}"
    return notebook


def execute(notebook: NotebookNode, folder: Path, quick: bool) -> NotebookNode:
    """Execute a notebook in a folder, with the packages of this checkout; the same notebook, with outputs.

    Raises:
        CellExecutionError: A cell fails.
    """
    inherited = os.environ.get("PYTHONPATH")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *([inherited] if inherited else [])]),
        "IPYTHONDIR": str(folder / ".ipython"),  # neither settings nor history of whoever runs this
        QUICK: str(int(quick)),
    }
    client = NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        record_timing=False,
        startup_timeout=SECONDS_TO_START,
        timeout=SECONDS_PER_CELL,
    )
    return client.execute(env=environment, cwd=str(folder))


def pictures(notebook: NotebookNode) -> list[NotebookNode]:
    """The data of all outputs that hold a picture."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data for output in outputs if PNG in output.get("data", {})]


def opened(data: NotebookNode) -> Image.Image:
    """The picture of an output."""
    return Image.open(BytesIO(b64decode(data[PNG])))


def with_palette(data: NotebookNode) -> str:
    """The picture of an output with few colours, as Base64."""
    buffer = BytesIO()
    opened(data).convert("RGB").quantize(COLORS).save(buffer, "PNG", optimize=True)
    return b64encode(buffer.getvalue()).decode("ascii")


def write(text: Path) -> Path:
    """Execute a text in full and write the .ipynb beside it, without what was printed on stderr."""
    with TemporaryDirectory() as folder:
        notebook = execute(read_text(text), Path(folder), quick=False)
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    for data in pictures(notebook):
        data[PNG] = with_palette(data)
    target = text.with_suffix(".ipynb")
    write_text_whole(target, nbformat.writes(notebook).rstrip("\n") + "\n")
    return target


def main(names: Sequence[str]) -> None:
    """Write the notebooks of these names, or all.

    Raises:
        SystemExit: There is none of such a name.
    """
    known = {text.stem: text for text in texts()}
    for name in names or known:
        if name not in known:
            raise SystemExit(f"there is no notebook {name!r}; choose among {', '.join(known)}")
        print(write(known[name]).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
