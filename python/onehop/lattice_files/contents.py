"""Tells from a file's content what kind of field it holds."""

from onehop import _core
from onehop._core import FileError
from onehop.extras import require
from onehop.lattice_files.correlator import TABLE_START
from onehop.lattice_files.fields import FieldsFile, is_shape_of, open_array
from onehop.lattice_files.formats import (
    CORRELATORS,
    DATASETS,
    GAUGE,
    LINK_FIELDS,
    PROPAGATOR,
    container_of,
    first_bytes,
)
from onehop.lattice_files.gauge import is_gauge_shape
from onehop.lattice_files.scidac_fields import describe, open_scidac
from onehop.lattice_files.sliced_array import NpyArray, damage_as


def kind_of(path: str) -> str:
    """Returns one of KINDS. Raises FileError if the file holds none."""
    container = container_of(path)
    if container == "npy":
        return _kind_of_array(path)
    if container == "HDF5":
        return _kind_of_hdf5(path)
    start = first_bytes(path, len(TABLE_START))
    if start.startswith(b"{") or start == TABLE_START.encode():
        return CORRELATORS
    if _core.is_scidac_file(path):
        return describe(path, _core.ScidacSliceReader(path)).kind
    return GAUGE


def open_fields(path: str, kind: str, *, allow_non_unitary: bool = False) -> FieldsFile:
    """Opens a file of several fields of this kind. Raises FileError, also for several fields of
    links where links outside SU(3) are not allowed."""
    if kind == LINK_FIELDS and not allow_non_unitary:
        raise FileError(
            f"{path}: holds several fields of links, as fat and long links are, and no "
            "configuration; --allow-non-unitary takes them as they are"
        )
    if container_of(path) is not None:
        return open_array(path, kind)
    if not _core.is_scidac_file(path):
        raise FileError(f"{path}: holds no {kind}")
    return open_scidac(path, kind)


def holds_field(path: str) -> bool:
    """Returns whether links, a propagator or eigenvectors are in a file."""
    try:
        kind = kind_of(path)
        if kind == GAUGE and container_of(path) is None and not _core.is_scidac_file(path):
            _core.inspect_gauge_file(path)
    except _core.Error:
        return False
    return kind != CORRELATORS


def _kind_of_array(path: str) -> str:
    array = NpyArray(path)
    array.close()
    if is_gauge_shape(array.shape):
        return GAUGE
    for kind in (PROPAGATOR, LINK_FIELDS):
        if is_shape_of(kind, array.shape):
            return kind
    if len(array.shape) == 2:
        return CORRELATORS
    raise FileError(
        f"{path}: holds an array of shape {array.shape}: no links (4, T, Z, Y, X, 3, 3), no "
        "propagator (sources, T, Z, Y, X, 4, 3) or (sources, T, Z, Y, X, 3), no fields of links "
        "(n, T, Z, Y, X, 4, 3, 3), no correlators (n, T)"
    )


def _kind_of_hdf5(path: str) -> str:
    require("HDF5 files")
    import h5py

    with damage_as(path, "is not an HDF5 file that can be read"), h5py.File(path, "r") as file:
        found = [kind for kind, name in DATASETS.items() if name in file]
        there = ", ".join(map(str, list(file)[:8]))
        if not found and ("correlator" in file or "mesons" in file):
            # This is a record as onehop solve --hdf5 writes it.
            return CORRELATORS
    if len(found) != 1:
        names = " or ".join(f"'{name}'" for name in DATASETS.values())
        raise FileError(f"{path}: has not just one dataset {names}; it has: {there or 'nothing'}")
    return found[0]
