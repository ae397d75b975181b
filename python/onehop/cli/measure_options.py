"""The option table of `onehop measure`, and the smearing that it takes."""

from __future__ import annotations

import dataclasses

from onehop.cli import shared_options as shared
from onehop.cli.meson_options import HDF5
from onehop.cli.options import Command, Option
from onehop.cli.values import file_name, output_name, positive, real, whole


@dataclasses.dataclass(frozen=True)
class Smearing:
    kind: str
    parameters: tuple[float, ...]
    times: int


def parse_smearing(text: str) -> Smearing:
    """'ape:0.6x10', 'stout:0.1x20', 'hypx3' or 'hyp:0.75,0.6,0.3x3'; raises ValueError."""
    what, _, times = text.partition("x")
    kind, _, listed = what.partition(":")
    try:
        parameters = tuple(real(p) for p in listed.split(",")) if listed else ()
        smearing = Smearing(kind, parameters, whole(1)(times) if times else 1)
    except ValueError as error:
        raise ValueError(f"{error}, as in ape:0.6x10, stout:0.1x20 or hypx3") from None
    if len(parameters) not in {"ape": (1,), "stout": (1,), "hyp": (0, 3)}.get(kind, ()):
        raise ValueError("one of ape:ALPHA, stout:RHO, hyp and hyp:A1,A2,A3 is needed, then xN")
    return smearing


def _smearing(text: str) -> str:
    parse_smearing(text)
    return text


MEASURE = Command(
    "measure",
    "Plaquette, rectangle, Polyakov loops and charge of a configuration, smeared or flowed.",
    "measure CONFIG [--smear KIND] [--flow T] [options]",
    (
        Option("CONFIG", "a gauge configuration", file_name, is_required=True),
        Option(
            "--smear",
            "smear first, N times over: APE, stout, or HYP (default 0.75,0.6,0.3)",
            _smearing,
            value="ape:ALPHA[xN]|stout:RHO[xN]|hyp[:A1,A2,A3][xN]",
        ),
        Option("--spatial", "smear links in x, y, z by staples in x, y, z only", is_flag=True),
        Option("--flow", "then follow the Wilson flow to this time", positive, value="T"),
        Option("--step", "of the flow's integration", positive, 0.02, "EPS", unit="t"),
        Option("--every", "measure after every N steps of the flow", whole(1), 5, "N"),
        shared.RANKS,
        shared.GRID,
        shared.TRANSPORT,
        Option(
            "--output", "write the smoothed configuration", output_name, value="FILE", short="-o"
        ),
        Option("--format", "of that", default="nersc", choices=("nersc", "ildg")),
        shared.JSON,
        HDF5,
        Option("--plot", "draw t^2 E and the charge over t", output_name, value="FILE"),
        shared.VERBOSE,
    ),
    notes=(
        "Definitions: include/onehop/gauge_observables.hpp and smearing.hpp. With --flow also the\n"
        "scales t0 and w0, whether or not it gets there. Exit status 1 when links have left SU(3)."
    ),
    examples=(
        "onehop measure b6.0.nersc --flow 4 --plot flow.png",
        "onehop measure b6.0.nersc --smear stout:0.1x20 -o smooth.nersc",
    ),
)
