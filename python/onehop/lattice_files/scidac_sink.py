"""Writes SciDAC files of propagators, colour vectors, eigenvectors and links, as QIO and MILC read
them."""

import contextlib
import dataclasses
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop._core import FileError, UsageError
from onehop.lattice_files.fields import FieldsFile, FieldsSink
from onehop.lattice_files.formats import EIGENVECTORS, LINK_FIELDS, FileFormat
from onehop.lattice_files.scidac_fields import (
    COLOUR_VECTORS,
    COLOURS,
    LINK_NUMBERS,
    SHARED_SCALAR,
    SPIN_COLOURS,
    STAGGERED_TYPES,
    checksum_words,
)

_TITLE = "<title>{}, written by onehop</title>"
# This text and what is around it must stay below the 512 bytes that some versions of QIO read.
_NO_SOURCE = "no source: the file that this one was made of has none"


@dataclasses.dataclass
class _Plan:
    """The fields of a file in their order; `places` says of each whether it is a source, and which
    one of the sources or of the others."""

    xml: str
    fields: list[_core.ScidacFieldInfo] = dataclasses.field(default_factory=list)
    places: list[tuple[bool, int]] = dataclasses.field(default_factory=list)


class _Planner:
    def __init__(self, like: FieldsFile, bits: int, described: FileFormat) -> None:
        self._like, self._bits, self._described = like, bits, described
        self._precision = "D" if bits == 64 else "F"

    def plan(self) -> _Plan:
        like = self._like
        if like.kind == LINK_FIELDS:
            return self._many(_TITLE.format("fields of links"), "ColorMatrix", LINK_NUMBERS, 4)
        if like.kind == EIGENVECTORS:
            return self._eigenvectors()
        if like.site_shape != (3,):
            return self._wilson()
        file_type = like.companions.file_type or (SHARED_SCALAR if like.count == COLOURS else "")
        if file_type in STAGGERED_TYPES:
            return self._staggered(file_type)
        if file_type not in ("", COLOUR_VECTORS):
            raise FileError(f"{like.path}: states the unknown type {file_type!r} of a propagator")
        return self._many(_TITLE.format(COLOUR_VECTORS), "ColorVector", COLOURS, 1)

    def _info(
        self,
        datatype: str,
        numbers: int,
        objects: int,
        xml: str,
        *,
        colours: int = COLOURS,
        spins: int = 0,
        times: tuple[int, int] | None = None,
    ) -> _core.ScidacFieldInfo:
        first, last = times or (0, self._like.lattice[3] - 1)
        return _core.ScidacFieldInfo(
            lattice=list(self._like.lattice),
            datatype=datatype,
            objects=objects,
            numbers=numbers,
            colours=colours,
            spins=spins,
            precision_bits=self._bits,
            first_time=first,
            last_time=last,
            xml=xml,
        )

    def _vector(self, xml: str, times: tuple[int, int] | None = None) -> _core.ScidacFieldInfo:
        return self._info(f"USQCD_{self._precision}3_ColorVector", COLOURS, 1, xml, times=times)

    def _wilson(self) -> _Plan:
        like = self._like
        if like.count != SPIN_COLOURS:
            raise UsageError(
                f"SciDAC files of Wilson propagators have {SPIN_COLOURS} sources, not "
                f"{like.count}; give another format"
            )
        words = f"<info>{self._described.conventions}</info>"
        name = f"QDP_{self._precision}3_DiracPropagator"
        return _Plan(
            _TITLE.format("a propagator"),
            [self._info(name, SPIN_COLOURS**2, 1, words, spins=4)],
            [(False, 0)],
        )

    def _many(self, xml: str, name: str, numbers: int, objects: int) -> _Plan:
        plan, datatype = _Plan(xml), f"USQCD_{self._precision}3_{name}"
        for n in range(self._like.count):
            plan.fields.append(self._info(datatype, numbers, objects, f"<info>number {n}</info>"))
            plan.places.append((False, n))
        return plan

    def _eigenvectors(self) -> _Plan:
        like, kept = self._like, self._like.companions
        title = "<title>KS eigenvalues and vectors</title>"
        plan = _Plan(f"<info>{title}<Nvecs>{like.count}</Nvecs></info>")
        states_residuals = not all(math.isnan(residual) for residual in kept.residuals)
        for n in range(like.count):
            words = f"<eigVal>{kept.eigenvalues[n]:.18e}</eigVal>"
            if states_residuals:
                words += f"<resid>{kept.residuals[n]:.18e}</resid>"
            plan.fields.append(self._vector(f"<info>{words}</info>"))
            plan.places.append((False, n))
        return plan

    def _staggered(self, file_type: str) -> _Plan:
        like, kept = self._like, self._like.companions
        count = 1 if file_type == SHARED_SCALAR else like.count
        # A file of this type without a source would not be read by MILC, which writes such a
        # source too where it has none.
        times = kept.times or [(0, 0)] * count
        about = "" if kept.times else _NO_SOURCE
        if len(times) != count or (file_type == SHARED_SCALAR and like.count != COLOURS):
            raise FileError(
                f"{like.path}: has {like.count} solutions and {len(times)} sources, which its type "
                f"{file_type} cannot have"
            )
        plan = _Plan(
            f"<usqcdKSPropFile><version>1.0</version><type>{file_type}</type>"
            "<info>written by onehop</info></usqcdKSPropFile>"
        )
        for n in range(like.count):
            if n < count:
                plan.fields.append(self._source(about, times[n]))
                plan.places.append((True, n))
            plan.fields.append(self._vector(_solution_xml(n % COLOURS)))
            plan.places.append((False, n))
        return plan

    def _source(self, about: str, times: tuple[int, int]) -> _core.ScidacFieldInfo:
        xml = f"<usqcdSourceInfo><version>1.0</version><info>{about}</info></usqcdSourceInfo>"
        if self._like.companions.numbers == COLOURS:
            return self._vector(xml, times)
        return self._info(f"QLA_{self._precision}_Complex", 1, 1, xml, colours=0, times=times)


