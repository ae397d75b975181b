"""`onehop info --mpi` lists the MPI functions that a program needs, and those that onehop's MPI
lacks."""

import shutil
import textwrap
from pathlib import Path

from onehop import mpi_abi
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.record import new_record


def run(options: Options) -> int:
    """Returns 0 if nothing is missing and the program uses onehop's library, else 1."""
    # A program without a slash is looked for as a shell does.
    program = Path(shutil.which(options.mpi) or options.mpi)
    found = mpi_abi.needs(program)
    record = new_record("info", options)
    record["mpi"] = {
        "program": str(program),
        "library": str(mpi_abi.library()),
        "functions": found.functions,
        "missing": found.missing,
        "foreign": found.foreign,
    }
    why = f"{len(found.missing)} functions are missing" if found.missing else "nothing is missing"
    if found.foreign:
        why = f"{found.foreign} has another ABI"
    record["check"] = {"passed": not (found.missing or found.foreign), "why": why}
    return deliver(record, options, _show)


def _show(record: dict) -> None:
    found = record["mpi"]
    print(f"# {found['program']} calls {len(found['functions'])} functions of MPI")
    for title, names in (("functions", found["functions"]), ("missing", found["missing"])):
        words = ", ".join(names) or "none"
        print(textwrap.fill(words, 98, initial_indent=f"{title}: ", subsequent_indent="  "))
    if found["foreign"]:
        print(f"linked with: {found['foreign']}, an MPI of another ABI; compile it with mpicc_abi")
