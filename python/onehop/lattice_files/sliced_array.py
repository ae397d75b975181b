"""Reads and writes arrays of complex numbers in .npy and HDF5 files, (n, T, Z, Y, X, ...), by
time slices."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop._core import ChecksumError, Error, FileError, NumericError
from onehop.output import Hdf5Disk, complete_or_absent, hdf5_on

if TYPE_CHECKING:
    import h5py

NPY_MAGIC, HDF5_MAGIC = b"\x93NUMPY", b"\x89HDF\r\n\x1a\n"
# HDF5 keeps, checks and reads a chunk of the array as one piece, of at most this size.
_LARGEST_CHUNK_BYTES = 4 << 20


@contextlib.contextmanager
def damage_as(path: str, what: str, kind: type[FileError] = FileError) -> Iterator[None]:
    """Turns whatever libraries raise at damaged bytes into a `kind` that says what could not be
    read."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise kind(f"{path}: {what}: {why}") from None


class NpyArray:
    """Reads an .npy file; raises FileError unless it holds complex numbers in C order."""

    has_checksum = False
    attributes: dict[str, object] = {}  # noqa: RUF012, nobody changes it

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._file = Path(path).open("rb")  # noqa: SIM115, closed with this object
        except OSError as error:
            raise FileError(f"{path}: cannot be opened: {error.strerror}") from None
        try:
            self.shape, self.dtype = self._header()
            self._offset = self._file.tell()
            trailing = self._trailing_bytes()
        except FileError:
            self.close()
            raise
        self.warnings = [f"{path}: .npy files have no checksum; damaged data would go unnoticed"]
        if trailing > 0:
            self.warnings.append(f"{path}: ignored {trailing} bytes after the data")

    def _trailing_bytes(self) -> int:
        needed = self._offset + self.dtype.itemsize * int(np.prod(self.shape, dtype=object))
        size = os.fstat(self._file.fileno()).st_size
        if size < needed:
            raise FileError(
                f"{self.path}: is truncated: it has {size} bytes, but its header needs {needed}; "
                "fetch it again"
            )
        return size - needed

    def _header(self) -> tuple[tuple[int, ...], np.dtype]:
        with damage_as(self.path, "its header is not an .npy header"):
            version = np.lib.format.read_magic(self._file)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, is_fortran, dtype = read(self._file)
        if is_fortran or dtype.kind != "c" or dtype.itemsize not in (8, 16):
            order = "Fortran order" if is_fortran else "C order"
            raise FileError(
                f"{self.path}: holds {dtype} in {order}, not complex64 or complex128 in C order; "
                "save it with numpy.ascontiguousarray"
            )
        return shape, dtype

    def read(self, t: int) -> NDArray[np.complex128]:
        """Returns all that belongs to time slice t, (n, Z, Y, X, ...)."""
        count = int(np.prod(self.shape[2:]))
        block = np.empty((self.shape[0], *self.shape[2:]), np.complex128)
        for n in range(self.shape[0]):
            self._file.seek(self._offset + (n * self.shape[1] + t) * count * self.dtype.itemsize)
            numbers = np.fromfile(self._file, self.dtype, count)
            if len(numbers) < count:
                raise FileError(f"{self.path}: ends within time slice {t}; it became shorter")
            block[n] = numbers.reshape(self.shape[2:])
        return block

    def close(self) -> None:
        self._file.close()


class Hdf5Array:
    """Reads a dataset of an HDF5 file; raises FileError unless it holds complex numbers."""

    def __init__(self, path: str, name: str) -> None:
        import h5py

        self.path, self._name = path, name
        with damage_as(path, "is not an HDF5 file that can be read"):
            self._file = h5py.File(path, "r")
        try:
            with damage_as(path, f"has no dataset '{name}' that can be read"):
                self._data: h5py.Dataset = self._file[name]
                self.shape, self.dtype = self._data.shape, self._data.dtype
                self.has_checksum = bool(self._data.fletcher32)
                self.attributes = {**self._file.attrs, **self._data.attrs}
            if self.dtype.kind != "c" or self.dtype.itemsize not in (8, 16):
                raise FileError(
                    f"{path}: its dataset '{name}' holds {self.dtype}, no complex numbers"
                )
        except FileError:
            self.close()
            raise
        self.warnings = []
        if not self.has_checksum:
            self.warnings = [
                f"{path}: its dataset has no checksum (fletcher32); damaged data would go unnoticed"
            ]

    def read(self, t: int) -> NDArray[np.complex128]:
        what = f"time slice {t} of its dataset '{self._name}' cannot be read; its checksum "
        with damage_as(self.path, f"{what}(fletcher32) or its storage is damaged", ChecksumError):
            return self._data[:, t].astype(np.complex128)

    def has(self, name: str) -> bool:
        """Returns whether the file has another dataset of this name."""
        return name in self._file

    def numbers(self, name: str, count: int) -> list[float]:
        """Reads another dataset, which has `count` real numbers. Raises FileError."""
        with damage_as(self.path, f"has no dataset '{name}' of {count} numbers", ChecksumError):
            values = self._file[name]
            if values.shape != (count,) or values.dtype.kind != "f":
                raise FileError(f"{self.path}: has no dataset '{name}' of {count} numbers")
            return [float(value) for value in values[...]]

    def close(self) -> None:
        self._file.close()