def _solution_xml(colour: int) -> str:
    return f"<usqcdInfo><version>1.0</version><color>{colour}</color><info></info></usqcdInfo>"


class _ScidacSink(FieldsSink):
    def __init__(self, writer: _core.ScidacSliceWriter, plan: _Plan) -> None:
        self._writer, self._plan = writer, plan

    def write(
        self, t: int, block: NDArray[np.complex128], sources: NDArray[np.complex128] | None
    ) -> None:
        if self._plan.fields[0].spins:
            by_spin = block.reshape(4, 3, *block.shape[1:])
            block = np.moveaxis(by_spin, (0, 1), (4, 6))[np.newaxis]
        for number, (is_source, place) in enumerate(self._plan.places):
            field = self._plan.fields[number]
            if not field.first_time <= t <= field.last_time:
                continue
            if is_source and sources is None:
                numbers = np.zeros((*block.shape[1:4], field.numbers), np.complex128)
            else:
                numbers = (sources if is_source else block)[place]
            self._writer.write(number, np.ascontiguousarray(numbers))

    def finish(self) -> str:
        self._writer.finish()
        return checksum_words(self._writer.checksum)


@contextlib.contextmanager
def create_scidac(
    path: str, described: FileFormat, like: FieldsFile, bits: int
) -> Iterator[FieldsSink]:
    """Creates a file with the shape of another, which takes its name only if nothing goes wrong.
    Raises UsageError for what the format cannot hold, and FileError."""
    plan = _Planner(like, bits, described).plan()
    writer = _core.ScidacSliceWriter(path, plan.fields, plan.xml)
    try:
        yield _ScidacSink(writer, plan)
    finally:
        writer.discard()
