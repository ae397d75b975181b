"""Contracts propagators to two-point functions of mesons."""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop.argument import Made, checked, checked_int
from onehop.collectives import agree
from onehop.gauge import Gauge, checked_gauge
from onehop.propagator import Propagator, effective_mass

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# By number a + 2b + 4c + 8d of g_x^a g_y^b g_z^c g_t^d, these are the usual name and what it
# couples to.
WILSON = (
    ("1", "scalar 0++"),
    ("gx", "vector 1--"),
    ("gy", "vector 1--"),
    ("gx gy", "tensor 1+-"),
    ("gz", "vector 1--"),
    ("gx gz", "tensor 1+-"),
    ("gy gz", "tensor 1+-"),
    ("gt g5", "pseudoscalar 0-+"),
    ("gt", "charge 0+-"),
    ("gx gt", "vector 1--"),
    ("gy gt", "vector 1--"),
    ("gz g5", "axial vector 1++"),
    ("gz gt", "vector 1--"),
    ("gy g5", "axial vector 1++"),
    ("gx g5", "axial vector 1++"),
    ("g5", "pseudoscalar 0-+"),
)
# By corner n_x + 2 n_y + 4 n_z, these are spin x taste of the state and of the partner that
# alternates in t.
STAGGERED = (
    ("000", "g5 x xi5"),
    ("100", "gx x xix, gy gz x xiy xiz"),
    ("010", "gy x xiy, gx gz x xix xiz"),
    ("110", "gz gt x xiz xit, gz g5 x xiz xi5"),
    ("001", "gz x xiz, gx gy x xix xiy"),
    ("101", "gy gt x xiy xit, gy g5 x xiy xi5"),
    ("011", "gx gt x xix xit, gx g5 x xix xi5"),
    ("111", "gt g5 x xit xi5, 1 x 1"),
)


@dataclasses.dataclass(frozen=True)
class Mesons(Made):
    """Connected two-point functions, t counted from the source; defined in onehop/meson.hpp.

    momenta      (P, 3), n with p_i = 2 pi n_i / L_i
    correlators  complex128 (structure, P, Nt): 16 gamma structures, or 8 corners for staggered
    structures   (name, what it couples to) of each

    >>> quark = onehop.solve(gauge, kappa=0.12)
    >>> mesons = onehop.meson_correlators(gauge, quark, momenta=[(0, 0, 0), (0, 0, 1)])
    >>> mesons.correlators.shape                            # structure, momentum, t
    (16, 2, 8)
    >>> rho = mesons.of("gx", (0, 0, 1)).real
    >>> len(list(mesons))                                   # (name, momentum, correlator) of all
    32
    """

    momenta: list[tuple[int, int, int]]
    correlators: NDArray[np.complex128]
    structures: tuple[tuple[str, str], ...]

    def __iter__(self) -> Iterator[tuple[str, tuple[int, int, int], NDArray[np.complex128]]]:
        """Yields (name, momentum, correlator) of all."""
        for (name, _), by_momentum in zip(self.structures, self.correlators, strict=True):
            for momentum, correlator in zip(self.momenta, by_momentum, strict=True):
                yield name, momentum, correlator

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.structures)
        return f"<Mesons of shape {self.correlators.shape}, structure, momentum, t: {names}>"

    def of(self, name: str, momentum: Sequence[int] = (0, 0, 0)) -> NDArray[np.complex128]:
        """Returns one correlator (Nt,), as of("g5") or of("gx", (0, 0, 1))."""
        for found, p, correlator in self:
            if found == name and p == tuple(momentum):
                return correlator
        known = ", ".join(name for name, _ in self.structures)
        raise _core.UsageError(
            f"no correlator {name!r} at momentum {tuple(momentum)}; structures: {known}; "
            f"momenta: {self.momenta}"
        )

    def plot(
        self,
        *names: str,
        momentum: Sequence[int] = (0, 0, 0),
        axes: Sequence[Axes] | None = None,
    ) -> Sequence[Axes]:
        """Draws |C(t)| of these structures, by default the pseudoscalar, above their effective
        masses, on two axes or a new figure of pyplot, and returns the axes. Open points are below
        zero. Raises UsageError for unknown names, and where there is no matplotlib."""
        from onehop.correlator_plot import Curve, axes_of_pyplot, draw_correlators

        pseudoscalar = "g5" if self.structures == WILSON else "000"
        found = {name: self.of(name, momentum).real for name in names or (pseudoscalar,)}
        axes = axes_of_pyplot("Mesons.plot", axes)
        curves = [Curve(one, effective_mass(one), name) for name, one in found.items()]
        draw_correlators(*axes, curves)
        return axes


