"""The directive `cpp-header`: what a public header declares, with the comments that stand there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from cxxheaderparser.simple import parse_string
from plain_comment import as_rst
from sphinx.domains.cpp import CPPDomain
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cxxheaderparser.simple import ClassScope, NamespaceScope
    from cxxheaderparser.types import EnumDecl, Field, Function, Method, TemplateDecl, UsingAlias
    from docutils import nodes
    from sphinx.application import Sphinx

FOLDER = Path(__file__).resolve().parents[2] / "include" / "onehop"
# The parser knows no conditions, which stand within bodies of functions only.
_CONDITION = re.compile(r"^#(?:if|else|endif).*\n", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("cpp-header", CppHeader)
    app.add_domain(Names, override=True)
    return {"parallel_read_safe": True}


class Names(CPPDomain):
    """What a search may find: most would be parameters, which lead where their function does."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        found = super().get_objects()
        return (each for each in found if each[2] not in ("functionParam", "templateParam"))


class CppHeader(SphinxDirective):
    """`.. cpp-header:: window` is a section on onehop/window.hpp."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = FOLDER / f"{self.arguments[0]}.hpp"
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(section(path), allow_section_headings=True)


def section(path: Path) -> str:
    """reStructuredText of a header."""
    title = f"onehop/{path.name}"
    text = path.read_text()
    lines = [title, "-" * len(title), "", ".. cpp:namespace:: onehop", ""]
    lines += as_rst(_unmarked(_comment_of_file(text)))
    found = parse_string(_CONDITION.sub("", text))
    return "\n".join([*lines, *_declared(found.namespace.namespaces["onehop"])])


def _comment_of_file(text: str) -> str:
    return re.match(r"#pragma once\n((?:///.*\n)*)", text)[1]


def _declared(of: NamespaceScope) -> Iterator[str]:
    for enum in of.enums:
        yield from _enum(enum)
    for alias in of.using_alias:
        yield from _alias(alias)
    for each in of.classes:
        yield from _class(each)
    for function in of.functions:
        yield from _entry("function", _signature(function), function.doxygen)
    for constant in of.variables:
        yield from _entry(
            "var", constant.type.format_decl(constant.name.format()), constant.doxygen
        )


def _class(of: ClassScope) -> Iterator[str]:
    """What is public of a class; what the next class may not see neither may a reader."""
    declared = of.class_decl
    bases = ", ".join(f"{base.access} {base.typename.format()}" for base in declared.bases)
    name = declared.typename.segments[-1].format() + (f" : {bases}" if bases else "")
    yield from _entry(
        declared.typename.classkey, _template(declared.template) + name, declared.doxygen
    )
    yield from _indented(_members(of))


def _members(of: ClassScope) -> Iterator[str]:
    for enum in _public(of.enums):
        yield from _enum(enum)
    for alias in _public(of.using_alias):
        yield from _alias(alias)
    for each in of.classes:
        if each.class_decl.access == "public":
            yield from _class(each)
    for field in _public(of.fields):
        yield from _entry("member", _field(field), field.doxygen)
    for method in _public(of.methods):
        if not (method.deleted or method.destructor):
            yield from _entry("function", _signature(method), method.doxygen)


def _public(members: list) -> Iterator:
    return (member for member in members if member.access == "public")


def _enum(of: EnumDecl) -> Iterator[str]:
    kind = "enum-class" if "class" in of.typename.classkey else "enum"
    yield from _entry(kind, of.typename.segments[-1].format(), of.doxygen)
    for value in of.values:
        yield from _indented(_entry("enumerator", value.name, value.doxygen))


def _alias(of: UsingAlias) -> Iterator[str]:
    return _entry("type", f"{_template(of.template)}{of.alias} = {of.type.format()}", of.doxygen)


def _field(of: Field) -> str:
    value = f" = {of.value.format()}" if of.value else ""
    return f"{'static ' if of.static else ''}{of.type.format_decl(of.name)}{value}"


def _signature(of: Function | Method) -> str:
    words = [word for word in ("static", "explicit", "constexpr") if getattr(of, word, False)]
    name = of.name.segments[-1].format()
    parameters = ", ".join(parameter.format() for parameter in of.parameters)
    returned = f"{of.return_type.format()} " if of.return_type else ""
    after = [word for word in ("const", "noexcept") if getattr(of, word, None)]
    before = _template(of.template) + "".join(f"{word} " for word in words)
    return " ".join([f"{before}{returned}{name}({parameters})", *after])


def _template(of: TemplateDecl | None) -> str:
    if of is None:
        return ""
    parameters = ", ".join(
        f"{'class' if hasattr(one, 'typekey') else one.type.format()} {one.name or ''}".strip()
        for one in of.params
    )
    return f"template <{parameters}> "


def _entry(kind: str, signature: str, comment: str | None) -> Iterator[str]:
    yield f".. cpp:{kind}:: {signature}"
    yield ""
    yield from _indented(as_rst(_unmarked(comment or "")))


def _unmarked(comment: str) -> list[str]:
    return [re.sub(r"^\s*///<? ?", "", line) for line in comment.splitlines()]


def _indented(lines: Iterator[str] | list[str]) -> Iterator[str]:
    return (textwrap.indent(line, "   ") for line in lines)
