"""Reads, makes, measures and writes gauge configurations."""

from __future__ import annotations

import numbers
import operator
import os
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onehop import _core
from onehop.argument import Made, as_array, checked, checked_int, checked_seed
from onehop.collectives import agree
from onehop.counted import by_x
from onehop.lattice_files.formats import links_format
from onehop.rma import current_context


class Gauge(Made):
    """SU(3) links of this rank's block of a lattice. The functions of onehop.flow smear
    them and follow the Wilson flow.

    >>> gauge.lattice, gauge.links.shape
    ((4, 4, 4, 8), (4, 8, 4, 4, 4, 3, 3))
    >>> chain = gauge.copy()
    >>> for sweep in range(5):
    ...     chain.heatbath(beta=6.0, seed=1, sweep=sweep)
    >>> print(f"{gauge.plaquette:.2f} {chain.plaquette:.2f}")
    0.00 0.55
    >>> chain.write("b6.0.ildg")
    """

    def __init__(self, field: _core.GaugeField) -> None:
        self.field = field

    @property
    def geometry(self) -> _core.Geometry:
        return self.field.geometry

    @property
    def context(self) -> _core.Context:
        return self.field.geometry.context

    @property
    def lattice(self) -> tuple[int, int, int, int]:
        """Extents x, y, z, t of the whole lattice."""
        return tuple(self.field.geometry.lattice)

    @property
    def grid(self) -> tuple[int, int, int, int]:
        """The number of ranks in x, y, z, t."""
        return tuple(self.field.geometry.grid)

    @property
    def links(self) -> NDArray[np.complex128]:
        """The links, complex128 (4, Lt, Lz, Ly, Lx, 3, 3): direction, site of the block, row,
        column.

        This is a view of the field's memory: writing to it changes the field, and an assigned array
        of links is copied into it. The next function that reads the field first updates its ghosts,
        so it is collective even if only one rank wrote.

        >>> mine = gauge.links.copy()               # or an array of one's own, of this shape
        >>> free = onehop.cold_gauge((4, 4, 4, 8))
        >>> free.links = mine
        >>> free.plaquette == gauge.plaquette
        True
        """
        inner = slice(1, -1)
        return self.field.padded_links[:, inner, inner, inner, inner]

    @links.setter
    def links(self, values: ArrayLike) -> None:
        links, given = self.links, as_array(values, "links")
        if given.shape != links.shape or given.dtype.kind not in "fc":
            raise _core.UsageError(
                f"links of {given.dtype} of shape {given.shape}: give complex numbers of shape "
                f"{links.shape}, direction, t, z, y, x of this rank's block, row, column"
            )
        links[...] = given

    def copy(self) -> Gauge:
        """Returns a copy of the links, in the same job and on the same grid."""
        copied = _core.GaugeField(self.geometry)
        copied.padded_links[...] = self.field.padded_links
        return Gauge(copied)

    @property
    def plaquette(self) -> float:
        """Returns the mean of Re tr P / 3 over sites and planes. Collective."""
        return self.plaquettes.mean

    @property
    def plaquettes(self) -> _core.PlaquetteAverage:
        """Returns the average over all, spatial and temporal planes. Collective."""
        self.field.exchange_ghosts()
        return _core.plaquette(self.field)

    def fix(
        self,
        condition: str,
        *,
        tolerance: float = 1e-12,
        overrelaxation: float = 1.7,
        max_sweeps: int = 10000,
    ) -> _core.GaugeFixingReport:
        """Brings the links to "landau" or "coulomb" gauge, in place; collective.

        Ends when theta = 1/(3 V) sum_x tr D(x) D^+(x), D = sum_mu [U_mu(x-mu) - U_mu(x)] - h.c. -
        trace, is at most `tolerance`; mu = x, y, z, t or, for Coulomb gauge, x, y, z. The report
        has theta, the functional and the sweeps, and says whether it `converged` before
        `max_sweeps`: not converging is not an error. `overrelaxation` is omega, from 1 to below 2:
        1.7 suits small lattices, and a larger one large lattices. Definitions are in
        onehop/gauge_fixing.hpp. The result has the same bits on every grid of ranks. Raises
        UsageError for an odd extent.
        """
        if condition not in ("landau", "coulomb"):
            raise _core.UsageError(f"gauge {condition!r}: give landau or coulomb")
        checked(tolerance, numbers.Real, "tolerance", "a number")
        checked(overrelaxation, numbers.Real, "overrelaxation", "a number")
        checked_int(max_sweeps, "max_sweeps")
        self.field.exchange_ghosts()
        return _core.fix_gauge(
            self.field,
            condition == "coulomb",
            float(tolerance),
            float(overrelaxation),
            int(max_sweeps),
        )

    def heatbath(self, *, beta: float, seed: int, sweep: int, overrelaxation: int = 4) -> None:
        """Makes one heatbath sweep of the Wilson gauge action, then `overrelaxation` sweeps;
        collective.

        `beta` is 6/g^2. `sweep` numbers the sweeps of a chain and selects the random numbers, so
        that a chain can be continued, on any number of ranks, with the same result. Raises
        UsageError for an odd extent and for a negative `beta`.
        """
        checked(beta, numbers.Real, "beta", "a number")
        checked_seed(seed, "seed")
        checked_int(sweep, "sweep", 0, 2**64 - 1)
        checked_int(overrelaxation, "overrelaxation")
        self.field.exchange_ghosts()
        _core.heatbath_sweep(self.field, beta, seed, overrelaxation, sweep)

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        precision_bits: int = 0,
        rows: int = 0,
    ) -> None:
        """Writes NERSC, ILDG, SciDAC, MILC v5 or openQCD; collective.

        `format` defaults to that of the suffix of `path`, or else NERSC. `precision_bits` is 32 or
        64, by default the largest that the format has; `rows` 2 keeps two rows of each link, if the
        format allows it (NERSC). Raises UsageError for what the format cannot hold.
        """
        path = os.fsdecode(path)
        format = format or links_format(path)
        self.field.exchange_ghosts()
        _core.write_gauge_file(self.field, path, format, precision_bits=precision_bits, rows=rows)

    def __repr__(self) -> str:
        return f"<Gauge {by_x(self.lattice)} on grid {by_x(self.grid)}, rank {self.context.rank}>"