# Within this square lie some four million momenta, more than anybody needs.
_LARGEST_SQUARE = 10_000


def momenta_up_to(squared: int) -> list[tuple[int, int, int]]:
    """Returns all n with n_x^2 + n_y^2 + n_z^2 <= `squared`, smallest first; raises UsageError
    unless `squared` is a whole number from 0 to 10000.

    >>> onehop.momenta_up_to(1)
    [(0, 0, 0), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    checked_int(squared, "the largest squared momentum", 0, _LARGEST_SQUARE)
    most = int(squared**0.5)
    cube = itertools.product(range(-most, most + 1), repeat=3)
    inside = [n for n in cube if sum(k * k for k in n) <= squared]
    return sorted(inside, key=lambda n: (sum(k * k for k in n), n))


def checked_momenta(momenta: Sequence[Sequence[int]]) -> list[tuple[int, int, int]]:
    """Returns whole numbers, three each; raises UsageError for others."""
    try:
        wanted = [tuple(operator.index(k) for k in n) for n in momenta]
    except TypeError:
        wanted = [()]
    if any(len(n) != 3 for n in wanted):
        raise _core.UsageError(
            f"momenta {momenta!r}: give a list of them, each of three whole numbers n_x, n_y, n_z, "
            "as [(0, 0, 0)]"
        )
    return [tuple(checked_int(k, "a momentum") for k in n) for n in wanted]


def meson_correlators(
    gauge: Gauge,
    quark: Propagator,
    momenta: Sequence[Sequence[int]] = ((0, 0, 0),),
    *,
    antiquark: Propagator | None = None,
) -> Mesons:
    """Contracts point or wall propagators that were kept; collective, with the same result on every
    rank.

    `antiquark` is the propagator of the other quark, by default the same one: for a light and a
    strange quark, `of("g5")` is a kaon. Both must be of the same kind (both Wilson or clover, or
    both staggered), source and boundary condition; otherwise UsageError is raised. With a twisted
    mass, the propagator of -mu gives the antiquark of flavour mu.

    >>> light, strange = (onehop.solve(gauge, kappa=k) for k in (0.13, 0.12))
    >>> kaon = onehop.meson_correlators(gauge, light, antiquark=strange).of("g5")
    >>> kaon.shape
    (8,)
    """
    checked_gauge(gauge, "meson_correlators")
    antiquark = quark if antiquark is None else antiquark
    for one in (quark, antiquark):
        _check(one)
    check_one_origin("meson", quark, antiquark)
    if quark.operator.components != antiquark.operator.components:
        raise _core.UsageError(
            f"the quarks of a meson have one kind of spinor, not those of {quark.operator.dslash} "
            f"and {antiquark.operator.dslash}"
        )
    wanted = checked_momenta(momenta)
    agree(gauge.context, "meson_correlators", momenta=wanted)
    site = list(quark.source.site)
    fields = (quark.propagator, antiquark.propagator)
    correlators = _core.meson_correlators(gauge.geometry, site, *fields, wanted)
    return Mesons(wanted, correlators, WILSON if len(correlators) == 16 else STAGGERED)


def check_one_origin(hadron: str, *quarks: Propagator) -> None:
    """Raises UsageError for quarks of different sources or boundary conditions."""
    origins = [f"{quark.source}, {quark.options.boundary}" for quark in quarks]
    if origins[0] != origins[1]:
        raise _core.UsageError(
            f"the quarks of a {hadron} start from one source with one boundary condition, not from "
            f"{' and '.join(origins)}"
        )


def _check(quark: Propagator) -> None:
    checked(quark, Propagator, "a quark of a meson", "the result of onehop.solve()")
    if quark.propagator is None:
        raise _core.UsageError("mesons need the propagator; solve with keep=True")
    if quark.shift is not None:
        raise _core.UsageError("mesons need a propagator of M, not of M^+ M + shift")
    if not quark.source.has_mesons:
        raise _core.UsageError(
            f"mesons need every spin and colour of a point or wall, not source {quark.source}"
        )
