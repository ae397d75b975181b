"""The options of `onehop platform check`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command

COMMAND = Command(
    "check",
    [shared.PLATFORM(), shared.JSON()],
    usage="PLATFORM [--json FILE]",
    notes="Every choice of every option is tried. Exit status: 0 nothing is unusual, 1 a number "
    "asks for a second look, 2 the file is not valid, which one line says with the key.",
    examples=("onehop platform check mine.toml",),
)
