"""The module for Fortran has what the header for C has, and the pages on both have all of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
sys.path.insert(0, str(ROOT / "docs" / "site"))

import c_declarations  # noqa: E402


def functions_in_c() -> dict[str, list[str]]:
    """Names of the arguments of every function of onehop.h that returns a code."""
    text = re.sub(r"/\*.*?\*/", "", (INCLUDE / "onehop.h").read_text(), flags=re.DOTALL)
    found = re.findall(r"^int (onehop_\w+)\(([^;]*?)\);", text, flags=re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"(\w+)\s*(?:,|$)", arguments) for name, arguments in found}


def functions_in_fortran() -> dict[str, list[str]]:
    text = re.sub(r"&\s*\n\s*", "", (INCLUDE / "onehop.f90").read_text())
    found = re.findall(r"integer\(c_int\) function (onehop_\w+)\((.*?)\) bind\(C\)", text)
    return {name: arguments.split(", ") for name, arguments in found}


def test_fortran_has_every_function_with_the_same_arguments():
    assert len(functions_in_c()) > 60
    assert functions_in_fortran() == functions_in_c()


def words_of_comments() -> dict[str, str]:
    """The meaning of every function, as the pages of the site read it off the header."""
    found = [one for _, part in c_declarations.parts_of_c() for one in part]
    return {one.name: " ".join(one.comment) for one in found if one.kind == "function"}


def test_every_function_of_c_and_fortran_has_its_meaning_on_the_site():
    words = words_of_comments()
    assert words.keys() == functions_in_c().keys() | {"onehop_error_message"}
    # A text that begins with a name is about that argument.
    assert all(re.match(r"[A-Z`].{10,}\.$", text) for text in words.values()), words
    fortran = [one for _, part in c_declarations.parts_of_fortran() for one in part]
    assert {one.name for one in fortran} == words.keys() | {"onehop_message"}
    declared = {one.name: set(re.findall(r"\w+", "\n".join(one.lines))) for one in fortran}
    for name, arguments in functions_in_fortran().items():
        assert declared[name] >= set(arguments), name


def test_everything_else_that_the_header_declares_is_on_the_site():
    text = (INCLUDE / "onehop.h").read_text()
    names = set(re.findall(r"\b(?:enum|struct) (onehop_\w+)", text)) - {"onehop_context"}
    names |= {"onehop_place", "onehop_item", "onehop_context", "ONEHOP_ANY"}
    found = {one.name for _, part in c_declarations.parts_of_c() for one in part}
    assert names <= found
