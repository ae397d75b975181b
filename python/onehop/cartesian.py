"""Ranks on a grid, each with its block of a lattice."""

import math
import operator
from collections.abc import Sequence

import numpy as np

from onehop import _core
from onehop.argument import Made, checked_context
from onehop.counted import counted

# C++ counts dimensions from the fastest one and always has four.
_DIMENSIONS = 4


class Cartesian(Made):
    """Divides a lattice of one to four dimensions among the ranks of a job.

    `extents` is the shape that a NumPy array of the whole lattice would have, as (32, 16, 24) or
    one number; `grid` says how many ranks divide each axis, in the same order. If `grid` is None,
    the one with the smallest faces is chosen among the grids whose largest block is smallest.
    `periodic` says whether the last site of an axis is the neighbour of the first: for all axes, or
    for each; None makes all axes periodic. If the grid does not divide an extent, the first ranks
    get one site more than the others.

    Entry k of every sequence here is about axis k of every array, and the last axis is the fastest,
    in memory and in the order of ranks. C++ counts the same dimensions in the opposite order, x
    first.

        context   the job's context
        extents   sites of the whole lattice, one number for each axis, as all that follow
        grid      number of ranks
        periodic  whether the ends of the axis meet
        local     sites of this rank's block
        position  position of this rank in the grid
        origin    coordinates of the block's first site in the whole lattice

    Raises UsageError unless there are 1 to 4 extents of at least 1, and the grid has as many axes,
    as many ranks as the job, and on no axis more ranks than sites.

    >>> ranks = onehop.Cartesian(job, (32, 16, 24))
    >>> ranks.grid, ranks.local, ranks.origin
    ((1, 1, 1), (32, 16, 24), (0, 0, 0))
    >>> ranks.neighbour((0, 0, 1))                          # the rank ahead along the last axis
    0
    """

    def __init__(
        self,
        context: _core.Context,
        extents: int | Sequence[int],
        grid: Sequence[int] | None = None,
        periodic: bool | Sequence[bool] | None = None,
    ) -> None:
        self.context = checked_context(context, "a Cartesian")
        self.extents = _extents(extents)
        self.periodic = _periodic(self.extents, periodic)
        self._core = self._divided(_grid(self.extents, grid, context.size))
        self.grid = self._axes(self._core.grid)
        self.local = self._axes(self._core.local)
        self.position = self._axes(self._core.position)
        self.origin = self._axes(self._core.origin)

    def _divided(self, grid: tuple[int, ...] | None) -> _core.Cartesian:
        def divided(wanted: tuple[int, ...]) -> _core.Cartesian:
            return _core.Cartesian(
                self.context, self.extents[::-1], wanted[::-1], self.periodic[::-1]
            )

        if grid is not None:
            return divided(grid)
        try:
            return divided(())
        except _core.UsageError:  # its words have the axes in the order of C++
            raise _core.UsageError(
                f"extents {self.extents} cannot be divided among "
                f"{counted(self.context.size, 'rank')}: no grid of that many ranks leaves each of "
                "them a site; start fewer"
            ) from None

    @property
    def ndim(self) -> int:
        """The number of axes of the lattice."""
        return len(self.extents)

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where the block lies in an array of the whole lattice: `whole[ranks.slices]`."""
        return tuple(
            slice(first, first + n) for first, n in zip(self.origin, self.local, strict=True)
        )

    def rank_at(self, position: Sequence[int]) -> int:
        """Returns the rank at a position in the grid, taken periodically in every axis."""
        return self._core.rank_at(self._coordinate("position", position))

    def neighbour(self, steps: Sequence[int]) -> int | None:
        """Returns the rank that lies `steps` from this one along each axis, or None past an end."""
        rank = self._core.neighbour(self._coordinate("steps", steps))
        return None if rank < 0 else rank

    def along(self, axes: int | Sequence[int]) -> _core.Context:
        """Returns the group of the ranks whose positions differ from that of this rank only along
        these axes.

        Collective: every rank of the job names the same axes. In the order of the group's ranks,
        too, the last axis is the fastest.
        """
        given = whole_numbers("axes", axes)
        for axis in given:
            if not 0 <= axis < self.ndim or given.count(axis) > 1:
                raise _core.UsageError(
                    f"axes {given} of a lattice of {self.ndim}; give numbers from 0 to"
                    f" {self.ndim - 1}, each once"
                )
        return self._core.along([self.ndim - 1 - axis for axis in given])

    def _axes(self, coordinate: Sequence[int]) -> tuple[int, ...]:
        return tuple(reversed(coordinate[: self.ndim]))

    def _coordinate(self, what: str, entries: Sequence[int]) -> list[int]:
        """Returns a coordinate as C++ has them. Raises UsageError unless each axis has one
        entry."""
        given = whole_numbers(what, entries)
        if len(given) != self.ndim:
            raise _core.UsageError(
                f"{what} {given} on a lattice of {self.ndim} axes; give one number for each"
            )
        return [*reversed(given), *[0] * (_DIMENSIONS - self.ndim)]

    def __eq__(self, other: object) -> bool:
        """Cartesians are equal when they put the same lattice on the same grid."""
        return isinstance(other, Cartesian) and self._core == other._core

    def __hash__(self) -> int:
        return hash((self.extents, self.grid, self.periodic))

    def __repr__(self) -> str:
        ends = "" if all(self.periodic) else f", periodic {self.periodic}"
        return f"<Cartesian {self.extents} on a grid of {self.grid} ranks{ends}>"


def whole_numbers(what: str, entries: object) -> tuple[int, ...]:
    """Returns entries, or one entry, as integers. Raises UsageError for values that are none."""
    try:
        several = (entries,) if np.isscalar(entries) else tuple(entries)
        return tuple(map(operator.index, several))
    except TypeError:
        raise _core.UsageError(
            f"{what} {entries!r}: give whole numbers, one for each axis"
        ) from None


def _extents(given: object) -> tuple[int, ...]:
    extents = whole_numbers("extents", given)
    if not 1 <= len(extents) <= _DIMENSIONS:
        raise _core.UsageError(
            f"a lattice of {len(extents)} dimensions; 1 to {_DIMENSIONS} of them are possible"
        )
    for extent in extents:
        if not 1 <= extent < 2**31:
            raise _core.UsageError(
                f"extents {extents}: every extent must be at least 1 and below 2147483648"
            )
    return extents


def _periodic(extents: tuple[int, ...], given: bool | Sequence[bool] | None) -> tuple[bool, ...]:
    if given is None or isinstance(given, (bool, np.bool_)):
        return (given is None or bool(given),) * len(extents)
    try:
        periodic = tuple(given)
    except TypeError:
        periodic = ()
    if len(periodic) != len(extents) or not all(isinstance(p, (bool, np.bool_)) for p in periodic):
        raise _core.UsageError(
            f"periodic {given!r} for extents {extents}; give True, False, or one of them for each"
            " axis"
        )
    return tuple(map(bool, periodic))


def _grid(extents: tuple[int, ...], given: object, ranks: int) -> tuple[int, ...] | None:
    if given is None:
        return None
    grid = whole_numbers("grid", given)
    if len(grid) != len(extents):
        raise _core.UsageError(
            f"grid {grid} for extents {extents}; give as many numbers of ranks as extents"
        )
    for axis, (n, extent) in enumerate(zip(grid, extents, strict=True)):
        if not 1 <= n <= extent:
            raise _core.UsageError(
                f"grid {grid} has {counted(n, 'rank')} in axis {axis}, which has {extent} sites; "
                f"give it 1 to {extent}"
            )
    if math.prod(grid) != ranks:
        raise _core.UsageError(
            f"grid {grid} has {counted(math.prod(grid), 'rank')} but the job has {ranks}; start "
            "as many ranks as the grid has, or choose another grid"
        )
    return grid
