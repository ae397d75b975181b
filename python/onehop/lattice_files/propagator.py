"""Reads and writes propagators by time slices (sources, Z, Y, X, 4, 3), staggered (..., 3),
complex128."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop._core import FileError, NumericError, UsageError
from onehop.lattice_files.field_file import (
    CHECKSUM_OF_ARRAYS,
    ArrayFile,
    FieldFile,
    FormatFile,
)
from onehop.lattice_files.formats import DATASETS, PROPAGATOR, container_of
from onehop.lattice_files.sliced_array import Hdf5Array, NpyArray, new_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from onehop.lattice_files.formats import FileFormat

# These are the numbers of spin and colour at the sink and at the source.
PROPAGATOR_NUMBERS = 144
_COMPONENTS = 12


def is_propagator_shape(shape: tuple[int, ...]) -> bool:
    return len(shape) in (6, 7) and shape[5:] in ((4, 3), (3,)) and min(shape) > 0


@dataclasses.dataclass(kw_only=True)
class PropagatorFile(FieldFile):
    """A propagator that is read. site_shape (4, 3), or (3,) of staggered quarks."""

    sources: int
    site_shape: tuple[int, ...]

    kind = PROPAGATOR

    def read(self, t: int) -> NDArray[np.complex128]:
        """Reads a slice. Raises FileError, ChecksumError, NumericError."""
        block = self._read(t)
        if not np.isfinite(block).all():
            source, z, y, x = np.argwhere(~np.isfinite(block))[0][:4]
            raise NumericError(
                f"{self.path}: source {source} at site ({x},{y},{z},{t}) is not a finite number; "
                "the file is damaged, fetch or solve it again"
            )
        return block

    def _read(self, t: int) -> NDArray[np.complex128]:
        raise NotImplementedError


@dataclasses.dataclass(kw_only=True)
class _ScidacPropagator(FormatFile, PropagatorFile):
    def _read(self, t: int) -> NDArray[np.complex128]:
        x, y, z, _ = self.lattice
        numbers = np.empty((z, y, x, 4, 4, 3, 3), np.complex128)
        self.reader.read(0, t, numbers)
        # The order is spin and colour of the source, then the site, then those of the sink.
        return np.moveaxis(numbers, (4, 6), (0, 1)).reshape(_COMPONENTS, z, y, x, 4, 3)


@dataclasses.dataclass(kw_only=True)
class _ArrayPropagator(ArrayFile, PropagatorFile):
    def _read(self, t: int) -> NDArray[np.complex128]:
        return self.array.read(t)


def open_propagator(path: str) -> PropagatorFile:
    """Reads the header; the format is recognised from the content. Raises FileError."""
    container = container_of(path)
    if container is None:
        reader = _core.ScidacSliceReader(path)
        info = reader.fields[0]
        if len(reader.fields) > 1:
            raise FileError(f"{path}: holds {len(reader.fields)} fields, but a propagator is one")
        if info.numbers != PROPAGATOR_NUMBERS or info.colours != 3:
            raise FileError(
                f"{path}: its field has {info.numbers} numbers a site ({info.datatype}), no "
                f"propagator ({PROPAGATOR_NUMBERS})"
            )
        return _ScidacPropagator(
            path=path,
            format="SciDAC",
            lattice=tuple(info.lattice),
            precision_bits=info.precision_bits,
            has_checksum=info.has_checksum,
            warnings=list(reader.warnings),
            sources=_COMPONENTS,
            site_shape=(4, 3),
            reader=reader,
        )
    array = NpyArray(path) if container == "npy" else Hdf5Array(path, DATASETS[PROPAGATOR])
    if not is_propagator_shape(array.shape):
        array.close()
        raise FileError(
            f"{path}: holds an array of shape {tuple(array.shape)}, no propagator "
            "(sources, T, Z, Y, X, 4, 3) or (sources, T, Z, Y, X, 3)"
        )
    return _ArrayPropagator(
        **ArrayFile.facts(path, container, array),
        sources=array.shape[0],
        site_shape=tuple(array.shape[5:]),
    )


class PropagatorSink:
    """A propagator that is written, slices t = 0, 1, ... in this order."""

    def write(self, t: int, block: NDArray[np.complex128]) -> None:
        """Writes a slice. Raises FileError, NumericError."""
        raise NotImplementedError

    def finish(self) -> str:
        """Gives the file its name; returns its checksum in words."""
        raise NotImplementedError


class _ScidacSink(PropagatorSink):
    def __init__(self, writer: _core.ScidacSliceWriter) -> None:
        self._writer = writer

    def write(self, t: int, block: NDArray[np.complex128]) -> None:
        by_spin = block.reshape(4, 3, *block.shape[1:])
        self._writer.write(0, np.ascontiguousarray(np.moveaxis(by_spin, (0, 1), (4, 6))))

    def finish(self) -> str:
        self._writer.finish()
        return self._writer.checksum


class _ArraySink(PropagatorSink):
    def __init__(self, writer: object, described: FileFormat) -> None:
        self._writer, self._described = writer, described

    def write(self, t: int, block: NDArray[np.complex128]) -> None:
        self._writer.write(t, block)

    def finish(self) -> str:
        self._writer.describe({"conventions": self._described.conventions})
        return CHECKSUM_OF_ARRAYS if self._described.has_checksum else ""


@contextlib.contextmanager
def create_propagator(
    path: str, described: FileFormat, like: PropagatorFile, bits: int
) -> Iterator[PropagatorSink]:
    """Creates a file with the shape of another, which takes its name only if nothing goes wrong.
    Raises UsageError for what the format cannot hold, and FileError."""
    if described.name != "SciDAC":
        shape = (like.sources, *reversed(like.lattice), *like.site_shape)
        dataset = DATASETS[PROPAGATOR] if described.name == "HDF5" else None
        with new_array(path, shape, bits, dataset) as array:
            yield _ArraySink(array, described)
        return
    if (like.sources, like.site_shape) != (_COMPONENTS, (4, 3)):
        raise UsageError(
            f"SciDAC files of propagators have {_COMPONENTS} sources of 4 spins and 3 colours, not "
            f"{like.sources} of {like.site_shape}; give another format"
        )
    datatype = f"QDP_{'D' if bits == 64 else 'F'}3_DiracPropagator"
    writer = _core.ScidacSliceWriter(
        path,
        [
            _core.ScidacFieldInfo(
                lattice=list(like.lattice),
                datatype=datatype,
                objects=1,
                numbers=PROPAGATOR_NUMBERS,
                colours=3,
                spins=4,
                precision_bits=bits,
                first_time=0,
                last_time=like.lattice[3] - 1,
                xml=f"<info>{described.conventions}</info>",
            )
        ],
        "<title>written by onehop</title>",
    )
    try:
        yield _ScidacSink(writer)
    finally:
        writer.discard()
