"""The options of `onehop generate`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import flag, option
from onehop.cli._shared.values import MOST_SEED, POSITIVE, File, Whole

COMMAND = Command(
    "generate",
    [
        shared.LATTICE(required=True),
        option("--beta", "Coupling of the Wilson gauge action.", POSITIVE, "B", required=True),
        option("--seed", "Seed of the random numbers.", Whole(0, MOST_SEED), "S", default=1),
        option("--sweeps", "Heatbath sweeps in all.", Whole(0), default=100),
        option(
            "--overrelaxation",
            "Overrelaxation sweeps per heatbath sweep.",
            Whole(0),
            default=4,
        ),
        shared.START(default="hot"),
        option("--checkpoint", "Also write the files after every N sweeps.", Whole(1)),
        flag("--continue", "Continue from the files of an earlier, shorter run."),
        shared.FORCE(help="Replace the files of another run."),
        shared.RANKS(),
        shared.GRID(),
        shared.TRANSPORT(),
        shared.OUT(
            required=True,
            help="File for the configuration.",
            type=File(is_output=True, replaces="own"),
        ),
        shared.FORMAT(),
        shared.JSON(),
        shared.VERBOSE(),
    ],
    usage="--lattice X Y Z T --beta B [options] -o FILE",
    notes="The same seed gives the same links on any number of ranks. FILE.json beside the "
    "configuration says how it was made; --continue reads it.",
    examples=("onehop generate --lattice 8 8 8 16 --beta 6.0 --ranks 2 -o b6.0.nersc",),
)
