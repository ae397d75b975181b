"""Checks whether a file is what it says, and whether two files hold the same field."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop._core import ChecksumError, FileError, NumericError, UsageError
from onehop.lattice_files.contents import kind_of
from onehop.lattice_files.correlator import open_correlators
from onehop.lattice_files.formats import CORRELATORS, GAUGE
from onehop.lattice_files.gauge import naming, open_gauge
from onehop.lattice_files.propagator import open_propagator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from onehop.lattice_files.field_file import FieldFile
    from onehop.lattice_files.gauge import GaugeFile
    from onehop.lattice_files.propagator import PropagatorFile

    Progress = Callable[[int, int], None]

# This is half the distance between numbers next to 1: the largest relative error of one rounding.
ROUNDING = {32: 2.0**-24, 64: 2.0**-53}
# A third row is made of products of the other two, each with the rounding of its factors: four real
# products in every number, and the rows are orthonormal only to their own rounding.
_MADE_ROW = 8


@dataclasses.dataclass
class Finding:
    """One thing that was checked; `passed` is None where there was nothing to check."""

    name: str
    passed: bool | None
    words: str


@dataclasses.dataclass
class Comparison:
    """How far two fields are apart.

    tolerance      how much they may differ
    why            the reason for this tolerance, and of what it is a part, in words
    largest        the largest deviation
    largest_place  where that is, in words
    first          the first place, in the order of sites, that is further away than the tolerance;
                   None where none is
    deviating      how many links, or sources at sites, are further away
    places         how many links, or sources at sites, there are
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


@dataclasses.dataclass
class Verification:
    """Findings on one file, and on it against another one; `shape` is x, y, z, t of the
    lattice, for correlators their number and T."""

    path: str
    kind: str
    format: str
    shape: tuple[int, ...]
    precision_bits: int
    findings: list[Finding]
    summary: _core.GaugeSummary | None
    comparison: Comparison | None
    warnings: list[str]

    @property
    def passed(self) -> bool:
        failed = any(one.passed is False for one in self.findings)
        return not failed and (self.comparison is None or self.comparison.passed)


def verify(
    path: str | os.PathLike[str],
    against: str | os.PathLike[str] | None = None,
    *,
    tolerance: float | None = None,
    allow_non_unitary: bool = False,
    progress: Progress = lambda done, total: None,
) -> Verification:
    """Checks the file's checksum, its numbers and what it states of them, and compares them with
    those in `against`, whose format and precision may be others. `tolerance` replaces the one that
    the precisions of both files give.

    Raises FileError for a file that cannot be read, UsageError for two that cannot be compared.
    """
    path = os.fsdecode(path)
    against = None if against is None else os.fsdecode(against)
    kind = kind_of(path)
    if against is not None and kind_of(against) != kind:
        raise UsageError(f"{path} holds a {kind}, but {against} a {kind_of(against)}")
    if kind == CORRELATORS:
        return _verify_correlators(path, against, tolerance)
    opened = open_gauge if kind == GAUGE else open_propagator
    file = opened(path)
    other = opened(against) if against is not None else None
    try:
        if other is not None:
            _check_shapes(file, other)
        comparer = None if other is None else _comparer(file, other, tolerance)
        return _verify(file, other, comparer, allow_non_unitary, progress)
    finally:
        file.close()
        if other is not None:
            other.close()


def _check_shapes(file: GaugeFile | PropagatorFile, other: GaugeFile | PropagatorFile) -> None:
    def shape(of: GaugeFile | PropagatorFile) -> str:
        size = "x".join(map(str, of.lattice))
        return size if of.kind == GAUGE else f"{size}, {of.sources} sources of {of.site_shape}"

    if shape(file) != shape(other):
        raise UsageError(
            f"{file.path} and {other.path} cannot be compared: {shape(file)} against {shape(other)}"
        )


class _Comparer:
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
        """Returns the place t, z, y, x, n in words."""
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


class _LinkComparer(_Comparer):
    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        return np.abs(a - b).max(axis=(-2, -1))

    def name(self, place: tuple[int, ...]) -> str:
        t, z, y, x, mu = place
        return f"the link in direction {'xyzt'[mu]} at site ({x},{y},{z},{t})"


class _SpinorComparer(_Comparer):
    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        inner = tuple(range(4, a.ndim))
        size = np.maximum(np.abs(a).max(axis=inner), np.abs(b).max(axis=inner))
        apart = np.abs(a - b).max(axis=inner)
        relative = np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)
        return np.moveaxis(relative, 0, -1)

    def name(self, place: tuple[int, ...]) -> str:
        t, z, y, x, source = place
        return f"source {source} at site ({x},{y},{z},{t})"


class _CorrelatorComparer(_Comparer):
    def __init__(self, tolerance: float, why: str, names: list[str]) -> None:
        super().__init__(tolerance, why)
        self._names = names

    def deviations(self, a: NDArray, b: NDArray) -> NDArray[np.float64]:
        size, apart = np.maximum(np.abs(a), np.abs(b)), np.abs(a - b)
        return np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)

    def name(self, place: tuple[int, ...]) -> str:
        t, n = place
        return f"correlator {self._names[n]} at t {t}"


