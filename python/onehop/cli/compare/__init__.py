"""The options of `onehop compare`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import INPUT, POSITIVE

COMMAND = Command(
    "compare",
    [
        argument("OLD", "The earlier record.", INPUT),
        argument("NEW", "The later record, which is compared with OLD.", INPUT),
        option(
            "--tolerance", "Changes below this many percent are SAME.", POSITIVE, "P", default=10.0
        ),
        shared.JSON(),
    ],
    usage="OLD NEW [options]",
    notes="Takes records of the message patterns of bench; those of bench dslash and bench solve "
    "are refused. Exit status 1 if a cell is SLOW.",
    examples=("onehop compare main.json branch.json",),
)
