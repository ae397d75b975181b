"""What `make mutants` would break: lines of code, each in one way, and nothing that is not code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def mutants():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mutants"]


def changed(mutants, line: str) -> set[str]:
    return {m.after for m in mutants.mutants_of("file.cpp", line + "\n")}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  if (a < b && !c) return true;", "  if (a <= b && !c) return true;"),
        ("  if (a < b && !c) return true;", "  if (a < b || !c) return true;"),
        ("  if (a < b && !c) return true;", "  if (a < b && c) return true;"),
        ("  if (a < b && !c) return true;", "  if (a < b && !c) return false;"),
        ("  for (int i = 0; i < n; ++i) {", "  for (int i = 1; i < n; ++i) {"),
        ("  x = y + 3;", "  x = y - 3;"),
        (
            "  flag.load(std::memory_order_acquire) == 1;",
            "  flag.load(std::memory_order_relaxed) == 1;",
        ),
        ("  chain.start();", "  ;"),
        ("  word->fetch_add(1);", "  ;"),
    ],
)
def test_slips_are_made(mutants, line, expected):
    assert expected in changed(mutants, line)


@pytest.mark.parametrize(
    "line",
    [
        "// a + b < c",
        "#if A == 0",
        '  throw usage_error(text("a < b"));',
        "  static_assert(sizeof(word) == 8);",
        "template <class T, int N>",
        "  const int n;  // 0 < n",
    ],
)
def test_what_is_no_code_is_left_alone(mutants, line):
    assert not changed(mutants, line)


def test_a_mutant_of_the_library_differs_in_one_line_that_is_there(mutants):
    every = mutants.all_mutants(list(mutants.ROOMS))
    assert {m.file.rsplit("/", 1)[0] for m in every} >= {"src/rma", "src/io", "src/solver"}
    texts = {name: (ROOT / name).read_text().splitlines() for name in {m.file for m in every}}
    for mutant in every:
        assert texts[mutant.file][mutant.line - 1].startswith(mutant.before)
        assert mutant.before != mutant.after


def test_reasons_belong_to_mutants_that_there_are(mutants):
    known = {m.key() for m in mutants.all_mutants(list(mutants.ROOMS))}
    assert set(mutants.excused(ROOT / "tools" / "mutants.toml")) <= known
