"""An MPI library of onehop, found by programs that were linked with any MPI of the standard ABI."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import onehop
from onehop import elf, extras

# A rank of a program that is not onehop's may compute for long while another one waits for it.
DEADLINE_S = "3600"


@dataclasses.dataclass(frozen=True)
class Needs:
    """The functions of MPI that a program calls, and those of them that onehop's MPI has not."""

    functions: list[str]
    missing: list[str]


def library() -> Path:
    """Returns the library's path; raises UsageError where the installation has none."""
    found = Path(onehop.__file__).parent / "lib" / "onehop_mpi" / "libmpi_abi.so.1"
    if not found.exists():
        raise extras.left_out("the library of MPI")
    return found


def environment(*, virtual: bool = False) -> dict[str, str]:
    """Returns the variables with which a program finds the library before any other MPI, and on a
    virtual machine the machine's time on the system's clocks."""
    folder = library().parent
    found = {
        "LD_LIBRARY_PATH": _list("LD_LIBRARY_PATH", folder),
        "ONEHOP_DEADLINE_S": os.environ.get("ONEHOP_DEADLINE_S", DEADLINE_S),
    }
    if virtual:
        found["LD_PRELOAD"] = _list("LD_PRELOAD", folder / "libonehop_clock.so")
    return found


def _list(variable: str, first: Path) -> str:
    return ":".join(filter(None, (str(first), os.environ.get(variable, ""))))


def written() -> set[str]:
    """Returns the functions that the library has; those that only say so are weak there."""
    return {s.name for s in elf.dynamic_symbols(library()) if s.defined and not s.weak}


def needs(program: Path) -> Needs:
    """Returns what a program or a shared library needs of MPI, by its dynamic symbols."""
    wanted = {
        symbol.name
        for symbol in elf.dynamic_symbols(program)
        if not symbol.defined and symbol.name.startswith(("MPI_", "PMPI_"))
    }
    have = written()
    # A profiling name is another name of the function.
    missing = {name for name in wanted if name.removeprefix("P") not in have}
    return Needs(sorted(wanted), sorted(missing))
