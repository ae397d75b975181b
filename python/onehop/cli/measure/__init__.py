"""The options of `onehop measure`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.values import INPUT, KEPT_OUTPUT, POSITIVE, Choice, Parsed, Whole
from onehop.flow import parse_smearing


def _smearing(text: str) -> str:
    parse_smearing(text)
    return text


COMMAND = Command(
    "measure",
    [
        argument("CONFIG", "A gauge configuration.", INPUT),
        shared.ALLOW_NON_UNITARY(),
        option(
            "--smear",
            "Smear first, N times over: APE, stout, or HYP (default: 0.75,0.6,0.3).",
            Parsed(_smearing),
            "ape:ALPHA[xN]|stout:RHO[xN]|hyp[:A1,A2,A3][xN]",
        ),
        flag("--spatial", "Smear only links in x, y, z, with staples in x, y, z."),
        option("--flow", "Then integrate the Wilson flow to this time.", POSITIVE, "T"),
        option(
            "--step",
            "Step of the flow's integration, in t.",
            POSITIVE,
            "EPS",
            default=0.02,
            needs="--flow",
        ),
        option(
            "--every",
            "Measure after every N steps of the flow.",
            Whole(1),
            default=5,
            needs="--flow",
        ),
        option(
            "--fix",
            "Finally fix the links to a gauge, for -o; this changes no loop.",
            Choice(("landau", "coulomb")),
        ),
        option(
            "--theta",
            "Value of theta that --fix must reach (default: 1e-12).",
            POSITIVE,
            "THETA",
            needs="--fix",
        ),
        shared.RANKS(),
        shared.GRID(),
        shared.TRANSPORT(),
        shared.OUT(help="Write the smoothed configuration.", type=KEPT_OUTPUT),
        shared.FORCE(help="Replace an existing configuration.", needs="--output"),
        shared.FORMAT(needs="--output"),
        shared.JSON(),
        shared.HDF5(),
        shared.PLOT(
            help="Draw t^2 E and the charge against t, as png, pdf or svg.", needs="--flow"
        ),
        shared.VERBOSE(),
    ],
    usage="CONFIG [--smear KIND] [--flow T] [options]",
    notes="Definitions: include/onehop/gauge_observables.hpp and smearing.hpp. --flow also "
    "reports the scales t0 and w0, or that it did not reach them. Exit status 1 if links "
    "have left SU(3) or --fix has not reached --theta.",
    examples=(
        "onehop measure b6.0.nersc --flow 4 --plot flow.png",
        "onehop measure b6.0.nersc --fix coulomb -o coulomb.nersc",
        "onehop measure b6.0.nersc --smear stout:0.1x20 -o smooth.nersc",
    ),
)
