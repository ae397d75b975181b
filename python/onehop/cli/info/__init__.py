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
            "A gauge configuration, whose header is printed and whose links are checked; or a "
            "file of a propagator, eigenvectors or several fields of links, whose contents are "
            "listed.",
            INPUT,
            required=False,
        ),
        shared.ALLOW_NON_UNITARY(needs="CONFIG"),
        shared.JSON(),
        flag("--cmake-dir", "Print the folder to give to find_package(onehop)."),
        option(
            "--mpi",
            "List the MPI functions that a program needs, and those that onehop's MPI lacks "
            "(exit status 1 if any).",
            click.STRING,
            "PROGRAM",
        ),
        flag("--chains", "Show how the puts of a halo exchange travel, and why."),
        shared.LATTICE(
            help="For --chains: extents x, y, z, t, as 8 8 8 16 or 8x8x8x16 (default: 8 8 8 16).",
            needs="--chains",
        ),
        shared.RANKS(help="For --chains: ranks (default: 2, or as --grid says).", needs="--chains"),
        shared.GRID(
            help="For --chains: ranks in x, y, z, t (default: smallest faces).", needs="--chains"
        ),
        option(
            "--site-bytes",
            "For --chains: bytes of a face per site.",
            Whole(1),
            default=192,
            needs="--chains",
        ),
        shared.MEMORY(
            help="For --chains: where sources and windows are, on the host or on devices "
            "(default: host).",
            needs="--chains",
        ),
        flag(
            "--in-place",
            "For --chains --memory device: read faces from the field, row by row.",
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
