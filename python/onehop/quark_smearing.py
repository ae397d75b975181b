"""Makes smeared sources and sinks, and sequential sources."""

import dataclasses
import math
import numbers
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop.argument import Made, checked, checked_int, checked_number
from onehop.collectives import agree
from onehop.engine import field_shape
from onehop.flow import LinkSmearing, parse_smearing, smear
from onehop.gamma import gamma_structure
from onehop.gauge import Gauge, checked_gauge
from onehop.mesons import WILSON, checked_momenta
from onehop.propagator import Propagator
from onehop.source import FieldSource, Source, as_source


class QuarkSmearing(Made):
    """Gauge-covariant Gaussian (Wuppertal) smearing of quark fields in space.

    One of `steps` steps is psi(x) <- (psi(x) + kappa sum_j [U_j(x) psi(x+j) + U_j^+(x-j)
    psi(x-j)]) / (1 + 6 kappa), j = x, y, z (Guesken et al., Phys. Lett. B 227 (1989) 266); this
    kappa is not that of the quarks. On smooth links many steps tend to exp(-r^2 / (2 radius^2)),
    `radius` in lattice units. `links` says how a copy of the links of `gauge` is smeared first, in
    x, y, z by staples in x, y, z: "ape:0.5x10" or "stout:0.1x20"; None takes them as they are now.
    Making one is collective.

    >>> smearing = onehop.QuarkSmearing(gauge, kappa=0.2, steps=10, links="ape:0.5x5")
    >>> quark = onehop.solve(gauge, kappa=0.12, source=smearing.source("point:0,0,0,0"))
    >>> mesons = onehop.meson_correlators(gauge, smearing.sink(quark))
    >>> print(f"{smearing.radius:.2f} sites")
    1.35 sites
    """

    def __init__(self, gauge: Gauge, *, kappa: float, steps: int, links: str | None = None) -> None:
        checked_gauge(gauge, "QuarkSmearing")
        checked(kappa, numbers.Real, "the kappa of QuarkSmearing", "a number")
        self.kappa, self.links = float(kappa), links
        self.steps = checked_int(steps, "the number of smearing steps")
        agree(gauge.context, "QuarkSmearing", kappa=self.kappa, steps=self.steps, links=links)
        self._gauge = gauge.copy()
        self._gauge.field.exchange_ghosts()
        if links is not None:
            how = _link_smearing(links)
            smear(self._gauge, how.kind, how.parameters, how.times, spatial=True)
        # This says now what is wrong with the numbers, and not at the first source.
        none = np.empty((0, *field_shape(gauge.geometry, 3)), complex)
        _core.smear_wuppertal(self._gauge.field, self.kappa, self.steps, 3, none)

    @property
    def radius(self) -> float:
        """Width of the Gaussian that unit links give: sqrt(2 steps kappa / (1 + 6 kappa))."""
        return (2 * self.steps * self.kappa / (1 + 6 * self.kappa)) ** 0.5

    @property
    def geometry(self) -> _core.Geometry:
        return self._gauge.geometry

    def apply(self, fields: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Returns a smeared copy of this rank's blocks of one or several fields, (..., Lt, Lz, Ly,
        Lx, 4, 3), staggered (..., Lt, Lz, Ly, Lx, 3); collective. It has the same bits on every
        grid of ranks."""
        smeared = np.array(fields, np.complex128, order="C")
        for components in (12, 3):
            block = field_shape(self.geometry, components)
            if smeared.shape[-len(block) :] == block:
                count = smeared.size // (_volume(self.geometry) * components)
                agree(self.geometry.context, "smear", fields=count)
                self._smear(smeared, components)
                return smeared
        raise _core.UsageError(
            f"fields of shape {smeared.shape}: this rank's block is "
            f"{field_shape(self.geometry, 12)}, of staggered quarks "
            f"{field_shape(self.geometry, 3)}, with any axes before"
        )

    def source(self, source: Source | str | Sequence[int] = "point:0,0,0,0") -> Source:
        """Returns a smeared source for `solve`, made from a point, a wall or any other source;
        it is solved for every spin and colour if the original is."""
        return SmearedSource(as_source(source), self)

    def sink(self, quark: Propagator) -> Propagator:
        """Returns the propagator smeared at its sink, with its correlator computed again, for
        the functions that contract it; collective."""
        if quark.propagator is None:
            raise _core.UsageError("a sink is of the propagator; solve with keep=True")
        solutions = self.apply(quark.propagator)
        correlator = None
        if quark.correlator is not None:
            correlator = np.zeros_like(quark.correlator)
            components, t_source = quark.operator.components, quark.source.site[3]
            for solution in solutions:
                _core.add_pion_correlator(self.geometry, components, t_source, solution, correlator)
            if quark.source.kind == "noise-wall":
                correlator /= np.prod(self.geometry.lattice[:3])
        return dataclasses.replace(quark, propagator=solutions, correlator=correlator)

    def _smear(self, fields: NDArray[np.complex128], components: int) -> None:
        _core.smear_wuppertal(self._gauge.field, self.kappa, self.steps, components, fields)

    def __str__(self) -> str:
        on = "" if self.links is None else f" on links {self.links}"
        return f"wuppertal:{self.kappa:g}x{self.steps}{on}"

    def __repr__(self) -> str:
        return f"<QuarkSmearing {self}, radius {self.radius:.3f}>"


class SmearedSource(Source):
    """Another source, smeared."""

    def __init__(self, point: Source, smearing: QuarkSmearing) -> None:
        super().__init__(point.kind, point.site, point.seed)
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "smearing", smearing)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def has_correlator(self) -> bool:
        return self.point.has_correlator

    def count(self, components: int) -> int:
        return self.point.count(components)

    def spin_and_colour(self, number: int, components: int) -> tuple[int | None, int | None]:
        return self.point.spin_and_colour(number, components)

    def fill(self, geometry: _core.Geometry, number: int, components: int, b: np.ndarray) -> None:
        self.point.fill(geometry, number, components, b)
        self.smearing._smear(b, components)

    def normalise(self, context: _core.Context, b: np.ndarray) -> np.ndarray | None:
        return self.point.normalise(context, b)

    def check(self, geometry: _core.Geometry, components: int) -> None:
        self.point.check(geometry, components)
        own = self.smearing.geometry
        if (own.lattice, own.grid) != (geometry.lattice, geometry.grid):
            raise _core.UsageError(
                f"a source smeared on lattice {own.lattice}, grid {own.grid}, for a solve on "
                f"{geometry.lattice}, grid {geometry.grid}; smear on the links that are solved on"
            )

    def __str__(self) -> str:
        return f"{self.point} smeared by {self.smearing}"


def sequential_source(
    gauge: Gauge,
    quark: Propagator,
    t: int,
    *,
    gamma: str = "g5",
    momentum: Sequence[int] = (0, 0, 0),
    smearing: QuarkSmearing | None = None,
) -> Source:
    """Returns the source through a meson's sink: e^(-i p.(x - x0)) Gamma S(x; x0) at x_t = t and
    zero elsewhere, 12 fields for `solve`; collective.

    `t` is a time slice of the lattice, `gamma` a structure as `Mesons` names them, p_i = 2 pi n_i /
    L_i of `momentum` n, x0 the source of `quark`. The solution Sigma(y; x0) = sum_x S(y, x) e^(-i
    p.(x - x0)) Gamma S(x; x0) runs from the source through the sink to y; a current between y's two
    quark lines makes a three-point function, and y = x0 the two-point one again. A `smearing` acts
    on both quarks at the sink.

    >>> quark = onehop.solve(gauge, kappa=0.12)
    >>> through = onehop.sequential_source(gauge, quark, t=4, gamma="g5")
    >>> sequential = onehop.solve(gauge, kappa=0.12, source=through)
    >>> at_source = sequential.propagator[:, 0, 0, 0, 0].reshape(12, 12)
    >>> g5 = np.repeat([1, 1, -1, -1], 3)               # the two-point function again
    >>> bool(np.isclose(abs(g5 @ np.diagonal(at_source)), quark.correlator[4]))
    True
    """
    structure = _checked_sink(gauge, quark, t, gamma)
    (wanted,) = checked_momenta([momentum])
    agree(gauge.context, "sequential_source", t=t, gamma=gamma, momentum=wanted)
    solutions = quark.propagator if smearing is None else smearing.apply(quark.propagator)
    fields = np.zeros_like(solutions)
    inside = t - gauge.geometry.origin[3]
    if 0 <= inside < gauge.geometry.local[3]:
        matrix = gamma_structure(structure)
        wave = _wave(gauge.geometry, quark.source.site, wanted)[..., None, None]
        here = solutions[:, inside]
        for row, column in zip(*np.nonzero(matrix), strict=True):
            # A row has one entry, which is 1, -1, i or -i.
            fields[:, inside, ..., row, :] = matrix[row, column] * here[..., column, :]
        fields[:, inside] = _times(fields[:, inside], wave)
    return FieldSource(fields if smearing is None else smearing.apply(fields))


def _checked_sink(gauge: Gauge, quark: Propagator, t: int, gamma: str) -> int:
    """Returns the number of the gamma structure; raises UsageError unless a sequential source can
    be made of all this."""
    checked_gauge(gauge, "sequential_source")
    checked(quark, Propagator, "the quark of a sequential source", "the result of onehop.solve()")
    if quark.propagator is None:
        raise _core.UsageError("a sequential source is made of a propagator; solve with keep=True")
    if quark.operator.components != 12 or not quark.source.has_mesons:
        raise _core.UsageError(
            "a sequential source needs every spin and colour of a point or wall of wilson or "
            f"clover quarks, not {quark.operator.dslash} and source {quark.source}"
        )
    names = [name for name, _ in WILSON]
    if gamma not in names:
        raise _core.UsageError(f"gamma structure {gamma!r} is none of {', '.join(names)}")
    slices = gauge.lattice[3]
    if not 0 <= checked_number(t, "the time slice") < slices:
        raise _core.UsageError(f"time slice {t} is outside the lattice; use 0 to {slices - 1}")
    return names.index(gamma)


def _wave(geometry: _core.Geometry, site: Sequence[int], n: Sequence[int]) -> np.ndarray:
    """Returns e^(-i p.(x - x0)), (Lz, Ly, Lx), from global coordinates alone, so that no grid
    changes a bit."""
    factors = []
    for i in range(3):
        extent = geometry.lattice[i]
        roots = np.exp(-2j * np.pi * np.arange(extent) / extent)
        x = np.arange(geometry.local[i]) + geometry.origin[i]
        factors.append(roots[n[i] * (x - site[i]) % extent])
    x, y, z = factors
    return _times(_times(z[:, None, None], y[:, None]), x)


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns a b by real products, since complex ones may round differently with the length of
    rows."""
    a, b = np.broadcast_arrays(a, b)
    product = np.empty(a.shape, complex)
    product.real = a.real * b.real - a.imag * b.imag
    product.imag = a.real * b.imag + a.imag * b.real
    return product


def parse_quark_smearing(text: str) -> tuple[float, int]:
    """Returns kappa and steps of 'wuppertal:0.2x30'; raises ValueError."""
    kind, _, numbers = text.partition(":")
    kappa, _, steps = numbers.partition("x")
    try:
        parsed = float(kappa), int(steps)
    except ValueError:
        parsed = (math.nan, 0)
    if kind != "wuppertal" or not 0 <= parsed[0] < math.inf or parsed[1] < 0:
        raise ValueError("wuppertal:KAPPAxN is needed, as in wuppertal:0.2x30")
    return parsed


def parse_spatial_smearing(text: str) -> LinkSmearing:
    """Reads a smearing of links in space; raises ValueError."""
    how = parse_smearing(text)
    if how.kind == "hyp":
        raise ValueError("HYP smears links in time too; use ape or stout")
    return how


def _link_smearing(text: str) -> LinkSmearing:
    try:
        return parse_spatial_smearing(text)
    except ValueError as error:
        raise _core.UsageError(f"links {text!r}: {error}") from None


def _volume(geometry: _core.Geometry) -> int:
    return int(np.prod(geometry.local))
