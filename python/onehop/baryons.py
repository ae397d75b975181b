"""Two-point functions of baryons from propagators."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onehop import _core
from onehop.argument import Made, checked, checked_correlator
from onehop.collectives import agree
from onehop.gauge import Gauge, checked_gauge
from onehop.mesons import check_one_origin, checked_momenta
from onehop.propagator import Propagator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = ("proton", "delta")
PARITIES = (1, -1)


@dataclasses.dataclass(frozen=True)
class Baryons(Made):
    """Two-point functions of baryons, t counted from the source; defined in onehop/baryon.hpp.

    momenta      (P, 3), n with p_i = 2 pi n_i / L_i
    correlators  complex128 (2, 2, P, Nt): proton and delta, tr[(1 + g_t)/2 C] and
                 tr[(1 - g_t)/2 C], the delta's on spin 3/2 at rest

    >>> baryons = onehop.baryon_correlators(gauge, onehop.solve(gauge, kappa=0.12))
    >>> baryons.correlators.shape                           # baryon, parity, momentum, t
    (2, 2, 1, 8)
    >>> delta = baryons.of("delta", parity=1)
    """

    momenta: list[tuple[int, int, int]]
    correlators: NDArray[np.complex128]

    def __iter__(self) -> Iterator[tuple[str, int, tuple[int, int, int], NDArray[np.complex128]]]:
        """Yields (name, parity, momentum, correlator) of all."""
        for name, by_parity in zip(NAMES, self.correlators, strict=True):
            for parity, by_momentum in zip(PARITIES, by_parity, strict=True):
                for momentum, correlator in zip(self.momenta, by_momentum, strict=True):
                    yield name, parity, momentum, correlator

    def __repr__(self) -> str:
        shape = self.correlators.shape
        return f"<Baryons of shape {shape}, baryon, parity, momentum, t: {', '.join(NAMES)}>"

    def of(
        self, name: str, momentum: Sequence[int] = (0, 0, 0), *, parity: int = 1
    ) -> NDArray[np.complex128]:
        """Returns one correlator (Nt,), as of("proton") or of("delta", (0, 0, 1), parity=-1)."""
        wanted = (name, parity, tuple(momentum))
        for *found, correlator in self:
            if tuple(found) == wanted:
                return correlator
        raise _core.UsageError(
            f"no correlator {name!r} of parity {parity} at momentum {tuple(momentum)}; baryons: "
            f"{', '.join(NAMES)}; parities: 1, -1; momenta: {self.momenta}"
        )

    def plot(
        self,
        *names: str,
        momentum: Sequence[int] = (0, 0, 0),
        parity: int = 1,
        axes: Sequence[Axes] | None = None,
    ) -> Sequence[Axes]:
        """Draws |C(t)| of proton and delta, or of one of them, above `log_effective_mass`, on two
        axes or a new figure of pyplot, and returns the axes. Open points are below zero. Raises
        UsageError for unknown names, and where there is no matplotlib."""
        from onehop.correlator_plot import Curve, axes_of_pyplot, draw_correlators

        found = {name: self.of(name, momentum, parity=parity).real for name in names or NAMES}
        axes = axes_of_pyplot("Baryons.plot", axes)
        curves = [Curve(one, log_effective_mass(one), name) for name, one in found.items()]
        draw_correlators(*axes, curves)
        return axes


def baryon_correlators(
    gauge: Gauge,
    twice: Propagator,
    once: Propagator | None = None,
    momenta: Sequence[Sequence[int]] = ((0, 0, 0),),
) -> Baryons:
    """Contracts point or wall propagators that were kept into proton and Delta; collective, the
    same on every rank.

    `twice` is the propagator of the quark that occurs twice (u in the proton uud), `once` that of
    the other quark, by default the same one: with a strange quark as `once` the baryons are Sigma+
    and Sigma*+, with a strange quark as `twice` Xi0 and Xi*0. The propagators must be of Wilson or
    clover quarks without a twisted mass, with all spins and colours. Raises UsageError for others,
    and for two propagators of different sources or boundaries.

    >>> quark = onehop.solve(gauge, kappa=0.12)
    >>> proton = onehop.baryon_correlators(gauge, quark).of("proton")
    >>> onehop.log_effective_mass(proton.real).shape
    (8,)
    """
    once = twice if once is None else once
    checked_gauge(gauge, "baryon_correlators")
    for quark in (twice, once):
        _check(quark)
    check_one_origin("baryon", twice, once)
    wanted = checked_momenta(momenta)
    agree(gauge.context, "baryon_correlators", momenta=wanted)
    site, antiperiodic = list(twice.source.site), twice.options.boundary == "antiperiodic"
    fields = (twice.propagator, once.propagator)
    found = _core.baryon_correlators(gauge.geometry, site, antiperiodic, *fields, wanted)
    return Baryons(wanted, found.reshape(2, 2, *found.shape[1:]))


def _check(quark: Propagator) -> None:
    checked(quark, Propagator, "a quark of a baryon", "the result of onehop.solve()")
    if quark.propagator is None:
        raise _core.UsageError("baryons need the propagator; solve with keep=True")
    why_not = whether_baryons(quark.operator, quark.source)
    if quark.shift is not None:
        why_not = "of M, not of M^+ M + shift"
    if why_not:
        raise _core.UsageError(f"baryons need a propagator {why_not}")


def whether_baryons(operator: object, source: object) -> str | None:
    """Returns None if baryons can be made of these quarks, otherwise a text about the quarks
    that are needed."""
    if operator.components != 12:
        return f"of wilson or clover quarks, not {operator.dslash}"
    if operator.mu:
        return "without twisted mass: parity and spin are no longer those of the interpolators"
    if not source.has_mesons:
        return f"of every spin and colour of a point or wall, not of source {source}"
    return None


def log_effective_mass(correlator: ArrayLike) -> NDArray[np.float64]:
    """Returns log(C(t) / C(t+1)), float64 (Nt,), for a state that travels forward in time alone, as
    baryons of one parity do. NaN where the ratio is not positive and at the last t.

    >>> np.round(onehop.log_effective_mass(np.exp(-0.5 * np.arange(4))), 3)
    array([0.5, 0.5, 0.5, nan])
    """
    c = checked_correlator(correlator)
    masses = np.full(len(c), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = c[:-1] / c[1:]
        masses[:-1] = np.log(np.where((ratio > 0) & np.isfinite(ratio), ratio, np.nan))
    return masses
