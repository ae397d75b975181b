"""Refuses comments that cannot be read alone, without a subject or leaning on another comment.

A search, a tool and `help()` show a comment without its neighbours, so "Of one rank." says nothing
there. The check knows the clear cases only; a comment that it passes may still be a fragment.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

# A comment that begins so continues a sentence which stands elsewhere.
CONTINUES = re.compile(r"(Of|As|And|But|Also|Not|Likewise|Else|(The )?same)\b", re.I)
# A comment may begin with these, if a verb follows in its first sentence.
LEADS = re.compile(
    r"(For|To|With|Without|From|By|In|On|At|Between|Beside|Where|When|Once|Until|What|How|Who|Which"
    r"|Whether|All|Only|Never|Twice|Less|Up to)\b"
)
VERB = re.compile(
    r"=|\b(\w+(s|ed)|are|were|have|be|been|do|go|come|get|give|keep|make|take|put|run|say|see"
    r"|read|write|lie|hold|may|must|can|could|will|would|should|need|cut|set|share|stay|wait|use|know|find|let)\b"
)
# These words point at a neighbour that a reader of the comment alone does not see.
POINTS = re.compile(
    r"\bas (above|below|the (next|other|previous|last)( one)?)(?=[.;,:]|$)"
    r"|\bsee (above|below)\b|\bthe next one throws\b",
    re.I,
)
# So many of what, or so often that what?
OPEN = re.compile(r"\bso (many|much|often)\b(?![^.;]*\b(that|as|to)\b)")

CPP = (".hpp", ".cpp", ".cu", ".cuh")
FOLDERS = ("include", "src", "reference", "bindings", "benchmarks", "tests", "examples", "apps")
FOLDERS += ("python", "tools", "cmake")
# Formatters and linters read these, not people.
FOR_TOOLS = ("clang-format", "NOLINT", "namespace", "noqa", "fmt:", "isort:", "type:")

Comment = tuple[int, str, bool]


def blocks(lines: list[str], mark: str) -> Iterator[Comment]:
    """Yields line, text and whether code stands before it, for each comment that `mark` begins."""
    found = [re.match(rf"^([^\"]*?|.*;\s+)({mark})(?:\s(.*))?$", line) for line in lines]
    at = 0
    while at < len(lines):
        head = found[at]
        first, text = at, []
        # Lines whose marks stand below each other are one comment.
        while at < len(lines) and (same := found[at]) and head:
            if at > first and (same[1].strip() or same.span(2) != head.span(2)):
                break
            text.append((same[3] or "").strip())
            at += 1
        if head:
            yield first + 1, " ".join(text), head[1].strip() != ""
        else:
            at += 1


def of_python(text: str) -> Iterator[Comment]:
    """Yields the docstrings and the comments of a Python file."""
    for node in ast.walk(ast.parse(text)):
        named = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if named and (said := ast.get_docstring(node)):
            yield node.body[0].lineno, " ".join(said.split()), False
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            code = "code" if token.line[:column].strip() else ""
            lines[row - 1] = code.ljust(column) + token.string
    yield from blocks(lines, "#")


def comments(path: Path) -> Iterator[Comment]:
    """Yields the comments of a file, by the rules of its language."""
    text = path.read_text()
    if path.suffix == ".py":
        return of_python(text)
    return blocks(text.split("\n"), "///<|///|//" if path.suffix in CPP else "#")


def fault(text: str, is_trailing: bool) -> str:
    """Returns what keeps a comment from being read alone, or nothing."""
    if text.startswith(FOR_TOOLS):
        return ""
    first = re.split(r"[.;:?](?:\s|$)", text)[0]
    # A trailing comment may be a noun phrase, which its member's name completes.
    if CONTINUES.match(text) and (not is_trailing or re.match(r"(of|the same)\b", text, re.I)):
        return "it begins without a subject"
    if not is_trailing and LEADS.match(first) and not VERB.search(first):
        return "its first sentence has no verb"
    if found := POINTS.search(text) or OPEN.search(text):
        return f"{found[0]!r} leans on another comment"
    return ""


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    kinds = (*CPP, ".py", ".cmake", ".txt")
    files = [root / "Makefile", root / "CMakeLists.txt"]
    files += [p for d in FOLDERS for p in sorted((root / d).rglob("*")) if p.suffix in kinds]
    files = [p for p in files if p.suffix != ".txt" or p.name == "CMakeLists.txt"]
    lines = [
        f"{path.relative_to(root)}:{line}: {why}: {text[:80]}"
        for path in files
        for line, text, is_trailing in comments(path)
        if (why := fault(text, is_trailing))
    ]
    print("\n".join(lines) if lines else f"{len(files)} files, no comment without a subject")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
