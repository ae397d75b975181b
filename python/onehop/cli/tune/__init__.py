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
            "Cache lines between cores (default without --device) or hops of an operator.",
            ("lines", "dslash"),
            required=False,
        ),
        shared.RANKS(help="Processes, each on its own core (default: 2; 1 for dslash)."),
        shared.TRANSPORT(type=("auto", "shm")),
        option(
            "--max-time", "Seconds for each size and way of packing.", POSITIVE, "S", default=0.25
        ),
        shared.DEVICE(
            help=("What to tune: cache lines between cores, or thread blocks of a device.")
        ),
        shared.LATTICE(
            help="Extents x, y, z, t, for dslash (default: 16 16 16 16) and --device cuda "
            "(default: 32 32 32 32)."
        ),
        shared.DSLASH(
            of=("dslash",), default=None, help="For dslash: the operator (default: wilson)."
        ),
        shared.PRECISION(
            of=("dslash",),
            type=("double", "single", "half"),
            default=None,
            help="For dslash: precision of the fields (default: single).",
        ),
        shared.RECON(
            of=("dslash",),
            default=None,
            help=("For dslash: reals that store a link (default: 18)."),
        ),
        shared.THREADS(
            of=("dslash",),
            default=None,
            help="For dslash: threads that share a rank's work (default: 1).",
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
