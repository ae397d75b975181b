"""Comments of headers and docstrings are plain sentences; here they become reStructuredText."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.application import Sphinx

_MARKUP = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)|([\\*|])|(?<=\w)(_)(?!\w)")
_NAMED = re.compile(r"(\w+(?:, \w+)*) {2,}(\S.*)")
_MADE_BY = re.compile(r"def __init__\(self, (.*)\) -> None")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _of_docstring)
    app.connect("autodoc-process-signature", _of_signature)
    return {"parallel_read_safe": True}


def _of_docstring(*given: object) -> None:
    *_, what, name, of, _options, lines = given
    # A cached property of Python has its annotation from autodoc.
    getter = getattr(of, "fget", None)
    if what == "property" and getter and (found := re.search(r"-> (.*)$", _signature(getter))):
        kind = _without_module(found[1])
        is_bare = lines[0].startswith("(self) -> ")
        lines[0] = f"`{kind}`" if is_bare else f"`{kind}`: {lines[0]}"
    if what == "class" and (found := _MADE_BY.fullmatch(_signature(of.__init__))):
        lines[:0] = [f"`{name.rpartition('.')[2]}({_without_module(found[1])})`", ""]
    lines[:] = as_rst(lines)


def _of_signature(*given: object) -> tuple[str | None, str | None]:
    """Names of the package as a program has them, and what a program gives: functions of the C++
    module show the object that they belong to."""
    parameters, returned = given[-2:]
    parameters = parameters and re.sub(r"^\(self(, )?", "(", _without_module(parameters))
    return parameters, returned and _without_module(returned)


def _signature(of: object) -> str:
    """Of a function of the C++ module, where properties have their types and classes what makes
    them; empty for Python's own."""
    return getattr(of, "__nb_signature__", [("",)])[0][0]


def _without_module(text: str) -> str:
    return re.sub(r"(onehop\.)?_core\.|collections\.abc\.", "", text)


def as_rst(lines: Iterable[str]) -> list[str]:
    """Words in `backticks` are code, and so are lines that are indented by four; lines that begin
    with a name and two blanks explain the name."""
    written: list[str] = []
    for is_blank, block in itertools.groupby(lines, key=lambda line: not line.strip()):
        if not is_blank:
            text = list(block)
            written += _names(text) if _NAMED.match(text[0]) else _prose_and_code(text)
    return written


def _names(lines: list[str]) -> Iterator[str]:
    for line in lines:
        found = _NAMED.match(line)
        if found:
            yield f"``{found[1]}``"
        yield f"   {_escaped(found[2] if found else line.strip())}"
    yield ""


def _prose_and_code(lines: list[str]) -> Iterator[str]:
    for is_code, part in itertools.groupby(lines, key=lambda line: line.startswith("    ")):
        if is_code:
            yield from (".. code-block:: none", "")
        yield from (line if is_code else _escaped(line) for line in part)
        yield ""


def _escaped(line: str) -> str:
    return _MARKUP.sub(_marked, line)


def _marked(found: re.Match) -> str:
    code, *marks = found.groups()
    return f"``{code}``" if code else "".join(f"\\{mark}" for mark in marks if mark)
