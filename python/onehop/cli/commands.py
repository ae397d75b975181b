"""The option tables of all commands."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.bench_options import BENCH
from onehop.cli.fit_options import COMPARE, FIT
from onehop.cli.generate_options import GENERATE
from onehop.cli.machine_options import MEMORY
from onehop.cli.measure_options import MEASURE
from onehop.cli.options import Command, Option
from onehop.cli.report_options import REPORT
from onehop.cli.reproduce_options import REPRODUCE
from onehop.cli.scale_options import SCALE
from onehop.cli.shared_options import GRID, JSON, LATTICE, RANKS, TRANSPORT
from onehop.cli.simulate_options import SIMULATE
from onehop.cli.solve_options import SOLVE
from onehop.cli.tune_options import TUNE
from onehop.cli.values import file_name, whole

INFO = Command(
    "info",
    "What this installation and this machine have, or what a configuration file holds.",
    "info [CONFIG] [--json FILE] [--cmake-dir] [--chains [options]]",
    (
        Option("CONFIG", "a gauge configuration: print its header, read and check it", file_name),
        JSON,
        Option("--cmake-dir", "print the folder to give to find_package(onehop)", is_flag=True),
        Option("--chains", "how the puts of a halo exchange travel, and why", is_flag=True),
        replace(LATTICE, help=LATTICE.help + ", for --chains (default 8 8 8 16)"),
        replace(RANKS, help="for --chains (default 2, or as --grid says)"),
        replace(GRID, help="for --chains: " + GRID.help),
        Option("--site-bytes", "of a face per site, for --chains", whole(1), 192, "N"),
        replace(
            MEMORY, help="for --chains: where sources and windows lie, in the host or in devices"
        ),
        Option(
            "--in-place",
            "for --chains --memory device: faces are read from the field, row by row",
            is_flag=True,
        ),
        TRANSPORT,
    ),
    examples=("onehop info --chains --lattice 16 16 16 32 --grid 1 1 2 2",),
)

DOCTOR = Command(
    "doctor",
    "What of this machine onehop can use, and what stands in the way of the rest.",
    "doctor [--json FILE]",
    (JSON,),
    notes="Exit status 1 when something that every job needs is missing.",
)

SELFTEST = Command(
    "selftest",
    "Checks of the installed package by property, on 1, 2 and 4 ranks; about a minute at most.",
    "selftest [--json FILE]",
    (
        Option("--ranks", "check this number of ranks only", whole(1), value="N"),
        JSON,
    ),
)

RUN = Command(
    "run",
    "Runs any program as N ranks on this machine, without MPI, ssh or host file, or under mpirun.",
    "run -n N [--launcher onehop|mpi] [--] PROGRAM [ARGUMENT ...]",
    (
        Option("--ranks", "number of ranks", whole(1), value="N", short="-n", is_required=True),
        Option(
            "--launcher",
            "who starts the ranks: onehop itself, or mpirun of the MPI that onehop was built with",
            default="onehop",
            choices=("onehop", "mpi"),
        ),
    ),
    notes=(
        "The ranks find each other with onehop::join() or onehop.join(). When one fails, all are\n"
        "ended and its exit status is returned, 2 when it was killed by a signal."
    ),
    takes_program=True,
    examples=("onehop run -n 4 -- ./stencil 1000", "onehop run -n 2 -- python halo.py"),
)

_MEASURING = (BENCH, TUNE, FIT, COMPARE, REPORT)
_PREDICTING = (SIMULATE, REPRODUCE, SCALE)
COMMANDS = {
    c.name: c
    for c in (INFO, DOCTOR, SELFTEST, RUN, GENERATE, MEASURE, SOLVE, *_MEASURING, *_PREDICTING)
}


def overview() -> str:
    """The text of `onehop --help`."""
    lines = ["usage: onehop COMMAND ...", ""]
    lines += ["One-sided, one-hop communication for lattice codes.", ""]
    lines += [f"  {c.name:10}{c.summary}" for c in COMMANDS.values()]
    lines += ["", "onehop COMMAND --help lists the options of a command."]
    lines += ["Exit status: 0 done, 1 the check failed (not converged, wrong), 2 an error."]
    return "\n".join(lines) + "\n"
