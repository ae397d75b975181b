"""Recognises and reads the fields of a SciDAC file: propagators of Wilson and staggered quarks,
colour vectors, eigenvectors, links."""

import dataclasses
import math
import re

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop._core import FileError, ScidacFieldInfo, ScidacSliceReader
from onehop.lattice_files.field_file import FormatFile
from onehop.lattice_files.fields import Companions, FieldsFile
from onehop.lattice_files.formats import EIGENVECTORS, GAUGE, LINK_FIELDS, PROPAGATOR

COLOURS, SPIN_COLOURS, LINK_NUMBERS = 3, 12, 36
# USQCD's types of staggered propagators: a source for all colours, or one before each solution,
# of a complex number at each site or of three.
SHARED_SCALAR = "USQCD_ColorVector_ScalarSource_ThreeSink"
SCALAR_PAIRS = "USQCD_ColorVector_ScalarSource_Sink_Pairs"
VECTOR_PAIRS = "USQCD_ColorVector_Source_Sink_Pairs"
STAGGERED_TYPES = (SHARED_SCALAR, SCALAR_PAIRS, VECTOR_PAIRS)
# A file of colour vectors that USQCD has no type for is given this one.
COLOUR_VECTORS = "colour vectors"


@dataclasses.dataclass
class Description:
    """What the fields of a file are: `members` are the numbers of the fields of this kind, and
    `sources` those of their sources."""

    kind: str
    site_shape: tuple[int, ...]
    members: list[int]
    sources: list[int]
    companions: Companions


def _element(xml: bytes, name: str) -> str | None:
    """Returns the text of the first element of this name, as other programs look for it too."""
    found = re.search(rf"<(?:\w+:)?{name}(?:\s[^<>]*)?>([^<]*)<", xml.decode(errors="replace"))
    return None if found is None else found[1].strip()


def describe(path: str, reader: ScidacSliceReader) -> Description:
    """Raises FileError for fields that are of no known kind, or that are not all there."""
    fields = reader.fields
    everywhere = list(range(len(fields)))
    if b"<usqcdKSPropFile" in reader.xml:
        return _staggered(path, reader)
    is_eigen = _element(fields[0].xml, "eigVal") is not None
    if is_eigen or _element(reader.xml, "Nvecs") is not None:
        return _eigenvectors(path, reader)
    if all(_is_links(field) for field in fields):
        kind = GAUGE if len(fields) == 1 else LINK_FIELDS
        return Description(kind, (4, 3, 3), everywhere, [], Companions())
    if len(fields) == 1 and fields[0].numbers == SPIN_COLOURS**2 and fields[0].colours == COLOURS:
        return Description(PROPAGATOR, (4, 3), everywhere, [], Companions())
    if all(_is_colour_vectors(field) for field in fields):
        return Description(PROPAGATOR, (3,), everywhere, [], Companions(COLOUR_VECTORS))
    first = fields[0]
    raise FileError(
        f"{path}: holds {len(fields)} fields, the first with {first.numbers} numbers a site "
        f"({first.datatype}): no links, no propagator, no eigenvectors"
    )


def _is_links(field: ScidacFieldInfo) -> bool:
    return field.numbers == LINK_NUMBERS and field.objects == 4 and _is_whole(field)


def _is_colour_vectors(field: ScidacFieldInfo) -> bool:
    return field.numbers == COLOURS * field.objects


def _is_whole(field: ScidacFieldInfo) -> bool:
    return field.first_time == 0 and field.last_time == field.lattice[3] - 1


def _check_vector(path: str, fields: list[ScidacFieldInfo], number: int, what: str) -> None:
    field = fields[number]
    if field.numbers != COLOURS or not _is_whole(field):
        raise FileError(
            f"{path}: field {number} of {len(fields)} has {field.numbers} numbers a site on time "
            f"slices {field.first_time} to {field.last_time}, but {what} is one colour vector on "
            "the whole lattice; the file is damaged or incomplete"
        )


def _staggered(path: str, reader: ScidacSliceReader) -> Description:
    fields = reader.fields
    file_type = _element(reader.xml, "type") or ""
    if file_type not in STAGGERED_TYPES:
        raise FileError(
            f"{path}: is a staggered propagator of type {file_type!r}; those that can be read are "
            f"{', '.join(STAGGERED_TYPES)}"
        )
    count = len(fields)
    if file_type == SHARED_SCALAR:
        fits, wanted = count == 4, "4, a source and three solutions"
        sources, members = [0], [1, 2, 3]
    else:
        fits, wanted = count % 2 == 0, "an even number, sources and solutions by turns"
        sources, members = list(range(0, count, 2)), list(range(1, count, 2))
    if not fits:
        raise FileError(
            f"{path}: has {count} fields, but its type {file_type} needs {wanted}; the file is "
            "incomplete"
        )
    numbers = 3 if file_type == VECTOR_PAIRS else 1
    for number in sources:
        if fields[number].numbers != numbers:
            raise FileError(
                f"{path}: field {number} of {count} has {fields[number].numbers} numbers a site, "
                f"but the sources of type {file_type} have {numbers}; the file is damaged"
            )
    for place, number in enumerate(members):
        _check_vector(path, fields, number, "a solution")
        _check_colour(path, fields[number], number, place % COLOURS)
    times = [(fields[number].first_time, fields[number].last_time) for number in sources]
    kept = Companions(file_type=file_type, times=times, numbers=numbers)
    return Description(PROPAGATOR, (3,), members, sources, kept)


