"""An MPI library of onehop, found by programs that were linked with any MPI of the standard ABI."""

import dataclasses
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import onehop
from onehop import elf, extras
from onehop._core import Error, UsageError

# A rank of a program that is not onehop's may compute for long while another one waits for it.
DEADLINE_S = "3600"
_STANDARD = "libmpi_abi."
# The names of MPICH, Open MPI and Cray, and of their libraries for Fortran.
_LIBRARY = re.compile(r"libmpi(ch|fort|chfort|_\w+)?\.so")
# Compilers of Fortran write small letters and a line behind them.
_FUNCTION = re.compile(r"P?MPI_|p?mpi_\w+_$")


@dataclasses.dataclass(frozen=True)
class Needs:
    """The functions of MPI that a program calls, those of them that onehop's MPI lacks, and the
    library of another ABI that the program is linked with instead."""

    functions: list[str]
    missing: list[str]
    foreign: str | None


def library() -> Path:
    """Returns the library's path; raises UsageError if the installation has none."""
    found = Path(onehop.__file__).parent / "lib" / "onehop_mpi" / "libmpi_abi.so.1"
    if not found.exists():
        raise extras.left_out("the library of MPI")
    return found


def fortran_library() -> Path:
    """Returns the path of what programs of Fortran are linked with beside it."""
    return library().parent.parent / "libonehop_mpifort.so"


def environment(
    *, virtual: bool = False, recording: str | None = None, computing: str | None = None
) -> dict[str, str]:
    """Returns the variables with which a program finds the library before any other MPI, and on a
    virtual machine the machine's time on the system's clocks; with the folder of a `recording`, the
    ranks write what they call there, with one of `computing` times they compute for as long as
    recordings.write_computing has written there."""
    folder = library().parent
    found = {
        "LD_LIBRARY_PATH": _list("LD_LIBRARY_PATH", folder),
        "ONEHOP_DEADLINE_S": os.environ.get("ONEHOP_DEADLINE_S", DEADLINE_S),
    }
    preloaded = []
    if virtual:
        preloaded.append(folder / "libonehop_clock.so")
    if recording is not None or computing is not None:
        # The recorder finds MPI's functions when it is loaded itself, which may be long before a
        # program of an interpreter loads an MPI.
        preloaded += (folder / "libonehop_recorder.so", library())
    if recording is not None:
        found["ONEHOP_RECORDING"] = recording
    if computing is not None:
        found["ONEHOP_COMPUTING"] = computing
    if preloaded:
        found["LD_PRELOAD"] = _list("LD_PRELOAD", *preloaded)
    return found


def _list(variable: str, *first: Path) -> str:
    return ":".join(filter(None, (*map(str, first), os.environ.get(variable, ""))))


def written() -> set[str]:
    """Returns the functions that the library has; those that only say so are weak there."""
    return {s.name for s in elf.dynamic_symbols(library()) if s.defined and not s.weak}


def _written_for_fortran() -> set[str]:
    """Returns the functions of Fortran that call one which the library has."""
    weak = {s.name.lower() + "_" for s in elf.dynamic_symbols(library()) if s.defined and s.weak}
    return {s.name for s in elf.dynamic_symbols(fortran_library()) if s.defined} - weak


def needs(program: Path) -> Needs:
    """Returns what a program or a shared library needs of MPI, by its dynamic symbols."""
    wanted = {
        symbol.name
        for symbol in elf.dynamic_symbols(program)
        if not symbol.defined and _FUNCTION.match(symbol.name)
    }
    have = written()
    if fortran_library().name in elf.needed_libraries(program):
        have |= _written_for_fortran()
    # A profiling name is another name of the function.
    missing = {name for name in wanted if name.removeprefix("P") not in have}
    return Needs(sorted(wanted), sorted(missing), foreign(program))


def foreign(program: Path) -> str | None:
    """Returns the library of MPI that a program is linked with where that has another ABI than the
    standard's, as libmpi.so.12."""
    return next((n for n in _libraries_of_mpi(program) if not n.startswith(_STANDARD)), None)


def check_started(words: Sequence[str], ranks: int, *, with_mpi: bool) -> str | None:
    """Raises UsageError if a program is to run with onehop's MPI but is linked with another, and
    returns a warning if a program that is linked with an MPI is to run without it. For a file
    that is not a compiled program, such as a script, it does neither."""
    program = shutil.which(words[0])
    try:
        libraries = _libraries_of_mpi(Path(program)) if program else []
    except Error:
        return None
    if not libraries:
        return None
    if with_mpi and not libraries[0].startswith(_STANDARD):
        raise UsageError(
            f"{words[0]} is linked with {libraries[0]}, an MPI of another ABI, in which each rank "
            "would be alone; compile it with mpicc_abi"
        )
    if with_mpi or ranks == 1:
        return None
    return (
        f"{words[0]} is linked with {libraries[0]}, in which each rank is alone; run it with "
        "--mpi, or with --launcher mpi"
    )


def _libraries_of_mpi(program: Path) -> list[str]:
    return [n for n in elf.needed_libraries(program) if _LIBRARY.match(n)]
