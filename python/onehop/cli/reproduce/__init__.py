"""The options of `onehop reproduce`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.options import JSON, VERBOSE
from onehop.cli._shared.values import POSITIVE

COMMAND = Command(
    "reproduce",
    [
        argument(
            "ID", "Figures (as P-V1) or experiments (as tca_pingpong); all without one.", nargs=-1
        ),
        flag("--list", "What there is, without computing it."),
        flag(
            "--show",
            "Print the commands of the figures, run each as typed, and compare with what was "
            "published.",
        ),
        flag("--history", "The score of all figures beside those of earlier states."),
        option("--system", "Only the figures of one system.", None, "NAME"),
        JSON(),
        option("--plot", "Draw every curve beside the published points.", None, "FOLDER"),
        flag(
            "--calibrate",
            "Fit the numbers in state fitted to the calibration figures and write them to the "
            "platform files first.",
        ),
        flag(
            "--sensitivity",
            "Instead of verdicts: which validation figures move by more than a quarter of "
            "their tolerance when a number that no source prints is halved or doubled.",
        ),
        option(
            "--max-time",
            "Of --sensitivity: stop after so many seconds, and say how much is left.",
            POSITIVE,
            "S",
        ),
        option(
            "--keep",
            "Of --sensitivity: keep what the commands give in this file, from which a later run "
            "goes on while platforms and onehop stay as they are.",
            None,
            "FILE",
        ),
        VERBOSE(),
    ],
    usage="[ID ...|--system NAME] [--list|--show|--history|--calibrate|--sensitivity] "
    "[--json FILE]",
    notes="Every figure is what its commands give, as a user types them. Parameters are fitted to "
    "calibration figures only. All of them take minutes; --list says what there is. Exit status 1 "
    "when a validation figure is missed.",
    examples=(
        "onehop reproduce --system tca_peach2",
        "onehop reproduce Q-V1 --show",
        "onehop reproduce Q-V1 Q-V3 --json -",
        "onehop reproduce --plot figures",
        "onehop reproduce --sensitivity P-V8",
        "onehop reproduce --sensitivity --keep answers.jsonl --max-time 600",
    ),
)
