"""The options of `onehop tune`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.device_options import DEVICE
from onehop.cli.operator_options import DSLASH
from onehop.cli.options import Command, Option
from onehop.cli.shared_options import (
    JSON,
    LATTICE,
    PRECISION,
    RANKS,
    RECON,
    THREADS,
    TRANSPORT,
)
from onehop.cli.values import positive

TUNE = Command(
    "tune",
    "Measures how lines between cores, hops or kernels of a device are best done here; keeps it.",
    "tune [lines|dslash] [--device host|cuda] [--json FILE]",
    (
        Option(
            "WHAT",
            "lines between cores, or the hops of an operator (default lines)",
            choices=("lines", "dslash"),
        ),
        replace(RANKS, help="processes, each on a core of its own (default 2, of dslash 1)"),
        replace(TRANSPORT, choices=("auto", "shm")),
        Option("--max-time", "of each size and way of packing", positive, 0.25, "S", unit="s"),
        replace(DEVICE, help="what is tuned: lines between cores, or thread blocks of a device"),
        replace(
            LATTICE,
            help=LATTICE.help + ", for dslash (default 16 16 16 16) and --device cuda (default 32 "
            "32 32 32)",
        ),
        replace(DSLASH, help="whose hops, for dslash (default wilson)", default=None),
        replace(
            PRECISION,
            help="of the fields, for dslash (default single)",
            default=None,
            choices=("double", "single", "half"),
        ),
        replace(RECON, help="reals a link is kept in, for dslash (default 18)", default=None),
        replace(THREADS, help="that share a rank's work, for dslash (default 1)", default=None),
        JSON,
    ),
    notes=(
        "Writes ONEHOP_TUNING or tuning.json in the cache folder of the user, which everything\n"
        "that starts ranks, solves or uses a device reads. Remove the file to go back to what is\n"
        "built in; onehop info, and for lines onehop info --chains, say what holds. Exit status 1\n"
        "when a byte or a bit was wrong: nothing is kept then.\n"
        "  tune dslash: orders of the sites, stores past the caches, how far ahead is asked for,\n"
        "whether caches hold links once, and how many sources go together, for one operator, kind\n"
        "of numbers, lattice, grid and number of threads. What is built in gives way to what is\n"
        "faster by more than 3%. No way changes a bit of a result.\n"
        "  --device cuda: one process times every kernel in blocks of 32 to 256 threads; the\n"
        "standard, 128, gives way to what is faster by more than 3%. No block changes a bit."
    ),
    examples=(
        "onehop tune",
        "onehop tune dslash --lattice 24 24 24 24 --threads 2",
        "onehop tune --device cuda",
        "ONEHOP_TUNING=far.json onehop tune",
    ),
)