def checked_gauge(value: object, what: str) -> Gauge:
    return checked(value, Gauge, f"the gauge of {what}", "a Gauge, as onehop.read_gauge() returns")


def read_gauge(
    path: str | os.PathLike[str],
    grid: Sequence[int] | None = None,
    context: _core.Context | None = None,
    warn: Callable[[str], None] | None = None,
    allow_non_unitary: bool = False,
) -> Gauge:
    """Reads ILDG, SciDAC, NERSC, MILC or openQCD, each rank its own part; collective.

    It verifies checksum, plaquette, that numbers are finite and that links are in SU(3); FileError
    or NumericError says what is wrong. `allow_non_unitary` accepts links that differ from SU(3) by
    more than 1e-3, as smeared ones do. `warn` is called with lines for the user (for example about
    a missing checksum); by default they become Python warnings.

    >>> gauge.write("b6.0.nersc")
    >>> onehop.read_gauge("b6.0.nersc")
    <Gauge 4x4x4x8 on grid 1x1x1x1, rank 0>
    """
    path = os.fsdecode(path)
    info = _core.inspect_gauge_file(path)
    geometry = _geometry(info.lattice, grid, context)
    agree(geometry.context, "read", path=path)
    field = _core.read_gauge_file(geometry, path, warn or _warn, allow_non_unitary)
    field.exchange_ghosts()
    return Gauge(field)


def cold_gauge(
    lattice: Sequence[int],
    grid: Sequence[int] | None = None,
    context: _core.Context | None = None,
) -> Gauge:
    """Returns unit links: the free field.

    >>> onehop.cold_gauge((4, 4, 4, 8)).plaquette
    1.0
    """
    field = _core.GaugeField(_geometry(lattice, grid, context))
    _core.set_cold(field)
    field.exchange_ghosts()
    return Gauge(field)


def hot_gauge(
    lattice: Sequence[int],
    seed: int,
    grid: Sequence[int] | None = None,
    context: _core.Context | None = None,
) -> Gauge:
    """Returns links drawn from the Haar measure; they are the same for every grid of ranks.

    >>> hot = onehop.hot_gauge((4, 4, 4, 8), seed=7)
    >>> abs(hot.plaquette) < 0.02
    True
    """
    geometry = _geometry(lattice, grid, context)
    agree(geometry.context, "a hot start", seed=checked_seed(seed, "the seed"))
    field = _core.GaugeField(geometry)
    _core.set_hot(field, seed)
    field.exchange_ghosts()
    return Gauge(field)


def inspect_gauge(path: str | os.PathLike[str]) -> _core.GaugeFileInfo:
    """Reads only the header of a file.

    >>> gauge.write("b6.0.nersc")
    >>> header = onehop.inspect_gauge("b6.0.nersc")
    >>> header.format, header.lattice, header.precision_bits
    ('NERSC', [4, 4, 4, 8], 64)
    """
    return _core.inspect_gauge_file(os.fsdecode(path))


def _geometry(
    lattice: Sequence[int], grid: Sequence[int] | None, context: _core.Context | None
) -> _core.Geometry:
    context = current_context(context, "a gauge field")
    extents = _four(lattice, "the lattice")
    ranks = _four(grid, "the grid") if grid else _core.choose_grid(extents, context.size)
    return _core.Geometry(context, extents, ranks)


def _four(given: Sequence[int], what: str) -> list[int]:
    """Returns four whole numbers x, y, z, t; raises UsageError for anything else."""
    try:
        found = [operator.index(n) for n in given]
    except TypeError:
        found = []
    if len(found) != 4:
        raise _core.UsageError(f"{what} is {given!r}: give four whole numbers x, y, z, t")
    return [checked_int(n, f"a number of {what}") for n in found]


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=3)
