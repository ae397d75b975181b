"""The options of `onehop doctor`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.options import JSON

COMMAND = Command(
    "doctor",
    [JSON()],
    usage="[--json FILE]",
    notes="Exit status 1 if something is missing that every job needs.",
    examples=("onehop doctor",),
)
