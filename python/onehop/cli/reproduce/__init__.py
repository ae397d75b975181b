"""The options of `onehop reproduce`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.options import JSON, VERBOSE
from onehop.cli._shared.values import POSITIVE

COMMAND = Command(
    "reproduce",
    [
        argument(
            "ID",
            "Figures (as P-V1) or experiments (as tca_pingpong); all if none is given.",
            nargs=-1,
        ),
        flag("--list", "List figures and experiments without computing them."),
        flag(
            "--show",
            "Print the commands of the figures, run them as typed, and compare with published "
            "values.",
        ),
        flag("--history", "Show the score of all figures beside earlier scores."),
        option("--system", "Only the figures of one system.", None, "NAME"),
        JSON(),
        option("--plot", "Draw every curve beside the published points.", None, "FOLDER"),
        flag(
            "--calibrate",
            "First fit the numbers marked as fitted to the calibration figures, and write them "
            "to the platform files.",
        ),
        flag(
            "--sensitivity",
            "Instead of verdicts, show which validation figures move by more than a quarter of "
            "their tolerance when a number that no source prints is halved or doubled.",
        ),
        option(
            "--max-time",
            "For --sensitivity: stop after this many seconds, and say how much is left.",
            POSITIVE,
            "S",
        ),
        option(
            "--keep",
            "For --sensitivity: keep the commands' results in this file; a later run continues "
            "from it if platforms and onehop are unchanged.",
            None,
            "FILE",
        ),
        VERBOSE(),
    ],
    usage="[ID ...|--system NAME] [--list|--show|--history|--calibrate|--sensitivity] "
    "[--json FILE]",
    notes="Every figure comes from commands that a user can type. Parameters are fitted to "
    "calibration figures only. All figures take minutes; --list shows them. Exit status 1 "
    "if a validation figure is missed.",
    examples=(
        "onehop reproduce --system tca_peach2",
        "onehop reproduce Q-V1 --show",
        "onehop reproduce Q-V1 Q-V3 --json -",
        "onehop reproduce --plot figures",
        "onehop reproduce --sensitivity P-V8",
        "onehop reproduce --sensitivity --keep answers.jsonl --max-time 600",
    ),
)
