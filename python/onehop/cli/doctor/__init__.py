"""The options of `onehop doctor`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import option
from onehop.cli._shared.options import JSON

COMMAND = Command(
    "doctor",
    [
        option(
            "--platform",
            "Instead of this machine: numbers of a platform file, or of a shipped platform, that "
            "ask for a second look.",
            None,
            "FILE",
        ),
        JSON(),
    ],
    usage="[--platform FILE] [--json FILE]",
    notes="Exit status 1 when something that every job needs is missing.",
    examples=("onehop doctor", "onehop doctor --platform mine.toml"),
)
