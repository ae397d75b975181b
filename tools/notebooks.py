"""Runs the notebooks of docs/notebooks and writes what they print into them, for `make docs`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def run(notebook: Path) -> nbformat.NotebookNode:
    """Returns the notebook with fresh outputs; its commands are those of this environment, and it
    leaves its files in a folder that is removed. Raises CellExecutionError."""
    found = nbformat.read(notebook, as_version=4)
    here = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            found,
            timeout=100,
            resources={"metadata": {"path": folder}},
            # What one cell prints is one text, however many pieces it came in.
            coalesce_streams=True,
        )
        # What a kernel says of its own sockets is nothing that a notebook prints.
        client.execute(env=environment, stderr=subprocess.DEVNULL)
    for cell in found.cells:
        # When a cell began and ended is of no interest to the next reader.
        cell.metadata.pop("execution", None)
    return found


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """Returns what each cell of code prints and shows as text; pictures are left out, since their
    bytes depend on fonts."""
    return [_text(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


def _text(outputs: list[nbformat.NotebookNode]) -> str:
    """Returns the standard output before the standard error: which of the two pipes of a command
    is read first is chance."""
    shown = {"stdout": "", "stderr": ""}
    for output in outputs:
        data = output.get("data", {})
        if "image/png" not in data:
            shown[output.get("name", "stdout")] += output.get("text", data.get("text/plain", ""))
    return "".join(shown.values())


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
