"""The page that compares QPACE with PAX says what the commands give."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "qpace_pax"


@pytest.fixture(scope="module")
def compare():
    spec = importlib.util.spec_from_file_location("compare", FOLDER / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("nodes", [128, 1024])
def test_the_table_has_what_the_commands_give(compare, nodes):
    text = (FOLDER / "README.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith(f"| {nodes} |"))
    given = [float(cell) for cell in row.split("|")[2:-1]]
    found = [
        compare.halo_us(name, nodes, size) for size in compare.FACES for name in compare.MACHINES
    ]
    found += [compare.bisection_gbps(name, nodes) for name in compare.MACHINES]
    assert found == pytest.approx(given, rel=0.006)
