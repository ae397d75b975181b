"""Documents point at things that exist, and name options that exist."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import onehop
from onehop.cli.commands import ONEHOP

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("src/*.md"), *ROOT.glob("docs/**/*.md")]
PAGES += [*ROOT.glob("examples/**/*.md"), *ROOT.glob("apps/**/*.md")]
PAGES += [*ROOT.glob("experiments/**/*.md"), *ROOT.glob("docs/notebooks/*.ipynb")]
# docs/site/contents.md is no page; its list is compared with the pages below.
CONTENTS = ROOT / "docs" / "site" / "contents.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
        leads_to = page.parent / target if target else page
        assert leads_to.exists(), f"{page}: {target}"
        assert not heading or heading in headings(leads_to), f"{page}: {target}#{heading}"


def headings(page: Path) -> set[str]:
    """Returns headings as links name them: small letters, dashes for blanks, no other marks."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_use_options_that_exist(page):
    commands = r"^onehop (?:info|solve|generate|selftest|app|doctor|simulate|platform) .*$"
    for line in re.findall(commands, page.read_text(), re.M):
        name, *words = line.split()[1:]
        command = ONEHOP.get_command(None, name)
        if isinstance(command, click.Group):
            command = command.get_command(None, words.pop(0))
        known = {o for param in command.params for o in param.opts}
        used = {word for word in words if re.match(r"--[a-z]", word)}
        assert used <= known, line


def test_every_page_of_docs_is_in_the_navigation():
    """A page that the site's navigation leaves out is one that nobody finds."""
    text = CONTENTS.read_text()
    pages = [path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("docs/*/*.md")]
    pages += [path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("docs/*.md")]
    pages += [path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("docs/*/*.ipynb")]
    listed = set(re.findall(r"^[\w/]+$", text, re.MULTILINE))
    assert {str(page) for page in pages} - {"docs/site/contents"} <= listed
    assert all(list(ROOT.glob(f"{name}.*")) for name in listed), listed


def test_the_site_has_every_public_name_and_header():
    site = ROOT / "docs" / "site"
    python = "".join(page.read_text() for page in site.glob("python/*.rst"))
    names = re.findall(r"^\.\. auto(?:class|function|exception):: (\w+)$", python, re.MULTILINE)
    assert set(onehop.__all__) <= set(names)
    cpp = "".join(page.read_text() for page in site.glob("cpp/*.rst"))
    headers = re.findall(r"^\.\. cpp-header:: (\w+)$", cpp, re.MULTILINE)
    assert sorted(headers) == sorted(path.stem for path in ROOT.glob("include/onehop/*.hpp"))
    c = "".join(page.read_text() for page in site.glob("c/*.rst"))
    assert {"c-header", "fortran-module"} <= set(re.findall(r"^\.\. ([\w-]+)::$", c, re.MULTILINE))
