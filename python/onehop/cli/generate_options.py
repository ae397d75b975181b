"""The options of `onehop generate`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.options import Command, Option
from onehop.cli.shared_options import (
    GRID,
    JSON,
    LATTICE,
    MOST_SEED,
    RANKS,
    START,
    TRANSPORT,
    VERBOSE,
)
from onehop.cli.values import output_name, positive, whole

GENERATE = Command(
    "generate",
    "Makes a gauge configuration by SU(3) heatbath with overrelaxation.",
    "generate --lattice X Y Z T --beta B [options] -o FILE",
    (
        replace(LATTICE, is_required=True),
        Option(
            "--beta",
            "coupling of the Wilson gauge action",
            positive,
            value="B",
            is_required=True,
        ),
        Option("--seed", "of the random numbers", whole(0, MOST_SEED), 1, "S"),
        Option("--sweeps", "heatbath sweeps in all", whole(0), 100, "N"),
        Option("--overrelaxation", "overrelaxation sweeps after each of them", whole(0), 4, "N"),
        replace(START, default="hot"),
        Option("--checkpoint", "also write the files after every N sweeps", whole(1), value="N"),
        Option("--continue", "go on from the files of an earlier, shorter run", is_flag=True),
        RANKS,
        GRID,
        TRANSPORT,
        Option(
            "--output",
            "the configuration",
            output_name,
            value="FILE",
            short="-o",
            is_required=True,
        ),
        Option("--format", "of the configuration", default="nersc", choices=("nersc", "ildg")),
        JSON,
        VERBOSE,
    ),
    notes=(
        "The same seed gives the same links on any number of ranks. FILE.json beside the\n"
        "configuration says how it was made; --continue reads it."
    ),
    examples=("onehop generate --lattice 8 8 8 16 --beta 6.0 --ranks 2 -o b6.0.nersc",),
)
