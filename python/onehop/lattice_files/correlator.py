"""Reads and writes files of correlators: records of `onehop solve`, tables of text, HDF5 and
.npy."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop._core import ChecksumError, FileError, NumericError
from onehop.lattice_files.formats import CORRELATORS, DATASETS, FileFormat, container_of
from onehop.lattice_files.sliced_array import damage_as
from onehop.output import complete_or_absent, new_hdf5

if TYPE_CHECKING:
    import h5py

# A table begins with this.
TABLE_START = "# onehop correlators"
_NAMES = "names"
_LARGEST_BYTES = 1 << 30


@dataclasses.dataclass
class CorrelatorFile:
    """Correlators that were read: a name for each, and complex128 values (n, T), t counted from the
    source."""

    path: str
    format: str
    names: list[str]
    values: NDArray[np.complex128]
    has_checksum: bool
    warnings: list[str]

    kind = CORRELATORS

    @property
    def is_named(self) -> bool:
        """Whether names say more than the order; .npy files have no names."""
        return self.names != _numbered(len(self.names))


def _numbered(count: int) -> list[str]:
    return [str(n) for n in range(count)]


def _complex(real: NDArray, imaginary: NDArray) -> NDArray[np.complex128]:
    """Makes complex numbers from their parts, since arithmetic would lose the sign of a zero."""
    values = np.empty(np.shape(real), np.complex128)
    values.real, values.imag = real, imaginary
    return values


def _meson_name(one: Mapping[str, object]) -> str:
    """Returns 'gt.g5@0,0,1': a word, so that it can head a column."""
    return f"{one['structure'].replace(' ', '.')}@{_numbers(one['momentum'])}"


def _baryon_name(one: Mapping[str, object]) -> str:
    """Returns 'proton+@0,0,1', where the sign is that of the parity."""
    return f"{one['baryon']}{'+' if one['parity'] > 0 else '-'}@{_numbers(one['momentum'])}"


def _numbers(momentum: Sequence[int]) -> str:
    return ",".join(str(int(n)) for n in momentum)


# These lists of a record hold correlators, and the functions name their entries.
_HADRONS = {"mesons": _meson_name, "baryons": _baryon_name}
# An entry is named by these keys, and its numbers are in these.
_KEYS = {
    "mesons": ("structure", "momentum", "correlator", "imaginary"),
    "baryons": ("baryon", "parity", "momentum", "correlator", "imaginary"),
}


def open_correlators(path: str) -> CorrelatorFile:
    """Reads all correlators. Raises FileError, ChecksumError; NumericError for a value that is not
    finite."""
    container = container_of(path)
    checked = False
    warnings = [f"{path}: has no checksum; damaged numbers would go unnoticed"]
    if container == "npy":
        found = _from_npy(path)
        form = "npy"
    elif container == "HDF5":
        *found, checked = _from_hdf5(path)
        form = "HDF5"
    else:
        text = _text(path)
        is_table = text.startswith(TABLE_START)
        found = _from_table(path, text) if is_table else _from_record(path, text)
        form = "text" if is_table else "record"
    names, values = found
    if values.ndim != 2 or values.shape[0] != len(names) or 0 in values.shape:
        raise FileError(f"{path}: has {len(names)} names for numbers {values.shape}; it is damaged")
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        n, t = wrong[0]
        raise NumericError(f"{path}: correlator {names[n]} at t {t} is not a finite number")
    return CorrelatorFile(path, form, names, values, checked, [] if checked else warnings)


def _text(path: str) -> str:
    try:
        file = Path(path)
        if file.stat().st_size > _LARGEST_BYTES:
            raise FileError(f"{path}: is too large for correlators")
        return file.read_text(encoding="utf-8-sig")
    except FileError:
        raise  # An OSError too, which says it better.
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is neither a record nor a table of correlators") from None


def _from_npy(path: str) -> tuple[list[str], NDArray[np.complex128]]:
    with damage_as(path, "cannot be read"):
        values = np.load(path, allow_pickle=False)
    return _numbered(len(values)), values.astype(np.complex128)


def _from_record(path: str, text: str) -> tuple[list[str], NDArray[np.complex128]]:
    try:
        record = json.loads(text)
        return _of_record(
            record.get("correlator"),
            [(one.get("mass"), one["correlator"]) for one in record.get("masses", [])],
            {kind: record.get(kind, []) for kind in _HADRONS},
            path,
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        why = f"{type(error).__name__} {error}"
        raise FileError(f"{path}: is not a record of onehop solve: {why}") from None


def _of_record(
    pion: Sequence[float] | None,
    masses: list[tuple[float, Sequence[float]]],
    hadrons: dict[str, list[Mapping[str, object]]],
    path: str,
) -> tuple[list[str], NDArray[np.complex128]]:
    names: list[str] = []
    rows: list[NDArray] = []
    if masses:
        names += [f"pion:mass={mass!r}" for mass, _ in masses]
        rows += [np.asarray(values, np.float64) for _, values in masses]
    elif pion is not None:
        names.append("pion")
        rows.append(np.asarray(pion, np.float64))
    for kind, listed in hadrons.items():
        names += map(_HADRONS[kind], listed)
        rows += [_complex(one["correlator"], one["imaginary"]) for one in listed]
    if not rows:
        raise FileError(f"{path}: is a record without correlators")
    return names, np.array(rows, np.complex128)


def _from_hdf5(path: str) -> tuple[list[str], NDArray[np.complex128], bool]:
    import h5py

    with damage_as(path, "has no correlators that can be read"), h5py.File(path, "r") as file:
        if DATASETS[CORRELATORS] in file:
            data = file[DATASETS[CORRELATORS]]
            with damage_as(path, "its checksum (fletcher32) or storage is damaged", ChecksumError):
                values = data[...].astype(np.complex128)
            return _rows(file[_NAMES]), values, bool(data.fletcher32)
        hadrons = {kind: _entries(file[kind], kind) for kind in _HADRONS if kind in file}
        heavy = []
        if "masses" in file:
            of = file["masses"]
            heavy = [*zip(of["mass"][...].tolist(), of["correlator"][...], strict=True)]
        pion = file["correlator"][...] if "correlator" in file else None
        return *_of_record(pion, heavy, hadrons, path), False


def _rows(data: h5py.Dataset) -> list:
    """Returns words as str."""
    return [one.decode() if isinstance(one, bytes) else one for one in data[...]]


def _entries(group: h5py.Group, kind: str) -> list[dict[str, object]]:
    """Returns the list that write_hdf5 has made a group with a dataset per key of."""
    columns = [_rows(group[key]) for key in _KEYS[kind]]
    return [dict(zip(_KEYS[kind], row, strict=True)) for row in zip(*columns, strict=True)]


def _from_table(path: str, text: str) -> tuple[list[str], NDArray[np.complex128]]:
    lines = text.splitlines()
    heads = [line[1:].split() for line in lines if line.startswith("# t ")]
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    try:
        (names,) = heads
        numbers = np.array([[float(word) for word in row] for row in rows])
        times, values = numbers[:, 0], _complex(numbers[:, 1::2], numbers[:, 2::2])
        if list(times) != list(range(len(rows))):
            raise ValueError("t does not count from 0")
    except (ValueError, IndexError) as error:
        why = " ".join(str(error).split())
        raise FileError(f"{path}: is not a whole table of correlators: {why}") from None
    return names[1::2], values.T


def write_correlators(path: str, described: FileFormat, found: CorrelatorFile) -> None:
    """Writes the file whole or not at all. Raises FileError."""
    if described.name == "HDF5":
        _write_hdf5(path, described, found)
        return
    with complete_or_absent(path) as temporary:
        if described.name == "npy":
            with temporary.open("wb") as file:
                np.save(file, np.ascontiguousarray(found.values))
        else:
            temporary.write_text(_table(described, found))


def _write_hdf5(path: str, described: FileFormat, found: CorrelatorFile) -> None:
    with new_hdf5(path) as file:
        data = file.create_dataset(
            DATASETS[CORRELATORS], data=found.values, chunks=found.values.shape, fletcher32=True
        )
        data.attrs["conventions"] = described.conventions
        file.create_dataset(_NAMES, data=found.names)


def _table(described: FileFormat, found: CorrelatorFile) -> str:
    heads = [part for name in found.names for part in (name, f"imaginary:{name}")]
    lines = [TABLE_START, f"# {described.conventions}", f"# {'  '.join(['t', *heads])}"]
    for t, values in enumerate(found.values.T):
        numbers = [repr(float(part)) for value in values for part in (value.real, value.imag)]
        lines.append("  ".join([str(t), *numbers]))
    return "\n".join(lines) + "\n"
