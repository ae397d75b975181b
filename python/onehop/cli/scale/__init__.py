"""The options of `onehop scale`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.lists import counts_or_range, names
from onehop.cli._shared.option import flag, option
from onehop.cli._shared.values import POSITIVE, Parsed

COMMAND = Command(
    "scale",
    [
        shared.LATTICE(required=True),
        option("--dslash", "The operator.", shared.OPERATORS, default="wilson"),
        option(
            "--platforms",
            "Names or files of platforms.",
            Parsed(names),
            "LIST",
            default="apenet-v4,apenet-v5,infiniband-qdr,ndr-h200",
        ),
        option(
            "--nodes",
            "Numbers of nodes, as 16,64 or doubling as 16:32768.",
            Parsed(counts_or_range),
            "LIST",
            default="16:32768",
        ),
        option(
            "--prec",
            "Precision of vectors and links.",
            ("double", "single", "half"),
            default="single",
        ),
        option(
            "--overlap",
            "Whether the interior is computed while faces travel.",
            ("none", "fused"),
            default="fused",
        ),
        option(
            "--node-gflops",
            "Sustained rate of a node in GFlop/s, instead of its roofline: the same on all "
            "networks.",
            POSITIVE,
            "G",
        ),
        flag(
            "--simulate",
            "Also simulate packet by packet in virtual time, on process grids without folded axes.",
        ),
        shared.PLOT(),
        shared.JSON(),
        shared.VERBOSE(),
    ],
    usage="--lattice X Y Z T [--platforms LIST] [--nodes LIST] [options]",
    notes="Computed in closed form from the platform files, on the best process grid for each "
    "number of nodes. Need and Have GB/s are per node; those of the bisection are for all "
    "nodes together. See docs/how_to/choose_a_network.md.",
    examples=(
        "onehop scale --lattice 64 64 64 128 --platforms apenet-v5,infiniband-qdr --nodes 16:4096",
        "onehop scale --lattice 48x48x48x96 --node-gflops 500 --plot scale.png",
    ),
)
