"""The options of `onehop report`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import INPUT

COMMAND = Command(
    "report",
    [
        argument(
            "RESULTS",
            "Records of bench, solve, scale or simulate traffic (JSON).",
            INPUT,
            nargs=-1,
            required=True,
        ),
        shared.OUT(required=True, help="The page."),
        option("--title", "Title of the page.", None, "TEXT", default="onehop report"),
    ],
    usage="RESULTS ... -o FILE",
    notes="The page loads nothing from elsewhere and can be printed.",
    examples=("onehop report latency.json halo.json solve.json -o report.html",),
)
