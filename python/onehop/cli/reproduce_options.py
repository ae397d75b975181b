"""The option table of `onehop reproduce`."""

from __future__ import annotations

from onehop.cli.options import Command, Option
from onehop.cli.shared_options import JSON

REPRODUCE = Command(
    "reproduce",
    "Published figures of five interconnects against the machines described in platform files.",
    "reproduce [ID ...|--system NAME] [--list|--calibrate|--sensitivity] [--json FILE]",
    (
        Option(
            "ID", "figures (as P-V1) or experiments (as tca_pingpong); default all", is_list=True
        ),
        Option("--list", "what there is, without computing it", is_flag=True),
        Option("--system", "only the figures of one system", value="NAME"),
        JSON,
        Option("--plot", "draw every curve beside the published points", value="FOLDER"),
        Option(
            "--calibrate",
            "fit the numbers in state fitted to the calibration figures and write them to the"
            " platform files first",
            is_flag=True,
        ),
        Option(
            "--sensitivity",
            "instead of verdicts: which validation figures move by more than a quarter of their"
            " tolerance when a number in state assumed is halved or doubled",
            is_flag=True,
        ),
    ),
    notes=(
        "Parameters are fitted to calibration figures only. Exit status 1 when a validation\n"
        "figure is missed. Figures of applications that are not here are listed as not built."
    ),
    examples=(
        "onehop reproduce --system tca_peach2",
        "onehop reproduce Q-V1 Q-V3 --json -",
        "onehop reproduce --plot figures",
        "onehop reproduce --sensitivity P-V8",
    ),
)
