"""The options of `onehop run`."""

import click

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.options import FORCE, HOSTS, MEMORY, PLATFORM_SET
from onehop.cli._shared.platform import wire
from onehop.cli._shared.values import KEPT_OUTPUT, File, Parsed, Whole, finite
from onehop.virtual import Computing

_WORDS = ("none", "declared", "measured", "recorded")
_COUNTED = "counted:"
_LEAST_RATE, _MOST_RATE = 1e3, 1e15


def computing(text: str) -> Computing:
    """Reads how long computing takes; raises ValueError."""
    if text in _WORDS:
        return Computing(text)
    if not text.startswith(_COUNTED):
        raise ValueError(f"give {', '.join(_WORDS)} or {_COUNTED}RATE")
    rate = finite(text.removeprefix(_COUNTED))
    if not _LEAST_RATE <= rate <= _MOST_RATE:
        raise ValueError(
            f"the rate is instructions a second, from {_LEAST_RATE:g} to {_MOST_RATE:g}, as in "
            "counted:2e9"
        )
    return Computing("counted", rate)


COMMAND = Command(
    "run",
    [
        option("-n --ranks", "Number of ranks.", Whole(1), required=True),
        option(
            "--launcher",
            "Who starts the ranks: onehop itself, or mpirun of the MPI that onehop was built with.",
            ("onehop", "mpi"),
            default="onehop",
        ),
        flag(
            "--mpi",
            "The program uses MPI with the standard ABI, and gets onehop's library.",
        ),
        option(
            "--transport",
            "Run on a machine of platforms/ or of your own file, in virtual time; otherwise the "
            "program chooses its wire.",
            Parsed(wire),
            "virtual:PLATFORM",
            default="auto",
        ),
        MEMORY(),
        HOSTS(),
        PLATFORM_SET(),
        option(
            "--compute",
            "How long the program's own computing takes on a virtual machine: no time; what it "
            "declares by context.work or MPI_Pcontrol; as measured here; as recorded, the same "
            "in every run; or its instructions at RATE a second, if this machine counts them "
            "(default: declared).",
            Parsed(computing),
            "none|declared|measured|recorded|counted:RATE",
        ),
        option(
            "--recording",
            "For --compute recorded: the file that an earlier run with --record wrote. Without "
            "it, the first run of a program is recorded, and later runs use that recording, from "
            "the user's cache folder.",
            File(),
        ),
        option(
            "--record",
            "With --mpi, or on a virtual machine: record what the ranks call and compute, for "
            "--compute recorded; with --mpi also for onehop simulate PLATFORM replay.",
            KEPT_OUTPUT,
        ),
        FORCE(help="Replace an existing recording.", needs="--record"),
        flag("--verbose", "Report what the virtual machine did and what limited it."),
        argument("PROGRAM", "The program and its arguments.", click.UNPROCESSED, nargs=-1),
    ],
    usage="-n N [--launcher onehop|mpi] [--mpi] [--transport virtual:PLATFORM ...] [--] "
    "PROGRAM [ARGUMENT ...]",
    notes="The ranks find each other with onehop::join() or onehop.join(). If one fails, all are "
    "ended and its exit status is returned, or 2 if a signal killed it; with --launcher "
    "mpi, the exit status is that of mpirun.",
    examples=(
        "onehop run -n 4 -- ./stencil 1000",
        "onehop run -n 2 -- python halo.py",
        "onehop run -n 4 --mpi -- ./program_of_mpi",
        "onehop run -n 4 --mpi --record program.recording -- ./program_of_mpi",
        "onehop run -n 4 --mpi --transport virtual:qpace --compute recorded --recording FILE "
        "-- ./a.out",
        "onehop run -n 16 --transport virtual:apenet-v4 -- ./stencil 1000",
        "onehop run -n 16 --transport virtual:quong --hosts linear:2 -- ./stencil 1000",
        "onehop run -n 16 --transport virtual:apenet-v4 --record FILE -- ./stencil 1000",
    ),
    allow_interspersed_args=False,
)
