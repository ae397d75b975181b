"""Options that say which Dirac operator, and what of them does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import _core
from onehop._core import UsageError
from onehop.cli.options import Option
from onehop.cli.values import positive, real
from onehop.engine import STAGGERED, reach_of

if TYPE_CHECKING:
    import types

DSLASH = Option(
    "--dslash",
    "the operator; asqtad and hisq hop along fat and three-hop (Naik) links made of those given",
    default="wilson",
    choices=("wilson", "clover", "staggered", "asqtad", "hisq"),
)


def _epsilon(text: str) -> float | str:
    return text if text == "tree" else real(text)


CSW = Option("--csw", "coefficient of the clover term (default 1, its tree level)", real, value="C")
MU = Option(
    "--mu",
    "twisted mass: + i mu gamma_5, the flavour tau_3 = +1; for wilson and clover (default 0)",
    real,
    value="MU",
)
QUARK = (
    DSLASH,
    Option("--kappa", "hopping parameter 1/(2(4+m)), not for staggered", positive, value="K"),
    Option("--mass", "quark mass", real, value="M", unit="lattice units"),
    CSW,
    MU,
    Option(
        "--u0",
        "tadpole factor of asqtad: a path of n links is divided by u0^(n-1) (default 1)",
        positive,
        value="U0",
    ),
    Option(
        "--naik-epsilon",
        "of hisq: the Naik term is taken 1 + E times, for heavy quarks; tree: as the free quark of "
        "--mass needs (default 0)",
        _epsilon,
        value="E|tree",
    ),
)


def check(options: types.SimpleNamespace) -> None:
    """Refuses what does not fit together, and fills in csw, mu, u0 and the Naik epsilon."""
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
    check_site_terms(options)
    if options.u0 is not None and options.dslash != "asqtad":
        raise UsageError(
            f"--u0 {options.u0:g} is for --dslash asqtad; {options.dslash} has no tadpole factor"
        )
    if options.naik_epsilon is not None and options.dslash != "hisq":
        raise UsageError(
            f"--naik-epsilon {options.naik_epsilon} is for --dslash hisq; {options.dslash} has none"
        )
    if reach_of(options.dslash) > 1 and options.recon != "18":
        raise UsageError(f"--recon {options.recon} is for links in SU(3); fat links take 18")
    if options.kappa is None and options.mass is None:
        raise UsageError(
            f"the quark mass is missing; give {'--mass' if staggered else '--kappa or --mass'}"
        )
    if options.dslash == "asqtad" and options.u0 is None:
        options.u0 = 1.0
    if options.dslash == "hisq":
        _settle_epsilon(options)


def _settle_epsilon(options: types.SimpleNamespace) -> None:
    if options.naik_epsilon != "tree":
        options.naik_epsilon = options.naik_epsilon or 0.0
    elif getattr(options, "masses", None) is not None:
        raise UsageError(
            "--naik-epsilon tree is of one --mass; give a number, which holds for all --masses"
        )
    else:
        options.naik_epsilon = _core.tree_level_naik_epsilon(options.mass)


def check_site_terms(options: types.SimpleNamespace) -> None:
    """Refuses csw and mu where the operator has no such term, and fills in their defaults."""
    staggered = options.dslash in STAGGERED
    if options.mu is not None and staggered:
        raise UsageError(
            f"--mu {options.mu:g} is for wilson and clover; staggered quarks take --mass only"
        )
    if options.csw is not None and options.dslash != "clover":
        raise UsageError(
            f"--csw {options.csw:g} is for --dslash clover; {options.dslash} has no clover term"
        )
    if options.dslash == "clover" and options.csw is None:
        options.csw = 1.0
    if not staggered and options.mu is None:
        options.mu = 0.0
