"""The options of `onehop info`."""

import click

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.values import INPUT, Whole

COMMAND = Command(
    "info",
    [
        argument(
            "CONFIG",
            "A gauge configuration: print its header, read and check it; or a file of a "
            "propagator, eigenvectors or several fields of links: say what it holds.",
            INPUT,
            required=False,
        ),
        shared.ALLOW_NON_UNITARY(needs="CONFIG"),
        shared.JSON(),
        flag("--cmake-dir", "Print the folder to give to find_package(onehop)."),
        option(
            "--mpi",
            "Functions of MPI that a program needs, and those that onehop's MPI has not (exit "
            "status 1 for any).",
            click.STRING,
            "PROGRAM",
        ),
        flag("--chains", "How the puts of a halo exchange travel, and why."),
        shared.LATTICE(
            help="For --chains: extents x, y, z, t, as 8 8 8 16 or 8x8x8x16 (default: 8 8 8 16).",
            needs="--chains",
        ),
        shared.RANKS(help="For --chains (default: 2, or as --grid says).", needs="--chains"),
        shared.GRID(
            help="For --chains: ranks in x, y, z, t (default: smallest faces).", needs="--chains"
        ),
        option(
            "--site-bytes",
            "Of a face per site, for --chains.",
            Whole(1),
            default=192,
            needs="--chains",
        ),
        shared.MEMORY(
            help="For --chains: where sources and windows lie, in the host or in devices "
            "(default: host).",
            needs="--chains",
        ),
        flag(
            "--in-place",
            "For --chains --memory device: faces are read from the field, row by row.",
            needs="--chains",
        ),
        shared.TRANSPORT(help="For --chains: the wire between ranks.", needs="--chains"),
    ],
    usage="[CONFIG] [--json FILE] [--cmake-dir] [--mpi PROGRAM] [--chains [options]]",
    examples=(
        "onehop info eigenvectors.scidac",
        "onehop info --chains --lattice 16 16 16 32 --grid 1 1 2 2",
        "onehop info --mpi ./program",
    ),
)
