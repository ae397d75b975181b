"""What onehop.h declares for C and onehop.f90 for Fortran, with the comments of the header."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).resolve().parents[2] / "include"
_HEADING = re.compile(r"^/\* -+ (.*?) -+ \*/\n", re.MULTILINE)
_DECLARED = re.compile(
    r"^/\*\* (?P<comment>.*?) \*/\n(?P<text>#define .*?$|[^;{]+(?:\{.*?\}[^;]*)?;)",
    re.MULTILINE | re.DOTALL,
)
# A member stands on a line of its own and may have its comment behind it.
_MEMBER = re.compile(r"^ +(.*?)[,;]?(?: +/\*\*< (.*?) \*/)?$", re.MULTILINE)
_PROCEDURE = re.compile(
    r"^ +(?:[\w()]+ )?function (\w+)\(([^)]*)\)[^\n]*\n(.*?)^ +end function$",
    re.MULTILINE | re.DOTALL,
)
# A function of the module alone has its comment before it.
_OWN = re.compile(r"^  !> (.*)\n  function (\w+)\(\) result\((\w+)\)\n +(.*)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Declaration:
    """`kind` is function, type, struct, enum or macro; `members` are those of a struct or an enum,
    with what is said of them."""

    kind: str
    name: str
    text: str
    comment: list[str]
    members: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Procedure:
    """`lines` declare its arguments in Fortran."""

    name: str
    arguments: str
    lines: list[str]
    comment: list[str]


def header_of_c() -> str:
    return (FOLDER / "onehop.h").read_text()


def module_of_fortran() -> str:
    return (FOLDER / "onehop.f90").read_text()


def introduction_of_c() -> list[str]:
    return _lines(re.search(r"^/\*\*\n(.*?)\*/", header_of_c(), re.MULTILINE | re.DOTALL)[1])


def introduction_of_fortran() -> list[str]:
    return re.findall(r"^!> ?(.*)$", module_of_fortran(), re.MULTILINE)


def parts_of_c() -> Iterator[tuple[str, list[Declaration]]]:
    """Returns what stands under each heading of the header; what comes before the first is on
    errors."""
    titles_and_texts = ["Errors", *_HEADING.split(header_of_c())]
    for title, text in zip(titles_and_texts[::2], titles_and_texts[1::2], strict=True):
        yield title, [_declaration(found) for found in _DECLARED.finditer(text)]


def parts_of_fortran() -> Iterator[tuple[str, list[Procedure]]]:
    """Returns the procedures of the module under the headings of the header, which says what they
    mean."""
    text = re.sub(r"&\s*\n\s*", "", module_of_fortran())
    found = {one[1]: one for one in _PROCEDURE.finditer(text)}
    own = [Procedure(name, "", [line], [words]) for words, name, _, line in _OWN.findall(text)]
    for title, declarations in parts_of_c():
        listed = [
            Procedure(one.name, found[one.name][2], _arguments(found[one.name][3]), one.comment)
            for one in declarations
            if one.kind == "function"
        ]
        yield title, listed + (own if title == "Errors" else [])


def _arguments(body: str) -> list[str]:
    lines = textwrap.dedent(body).splitlines()
    return [line for line in lines if not line.startswith("import")]


def _lines(comment: str) -> list[str]:
    return [re.sub(r"^ \* {0,2}", "", line) for line in comment.splitlines()]


def _declaration(found: re.Match) -> Declaration:
    text = found["text"].replace(" ONEHOP_OF_INT", "")
    comment = _lines(found["comment"])
    if text.startswith("#define"):
        return Declaration("macro", text.split()[1], text, comment)
    name = (
        re.search(r"(\w+)\(", text) or re.search(r"(\w+);$", text) or re.search(r"(\w+) \{", text)
    )
    members = re.search(r"\{\n(.*)\n\}", text, re.DOTALL)
    if members:
        kind = "enum" if "enum" in text.partition("{")[0] else "struct"
        name = re.search(r"enum (\w+)", text) or name
        return Declaration(kind, name[1], text, comment, tuple(_MEMBER.findall(members[1])))
    kind = "type" if text.startswith("typedef") else "function"
    return Declaration(kind, name[1], " ".join(text.rstrip(";").split()), comment)
