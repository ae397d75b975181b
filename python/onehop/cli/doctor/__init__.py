"""The options of `onehop doctor`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.options import JSON

COMMAND = Command(
    "doctor",
    [JSON()],
    usage="[--json FILE]",
    notes="Exit status 1 when something that every job needs is missing.",
    examples=("onehop doctor",),
)
