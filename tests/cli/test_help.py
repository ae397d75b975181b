"""Help, reference page and completion come from the same commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ONEHOP

from onehop.cli.commands import SUMMARIES
from onehop.cli.docs import WIDTH, page

ROOT = Path(__file__).resolve().parents[2]
WIDE = {"COLUMNS": str(WIDTH + 2)}


def test_overview_lists_every_command(onehop):
    ended = onehop("--help", **WIDE)
    assert ended.status == 0
    assert all(f"\n  {name} " in ended.out for name in SUMMARIES)
    assert onehop("help", **WIDE).out == ended.out


@pytest.mark.parametrize("command", SUMMARIES)
def test_help_is_as_documented(onehop, command):
    ended = onehop(command, "--help", **WIDE)
    assert (ended.status, ended.err) == (0, "")
    assert f"```\n{ended.out}```" in (ROOT / "docs/reference/command_line.md").read_text()


def test_reference_page_is_current():
    assert (ROOT / "docs/reference/command_line.md").read_text() == page(), "run `make docs`"


@pytest.mark.parametrize("words", [(), ("solve",), ("app", "echo")])
def test_help_of_a_command_is_that_of_its_option(onehop, words):
    assert onehop("help", *words).out == onehop(*words, "--help").out


def test_help_of_no_command_is_refused(refused):
    assert "unknown command 'solv'; did you mean solve?" in refused("help", "solv")


def test_version(onehop):
    assert onehop("--version").out.split()[0] == "onehop"


@pytest.mark.parametrize("command", SUMMARIES)
def test_help_fits_a_page_width(command):
    section = page().split(f"## onehop {command}\n")[1].split("```")[1]
    assert all(len(line) <= 100 for line in section.splitlines())


def test_help_brings_no_numbers_and_no_plots():
    """Help must come at once."""
    code = "import sys; from onehop.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint({"numpy", "rich", "matplotlib", "scipy"})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("onehop sol", {"solve"}),
        ("onehop solve --dsl", {"--dslash"}),
        ("onehop solve --dslash st", {"staggered"}),
        ("onehop tune d", {"dslash"}),
    ],
)
def test_a_shell_is_told_what_could_stand_next(onehop, line, expected):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    ended = onehop(_ONEHOP_COMPLETE="bash_complete", **words)
    assert {found.split(",")[1] for found in ended.out.splitlines()} == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(onehop, shell):
    ended = onehop("completion", shell)
    assert (ended.status, ended.err) == (0, "")
    assert f"{shell}_complete" in ended.out and Path(ONEHOP).name in ended.out
