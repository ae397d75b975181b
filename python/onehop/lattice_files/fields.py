"""Reads and writes several fields of one kind by time slices (n, Z, Y, X, ...), complex128: the
sources of a propagator, eigenvectors, fat and long links."""

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from onehop._core import FileError, NumericError
from onehop.lattice_files.field_file import CHECKSUM_OF_ARRAYS, ArrayFile, FieldFile
from onehop.lattice_files.formats import (
    DATASETS,
    EIGENVECTORS,
    LINK_FIELDS,
    PROPAGATOR,
    FileFormat,
    container_of,
)
from onehop.lattice_files.sliced_array import Hdf5Array, NpyArray, new_array

# A site of these kinds has numbers of these shapes.
_SITE_SHAPES = {
    PROPAGATOR: ((4, 3), (3,)),
    EIGENVECTORS: ((3,),),
    LINK_FIELDS: ((4, 3, 3),),
}
_SITES_IN_WORDS = {
    PROPAGATOR: "(sources, T, Z, Y, X, 4, 3) or (sources, T, Z, Y, X, 3)",
    EIGENVECTORS: "(n, T, Z, Y, X, 3)",
    LINK_FIELDS: "(n, 4, 3, 3) at each site: (n, T, Z, Y, X, 4, 3, 3)",
}
# One of several fields is called so in messages.
MEMBER = {PROPAGATOR: "source", EIGENVECTORS: "eigenvector", LINK_FIELDS: "link field"}
# HDF5 files have these datasets beside the fields.
_SOURCES, _EIGENVALUES, _RESIDUALS = "source_fields", "eigenvalues", "residuals"

# What is said of staggered fields that another program has made.
FOREIGN_STAGGERED = (
    "Complex numbers (source or eigenvector, T, Z, Y, X, colour) as a SciDAC file had them, in the "
    "normalisation and with the phases of the program that wrote it. MILC has M = 2 m + sum_mu "
    "eta_mu(x) [U_mu(x) chi(x+mu) - U_mu^+(x-mu) chi(x-mu)] with eta_t = 1, eta_x = (-1)^t, eta_y "
    "= (-1)^(t+x), eta_z = (-1)^(t+x+y), antiperiodic in time, and eigenvalues of -D^2 of it."
)


@dataclasses.dataclass
class Companions:
    """What a file has beside its fields.

    file_type     of a staggered propagator, as USQCD names it; empty where the file names none
    times         of each source field the first and the last time slice on which it is
    numbers       complex numbers of a source field at a site, 1 or 3
    eigenvalues   of eigenvectors
    residuals     that the file states for these
    """

    file_type: str = ""
    times: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    numbers: int = 1
    eigenvalues: list[float] = dataclasses.field(default_factory=list)
    residuals: list[float] = dataclasses.field(default_factory=list)


def is_shape_of(kind: str, shape: tuple[int, ...]) -> bool:
    return len(shape) > 5 and shape[5:] in _SITE_SHAPES[kind] and min(shape) > 0


@dataclasses.dataclass(kw_only=True)
class FieldsFile(FieldFile):
    """Fields that are read. site_shape (4, 3) of Wilson quarks, (3,) of staggered ones, (4, 3, 3)
    of links."""

    kind: str
    count: int
    site_shape: tuple[int, ...]
    companions: Companions

    def read(self, t: int) -> NDArray[np.complex128]:
        """Reads a slice. Raises FileError, ChecksumError, NumericError."""
        block = self._read(t)
        self._check_finite(block, t, MEMBER[self.kind])
        return block

    def read_sources(self, t: int) -> NDArray[np.complex128] | None:
        """Reads a slice (n, Z, Y, X, numbers) of the source fields; None if there are none."""
        if not self.companions.times:
            return None
        block = self._read_sources(t)
        self._check_finite(block, t, "source field")
        return block

    def _check_finite(self, block: NDArray[np.complex128], t: int, member: str) -> None:
        if not np.isfinite(block).all():
            n, z, y, x = np.argwhere(~np.isfinite(block))[0][:4]
            raise NumericError(
                f"{self.path}: {member} {n} at site ({x},{y},{z},{t}) is not a finite number; "
                "the file is damaged, fetch or make it again"
            )

    def _read(self, t: int) -> NDArray[np.complex128]:
        raise NotImplementedError

    def _read_sources(self, t: int) -> NDArray[np.complex128]:
        raise NotImplementedError


@dataclasses.dataclass(kw_only=True)
class _ArrayFields(ArrayFile, FieldsFile):
    sources: Hdf5Array | None

    def _read(self, t: int) -> NDArray[np.complex128]:
        return self.array.read(t)

    def _read_sources(self, t: int) -> NDArray[np.complex128]:
        assert self.sources is not None
        return self.sources.read(t)

    def close(self) -> None:
        super().close()
        if self.sources is not None:
            self.sources.close()


