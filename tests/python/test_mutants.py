"""What `make mutants` would break: lines of code, each in one way, and nothing that is not code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tomlkit

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def mutants():
    sys.path.insert(0, str(ROOT / "tools" / "mutants"))
    import changes

    yield changes
    sys.path.remove(str(ROOT / "tools" / "mutants"))
    del sys.modules["changes"]


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


PROGRAM = """
struct pair {
  int first, second;
};
int limit = 0;
int twice(int a) { return 2 * a; }
void note(int& sum) { sum += 10; }
int main() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && !limit)
      note(sum);
    sum += pair{1, 2}.second + 1 -  // this is less
           twice(i);
  }
  const pair few{sum, sum - 1};
  return sum > few.second ? sum + few.first : 99;
}
"""


def test_a_switch_does_what_the_change_does(mutants, tmp_path):
    """All changes at once behind switches give what each gives that is compiled by itself."""
    numbers = mutants.numbered(list(mutants.mutants_of("file.cpp", PROGRAM)))
    assert {m.change for m in numbers.values()} >= {"sum", "less", "and", "not", "call", "equal"}

    def result(text: str, *variables: str) -> int:
        (tmp_path / "file.cpp").write_text(text)
        words = ["g++", "-std=c++20", "-o", tmp_path / "program", tmp_path / "file.cpp"]
        subprocess.run(words, check=True)
        return subprocess.run([tmp_path / "program"], timeout=10).returncode

    header = ROOT / "tools" / "mutants" / "switch.hpp"
    original = result(PROGRAM)
    ends = {}
    for number, one in numbers.items():
        text = PROGRAM[: one.at] + one.new + PROGRAM[one.at + len(one.old) :]
        ends[number] = result(text)
    assert result(mutants.switched(PROGRAM, numbers, header, number)) == ends[number]
    assert result(mutants.switched(PROGRAM, numbers, header)) == original
    for number, end in ends.items():
        done = subprocess.run([tmp_path / "program"], env={"MUTANT": str(number)}, timeout=10)
        assert done.returncode == end, numbers[number]
    places = tmp_path / "places"
    subprocess.run([tmp_path / "program"], env={"MUTANTS_REACHED": str(places)}, timeout=10)
    reached = places.read_bytes()
    assert all(reached[number] for number in numbers)


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
    every = mutants.all_mutants(list(mutants.ROOMS), 1)
    assert {m.file.rsplit("/", 1)[0] for m in every} >= {"src/rma", "src/io", "src/solver"}
    texts = {name: (ROOT / name).read_text().splitlines() for name in {m.file for m in every}}
    for mutant in every:
        assert texts[mutant.file][mutant.line - 1].startswith(mutant.before)
        assert mutant.before != mutant.after


def test_reasons_belong_to_mutants_that_there_are(mutants):
    known = {m.key() for m in mutants.all_mutants(list(mutants.ROOMS), 1)}
    reasons = tomlkit.parse((ROOT / "tools" / "mutants" / "survivors.toml").read_text()).unwrap()
    for one in reasons.get("survivor", []):
        assert (one["file"], one["before"], one["after"]) in known
        assert len(one["why"].split()) > 3
