"""The options of `onehop run`."""

import click

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import Whole

COMMAND = Command(
    "run",
    [
        option("-n --ranks", "Number of ranks.", Whole(1), "N", required=True),
        option(
            "--launcher",
            "Who starts the ranks: onehop itself, or mpirun of the MPI that onehop was built with.",
            ("onehop", "mpi"),
            default="onehop",
        ),
        argument("PROGRAM", "The program and its arguments.", click.UNPROCESSED, nargs=-1),
    ],
    usage="-n N [--launcher onehop|mpi] [--] PROGRAM [ARGUMENT ...]",
    notes="The ranks find each other with onehop::join() or onehop.join(). When one fails, all are "
    "ended and its exit status is returned, 2 when it was killed by a signal.",
    examples=("onehop run -n 4 -- ./stencil 1000", "onehop run -n 2 -- python halo.py"),
    allow_interspersed_args=False,
)