def open_array(path: str, kind: str) -> FieldsFile:
    """Opens an HDF5 or .npy file. Raises FileError."""
    container = container_of(path)
    array = NpyArray(path) if container == "npy" else Hdf5Array(path, DATASETS[kind])
    sources = None
    try:
        if not is_shape_of(kind, array.shape):
            raise FileError(
                f"{path}: holds an array of shape {tuple(array.shape)}, no {kind} "
                f"{_SITES_IN_WORDS[kind]}"
            )
        companions, sources = Companions(), None
        if isinstance(array, Hdf5Array):
            companions, sources = _companions(array, kind)
    except FileError:
        array.close()
        raise
    return _ArrayFields(
        **ArrayFile.facts(path, container or "", array),
        kind=kind,
        count=array.shape[0],
        site_shape=tuple(array.shape[5:]),
        companions=companions,
        sources=sources,
    )


def _companions(array: Hdf5Array, kind: str) -> tuple[Companions, Hdf5Array | None]:
    # Bytes that are not UTF-8 come as lone surrogates, which no file takes.
    named = str(array.attributes.get("file_type", "")).encode(errors="surrogateescape")
    found = Companions(file_type=named.decode(errors="backslashreplace"))
    if kind == EIGENVECTORS:
        count = array.shape[0]
        found.eigenvalues = array.numbers(_EIGENVALUES, count)
        found.residuals = array.numbers(_RESIDUALS, count) if array.has(_RESIDUALS) else []
    if not array.has(_SOURCES):
        return found, None
    sources = Hdf5Array(array.path, _SOURCES)
    times = np.asarray(sources.attributes.get("times", ()))
    if (
        len(sources.shape) != 6
        or sources.shape[1:5] != array.shape[1:5]
        or sources.shape[5] not in (1, 3)
        or times.shape != (sources.shape[0], 2)
        or times.dtype.kind not in "iu"
        or not ((times >= 0) & (times < array.shape[1])).all()
        or not (times[:, 0] <= times[:, 1]).all()
    ):
        sources.close()
        raise FileError(f"{array.path}: its dataset '{_SOURCES}' does not belong to its propagator")
    found.times, found.numbers = [(int(a), int(b)) for a, b in times], sources.shape[5]
    return found, sources


class FieldsSink:
    """Fields that are written, slices t = 0, 1, ... in this order."""

    def write(
        self, t: int, block: NDArray[np.complex128], sources: NDArray[np.complex128] | None
    ) -> None:
        """Writes a slice. Raises FileError, NumericError."""
        raise NotImplementedError

    def finish(self) -> str:
        """Gives the file its name; returns its checksum in words."""
        raise NotImplementedError


class _ArraySink(FieldsSink):
    def __init__(self, writer: object, sources: object, described: FileFormat, words: str) -> None:
        self._writer, self._sources = writer, sources
        self._described, self._words = described, words

    def write(
        self, t: int, block: NDArray[np.complex128], sources: NDArray[np.complex128] | None
    ) -> None:
        self._writer.write(t, block)
        if self._sources is not None:
            self._sources.write(t, sources)

    def finish(self) -> str:
        self._writer.describe({"conventions": self._words})
        return CHECKSUM_OF_ARRAYS if self._described.has_checksum else ""


@contextlib.contextmanager
def create_array(
    path: str, described: FileFormat, like: FieldsFile, bits: int
) -> Iterator[FieldsSink]:
    """Creates an HDF5 or .npy file with the shape of another file, which takes its name only if
    nothing goes wrong. Raises FileError."""
    kept = like.companions
    shape = (like.count, *reversed(like.lattice), *like.site_shape)
    dataset = DATASETS[like.kind] if described.name == "HDF5" else None
    is_foreign = kept.file_type or like.kind == EIGENVECTORS
    words = FOREIGN_STAGGERED if is_foreign else described.conventions
    with new_array(path, shape, bits, dataset) as array:
        sources = None
        if dataset is not None:
            if kept.file_type:
                array.describe({"file_type": kept.file_type})
            if like.kind == EIGENVECTORS:
                array.add(_EIGENVALUES, kept.eigenvalues)
                array.add(_RESIDUALS, kept.residuals or [np.nan] * like.count)
            if kept.times:
                shape = (len(kept.times), *reversed(like.lattice), kept.numbers)
                sources = array.beside(_SOURCES, shape)
                sources.describe({"times": np.array(kept.times)})
        yield _ArraySink(array, sources, described, words)
