"""What README and docs/ show runs as it stands there, and prints what stands below it.

The blocks of a page run in its order, in one folder. Commands are typed into bash and must end with
0, in a console also with 1, which says that a check has failed; blocks of Python share their names;
C, C++ and TOML are compiled and parsed. A block whose introduction ends with the name of a file is
that file. What a page takes as given, a configuration or the arrays of the reader's program, stands
in `given`, in a file with the page's name. The docstrings of public names are pages too, behind the
lines that the docstring of onehop itself types.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
import tomlkit
from support.excused_blocks import EXCUSED
from support.pages import (
    LANGUAGES,
    ROOT,
    Block,
    blocks_of,
    difference,
    docstrings,
    documented,
    pages,
)

import onehop

GIVEN = Path(__file__).parent / "given"
INCLUDE = Path(onehop.__file__).parent / "include"
TOOLS = Path(sys.executable).parent
# These need what is not part of what tests install; where that is, the commands run.
OTHER_TOOLS = {"h5diff": "h5diff", "taplo": "taplo", "onehop-mpifort": "gfortran"}
CHECK = {
    "cpp": ("c++", "-std=c++20", "-x", "c++", f"-I{INCLUDE}"),
    "c": ("cc", "-std=c11", "-x", "c", f"-I{INCLUDE / 'qmp'}"),
}
INCLUDED = re.compile(r"^#include.*$", re.MULTILINE)


def is_excused(page: str, text: str) -> bool:
    entries = (entry for listed in EXCUSED.values() for entry in listed)
    return any(page == at and text.startswith(start) for at, start in entries)


def runs(block: Block) -> list[tuple[str, str | None]]:
    """Returns the commands of a block that run here, with what each of them prints."""
    if is_excused(block.page, f"```{block.text}"):
        return []
    here = [each for each in block.commands() if not is_excused(block.page, each[0])]
    return [(line, shown) for line, shown in here if not is_missing(line.partition(" ")[0])]


def is_missing(tool: str) -> bool:
    return tool in OTHER_TOOLS and shutil.which(OTHER_TOOLS[tool]) is None


def must_show(shown: str, printed: str, commands: str = "") -> None:
    if differs := difference(shown, printed, commands):
        raise AssertionError(f"{commands}\n{differs}")


def function_of(block: Block) -> str:
    """Returns a function with the lines of a block, in which compilers name the page's lines."""
    body = INCLUDED.sub("", block.text)
    body = re.sub(r"^\.\.\.$", "", body, flags=re.MULTILINE)
    # The host's compiler sees launches of kernels as calls.
    body = re.sub(r"<<<.*>>>\(.*?\)", "(stream)", body)
    begin = f'#line {block.line + 1} "{block.page}"'
    return f"void lines_{block.line}(void) {{\n{begin}\n{body}\n}}"


def given_to(page: str) -> Path:
    """Returns what the files of a page in `given` are called, but for their suffixes."""
    return GIVEN / page.removeprefix("docs/").removesuffix(".md")


