"""The blocks of code of documents and docstrings, and whether what they show has been printed."""

from __future__ import annotations

import dataclasses
import difflib
import doctest
import inspect
import operator
import re
from pathlib import Path

import onehop

ROOT = Path(__file__).resolve().parents[2]
# Programs write these pages: help texts, which test_help.py compares, and the commands of published
# figures, which test_reproduce.py runs.
GENERATED = ("docs/reference/command_line.md", "docs/reference/validation.md")
LANGUAGES = ("sh", "console", "python", "pycon", "cpp", "c", "cmake", "toml", "text")

FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"\d+(\.\d+)?(?= ?(?:(?:ns|us|ms|s|[MG]B/s|GFlop/s)\b|%))")
MEASURES = re.compile(r"\bonehop (?:app|bench|ensemble|generate|solve)\b(?!.*virtual:)")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block. `name` is the file that the words before it end with, as in "this is `a.c`:";
    `printed` is the text that stands directly below a block, which is what it prints."""

    page: str
    line: int
    language: str
    text: str
    name: str = ""
    printed: str | None = None

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self) -> list[tuple[str, str | None]]:
        """Returns the commands of a block, without its comments; those of a console have below them
        what they print, the others together `printed`."""
        if self.language == "console":
            parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
            pairs = (re.match(r"((?:.*\\\n)*.*)\n([\s\S]*)", part).groups() for part in parts)
            return [(command, printed or None) for command, printed in pairs]
        lines = re.split(r"(?<!\\)\n", self.text)
        return [(line, None) for line in lines if line.strip() and not line.startswith("#")]


def pages() -> list[str]:
    found = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    names = [str(page.relative_to(ROOT)) for page in found]
    return [name for name in names if name not in GENERATED and not name.startswith("docs/site/")]


def docstrings() -> list[str]:
    """Names what needs an example: onehop, and each public name but those of errors; and members
    that have one of their own."""
    found = ["onehop"]
    for name in onehop.__all__:
        public = getattr(onehop, name)
        if not _is_error(public):
            found.append(f"onehop.{name}")
            members = vars(public).items() if inspect.isclass(public) else ()
            found += [
                f"onehop.{name}.{key}" for key, one in members if ">>>" in (one.__doc__ or "")
            ]
    return found


def documented(page: str) -> object:
    """Returns what the docstring of this name is of."""
    name = page.partition(".")[2]
    return operator.attrgetter(name)(onehop) if name else onehop


def _is_error(public: object) -> bool:
    return inspect.isclass(public) and issubclass(public, Exception)


def blocks_of(page: str) -> list[Block]:
    """Returns the blocks of a page in their order; of a docstring, a statement each."""
    if page.startswith("onehop"):
        return _statements(page, inspect.getdoc(documented(page)) or "")
    text = (ROOT / page).read_text()
    found: list[Block] = []
    end = 0
    for fence in FENCE.finditer(text):
        before, end = text[end : fence.start()], fence.end()
        language, content = fence.groups()
        if language == "text" and not before.strip() and found:
            found[-1] = dataclasses.replace(found[-1], printed=content)
            continue
        name = re.search(r"`([\w./-]+)`:\n*$", before)
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, language, content, name.group(1) if name else ""))
    return found


def _statements(page: str, docstring: str) -> list[Block]:
    typed = doctest.DocTestParser().get_examples(docstring)
    return [Block(page, one.lineno + 1, "pycon", one.source, "", one.want) for one in typed]


def difference(shown: str, printed: str, commands: str = "") -> str:
    """Returns how what was printed differs from what is shown, nothing if it does not.

    `...` stands for anything within a line, and on a line of its own for any lines. All else is the
    same to the last digit. Where `commands` measure this machine, a figure in units of time or of
    rate, or a percentage, may be another one with as many digits behind the point.
    """
    lines = []
    for line in shown.splitlines(keepends=True):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*")
        else:
            parts = [_pattern(part, bool(MEASURES.search(commands))) for part in line.split("...")]
            lines.append(".*".join(parts))
    if re.fullmatch("".join(lines), printed):
        return ""
    return "\n".join(difflib.unified_diff(shown.splitlines(), printed.splitlines(), lineterm=""))


def _pattern(text: str, is_measured: bool) -> str:
    """Returns an expression for what is shown; blanks become fewer before a wider number."""
    if not is_measured:
        return re.escape(text)
    found, end = "", 0
    for figure in FIGURE.finditer(text):
        digits = len(figure.group(1) or ".") - 1
        found += _blanks(text[end : figure.start()]) + r"\d+"
        found += rf"\.\d{{{digits}}}" if digits else ""
        end = figure.end()
    return found + _blanks(text[end:])


def _blanks(text: str) -> str:
    return re.sub(r"(?:\\ )+", " +", re.escape(text))
