"""Checks whether a file agrees with what it states, and whether two files hold the same field."""

import dataclasses
import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop._core import ChecksumError, FileError, NumericError, UsageError
from onehop.counted import by_x
from onehop.lattice_files.comparison import (
    ROUNDING,
    Comparer,
    Comparison,
    CorrelatorComparer,
    comparer_of,
)
from onehop.lattice_files.contents import kind_of, open_fields
from onehop.lattice_files.correlator import open_correlators
from onehop.lattice_files.field_file import FieldFile
from onehop.lattice_files.fields import MEMBER, FieldsFile
from onehop.lattice_files.formats import CORRELATORS, EIGENVECTORS, GAUGE
from onehop.lattice_files.gauge import GaugeFile, naming, open_gauge

Progress = Callable[[int, int], None]


@dataclasses.dataclass
class Finding:
    """One thing that was checked; `passed` is None if there was nothing to check."""

    name: str
    passed: bool | None
    words: str


@dataclasses.dataclass
class Verification:
    """Findings on one file, and on its comparison with another; `shape` is x, y, z, t of the
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
    """Checks the file's checksum, its numbers and what it states about them, and compares them with
    those in `against`, whose format and precision may differ. `tolerance` replaces the one that
    follows from the precisions of both files.

    Raises FileError for a file that cannot be read, UsageError for two that cannot be compared.

    >>> gauge.write("b6.0.nersc")
    >>> onehop.verify("b6.0.nersc").passed
    True
    """
    path = os.fsdecode(path)
    against = None if against is None else os.fsdecode(against)
    kind = kind_of(path)
    if against is not None and kind_of(against) != kind:
        raise UsageError(f"{path} holds a {kind}, but {against} a {kind_of(against)}")
    if kind == CORRELATORS:
        return _verify_correlators(path, against, tolerance)
    file = _opened(path, kind, allow_non_unitary)
    other = None
    try:
        other = None if against is None else _opened(against, kind, allow_non_unitary)
        if other is not None:
            _check_shapes(file, other)
        comparer = None if other is None else comparer_of(file, other, tolerance)
        return _verify(file, other, comparer, allow_non_unitary, progress)
    finally:
        file.close()
        if other is not None:
            other.close()


def _opened(path: str, kind: str, allow_non_unitary: bool) -> GaugeFile | FieldsFile:
    if kind == GAUGE:
        return open_gauge(path)
    return open_fields(path, kind, allow_non_unitary=allow_non_unitary)


def _check_shapes(file: GaugeFile | FieldsFile, other: GaugeFile | FieldsFile) -> None:
    def shape(of: GaugeFile | FieldsFile) -> str:
        size = by_x(of.lattice)
        if of.kind == GAUGE:
            return size
        return f"{size}, {of.count} {MEMBER[of.kind]}s of {of.site_shape}"

    if shape(file) != shape(other):
        raise UsageError(
            f"{file.path} and {other.path} cannot be compared: {shape(file)} against {shape(other)}"
        )


def _verify(
    file: GaugeFile | FieldsFile,
    other: GaugeFile | FieldsFile | None,
    comparer: Comparer | None,
    allow_non_unitary: bool,
    progress: Progress,
) -> Verification:
    extent = file.lattice[3]
    check = _core.GaugeSliceCheck(list(file.lattice)) if file.kind == GAUGE else None
    warnings = [*file.warnings, *([] if other is None else other.warnings)]
    what = (file.path, file.kind, file.format, file.lattice, file.precision_bits)
    found = Verification(*what, [], None, None, warnings)
    try:
        for t in range(extent):
            block = _read_all(file, t)
            if check is not None:
                with naming(file.path):
                    check.add(block)
            if comparer is not None:
                comparer.add(t, block, _read_all(other, t))
            progress(t + 1, extent)
    except (NumericError, ChecksumError) as error:
        # Nothing can be said of the whole field then.
        found.findings.append(Finding("numbers", False, str(error)))
        return found
    found.findings += [_finding_of_checksum(one) for one in (file, other) if one is not None]
    if check is not None:
        found.summary = check.finish()
        found.findings += _findings_of_links(file, found.summary, allow_non_unitary, warnings)
    else:
        found.findings.append(Finding("numbers", True, "all finite"))
    if comparer is not None:
        found.comparison = comparer.result()
        if file.kind == EIGENVECTORS:
            tolerance = found.comparison.tolerance
            found.findings.append(_finding_of_eigenvalues(file, other, tolerance))
    return found


def _read_all(file: GaugeFile | FieldsFile, t: int) -> NDArray[np.complex128]:
    """Reads a slice, with it that of the source fields, which have checksums too."""
    block = file.read(t)
    if file.kind != GAUGE:
        file.read_sources(t)
    return block


def _finding_of_eigenvalues(file: FieldsFile, other: FieldsFile, tolerance: float) -> Finding:
    ours, theirs = np.array(file.companions.eigenvalues), np.array(other.companions.eigenvalues)
    size = np.maximum(np.abs(ours), np.abs(theirs))
    apart = np.abs(ours - theirs)
    relative = np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)
    n = int(relative.argmax())
    words = f"those of {other.path} differ by at most {relative[n]:.3g}, relatively, number {n}"
    return Finding("eigenvalues", bool(relative[n] <= tolerance), words)


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
        comparer = CorrelatorComparer(tolerance, why, (named or [one.names])[0])
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
