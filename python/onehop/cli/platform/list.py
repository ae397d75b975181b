"""The options of `onehop platform list`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command

COMMAND = Command(
    "list",
    [shared.JSON()],
    usage="[--json FILE]",
    examples=("onehop platform list",),
)
