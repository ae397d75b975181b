"""The options of `onehop tune`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.device_options import DEVICE
from onehop.cli.options import Command, Option
from onehop.cli.shared_options import JSON, LATTICE, RANKS, TRANSPORT
from onehop.cli.values import positive

TUNE = Command(
    "tune",
    "Measures how lines travel best between the cores of this machine, and keeps it.",
    "tune [--device host|cuda] [--json FILE]",
    (
        replace(RANKS, help="processes, each on a core of its own", default=2),
        replace(TRANSPORT, choices=("auto", "shm")),
        Option("--max-time", "of each size and way of packing", positive, 0.25, "S", unit="s"),
        replace(DEVICE, help="what is tuned: lines between cores, or blocks of threads of a card"),
        replace(LATTICE, help=LATTICE.help + ", for --device cuda (default 32 32 32 32)"),
        JSON,
    ),
    notes=(
        "Writes ONEHOP_TUNING or tuning.json in the cache folder of the user, which everything\n"
        "that starts ranks or uses a card reads. Remove the file to go back to the built-in\n"
        "table; onehop info --chains says what holds. Exit status 1 when a byte was wrong:\n"
        "nothing is kept then. With --device cuda one process times every kernel in blocks of 32\n"
        "to 256 threads; the standard, 128, gives way to what is faster by more than 3%. No block\n"
        "changes a bit of a result."
    ),
    examples=("onehop tune", "onehop tune --device cuda", "ONEHOP_TUNING=far.json onehop tune"),
)