class Page:
    """A reader who does what a page says, in a folder of its own."""

    def __init__(self, page: str, folder: Path):
        self.folder = folder
        self.given = given_to(page)
        self.names: dict = {"__name__": "__main__"}
        self.lines: list[Block] = []
        path = f"{TOOLS}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "ROOT": str(ROOT), "GIVEN": str(GIVEN)}
        # `onehop tune` and the like leave their files there.
        self.environment["XDG_CACHE_HOME"] = str(folder / "cache")
        if (script := self.given.with_suffix(".sh")).exists():
            self.type(script.read_text())
        if (start := self.given.with_suffix(".py")).exists():
            exec(compile(start.read_text(), str(start), "exec"), self.names)
        for block in blocks_of("onehop") if page.startswith("onehop.") else ():
            self.pycon(block)

    def type(self, text: str, most: int = 0) -> str:
        """Types commands, which may end with any status up to `most`; returns what they print."""
        words = ["bash", "-e", "-o", "pipefail", "-c", text]
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=240,
        )  # fmt: skip
        if done.returncode not in range(most + 1):
            raise AssertionError(f"{text}\nended with {done.returncode}\n{done.stderr}")
        return done.stdout

    def sh(self, block: Block) -> None:
        lines = "\n".join(line for line, _ in runs(block))
        printed = self.type(lines)
        if block.printed is not None:
            must_show(block.printed, printed, lines)

    def console(self, block: Block) -> None:
        for line, shown in runs(block):
            printed = self.type(line, most=1)
            must_show(shown or "", printed, line)

    def python(self, block: Block) -> None:
        self._execute(block, "exec")

    def pycon(self, block: Block) -> None:
        self._execute(block, "single")

    def _execute(self, block: Block, mode: str) -> None:
        code = compile("\n" * block.line + block.text, block.page, mode)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, self.names)
        must_show(block.printed or "", printed.getvalue())

    def cpp(self, block: Block) -> None:
        """Compiles a program; lines of one wait for `compile_lines`."""
        if "main(" in block.text:
            self._compile(block.language, block.text)
        else:
            self.lines.append(block)

    c = cpp

    def compile_lines(self) -> None:
        """Compiles the lines of a language together, each block as a function, behind what the page
        takes as given: a compiler takes seconds to read the headers."""
        for language, suffix in (("cpp", ".hpp"), ("c", ".h")):
            blocks = [block for block in self.lines if block.language == language]
            included = [line for block in blocks for line in INCLUDED.findall(block.text)]
            given = f'#include "{self.given.with_suffix(suffix)}"'
            if blocks:
                self._compile(language, "\n".join([*included, given, *map(function_of, blocks)]))

    def _compile(self, language: str, text: str) -> None:
        words = [*CHECK[language], "-fsyntax-only", "-"]
        done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise AssertionError(done.stderr)

    def toml(self, block: Block) -> None:
        tomlkit.parse(block.text)

    def file(self, block: Block) -> None:
        """Writes a file, or compares it where a command has written it."""
        path = self.folder / block.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(block.text)
        must_show(block.text, path.read_text())

    def read(self, block: Block) -> None:
        if block.name:
            self.file(block)
        elif runs(block):
            if block.language == "text":
                raise AssertionError("text that nothing prints: name its file, or excuse it")
            getattr(self, block.language)(block)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [page for page in [*pages(), *docstrings()] if blocks_of(page)])
def test_blocks_run_and_print_what_stands_below_them(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reader = Page(page, tmp_path)
    wrong = []
    for block in blocks_of(page):
        try:
            reader.read(block)
        except Exception as error:
            how = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            wrong.append(f"{block.place}: {how}")
    try:
        reader.compile_lines()
    except AssertionError as error:
        wrong.append(str(error))
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


@pytest.mark.parametrize("page", docstrings())
def test_every_public_name_has_an_example_that_uses_it(page):
    name = page.rpartition(".")[2] or page
    typed = "".join(block.text for block in blocks_of(page))
    # A class without a constructor of its own is what some call gives.
    assert typed and (name in typed or inspect.isclass(documented(page)))


@pytest.mark.parametrize("page", pages())
def test_blocks_name_their_languages(page):
    assert not [block.place for block in blocks_of(page) if block.language not in LANGUAGES]


def test_what_is_excused_is_still_there():
    for reason, listed in EXCUSED.items():
        for page, start in listed:
            begins = [f"```{block.text}" for block in blocks_of(page)]
            begins += [line for block in blocks_of(page) for line, _ in block.commands()]
            assert any(text.startswith(start) for text in begins), f"{reason}: {page}: {start}"


def test_what_is_given_belongs_to_a_page():
    given = [path for path in GIVEN.rglob("*.*") if path.suffix in (".sh", ".py", ".h", ".hpp")]
    assert {path.with_suffix("") for path in given} <= {given_to(page) for page in pages()}


@pytest.mark.parametrize(
    ("shown", "printed", "is_same"),
    [
        ("a 1.25 b\n", "a 1.25 b\n", True),
        ("a 1.25 b\n", "a 1.26 b\n", False),
        ("a ... b\n", "a 1.26 b\n", True),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\nc\n", "a\nb\nc\n", False),
        ("...\nc\n", "a\nb\n", False),
        ("takes 1.25 us\n", "takes 3.07 us\n", False),
    ],
)
def test_only_dots_stand_for_something_else(shown, printed, is_same):
    assert (difference(shown, printed, "onehop platform show mine") == "") is is_same


@pytest.mark.parametrize(
    ("command", "printed", "is_same"),
    [
        ("onehop solve x", "takes  13.07 us of 8\n", True),
        ("onehop solve x", "takes 3.1 us of 8\n", False),
        ("onehop solve x", "takes 3.07 ms of 8\n", False),
        ("onehop solve x", "takes 3.07 us of 9\n", False),
        ("onehop solve x --transport virtual:qpace", "takes 3.07 us of 8\n", False),
    ],
)
def test_times_of_this_machine_are_compared_by_their_shape(command, printed, is_same):
    assert (difference("takes 1.25 us of 8\n", printed, command) == "") is is_same
