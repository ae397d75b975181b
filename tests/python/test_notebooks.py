"""The notebooks of docs/ print what stands in them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def load_tool():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


TOOL = load_tool()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# The kernel's own libraries warn of each other.
@pytest.mark.filterwarnings("ignore")
def test_every_cell_prints_what_stands_below_it(path):
    assert TOOL.printed(TOOL.run(path)) == TOOL.printed(nbformat.read(path, as_version=4))


def test_the_five_notebooks_are_there_and_show_pictures():
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        assert any("image/png" in output.get("data", {}) for output in outputs), path


def test_what_a_cell_prints_stands_in_one_piece():
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            names = [each.name for each in cell.get("outputs", []) if each.output_type == "stream"]
            assert len(names) == len(set(names)), f"{path}: {cell.source}"
