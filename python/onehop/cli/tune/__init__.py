"""The options of `onehop tune`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import POSITIVE

COMMAND = Command(
    "tune",
    [
        argument(
            "WHAT",
            "Lines between cores (the default without --device), or the hops of an operator.",
            ("lines", "dslash"),
            required=False,
        ),
        shared.RANKS(help="Processes, each on a core of its own (default: 2, of dslash 1)."),
        shared.TRANSPORT(type=("auto", "shm")),
        option(
            "--max-time", "Seconds of each size and way of packing.", POSITIVE, "S", default=0.25
        ),
        shared.DEVICE(help="What is tuned: lines between cores, or blocks of threads of a device."),
        shared.LATTICE(
            help="Extents x, y, z, t, for dslash (default: 16 16 16 16) and --device cuda "
            "(default: 32 32 32 32)."
        ),
        shared.DSLASH(
            of=("dslash",), default=None, help="Whose hops, for dslash (default: wilson)."
        ),
        shared.PRECISION(
            of=("dslash",),
            type=("double", "single", "half"),
            default=None,
            help="Of the fields, for dslash (default: single).",
        ),
        shared.RECON(
            of=("dslash",), default=None, help="Reals a link is kept in, for dslash (default: 18)."
        ),
        shared.THREADS(
            of=("dslash",),
            default=None,
            help="Threads that share a rank's work, for dslash (default: 1).",
        ),
        shared.JSON(),
    ],
    usage="[lines|dslash] [--device host|cuda] [--json FILE]",
    notes="""\
    Writes ONEHOP_TUNING or tuning.json in the cache folder of the user, which everything that
    starts ranks, solves or uses a device reads. Remove the file to go back to what is built in;
    onehop info, and for lines onehop info --chains, say what holds. Exit status 1 when a byte of
    lines or a bit of dslash was wrong: nothing is kept then.

    tune dslash: orders of the sites, stores past the caches, how far ahead is asked for, whether
    caches hold links once, and how many sources go together, for one operator, kind of numbers,
    lattice, grid and number of threads. What is built in gives way to what is faster by more than
    3%. No way changes a bit of a result.

    --device cuda: one process times every kernel in blocks of 32 to 256 threads; the standard,
    128, gives way to what is faster by more than 3%. Blocks are timed only: none changes a bit of a
    result, and results are not compared.""",
    examples=(
        "onehop tune",
        "onehop tune dslash --lattice 24 24 24 24 --threads 2",
        "onehop tune --device cuda",
        "ONEHOP_TUNING=far.json onehop tune",
    ),
)
