"""What solves M x = b: words for operator, numbers and solver, and the engine they stand for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core, tuning

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from onehop.gauge import Gauge

# The operators with a mass and no kappa, and no spin.
STAGGERED = ("staggered", "asqtad", "hisq")


def reach_of(dslash: str) -> int:
    """How many sites the operator of that name hops: no block may be thinner where it was cut."""
    return _core.reach(choice(_core.Dslash, "dslash", dslash))


def kappa_to_mass(kappa: float) -> float:
    """m = 1/(2 kappa) - 4."""
    return 1 / (2 * kappa) - 4


def make_engine(
    gauge: Gauge,
    *,
    dslash: str = "wilson",
    kappa: float | None = None,
    mass: float | None = None,
    csw: float | None = None,
    mu: float | None = None,
    u0: float | None = None,
    naik_epsilon: float | None = None,
    solver: str = "cg",
    tol: float = 1e-10,
    max_iter: int = 10000,
    boundary: str = "antiperiodic",
    overlap: str = "fused",
    prec: str = "double",
    recon: int = 18,
    threads: int = 1,
    rhs: int = 1,
    device: str = "host",
    share_device: bool = False,
    progress: Callable[[int, int, float], None] | None = None,
) -> _core.PropagatorSolver:
    """What solves; `onehop.solve` says what the words mean. Collective."""
    gauge.field.exchange_ghosts()
    return _core.PropagatorSolver(
        gauge.field,
        choice(_core.Dslash, "dslash", dslash),
        _mass(dslash, kappa, mass),
        choice(_core.SolverKind, "solver", solver),
        tol,
        max_iter,
        _antiperiodic(boundary),
        choice(_core.Overlap, "overlap", overlap),
        choice(_core.Precision, "precision", prec),
        recon,
        threads,
        rhs,
        progress,
        *_site_terms(dslash, csw, mu),
        1.0 if u0 is None else u0,
        choice(_core.DeviceChoice, "device", device),
        share_device,
        tuning.blocks() if device == "cuda" else {},
        naik_epsilon or 0.0,
        tuning.hops(),
    )


def choice(enum: type, what: str, name: str) -> object:
    """The value that a word stands for."""
    try:
        return getattr(enum, name.replace("-", "_"))
    except AttributeError:
        raise _core.UsageError(f"unknown {what} {name!r}") from None


def _mass(dslash: str, kappa: float | None, mass: float | None) -> float:
    if (kappa is None) == (mass is None):
        raise _core.UsageError(f"give kappa or mass, one of them; got kappa {kappa}, mass {mass}")
    if not math.isfinite(mass if kappa is None else kappa):
        raise _core.UsageError(f"a finite number is needed; got kappa {kappa}, mass {mass}")
    if kappa is None:
        return mass
    if dslash in STAGGERED:
        raise _core.UsageError("staggered quarks have a mass and no kappa; give mass")
    if not kappa > 0:
        raise _core.UsageError(f"kappa must be positive; got {kappa}")
    return kappa_to_mass(kappa)


def _site_terms(dslash: str, csw: float | None, mu: float | None) -> tuple[float, float]:
    if csw is not None and dslash != "clover":
        raise _core.UsageError(f"csw {csw} is for clover; {dslash} has no clover term")
    if mu is not None and dslash in STAGGERED:
        raise _core.UsageError(f"mu {mu} is for wilson and clover; staggered quarks take mass only")
    if csw is None:
        csw = 1.0 if dslash == "clover" else 0.0
    return csw, mu or 0.0


def _antiperiodic(boundary: str) -> bool:
    if boundary not in ("periodic", "antiperiodic"):
        raise _core.UsageError(f"unknown boundary {boundary!r}; periodic or antiperiodic")
    return boundary == "antiperiodic"


def empty_solutions(
    geometry: _core.Geometry, kind: _core.Dslash, sources: int
) -> NDArray[np.complex128]:
    """So many fields of this rank's block."""
    site = (4, 3) if _core.components(kind) == 12 else (3,)
    return np.zeros((sources, *reversed(geometry.local), *site), np.complex128)
