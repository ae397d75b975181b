"""Makes one file of a field from another, slice by slice."""

import dataclasses
import os
from collections.abc import Callable

from onehop import _core
from onehop._core import UsageError
from onehop.extras import require
from onehop.lattice_files.contents import kind_of, open_fields
from onehop.lattice_files.correlator import open_correlators, write_correlators
from onehop.lattice_files.fields import FieldsFile, create_array
from onehop.lattice_files.formats import CORRELATORS, GAUGE, FileFormat, choose_format
from onehop.lattice_files.gauge import GaugeFile, create_gauge, naming, open_gauge
from onehop.lattice_files.scidac_sink import create_scidac

BITS = {"single": 32, "double": 64}


@dataclasses.dataclass
class Conversion:
    """A conversion that was done.

    kind            what the file holds
    shape           x, y, z, t of the lattice; for correlators their number and T
    formats         the format that was read, and that which was written
    precision_bits  those that were read, and those that were written
    rows            rows stored of each link, read and written
    checksums       the one that was read, and that which was written, in words; empty for none
    summary         summary of the links of a gauge field
    warnings        lines for the user
    """

    kind: str
    shape: tuple[int, ...]
    formats: tuple[str, str]
    precision_bits: tuple[int, int]
    rows: tuple[int, int]
    checksums: tuple[str, str]
    summary: _core.GaugeSummary | None
    warnings: list[str]

    @property
    def is_exact(self) -> bool:
        """Whether the numbers read from the new file are those of the old one, bit by bit."""
        return self.precision_bits[1] >= self.precision_bits[0] and self.rows[1] >= self.rows[0]


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    precision: str | None = None,
    rows: int | None = None,
    allow_non_unitary: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Conversion:
    """Writes the field, the several fields or the correlators in `source` to `target`, in `format`
    or in the format of its name.

    `precision` is single or double, by default that of `source` if the format has it; `rows` 2
    writes two rows of each link if the format allows that. The input is verified: checksums, stated
    plaquette and link trace, that links are in SU(3) (unless `allow_non_unitary`), that numbers are
    finite. Raises FileError, NumericError, UsageError; `target` is then unchanged.

    >>> gauge.write("b6.0.nersc")
    >>> done = onehop.convert("b6.0.nersc", "b6.0.ildg")
    >>> done.formats, done.is_exact
    (('NERSC', 'ILDG'), True)
    """
    source, target = os.fsdecode(source), os.fsdecode(target)
    kind = kind_of(source)
    described = choose_format(kind, target, format)
    if described.name == "HDF5":
        require("HDF5 files")
    if kind == CORRELATORS:
        if rows is not None or precision == "single":
            raise UsageError(f"{source} holds correlators, which are kept in double precision")
        return _convert_correlators(source, target, described)
    if kind == GAUGE:
        file = open_gauge(source)
    else:
        file = open_fields(source, kind, allow_non_unitary=allow_non_unitary)
    try:
        bits = _bits(target, described, file.precision_bits, precision)
        if kind == GAUGE:
            wanted = rows or 3
            if wanted == 2 and not described.has_two_rows:
                raise UsageError(
                    f"{target}: {described.name} files have all three rows of each link; leave "
                    "rows (--rows) out"
                )
            return _convert_gauge(
                file, target, described, bits, wanted, allow_non_unitary, progress
            )
        if rows is not None:
            raise UsageError(f"rows are those of links; {source} holds a {kind}")
        return _convert_fields(file, target, described, bits, progress)
    finally:
        file.close()


def _convert_correlators(source: str, target: str, described: FileFormat) -> Conversion:
    found = open_correlators(source)
    write_correlators(target, described, found)
    checked = (found.has_checksum, described.has_checksum)
    return Conversion(
        kind=found.kind,
        shape=found.values.shape,
        formats=(found.format, described.name),
        precision_bits=(64, 64),
        rows=(3, 3),
        checksums=tuple("fletcher32" if has else "" for has in checked),
        summary=None,
        warnings=list(found.warnings),
    )


def _bits(target: str, described: FileFormat, present: int, precision: str | None) -> int:
    if precision is None:
        return present if present in described.precisions else described.precisions[0]
    wanted = BITS[precision]
    if wanted not in described.precisions:
        raise UsageError(
            f"{target}: {described.name} files have no {precision} precision; leave precision "
            "(--prec) out"
        )
    return wanted


def _convert_gauge(
    file: GaugeFile,
    target: str,
    described: FileFormat,
    bits: int,
    rows: int,
    allow_non_unitary: bool,
    progress: Callable[[int, int], None],
) -> Conversion:
    extent = file.lattice[3]
    check = _core.GaugeSliceCheck(list(file.lattice))
    with create_gauge(target, described, file.lattice, bits, rows) as sink:
        for t in range(extent):
            links = file.read(t)
            with naming(file.path):
                check.add(links)
            sink.write(t, links)
            progress(t + 1, extent)
        file.verify_checksum()
        found = check.finish()
        line = _core.check_summary(found, file.path, file.precision_bits, allow_non_unitary)
        file.verify_means(found)
        written = sink.finish(found)
    return Conversion(
        kind=file.kind,
        shape=file.lattice,
        formats=(file.format, described.name),
        precision_bits=(file.precision_bits, bits),
        rows=(file.stored_rows, rows),
        checksums=(file.checksum if file.has_checksum else "", written),
        summary=found,
        warnings=[*file.warnings, *filter(None, [line])],
    )


def _convert_fields(
    file: FieldsFile,
    target: str,
    described: FileFormat,
    bits: int,
    progress: Callable[[int, int], None],
) -> Conversion:
    extent = file.lattice[3]
    warnings = list(file.warnings)
    if file.companions.times and described.name == "npy":
        warnings.append(
            f"{target}: npy has no room for the {len(file.companions.times)} source fields, which "
            "are left out"
        )
    create = create_scidac if described.name == "SciDAC" else create_array
    with create(target, described, file, bits) as sink:
        for t in range(extent):
            sink.write(t, file.read(t), file.read_sources(t))
            progress(t + 1, extent)
        file.verify_checksum()
        written = sink.finish()
    return Conversion(
        kind=file.kind,
        shape=file.lattice,
        formats=(file.format, described.name),
        precision_bits=(file.precision_bits, bits),
        rows=(3, 3),
        checksums=(file.checksum if file.has_checksum else "", written),
        summary=None,
        warnings=warnings,
    )
