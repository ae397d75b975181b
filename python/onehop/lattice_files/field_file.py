"""A field in a file that is read by time slices, from a format of the library or from an array."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onehop import _core
    from onehop.lattice_files.sliced_array import Hdf5Array, NpyArray

CHECKSUM_OF_ARRAYS = "fletcher32 of each chunk"


@dataclasses.dataclass(kw_only=True)
class FieldFile:
    """What every file says about its field: the lattice x, y, z, t, and warnings, which are
    lines for the user."""

    path: str
    format: str
    lattice: tuple[int, int, int, int]
    precision_bits: int
    has_checksum: bool
    warnings: list[str]

    @property
    def checksum(self) -> str:
        """Returns the checksum of the slices read so far, in words; empty if there is none."""
        raise NotImplementedError

    def verify_checksum(self) -> None:
        """Checks the checksum after every slice was read once. Raises ChecksumError."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


@dataclasses.dataclass(kw_only=True)
class FormatFile(FieldFile):
    """A file in a format that the library reads."""

    reader: _core.GaugeSliceReader | _core.ScidacSliceReader

    @property
    def checksum(self) -> str:
        return self.reader.checksum

    def verify_checksum(self) -> None:
        self.reader.verify_checksum()

    def close(self) -> None:
        """Does nothing: the reader closes the file when it goes."""


@dataclasses.dataclass(kw_only=True)
class ArrayFile(FieldFile):
    """A file of HDF5 or NumPy that holds the field as an array."""

    array: NpyArray | Hdf5Array

    @staticmethod
    def facts(path: str, container: str, array: NpyArray | Hdf5Array) -> dict[str, object]:
        """Returns the values of this class for an array whose axes 1 to 4 are t, z, y, x."""
        return {
            "path": path,
            "format": container,
            "lattice": tuple(reversed(array.shape[1:5])),
            "precision_bits": 4 * array.dtype.itemsize,
            "has_checksum": array.has_checksum,
            "warnings": list(array.warnings),
            "array": array,
        }

    @property
    def checksum(self) -> str:
        return CHECKSUM_OF_ARRAYS if self.has_checksum else ""

    def verify_checksum(self) -> None:
        """Does nothing: HDF5 has checked each chunk as it was read."""

    def close(self) -> None:
        self.array.close()
