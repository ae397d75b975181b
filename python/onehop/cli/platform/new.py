"""The options of `onehop platform new`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.netsim.template import TOPOLOGIES

COMMAND = Command(
    "new",
    [
        argument("NAME", "What the machine is called: letters, digits, dots and dashes."),
        shared.OUT(help="The new file, which must not be there yet (default: standard output)."),
        option(
            "--topology",
            "How its nodes are connected (default: torus).",
            tuple(TOPOLOGIES),
        ),
        option("--like", "Start from all numbers of this machine instead.", None, "PLATFORM"),
    ],
    usage="NAME [-o FILE] [--topology TOPOLOGY | --like PLATFORM]",
    notes="Its numbers are assumed: put your own in their place, each with its source and state.",
    examples=(
        "onehop platform new mine -o mine.toml",
        "onehop platform new mine --topology fat-tree -o mine.toml",
        "onehop platform new faster-tca --like tca-peach2 -o faster-tca.toml",
    ),
)
