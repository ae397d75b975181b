"""The module for Fortran has what the header for C has."""

from __future__ import annotations

import re
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"


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