def _check_colour(path: str, field: ScidacFieldInfo, number: int, wanted: int) -> None:
    stated = _element(field.xml, "color")
    if stated is not None and stated != str(wanted):
        raise FileError(
            f"{path}: field {number} says that it is of colour {stated!r}, but colour {wanted} "
            "comes there; the fields are not in their order or one is missing"
        )


def _eigenvectors(path: str, reader: ScidacSliceReader) -> Description:
    fields = reader.fields
    if _element(reader.xml, "format") == "Packed":
        raise FileError(
            f"{path}: its eigenvectors are packed, two half lattices in one field; write them "
            "unpacked"
        )
    stated = _element(reader.xml, "Nvecs")
    if stated is not None and stated != str(len(fields)):
        raise FileError(
            f"{path}: says that it has {stated} eigenvectors, but it has {len(fields)}; the file "
            "is incomplete"
        )
    kept = Companions()
    for number, field in enumerate(fields):
        _check_vector(path, fields, number, "an eigenvector")
        kept.eigenvalues.append(_real(path, field, number, "eigVal"))
    if all(_element(field.xml, "resid") is not None for field in fields):
        kept.residuals = [_real(path, f, n, "resid") for n, f in enumerate(fields)]
    return Description(EIGENVECTORS, (3,), list(range(len(fields))), [], kept)


def _real(path: str, field: ScidacFieldInfo, number: int, name: str) -> float:
    written = _element(field.xml, name)
    try:
        value = float(written or "")
    except ValueError:
        value = math.nan
    # A residual may be unknown, an eigenvalue may not.
    if not math.isfinite(value) and (name == "eigVal" or written != "nan"):
        raise FileError(
            f"{path}: eigenvector {number} states <{name}> as {written!r}, which is not a number; "
            "the file is damaged"
        )
    return value


def checksum_words(words: str) -> str:
    """Shortens the checksums of several fields."""
    sums = words.split(", ")
    return words if len(sums) == 1 else f"{len(sums)} SciDAC checksums, the last {sums[-1][16:]}"


@dataclasses.dataclass(kw_only=True)
class _ScidacFields(FormatFile, FieldsFile):
    """members and sources as in Description; numbers of each field of the file at a site."""

    members: list[int]
    sources: list[int]
    numbers: list[int]

    @property
    def checksum(self) -> str:
        return checksum_words(self.reader.checksum)

    def _field(self, number: int, t: int) -> NDArray[np.complex128]:
        """Reads the slice of a field as (Z, Y, X, numbers)."""
        x, y, z, _ = self.lattice
        numbers = np.empty((z, y, x, self.numbers[number]), np.complex128)
        self.reader.read(number, t, numbers)
        return numbers

    def _read(self, t: int) -> NDArray[np.complex128]:
        parts = []
        for number in self.members:
            numbers = self._field(number, t)
            space = numbers.shape[:3]
            if self.site_shape == (4, 3):
                # The order is spin and colour of the source, then the site, then those of the sink.
                matrices = np.moveaxis(numbers.reshape(*space, 4, 4, 3, 3), (4, 6), (0, 1))
                parts.append(matrices.reshape(SPIN_COLOURS, *space, 4, 3))
            else:
                parts.append(np.moveaxis(numbers.reshape(*space, -1, *self.site_shape), 3, 0))
        return np.concatenate(parts)

    def _read_sources(self, t: int) -> NDArray[np.complex128]:
        return np.array([self._field(number, t) for number in self.sources])


def open_scidac(path: str, kind: str) -> FieldsFile:
    """Opens a file of such fields. Raises FileError."""
    reader = _core.ScidacSliceReader(path)
    found = describe(path, reader)
    if found.kind != kind:
        raise FileError(f"{path}: holds a {found.kind}, no {kind}")
    fields = reader.fields
    vectors = [fields[number].numbers // math.prod(found.site_shape) for number in found.members]
    return _ScidacFields(
        path=path,
        format="SciDAC",
        lattice=tuple(fields[0].lattice),
        precision_bits=max(field.precision_bits for field in fields),
        has_checksum=all(field.has_checksum for field in fields),
        warnings=list(reader.warnings),
        reader=reader,
        kind=kind,
        count=sum(vectors),
        site_shape=found.site_shape,
        companions=found.companions,
        members=found.members,
        sources=found.sources,
        numbers=[field.numbers for field in fields],
    )
