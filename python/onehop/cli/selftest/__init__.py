"""The options of `onehop selftest`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.options import JSON, RANKS

COMMAND = Command(
    "selftest",
    [RANKS(help="Test with this number of ranks only."), JSON()],
    usage="[--ranks N] [--json FILE]",
)
