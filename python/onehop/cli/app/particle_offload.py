"""The options of `onehop app particle-offload`."""

from onehop.cli._shared.option import option
from onehop.cli._shared.values import Whole
from onehop.cli.app.application import application

COMMAND = application(
    "particle-offload",
    [
        option(
            "--chunk",
            "Particles of a chunk, which travel together, 48 bytes each.",
            Whole(1),
            default=1000000,
        ),
        option("--chunks", "Number of chunks; a multiple of --buffers.", Whole(1), default=6),
        option(
            "--buffers",
            "Chunks that the worker has room for: with three, one arrives and one leaves while "
            "the third is pushed.",
            Whole(1),
            default=3,
        ),
        option("--steps", "How often each chunk is pushed.", Whole(1), default=3),
    ],
    plot="when each chunk is pushed, buffer by buffer",
    usage="[options]",
    notes="Rank 0 keeps test particles in a magnetic field, and rank 1 pushes them. A buffer "
    "takes its next chunk once the previous one has left. The steady time is from the end "
    "of one push to the end of the next. The check: every particle ends where the same "
    "pushes without transfers bring it, bit for bit.",
    examples=(
        "onehop app particle-offload --plot pushes.png",
        "onehop app particle-offload --transport virtual:quong --memory device "
        "--platform-set variant=offload,gpu.code=jasmine --buffers 1",
    ),
)