def _rounded(block: NDArray, dtype: np.dtype, path: str) -> NDArray:
    with np.errstate(over="ignore"):
        rounded = block.astype(dtype)
    if not np.isfinite(rounded).all() and np.isfinite(block).all():
        raise NumericError(f"{path}: a number is too large for {dtype}")
    return rounded


class _NpyWriter:
    def __init__(self, path: str, temporary: Path, shape: tuple[int, ...], dtype: str) -> None:
        self._path, self._shape, self._dtype = path, shape, np.dtype(dtype)
        self._file = temporary.open("r+b")
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)
        self._offset = self._file.tell()
        size = self._offset + self._dtype.itemsize * int(np.prod(shape, dtype=object))
        # A full disk is an error here, before anything was computed.
        os.posix_fallocate(self._file.fileno(), 0, size)

    def write(self, t: int, block: NDArray) -> None:
        numbers = _rounded(block, self._dtype, self._path)
        size = numbers[0].nbytes
        for n in range(self._shape[0]):
            self._file.seek(self._offset + (n * self._shape[1] + t) * size)
            self._file.write(np.ascontiguousarray(numbers[n]).data)

    def describe(self, attributes: dict[str, object]) -> None:
        """Drops the description, since the format has no room for words."""

    def close(self) -> None:
        self._file.close()


class _Hdf5Writer:
    """Writes one dataset of a file, which others may share."""

    def __init__(
        self,
        path: str,
        file: h5py.File,
        disk: Hdf5Disk,
        shape: tuple[int, ...],
        dtype: str,
        name: str,
    ) -> None:
        self._path, self._file, self._disk, self._dtype = path, file, disk, np.dtype(dtype)
        rows = int(np.prod(shape[3:])) * self._dtype.itemsize
        together = max(1, min(shape[2], _LARGEST_CHUNK_BYTES // rows))
        self._data = self._file.create_dataset(
            name, shape, self._dtype, chunks=(1, 1, together, *shape[3:]), fletcher32=True
        )

    def write(self, t: int, block: NDArray) -> None:
        self._data[:, t] = _rounded(block, self._dtype, self._path)
        self._disk.check()

    def describe(self, attributes: dict[str, object]) -> None:
        self._data.attrs.update(attributes)

    def beside(self, name: str, shape: tuple[int, ...]) -> _Hdf5Writer:
        """Returns a writer of another dataset, of the same precision."""
        return _Hdf5Writer(self._path, self._file, self._disk, shape, self._dtype.str, name)

    def add(self, name: str, values: list[float]) -> None:
        """Writes another dataset, of real numbers."""
        self._file.create_dataset(name, data=np.array(values, np.float64), fletcher32=True)


@contextlib.contextmanager
def new_array(
    path: str, shape: tuple[int, ...], bits: int, dataset: str | None
) -> Iterator[_NpyWriter | _Hdf5Writer]:
    """Creates a file that takes its name at the end, if nothing goes wrong: HDF5 with that dataset,
    or .npy without one. Raises FileError."""
    dtype = "<c8" if bits == 32 else "<c16"
    with complete_or_absent(path) as temporary:
        if dataset is None:
            with contextlib.closing(_NpyWriter(path, temporary, shape, dtype)) as writer:
                yield writer
        else:
            with Hdf5Disk(temporary) as disk, hdf5_on(disk) as file:
                yield _Hdf5Writer(path, file, disk, shape, dtype, dataset)
