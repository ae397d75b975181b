"""Reads and writes gauge fields of any format by time slices (Z, Y, X, 4, 3, 3), complex128."""

import contextlib
import dataclasses
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop._core import FileError, NumericError
from onehop.lattice_files.field_file import (
    CHECKSUM_OF_ARRAYS,
    ArrayFile,
    FieldFile,
    FormatFile,
)
from onehop.lattice_files.formats import DATASETS, GAUGE, FileFormat, container_of
from onehop.lattice_files.sliced_array import Hdf5Array, NpyArray, new_array

# What HDF5 states of the links may differ from what they give by the rounding of another sum.
_SAME = {32: 1e-5, 64: 1e-9}


@dataclasses.dataclass(kw_only=True)
class GaugeFile(FieldFile):
    """A configuration that is read. stored_rows 3, or 2 of which the third is made."""

    stored_rows: int

    kind = GAUGE

    def read(self, t: int) -> NDArray[np.complex128]:
        """Reads a slice. Raises FileError, ChecksumError."""
        raise NotImplementedError

    @property
    def states_means(self) -> bool:
        """Returns whether the file says what its plaquette is."""
        raise NotImplementedError

    def verify_means(self, found: _core.GaugeSummary) -> None:
        """Compares plaquette and link trace with what the file states of them. Raises FileError."""
        raise NotImplementedError


@dataclasses.dataclass(kw_only=True)
class _FormatGauge(FormatFile, GaugeFile):
    def read(self, t: int) -> NDArray[np.complex128]:
        x, y, z, _ = self.lattice
        links = np.empty((z, y, x, 4, 3, 3), np.complex128)
        self.reader.read(t, links)
        return links

    @property
    def states_means(self) -> bool:
        return math.isfinite(self.reader.info.plaquette)

    def verify_means(self, found: _core.GaugeSummary) -> None:
        self.reader.verify_means(found)


@dataclasses.dataclass(kw_only=True)
class _ArrayGauge(ArrayFile, GaugeFile):
    def read(self, t: int) -> NDArray[np.complex128]:
        return np.ascontiguousarray(np.moveaxis(self.array.read(t), 0, 3))

    @property
    def states_means(self) -> bool:
        return "plaquette" in self.array.attributes

    def verify_means(self, found: _core.GaugeSummary) -> None:
        given = {"plaquette": found.plaquette.mean, "link_trace": found.link_trace}
        for name, value in given.items():
            stated = self.array.attributes.get(name)
            if stated is not None and not abs(stated - value) <= _SAME[self.precision_bits]:
                raise FileError(
                    f"{self.path}: it states the {name.replace('_', ' ')} {stated!r}, but its "
                    f"links give {value!r}; the file is damaged or its links are not what it says"
                )


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Makes errors about links name this file."""
    try:
        yield
    except NumericError as error:
        raise NumericError(f"{path}: {error}") from None


def is_gauge_shape(shape: tuple[int, ...]) -> bool:
    return len(shape) == 7 and shape[0] == 4 and shape[5:] == (3, 3) and min(shape) > 0


def open_gauge(path: str) -> GaugeFile:
    """Reads the header; the format is recognised from the content. Raises FileError."""
    container = container_of(path)
    if container is None:
        reader = _core.GaugeSliceReader(path)
        info = reader.info
        return _FormatGauge(
            path=path,
            format=info.format,
            lattice=tuple(info.lattice),
            precision_bits=info.precision_bits,
            has_checksum=info.has_checksum,
            warnings=list(reader.warnings),
            stored_rows=info.stored_rows,
            reader=reader,
        )
    array = NpyArray(path) if container == "npy" else Hdf5Array(path, DATASETS[GAUGE])
    if not is_gauge_shape(array.shape):
        array.close()
        raise FileError(
            f"{path}: holds an array of shape {tuple(array.shape)}, no links (4, T, Z, Y, X, 3, 3)"
        )
    return _ArrayGauge(**ArrayFile.facts(path, container, array), stored_rows=3)


class GaugeSink:
    """A configuration that is written, slices t = 0, 1, ... in this order."""

    def write(self, t: int, links: NDArray[np.complex128]) -> None:
        """Writes a slice. Raises FileError, NumericError."""
        raise NotImplementedError

    def finish(self, found: _core.GaugeSummary) -> str:
        """Gives the file its name; returns its checksum in words."""
        raise NotImplementedError


class _FormatSink(GaugeSink):
    def __init__(self, writer: _core.GaugeSliceWriter) -> None:
        self._writer = writer

    def write(self, t: int, links: NDArray[np.complex128]) -> None:
        self._writer.write(links)

    def finish(self, found: _core.GaugeSummary) -> str:
        self._writer.finish(found.plaquette.mean, found.link_trace)
        return self._writer.checksum


class _ArraySink(GaugeSink):
    def __init__(self, writer: object, described: FileFormat) -> None:
        self._writer, self._described = writer, described

    def write(self, t: int, links: NDArray[np.complex128]) -> None:
        self._writer.write(t, np.moveaxis(links, 3, 0))

    def finish(self, found: _core.GaugeSummary) -> str:
        self._writer.describe(
            {
                "conventions": self._described.conventions,
                "plaquette": found.plaquette.mean,
                "link_trace": found.link_trace,
            }
        )
        return CHECKSUM_OF_ARRAYS if self._described.has_checksum else ""


@contextlib.contextmanager
def create_gauge(
    path: str, described: FileFormat, lattice: tuple[int, ...], bits: int, rows: int
) -> Iterator[GaugeSink]:
    """Creates a file, which takes its name only if nothing goes wrong. Raises UsageError for what
    the format cannot hold, and FileError."""
    if described.name in ("HDF5", "npy"):
        shape = (4, *reversed(lattice), 3, 3)
        dataset = DATASETS[GAUGE] if described.name == "HDF5" else None
        with new_array(path, shape, bits, dataset) as array:
            yield _ArraySink(array, described)
        return
    writer = _core.GaugeSliceWriter(path, described.name, list(lattice), bits, rows)
    try:
        yield _FormatSink(writer)
    finally:
        writer.discard()
