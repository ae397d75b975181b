"""Help, reference page and option tables are one."""

from __future__ import annotations

from pathlib import Path

import pytest

from onehop.cli.commands import COMMANDS
from onehop.cli.docs import page

ROOT = Path(__file__).resolve().parents[2]


def test_overview_lists_every_command(onehop):
    ended = onehop("--help")
    assert ended.status == 0
    assert all(f"\n  {name} " in ended.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_as_documented(onehop, command):
    ended = onehop(command, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert f"```\n{ended.out}```" in (ROOT / "docs/reference/command_line.md").read_text()


def test_reference_page_is_current():
    assert (ROOT / "docs/reference/command_line.md").read_text() == page(), "run `make docs`"


def test_version(onehop):
    assert onehop("--version").out.split()[0] == "onehop"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_help_fits_a_page_width(command):
    assert all(len(line) <= 100 for line in command.help().splitlines())
