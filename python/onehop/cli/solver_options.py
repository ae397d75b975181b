"""How `onehop solve` solves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.cli.options import Option
from onehop.cli.shared_options import PRECISION, RECON
from onehop.cli.values import positive, real, whole
from onehop.engine import STAGGERED
from onehop.propagator import MOST_IN_BLOCK, MOST_TOGETHER

if TYPE_CHECKING:
    import types


def numbers(text: str) -> list[float]:
    """'0.01,0.02', none below 0."""
    values = [real(part) for part in text.split(",")]
    if min(values) < 0:
        raise ValueError("numbers of 0 or more are needed")
    return values


SOLVER = Option(
    "--solver",
    "the algorithm; bicgstab is for wilson and clover, pipelined-cg needs one reduction an "
    "iteration, which travels while the operator works, block-cg lets the sources of --rhs search "
    "together and so needs fewer, for staggered quarks always in the solution's numbers",
    default="cg",
    choices=("cg", "bicgstab", "pipelined-cg", "block-cg"),
)

SOLVING = (
    SOLVER,
    Option(
        "--shifts",
        "solve M^+ M + shift instead of M, for all of these at once (multi-shift CG)",
        numbers,
        value="LIST",
    ),
    Option(
        "--masses",
        "of staggered quarks, instead of --mass: all at once (multi-shift CG)",
        numbers,
        value="LIST",
    ),
    PRECISION,
    RECON,
    Option(
        "--rhs",
        "sources solved together, which share links, faces and reductions and change no bit but "
        f"with block-cg (default {MOST_TOGETHER}, or what onehop tune dslash found; of block-cg "
        f"{MOST_IN_BLOCK}, or all where there are fewer)",
        whole(1),
        value="N",
    ),
    Option("--tol", "goal for |b - M x| / |b|", positive, 1e-10, "T"),
    Option("--max-iter", "give up a source after so many iterations", whole(1), 10000, "N"),
)


def check_several(options: types.SimpleNamespace) -> None:
    """--shifts and --masses, with which --mass becomes the smallest."""
    given = [name for name in ("shifts", "masses") if getattr(options, name) is not None]
    if not given:
        return
    if len(given) == 2:
        raise UsageError("--shifts and --masses both given; give one of them")
    if options.solver != "cg":
        raise UsageError(f"--{given[0]} are solved by multi-shift CG; leave --solver at cg")
    for name in ("rhs", "out", "plot"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is for one system; leave it or --{given[0]} out")
    if options.mesons:
        raise UsageError(f"--mesons are of one propagator; leave them or --{given[0]} out")
    if options.masses is None:
        return
    if options.dslash not in STAGGERED:
        raise UsageError(
            "--masses are for staggered quarks, whose M^+ M depends on the mass by a shift; solve "
            "one --mass after the other"
        )
    if options.mass is not None:
        raise UsageError("--mass and --masses both given; give one of them")
    if min(options.masses) == 0:
        raise UsageError("--masses need numbers above 0")
    options.mass = min(options.masses)
