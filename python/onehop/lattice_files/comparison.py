"""Compares two fields place by place, in slices of both."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop.lattice_files.fields import MEMBER, FieldsFile
from onehop.lattice_files.formats import EIGENVECTORS, GAUGE

if TYPE_CHECKING:
    from onehop.lattice_files.gauge import GaugeFile

# This is half the distance between numbers next to 1: the largest relative error of one rounding.
ROUNDING = {32: 2.0**-24, 64: 2.0**-53}
# A third row is made of products of the other two, each with the rounding of its factors: four real
# products in every number, and the rows are orthonormal only to their own rounding.
_MADE_ROW = 8


@dataclasses.dataclass
class Comparison:
    """How far two fields are apart.

    tolerance      how much they may differ
    why            the reason for this tolerance, and of what it is a part, in words
    largest        the largest deviation
    largest_place  where that is, in words
    first          the first place, in the order of sites, that is further away than the tolerance;
                   None if none is
    deviating      how many links, or sources or other fields at sites, are further away
    places         how many links, or sources or other fields at sites, there are
    is_identical   whether all numbers are the same
    """

    tolerance: float
    why: str
    largest: float
    largest_place: str
    first: str | None
    deviating: int
    places: int
    is_identical: bool

    @property
    def passed(self) -> bool:
        return self.deviating == 0


class Comparer:
    """Takes slices of both in turns."""

    def __init__(self, tolerance: float, why: str) -> None:
        self._tolerance, self._why = tolerance, why
        self._largest, self._largest_at = -1.0, (0, 0, 0, 0, 0)
        self._first: tuple[int, ...] | None = None
        self._deviating = self._places = 0
        self._is_identical = True

    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        """Returns one deviation for each place, (Z, Y, X, n)."""
        raise NotImplementedError

    def name(self, place: tuple[int, ...]) -> str:
        """Describes the place t, z, y, x, n in words."""
        raise NotImplementedError

    def add(self, t: int, a: NDArray, b: NDArray) -> None:
        apart = self.deviations(a, b)
        self._is_identical = self._is_identical and bool((a == b).all())
        # A value that is not a number is as far away as possible.
        apart[np.isnan(apart)] = np.inf
        at = np.unravel_index(int(apart.argmax()), apart.shape)
        if apart[at] > self._largest:
            self._largest, self._largest_at = float(apart[at]), (t, *map(int, at))
        beyond = apart > self._tolerance
        if self._first is None and beyond.any():
            self._first = (t, *map(int, np.unravel_index(int(beyond.argmax()), apart.shape)))
        self._deviating += int(np.count_nonzero(beyond))
        self._places += apart.size

    def result(self) -> Comparison:
        return Comparison(
            self._tolerance,
            self._why,
            self._largest,
            self.name(self._largest_at),
            None if self._first is None else self.name(self._first),
            self._deviating,
            self._places,
            self._is_identical,
        )


class _LinkComparer(Comparer):
    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        return np.abs(a - b).max(axis=(-2, -1))

    def name(self, place: tuple[int, ...]) -> str:
        t, z, y, x, mu = place
        return f"the link in direction {'xyzt'[mu]} at site ({x},{y},{z},{t})"


class _FieldsComparer(Comparer):
    def __init__(self, tolerance: float, why: str, member: str) -> None:
        super().__init__(tolerance, why)
        self._member = member

    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        inner = tuple(range(4, a.ndim))
        size = np.maximum(np.abs(a).max(axis=inner), np.abs(b).max(axis=inner))
        apart = np.abs(a - b).max(axis=inner)
        relative = np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)
        return np.moveaxis(relative, 0, -1)

    def name(self, place: tuple[int, ...]) -> str:
        t, z, y, x, n = place
        return f"{self._member} {n} at site ({x},{y},{z},{t})"


class CorrelatorComparer(Comparer):
    def __init__(self, tolerance: float, why: str, names: list[str]) -> None:
        super().__init__(tolerance, why)
        self._names = names

    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        size, apart = np.maximum(np.abs(a), np.abs(b)), np.abs(a - b)
        return np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)

    def name(self, place: tuple[int, ...]) -> str:
        t, n = place
        return f"correlator {self._names[n]} at t {t}"


def comparer_of(
    file: GaugeFile | FieldsFile, other: GaugeFile | FieldsFile, tolerance: float | None
) -> Comparer:
    def comparer(tolerance: float, why: str) -> Comparer:
        if file.kind == GAUGE:
            return _LinkComparer(tolerance, why)
        return _FieldsComparer(tolerance, why, MEMBER[file.kind])

    if tolerance is not None:
        return comparer(tolerance, "as --tol says")
    allowed, reasons = 0.0, []
    for one in (file, other):
        rounding = ROUNDING[one.precision_bits]
        precision = "single" if one.precision_bits == 32 else "double"
        made = one.kind == GAUGE and one.stored_rows == 2
        allowed += rounding * (_MADE_ROW if made else 1)
        reasons.append(
            f"{precision} precision rounds by {rounding:.1e}"
            + (f", a third row made of two by {_MADE_ROW} times that" if made else "")
        )
    of = "entries of links, at most 1"
    if file.kind != GAUGE:
        of = f"a{'n' * (file.kind == EIGENVECTORS)} {MEMBER[file.kind]}'s largest number there"
    return comparer(allowed, f"of {of}: {'; '.join(reasons)}")
