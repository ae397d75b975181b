"""Documents point at things that exist, and name options that exist."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from onehop.cli.commands import ONEHOP

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("src/*.md"), *ROOT.glob("docs/**/*.md")]
PAGES += [*ROOT.glob("examples/**/*.md"), *ROOT.glob("apps/**/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_use_options_that_exist(page):
    commands = r"^onehop (?:info|solve|generate|selftest|app) .*$"
    for line in re.findall(commands, page.read_text(), re.M):
        name, *words = line.split()[1:]
        command = ONEHOP.get_command(None, name)
        if isinstance(command, click.Group):
            command = command.get_command(None, words.pop(0))
        known = {o for param in command.params for o in param.opts}
        used = {word for word in words if re.match(r"--[a-z]", word)}
        assert used <= known, line
