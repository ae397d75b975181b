"""The options of `onehop reproduce`."""

from __future__ import annotations

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.options import JSON

COMMAND = Command(
    "reproduce",
    [
        argument(
            "ID", "Figures (as P-V1) or experiments (as tca_pingpong); all without one.", nargs=-1
        ),
        flag("--list", "What there is, without computing it."),
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
            "their tolerance when a number in state assumed is halved or doubled.",
        ),
    ],
    usage="[ID ...|--system NAME] [--list|--calibrate|--sensitivity] [--json FILE]",
    notes="Parameters are fitted to calibration figures only. Exit status 1 when a validation "
    "figure is missed.",
    examples=(
        "onehop reproduce --system tca_peach2",
        "onehop reproduce Q-V1 Q-V3 --json -",
        "onehop reproduce --plot figures",
        "onehop reproduce --sensitivity P-V8",
    ),
)
