"""Options that say which Dirac operator, and what of them does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.cli.options import Option, positive, real
from onehop.propagator import STAGGERED

if TYPE_CHECKING:
    import types

DSLASH = Option(
    "--dslash",
    "the operator",
    default="wilson",
    choices=("wilson", "clover", "staggered"),
)
QUARK = (
    DSLASH,
    Option("--kappa", "hopping parameter 1/(2(4+m)), not for staggered", positive, value="K"),
    Option("--mass", "quark mass", real, value="M", unit="lattice units"),
    Option("--csw", "coefficient of the clover term (default 1, its tree level)", real, value="C"),
    Option(
        "--mu",
        "twisted mass: + i mu gamma_5, the flavour tau_3 = +1; for wilson and clover (default 0)",
        real,
        value="MU",
    ),
)


def check(options: types.SimpleNamespace) -> None:
    """Refuses what does not fit together, and fills in csw and mu."""
    staggered = options.dslash in STAGGERED
    if options.kappa is not None and options.mass is not None:
        raise UsageError(
            f"--kappa {options.kappa} and --mass {options.mass} both given; give one of them"
        )
    if staggered:
        if options.kappa is not None:
            raise UsageError("--kappa is for wilson and clover; staggered quarks take --mass")
        if options.solver == "bicgstab":
            raise UsageError("--solver bicgstab is for wilson and clover; staggered quarks take cg")
        if options.mu is not None:
            raise UsageError(
                f"--mu {options.mu:g} is for wilson and clover; staggered quarks take --mass only"
            )
    if options.csw is not None and options.dslash != "clover":
        raise UsageError(
            f"--csw {options.csw:g} is for --dslash clover; {options.dslash} has no clover term"
        )
    if options.kappa is None and options.mass is None:
        raise UsageError(
            f"the quark mass is missing; give {'--mass' if staggered else '--kappa or --mass'}"
        )
    if options.dslash == "clover" and options.csw is None:
        options.csw = 1.0
    if not staggered and options.mu is None:
        options.mu = 0.0