def _comparer(
    file: GaugeFile | PropagatorFile, other: GaugeFile | PropagatorFile, tolerance: float | None
) -> _Comparer:
    kind = _LinkComparer if file.kind == GAUGE else _SpinorComparer
    if tolerance is not None:
        return kind(tolerance, "as --tol says")
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
    of = "entries of links, at most 1" if file.kind == GAUGE else "a source's largest number there"
    return kind(allowed, f"of {of}: {'; '.join(reasons)}")


def _verify(
    file: GaugeFile | PropagatorFile,
    other: GaugeFile | PropagatorFile | None,
    comparer: _Comparer | None,
    allow_non_unitary: bool,
    progress: Progress,
) -> Verification:
    extent = file.lattice[3]
    check = _core.GaugeSliceCheck(list(file.lattice)) if file.kind == GAUGE else None
    findings, warnings = [], [*file.warnings, *([] if other is None else other.warnings)]
    summary = None
    try:
        for t in range(extent):
            block = file.read(t)
            if check is not None:
                with naming(file.path):
                    check.add(block)
            if comparer is not None:
                comparer.add(t, block, other.read(t))
            progress(t + 1, extent)
    except (NumericError, ChecksumError) as error:
        # Nothing can be said of the whole field then.
        findings.append(Finding("numbers", False, str(error)))
        return _result(file, findings, None, None, warnings)
    findings.append(_finding_of_checksum(file))
    if other is not None:
        findings.append(_finding_of_checksum(other))
    if check is not None:
        summary = check.finish()
        findings += _findings_of_links(file, summary, allow_non_unitary, warnings)
    else:
        findings.append(Finding("numbers", True, "all finite"))
    comparison = None if comparer is None else comparer.result()
    return _result(file, findings, summary, comparison, warnings)


def _verify_correlators(path: str, against: str | None, tolerance: float | None) -> Verification:
    one = open_correlators(path)
    findings = [Finding("numbers", True, "all finite")]
    files, comparison = [one], None
    if against is not None:
        other = open_correlators(against)
        files.append(other)
        named = [file.names for file in files if file.is_named]
        if one.values.shape != other.values.shape or named[1:] not in ([], named[:1]):
            raise UsageError(
                f"{path} and {against} cannot be compared: {one.values.shape} correlators and "
                f"times against {other.values.shape}, or of other names"
            )
        why = "as --tol says"
        if tolerance is None:
            tolerance = 2 * ROUNDING[64]
            why = f"of each number: double precision rounds by {ROUNDING[64]:.1e} in both"
        comparer = _CorrelatorComparer(tolerance, why, (named or [one.names])[0])
        for t in range(one.values.shape[1]):
            comparer.add(t, one.values[:, t], other.values[:, t])
        comparison = comparer.result()
    for file in files:
        words = f"{file.path}: fletcher32" if file.has_checksum else f"{file.path} has none"
        findings.append(Finding("checksum", file.has_checksum or None, words))
    warnings = [line for file in files for line in file.warnings]
    return Verification(
        path, one.kind, one.format, one.values.shape, 64, findings, None, comparison, warnings
    )


def _result(
    file: GaugeFile | PropagatorFile,
    findings: list[Finding],
    summary: _core.GaugeSummary | None,
    comparison: Comparison | None,
    warnings: list[str],
) -> Verification:
    return Verification(
        file.path,
        file.kind,
        file.format,
        file.lattice,
        file.precision_bits,
        findings,
        summary,
        comparison,
        warnings,
    )


def _finding_of_checksum(file: FieldFile) -> Finding:
    if not file.has_checksum:
        return Finding("checksum", None, f"{file.path} has none")
    try:
        file.verify_checksum()
    except ChecksumError as error:
        return Finding("checksum", False, str(error))
    return Finding("checksum", True, f"{file.path}: {file.checksum}")


def _findings_of_links(
    file: GaugeFile, summary: _core.GaugeSummary, allow_non_unitary: bool, warnings: list[str]
) -> list[Finding]:
    average = summary.plaquette
    words = f"{average.mean:.10f}, spatial {average.spatial:.10f}, temporal {average.temporal:.10f}"
    found = []
    try:
        file.verify_means(summary)
        stated = "as the file states" if file.states_means else "the file states none"
        found.append(
            Finding("plaquette", True if file.states_means else None, f"{words}; {stated}")
        )
    except FileError as error:
        found.append(Finding("plaquette", False, str(error)))
    try:
        line = _core.check_summary(summary, file.path, file.precision_bits, allow_non_unitary)
        words = (
            f"U^+ U is 1 to {summary.unitarity_deviation:.2g}; in SU(3) to "
            f"{summary.su3_deviation:.2g}, furthest {summary.furthest}"
        )
        found.append(Finding("links", True, words))
        if line:
            warnings.append(line)
    except NumericError as error:
        found.append(Finding("links", False, str(error)))
    return found
