"""The directives `c-header` and `fortran-module`: all that onehop.h and onehop.f90 declare."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import c_declarations
from docutils import nodes
from plain_comment import as_rst
from sphinx.addnodes import desc_name, desc_signature
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c_declarations import Declaration, Procedure
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("c-header", CHeader)
    app.add_directive("fortran-module", FortranModule)
    index = "single: %s (function of Fortran)"
    app.add_object_type("fortran-function", "fortran", index, parse_node=_show)
    return {"parallel_read_safe": True}


class _Declarations(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        for name in ("onehop.h", "onehop.f90"):
            self.env.note_dependency(str(c_declarations.FOLDER / name))
        text = "\n".join(self.lines())
        return self.parse_text_to_nodes(text, allow_section_headings=True)

    def lines(self) -> Iterator[str]:
        raise NotImplementedError


class CHeader(_Declarations):
    def lines(self) -> Iterator[str]:
        yield from as_rst(c_declarations.introduction_of_c())
        for title, declarations in c_declarations.parts_of_c():
            yield from (title, "-" * len(title), "")
            for one in declarations:
                yield from _declaration(one)


class FortranModule(_Declarations):
    def lines(self) -> Iterator[str]:
        yield from as_rst(c_declarations.introduction_of_fortran())
        for title, procedures in c_declarations.parts_of_fortran():
            yield from (title, "-" * len(title), "")
            for one in procedures:
                yield from _procedure(one)


def _show(_env: object, signature: str, shown: desc_signature) -> str:
    """Shows a function with its arguments, and returns the name by which an index knows it."""
    name, _, arguments = signature.partition("(")
    shown += [desc_name(name, name), nodes.Text(f"({arguments}")]
    return name


def _declaration(of: Declaration) -> Iterator[str]:
    yield from _entry(f"c:{of.kind}", of.text if of.kind == "function" else of.name, of.comment)
    member = "c:enumerator" if of.kind == "enum" else "c:member"
    for name, words in of.members:
        yield from _indented(_entry(member, name.partition(" = ")[0], [words]))


def _procedure(of: Procedure) -> Iterator[str]:
    yield from _entry("fortran-function", f"{of.name}({of.arguments})", of.comment)
    yield from _indented(as_rst(f"    {line}" for line in of.lines))


def _entry(kind: str, signature: str, comment: list[str]) -> Iterator[str]:
    yield from (f".. {kind}:: {signature}", "")
    yield from _indented(as_rst(comment))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (textwrap.indent(line, "   ") for line in lines)
