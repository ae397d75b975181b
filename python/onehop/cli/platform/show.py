"""The options of `onehop platform show`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command

COMMAND = Command(
    "show",
    [
        shared.PLATFORM(),
        shared.PLATFORM_SET(),
        shared.PLOT(help="The machine as a picture, png, pdf or svg."),
        shared.JSON(help="Write every number with its source; - is standard output."),
    ],
    usage="PLATFORM [--platform-set KEY=VALUE] [--plot FILE] [--json FILE]",
    examples=(
        "onehop platform show qpace",
        "onehop platform show apenet-v4 --platform-set p2p=off --plot apenet.svg",
    ),
)
